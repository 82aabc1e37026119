"""A memory on an embedding server: slow, dead, with another model, or with prefixes before its texts."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from ricordo.memory import Memory
from ricordo.records.recall import Voice
from ricordo.records.receipt import Outcome
from ricordo.settings import load_settings

from .server import (
    DIMENSION,
    EmbeddingServer,
    Handler,
    Request,
    answer,
    dripping,
    hang_up,
    never,
    running,
    sends,
)

DEADLINE_S = 0.5


class Clock:
    def __init__(self) -> None:
        self.now = datetime(2024, 3, 1, 12, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        self.now += timedelta(milliseconds=1)
        return self.now


@pytest.fixture
def server() -> Iterator[EmbeddingServer]:
    with running() as started:
        yield started


@pytest.fixture
def clock() -> Clock:
    return Clock()


def opened(path: Path, server: EmbeddingServer, clock: Clock, **more: Any) -> Memory:
    given = {
        "embedder": "http",
        "embedder_url": server.url,
        "embedder_model": "test",
        "embedder_save_timeout_s": DEADLINE_S,
        "durability": "process",
        **more,
    }
    return Memory.open(path / "memory.db", settings=load_settings(given=given, environment={}), clock=clock)


@pytest.mark.parametrize("trouble", [never, dripping, hang_up, sends({"error": "away"}, 503)])
@pytest.mark.parametrize("known", [True, False], ids=["dimension known", "dimension unknown"])
def test_a_save_asks_once_and_briefly(
    tmp_path: Path, server: EmbeddingServer, clock: Clock, trouble: Any, known: bool
) -> None:
    with opened(tmp_path, server, clock, embedder_dimension=DIMENSION if known else None) as memory:
        server.plan(*[trouble] * 10)
        begun = time.monotonic()
        receipt = memory.remember("The zebra lives in the stable.")
        assert time.monotonic() - begun < 10 * DEADLINE_S
        assert receipt.outcome is Outcome.INDEX_PENDING
        assert "The vector is made later" in (receipt.note or "")
        assert len(server.requests) == 1
        assert memory.facts.get(receipt.id).content == "The zebra lives in the stable."
        assert memory.upkeep.queue().total == 1


def test_after_a_failure_saves_do_not_ask_for_a_while(
    tmp_path: Path, server: EmbeddingServer, clock: Clock
) -> None:
    with opened(tmp_path, server, clock, embedder_save_pause_s=20) as memory:
        server.plan(never)
        first = memory.remember("The zebra.")
        assert "did not answer within" in (first.note or "")
        second = memory.remember("The camel.")
        third = memory.episodes.add("talk", user_message="The giraffe.")
        assert len(server.requests) == 1
        for receipt in (second, third):
            assert receipt.outcome is Outcome.INDEX_PENDING
            assert "a moment ago" in (receipt.note or "")
        clock.now += timedelta(seconds=21)
        assert memory.remember("The gnu.").outcome is Outcome.SEARCHABLE
        assert memory.upkeep.queue().total == 3


def test_a_server_that_is_back_is_asked_again_at_once(
    tmp_path: Path, server: EmbeddingServer, clock: Clock
) -> None:
    with opened(tmp_path, server, clock) as memory:
        server.plan(hang_up)
        memory.remember("The zebra.")
        assert memory.upkeep.drain() == 1
        assert memory.remember("The camel.").outcome is Outcome.SEARCHABLE


def test_the_worker_keeps_its_patience(tmp_path: Path, server: EmbeddingServer, clock: Clock) -> None:
    with opened(tmp_path, server, clock) as memory:
        memory.remember("The zebra.", defer=True)
        memory.recall("zebra")
        server.plan(sends({"error": "busy"}, 503, retry_after="0"))
        assert memory.upkeep.drain() == 1


def sized(dimension: int) -> Any:
    def behave(handler: Handler, request: Request) -> None:
        handler.send(200, json.dumps(answer(request.texts, dimension)).encode())

    return behave


def _voices(memory: Memory, question: str) -> set[Voice]:
    return {one.voice for hit in memory.recall(question).hits for one in hit.retrieval.voices}


@pytest.mark.parametrize("first", ["save", "recall", "drain", "doctor", "index"])
def test_another_dimension_needs_no_restart(
    tmp_path: Path, server: EmbeddingServer, clock: Clock, first: str
) -> None:
    with opened(tmp_path, server, clock) as memory:
        assert memory.remember("The zebra lives in the stable.").outcome is Outcome.SEARCHABLE
        assert Voice.VECTOR in _voices(memory, "zebra stable")
        waiting = 0
        if first == "drain":
            memory.remember("The gnu.", defer=True)
            waiting = 1
        server.plan(*[sized(2 * DIMENSION)] * 100)
        _meet(memory, first)
        clock.now += timedelta(minutes=10)
        for _ in range(2):
            found = memory.recall("zebra stable")
            assert found.hits[0].text == "The zebra lives in the stable."
            assert "ricordo index" in " ".join(one.message for one in found.degraded)
            assert Voice.VECTOR not in _voices(memory, "zebra stable")
        receipt = memory.remember("The camel lives in the oasis.")
        assert receipt.outcome is Outcome.INDEX_PENDING
        assert "ricordo index" in (receipt.note or "")
        assert memory.upkeep.drain() == 0
        assert not memory.doctor.diagnose().healthy
        assert memory.upkeep.rebuild().embedded == 2 + waiting
        assert memory.recall("zebra stable").degraded == ()
        assert Voice.VECTOR in _voices(memory, "zebra stable")
        assert memory.remember("The giraffe.").outcome is Outcome.SEARCHABLE
        assert memory.upkeep.verify().clean
        assert memory.doctor.diagnose().healthy


def _meet(memory: Memory, first: str) -> None:
    """The first call that is answered with the other dimension."""
    from ricordo.errors import EmbedderMismatch

    if first == "save":
        receipt = memory.remember("Gone again.")
        assert receipt.outcome is Outcome.INDEX_PENDING
        assert "16 numbers where 8 were expected" in (receipt.note or "")
        memory.facts.delete(receipt.id)
    elif first == "recall":
        answer = memory.recall("zebra")
        assert [one.code for one in answer.degraded] == ["embedder_failed"]
        assert "ricordo index" in answer.degraded[0].message
    elif first == "drain":
        with pytest.raises(EmbedderMismatch, match="ricordo index"):
            memory.upkeep.drain()
    elif first == "doctor":
        assert not memory.doctor.diagnose().healthy
    else:
        memory.upkeep.verify()
        memory.recall("zebra")


def test_another_process_indexes_the_new_dimension(
    tmp_path: Path, server: EmbeddingServer, clock: Clock
) -> None:
    with opened(tmp_path, server, clock) as memory, opened(tmp_path, server, clock) as other:
        memory.remember("The zebra lives in the stable.")
        other.recall("zebra")
        server.plan(*[sized(2 * DIMENSION)] * 100)
        other.recall("zebra")
        memory.recall("zebra")
        other.upkeep.rebuild()
        assert memory.recall("zebra stable").degraded == ()
        assert Voice.VECTOR in _voices(memory, "zebra stable")


def test_a_dimension_that_comes_back_finds_its_vectors(
    tmp_path: Path, server: EmbeddingServer, clock: Clock
) -> None:
    with opened(tmp_path, server, clock) as memory:
        memory.remember("The zebra lives in the stable.")
        server.plan(*[sized(2 * DIMENSION)] * 2)
        memory.recall("zebra")
        memory.remember("The camel.")
        assert Voice.VECTOR not in _voices(memory, "zebra stable")
        memory.recall("zebra")  # the first answer of the old dimension
        assert Voice.VECTOR in _voices(memory, "zebra stable")
        memory.upkeep.retry()
        memory.upkeep.drain()
        assert memory.upkeep.verify().clean


def test_a_given_dimension_is_held_to(tmp_path: Path, server: EmbeddingServer, clock: Clock) -> None:
    with opened(tmp_path, server, clock, embedder_dimension=DIMENSION) as memory:
        memory.remember("The zebra.")
        server.plan(*[sized(2 * DIMENSION)] * 4)
        for _ in range(2):
            assert "embedder_failed" in [one.code for one in memory.recall("zebra").degraded]
            assert memory.remember("The camel.").outcome is Outcome.INDEX_PENDING
        assert memory.remember("The gnu.").outcome is Outcome.SEARCHABLE


def test_prefixes_are_settings_and_another_passage_prefix_is_another_model(
    tmp_path: Path, server: EmbeddingServer, clock: Clock
) -> None:
    e5 = {"embedder_passage_prefix": "passage: ", "embedder_question_prefix": "query: "}
    with opened(tmp_path, server, clock, **e5) as memory:
        memory.remember("The zebra.")
        assert server.requests[-1].texts[0].startswith("passage: ")
        memory.recall("zebra")
        assert server.requests[-1].texts == ["query: zebra"]
    with opened(tmp_path, server, clock, **{**e5, "embedder_question_prefix": "ask: "}) as memory:
        assert memory.recall("zebra").degraded == ()
        assert server.requests[-1].texts == ["ask: zebra"]
    for other in ("passage:", "text: ", ""):
        with opened(tmp_path, server, clock, embedder_passage_prefix=other) as memory:
            assert "ricordo index" in memory.recall("zebra").degraded[0].message
            assert memory.upkeep.rebuild().embedded == 1
            assert memory.recall("zebra").degraded == ()
            assert server.requests[-2].texts[0].startswith(other)
