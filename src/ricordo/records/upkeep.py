"""What upkeep reports."""

from __future__ import annotations

from ricordo.records.base import Value
from ricordo.records.work import PendingSummary


class PendingReport(Value):
    """Work that is not done yet.

    Attributes:
        queue: The queue's counts.
        other_model: Records whose vectors were made by another model than this process has;
            `ricordo index` makes them anew.
    """

    queue: PendingSummary
    other_model: int = 0


class VerifyReport(Value):
    """What a comparison of index and archive found.

    Attributes:
        checked: Records compared.
        missing, stale: Records without an entry, or with one that differs.
        orphans, orphan_vectors: Entries and vectors whose record is gone.
        missing_vectors: Records without vectors of this process's model.
        stopped: Whether it ended early.
    """

    checked: int
    missing: int
    stale: int
    orphans: int
    orphan_vectors: int
    missing_vectors: int
    stopped: bool = False

    @property
    def clean(self) -> bool:
        """Whether nothing differs."""
        found = (self.missing, self.stale, self.orphans, self.orphan_vectors, self.missing_vectors)
        return not any(found) and not self.stopped


class IndexReport(Value):
    """What a rebuild did.

    Attributes:
        rewritten, removed: Entries made anew, and entries or vectors without a record that went.
        embedded: Records that got vectors.
        pending: Work that is left.
        stopped: Whether it ended early; run it again to go on.
    """

    checked: int
    rewritten: int
    removed: int
    embedded: int
    pending: int
    stopped: bool = False


class Check(Value):
    """One thing that `doctor` looked at.

    Attributes:
        ok: Whether it is well.
        message: What was found, and where it is not well, what to do.
    """

    name: str
    ok: bool
    message: str


class Diagnosis(Value):
    """What `doctor` found."""

    healthy: bool
    checks: tuple[Check, ...]


class Status(Value):
    """What a workspace holds.

    Attributes:
        records: Number of records by kind.
        embedder: The model in use, or None.
    """

    workspace: str
    language: str
    location: str
    version: str
    records: dict[str, int]
    pending: int
    embedder: str | None
