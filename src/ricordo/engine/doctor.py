"""Looking the whole memory over: archive, index, embedder, pending work, versions."""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Iterator

from ricordo.engine.engine import EMBEDDED, Bound
from ricordo.errors import IndexDamaged, RicordoError
from ricordo.records.base import Kind
from ricordo.records.principal import Permission
from ricordo.records.upkeep import Check, Diagnosis, Status
from ricordo.records.work import Work, WorkState
from ricordo.version import __version__


class Doctor(Bound):
    """Health of one workspace."""

    def status(self) -> Status:
        """What the workspace holds, quickly."""
        self.principal.require(Permission.READ)
        embedder = self.engine.embedder
        with self.engine.archive.read(self.workspace) as reader:
            records = {str(kind): reader.count(kind) for kind in Kind}
            pending = reader.pending_count(Work.EMBED)
        return Status(
            workspace=self.workspace.name,
            language=str(self.workspace.language),
            location=self.engine.archive.location,
            version=__version__,
            records=records,
            pending=pending,
            embedder=None if embedder is None else embedder.model,
        )

    def diagnose(self) -> Diagnosis:
        """Check everything; nothing is changed."""
        self.principal.require(Permission.READ)
        checks = []
        for part in (self._versions, self._archive, self._index, self._embedder, self._pending):
            try:
                checks += list(part())
            except RicordoError as error:
                checks.append(Check(name=part.__name__.strip("_"), ok=False, message=str(error)))
        return Diagnosis(healthy=all(check.ok for check in checks), checks=tuple(checks))

    def _versions(self) -> Iterator[Check]:
        python = ".".join(str(part) for part in sys.version_info[:3])
        message = f"Ricordo {__version__}, Python {python}, SQLite {sqlite3.sqlite_version}"
        yield Check(name="versions", ok=True, message=message)

    def _archive(self) -> Iterator[Check]:
        for name, ok, message in self.engine.archive.diagnose():
            yield Check(name=name, ok=ok, message=message)

    def _index(self) -> Iterator[Check]:
        with self.engine.archive.read(self.workspace) as reader:
            for kind in EMBEDDED:
                try:
                    self.engine.index.check(reader, kind)
                except IndexDamaged as error:
                    yield Check(name=f"index of {kind}s", ok=False, message=str(error))
                    continue
                records, entries = reader.count(kind), len(self.engine.index.entry_nums(reader, kind))
                ok = records == entries
                cure = "" if ok else "; run: ricordo verify --repair"
                message = f"{entries} entries for {records} records{cure}"
                yield Check(name=f"index of {kind}s", ok=ok, message=message)

    def _embedder(self) -> Iterator[Check]:
        embedder = self.engine.embedder
        if embedder is None:
            yield Check(
                name="embedder",
                ok=True,
                message="none: records are found by keyword only; pip install 'ricordo[bundled]' adds one",
            )
            return
        vector = embedder.embed_question("health")
        yield Check(name="embedder", ok=True, message=f"{embedder.model} answers {len(vector)} numbers")
        space = self.engine.find_space(self.workspace)
        with self.engine.archive.read(self.workspace) as reader:
            others = any(item.active for item in self.engine.index.spaces(reader))
        if others and (space is None or not space.active):
            message = f"the workspace's vectors were not made by {embedder.model}; run: ricordo index"
            yield Check(name="vector space", ok=False, message=message)

    def _pending(self) -> Iterator[Check]:
        with self.engine.archive.read(self.workspace) as reader:
            summary = reader.pending_summary(self.engine.clock())
        stuck = summary.by_state.get(WorkState.STUCK, 0)
        if stuck:
            message = (
                f"{stuck} of {summary.total} items are stuck; see: ricordo pending, ricordo pending retry"
            )
        elif summary.total:
            message = f"{summary.total} items wait, the oldest for {summary.oldest_age_s or 0:.0f} s"
        else:
            message = "nothing waits"
        yield Check(name="pending work", ok=not stuck, message=message)
