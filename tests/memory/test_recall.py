"""A recall answers from what the archive holds now, and says how it came to its answer."""

from __future__ import annotations

import random
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ricordo.archive.contract import Stored
from ricordo.embed.hashing import HashingEmbedder
from ricordo.errors import InvalidInput, NotFound, UnknownField
from ricordo.memory import Memory
from ricordo.records.base import Kind
from ricordo.records.recall import Abstention, Hit, Recall, Voice

from .embedders import FailingEmbedder
from .opening import NOON, SetClock, open_memory


def texts(answer: Recall) -> list[str]:
    return [hit.text for hit in answer.hits]


def codes(answer: Recall) -> list[str]:
    return [one.code for one in answer.degraded]


def heard(hit: Hit) -> set[Voice]:
    return {one.voice for one in hit.retrieval.voices}


def by_words(answer: Recall) -> list[str]:
    """Texts that the words of the question have found."""
    return [hit.text for hit in answer.hits if Voice.LEXICAL in heard(hit)]


def left_out(answer: Recall) -> dict[str, int]:
    return {one.reason: one.count for one in answer.trace.left_out}


# What is asked for


@pytest.fixture(scope="module")
def house(empty: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    """Two of each kind that differ in all that filters ask for; only to be read."""
    path = shutil.copy(empty, tmp_path_factory.mktemp("house") / "memory.db")
    with open_memory(path) as memory:
        for name, project, speaker, day in (("blue", "Casa", "Zoë", 1), ("red", "casa 2", "Zoe2", 20)):
            moment = f"2024-02-{day:02}T12:00:00Z"
            memory.sessions.create(external_id=name, project=project)
            memory.episodes.add(
                name, user_message=f"The lamp is {name}.", speaker=speaker, occurred_at=moment
            )
        memory.facts.add("The lamp fact is blue.", domain="Domus", topic="user_1", tags=["Rosso", "tetto"])
        memory.facts.add("The lamp fact is red.", domain="domus 2", topic="userA1", tags=["rosso"])
        yield memory


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({"session": "blue"}, ["The lamp is blue."]),
        ({"project": "CASA"}, ["The lamp is blue."]),
        ({"speaker": "zoe"}, ["The lamp is blue."]),
        ({"until": "2024-02-20T12:00:00Z"}, ["The lamp is blue."]),
        ({"since": "2024-02-20T12:00:00Z", "until": "2024-02-21T00:00:00Z"}, ["The lamp is red."]),
        ({"session": "blue", "speaker": "Zoe2"}, []),
        ({"domain": "dòmus"}, ["The lamp fact is blue."]),
        ({"topic": "USER_1"}, ["The lamp fact is blue."]),
        ({"tags": ["tetto"]}, ["The lamp fact is blue."]),
        ({"tags": ["tetto", "rosso"]}, ["The lamp fact is blue."]),
        ({"domain": "domus", "topic": "userA1"}, []),
        ({"session": "blue", "domain": "domus"}, []),
    ],
)
def test_a_filter_holds(house: Memory, filters: dict[str, Any], expected: list[str]) -> None:
    assert texts(house.recall("which lamp", filters=filters)) == expected


def test_filters_of_one_kind_leave_the_other_out(house: Memory) -> None:
    assert {hit.kind for hit in house.recall("lamp", filters={"speaker": "zoe"}).hits} == {Kind.EPISODE}
    assert {hit.kind for hit in house.recall("lamp", filters={"domain": "domus"}).hits} == {Kind.FACT}
    assert {hit.kind for hit in house.recall("lamp").hits} == {Kind.EPISODE, Kind.FACT}


