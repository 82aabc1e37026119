"""Arguments of the operations on cards that are of no use: one error names the field, nothing changes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from ricordo.engine.cards import Cards
from ricordo.errors import InvalidInput
from ricordo.memory import Memory

NO_NUMBERS: tuple[Any, ...] = (None, 0, -1, True, 1.0, "1", [], 10**30)
NO_IDS: tuple[Any, ...] = (None, 7, [], b"mem-1", "x" * 513)

REVISIONS: dict[str, tuple[str, Callable[[Cards, str, Any], Any]]] = {
    "update": ("revision", lambda cards, one, bad: cards.update(one, {"title": "z"}, revision=bad)),
    "restore": ("revision", lambda cards, one, bad: cards.restore(one, bad)),
    "before": ("before", lambda cards, one, bad: cards.compare(one, bad, 1)),
    "after": ("after", lambda cards, one, bad: cards.compare(one, 1, bad)),
    "kept": (
        "kept_revision",
        lambda cards, one, bad: cards.merge(one, "mem-x", kept_revision=bad, merged_revision=1),
    ),
    "merged": (
        "merged_revision",
        lambda cards, one, bad: cards.merge(one, "mem-x", kept_revision=1, merged_revision=bad),
    ),
}

IDS: dict[str, Callable[[Cards, Any], Any]] = {
    "get": lambda cards, bad: cards.get(bad),
    "update": lambda cards, bad: cards.update(bad, {"title": "z"}, revision=1),
    "delete": lambda cards, bad: cards.delete(bad),
    "restore": lambda cards, bad: cards.restore(bad, 1),
    "history": lambda cards, bad: cards.history(bad),
    "compare": lambda cards, bad: cards.compare(bad, 1, 1),
    "look_alikes": lambda cards, bad: cards.look_alikes(bad),
    "retry": lambda cards, bad: cards.retry(bad),
    "undo_merge": lambda cards, bad: cards.undo_merge(bad),
    "kept": lambda cards, bad: cards.merge(bad, "mem-x", kept_revision=1, merged_revision=1),
    "merged": lambda cards, bad: cards.merge("mem-x", bad, kept_revision=1, merged_revision=1),
}

REASONS: dict[str, Callable[[Cards, str, Any], Any]] = {
    "update": lambda cards, one, bad: cards.update(one, {"title": "z"}, revision=1, reason=bad),
    "restore": lambda cards, one, bad: cards.restore(one, 1, reason=bad),
    "merge": lambda cards, one, bad: cards.merge(one, "x", kept_revision=1, merged_revision=1, reason=bad),
}


@pytest.fixture
def card(memory: Memory) -> str:
    return memory.cards.create(family="sql_rule", title="x", content="y", defer=True).id


@pytest.mark.parametrize("name", REVISIONS)
def test_revisions(memory: Memory, card: str, name: str) -> None:
    field, call = REVISIONS[name]
    for bad in NO_NUMBERS:
        with pytest.raises(InvalidInput) as caught:
            call(memory.cards, card, bad)
        assert caught.value.details["field"] == field
    assert memory.cards.history(card).total == 1


@pytest.mark.parametrize("name", IDS)
def test_ids(memory: Memory, name: str) -> None:
    for bad in NO_IDS:
        with pytest.raises(InvalidInput) as caught:
            IDS[name](memory.cards, bad)
        assert caught.value.details["field"] in {"card_id", "merge_id", "kept", "merged"}


@pytest.mark.parametrize("name", REASONS)
def test_reasons(memory: Memory, card: str, name: str) -> None:
    for bad in (7, [], "", "x" * 2_001, "half \ud800"):
        with pytest.raises(InvalidInput) as caught:
            REASONS[name](memory.cards, card, bad)
        assert caught.value.details["field"] == "reason"
    assert memory.cards.history(card).total == 1
