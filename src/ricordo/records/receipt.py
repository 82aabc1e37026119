"""What a write answers."""

from __future__ import annotations

from enum import StrEnum

from ricordo.records.base import Kind, Moment, Value


class Outcome(StrEnum):
    """How far a successful write has come. A write that failed raises and has saved nothing."""

    SEARCHABLE = "saved_and_searchable"
    INDEX_PENDING = "saved_index_pending"


class Receipt(Value):
    """The answer to a write.

    Attributes:
        id: The record's id.
        revision: The revision that the archive holds now.
        outcome: Whether every voice of the index holds this revision already.
        created: False where the record was there before (an external id added again).
        note: Why something is pending or missing, for a person.
    """

    kind: Kind
    id: str
    revision: int
    outcome: Outcome
    created: bool = True
    note: str | None = None


class Removal(Value):
    """The answer to a deletion.

    Attributes:
        removed: Number of records removed, by kind, this one included.
    """

    kind: Kind
    id: str
    removed: dict[Kind, int]


class HistoryEntry(Value):
    """One revision of a record, or its deletion.

    Attributes:
        action: `created`, `updated` or `deleted`.
        body: The record's fields at this revision; for a deletion, the last ones.
    """

    kind: Kind
    id: str
    revision: int
    action: str
    at: Moment
    actor: str
    reason: str | None = None
    body: dict[str, object]
