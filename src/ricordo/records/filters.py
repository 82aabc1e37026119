"""What a recall or a listing is restricted to."""

from __future__ import annotations

from typing import Annotated, Any, Self

from pydantic import BeforeValidator, Field, model_validator

from ricordo.records.base import MAX_TAGS, Kind, Moment, Name
from ricordo.records.card import CardFamily, Concepts
from ricordo.records.physical import LEVELS, Physical


def _listed(value: Any) -> Any:
    return (value,) if isinstance(value, str) else value


Families = Annotated[tuple[CardFamily, ...], Field(max_length=len(CardFamily)), BeforeValidator(_listed)]
"""Families of cards; one may be given without a list."""


class CardRestrictions(Physical):
    """Restrictions of a search of cards, which hold before candidates are chosen; all must hold.

    Attributes:
        family: One or several.
        scope: Compared exactly.
        concepts: All of them must be on the card.
        database, schema, table, column: A place in a database that the card must apply to; what the
            settings bind may be left out.
        since, until: When it was last changed; until is exclusive.
    """

    family: Families = ()
    scope: Name | None = None
    concepts: Concepts = ()
    since: Moment | None = None
    until: Moment | None = None

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.since and self.until and self.until <= self.since:
            raise ValueError("until must be later than since")
        return self


class Filters(CardRestrictions):
    """Restrictions that hold before candidates are chosen; all given ones must hold.

    Attributes:
        session: Id or external id of one session.
        project: Project of the session.
        speaker: Who spoke (case and accents folded).
        domain, topic: Of a fact.
        tags: All of them must be on the fact.
        family: Of a card; one or several.
        scope: Of a card; compared exactly.
        concepts: All of them must be on the card.
        database, schema, table, column: A place in a database that the card must apply to.
        since, until: When it occurred (an episode), was recorded (a fact) or last changed (a card);
            until is exclusive.
    """

    session: Name | None = None
    project: Name | None = None
    speaker: Name | None = None
    domain: Name | None = None
    topic: Name | None = None
    tags: tuple[Name, ...] = Field(default=(), max_length=MAX_TAGS)

    def given(self) -> set[str]:
        """Names of those that are set."""
        return {name for name in Filters.model_fields if getattr(self, name) not in (None, ())}


FILTERS_OF: dict[Kind, frozenset[str]] = {
    Kind.SESSION: frozenset({"project", "since", "until"}),
    Kind.EPISODE: frozenset({"session", "project", "speaker", "since", "until"}),
    Kind.FACT: frozenset({"domain", "topic", "tags", "since", "until"}),
    Kind.CARD: frozenset({"family", "scope", "concepts", *LEVELS, "since", "until"}),
}
"""The filters that mean something for each kind of record."""
