"""Keyword entries that another version has made are not recalled until they are made anew."""

from __future__ import annotations

from pathlib import Path

import pytest

from ricordo import Memory
from ricordo.errors import IndexDamaged

RULE = {"family": "sql_rule", "title": "Refunds", "content": "Subtract refunds from revenue."}


def _age(memory: Memory, kind: str, where: str = "1") -> None:
    """Give entries the format of another version."""
    with memory._engine.archive.write(memory.workspace) as writer:
        writer.handle.exec_driver_sql(f"UPDATE lexical_1_{kind} SET format = 7 WHERE {where}")


@pytest.mark.parametrize("kind", ["card", "fact"])
def test_they_are_named_and_made_anew(tmp_path: Path, kind: str) -> None:
    with Memory.open(tmp_path / "memory.db", embedder="none") as memory:
        made = memory.cards.create(**RULE) if kind == "card" else memory.remember("Refunds lower revenue.")
        assert [hit.id for hit in memory.recall("refunds revenue", kinds=[kind]).hits] == [made.id]
        _age(memory, kind)
        with pytest.raises(IndexDamaged, match="ricordo index"):
            memory.recall("refunds revenue", kinds=[kind])
        assert memory.upkeep.verify().stale == 1
        assert memory.upkeep.rebuild().rewritten == 1
        assert [hit.id for hit in memory.recall("refunds revenue", kinds=[kind]).hits] == [made.id]


def test_those_that_are_right_answer_meanwhile(tmp_path: Path) -> None:
    """Where a rebuild was interrupted, old entries are no results, and no bridges to others."""
    with Memory.open(tmp_path / "memory.db", embedder="none") as memory:
        far = memory.cards.create(family="sql_rule", title="Far", content="Ends here.").id
        old = memory.cards.create(
            family="sql_rule", title="Old", content="Bridge.", links=[{"target": far}]
        ).id
        near = memory.cards.create(**RULE, links=[{"target": old}]).id
        assert {hit.id for hit in memory.cards.search("refunds").hits} == {near, old, far}
        _age(memory, "card", "own LIKE '%bridg%'")
        assert [hit.id for hit in memory.cards.search("refunds").hits] == [near]
        memory.upkeep.rebuild()
        assert {hit.id for hit in memory.cards.search("refunds").hits} == {near, old, far}
