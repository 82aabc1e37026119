"""Time and ids, handed in so that tests and imports can set them."""

from __future__ import annotations

import os
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
        drawn = int.from_bytes(os.urandom(10))
        value = (millis << 80) | (0x7 << 76) | (drawn >> 68 << 64) | (0b10 << 62) | (drawn & ((1 << 62) - 1))
        digits = f"{value:032x}"
        begin = PREFIXES.get(kind, kind)
        return f"{begin}-{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"

    return make
