"""What the history of cards keeps when other cards go, and what a merge may touch."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ricordo import Memory
from ricordo.errors import InvalidInput
from ricordo.settings import Settings


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory.open(tmp_path / "memory.db", embedder="none") as opened:
        yield opened


def _card(memory: Memory, title: str, **fields: Any) -> str:
    return memory.cards.create(family="sql_rule", title=title, content=f"Guidance of {title}.", **fields).id


def _links(memory: Memory, card_id: str) -> list[tuple[str, str]]:
    return [(link.target, link.meaning) for link in memory.cards.get(card_id).links]


def test_a_link_to_a_deleted_card_stays_in_the_history(memory: Memory) -> None:
    """The linking card gets a revision of its own, and can be brought back to the one with the link."""
    target = _card(memory, "target")
    source = _card(memory, "source", links=[{"target": target, "meaning": "refines"}])
    memory.cards.delete(target, reason="no longer so")
    assert _links(memory, source) == []
    newest, first = memory.cards.history(source).items
    assert (newest.revision, newest.reason) == (2, f"{target} was deleted")
    assert first.body["links"] == [{"target": target, "meaning": "refines"}]
    assert memory.cards.history(target).items[0].reason == "no longer so"
    assert [hit.id for hit in memory.cards.search("guidance of source").hits] == [source]
    note = memory.cards.restore(source, 1).note
    assert note is not None
    assert "1 cards that are gone" in note
    memory.cards.restore(target, 1, reason="still so")
    assert memory.cards.history(target).items[0].reason == "still so"
    memory.cards.restore(source, 1)
    assert _links(memory, source) == [(target, "refines")]
    assert memory.upkeep.verify().stale == 0


def test_an_undone_merge_leaves_later_decisions_alone(memory: Memory) -> None:
    """A link that a person has removed since the merge does not come back with its undoing."""
    kept, merged = _card(memory, "kept"), _card(memory, "merged")
    free = _card(memory, "free", links=[{"target": merged, "meaning": "refines"}])
    led = _card(memory, "led", links=[{"target": merged, "meaning": "example_of"}])
    merge = memory.cards.merge(kept, merged, kept_revision=1, merged_revision=1, reason="the same").merge
    assert _links(memory, free) == [(kept, "refines")]
    assert merge.id in (memory.cards.history(merged).items[0].reason or "")
    memory.cards.update(free, {"links": []}, revision=2)
    memory.cards.undo_merge(merge.id)
    assert _links(memory, free) == []
    assert _links(memory, led) == [(merged, "example_of")]
    assert memory.cards.history(led).items[0].reason == f"merge {merge.id} undone"


def test_merges_are_undone_in_reverse_order(memory: Memory) -> None:
    """The undoing of a later merge does not stand in the way of an earlier one."""
    one, two, three = _card(memory, "one"), _card(memory, "two"), _card(memory, "three")
    inner = memory.cards.merge(two, three, kept_revision=1, merged_revision=1).merge
    outer = memory.cards.merge(one, two, kept_revision=1, merged_revision=2).merge
    memory.cards.undo_merge(outer.id)
    memory.cards.undo_merge(inner.id)
    titles = {card.title for card in memory.cards.list().items}
    assert titles == {"one", "two", "three"}


def test_what_the_settings_bind_is_filled_in(tmp_path: Path) -> None:
    """A filter may leave the bound database out, in a search and in a list; it can leave it in neither."""
    settings = Settings(path=tmp_path / "memory.db", embedder="none", database="shop")
    with Memory.open(settings=settings) as memory:
        inside = _card(memory, "orders", dependencies=[{"database": "shop", "table": "orders"}])
        _card(memory, "others", dependencies=[{"database": "hr", "table": "orders"}])
        found = memory.cards.search("guidance", filters={"table": "orders"}).hits
        assert [hit.id for hit in found] == [inside]
        assert [card.id for card in memory.cards.list({"table": "orders"}).items] == [inside]
        for ask in (memory.cards.list, lambda filters: memory.cards.search("x", filters=filters)):
            with pytest.raises(InvalidInput, match="bind 'shop'"):
                ask({"database": "hr"})
    with Memory.open(tmp_path / "memory.db", embedder="none") as memory:
        for ask in (memory.cards.list, lambda filters: memory.cards.search("x", filters=filters)):
            with pytest.raises(InvalidInput, match="'table' needs its database"):
                ask({"table": "orders"})