def test_kinds(house: Memory) -> None:
    assert {hit.kind for hit in house.recall("lamp", kinds=["fact"]).hits} == {Kind.FACT}
    assert {hit.kind for hit in house.recall("lamp", kinds=["episode"]).hits} == {Kind.EPISODE}
    assert house.recall("lamp", kinds=["fact"]).trace.profile == "facts"


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"top": 0}, InvalidInput),
        ({"top": 101}, InvalidInput),
        ({"neighbours": 11}, InvalidInput),
        ({"neighbours": -1}, InvalidInput),
        ({"kinds": ["session"]}, InvalidInput),
        ({"kinds": ["rubbish"]}, InvalidInput),
        ({"filters": {"colour": "blue"}}, UnknownField),
        ({"filters": {"since": "2024-02-02T00:00:00Z", "until": "2024-02-01T00:00:00Z"}}, InvalidInput),
        ({"filters": {"session": "nobody"}}, NotFound),
        ({"as_of": "yesterday"}, InvalidInput),
    ],
)
def test_what_cannot_be_asked(house: Memory, arguments: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        house.recall("lamp", **arguments)


def test_a_filter_costs_no_result_its_place(memory: Memory) -> None:
    memory.facts.add_many(
        [{"content": f"zebra zebra number {number}", "domain": "crowd"} for number in range(300)]
    )
    wanted = memory.facts.add("Among many other things a zebra was seen here.", domain="alone")
    memory.upkeep.drain()
    answer = memory.recall("zebra", top=5, filters={"domain": "alone"})
    assert [hit.id for hit in answer.hits] == [wanted.id]


def test_neighbours_come_with_a_turn(memory: Memory) -> None:
    memory.episodes.add_many(
        "talk", [{"user_message": f"Turn {word}."} for word in "one two three four".split()]
    )
    memory.episodes.add("other", user_message="Turn elsewhere.")
    bare = memory.recall("turn two").hits[0]
    assert (bare.before, bare.after) == ((), ())
    hit = memory.recall("turn two", neighbours=2).hits[0]
    assert [turn.text for turn in hit.before] == ["Turn one."]
    assert [turn.text for turn in hit.after] == ["Turn three.", "Turn four."]


# What held


def test_facts_hold_from_and_until(memory: Memory) -> None:
    memory.facts.add("The office is in Turin.", valid_until="2024-01-01T00:00:00Z")
    memory.facts.add(
        "The office is in Milan.", valid_from="2024-01-01T00:00:00Z", valid_until="2999-01-01T00:00:00Z"
    )
    memory.facts.add("The office is in Rome.", valid_from="2999-01-01T00:00:00Z")
    assert texts(memory.recall("office")) == ["The office is in Milan."]
    assert texts(memory.recall("office", as_of="2023-12-31T23:59:59Z")) == ["The office is in Turin."]
    assert texts(memory.recall("office", as_of="2024-01-01T00:00:00Z")) == ["The office is in Milan."]
    assert texts(memory.recall("office", as_of="2999-01-01T00:00:00Z")) == ["The office is in Rome."]


def test_episodes_had_happened(memory: Memory) -> None:
    memory.episodes.add("talk", user_message="The crane broke.", occurred_at="2024-02-01T10:00:00Z")
    memory.episodes.add("talk", user_message="The crane works.", occurred_at="2024-02-03T10:00:00Z")
    assert texts(memory.recall("crane", as_of="2024-02-02T00:00:00Z")) == ["The crane broke."]
    assert texts(memory.recall("crane", as_of="2024-02-01T10:00:00+01:00")) == []
    assert len(memory.recall("crane").hits) == 2


def test_a_turn_from_a_clock_that_is_ahead_is_recalled(memory: Memory) -> None:
    memory.episodes.add("talk", user_message="Greetings from the future.", occurred_at="2999-01-01T00:00:00Z")
    assert texts(memory.recall("greetings")) == ["Greetings from the future."]


# What the archive holds now


Behind = Callable[[Memory, Path, str], None]


def _replaced(memory: Memory, path: Path, name: str) -> None:
    archive = memory._engine.archive
    with archive.write(memory.workspace) as writer:
        stored = writer.get(Kind.FACT, name)
        assert stored is not None
        changes = {"content": "Nothing of the sort.", "revision": 2}
        writer.replace(stored, stored.record.model_copy(update=changes))


def _removed(memory: Memory, path: Path, name: str) -> None:
    archive = memory._engine.archive
    with archive.write(memory.workspace) as writer:
        stored: Stored | None = writer.get(Kind.FACT, name)
        assert stored is not None
        writer.remove(Kind.FACT, [stored], actor="someone", at=NOON)


def _superseded(memory: Memory, path: Path, name: str) -> None:
    connection = sqlite3.connect(path)
    with connection:
        connection.execute(
            "UPDATE facts SET superseded_at = 1, superseded_by = 'fact-x' WHERE id = ?", (name,)
        )
    connection.close()


@pytest.mark.parametrize(
    ("behind", "reason"), [(_replaced, "stale"), (_removed, "gone"), (_superseded, "not_eligible")]
)
def test_an_index_that_lags_behind_is_not_believed(
    memory: Memory, path: Path, behind: Behind, reason: str
) -> None:
    receipt = memory.remember("The zebra is in the stable.")
    kept = memory.remember("The zebra is in the meadow.")
    behind(memory, path, receipt.id)
    answer = memory.recall("zebra stable")
    assert [hit.id for hit in answer.hits] == [kept.id]
    assert left_out(answer) == {reason: 1}
    assert answer.trace.left_out[0].kind is Kind.FACT
    if reason != "gone":
        assert answer.trace.left_out[0].examples == (receipt.id,)
    assert [hit.id for hit in memory.recall("zebra stable", top=1).hits] == [kept.id]


def test_a_replaced_fact_is_recalled_as_history_only(memory: Memory) -> None:
    old = memory.remember("The port is 8000.")
    moment = memory.facts.get(old.id).created_at
    engine = memory._engine
    with engine.archive.write(memory.workspace) as writer:
        stored = writer.get(Kind.FACT, old.id)
        assert stored is not None
        gone = {"superseded_at": engine.clock(), "superseded_by": "fact-new", "revision": 2}
        writer.replace(stored, stored.record.model_copy(update=gone))
    memory.upkeep.rebuild()
    memory.remember("The port is 9000.")
    assert texts(memory.recall("port")) == ["The port is 9000."]
    assert "The port is 8000." in texts(memory.recall("port", as_of=moment))


def test_an_edited_turn_leaves_nothing_of_its_old_words(path: Path) -> None:
    with open_memory(path, embedder="none") as memory:
        receipts = memory.episodes.add_many(
            "talk", [{"user_message": f"Turn {word}."} for word in ("one", "two", "three")]
        )
        memory.episodes.update(receipts[1].id, {"user_message": "Turn with a zebra."})
        assert texts(memory.recall("zebra"))[0] == "Turn with a zebra."
        beside = texts(memory.recall("zebra"))[1:]
        assert beside
        memory.episodes.update(receipts[1].id, {"user_message": "Turn with a camel."})
        assert texts(memory.recall("zebra")) == []
        assert texts(memory.recall("camel"))[1:] == beside
        memory.episodes.delete(receipts[1].id)
        assert texts(memory.recall("camel")) == []
        assert memory.upkeep.verify().clean


def test_an_answer_holds_the_records_themselves(house: Memory) -> None:
    answer = house.recall("blue lamp")
    for rank, hit in enumerate(answer.hits, start=1):
        group = house.episodes if hit.kind is Kind.EPISODE else house.facts
        assert hit.record == group.get(hit.id)
        assert (hit.rank, hit.revision) == (rank, 1)
    turn = next(hit for hit in answer.hits if hit.kind is Kind.EPISODE)
    assert (turn.source.session, turn.source.project, turn.source.speaker) == ("blue", "Casa", "Zoë")
    assert turn.source.position == 1
    fact = next(hit for hit in answer.hits if hit.kind is Kind.FACT)
    assert (fact.source.domain, fact.source.topic, fact.source.veracity) == ("Domus", "user_1", "stated")


# Long texts


def test_a_long_text_is_found_by_its_last_paragraph(memory: Memory) -> None:
    filler = " ".join(f"filler{number % 97} and word{number % 89}." for number in range(1_100))
    ends = [
        "Nobody came to the party in the garden.",
        "The train was late again because of snow.",
        "Finally the walrus painted the lighthouse turquoise.",
        "My cousin sells honey at the market.",
        "They closed the library for repairs.",
    ]
    long = [f"{filler}\n\n{end}" for end in ends]
    assert len(long[2]) > 20_000
    receipts = memory.episodes.add_many("talk", [{"assistant_message": text} for text in long])
    memory.upkeep.drain()
    hit = memory.recall("walrus painted the lighthouse turquoise").hits[0]
    assert hit.id == receipts[2].id
    assert hit.text == long[2]
    ranks = {one.voice: one.rank for one in hit.retrieval.voices}
    assert ranks == {Voice.LEXICAL: 1, Voice.VECTOR: 1}
    assert memory.recall("turquoise").hits[0].id == receipts[2].id


# Saying that nothing is known


def test_nothing_is_known_in_an_empty_archive(memory: Memory) -> None:
    answer = memory.recall("anything")
    assert (answer.nothing_known, answer.abstention, answer.hits) == (True, Abstention.EMPTY_ARCHIVE, ())


def test_nothing_is_known_where_no_word_is(path: Path) -> None:
    with open_memory(path, embedder="none") as memory:
        memory.remember("The zebra is in the stable.")
        answer = memory.recall("quantum chromodynamics")
        assert (answer.nothing_known, answer.abstention, answer.hits) == (True, Abstention.NO_CANDIDATES, ())
        known = memory.recall("zebra")
        assert (known.nothing_known, known.abstention) == (False, None)


def test_nothing_is_known_where_the_evidence_is_weak(memory: Memory) -> None:
    rng = random.Random(3)
    words = [f"w{number}x" for number in range(300)]
    memory.facts.add_many([{"content": " ".join(rng.sample(words, 12))} for _ in range(200)])
    memory.remember("The goat eats hay.")
    memory.upkeep.drain()
    answer = memory.recall("astronomy telescope")
    assert answer.nothing_known
    assert answer.abstention is Abstention.WEAK_EVIDENCE
    assert answer.hits
    known = memory.recall("what does the goat eat")
    assert (known.nothing_known, known.abstention) == (False, None)


# What is missing is named


def test_without_an_embedder(path: Path) -> None:
    with open_memory(path, embedder="none") as memory:
        memory.remember("The zebra is in the stable.")
        answer = memory.recall("zebra")
        assert codes(answer) == ["no_embedder"]
        assert texts(answer) == ["The zebra is in the stable."]
        assert Voice.VECTOR not in answer.trace.candidates


def test_an_embedder_that_fails(path: Path) -> None:
    with open_memory(path) as memory:
        memory.remember("The zebra is in the stable.")
    with open_memory(path, embedder=FailingEmbedder()) as memory:
        answer = memory.recall("zebra")
        assert codes(answer) == ["embedder_failed"]
        assert "away" in answer.degraded[0].message
        assert by_words(answer) == ["The zebra is in the stable."]


def test_vectors_that_are_missing_are_counted(path: Path) -> None:
    embedder = FailingEmbedder(questions=False)
    clock = SetClock()
    with open_memory(path, embedder=embedder, clock=clock) as memory:
        memory.remember("The zebra is in the stable.")
        memory.facts.add("The camel is in the desert.", defer=True)
        answer = memory.recall("camel")
        assert codes(answer) == ["vectors_missing"]
        assert answer.degraded[0].message.startswith("2 records")
        assert by_words(answer) == ["The camel is in the desert."]
        embedder.failing = False
        clock.pass_by(hours=2)
        assert memory.upkeep.drain() == 2
        assert codes(memory.recall("camel")) == []


# The trace adds up


@pytest.fixture(scope="module", params=["none", "hashing"])
def crowd(
    request: pytest.FixtureRequest, empty: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Memory]:
    """Thirty turns and thirty facts that are much alike; only to be read."""
    path = shutil.copy(empty, tmp_path_factory.mktemp("crowd") / "memory.db")
    with open_memory(path, embedder=request.param) as memory:
        for session in range(3):
            memory.episodes.add_many(f"talk {session}", [_turn(number) for number in range(10)])
        memory.facts.add_many([{"content": f"Lamp {number} is blue."} for number in range(30)])
        memory.upkeep.drain()
        yield memory


def _turn(number: int) -> dict[str, str]:
    end = "?" if number % 5 == 0 else "."
    text = f"The lamp number {number} was blue yesterday{end}"
    return {"speaker": "Zoë" if number % 2 else "Ada", "user_message": text}


@pytest.mark.parametrize(
    "question", ["which lamp", "what did Zoë say about the lamp in February?", "blue lamp?"]
)
def test_the_trace_adds_up(crowd: Memory, question: str) -> None:
    answer = crowd.recall(question, top=7)
    assert [hit.rank for hit in answer.hits] == list(range(1, 8))
    scores = [hit.retrieval.score for hit in answer.hits]
    assert scores == sorted(scores, reverse=True)
    for hit in answer.hits:
        assert sum(hit.retrieval.parts.values()) == pytest.approx(hit.retrieval.score, abs=1e-5)
        assert heard(hit)
    assert {one.reason for one in answer.trace.left_out} == {"below_top"}
    found = 7 + sum(one.count for one in answer.trace.left_out)
    assert max(answer.trace.candidates.values()) <= found <= sum(answer.trace.candidates.values())
    assert set(answer.trace.timings_ms) == {"plan", "embed", "candidates", "fuse", "verify", "total"}
    total = answer.trace.timings_ms["total"]
    assert sum(answer.trace.timings_ms.values()) == pytest.approx(2 * total, rel=0.01, abs=0.01)


def test_ranks_of_a_voice_begin_at_one(house: Memory) -> None:
    answer = house.recall("blue lamp")
    for voice in (Voice.LEXICAL, Voice.VECTOR):
        ranks = [one.rank for hit in answer.hits for one in hit.retrieval.voices if one.voice is voice]
        assert sorted(ranks) == list(range(1, len(ranks) + 1))


def test_the_same_question_has_the_same_answer(house: Memory) -> None:
    first = house.recall("blue lamp")
    with open_memory(house.settings.path, embedder=HashingEmbedder()) as other:
        assert other.recall("blue lamp").hits == first.hits
    house.upkeep.rebuild(full=True)
    again = house.recall("blue lamp")
    assert [(hit.id, hit.rank) for hit in again.hits] == [(hit.id, hit.rank) for hit in first.hits]
    assert [hit.retrieval.score for hit in again.hits] == pytest.approx(
        [hit.retrieval.score for hit in first.hits], abs=1e-5
    )
