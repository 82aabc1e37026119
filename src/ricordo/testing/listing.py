"""What an archive guarantees of its listings; part of `ricordo.testing.archive.ArchiveConformance`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from ricordo.archive.contract import Archive, Stored
from ricordo.errors import InvalidCursor, InvalidInput
from ricordo.records.base import Kind, Record
from ricordo.records.filters import Filters
from ricordo.records.page import encode_cursor
from ricordo.records.workspace import Workspace
from ricordo.testing.opened import OpenedArchive
from ricordo.testing.samples import a_fact, a_session, an_episode, at, revised

Case = tuple[Kind, dict[str, Any], str, str]

FILTER_CASES: list[Case] = [
    (Kind.SESSION, {"project": "casa"}, "session-blue", "session-red"),
    (Kind.SESSION, {"since": at(10)}, "session-red", "session-blue"),
    (Kind.SESSION, {"until": at(10)}, "session-blue", "session-red"),
    (Kind.EPISODE, {"session": "session-blue"}, "episode-session-blue-1", "episode-session-red-1"),
    (Kind.EPISODE, {"session": "the blue"}, "episode-session-blue-1", "episode-session-red-1"),
    (Kind.EPISODE, {"project": "CASA"}, "episode-session-blue-1", "episode-session-red-1"),
    (Kind.EPISODE, {"speaker": "zoe"}, "episode-session-blue-1", "episode-session-red-1"),
    (Kind.EPISODE, {"since": at(10)}, "episode-session-red-1", "episode-session-blue-1"),
    (Kind.EPISODE, {"until": at(10)}, "episode-session-blue-1", "episode-session-red-1"),
    (Kind.FACT, {"domain": "DÒMUS"}, "fact-blue", "fact-red"),
    (Kind.FACT, {"topic": "user_1"}, "fact-blue", "fact-red"),
    (Kind.FACT, {"tags": ("tetto",)}, "fact-blue", "fact-red"),
    (Kind.FACT, {"tags": ("tetto", "rosso")}, "fact-blue", "fact-red"),
    (Kind.FACT, {"since": at(10)}, "fact-red", "fact-blue"),
    (Kind.FACT, {"until": at(10)}, "fact-blue", "fact-red"),
]
"""Kind, filter, a record that fulfils it, and one that does not."""

STRANGE_FILTERS: list[tuple[Kind, dict[str, Any]]] = [
    (Kind.SESSION, {"speaker": "x"}),
    (Kind.SESSION, {"session": "x"}),
    (Kind.EPISODE, {"domain": "x"}),
    (Kind.EPISODE, {"tags": ("x",)}),
    (Kind.FACT, {"session": "x"}),
    (Kind.FACT, {"project": "x"}),
]

STRANGE_CURSORS = (
    "",
    "rubbish",
    "é",
    "W10",
    "W1tbW1tb" * 20_000,
    encode_cursor("session", 1),
    encode_cursor("fact", "1"),
    encode_cursor("fact", 1, 2),
    encode_cursor("fact"),
    encode_cursor("fact", 2**70),
)


def _fill(archive: Archive, workspace: Workspace) -> None:
    """Two of each kind that differ in all that filters ask for."""
    blue = a_session("blue", 0, external_id="the blue", project="Casa")
    red = a_session("red", 10, project="casa 2")
    with archive.write(workspace) as writer:
        writer.add(Kind.SESSION, [blue, red])
        writer.add(
            Kind.EPISODE, [an_episode(blue, 1, 0, speaker="Zoë"), an_episode(red, 1, 10, speaker="Zoe2")]
        )
        writer.add(
            Kind.FACT,
            [
                a_fact("blue", 0, domain="Domus", topic="user_1", tags=("Rosso", "tetto")),
                a_fact("red", 10, domain="domus 2", topic="userA1", tags=("rosso",)),
            ],
        )


class ListingConformance(OpenedArchive):
    """What an archive guarantees of its listings."""

    def test_filters_hold(self, archive: Archive, workspace: Workspace) -> None:
        """A filter lets through what fulfils it and keeps out what does not, names folded."""
        _fill(archive, workspace)
        with archive.read(workspace) as reader:
            for kind, given, inside, outside in FILTER_CASES:
                everything = reader.page(kind, Filters(), limit=9, cursor=None)
                assert {item.id for item in everything.items} == {inside, outside}
                page = reader.page(kind, Filters(**given), limit=9, cursor=None)
                assert [item.id for item in page.items] == [inside], f"{kind} {given}"
                assert (page.total, page.next_cursor) == (1, None)

    def test_a_filter_that_means_nothing_is_an_error(self, archive: Archive, workspace: Workspace) -> None:
        """A filter that does not apply to the kind is an error, not an empty page."""
        with archive.read(workspace) as reader:
            for kind, given in STRANGE_FILTERS:
                with pytest.raises(InvalidInput):
                    reader.page(kind, Filters(**given), limit=9, cursor=None)

    def test_pages_under_writes(self, archive: Archive, workspace: Workspace) -> None:
        """Pages neither skip nor repeat what was there all along, while others add, change and delete."""
        with archive.write(workspace) as writer:
            nums = writer.add(Kind.FACT, [a_fact(f"{number:02}") for number in range(20)])
        seen: list[str] = []
        cursor: str | None = None
        for turn in range(99):
            with archive.read(workspace) as reader:
                page = reader.page(Kind.FACT, Filters(), limit=3, cursor=cursor)
            seen += [item.id for item in page.items]
            cursor = page.next_cursor
            if cursor is None:
                break
            with archive.write(workspace) as writer:
                gone = writer.fetch(Kind.FACT, [nums[turn]])
                writer.remove(Kind.FACT, _all_stored(gone), actor="tester", at=at(1))
                kept = _all_stored(writer.fetch(Kind.FACT, [nums[-1 - turn]]))
                writer.replace(kept[0], revised(kept[0].record, 2, content="changed"))
                if turn < 3:
                    writer.add(Kind.FACT, [a_fact(f"later {turn}")])
        assert seen == [f"fact-{number:02}" for number in range(20)] + [
            f"fact-later {turn}" for turn in range(3)
        ]

    def test_the_total_is_of_the_whole(self, archive: Archive, workspace: Workspace) -> None:
        """Every page says how many the whole listing has; the last has no cursor."""
        with archive.write(workspace) as writer:
            writer.add(Kind.FACT, [a_fact(str(number)) for number in range(4)])
        with archive.read(workspace) as reader:
            first = reader.page(Kind.FACT, Filters(), limit=2, cursor=None)
            second = reader.page(Kind.FACT, Filters(), limit=2, cursor=first.next_cursor)
            whole = reader.page(Kind.FACT, Filters(), limit=4, cursor=None)
        assert (first.total, second.total, whole.total) == (4, 4, 4)
        assert first.items + second.items == whole.items
        assert second.next_cursor is None
        assert whole.next_cursor is None

    def test_a_strange_cursor_is_refused(self, archive: Archive, workspace: Workspace) -> None:
        """A cursor that this listing has not given out is an error."""
        with archive.read(workspace) as reader:
            for cursor in STRANGE_CURSORS:
                with pytest.raises(InvalidCursor):
                    reader.page(Kind.FACT, Filters(), limit=9, cursor=cursor)
                with pytest.raises(InvalidCursor):
                    reader.pending(at(0), limit=9, cursor=cursor)
                with pytest.raises(InvalidCursor):
                    reader.history(Kind.FACT, "fact-x", limit=9, cursor=cursor)


def _all_stored(found: Mapping[int, Record]) -> list[Stored]:
    return [Stored(num, record) for num, record in found.items()]
