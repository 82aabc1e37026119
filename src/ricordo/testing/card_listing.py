"""What an archive guarantees of the listing of cards; part of `ricordo.testing.archive`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ricordo.archive.contract import Archive, ArchiveReader
from ricordo.errors import InvalidCursor
from ricordo.records.base import Kind, fold_name
from ricordo.records.card import Card, CardFamily, CardFilters, CardSort, Dependency, Origin, OriginKind
from ricordo.records.page import encode_cursor
from ricordo.records.physical import LEVELS
from ricordo.records.workspace import Language, Workspace
from ricordo.testing.opened import OpenedArchive, must_get
from ricordo.testing.samples import START, a_card, at, revised

NAMES = st.sampled_from(["a", "b"])
PLACES = st.fixed_dictionaries(
    {"database": NAMES}, optional={"schema": NAMES, "table": NAMES, "column": NAMES}
).map(lambda place: place if "table" in place else {k: v for k, v in place.items() if k != "column"})
CONCEPTS = st.lists(st.sampled_from(["VAT", "vat", "Città", "sales"]), max_size=2)
SCOPES = st.sampled_from(["general", "General", "finance"])
FAMILIES = st.sampled_from([CardFamily.SQL_RULE, CardFamily.EXPLAINED_ERROR])
ORIGINS = st.sampled_from(list(OriginKind))
MINUTES = st.integers(0, 3)

CHANGED = ("title", "family", "scope", "concepts", "dependencies")
WORKFLOW = Origin(kind=OriginKind.WORKFLOW, session="s", decisions=(1,), reviewer="r")


@st.composite
def some_cards(draw: st.DrawFn) -> list[Card]:
    """A few cards that share what they can be listed by."""
    cards = []
    for number in range(draw(st.integers(0, 9))):
        fields: dict[str, Any] = {
            "title": draw(st.sampled_from(["Zoe", "Zoë", "apple", "Éclair"])),
            "family": draw(FAMILIES),
            "scope": draw(SCOPES),
            "concepts": tuple(draw(CONCEPTS)),
            "dependencies": tuple(Dependency(**place) for place in draw(st.lists(PLACES, max_size=2))),
            "rationale": "because",
        }
        if draw(st.booleans()):
            fields["origin"] = WORKFLOW
        cards.append(a_card(f"{number * 7 % 10}{number}", draw(MINUTES), **fields))
    return cards


FILTERS = st.builds(
    lambda place, given: CardFilters(**place, **{name: value for name, value in given.items() if value}),
    st.one_of(st.just({}), PLACES),
    st.fixed_dictionaries(
        {},
        optional={
            "family": FAMILIES,
            "scope": SCOPES,
            "concepts": CONCEPTS,
            "origin": ORIGINS,
            "updated_from": st.sampled_from([at(1), at(2)]),
            "updated_until": st.sampled_from([at(3), at(4)]),
        },
    ),
)


def fulfils(card: Card, filters: CardFilters) -> bool:
    """Whether a card belongs to a listing, in plain Python."""
    place = {level: getattr(filters, level) for level in LEVELS if getattr(filters, level) is not None}
    return (
        filters.family in (None, card.family)
        and filters.scope in (None, card.scope)
        and filters.origin in (None, card.origin.kind)
        and {fold_name(name) for name in filters.concepts} <= {fold_name(name) for name in card.concepts}
        and (filters.updated_from is None or card.updated_at >= filters.updated_from)
        and (filters.updated_until is None or card.updated_at < filters.updated_until)
        and (
            not place
            or any(
                all(getattr(dependency, level) == name for level, name in place.items())
                for dependency in card.dependencies
            )
        )
    )


def listed(cards: Sequence[Card], filters: CardFilters, sort: CardSort, *, descending: bool) -> list[str]:
    """Ids of a whole listing, in plain Python."""

    def key(card: Card) -> tuple[Any, str]:
        keys = {
            CardSort.CREATED: card.created_at,
            CardSort.UPDATED: card.updated_at,
            CardSort.TITLE: fold_name(card.title),
        }
        return keys[sort], card.id

    found = sorted((card for card in cards if fulfils(card, filters)), key=key, reverse=descending)
    return [card.id for card in found]


def paged(
    reader: ArchiveReader,
    filters: CardFilters,
    limit: int,
    matching: list[int] | None = None,
    *,
    sort: CardSort = CardSort.TITLE,
    descending: bool = False,
) -> tuple[list[str], set[int]]:
    """Ids of all pages of a listing, and the totals that they gave."""
    found: list[str] = []
    totals: set[int] = set()
    cursor: str | None = None
    while True:
        nums, total, cursor = reader.cards.listed(
            filters, limit=limit, cursor=cursor, matching=matching, sort=sort, descending=descending
        )
        assert len(nums) <= limit
        records = reader.fetch(Kind.CARD, nums)
        found += [records[num].id for num in nums]
        totals.add(total)
        if cursor is None:
            return found, totals


class CardListingConformance(OpenedArchive):
    """Cards are listed as plain Python would list them."""

    @settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(
        cards=some_cards(),
        changes=st.lists(st.tuples(st.integers(0, 8), some_cards()), max_size=2),
        gone=st.sets(st.integers(0, 8), max_size=2),
        filters=st.lists(FILTERS, min_size=1, max_size=4),
        sort=st.sampled_from(list(CardSort)),
        descending=st.booleans(),
        limit=st.integers(1, 5),
    )
    def test_any_listing_of_cards(
        self,
        archive: Archive,
        cards: list[Card],
        changes: list[tuple[int, list[Card]]],
        gone: set[int],
        filters: list[CardFilters],
        sort: CardSort,
        descending: bool,
        limit: int,
    ) -> None:
        """All filters together, each order, each page size; after edits and deletions too."""
        name = f"listing {sum(1 for _ in archive.workspaces())}"
        workspace = archive.ensure_workspace(name, Language.ENGLISH, START)
        with archive.write(workspace) as writer:
            writer.add(Kind.CARD, cards)
            held = {card.id: card for card in cards}
            for place, drawn in changes:
                if place < len(cards) and drawn:
                    stored = must_get(writer, Kind.CARD, cards[place].id)
                    fields = {name: getattr(drawn[0], name) for name in CHANGED}
                    held[stored.record.id] = revised(stored.record, 3, **fields)
                    writer.replace(stored, held[stored.record.id])
            for place in gone:
                if place < len(cards):
                    stored = must_get(writer, Kind.CARD, cards[place].id)
                    writer.remove(Kind.CARD, [stored], actor="tester", at=at(9))
                    del held[stored.record.id]
        with archive.read(workspace) as reader:
            for wanted in (CardFilters(), *filters):
                expected = listed(list(held.values()), wanted, sort, descending=descending)
                found, totals = paged(reader, wanted, limit, sort=sort, descending=descending)
                assert found == expected, wanted
                assert totals == {len(expected)}

    def test_a_listing_of_many_cards(self, archive: Archive, workspace: Workspace) -> None:
        """Thousands of cards, of which many, few or none fulfil the filters, in whichever order."""
        cards = [
            a_card(
                f"{number * 7919 % 10_000:05}",
                number,
                title=f"{'late' if number > 5_000 else 'early'} {number % 9}",
                scope="rare" if number % 2_500 == 1 else "general",
                concepts=("all", "half") if number % 2 else ("all",),
                dependencies=(Dependency(database="shop", table=f"t{number % 50}"),),
            )
            for number in range(6_000)
        ]
        with archive.write(workspace) as writer:
            writer.add(Kind.CARD, cards)
        with archive.read(workspace) as reader:
            for wanted in (
                CardFilters(),
                CardFilters(concepts=("all", "half")),
                CardFilters(concepts=("half",), scope="rare"),
                CardFilters(database="shop", table="t7"),
                CardFilters(database="shop", updated_from=at(3_000)),
                CardFilters(updated_from=at(5_990)),
                CardFilters(concepts=("none",), database="shop"),
            ):
                for sort in CardSort:
                    for descending in (False, True):
                        expected = listed(cards, wanted, sort, descending=descending)
                        order: dict[str, Any] = {"sort": sort, "descending": descending}
                        nums, total, cursor = reader.cards.listed(
                            wanted, **order, limit=20, cursor=None, matching=None
                        )
                        found = list(nums)
                        if cursor is not None:
                            more, _, _ = reader.cards.listed(
                                wanted, **order, limit=20, cursor=cursor, matching=None
                            )
                            found += more
                        records = reader.fetch(Kind.CARD, found)
                        assert [records[num].id for num in found] == expected[:40], (wanted, sort)
                        assert total == len(expected)

    def test_a_listing_by_words_or_id(self, archive: Archive, workspace: Workspace) -> None:
        """What the words match, and what the text begins the id of; within the other filters."""
        cards = [a_card(name, scope=scope) for name, scope in (("ab", "x"), ("ac", "x"), ("bc", "y"))]
        order: dict[str, Any] = {"sort": CardSort.TITLE, "descending": False}
        with archive.write(workspace) as writer:
            nums = list(writer.add(Kind.CARD, cards))
            for text, matching, expected in (
                ("word", [nums[2], nums[0]], ["mem-ab", "mem-bc"]),
                ("mem-a", [], ["mem-ab", "mem-ac"]),
                ("mem-a", [nums[2]], ["mem-ab", "mem-ac", "mem-bc"]),
                (" mem-ac ", [], ["mem-ac"]),
                ("mem-", [], ["mem-ab", "mem-ac", "mem-bc"]),
                ("mem-%", [], []),
                ("word", [], []),
            ):
                assert paged(writer, CardFilters(text=text), 2, sorted(matching), **order)[0] == expected
            only = CardFilters(text="mem-", scope="x")
            assert paged(writer, only, 5, [], **order)[0] == ["mem-ab", "mem-ac"]

    def test_a_cursor_belongs_to_its_listing(self, archive: Archive, workspace: Workspace) -> None:
        """A cursor of another order, or of nobody, is refused."""
        with archive.write(workspace) as writer:
            writer.add(Kind.CARD, [a_card(name) for name in "abc"])
            _, _, cursor = writer.cards.listed(
                CardFilters(), sort=CardSort.TITLE, descending=False, limit=1, cursor=None, matching=None
            )
            for sort, descending, wrong in (
                (CardSort.CREATED, False, cursor),
                (CardSort.TITLE, True, cursor),
                (CardSort.TITLE, False, "x"),
                (CardSort.CREATED, False, encode_cursor("card:created:asc", 1, "\ud800")),
                (CardSort.TITLE, False, encode_cursor("card:title:asc", "\ud800", "x")),
            ):
                with pytest.raises(InvalidCursor):
                    writer.cards.listed(
                        CardFilters(), sort=sort, descending=descending, limit=1, cursor=wrong, matching=None
                    )

    def test_another_workspace_is_not_listed(self, archive: Archive, workspace: Workspace) -> None:
        """Neither its cards nor their sets."""
        other = archive.ensure_workspace("other", Language.ENGLISH, START)
        for place, name in ((workspace, "mine"), (other, "theirs")):
            with archive.write(place) as writer:
                writer.add(Kind.CARD, [a_card(name, concepts=("vat",))])
        order: dict[str, Any] = {"sort": CardSort.CREATED, "descending": False}
        with archive.read(workspace) as reader:
            for wanted in (CardFilters(), CardFilters(concepts=("vat",)), CardFilters(text="mem-")):
                matching: list[int] | None = [] if wanted.text else None
                assert paged(reader, wanted, 9, matching, **order) == (["mem-mine"], {1})
