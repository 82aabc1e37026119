"""Time and ids, handed in so that tests and imports can set them."""

from __future__ import annotations

import secrets
import uuid
from collections.abc import Callable
from datetime import UTC, datetime

from ricordo.records.base import Kind
from ricordo.records.moment import to_micros

Clock = Callable[[], datetime]
Ids = Callable[[Kind], str]


PREFIXES = {Kind.CARD: "mem"}
"""What ids of a kind begin with, where that is not its name."""


def system_clock() -> datetime:
    """Now, aware, in UTC."""
    return datetime.now(UTC)


def time_ordered_ids(clock: Clock = system_clock) -> Ids:
    """Ids `<kind>-<uuid>` that rise with time (RFC 9562, version 7): indexes then grow at their end."""

    def make(kind: Kind) -> str:
        millis = to_micros(clock()) // 1000 & ((1 << 48) - 1)
        value = (
            (millis << 80) | (0x7 << 76) | (secrets.randbits(12) << 64) | (0b10 << 62) | secrets.randbits(62)
        )
        return f"{PREFIXES.get(kind, kind)}-{uuid.UUID(int=value)}"

    return make
