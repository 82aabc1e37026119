"""The frozen base of every value, the kinds of record, and cleaning of text."""

from __future__ import annotations

import json
import re
import unicodedata
from datetime import UTC, datetime
from enum import StrEnum
from functools import lru_cache
from typing import Annotated, Any, ClassVar, Self, TypeVar

from pydantic import AfterValidator, AwareDatetime, BaseModel, BeforeValidator, ConfigDict, Field

MAX_TEXT_CHARS = 16_000_000
"""Longest text of one field, in characters: larger than any message seen, smaller than a mistake."""

MAX_NAME_CHARS = 512
"""Longest name, label or external id, in characters."""

MAX_BATCH = 10_000
"""Most records of one call: one transaction that others do not wait for too long."""
MAX_REASON_CHARS = 2_000
"""Longest reason of a change: a sentence or two, which every look at the history reads."""

MAX_REVISION = 2**31 - 1
"""Largest number of a revision, everywhere."""

MAX_TAGS = 64
"""Most tags of one record or filter."""


class Kind(StrEnum):
    """Kinds of record."""

    SESSION = "session"
    EPISODE = "episode"
    FACT = "fact"
    CARD = "card"


_set = object.__setattr__


class Value(BaseModel):
    """A frozen value whose unknown fields are an error."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    @classmethod
    def of(cls, **fields: Any) -> Self:
        """The value with these fields, all of them given and checked before.

        As `model_construct`, without its search for defaults and aliases: a bulk save makes
        thousands of records.
        """
        made = cls.__new__(cls)
        given = {name: fields[name] for name in cls.__pydantic_fields__}
        _set(made, "__dict__", given)
        _set(made, "__pydantic_fields_set__", set(given))
        _set(made, "__pydantic_extra__", None)
        _set(made, "__pydantic_private__", None)
        return made


def clean_text(text: str) -> str:
    """Make a text storable everywhere without losing where something stood.

    NUL becomes U+2400 (the visible symbol for it) and each lone surrogate
    U+FFFD; everything else is kept as it is.
    """
    if "\x00" in text:
        text = text.replace("\x00", "\u2400")
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def clean_json(value: Any) -> Any:
    """Clean every text inside a JSON value."""
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, dict):
        return {clean_text(str(key)): clean_json(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [clean_json(item) for item in value]
    return value


def _clean_object(value: Any) -> Any:
    try:
        return clean_json(value)
    except RecursionError as error:
        raise ValueError("is nested too deeply") from error


def _as_json(value: dict[str, Any]) -> dict[str, Any]:
    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise ValueError("must hold nothing but JSON values") from error
    return value


_MARK_RUN = re.compile("([\u0300-\u036f]{30})[\u0300-\u036f]+")
"""Longer runs of marks take time that grows with their square."""


@lru_cache(maxsize=16_384)
def fold_name(name: str) -> str:
    """Fold a name for comparison: NFKC, case and accents folded, white space single.

    Other signs stay, so that `user_1` and `userA1` are different.
    """
    short = name if name.isascii() else _MARK_RUN.sub(r"\1", name)
    decomposed = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", short).casefold())
    bare = "".join(sign for sign in decomposed if not unicodedata.combining(sign))
    return " ".join(unicodedata.normalize("NFC", bare).split())


def clean_value(value: Any) -> Any:
    """A value, cleaned where it is a text; runs before a field of text is checked."""
    return clean_text(value) if isinstance(value, str) else value


def _not_blank(text: str) -> str:
    if not text.strip():
        raise ValueError("must not be empty")
    return text


def _whole(value: Any) -> Any:
    if isinstance(value, str) and len(value) <= MAX_REASON_CHARS:
        try:
            value.encode("utf-8")
        except UnicodeEncodeError as error:
            raise ValueError("holds half a sign (a lone surrogate)") from error
    return value


def _strip(value: Any) -> Any:
    return " ".join(clean_text(value).split()) if isinstance(value, str) else value


def _to_utc(moment: datetime) -> datetime:
    try:
        return moment.astimezone(UTC)
    except OverflowError as error:  # the year 1 east of Greenwich, the year 9999 west of it
        raise ValueError("is before the year 1 or after 9999 in UTC") from error


# The length stands first in each of these: what follows wraps it, and a text is measured in signs, not items.
Text = Annotated[str, Field(max_length=MAX_TEXT_CHARS), BeforeValidator(clean_value)]
"""Free text; may be empty."""

NonEmptyText = Annotated[Text, AfterValidator(_not_blank)]
"""Free text with at least one visible sign."""

Reason = Annotated[
    str,
    Field(strict=True, max_length=MAX_REASON_CHARS),  # first: what follows wraps it
    BeforeValidator(_whole),
    AfterValidator(_not_blank),
    AfterValidator(clean_text),
]
"""Why something was changed; a lone surrogate is refused here, since no person writes one."""

Name = Annotated[str, Field(min_length=1, max_length=MAX_NAME_CHARS), BeforeValidator(_strip)]
"""A name or label: white space folded, not empty."""

Moment = Annotated[AwareDatetime, AfterValidator(_to_utc)]
"""An aware point in time, kept in UTC."""

TokenCount = Annotated[int, Field(ge=0, le=2**31 - 1)]
"""A number of tokens."""

Metadata = Annotated[dict[str, Any], BeforeValidator(_clean_object), AfterValidator(_as_json)]
"""A JSON object of the caller's own."""


class Record(Value):
    """What every record has.

    Attributes:
        id: `<kind>-<uuid>`; never changes.
        revision: Starts at 1 and rises by one at each change.
        created_at: When the archive took it.
        updated_at: When this revision was made.
        created_by: Id of the principal that made it.
        updated_by: Id of the principal that made this revision.
    """

    kind: ClassVar[Kind]

    id: str
    revision: int = 1
    created_at: Moment
    updated_at: Moment
    created_by: str
    updated_by: str


OneKind = TypeVar("OneKind", bound=Record)


def as_kind(record: Record, expected: type[OneKind]) -> OneKind:
    """A record as one of the kind that it must be.

    Raises:
        TypeError: It is of another kind, which is a fault of the program.
    """
    if not isinstance(record, expected):
        raise TypeError(f"{type(record).__name__} is no {expected.__name__.lower()}")
    return record
