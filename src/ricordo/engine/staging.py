"""Projections of what is saved. The words of an episode are also the context of the turns around it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ricordo.archive.contract import ArchiveReader, ArchiveWriter, Stored
from ricordo.engine.engine import Bound
from ricordo.index.contract import Index, Projection
from ricordo.index.projector import (
    TURNS_AFTER,
    TURNS_BEFORE,
    Neighbourhood,
    project_card,
    project_episode,
    project_fact,
)
from ricordo.records.base import Kind, as_kind
from ricordo.records.card import Card
from ricordo.records.episode import Episode
from ricordo.records.fact import Fact
from ricordo.records.session import Session
from ricordo.records.workspace import Language

TAIL = TURNS_BEFORE + TURNS_AFTER
"""Turns at a session's end that a new turn's projection, or its effect on others, depends on."""


def project_turns(
    session: Session, turns: Sequence[Stored], wanted: Iterable[int], analyses: Neighbourhood
) -> list[Projection]:
    """Projections of some turns of a session.

    Args:
        session: The session.
        turns: Turns in order without gaps, reaching far enough around the wanted ones.
        wanted: Places in `turns`.
        analyses: Holds what has been analysed already.
    """
    episodes = [as_kind(stored.record, Episode) for stored in turns]
    return [
        project_episode(
            turns[place].num,
            episodes[place],
            session,
            (episodes[max(0, place - TURNS_BEFORE) : place], episodes[place + 1 : place + 1 + TURNS_AFTER]),
            analyses,
        )
        for place in wanted
    ]


class Appended(NamedTuple):
    """Turns added at the end of a session.

    Attributes:
        tail: The `TAIL` turns before them, in order, as far as there are so many.
    """

    session: Session
    tail: Sequence[Stored]
    added: Sequence[Stored]


def stage_appended(index: Index, writer: ArchiveWriter, appended: Sequence[Appended]) -> None:
    """Stage turns added at the end of sessions, and what they change before them."""
    fresh: list[Projection] = []
    changed: list[Projection] = []
    for session, tail, added in appended:
        turns = [*tail, *added]
        analyses = Neighbourhood(writer.workspace.language)
        fresh += project_turns(session, turns, range(len(tail), len(turns)), analyses)
        touched = range(max(0, len(tail) - TURNS_AFTER), len(tail))
        before = project_turns(session, tail, touched, analyses)
        after = project_turns(session, turns, touched, analyses)
        changed += [new for old, new in zip(before, after, strict=True) if new != old]
    index.stage(writer, fresh, fresh=True)
    if changed:
        index.restage(writer, changed)


def restage_around(
    index: Index, writer: ArchiveWriter, session: Stored, position: int, *, changed: int | None
) -> None:
    """Stage the turns whose context holds the words of a place that was changed or emptied.

    Args:
        index: The index.
        writer: The archive's open transaction.
        session: The place's session.
        position: The place.
        changed: Number of the episode that stands there with new words, or None if it is gone.
    """
    turns = list(writer.turns_around(session.num, position, TAIL if changed is None else TAIL + 1, TAIL))
    analyses = Neighbourhood(writer.workspace.language)
    places = [as_kind(turn.record, Episode).position for turn in turns]
    before = [place for place, there in enumerate(places) if there < position]
    after = [place for place, there in enumerate(places) if there > position]
    head = as_kind(session.record, Session)
    near = before[-TURNS_AFTER:] + after[:TURNS_BEFORE]
    index.restage(writer, project_turns(head, turns, near, analyses))
    if changed is not None:
        here = [place for place, turn in enumerate(turns) if turn.num == changed]
        index.stage(writer, project_turns(head, turns, here, analyses), fresh=False)


def session_projections(
    reader: ArchiveReader, session: Stored, *, chunk: int = 500
) -> Iterable[list[Projection]]:
    """Projections of all turns of a session, in chunks."""
    head = as_kind(session.record, Session)
    analyses = Neighbourhood(reader.workspace.language)
    before: list[Stored] = []
    place = 0
    while True:
        ahead = list(reader.turns_after(session.num, place, chunk + TURNS_AFTER))
        mine = ahead[:chunk]
        if not mine:
            return
        turns = before + ahead
        yield project_turns(head, turns, range(len(before), len(before) + len(mine)), analyses)
        place = as_kind(mine[-1].record, Episode).position
        before = (before + mine)[-TURNS_BEFORE:]
        analyses = Neighbourhood(reader.workspace.language)


def project_alone(stored: Sequence[Stored], language: Language) -> list[Projection]:
    """Projections of records that need nothing of what stands around them: facts and cards."""
    found = []
    for num, record in stored:
        if isinstance(record, Fact):
            found.append(project_fact(num, record, language))
        elif isinstance(record, Card):
            found.append(project_card(num, record, language))
    return found


def stage_alone(bound: Bound, writer: ArchiveWriter, saved: Sequence[Stored], *, fresh: bool) -> bool:
    """Stage facts or cards, all of one kind, and queue their vectors.

    Args:
        bound: Workspace and caller.
        writer: The archive's open transaction.
        saved: What it has saved; at least one.
        fresh: They are new.

    Returns:
        Whether vectors were queued.
    """
    engine = bound.engine
    engine.index.stage(writer, project_alone(saved, bound.workspace.language), fresh=fresh)
    return engine.queue_vectors(writer, saved[0].record.kind, [item.num for item in saved], fresh=fresh)


def projections_of(reader: ArchiveReader, kind: Kind, nums: Sequence[int]) -> list[Projection]:
    """Projections of these records and of what stands around them, as the reader sees them."""
    records = [Stored(num, record) for num, record in reader.fetch(kind, nums).items()]
    if kind is not Kind.EPISODE:
        return project_alone(records, reader.workspace.language)
    analyses = Neighbourhood(reader.workspace.language)
    sessions = reader.get_many(Kind.SESSION, {as_kind(one.record, Episode).session_id for one in records})
    found: list[Projection] = []
    for stored in records:
        episode = as_kind(stored.record, Episode)
        session = sessions[episode.session_id]
        turns = reader.turns_around(session.num, episode.position, TURNS_BEFORE, TURNS_AFTER)
        here = [place for place, turn in enumerate(turns) if turn.num == stored.num]
        found += project_turns(as_kind(session.record, Session), turns, here, analyses)
    return found
