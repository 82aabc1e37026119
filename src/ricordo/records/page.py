"""Pages of a listing, and the cursor that leads to the next."""

from __future__ import annotations

import base64
import json
from typing import Generic, TypeVar

from ricordo.errors import InvalidCursor
from ricordo.records.base import Value, clean_text

Item = TypeVar("Item")

MAX_PAGE = 1000
"""Most items of one page."""


class Page(Value, Generic[Item]):
    """One page of a listing.

    Attributes:
        items: In the listing's order.
        total: How many the whole listing has.
        next_cursor: Hand it in to get the next page; None at the end.
    """

    items: tuple[Item, ...]
    total: int
    next_cursor: str | None = None


def encode_cursor(listing: str, *position: int | str) -> str:
    """Make an opaque cursor that only this listing accepts."""
    raw = json.dumps([listing, *position], separators=(",", ":"), ensure_ascii=True)
    return base64.urlsafe_b64encode(raw.encode()).decode().rstrip("=")


def decode_cursor(listing: str, cursor: str, shape: tuple[type, ...]) -> tuple[int | str, ...]:
    """Read a cursor back.

    Raises:
        InvalidCursor: It was made by another listing, or by nobody.
    """
    if not isinstance(cursor, str):
        raise InvalidCursor(cure="Start again without a cursor.")
    try:
        raw = base64.urlsafe_b64decode(cursor.encode("ascii") + b"=" * (-len(cursor) % 4))
        name, *position = json.loads(raw)
    except (ValueError, TypeError, RecursionError) as error:
        raise InvalidCursor(cure="Start again without a cursor.") from error
    too_large = any(isinstance(part, int) and abs(part) >= 2**63 for part in position)
    half = any(isinstance(part, str) and clean_text(part) != part for part in position)
    if half or name != listing or [type(part) for part in position] != list(shape) or too_large:
        raise InvalidCursor(cure="Start again without a cursor.")
    return tuple(position)
