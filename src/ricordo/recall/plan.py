"""What a recall will ask the index for, decided before it is asked."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from functools import lru_cache
from typing import NamedTuple

from ricordo.archive.contract import ArchiveReader
from ricordo.errors import NotFound
from ricordo.index.analysis import Question, ask, fold
from ricordo.index.contract import Where
from ricordo.index.projector import exact_key, filter_key, place_keys
from ricordo.recall.dates import Period, asks_when, periods
from ricordo.recall.profiles import Profile
from ricordo.records.base import Kind
from ricordo.records.filters import FILTERS_OF, Filters
from ricordo.records.moment import to_micros
from ricordo.records.physical import Physical, within
from ricordo.records.workspace import Language

MAX_SPEAKERS = 200
"""Speakers of a workspace whose names are known to a plan."""

UNBOUND = Physical()
"""No place: filters may name any."""

_FIRST_PERSON = re.compile(r"\b(i|my|me|mine|myself|io|mi|mio|mia|miei|mie|me)\b")


class Plan(NamedTuple):
    """A question made ready.

    Attributes:
        asked: Its words, without the names of speakers where others are left.
        where: Conditions, for each kind that can fulfil them and that there is.
        speaker: Folded name of the one speaker that the question names.
        first_person: Whether it names none and is about the one who asks.
        periods: Dates that it names.
        asks_when: Whether it asks for a time.
        limit: Candidates of each voice.
        as_of: The moment at which facts must hold.
    """

    text: str
    profile: Profile
    asked: Question
    where: dict[Kind, Where]
    speaker: str | None
    first_person: bool
    periods: tuple[Period, ...]
    asks_when: bool
    limit: int
    as_of: datetime


def make_plan(
    reader: ArchiveReader,
    text: str,
    profile: Profile,
    filters: Filters,
    *,
    top: int,
    now: datetime,
    as_of: datetime | None,
    bound: Physical = UNBOUND,
    without: Sequence[str] = (),
) -> Plan:
    """Decide what to ask for.

    Args:
        reader: A snapshot of the workspace.
        text: The question.
        profile: Which kinds to look at.
        filters: Restrictions; a kind that cannot fulfil one is not looked at.
        top: How many results are wanted.
        now: The clock.
        as_of: What held then is asked for; None for now.
        bound: The place that filters of cards cannot leave.
        without: Ids of cards that are not wanted.

    Raises:
        NotFound: The session that is named does not exist.
        InvalidInput: A filter leaves the place that the settings bind.
    """
    session_id = _session_id(reader, filters)
    given = filters.given()
    kinds = [kind for kind in profile.kinds if given <= FILTERS_OF[kind]]
    where: dict[Kind, Where] = {
        kind: _where(kind, filters, session_id, now=now, as_of=as_of)
        for kind in kinds
        if kind is not Kind.CARD and reader.has_any(kind)
    }
    if Kind.CARD in kinds:
        place = within(filters, bound)
        if reader.has_any(Kind.CARD):
            where[Kind.CARD] = _where_of_cards(filters, place, tuple(reader.cards.nums(without).values()))
    asked = ask(text, reader.workspace.language)
    named: list[str] = []
    if Kind.EPISODE in where:
        asked, named = _speakers(reader, text, asked)
    return Plan(
        text=text,
        profile=profile,
        asked=asked,
        where=where,
        speaker=named[0] if len(named) == 1 else None,
        first_person=not named and _FIRST_PERSON.search(fold(text)) is not None,
        periods=periods(text),
        asks_when=asks_when(text),
        limit=profile.candidates(top),
        as_of=as_of or now,
    )


def _session_id(reader: ArchiveReader, filters: Filters) -> str | None:
    if filters.session is None:
        return None
    found = reader.find_session(filters.session)
    if found is None:
        raise NotFound(f"There is no session '{filters.session}' in this workspace.", id=filters.session)
    return found.record.id


def _where(
    kind: Kind, filters: Filters, session_id: str | None, *, now: datetime, as_of: datetime | None
) -> Where:
    keys: list[str] = []
    if kind is Kind.EPISODE:
        named = {"session": session_id, "project": filters.project, "speaker": filters.speaker}
    else:
        named = {"domain": filters.domain, "topic": filters.topic}
        keys += [filter_key("tag", tag) for tag in filters.tags]
    keys += [filter_key(name, value) for name, value in named.items() if value is not None]
    # An episode has happened, also where its clock was ahead of ours: only a question about
    # an earlier moment leaves episodes out. A fact must hold at the moment of the question.
    moment = as_of if kind is Kind.EPISODE else as_of or now
    return Where(
        keys=tuple(keys),
        since=None if filters.since is None else to_micros(filters.since),
        until=None if filters.until is None else to_micros(filters.until),
        as_of=None if moment is None else to_micros(moment),
    )


def _where_of_cards(filters: Filters, place: Physical, without: tuple[int, ...]) -> Where:
    keys = [filter_key("concept", concept) for concept in filters.concepts]
    if filters.scope is not None:
        keys.append(exact_key("scope", filters.scope))
    one_of = []
    if filters.family:
        one_of.append(tuple(exact_key("family", family) for family in filters.family))
    if place.database is not None:
        one_of.append(place_keys(place))
    return Where(
        keys=tuple(keys),
        one_of=tuple(one_of),
        without=without,
        since=None if filters.since is None else to_micros(filters.since),
        until=None if filters.until is None else to_micros(filters.until),
    )


def _speakers(reader: ArchiveReader, text: str, asked: Question) -> tuple[Question, list[str]]:
    """Drop the names of speakers from the words, and find those that are named."""
    words = {term.forms for term in asked.terms}
    named: list[str] = []
    name_forms: set[tuple[str, ...]] = set()
    spoken = f" {' '.join(''.join(sign if sign.isalnum() else ' ' for sign in fold(text)).split())} "
    for speaker in reader.speakers(MAX_SPEAKERS):
        name_forms |= _name_forms(speaker, reader.workspace.language) & words
        if any(f" {part} " in spoken for part in speaker.split() if len(part) > 2):
            named.append(speaker)
    left = tuple(term for term in asked.terms if term.forms not in name_forms)
    return (Question(left, asked.plain) if left else asked), named


@lru_cache(maxsize=4096)
def _name_forms(speaker: str, language: Language) -> frozenset[tuple[str, ...]]:
    return frozenset(term.forms for term in ask(speaker, language).terms)
