"""Deferred work as the archive shows it."""

from __future__ import annotations

from enum import StrEnum

from ricordo.records.base import Kind, Moment, Value


class Work(StrEnum):
    """Kinds of deferred work."""

    EMBED = "embed"


class WorkState(StrEnum):
    """Where an item stands."""

    WAITING = "waiting"
    LEASED = "leased"
    BACKING_OFF = "backing_off"
    STUCK = "stuck"


class PendingItem(Value):
    """One piece of work that is not done yet.

    Attributes:
        attempts: How often it was tried.
        next_at: Not tried again before this.
        leased_until: While a process works on it.
        last_error: What the last attempt said.
    """

    num: int
    work: Work
    kind: Kind
    id: str
    state: WorkState
    attempts: int
    queued_at: Moment
    next_at: Moment
    leased_until: Moment | None = None
    last_error: str | None = None


class PendingSummary(Value):
    """Counts of deferred work, by state, and the age of the oldest in seconds."""

    total: int
    by_state: dict[WorkState, int]
    oldest_age_s: float | None = None
