"""A fact: what is true, with where it came from and how sure it is."""

from __future__ import annotations

from enum import StrEnum
from typing import ClassVar, Self

from pydantic import Field, model_validator

from ricordo.records.base import MAX_TAGS, Kind, Moment, Name, NonEmptyText, Record, Value


class Veracity(StrEnum):
    """Where a fact's authority comes from."""

    STATED = "stated"
    UNKNOWN = "unknown"
    INFERRED = "inferred"
    IMPORTED = "imported"
    TOOL = "tool"


VERACITY_WEIGHT: dict[Veracity, float] = {
    Veracity.STATED: 1.0,
    Veracity.UNKNOWN: 0.8,
    Veracity.INFERRED: 0.7,
    Veracity.IMPORTED: 0.6,
    Veracity.TOOL: 0.5,
}
"""How much a fact of this veracity weighs, 0..1."""

INITIAL_SHARE = 0.8
"""Share of the weight that a new fact without a confidence of its own starts at."""


class MemoryType(StrEnum):
    """What sort of thing a fact says."""

    FACT = "fact"
    PREFERENCE = "preference"
    DECISION = "decision"
    COMMITMENT = "commitment"
    GOAL = "goal"
    EVENT = "event"
    RELATIONSHIP = "relationship"
    LEARNING = "learning"
    OBSERVATION = "observation"
    ERROR = "error"
    ARTIFACT = "artifact"
    REQUEST = "request"
    INSTRUCTION = "instruction"
    CONTEXT = "context"
    PROFILE = "profile"
    UNKNOWN = "unknown"


def initial_confidence(veracity: Veracity, explicit: float | None) -> float:
    """Confidence (0..1) of a new fact: an explicit one is capped by the veracity's weight."""
    weight = VERACITY_WEIGHT[veracity]
    return INITIAL_SHARE * weight if explicit is None else min(explicit, weight)


class _Interval(Value):
    valid_from: Moment | None = None
    valid_until: Moment | None = None

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.valid_from and self.valid_until and self.valid_until <= self.valid_from:
            raise ValueError("valid_until must be later than valid_from")
        return self


class FactDraft(_Interval):
    """A fact to be added.

    Attributes:
        domain: What it belongs to, e.g. `billing`.
        topic: What it is about within the domain.
        content: The statement.
        confidence: 0..1; capped by the weight of the veracity.
        sources: Ids of the observations or records that it was learned from.
        agent, role: Its author.
        valid_from, valid_until: When it holds in the world; until is exclusive.
    """

    content: NonEmptyText
    domain: Name = "general"
    topic: Name = "general"
    confidence: float | None = Field(default=None, ge=0, le=1)
    memory_type: MemoryType = MemoryType.FACT
    veracity: Veracity = Veracity.STATED
    sources: tuple[Name, ...] = ()
    tags: tuple[Name, ...] = Field(default=(), max_length=MAX_TAGS)
    agent: Name | None = None
    role: Name | None = None


class Fact(Record):
    """A fact as the archive holds it.

    Attributes:
        recorded_at: When the archive learned it.
        superseded_by, superseded_at: Set when a newer fact took its place.
    """

    kind: ClassVar[Kind] = Kind.FACT

    domain: str
    topic: str
    content: str
    confidence: float
    memory_type: MemoryType
    veracity: Veracity
    sources: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    agent: str | None = None
    role: str | None = None
    mention_count: int = 1
    recall_count: int = 0
    last_recalled_at: Moment | None = None
    valid_from: Moment | None = None
    valid_until: Moment | None = None
    recorded_at: Moment
    superseded_by: str | None = None
    superseded_at: Moment | None = None


class FactChanges(_Interval):
    """What may be changed in a fact; only the named fields are."""

    content: NonEmptyText | None = None
    domain: Name | None = None
    topic: Name | None = None
    confidence: float | None = Field(default=None, ge=0, le=1)
    memory_type: MemoryType | None = None
    veracity: Veracity | None = None
    sources: tuple[Name, ...] = ()
    tags: tuple[Name, ...] = Field(default=(), max_length=MAX_TAGS)
