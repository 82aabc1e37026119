"""From turns to the archive, in batches, each all or none."""

from __future__ import annotations

from typing import Protocol

from ricordo.engine.validation import checked
from ricordo.errors import AlreadyExists, InvalidInput, NotFound
from ricordo.importers.report import MAX_SKIPPED, Skipped
from ricordo.importers.turns import ExternalIds, Head, Skip, Turn
from ricordo.memory import Memory
from ricordo.records.episode import EpisodeDraft
from ricordo.records.page import MAX_PAGE

BATCH_TURNS = 500
BATCH_CHARS = 4_000_000
"""A batch is written when it holds so many turns, or so much text."""


class Tally:
    """Counts of an import while it runs."""

    def __init__(self) -> None:
        self.read = self.added = self.known = 0
        self.skipped_count = 0
        self.skipped: list[Skipped] = []
        self.sessions: set[str] = set()

    def skip(self, item: Skip) -> None:
        """Note what was left out."""
        self.skipped_count += 1
        if len(self.skipped) < MAX_SKIPPED:
            self.skipped.append(Skipped(place=item.place, reason=item.reason))


class Taking(Protocol):
    """Takes the batches of one session."""

    def take(self, head: Head, drafts: list[EpisodeDraft]) -> int:
        """Take a batch in order; answers how many were new."""


class Batches:
    """Gathers turns by session and hands them on.

    Args:
        taking: Where they go.
        tally: What is counted.
    """

    def __init__(self, taking: Taking, tally: Tally) -> None:
        self._taking = taking
        self._tally = tally
        self._ids: dict[str, ExternalIds] = {}
        self._waiting: dict[str, tuple[Head, list[EpisodeDraft]]] = {}
        self._turns = self._chars = 0

    def add(self, turn: Turn) -> bool:
        """Take one turn; answers whether a batch was written."""
        session = turn.head.external_id
        name = self._ids.setdefault(session, ExternalIds()).name(turn)
        try:
            draft = checked(EpisodeDraft, {**turn.fields, "external_id": name})
        except InvalidInput as error:
            self._tally.skip(Skip(turn.place, str(error)))
            return False
        self._tally.read += 1
        self._tally.sessions.add(session)
        self._waiting.setdefault(session, (turn.head, []))[1].append(draft)
        self._turns += 1
        self._chars += len(turn.said[1])
        if self._turns < BATCH_TURNS and self._chars < BATCH_CHARS:
            return False
        self.flush()
        return True

    def flush(self) -> None:
        """Write what waits: one transaction a session."""
        for head, drafts in self._waiting.values():
            added = self._taking.take(head, drafts)
            self._tally.added += added
            self._tally.known += len(drafts) - added
        self._waiting.clear()
        self._turns = self._chars = 0


class Writing:
    """Puts turns into a memory; their vectors are left to the worker."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._made: set[str] = set()

    def take(self, head: Head, drafts: list[EpisodeDraft]) -> int:
        """See `Taking`."""
        if head.external_id not in self._made:
            self._make(head)
            self._made.add(head.external_id)
        receipts = self._memory.episodes.add_many(head.external_id, drafts, defer=True)
        return sum(receipt.created for receipt in receipts)

    def _make(self, head: Head) -> None:
        try:
            self._memory.sessions.get(head.external_id)
        except NotFound:
            try:
                self._memory.sessions.create(
                    external_id=head.external_id, name=head.name, project=head.project
                )
            except AlreadyExists:
                return  # another import was faster


class Trying:
    """Finds out what would be new, and changes nothing."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._held: dict[str, set[str]] = {}

    def take(self, head: Head, drafts: list[EpisodeDraft]) -> int:
        """See `Taking`."""
        if head.external_id not in self._held:
            self._held[head.external_id] = self._read(head.external_id)
        held = self._held[head.external_id]
        before = len(held)
        held.update(draft.external_id for draft in drafts if draft.external_id)
        return len(held) - before

    def _read(self, session: str) -> set[str]:
        """External ids that a session has."""
        held: set[str] = set()
        cursor: str | None = None
        while True:
            try:
                page = self._memory.episodes.list(session=session, limit=MAX_PAGE, cursor=cursor)
            except NotFound:
                return held
            held.update(item.external_id for item in page.items if item.external_id)
            cursor = page.next_cursor
            if cursor is None:
                return held
