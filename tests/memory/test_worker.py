"""Pending work is done in the background, by whoever is there, and survives trouble."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

import pytest

from ricordo.embed.hashing import HashingEmbedder
from ricordo.engine import worker as module
from ricordo.errors import EmbedderUnavailable
from ricordo.index.contract import Vectors
from ricordo.memory import Memory
from ricordo.records.work import WorkState

from .embedders import FailingEmbedder, SlowEmbedder
from .opening import SetClock, open_memory


@pytest.fixture(autouse=True)
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Looks at the queue often."""
    monkeypatch.setattr(module.Worker.__init__, "__kwdefaults__", {"idle_s": 0.02})


def _eventually(holds: Callable[[], bool]) -> None:
    for _ in range(3_000):
        if holds():
            return
        time.sleep(0.02)
    raise AssertionError("it never held")


def _idle(memory: Memory) -> bool:
    return memory.upkeep.pending_report().queue.total == 0


def _threads() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "ricordo-worker"]


def test_work_is_done_as_it_comes(memory: Memory) -> None:
    memory.start_worker()
    memory.start_worker()
    assert len(_threads()) == 1
    for turn in range(3):
        memory.facts.add_many([{"content": f"fact {turn} {number}"} for number in range(20)])
        _eventually(lambda: _idle(memory))
    assert memory.upkeep.verify().clean
    memory.close()
    assert _threads() == []


def test_every_workspace_is_served(memory: Memory) -> None:
    other = memory.in_workspace("other", create=True)
    other.facts.add("The camel.", defer=True)
    memory.facts.add("The zebra.", defer=True)
    memory.start_worker()
    for one in (memory, other):
        _eventually(lambda one=one: _idle(one))  # type: ignore[misc]
        assert one.upkeep.verify().clean


def test_work_of_another_process_is_done(memory: Memory, path: Path) -> None:
    memory.remember("The zebra.")
    memory.start_worker()
    with open_memory(path, embedder="none") as bare:
        bare.remember("The camel.")
        _eventually(lambda: _idle(bare))
    assert memory.upkeep.verify().clean


def test_a_model_that_comes_back_finds_its_work(path: Path) -> None:
    embedder = FailingEmbedder()
    clock = SetClock()
    with open_memory(path, embedder=embedder, clock=clock) as memory:
        memory.facts.add_many([{"content": f"fact {number}"} for number in range(40)])
        memory.start_worker()
        _eventually(lambda: memory.upkeep.pending().items[0].last_error is not None)
        item = memory.upkeep.pending().items[0]
        assert item.last_error == "The model is away. Bring it back."
        assert item.state is WorkState.BACKING_OFF
        embedder.failing = False
        clock.pass_by(hours=2)
        _eventually(lambda: _idle(memory))
        assert memory.upkeep.verify().clean


class PoisonedEmbedder(HashingEmbedder):
    """Cannot embed one text, ever."""

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        if any("poison" in text for text in texts):
            raise EmbedderUnavailable("This text is refused.")
        return super().embed_passages(texts)


def test_one_text_that_is_refused_holds_nothing_up(path: Path) -> None:
    clock = SetClock()
    with open_memory(path, embedder=PoisonedEmbedder(), clock=clock) as memory:
        memory.facts.add_many(
            [{"content": "poison" if number == 7 else f"fact {number}"} for number in range(60)]
        )
        for _ in range(12):
            with suppress(EmbedderUnavailable):
                memory.upkeep.drain()
            clock.pass_by(hours=2)
        (item,) = memory.upkeep.pending().items
        assert item.state is WorkState.STUCK
        assert item.last_error == "This text is refused."
        assert not memory.doctor.diagnose().healthy
        assert memory.upkeep.verify().missing_vectors == 1
        assert memory.recall("poison").hits[0].text == "poison"


def test_attempts_back_off_further_each_time(path: Path) -> None:
    clock = SetClock()
    with open_memory(path, embedder=FailingEmbedder(), clock=clock) as memory:
        memory.facts.add("The zebra.", defer=True)
        waits = []
        for attempt in range(1, 16):
            with pytest.raises(EmbedderUnavailable):
                memory.upkeep.drain()
            item = memory.upkeep.pending().items[0]
            assert item.attempts == attempt
            waits.append((item.next_at - clock.now).total_seconds())
            assert memory.upkeep.drain() == 0
            clock.now = item.next_at
        assert waits[:8] == sorted(waits[:8])
        assert max(waits) <= 3600 * 1.25
        assert memory.upkeep.retry() == 1
        assert memory.upkeep.pending().items[0].attempts == 0


def test_closing_waits_for_the_batch_in_hand(path: Path) -> None:
    embedder = SlowEmbedder()
    memory = open_memory(path, embedder=embedder)
    memory.facts.add_many([{"content": f"fact {number}"} for number in range(100)])
    memory.start_worker()
    assert embedder.begun.wait(60)
    worker = memory._worker
    assert worker is not None
    ending = threading.Thread(target=memory.close)
    ending.start()
    _eventually(worker._stop.is_set)
    embedder.go_on.set()
    ending.join()
    with open_memory(path) as again:
        left = again.upkeep.pending_report().queue.total
        assert 0 < left < 100
        again.upkeep.drain()
        assert again.upkeep.verify().clean


class BrokenEmbedder(HashingEmbedder):
    """Breaks its contract, once."""

    def __init__(self) -> None:
        super().__init__()
        self.broke = False

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        if not self.broke:
            self.broke = True
            raise ZeroDivisionError
        return super().embed_passages(texts)


def test_a_fault_that_nobody_foresaw_does_not_end_the_worker(path: Path) -> None:
    embedder = BrokenEmbedder()
    clock = SetClock()
    with open_memory(path, embedder=embedder, clock=clock) as memory:
        memory.facts.add("The zebra.", defer=True)
        memory.start_worker()
        _eventually(lambda: embedder.broke)
        clock.pass_by(minutes=10)  # its lease runs out
        _eventually(lambda: _idle(memory))
        assert memory.upkeep.verify().clean


def test_saves_and_recalls_do_not_wait_for_a_slow_model(path: Path) -> None:
    embedder = SlowEmbedder()
    with open_memory(path, embedder=embedder) as memory:
        memory.facts.add("The zebra.", defer=True)
        memory.start_worker()
        assert embedder.begun.wait(60)
        receipt = memory.facts.add("The camel.", defer=True)
        assert receipt.id in [hit.id for hit in memory.recall("camel").hits]
        embedder.go_on.set()
        _eventually(lambda: _idle(memory))
        assert memory.upkeep.verify().clean
