"""Times as people type them and read them."""

from __future__ import annotations

from datetime import datetime

from ricordo.errors import InvalidInput


def moment(option: str, text: str | None) -> datetime | None:
    """An aware time from a typed one; without a zone it is taken in the local zone.

    Args:
        option: Whose value it is, for the error.
        text: ISO 8601, a date alone being its first moment; None stays None.

    Raises:
        InvalidInput: It is no time.
    """
    if text is None:
        return None
    try:
        typed = datetime.fromisoformat(text.strip())
        # `astimezone` takes a time without a zone for a local one, summer time included.
        return typed if typed.tzinfo is not None else typed.astimezone()
    except (ValueError, OverflowError, OSError) as error:
        raise InvalidInput(
            f"'{option}': '{text}' is no time.",
            cure="Write it as 2025-03-01, 2025-03-01T14:30 (your zone) or 2025-03-01T14:30+01:00.",
            field=option,
        ) from error


def local(when: datetime) -> str:
    """A time for people: in the local zone, with its offset."""
    try:
        return when.astimezone().isoformat(sep=" ", timespec="minutes")
    except (OverflowError, OSError, ValueError):
        return when.isoformat(sep=" ", timespec="minutes")
