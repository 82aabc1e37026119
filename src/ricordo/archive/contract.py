"""What every archive guarantees, in prose first.

**Truth.** What the archive holds is what is known. Anything else (index,
caches) is derived from it and can be thrown away.

**Transactions.** `write(workspace)` opens one transaction in which everything
is committed together or not at all: records, their history, and the pending
work that they cause. Leaving the block by an exception rolls all of it back.
Write transactions of one workspace run one after the other, whichever thread
or process they come from; a caller that cannot get its turn within the busy
timeout gets `ArchiveBusy` and nothing has changed. A committed transaction
survives the death of the process, and with durability `full` that of the
machine.

**Reading.** `read(workspace)` opens a snapshot: what is read inside sees every
transaction committed before it began and none that is committed later. Readers
never wait for writers.

**Numbers.** Each record has a number that is unique in its kind, rises with
each new record and is never used again. It names the record inside the program
and in the index; surfaces show ids.

**Revisions.** A record starts at revision 1. `replace` names the revision that
the change was made from; if the archive holds another, `StaleRevision` is
raised and nothing changes. The body of every earlier revision, and of deleted
records, stays in the history.

**Order.** Listings are stable: they order by number, so a page that is asked
for later neither skips nor repeats records that were there all along.

**Pending work.** One queue for all deferred work, at most one item per kind of
work and record. A worker claims items under a lease; an item whose lease has
run out can be claimed by anyone. Done items disappear in the same transaction
that stores their result. A failed one keeps its error and backs off.

**Threads and processes.** An archive object may be used from any thread. Any
number of processes may hold the same archive. Errors of the engine below never
leave it: they come out as `ArchiveError`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Any, NamedTuple, Protocol

from ricordo.records.base import Kind, Record
from ricordo.records.card import CardFilters, CardSort, Merge
from ricordo.records.filters import Filters
from ricordo.records.page import Page
from ricordo.records.receipt import HistoryEntry
from ricordo.records.work import PendingItem, PendingSummary, Work
from ricordo.records.workspace import Language, Workspace


class Stored(NamedTuple):
    """A record with its number."""

    num: int
    record: Record


class Turn(NamedTuple):
    """An episode's place, for the steps of recall that look at neighbours.

    Attributes:
        speaker: Folded name of who spoke, or None.
        at: When it was said, in microseconds.
        opening: Its first 2,000 signs.
        asks: Whether it ends with a question mark.
        by_user: Whether "the user" speaks, with no other name.
    """

    num: int
    session_num: int
    position: int
    speaker: str | None
    at: int
    opening: str
    asks: bool
    by_user: bool


class CardLink(NamedTuple):
    """A link that a recall may follow."""

    source_num: int
    target_num: int
    target_id: str


class StoredMerge(NamedTuple):
    """A merge with what its undoing needs.

    Attributes:
        kept_before, kept_after: Revisions of the kept card.
        merged_revision: Last revision of the card that went into it.
        moved_links: (id of the linking card, meaning, whether a link to the kept card was made for it) of
            links that led to the merged card.
    """

    merge: Merge
    kept_before: int
    kept_after: int
    merged_revision: int
    moved_links: tuple[tuple[str, str, bool], ...]


class CardReader(Protocol):
    """What a snapshot knows of cards beyond the records themselves."""

    def listed(
        self,
        filters: CardFilters,
        *,
        sort: CardSort,
        descending: bool,
        limit: int,
        cursor: str | None,
        matching: Sequence[int] | None,
    ) -> tuple[list[int], int, str | None]:
        """Numbers of one page of the listing, how many there are in all, and the next cursor.

        `matching` holds the numbers of the cards that have the words of `filters.text`.
        """

    def nums(self, ids: Sequence[str]) -> dict[str, int]:
        """Numbers of the cards with these ids that exist."""

    def revisions(self, nums: Sequence[int]) -> dict[int, tuple[str, int]]:
        """Id and revision of the cards with these numbers that exist."""

    def deleted(self, ids: Sequence[str]) -> dict[str, int]:
        """Last revision of each of these cards that existed once and does not now."""

    def links_from(self, nums: Sequence[int], *, per_card: int) -> list[CardLink]:
        """Links of these cards to different targets, the first of each card by target id."""

    def links_to(self, num: int) -> list[tuple[int, str, str]]:
        """(number, id, meaning) of every card that links to this one, by id."""

    def merge(self, merge_id: str) -> StoredMerge | None:
        """The merge with this id, or None."""

    def merges(self, *, limit: int, cursor: str | None) -> Page[Merge]:
        """Merges, newest first."""


class CardWriter(CardReader, Protocol):
    """What a write transaction can change of cards beyond the records themselves."""

    def add_merge(self, stored: StoredMerge) -> None:
        """Keep a merge."""

    def end_merge(self, merge_id: str, at: datetime) -> None:
        """Note that a merge was undone."""

    def add_link(self, source_num: int, target_num: int, meaning: str) -> bool:
        """Make a link; False where it is there already."""

    def drop_link(self, source_num: int, target_num: int, meaning: str) -> None:
        """Remove a link."""


class Claim(NamedTuple):
    """A piece of work taken under a lease."""

    num: int
    kind: Kind
    record_num: int
    attempts: int


class ArchiveReader(Protocol):
    """A snapshot of one workspace."""

    @property
    def workspace(self) -> Workspace:
        """The workspace that is read."""

    @property
    def handle(self) -> Any:
        """The player's own connection, for an index that lives in the same store."""

    @property
    def cards(self) -> CardReader:
        """What is known of cards beyond the records."""

    @property
    def memo(self) -> dict[Any, Any] | None:
        """A place for what such an index has looked up in this snapshot; None where it may still change."""

    def get(self, kind: Kind, record_id: str) -> Stored | None:
        """The record with this id, or None."""

    def get_many(self, kind: Kind, record_ids: Iterable[str]) -> Mapping[str, Stored]:
        """The records with these ids that exist, by id."""

    def find_session(self, name: str) -> Stored | None:
        """The session with this id or external id, or None; without its episode count."""

    def find_episodes(self, session_num: int, external_ids: Sequence[str]) -> Mapping[str, Stored]:
        """The episodes of this session with these external ids that exist, by external id."""

    def fetch(self, kind: Kind, nums: Iterable[int]) -> Mapping[int, Record]:
        """The records with these numbers that exist now, in one look."""

    def scan(self, kind: Kind, *, after: int = 0, limit: int = 500) -> Sequence[Stored]:
        """The next records by number, for work over the whole archive."""

    def has_any(self, kind: Kind) -> bool:
        """Whether there is a record of the kind."""

    def count(self, kind: Kind) -> int:
        """How many records of the kind there are."""

    def page(self, kind: Kind, filters: Filters, *, limit: int, cursor: str | None) -> Page[Any]:
        """One page of the listing, oldest first."""

    def history(self, kind: Kind, record_id: str, *, limit: int, cursor: str | None) -> Page[HistoryEntry]:
        """Revisions of a record, newest first; also of a deleted one."""

    def last_turns(self, session_num: int, count: int) -> Sequence[Stored]:
        """The last episodes of a session, oldest first."""

    def turns_around(self, session_num: int, position: int, before: int, after: int) -> Sequence[Stored]:
        """The episodes near a place of a session, in order, that place included."""

    def turns_after(self, session_num: int, position: int, limit: int) -> Sequence[Stored]:
        """The next episodes of a session, in order, that place excluded."""

    def revision(self, kind: Kind, record_id: str, revision: int) -> HistoryEntry | None:
        """One revision of a record, also of a deleted one, or None."""

    def turns(self, nums: Iterable[int], *, openings: bool) -> Sequence[Turn]:
        """The places of episodes; without `openings`, those are empty."""

    def adjacent(self, nums: Iterable[int], reach: int) -> Sequence[tuple[int, int, int]]:
        """(episode, neighbour, distance in turns) for each of the episodes, at most `reach` away."""

    def speakers(self, limit: int) -> Sequence[str]:
        """Folded names of the workspace's speakers, in alphabetical order."""

    def pending(
        self, now: datetime, *, limit: int, cursor: str | None, kind: Kind | None = None
    ) -> Page[PendingItem]:
        """Work that is not done yet, oldest first; of one kind of record where one is named."""

    def pending_summary(self, now: datetime) -> PendingSummary:
        """Counts of the work that is not done yet."""

    def pending_count(self, work: Work) -> int:
        """How many items of this kind of work wait."""

    def queued(self, work: Work, kind: Kind, nums: Iterable[int]) -> set[int]:
        """Those of the records that have work of this kind waiting."""


