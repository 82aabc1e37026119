"""What operations on records of every kind have in common: making, finding, revising and removing."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from ricordo.archive.contract import ArchiveReader, ArchiveWriter, Stored
from ricordo.engine.engine import Bound
from ricordo.engine.validation import name_text, page_limit
from ricordo.errors import NotFound, StaleRevision
from ricordo.records.base import Kind, OneKind, Record, as_kind
from ricordo.records.page import Page
from ricordo.records.receipt import HistoryEntry, Removal


def first_revision(bound: Bound, kind: Kind, now: datetime) -> dict[str, Any]:
    """The fields of `Record` for a new one that this caller makes."""
    return {
        "id": bound.engine.ids(kind),
        "revision": 1,
        "created_at": now,
        "updated_at": now,
        "created_by": bound.principal.id,
        "updated_by": bound.principal.id,
    }


def not_found(kind: Kind, record_id: str) -> NotFound:
    """The error for a record that is not in this workspace."""
    return NotFound(f"There is no {kind} '{record_id}' in this workspace.", id=record_id)


def find(reader: ArchiveReader, of: type[OneKind], record_id: str) -> tuple[Stored, OneKind]:
    """The record with this id, with its number and by itself.

    Raises:
        NotFound: There is none.
    """
    stored = reader.get(of.kind, record_id)
    if stored is None:
        raise not_found(of.kind, record_id)
    return stored, as_kind(stored.record, of)


def read_one(bound: Bound, of: type[OneKind], record_id: str) -> OneKind:
    """The record with this id, from a snapshot of its own.

    Raises:
        NotFound: There is none.
        InvalidInput: The id is no text.
    """
    record_id = name_text(record_id, f"{of.kind}_id")
    with bound.engine.archive.read(bound.workspace) as reader:
        return find(reader, of, record_id)[1]


def read_history(
    bound: Bound, kind: Kind, record_id: str, *, limit: int, cursor: str | None
) -> Page[HistoryEntry]:
    """Revisions of a record, newest first; also of a deleted one.

    Raises:
        NotFound: There never was such a record.
        InvalidInput: The id is no text, or the limit outside 1..1000.
    """
    record_id = name_text(record_id, f"{kind}_id")
    with bound.engine.archive.read(bound.workspace) as reader:
        page = reader.history(kind, record_id, limit=page_limit(limit), cursor=cursor)
    if not page.total:
        raise not_found(kind, record_id)
    return page


def check_revision(record: Record, seen: int | None) -> None:
    """Refuse a change that was made from another revision.

    Raises:
        StaleRevision: The record has moved on.
    """
    if seen is not None and seen != record.revision:
        raise StaleRevision(
            f"'{record.id}' is at revision {record.revision}, not {seen}.",
            cure="Read it again and repeat the change on what it says now.",
            revision=record.revision,
        )


def next_revision(bound: Bound, record: OneKind, named: Mapping[str, Any]) -> OneKind:
    """A record's next revision, made now by this caller, with these checked fields changed."""
    return record.model_copy(
        update={
            **named,
            "revision": record.revision + 1,
            "updated_at": max(bound.engine.clock(), record.created_at),  # a clock may be set back
            "updated_by": bound.principal.id,
        }
    )


def drop(bound: Bound, writer: ArchiveWriter, stored: Stored, *, reason: str | None = None) -> Removal:
    """Remove a record with its parts and projections; its history stays, with one more entry."""
    kind = stored.record.kind
    writer.remove(kind, [stored], actor=bound.principal.id, at=bound.engine.clock(), reason=reason)
    bound.engine.index.unstage(writer, kind, [stored.num])
    return Removal(kind=kind, id=stored.record.id, removed={kind: 1})
