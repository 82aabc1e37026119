"""From a record to its row and back, for each kind."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Select, Table, func, select

from ricordo.archive import tables
from ricordo.records.base import Kind, Record, fold_name
from ricordo.records.card import Card, CardFamily, Dependency, Link, Origin
from ricordo.records.episode import Episode
from ricordo.records.fact import Fact, MemoryType, Veracity
from ricordo.records.session import Session

COMMON = ("id", "revision", "created_at", "updated_at", "created_by", "updated_by")


def _dump(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _fold(name: str | None) -> str | None:
    return None if name is None else fold_name(name)


def _session_row(record: Session) -> dict[str, Any]:
    return {
        "external_id": record.external_id,
        "name": record.name,
        "project": record.project,
        "project_fold": _fold(record.project),
        "metadata": _dump(record.metadata),
    }


def _session(row: Mapping[str, Any], common: dict[str, Any]) -> Session:
    return Session.of(
        **common,
        external_id=row["external_id"],
        name=row["name"],
        project=row["project"],
        metadata=json.loads(row["metadata"]),
        episode_count=row["episode_count"],
    )


def _episode_row(record: Episode) -> dict[str, Any]:
    return {
        "position": record.position,
        "user_message": record.user_message,
        "assistant_message": record.assistant_message,
        "speaker": record.speaker,
        "speaker_fold": _fold(record.speaker),
        "occurred_at": record.occurred_at,
        "external_id": record.external_id,
        "metadata": _dump(record.metadata) if record.metadata else "{}",
        "user_tokens": record.user_tokens,
        "assistant_tokens": record.assistant_tokens,
    }


def _episode(row: Mapping[str, Any], common: dict[str, Any]) -> Episode:
    return Episode.of(
        **common,
        session_id=row["session_id"],
        position=row["position"],
        user_message=row["user_message"],
        assistant_message=row["assistant_message"],
        speaker=row["speaker"],
        occurred_at=row["occurred_at"],
        external_id=row["external_id"],
        metadata=json.loads(row["metadata"]),
        user_tokens=row["user_tokens"],
        assistant_tokens=row["assistant_tokens"],
    )


_FACT_PLAIN = (
    "domain",
    "topic",
    "content",
    "confidence",
    "agent",
    "role",
    "mention_count",
    "recall_count",
    "last_recalled_at",
    "valid_from",
    "valid_until",
    "recorded_at",
    "superseded_by",
    "superseded_at",
)


def _fact_row(record: Fact) -> dict[str, Any]:
    return {
        **{name: getattr(record, name) for name in _FACT_PLAIN},
        "domain_fold": fold_name(record.domain),
        "topic_fold": fold_name(record.topic),
        "memory_type": str(record.memory_type),
        "veracity": str(record.veracity),
        "sources": _dump(record.sources),
        "tags": _dump(record.tags),
    }


def _fact(row: Mapping[str, Any], common: dict[str, Any]) -> Fact:
    return Fact.of(
        **common,
        **{name: row[name] for name in _FACT_PLAIN},
        memory_type=MemoryType(row["memory_type"]),
        veracity=Veracity(row["veracity"]),
        sources=tuple(json.loads(row["sources"])),
        tags=tuple(json.loads(row["tags"])),
    )


_CARD_PLAIN = ("title", "scope", "content", "question", "sql", "context", "rationale")


def _card_row(record: Card) -> dict[str, Any]:
    return {
        **{name: getattr(record, name) for name in _CARD_PLAIN},
        "family": str(record.family),
        "title_fold": fold_name(record.title),
        "concepts": _dump(record.concepts),
        "dependencies": _dump([item.model_dump(exclude_none=True) for item in record.dependencies]),
        "origin_kind": str(record.origin.kind),
        "origin": _dump(record.origin.model_dump(mode="json", exclude_defaults=True)),
    }


def _card(row: Mapping[str, Any], common: dict[str, Any]) -> Card:
    return Card.model_construct(
        **common,
        **{name: row[name] for name in _CARD_PLAIN},
        family=CardFamily(row["family"]),
        concepts=tuple(json.loads(row["concepts"])),
        dependencies=tuple(Dependency(**item) for item in json.loads(row["dependencies"])),
        links=tuple(Link.model_construct(target=target, meaning=meaning) for target, meaning in row["links"]),
        origin=Origin.model_validate(json.loads(row["origin"])),
    )


@dataclass(frozen=True)
class Shape:
    """How one kind of record lies in its table.

    Attributes:
        extra: Columns that its select adds from other tables.
    """

    table: Table
    model: type[Record]
    to_row: Callable[[Any], dict[str, Any]]
    from_row: Callable[[Mapping[str, Any], dict[str, Any]], Record]
    extra: tuple[ColumnElement[Any], ...] = ()

    def select(self) -> Select[Any]:
        """Everything that a record of this kind is made of."""
        statement = select(*self.table.columns, *self.extra)
        if self.table is tables.episodes:
            return statement.join(tables.sessions, tables.sessions.c.num == tables.episodes.c.session_num)
        return statement

    def record(self, row: Mapping[str, Any]) -> Record:
        """The record of a row of `select()`."""
        return self.from_row(row, {name: row[name] for name in COMMON})


_EPISODE_COUNT = (
    select(func.count())
    .select_from(tables.episodes)
    .where(tables.episodes.c.session_num == tables.sessions.c.num)
    .correlate(tables.sessions)
    .scalar_subquery()
    .label("episode_count")
)

SHAPES: dict[Kind, Shape] = {
    Kind.SESSION: Shape(tables.sessions, Session, _session_row, _session, (_EPISODE_COUNT,)),
    Kind.EPISODE: Shape(
        tables.episodes, Episode, _episode_row, _episode, (tables.sessions.c.id.label("session_id"),)
    ),
    Kind.FACT: Shape(tables.facts, Fact, _fact_row, _fact),
    Kind.CARD: Shape(tables.cards, Card, _card_row, _card),
}
