"""From turns to the archive, in batches, each all or none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from ricordo.engine.appending import Addition, add_episodes
from ricordo.engine.validation import checked
from ricordo.errors import InvalidInput, NotFound
from ricordo.importers.report import MAX_SKIPPED, Skipped
from ricordo.importers.turns import ExternalIds, Head, Skip, Turn
from ricordo.memory import Memory
from ricordo.records.episode import EpisodeDraft
from ricordo.records.page import MAX_PAGE
from ricordo.records.session import SessionDraft

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


Part = tuple[Head, list[EpisodeDraft]]
"""Turns of one session, in order."""


class Taking(Protocol):
    """Takes batches."""

    def take(self, parts: Sequence[Part]) -> int:
        """Take a batch, each session at most once; answers how many of its turns were new."""


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
        self._waiting: dict[str, Part] = {}
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
        """Write what waits, in one transaction."""
        if self._waiting:
            added = self._taking.take(list(self._waiting.values()))
            self._tally.added += added
            self._tally.known += self._turns - added
        self._waiting.clear()
        self._turns = self._chars = 0


class Writing:
    """Puts turns into a memory; their vectors are left to the worker."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    def take(self, parts: Sequence[Part]) -> int:
        """See `Taking`."""
        additions = [Addition(checked(SessionDraft, head._asdict()), drafts) for head, drafts in parts]
        answers = add_episodes(self._memory.episodes, additions, defer=True)
        return sum(receipt.created for receipts in answers for receipt in receipts)


class Trying:
    """Finds out what would be new, and changes nothing."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._held: dict[str, set[str]] = {}

    def take(self, parts: Sequence[Part]) -> int:
        """See `Taking`."""
        fresh = 0
        for head, drafts in parts:
            if head.external_id not in self._held:
                self._held[head.external_id] = self._read(head.external_id)
            held = self._held[head.external_id]
            before = len(held)
            held.update(draft.external_id for draft in drafts if draft.external_id)
            fresh += len(held) - before
        return fresh

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
