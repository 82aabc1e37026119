"""A card as a line of a file, and what bringing such lines in has done."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from ricordo.records.base import MAX_REVISION, Moment, Name, Value
from ricordo.records.card import CardDraft, Origin

MAX_LEFT_OUT = 100
"""Things left out that a report names; further ones are only counted."""

MAX_IMPORTED_REVISION = MAX_REVISION + 1 - 2**20
"""Highest revision of a card that is brought in, which leaves room for changes; a higher one becomes this."""

CardId = Annotated[str, Field(pattern=r"^mem-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$")]
"""`mem-<uuid>`."""


class CardCopy(CardDraft):
    """A card on its way from one archive to another.

    Attributes:
        id: None for a new card, that was written by hand.
        revision, created_at, updated_at, created_by, updated_by, origin: As they were; what is
            missing is that of a card that the importing principal makes now. A revision over
            `MAX_IMPORTED_REVISION` is brought in as that one.
    """

    id: CardId | None = None
    revision: int = Field(default=1, ge=1, le=MAX_REVISION, strict=True)
    created_at: Moment | None = None
    updated_at: Moment | None = None
    created_by: Name | None = None
    updated_by: Name | None = None
    origin: Origin | None = None


class LeftOutLine(Value):
    """Something of a file that was not brought in.

    Attributes:
        place: Where it stands, such as `line 12`.
        id: Of the card, where there is one.
        reason: Why it was left out.
    """

    place: str
    id: str | None = None
    reason: str


class CardImport(Value):
    """What bringing cards in has done.

    Attributes:
        read: Lines that are not empty.
        added: Cards that were new.
        known: Cards that were there already, as they stand in the file.
        completed: Those that got links which they lacked, besides.
        replaced: Cards that the file's copy was put in place of.
        conflicts: Cards that are here with another content, or were deleted here; left as they are.
        broken: Lines that are no card.
        links_left_out: Links that lead to no card of the workspace, or to the card itself.
        left_out: What was left out and why, at most 100.
        stopped: It was ended early; the same again adds the rest.
    """

    read: int = 0
    added: int = 0
    known: int = 0
    completed: int = 0
    replaced: int = 0
    conflicts: int = 0
    broken: int = 0
    links_left_out: int = 0
    left_out: tuple[LeftOutLine, ...] = ()
    stopped: bool = False
