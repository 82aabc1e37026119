"""A failed save, a save, and a save whose index work is pending are three different answers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from ricordo.embed.hashing import HashingEmbedder
from ricordo.engine.episodes import MAX_BATCH
from ricordo.engine.saving import EMBED_AT_ONCE
from ricordo.errors import (
    AlreadyExists,
    Forbidden,
    InvalidInput,
    NotFound,
    RicordoError,
    StaleRevision,
    UnknownField,
)
from ricordo.memory import Memory
from ricordo.records.base import Kind
from ricordo.records.principal import Permission, Principal
from ricordo.records.receipt import Outcome, Receipt

from .embedders import FailingEmbedder
from .opening import open_memory

UNKNOWN_SESSION = "session-00000000-0000-7000-8000-000000000000"


def _pending(memory: Memory) -> int:
    return memory.upkeep.pending_report().queue.total


def _assert_saved(memory: Memory, receipt: Receipt, outcome: Outcome) -> None:
    assert receipt.outcome is outcome
    assert bool(receipt.note) is (outcome is Outcome.INDEX_PENDING)
    assert memory.facts.get(receipt.id).revision == receipt.revision


def test_saved_and_searchable(memory: Memory) -> None:
    receipt = memory.remember("The zebra.")
    _assert_saved(memory, receipt, Outcome.SEARCHABLE)
    assert (receipt.kind, receipt.revision, receipt.created) == (Kind.FACT, 1, True)
    assert _pending(memory) == 0
    assert memory.upkeep.verify().clean


def test_saved_and_pending_because_it_was_asked_for(memory: Memory) -> None:
    receipt = memory.remember("The zebra.", defer=True)
    _assert_saved(memory, receipt, Outcome.INDEX_PENDING)
    assert _pending(memory) == 1
    assert memory.recall("zebra").hits[0].id == receipt.id
    assert memory.upkeep.drain() == 1
    assert memory.upkeep.verify().clean


def test_saved_and_pending_because_there_are_many(memory: Memory) -> None:
    few = memory.facts.add_many([{"content": f"few {number}"} for number in range(EMBED_AT_ONCE)])
    assert {receipt.outcome for receipt in few} == {Outcome.SEARCHABLE}
    many = memory.facts.add_many([{"content": f"many {number}"} for number in range(EMBED_AT_ONCE + 1)])
    assert {receipt.outcome for receipt in many} == {Outcome.INDEX_PENDING}
    assert _pending(memory) == len(many)


def test_saved_and_pending_because_the_model_is_away(path: Path) -> None:
    embedder = FailingEmbedder()
    with open_memory(path, embedder=embedder) as memory:
        receipt = memory.remember("The zebra.")
        _assert_saved(memory, receipt, Outcome.INDEX_PENDING)
        assert "away" in (receipt.note or "")
        assert memory.recall("zebra").hits[0].id == receipt.id
        embedder.failing = False
        memory.upkeep.drain()
        assert memory.upkeep.verify().clean
        again = memory.facts.update(receipt.id, {"content": "The camel."})
        assert (again.outcome, again.note, again.created) == (Outcome.SEARCHABLE, None, False)


def test_saved_without_any_model(path: Path) -> None:
    with open_memory(path, embedder="none") as memory:
        receipt = memory.remember("The zebra.")
        assert receipt.outcome is Outcome.SEARCHABLE
        assert "keyword" in (receipt.note or "")


def test_saved_means_saved(path: Path) -> None:
    with open_memory(path) as memory:
        receipts = [
            memory.remember("The zebra."),
            memory.episodes.add("talk", user_message="The camel.", defer=True),
            memory.sessions.create(name="empty"),
        ]
    with open_memory(path) as again:
        assert again.facts.get(receipts[0].id).content == "The zebra."
        assert again.episodes.get(receipts[1].id).user_message == "The camel."
        assert again.sessions.get(receipts[2].id).name == "empty"


def test_adding_again_changes_nothing(memory: Memory) -> None:
    first = memory.episodes.add("talk", user_message="The zebra.", external_id="turn 1")
    again = memory.episodes.add("talk", user_message="Something else.", external_id="turn 1")
    assert (again.id, again.created, again.revision) == (first.id, False, 1)
    assert again.note
    assert memory.episodes.get(first.id).user_message == "The zebra."
    mixed = memory.episodes.add_many(
        "talk",
        [
            {"user_message": "b", "external_id": "turn 2"},
            {"user_message": "a", "external_id": "turn 1"},
            {"user_message": "c"},
            {"user_message": "b again", "external_id": "turn 2"},
        ],
    )
    assert [receipt.created for receipt in mixed] == [True, False, True, False]
    assert mixed[0].id == mixed[3].id
    assert [turn.text for turn in memory.episodes.list(session="talk").items] == ["The zebra.", "b", "c"]


def test_what_is_there_already_says_how_far_its_index_is(memory: Memory) -> None:
    first = memory.episodes.add("talk", user_message="The zebra.", external_id="turn 1", defer=True)
    again = memory.episodes.add("talk", user_message="The zebra.", external_id="turn 1")
    assert (first.outcome, again.outcome) == (Outcome.INDEX_PENDING, Outcome.INDEX_PENDING)


# A failed save has saved nothing


def _refusals(memory: Memory, known: str) -> dict[str, tuple[type[RicordoError], Callable[[], object]]]:
    facts, episodes, sessions = memory.facts, memory.episodes, memory.sessions
    return {
        "an empty fact": (InvalidInput, lambda: facts.add("   ")),
        "an empty turn": (InvalidInput, lambda: episodes.add("new", user_message=" ")),
        "no turn at all": (InvalidInput, lambda: episodes.add_many("new", [])),
        "an unknown field": (UnknownField, lambda: facts.add("x", colour="blue")),
        "an unknown field of a turn": (UnknownField, lambda: episodes.add("new", user_message="x", text="y")),
        "an unknown change": (UnknownField, lambda: facts.update(known, {"superseded_by": "x"})),
        "one bad among good": (InvalidInput, lambda: facts.add_many([{"content": "x"}, {"content": ""}])),
        "one bad turn among good": (
            InvalidInput,
            lambda: episodes.add_many("new", [{"user_message": "x"}, {"speaker": "Ada"}]),
        ),
        "a confidence beyond one": (InvalidInput, lambda: facts.add("x", confidence=1.5)),
        "no text left": (InvalidInput, lambda: facts.update(known, {"content": ""})),
        "no domain left": (InvalidInput, lambda: facts.update(known, {"domain": None})),
        "an old revision": (StaleRevision, lambda: facts.update(known, {"content": "y"}, revision=7)),
        "too many": (InvalidInput, lambda: facts.add_many([{"content": "x"}] * (MAX_BATCH + 1))),
        "what is no object": (InvalidInput, lambda: facts.add_many(["x"])),  # type: ignore[list-item]
        "a session by an unknown id": (NotFound, lambda: episodes.add(UNKNOWN_SESSION, user_message="x")),
        "a session without a name": (InvalidInput, lambda: episodes.add(" ", user_message="x")),
        "a session that is there": (AlreadyExists, lambda: sessions.create(external_id="talk")),
        "a fact that is not there": (NotFound, lambda: facts.delete("fact-unknown")),
    }


def test_a_refused_save_saves_nothing(memory: Memory) -> None:
    known = memory.remember("The zebra.").id
    memory.episodes.add("talk", user_message="The camel.")
    before = memory.doctor.status()
    for what, (error, attempt) in _refusals(memory, known).items():
        with pytest.raises(error):
            attempt()
        now = memory.doctor.status()
        assert (now.records, now.pending) == (before.records, before.pending), what
        assert memory.facts.get(known).revision == 1, what
    assert memory.upkeep.verify().clean


def test_a_caller_needs_the_permission(memory: Memory) -> None:
    receipt = memory.remember("The zebra.")
    reader = memory.acting_as(Principal(id="reader", permissions=frozenset({Permission.READ})))
    stranger = memory.acting_as(Principal(id="stranger"))
    for attempt in (
        lambda: reader.remember("x"),
        lambda: reader.episodes.add("talk", user_message="x"),
        lambda: reader.sessions.create(name="x"),
        lambda: reader.facts.update(receipt.id, {"content": "x"}),
        lambda: reader.facts.delete(receipt.id),
        lambda: reader.upkeep.rebuild(),
        lambda: reader.upkeep.verify(repair=True),
        lambda: reader.upkeep.retry(),
        lambda: reader.in_workspace("other", create=True),
        lambda: stranger.recall("zebra"),
        lambda: stranger.facts.get(receipt.id),
        lambda: stranger.episodes.list(),
        lambda: stranger.doctor.status(),
        lambda: stranger.workspaces(),
    ):
        with pytest.raises(Forbidden):
            attempt()
    assert reader.recall("zebra").hits[0].id == receipt.id
    assert memory.facts.list().total == 1
    assert len(memory.workspaces()) == 1


def test_a_change_names_its_author(memory: Memory) -> None:
    receipt = memory.remember("The zebra.")
    writers = frozenset({Permission.READ, Permission.WRITE})
    memory.acting_as(Principal(id="ada", permissions=writers)).facts.update(receipt.id, {"topic": "animals"})
    fact = memory.facts.get(receipt.id)
    assert (fact.created_by, fact.updated_by) == ("owner", "ada")
    assert fact.content == "The zebra."
    assert [entry.actor for entry in memory.facts.history(receipt.id).items] == ["ada", "owner"]


def test_a_change_touches_the_named_fields_only(memory: Memory) -> None:
    receipt = memory.facts.add(
        "The zebra.", domain="zoo", topic="animals", tags=["a"], confidence=0.4, veracity="tool",
        valid_until="2999-01-01T00:00:00Z", sources=["s"], agent="scout",
    )  # fmt: skip
    before = memory.facts.get(receipt.id)
    memory.facts.update(receipt.id, {"content": "The camel."})
    after = memory.facts.get(receipt.id)
    changed = {name for name in type(before).model_fields if getattr(before, name) != getattr(after, name)}
    assert changed <= {"content", "revision", "updated_at"}
    assert {"content", "revision"} <= changed


def test_an_embedder_is_asked_once_for_each_text(path: Path) -> None:
    embedder = FailingEmbedder(failing=False)
    with open_memory(path, embedder=embedder) as memory:
        memory.remember("The zebra.")
        memory.upkeep.drain()
        memory.upkeep.rebuild()
        assert embedder.calls == 1
    with open_memory(path, embedder=HashingEmbedder()) as memory:
        assert memory.upkeep.rebuild().embedded == 0
