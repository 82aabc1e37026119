"""Another embedding model, in this process or beside it: never a mix, never a crash, nothing lost."""

from __future__ import annotations

import sqlite3
from contextlib import suppress
from pathlib import Path

import pytest

from ricordo.embed.hashing import HashingEmbedder
from ricordo.errors import EmbedderUnavailable
from ricordo.memory import Memory
from ricordo.records.recall import Recall, Voice
from ricordo.records.receipt import Outcome

from .embedders import FailingEmbedder, MeddlingEmbedder, OtherEmbedder
from .opening import SetClock, open_memory


def codes(answer: Recall) -> list[str]:
    return [one.code for one in answer.degraded]


def voices(answer: Recall) -> set[Voice]:
    return {one.voice for hit in answer.hits for one in hit.retrieval.voices}


def _take_over(path: Path) -> None:
    """Another process makes the index with a model of its own."""
    with open_memory(path, embedder=OtherEmbedder()) as other:
        other.upkeep.rebuild()


def _assert_complete(path: Path, texts: int) -> None:
    """The other model's index holds everything once its work is done."""
    with open_memory(path, embedder=OtherEmbedder()) as other:
        other.upkeep.retry()
        other.upkeep.drain()
        report = other.upkeep.verify()
        assert report.clean, report
        assert report.checked == texts
        assert other.upkeep.pending_report().queue.total == 0


@pytest.mark.parametrize(
    "embedder", [OtherEmbedder(), HashingEmbedder(256, "same length"), HashingEmbedder(64)]
)
def test_another_model_finds_by_words_until_it_has_indexed(path: Path, embedder: HashingEmbedder) -> None:
    with open_memory(path) as memory:
        memory.remember("The zebra lives in the stable.")
    with open_memory(path, embedder=embedder) as other:
        answer = other.recall("zebra stable")
        assert [hit.text for hit in answer.hits] == ["The zebra lives in the stable."]
        assert codes(answer) == ["vectors_missing"]
        assert "ricordo index" in answer.degraded[0].message
        assert voices(answer) == {Voice.LEXICAL}
        receipt = other.remember("The camel lives in the desert.")
        assert receipt.outcome is Outcome.INDEX_PENDING
        assert "ricordo index" in (receipt.note or "")
        assert other.upkeep.pending_report().other_model == 2
        assert not other.doctor.diagnose().healthy
        assert other.upkeep.rebuild().embedded == 2
        again = other.recall("zebra stable")
        assert codes(again) == []
        assert Voice.VECTOR in voices(again)
        assert other.upkeep.verify().clean


def test_a_process_that_lost_its_model_goes_on(path: Path) -> None:
    with open_memory(path) as memory:
        memory.remember("The zebra lives in the stable.")
        assert codes(memory.recall("zebra")) == []
        _take_over(path)
        receipt = memory.remember("The camel lives in the desert.")
        assert receipt.outcome is Outcome.INDEX_PENDING
        memory.episodes.add("talk", user_message="A giraffe came by.")
        memory.facts.update(receipt.id, {"content": "The camel lives in the oasis."})
        for question, text in (
            ("camel", "The camel lives in the oasis."),
            ("zebra", "The zebra lives in the stable."),
        ):
            answer = memory.recall(question)
            assert answer.hits[0].text == text
            assert codes(answer) == ["vectors_missing"]
        assert memory.upkeep.drain() == 0
    _assert_complete(path, texts=3)


def test_a_model_that_takes_over_during_a_save(path: Path) -> None:
    meddling = MeddlingEmbedder(lambda: _take_over(path))
    with open_memory(path, embedder=meddling) as memory:
        receipt = memory.remember("The zebra lives in the stable.")
        assert receipt.outcome is Outcome.INDEX_PENDING
        assert memory.facts.get(receipt.id).content == "The zebra lives in the stable."
    _assert_complete(path, texts=1)


def _activate_only(path: Path) -> None:
    """Another process begins to index with its model, which fails after that."""
    with open_memory(path, embedder=FailingOther()) as other, suppress(EmbedderUnavailable):
        other.upkeep.rebuild()


class FailingOther(FailingEmbedder):
    """The other model, out of reach."""

    def __init__(self) -> None:
        super().__init__()
        self.model, self.dimension = "other", 96


def test_a_model_that_takes_over_during_a_drain(path: Path) -> None:
    meddling = MeddlingEmbedder(lambda: None)
    with open_memory(path, embedder=meddling) as memory:
        memory.facts.add_many([{"content": f"Fact number {number} holds."} for number in range(100)])
        meddling._meddle = lambda: _activate_only(path)
        memory.upkeep.drain()
        assert memory.upkeep.drain() == 0
    _assert_complete(path, texts=100)


def test_a_model_that_comes_back(path: Path) -> None:
    with open_memory(path) as memory:
        memory.remember("The zebra lives in the stable.")
        _take_over(path)
        assert memory.upkeep.rebuild().embedded == 1
        answer = memory.recall("zebra")
        assert codes(answer) == []
        assert Voice.VECTOR in voices(answer)
        assert memory.remember("The camel.").outcome is Outcome.SEARCHABLE
        assert memory.upkeep.verify().clean


def test_vectors_that_cannot_be_stored_leave_the_save_pending(path: Path) -> None:
    with open_memory(path) as memory:
        memory.remember("The zebra lives in the stable.")
        connection = sqlite3.connect(path)
        connection.execute(
            "CREATE TRIGGER refuse BEFORE INSERT ON vectors BEGIN SELECT RAISE(ABORT, 'no more'); END"
        )
        connection.close()
        receipt = memory.remember("The camel lives in the desert.")
        assert receipt.outcome is Outcome.INDEX_PENDING
        assert receipt.note
        assert memory.recall("camel").hits[0].id == receipt.id
        assert memory.upkeep.pending_report().queue.total == 1


def test_records_older_than_the_first_model_are_embedded(path: Path) -> None:
    clock = SetClock()
    with open_memory(path, embedder="none", clock=clock) as bare:
        receipts = [bare.remember(f"Fact {word}.") for word in ("zebra", "camel", "giraffe")]
        assert {receipt.outcome for receipt in receipts} == {Outcome.SEARCHABLE}
        assert bare.upkeep.pending_report().queue.total == 0
    with open_memory(path, clock=clock) as memory:
        answer = memory.recall("zebra")
        assert codes(answer) == ["vectors_missing"]
        assert "3 records" in answer.degraded[0].message
        assert memory.upkeep.drain() == 3
        assert codes(memory.recall("zebra")) == []
        assert memory.upkeep.verify().clean


def test_a_process_without_a_model_leaves_the_work_to_others(path: Path) -> None:
    with open_memory(path) as memory:
        memory.remember("The zebra.")
    with open_memory(path, embedder="none") as bare:
        receipt = bare.remember("The camel.")
        assert receipt.outcome is Outcome.INDEX_PENDING
        assert bare.upkeep.drain() == 0
        assert Memory.recall(bare, "camel").hits[0].id == receipt.id
    with open_memory(path) as memory:
        assert memory.upkeep.drain() == 1
        assert memory.upkeep.verify().clean
