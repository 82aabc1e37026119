from __future__ import annotations

import itertools
from datetime import UTC, datetime
from pathlib import Path

import pytest

from ricordo.engine.appending import Addition, add_episodes
from ricordo.errors import NotFound
from ricordo.memory import Memory
from ricordo.records.base import Kind
from ricordo.records.episode import Episode, EpisodeDraft
from ricordo.records.session import SessionDraft

from .opening import SetClock, open_memory

TEXTS = (
    "Where is the boat?",
    "In the harbour. " * 60,
    "Is it dry there?",
    "It rains.",
    "word " * 300,
    "Good.",
)
"""Some so long that they take no context, so that a turn after them changes nothing."""


def _addition(session: str, *texts: str, may_make: bool = True) -> Addition:
    drafts = [EpisodeDraft(user_message=text, external_id=f"{place}") for place, text in enumerate(texts)]
    return Addition(SessionDraft(external_id=session), drafts, may_make)


def _entries(memory: Memory) -> list[tuple[object, ...]]:
    engine = memory.episodes.engine
    with engine.archive.read(memory.workspace) as reader:
        nums = engine.index.entry_nums(reader, Kind.EPISODE)
        entries = engine.index.entries(reader, Kind.EPISODE, nums)
    return sorted((entry.own, entry.context) for entry in entries)


def test_turns_of_several_sessions_are_saved_in_order(memory: Memory) -> None:
    additions = [_addition("one", "a", "b"), _addition("two", "c"), _addition("three", "d", "e")]
    answers = add_episodes(memory.episodes, additions, defer=True)
    assert [len(receipts) for receipts in answers] == [2, 1, 2]
    for addition, receipts in zip(additions, answers, strict=True):
        turns = [memory.episodes.get(receipt.id) for receipt in receipts]
        assert [turn.user_message for turn in turns] == [draft.user_message for draft in addition.drafts]
        assert [turn.position for turn in turns] == list(range(1, len(turns) + 1))
    again = add_episodes(memory.episodes, [*additions, _addition("four", "f")], defer=True)
    assert [[receipt.created for receipt in receipts] for receipts in again] == [
        [False, False],
        [False],
        [False, False],
        [True],
    ]
    assert [receipt.id for receipt in again[0]] == [receipt.id for receipt in answers[0]]
    assert memory.upkeep.verify().clean


def test_sessions_are_saved_together_or_not_at_all(memory: Memory) -> None:
    with pytest.raises(NotFound):
        add_episodes(
            memory.episodes, [_addition("one", "a"), _addition("absent", "b", may_make=False)], defer=True
        )
    assert not memory.sessions.list().items
    assert not memory.episodes.list().items


@pytest.mark.parametrize("sizes", [(6,), (1, 1, 1, 1, 1, 1), (2, 3, 1), (5, 1)])
def test_turns_have_the_same_entries_however_they_are_added(tmp_path: Path, sizes: tuple[int, ...]) -> None:
    found = []
    for name, parts in (("whole", (len(TEXTS),)), ("parts", sizes)):
        rest = iter(TEXTS)
        with open_memory(tmp_path / f"{name}.db", clock=SetClock()) as memory:
            for size in parts:
                turns = [{"user_message": text} for text in itertools.islice(rest, size)]
                memory.episodes.add_many("s", turns, defer=True)
            assert memory.upkeep.verify().clean
            found.append(_entries(memory))
    assert found[0] == found[1]


def test_a_record_made_of_checked_fields_is_as_pydantic_makes_it() -> None:
    now = datetime(2024, 3, 1, tzinfo=UTC)
    fields = {
        "id": "episode-1",
        "revision": 1,
        "created_at": now,
        "updated_at": now,
        "created_by": "a",
        "updated_by": "a",
        "session_id": "session-1",
        "position": 1,
        "user_message": "Hello",
        "assistant_message": None,
        "speaker": None,
        "occurred_at": now,
        "external_id": None,
        "metadata": {"a": 1},
        "user_tokens": None,
        "assistant_tokens": None,
    }
    made, checked = Episode.of(**dict(reversed(fields.items()))), Episode(**fields)
    assert made == checked
    assert made.model_dump_json() == checked.model_dump_json()
    assert made.model_fields_set == checked.model_fields_set
    assert repr(made.model_copy(update={"revision": 2})) == repr(checked.model_copy(update={"revision": 2}))
    with pytest.raises(KeyError):
        Episode.of(id="episode-1")
