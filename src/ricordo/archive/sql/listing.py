"""Filters of a listing, as conditions on the tables."""

from __future__ import annotations

from sqlalchemy import ColumnElement, or_, select

from ricordo.archive.tables import cards, episodes, fact_tags, facts, sessions
from ricordo.errors import InvalidInput
from ricordo.records.base import Kind, fold_name
from ricordo.records.filters import FILTERS_OF, Filters


def conditions(kind: Kind, filters: Filters, workspace_num: int) -> list[ColumnElement[bool]]:
    """What a row must fulfil.

    Raises:
        InvalidInput: A filter does not apply to this kind of record.
    """
    applicable = frozenset() if kind is Kind.CARD else FILTERS_OF[kind]  # cards: see `card_listing`
    strange = filters.given() - applicable
    if strange:
        known = ", ".join(sorted(applicable))
        raise InvalidInput(
            f"The filter '{sorted(strange)[0]}' does not apply to records of kind {kind}.",
            cure=f"Use one of: {known}.",
        )
    if kind is Kind.EPISODE:
        return _episode_conditions(filters, workspace_num)
    if kind is Kind.FACT:
        return _fact_conditions(filters, workspace_num)
    if kind is Kind.CARD:
        return [cards.c.workspace_num == workspace_num]
    found: list[ColumnElement[bool]] = [sessions.c.workspace_num == workspace_num]
    if filters.project is not None:
        found.append(sessions.c.project_fold == fold_name(filters.project))
    if filters.since is not None:
        found.append(sessions.c.created_at >= filters.since)
    if filters.until is not None:
        found.append(sessions.c.created_at < filters.until)
    return found


def _episode_conditions(filters: Filters, workspace_num: int) -> list[ColumnElement[bool]]:
    found: list[ColumnElement[bool]] = []
    if filters.session is None and filters.project is None:
        found.append(episodes.c.workspace_num == workspace_num)
    else:  # the sessions are the workspace's; naming it twice makes SQLite walk all of its episodes
        chosen = select(sessions.c.num).where(sessions.c.workspace_num == workspace_num)
        if filters.session is not None:
            named = or_(sessions.c.id == filters.session, sessions.c.external_id == filters.session)
            chosen = chosen.where(named)
        if filters.project is not None:
            chosen = chosen.where(sessions.c.project_fold == fold_name(filters.project))
        found.append(episodes.c.session_num.in_(chosen))
    if filters.speaker is not None:
        found.append(episodes.c.speaker_fold == fold_name(filters.speaker))
    if filters.since is not None:
        found.append(episodes.c.occurred_at >= filters.since)
    if filters.until is not None:
        found.append(episodes.c.occurred_at < filters.until)
    return found


def _fact_conditions(filters: Filters, workspace_num: int) -> list[ColumnElement[bool]]:
    found: list[ColumnElement[bool]] = [facts.c.workspace_num == workspace_num]
    if filters.domain is not None:
        found.append(facts.c.domain_fold == fold_name(filters.domain))
    if filters.topic is not None:
        found.append(facts.c.topic_fold == fold_name(filters.topic))
    for tag in filters.tags:
        tagged = select(fact_tags.c.fact_num).where(
            fact_tags.c.workspace_num == workspace_num, fact_tags.c.tag_fold == fold_name(tag)
        )
        found.append(facts.c.num.in_(tagged))
    if filters.since is not None:
        found.append(facts.c.recorded_at >= filters.since)
    if filters.until is not None:
        found.append(facts.c.recorded_at < filters.until)
    return found
