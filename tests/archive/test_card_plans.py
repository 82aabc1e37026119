"""A listing of cards is answered by indexes, whatever it is restricted to and however it is ordered."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import pytest

from ricordo.archive.contract import ArchiveReader
from ricordo.archive.sql import card_listing
from ricordo.records.base import Kind
from ricordo.records.card import CardFilters, CardSort, Dependency, Link
from ricordo.records.workspace import Language
from ricordo.testing.samples import START, a_card, at

from .plans import explained, scans
from .template import open_sqlite

CARDS = 5_000

GIVEN: dict[str, dict[str, Any]] = {
    "nothing": {},
    "family": {"family": "sql_rule"},
    "scope": {"scope": "rare"},
    "origin": {"origin": "manual"},
    "concept": {"concepts": ["many"]},
    "concepts": {"concepts": ["many", "few"]},
    "database": {"database": "shop"},
    "table": {"database": "shop", "table": "t3"},
    "column": {"database": "shop", "schema": "public", "table": "t3", "column": "c"},
    "since": {"updated_from": at(100)},
    "between": {"updated_from": at(100), "updated_until": at(110)},
    "text": {"text": "mem-00"},
}


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ArchiveReader]:
    """A snapshot of a few thousand cards."""
    archive = open_sqlite(tmp_path_factory.mktemp("plans") / "memory.db")
    workspace = archive.ensure_workspace("tests", Language.ENGLISH, START)
    cards = [
        a_card(
            f"{number * 7919 % CARDS:05}",
            number,
            title=f"title {number % 40}",
            scope="rare" if number % 1_000 == 0 else "general",
            concepts=("many", "few") if number % 500 == 0 else ("many",),
            dependencies=(Dependency(database="shop", schema="public", table=f"t{number % 9}", column="c"),),
            links=(Link(target="mem-00000"),) if number % 10 == 9 else (),
        )
        for number in range(CARDS)
    ]
    with archive.write(workspace) as writer:
        writer.add(Kind.CARD, cards)
    with archive.read(workspace) as reader:
        yield reader
    archive.close()


def _filters() -> Iterator[CardFilters]:
    for count in range(4):
        for names in combinations(GIVEN, count):
            given: dict[str, Any] = {}
            for name in names:
                given.update(GIVEN[name])
            yield CardFilters(**given)


def _pages(reader: ArchiveReader, filters: CardFilters, sort: CardSort, *, descending: bool) -> None:
    cursor: str | None = None
    for _ in range(2):
        _, _, cursor = reader.cards.listed(
            filters,
            sort=sort,
            descending=descending,
            limit=20,
            cursor=cursor,
            matching=None if filters.text is None else list(range(1, 4_000)),
        )
        if cursor is None:
            break


def _sorts_many(statement: str, plan: list[str]) -> bool:
    """Whether rows are sorted that are not a short list of numbers."""
    return "json_each" not in statement and any("TEMP B-TREE" in step for step in plan)


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("sort", list(CardSort))
def test_any_listing_uses_indexes(reader: ArchiveReader, sort: CardSort, descending: bool) -> None:
    known: set[str] = set()
    for filters in _filters():
        plans = explained(
            reader.handle, lambda given=filters: _pages(reader, given, sort, descending=descending)
        )
        assert plans
        for statement, plan in plans:
            known.update(plan)
            assert scans(plan) == [], (filters, statement[:500], plan)
            assert not _sorts_many(statement, plan), (filters, statement[:500], plan)
            if "ORDER BY" in statement and "json_each" not in statement:
                assert any(f"ix_cards_by_{sort}" in step for step in plan), (filters, plan)
    assert any("card_sets" in step for step in known)


def test_what_a_recall_and_a_write_ask_uses_indexes(reader: ArchiveReader) -> None:
    def look() -> None:
        nums = list(reader.cards.nums([f"mem-{number:05}" for number in range(50)]).values())
        reader.cards.revisions(nums)
        reader.cards.links_from(nums, per_card=20)
        reader.cards.links_to(nums[0])
        reader.cards.merges(limit=5, cursor=None)
        reader.cards.merge("merge-x")
        reader.fetch(Kind.CARD, nums)
        reader.revision(Kind.CARD, "mem-00001", 1)

    for statement, plan in explained(reader.handle, look):
        assert scans(plan) == [], (statement, plan)


def test_a_change_of_a_card_touches_its_rows_only(reader: ArchiveReader, tmp_path_factory: Any) -> None:
    archive = open_sqlite(tmp_path_factory.mktemp("change") / "memory.db")
    workspace = archive.ensure_workspace("tests", Language.ENGLISH, START)
    links = (Link(target="mem-a"),)
    with archive.write(workspace) as writer:
        writer.add(Kind.CARD, [a_card("a"), a_card("b", links=links, concepts=("x",))])

        def change() -> None:
            stored = writer.get(Kind.CARD, "mem-b")
            assert stored is not None
            body = {"revision": 2, "concepts": ("y",), "scope": "other"}
            writer.replace(stored, stored.record.model_copy(update=body))
            again = writer.get(Kind.CARD, "mem-b")
            assert again is not None
            writer.remove(Kind.CARD, [again], actor="tester", at=at(1))

        plans = explained(writer.handle, change)
    archive.close()
    assert len(plans) > 8
    for statement, plan in plans:
        assert scans(plan) == [], (statement, plan)


def test_what_lies_at_the_end_of_an_order_is_sorted_after_all(
    reader: ArchiveReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The walk along the index is given up, with the same answer."""
    late = list(range(CARDS - 2_500, CARDS + 1))
    order: dict[str, Any] = {"sort": CardSort.CREATED, "descending": False}

    def listed() -> Any:
        return reader.cards.listed(CardFilters(text="x"), **order, limit=30, cursor=None, matching=late)

    answer = listed()
    assert answer[:2] == (late[:30], len(late))
    assert not any("json_each" in statement for statement, _ in explained(reader.handle, listed))
    monkeypatch.setattr(card_listing, "STEP", 10)
    monkeypatch.setattr(card_listing, "FAR", 2_100)
    del late[2_050:]
    assert listed()[0] == answer[0]
    assert any("json_each" in statement for statement, _ in explained(reader.handle, listed))
