"""Work whose model is away is tried, seen, found stuck in the end, and done when it is back."""

from __future__ import annotations

from pathlib import Path

import pytest

from ricordo.embed.hashing import HashingEmbedder
from ricordo.errors import EmbedderUnavailable
from ricordo.index.contract import Vectors
from ricordo.records.work import WorkState

from .opening import SetClock, open_memory


class AbsentEmbedder(HashingEmbedder):
    """Cannot even say how long its vectors are while it is away, as a server that is down."""

    def __init__(self) -> None:
        self.away = True
        super().__init__()

    @property
    def dimension(self) -> int:
        if self.away:
            raise EmbedderUnavailable("The server does not answer.", cure="Start it.")
        return 256

    @dimension.setter
    def dimension(self, value: int) -> None:
        """Fixed."""

    def embed_passages(self, texts: list[str]) -> Vectors:  # type: ignore[override]
        if self.away:
            raise EmbedderUnavailable("The server does not answer.", cure="Start it.")
        return super().embed_passages(texts)


class PoisonedEmbedder(HashingEmbedder):
    """Fails on every batch that holds one text, as some servers do."""

    def embed_passages(self, texts: list[str]) -> Vectors:  # type: ignore[override]
        if any("poison" in text for text in texts):
            raise EmbedderUnavailable("NaN in the answer.", cure="Try again.")
        return super().embed_passages(texts)


def test_attempts_and_error_show_until_the_work_is_stuck(path: Path) -> None:
    clock, embedder = SetClock(), AbsentEmbedder()
    with open_memory(path, embedder=embedder, clock=clock) as memory:
        memory.remember("The ferry leaves at nine")
        for attempt in range(1, 9):
            clock.pass_by(hours=2)
            with pytest.raises(EmbedderUnavailable):
                memory.upkeep.drain()
            item = memory.upkeep.pending().items[0]
            assert (item.attempts, item.last_error) == (attempt, "The server does not answer. Start it.")
        assert item.state is WorkState.STUCK
        assert not memory.doctor.diagnose().healthy
        assert memory.upkeep.pending_report().queue.total == 1
        assert memory.upkeep.verify().checked == 1
        embedder.away = False
        clock.pass_by(hours=2)
        assert memory.upkeep.drain() == 1
        assert memory.doctor.diagnose().healthy


def test_one_bad_text_does_not_hold_up_the_others(path: Path) -> None:
    clock = SetClock()
    with open_memory(path, embedder=PoisonedEmbedder(), clock=clock) as memory:
        texts = ["poison", *(f"harmless number {place}" for place in range(20))]
        memory.facts.add_many([{"content": text} for text in texts])
        memory.upkeep.drain()
        left = memory.upkeep.pending().items
        assert [memory.facts.get(item.id).content for item in left] == ["poison"]
