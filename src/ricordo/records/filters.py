"""What a recall or a listing is restricted to."""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator

from ricordo.records.base import MAX_TAGS, Moment, Name, Value


class Filters(Value):
    """Restrictions that hold before candidates are chosen; all given ones must hold.

    Attributes:
        session: Id or external id of one session.
        project: Project of the session.
        speaker: Who spoke (case and accents folded).
        domain, topic: Of a fact.
        tags: All of them must be on the fact.
        since, until: When it occurred (an episode) or was recorded (a fact); until is exclusive.
    """

    session: Name | None = None
    project: Name | None = None
    speaker: Name | None = None
    domain: Name | None = None
    topic: Name | None = None
    tags: tuple[Name, ...] = Field(default=(), max_length=MAX_TAGS)
    since: Moment | None = None
    until: Moment | None = None

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.since and self.until and self.until <= self.since:
            raise ValueError("until must be later than since")
        return self
