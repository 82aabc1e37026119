"""Times as conversations write them down."""

from __future__ import annotations

import re
from datetime import UTC, datetime, tzinfo
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from ricordo.errors import InvalidInput
from ricordo.records.months import ENGLISH_MONTHS

_SPOKEN = re.compile(
    r"(?P<hour>\d{1,2}):(?P<minute>\d\d)\s*(?P<half>[ap])\.?m\.?\s+on\s+"
    r"(?P<day>\d{1,2})\s+(?P<month>[a-z]+),?\s+(?P<year>\d{4})",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"-?\d{1,20}(\.\d{1,9})?")

MILLISECONDS_FROM = 1e11
MICROSECONDS_FROM = 1e14
"""A number of seconds since 1970 is smaller than the first until the year 5138."""


def zone_named(name: str) -> tzinfo:
    """The time zone with this name.

    Raises:
        InvalidInput: There is none.
    """
    if name.upper() in {"UTC", "Z"}:
        return UTC
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise InvalidInput(
            f"There is no time zone '{name}'.", cure="Use a name such as Europe/Rome.", field="timezone"
        ) from error


def read_moment(value: Any, zone: tzinfo) -> datetime | None:
    """The time that a value stands for, in UTC, or None where it stands for none.

    Args:
        value: ISO 8601, seconds or milliseconds since 1970, or `1:56 pm on 8 May, 2023`.
        zone: Where a time without an offset was written down.
    """
    if isinstance(value, bool) or value is None:
        return None
    try:
        moment = _read(value)
        if moment is None:
            return None
        return (moment if moment.tzinfo else moment.replace(tzinfo=zone)).astimezone(UTC)
    except (ValueError, OverflowError, OSError):
        return None


def _read(value: Any) -> datetime | None:
    if isinstance(value, int | float):
        return _since_1970(float(value))
    text = str(value).strip()
    if _NUMBER.fullmatch(text):
        return _since_1970(float(text))
    spoken = _SPOKEN.fullmatch(text)
    return _spoken(spoken) if spoken else datetime.fromisoformat(text)


def _since_1970(number: float) -> datetime:
    if abs(number) >= MICROSECONDS_FROM:
        number /= 1_000_000
    elif abs(number) >= MILLISECONDS_FROM:
        number /= 1_000
    return datetime.fromtimestamp(number, UTC)


def _spoken(found: re.Match[str]) -> datetime:
    half = 12 if found["half"].lower() == "p" else 0
    return datetime(
        int(found["year"]),
        ENGLISH_MONTHS.index(found["month"].lower()) + 1,
        int(found["day"]),
        int(found["hour"]) % 12 + half,
        int(found["minute"]),
    )
