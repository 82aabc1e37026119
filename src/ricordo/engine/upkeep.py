"""Pending work, rebuilding, verifying: what keeps the index true to the archive."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from ricordo.archive.contract import ArchiveReader
from ricordo.engine.embedding import Drain, Progress
from ricordo.engine.engine import EMBEDDED, Bound
from ricordo.engine.staging import project_alone, projections_of, session_projections
from ricordo.engine.stopping import Stop, never
from ricordo.engine.validation import callback, page_limit
from ricordo.errors import EmbedderError, IndexDamaged, InvalidInput, NotFound
from ricordo.index.contract import Entry, Projection, Space
from ricordo.records.base import Kind
from ricordo.records.page import Page
from ricordo.records.principal import Permission
from ricordo.records.upkeep import IndexReport, PendingReport, VerifyReport
from ricordo.records.work import PendingItem, PendingSummary

CHUNK = 500
"""Records of one transaction of a rebuild: others get their turn in between."""

Report = Callable[[str, int, int], None]
"""Called with the step's name, what is done and what there is in all."""


class Upkeep(Bound):
    """Upkeep of one workspace's index."""

    def pending(self, *, limit: int = 50, cursor: str | None = None) -> Page[PendingItem]:
        """Work that is not done yet, oldest first."""
        self.principal.require(Permission.READ)
        with self.engine.archive.read(self.workspace) as reader:
            return reader.pending(self.engine.clock(), limit=page_limit(limit), cursor=cursor)

    def pending_report(self) -> PendingReport:
        """Counts of the work that is not done yet, and of vectors made by another model."""
        self.principal.require(Permission.READ)
        space = self._space()
        with self.engine.archive.read(self.workspace) as reader:
            summary = reader.pending_summary(self.engine.clock())
            other = 0
            if space is not None and not space.active:
                other = sum(len(self.engine.index.without_vectors(reader, space, kind)) for kind in EMBEDDED)
        return PendingReport(queue=summary, other_model=other)

    def queue(self) -> PendingSummary:
        """Counts of the work that is not done yet; asks no model."""
        self.principal.require(Permission.READ)
        with self.engine.archive.read(self.workspace) as reader:
            return reader.pending_summary(self.engine.clock())

    def retry(self, item: int | None = None) -> int:
        """Make one pending item, or all, due at once; answers how many.

        Raises:
            NotFound: There is no such item.
        """
        self.principal.require(Permission.MANAGE)
        if item is not None and (not isinstance(item, int) or isinstance(item, bool)):  # type: ignore[redundant-expr]
            raise InvalidInput("'item': must be the number of a pending item.", field="item")
        if item is not None and not 0 < item < 2**63:
            raise NotFound(f"There is no pending item {item}.", cure="List them: ricordo pending")
        with self.engine.archive.write(self.workspace) as writer:
            woken = writer.wake(self.engine.clock(), item)
        if item is not None and not woken:
            raise NotFound(f"There is no pending item {item}.", cure="List them: ricordo pending")
        return woken

    def drain(self, *, progress: Progress | None = None, stop: Stop = never) -> int:
        """Do the pending work that is due; answers how many records got vectors.

        Raises:
            EmbedderError: The model failed; the work backs off and stays.
        """
        self.principal.require(Permission.WRITE)
        callback(progress, "progress", optional=True)
        callback(stop, "stop")
        return Drain(self.engine, self.workspace, stop).run(progress=progress)

    def rebuild(self, *, full: bool = False, report: Report | None = None, stop: Stop = never) -> IndexReport:
        """Make the index from the archive: entries that differ, then vectors that are missing.

        A rebuild that was interrupted goes on where it stopped, since what is right already
        is left alone. The embedder of this process becomes the workspace's.

        Args:
            full: Rewrite every entry and every vector, right or not; begins anew each time.
            report: For progress.
            stop: Asked between chunks; true ends the work, with nothing lost.
        """
        self.principal.require(Permission.MANAGE)
        callback(report, "report", optional=True)
        callback(stop, "stop")
        say = report or (lambda *_: None)
        self._mend()
        found = self._compare(repair=True, full=full, say=say, stop=stop)
        space = self.engine.current_space(self.workspace)
        embedded = 0
        if space is not None and not stop():
            if full:
                self._drop_vectors()
            with self.engine.archive.write(self.workspace) as writer:
                if not space.active:
                    space = self.engine.index.activate(writer, space)
                self.engine.enqueue_missing(writer, space)
                writer.wake(self.engine.clock())
            self.engine.forget_spaces()
            embedded = Drain(self.engine, self.workspace, stop).run(
                progress=lambda done, total: say("vectors", done, total)
            )
            with self.engine.archive.write(self.workspace) as writer:
                done = not any(self.engine.index.without_vectors(writer, space, kind) for kind in EMBEDDED)
                if done:
                    self.engine.index.drop_others(writer, space)
                self.engine.index.compact(writer)
            self.engine.forget_spaces()
        with self.engine.archive.read(self.workspace) as reader:
            left = reader.pending_summary(self.engine.clock()).total
        return IndexReport(
            checked=found.checked,
            rewritten=found.missing + found.stale,
            removed=found.orphans + found.orphan_vectors,
            embedded=embedded,
            pending=left,
            stopped=stop(),
        )

    def _mend(self) -> None:
        """Make missing or damaged parts of the index anew, empty; what is read through is left alone."""
        for kind in EMBEDDED:
            try:
                with self.engine.archive.read(self.workspace) as reader:
                    self.engine.index.check(reader, kind)
            except IndexDamaged:
                with self.engine.archive.write(self.workspace) as writer:
                    self.engine.index.make_anew(writer, kind)

    def _drop_vectors(self) -> None:
        """Drop every vector, some records at a time: others get their turn in between."""
        for kind in EMBEDDED:
            after = 0
            while True:
                with self.engine.archive.write(self.workspace) as writer:
                    part = writer.scan(kind, after=after, limit=CHUNK)
                    self.engine.index.drop_vectors(writer, kind, [stored.num for stored in part])
                if not part:
                    break
                after = part[-1].num

    def verify(
        self, *, repair: bool = False, report: Report | None = None, stop: Stop = never
    ) -> VerifyReport:
        """Compare the index with the archive, entry by entry.

        Args:
            repair: Mend what differs.
            report: For progress.
            stop: Asked between chunks.

        Raises:
            IndexDamaged: A part of the index is missing or cannot be read, and nothing is to be mended.
        """
        self.principal.require(Permission.MANAGE)
        callback(report, "report", optional=True)
        callback(stop, "stop")
        if repair:
            self._mend()
        else:
            with self.engine.archive.read(self.workspace) as reader:
                for kind in EMBEDDED:
                    self.engine.index.check(reader, kind)
        found = self._compare(repair=repair, full=False, say=report or (lambda *_: None), stop=stop)
        if repair and found.missing_vectors:
            space = self.engine.current_space(self.workspace)
            if space is not None and space.active:
                with self.engine.archive.write(self.workspace) as writer:
                    self.engine.enqueue_missing(writer, space)
        return found

    def _compare(self, *, repair: bool, full: bool, say: Report, stop: Stop) -> VerifyReport:
        counts = {"checked": 0, "missing": 0, "stale": 0, "orphans": 0, "orphan_vectors": 0}
        with self.engine.archive.read(self.workspace) as reader:
            total = sum(reader.count(kind) for kind in EMBEDDED)
        seen: dict[Kind, set[int]] = {kind: set() for kind in EMBEDDED}
        for kind, chunk in self._chunks():
            if stop():
                break
            held = self._entries(kind, [item.stamp.num for item in chunk])
            differing = [
                item.stamp.num for item in chunk if full or not self._same(item, held.get(item.stamp.num))
            ]
            missing, stale = self._settle(kind, differing, repair=repair, full=full)
            counts["missing"] += missing
            counts["stale"] += stale
            counts["checked"] += len(chunk)
            seen[kind].update(item.stamp.num for item in chunk)
            say("entries", counts["checked"], total)
        else:
            for kind in EMBEDDED:
                self._orphans(kind, seen[kind], counts, repair=repair)
        return VerifyReport(**counts, missing_vectors=self._missing_vectors(), stopped=stop())

    def _chunks(self) -> Iterator[tuple[Kind, list[Projection]]]:
        """Projections of everything, read in snapshots of some sessions, facts or cards each."""
        after = 0
        while True:
            with self.engine.archive.read(self.workspace) as reader:
                sessions = reader.scan(Kind.SESSION, after=after, limit=20)
                for session in sessions:
                    for chunk in session_projections(reader, session, chunk=CHUNK):
                        yield Kind.EPISODE, chunk
            if not sessions:
                break
            after = sessions[-1].num
        for kind in (Kind.FACT, Kind.CARD):
            after = 0
            while True:
                with self.engine.archive.read(self.workspace) as reader:
                    alone = reader.scan(kind, after=after, limit=CHUNK)
                if not alone:
                    break
                yield kind, project_alone(alone, self.workspace.language)
                after = alone[-1].num

    def _entries(self, kind: Kind, nums: Sequence[int]) -> dict[int, Entry]:
        with self.engine.archive.read(self.workspace) as reader:
            return {entry.num: entry for entry in self.engine.index.entries(reader, kind, nums)}

    def _same(self, projection: Projection, entry: Entry | None) -> bool:
        return self.engine.index.entry_of(projection) == entry

    def _settle(self, kind: Kind, nums: Sequence[int], *, repair: bool, full: bool) -> tuple[int, int]:
        """Look again at what differed, in one transaction, and put it right where asked.

        What was read before may have changed meanwhile, and an episode's entry depends on its
        neighbours too: only what differs within one transaction differs.

        Returns:
            How many entries are missing, and how many are there but differ.
        """
        if not nums:
            return 0, 0
        archive = self.engine.archive
        if not repair:
            with archive.read(self.workspace) as reader:
                missing, stale = self._differing(reader, kind, nums, full=full)
            return len(missing), len(stale)
        with archive.write(self.workspace) as writer:
            missing, stale = self._differing(writer, kind, nums, full=full)
            self.engine.index.restage(writer, missing + stale)
        return len(missing), len(stale)

    def _differing(
        self, reader: ArchiveReader, kind: Kind, nums: Sequence[int], *, full: bool
    ) -> tuple[list[Projection], list[Projection]]:
        """Projections whose entry is missing, and those whose entry differs."""
        held = {entry.num: entry for entry in self.engine.index.entries(reader, kind, nums)}
        fresh = projections_of(reader, kind, nums)
        missing = [item for item in fresh if item.stamp.num not in held]
        stale = [
            item
            for item in fresh
            if item.stamp.num in held and (full or not self._same(item, held[item.stamp.num]))
        ]
        return missing, stale

    def _orphans(self, kind: Kind, seen: set[int], counts: dict[str, int], *, repair: bool) -> None:
        """Entries and vectors without a record; those of records that came meanwhile are none."""
        with self.engine.archive.read(self.workspace) as reader:
            strange = [num for num in self.engine.index.entry_nums(reader, kind) if num not in seen]
            exist = reader.fetch(kind, strange)
            orphans = [num for num in strange if num not in exist]
            vectors = [num for num in self.engine.index.orphan_vectors(reader, kind) if num not in exist]
        counts["orphans"] += len(orphans)
        counts["orphan_vectors"] += len(vectors)
        if repair and (orphans or vectors):
            with self.engine.archive.write(self.workspace) as writer:
                gone = [num for num in {*orphans, *vectors} if num not in writer.fetch(kind, [num])]
                self.engine.index.unstage(writer, kind, gone)

    def _missing_vectors(self) -> int:
        if self.engine.embedder is None:
            return 0
        space = self._space()
        if space is None:
            return 0
        with self.engine.archive.read(self.workspace) as reader:
            return sum(len(self.engine.index.without_vectors(reader, space, kind)) for kind in EMBEDDED)

    def _space(self) -> Space | None:
        """The space of this process's model; the active one where the model cannot be reached."""
        if self.engine.embedder is None:
            return None
        try:
            return self.engine.find_space(self.workspace)
        except EmbedderError:
            with self.engine.archive.read(self.workspace) as reader:
                return next((space for space in self.engine.index.spaces(reader) if space.active), None)
