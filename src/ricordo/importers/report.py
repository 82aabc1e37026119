"""What an import did, and what it left out and why."""

from __future__ import annotations

from ricordo.records.base import Value

MAX_SKIPPED = 100
"""Skipped places that a report names; further ones are only counted."""


class Skipped(Value):
    """Something in the file that was not imported.

    Attributes:
        place: Where it stands, such as `line 12`.
        reason: Why it was left out.
    """

    place: str
    reason: str


class ImportReport(Value):
    """What an import did.

    Attributes:
        format: `locomo`, `openai` or `text`.
        sessions: Different sessions that turns were found for.
        episodes_read: Turns found that can be kept.
        episodes_added: Those that were new; in a dry run, those that would be.
        episodes_known: Those that were there already.
        skipped: What was left out and why, at most 100.
        skipped_count: How much was left out in all.
        encoding: What the file's text was read as, e.g. `utf-8` or `cp1252`.
        dry_run: Nothing was written.
        stopped: The import was ended early; importing again adds the rest.
    """

    format: str
    sessions: int
    episodes_read: int
    episodes_added: int
    episodes_known: int
    skipped: tuple[Skipped, ...] = ()
    skipped_count: int = 0
    encoding: str
    dry_run: bool = False
    stopped: bool = False