class ArchiveWriter(ArchiveReader, Protocol):
    """One write transaction of one workspace."""

    @property
    def cards(self) -> CardWriter:
        """What can be changed of cards beyond the records."""

    def add(self, kind: Kind, records: Sequence[Record], *, reason: str | None = None) -> Sequence[int]:
        """Insert new records; answers their numbers, in order. The reason stands in the history."""

    def replace(self, stored: Stored, revised: Record, *, reason: str | None = None) -> None:
        """Put the next revision of a record in place, keeping the earlier one in the history."""

    def remove(
        self, kind: Kind, stored: Sequence[Stored], *, actor: str, at: datetime, reason: str | None = None
    ) -> None:
        """Delete records, keeping their last revision in the history."""

    def enqueue(
        self, work: Work, kind: Kind, nums: Sequence[int], at: datetime, *, fresh: bool = False
    ) -> None:
        """Queue work for records; an item that is queued already starts anew.

        `fresh` says that the records are new, so that nothing can be queued for them.
        """

    def claim(
        self, work: Work, *, owner: str, now: datetime, lease_until: datetime, limit: int
    ) -> Sequence[Claim]:
        """Take work that is due under a lease, oldest first."""

    def finish(self, owner: str, claims: Sequence[Claim]) -> set[int]:
        """Remove claimed items that are still the owner's; answers their numbers."""

    def fail(self, owner: str, claims: Sequence[Claim], *, error: str, next_at: datetime) -> None:
        """Give claimed items back with an error and a time for the next attempt."""

    def clear_work(self, work: Work, kind: Kind | None = None, nums: Sequence[int] | None = None) -> int:
        """Drop queued work (of these records, or all of this kind of work)."""

    def wake(self, now: datetime, num: int | None = None) -> int:
        """Make one item, or all, due at once; answers how many."""


class Archive(Protocol):
    """The authoritative store of any number of workspaces."""

    @property
    def location(self) -> str:
        """Where it is, without secrets."""

    def ensure_workspace(self, name: str, language: Language, now: datetime) -> Workspace:
        """The workspace with this name, made if it is not there."""

    def find_workspace(self, name: str) -> Workspace | None:
        """The workspace with this name, or None."""

    def workspaces(self) -> Sequence[Workspace]:
        """All workspaces, by name."""

    def read(self, workspace: Workspace) -> AbstractContextManager[ArchiveReader]:
        """A snapshot of the workspace."""

    def write(self, workspace: Workspace, *, flush: bool = True) -> AbstractContextManager[ArchiveWriter]:
        """A write transaction of the workspace.

        Without `flush` it need not survive the death of the machine, and the next one that is flushed
        takes it along: for what can be made again, such as vectors and the work that they end.
        """

    def diagnose(self) -> Iterator[tuple[str, bool, str]]:
        """Checks of the store itself: name, whether it is well, and a sentence."""

    def close(self) -> None:
        """Close every connection. Closing twice does nothing."""
