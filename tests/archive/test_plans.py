"""What is asked often is answered by an index, however large the archive is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from ricordo.archive.contract import ArchiveWriter
from ricordo.records.base import Kind
from ricordo.records.filters import Filters
from ricordo.records.work import Work
from ricordo.records.workspace import Language
from ricordo.testing.samples import START, a_fact, a_session, an_episode, at

from .plans import explained, scans, walks
from .template import open_sqlite

Look = Callable[[ArchiveWriter], Any]


@pytest.fixture(scope="module")
def writer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ArchiveWriter]:
    """A transaction over a few records."""
    archive = open_sqlite(tmp_path_factory.mktemp("plans") / "memory.db")
    workspace = archive.ensure_workspace("tests", Language.ENGLISH, START)
    with archive.write(workspace) as writer:
        heads = [a_session(str(number), external_id=f"name {number}", project="p") for number in range(3)]
        writer.add(Kind.SESSION, heads)
        for head in heads:
            writer.add(
                Kind.EPISODE,
                [an_episode(head, place, speaker="Ada", external_id=str(place)) for place in range(1, 9)],
            )
        nums = writer.add(Kind.FACT, [a_fact(str(number), tags=("a", "b")) for number in range(9)])
        writer.enqueue(Work.EMBED, Kind.FACT, nums, at(0))
    with archive.write(workspace) as writer:
        yield writer
    archive.close()


def _page(kind: Kind, **given: Any) -> Look:
    def look(writer: ArchiveWriter) -> Any:
        first = writer.page(kind, Filters(**given), limit=2, cursor=None)
        return writer.page(kind, Filters(**given), limit=2, cursor=first.next_cursor)

    return look


def _claim(writer: ArchiveWriter) -> None:
    claims = writer.claim(Work.EMBED, owner="a", now=at(1), lease_until=at(2), limit=2)
    writer.fail("a", claims[:1], error="no", next_at=at(3))
    writer.finish("a", claims[1:])


LOOKS: dict[str, Look] = {
    "one by id": lambda writer: writer.get(Kind.EPISODE, "episode-session-1-3"),
    "many by id": lambda writer: writer.get_many(Kind.SESSION, ["session-1", "session-2"]),
    "by number": lambda writer: writer.fetch(Kind.FACT, range(1, 9)),
    "session by name": lambda writer: writer.find_session("name 2"),
    "episodes by name": lambda writer: writer.find_episodes(1, ["1", "2", "x"]),
    "scan": lambda writer: [writer.scan(kind, after=3, limit=2) for kind in Kind],
    "any": lambda writer: [writer.has_any(kind) for kind in Kind],
    "count": lambda writer: [writer.count(kind) for kind in Kind],
    "last turns": lambda writer: writer.last_turns(1, 3),
    "turns around": lambda writer: writer.turns_around(1, 4, 2, 2),
    "turns after": lambda writer: writer.turns_after(1, 4, 2),
    "places": lambda writer: writer.turns(range(1, 20), openings=True),
    "neighbours": lambda writer: writer.adjacent(range(1, 20), 2),
    "speakers": lambda writer: writer.speakers(10),
    "history": lambda writer: writer.history(Kind.FACT, "fact-1", limit=2, cursor=None),
    "pending page": lambda writer: writer.pending(at(1), limit=2, cursor=None),
    "pending count": lambda writer: writer.pending_count(Work.EMBED),
    "claim": _claim,
    "clear work": lambda writer: writer.clear_work(Work.EMBED, Kind.FACT, [1, 2]),
    "sessions": _page(Kind.SESSION),
    "sessions of a project": _page(Kind.SESSION, project="p"),
    "episodes": _page(Kind.EPISODE),
    "episodes of a session": _page(Kind.EPISODE, session="name 1"),
    "episodes of a project": _page(Kind.EPISODE, project="p"),
    "episodes of a speaker": _page(Kind.EPISODE, speaker="Ada"),
    "episodes since": _page(Kind.EPISODE, since=at(0)),
    "facts": _page(Kind.FACT),
    "facts of a domain": _page(Kind.FACT, domain="general"),
    "facts of a topic": _page(Kind.FACT, domain="general", topic="general"),
    "facts with tags": _page(Kind.FACT, tags=("a", "b")),
}


WALKED = {
    "scan", "any", "count", "speakers", "pending page", "pending count", "sessions", "episodes",
    "episodes since", "facts", "facts of a domain", "facts with tags",
}  # fmt: skip
"""Looks that walk along the workspace's records by their nature, or until their page is full."""


@pytest.mark.parametrize("name", sorted(LOOKS.keys() - WALKED))
def test_no_workspace_is_walked(writer: ArchiveWriter, name: str) -> None:
    for statement, plan in explained(writer.handle, lambda: LOOKS[name](writer)):
        assert walks(plan) == [], (statement, plan)


@pytest.mark.parametrize("name", LOOKS)
def test_no_big_table_is_read_whole(writer: ArchiveWriter, name: str) -> None:
    plans = explained(writer.handle, lambda: LOOKS[name](writer))
    assert plans
    for statement, plan in plans:
        assert scans(plan) == [], (statement, plan)


def test_a_change_touches_its_rows_only(writer: ArchiveWriter) -> None:
    def change() -> None:
        stored = writer.get(Kind.FACT, "fact-1")
        assert stored is not None
        writer.replace(stored, stored.record.model_copy(update={"revision": 2}))
        again = writer.get(Kind.FACT, "fact-1")
        assert again is not None
        writer.remove(Kind.FACT, [again], actor="tester", at=at(1))
        writer.remove(Kind.EPISODE, writer.last_turns(1, 1), actor="tester", at=at(1))

    plans = explained(writer.handle, change)
    assert len(plans) > 8
    for statement, plan in plans:
        assert scans(plan) == [], (statement, plan)


def test_the_plans_that_these_tests_read_can_show_a_scan(writer: ArchiveWriter) -> None:
    (plan,) = explained(
        writer.handle,
        lambda: writer.handle.exec_driver_sql("SELECT id FROM facts WHERE content = 'x'").all(),
    )
    assert scans(plan[1])
