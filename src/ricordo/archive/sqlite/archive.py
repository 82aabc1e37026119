"""The embedded archive: see `ricordo.archive.contract` for what it guarantees."""

from __future__ import annotations

import os
import secrets
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from datetime import datetime
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, insert, inspect, select

from ricordo.archive.contract import ArchiveReader, ArchiveWriter
from ricordo.archive.migrations import Migration, missing_migrations
from ricordo.archive.sql.reader import SqlReader
from ricordo.archive.sql.writer import SqlWriter
from ricordo.archive.sqlite.connection import open_engine, transaction, translated, unflushed
from ricordo.archive.tables import migrations, sequences, workspaces
from ricordo.errors import ArchiveBusy, ArchiveClosed, ArchiveCorrupt, ArchiveOutdated, ArchiveUnavailable
from ricordo.records.base import Kind
from ricordo.records.workspace import Language, Workspace


class SqliteArchive:
    """One SQLite file, made readable for its owner only.

    Where nothing can be written beside the file, it is opened for reading only: a write-ahead log
    needs files there, so it is read as one that nobody changes, and no further once it is changed.

    Args:
        path: The file; made with its folder if it does not exist.
        now: For the stamp of migrations.
        version: The program's version, for the same.
        durability: `full` or `process`; see `open_engine`.
    """

    def __init__(self, path: Path, *, now: datetime, version: str, durability: str = "full") -> None:
        # Absolute, so that it means the same after a change of folder, and links resolved, so that
        # what is made is made where it will lie. SQLite takes no such path for a special name.
        self.path = path = _resolved(path)
        self._closed = False
        self._turn = threading.Lock()
        self._read_only = False
        if not self._exists():
            self._create(now, version)
        elif path.is_file() and path.stat().st_size == 0:
            self._start_log(path)
        else:
            self._read_only = self._must_only_read()
        self._engine = open_engine(path, durability=durability, read_only=self._read_only)
        self._flushes = durability == "full"
        self._writing = self._engine.execution_options(ricordo_write=True)
        try:
            self._bring_up_to_date(self._engine, now, version)
            self._identity = self._look_up()
        except BaseException:  # whatever it was, no connection stays open
            self._engine.dispose()
            raise

    def _must_only_read(self) -> bool:
        """Whether the file lies where no log can be made beside it.

        Raises:
            ArchiveUnavailable: It has a log that is not merged, which cannot be read there.
        """
        if may_write(self.path.parent):
            return False
        log, shared = (Path(f"{self.path}{end}") for end in ("-wal", "-shm"))
        if not log.exists() or not log.stat().st_size:
            return True
        if shared.exists() and os.access(shared, os.W_OK) and os.access(log, os.W_OK):
            return False  # somebody who may write there works on it, and lets us
        raise ArchiveUnavailable(
            f"The archive {self.path} lies where nothing can be written, and its log {log} is not merged.",
            cure="Copy both files to a folder that you may write to and use the copy, or run "
            "`ricordo status` on it where it can be written.",
        )

    def _look_up(self) -> tuple[int, ...]:
        """Which file lies at the path now."""
        try:
            found = self.path.stat()
        except OSError as error:
            raise ArchiveUnavailable(
                f"The archive {self.path} is not there any more ({error.strerror}).",
                cure="Put it back, then start again.",
            ) from error
        if self._read_only:
            log = Path(f"{self.path}-wal")
            logged = log.stat().st_size if log.exists() else 0
            return found.st_dev, found.st_ino, found.st_mtime_ns, found.st_size, logged
        return found.st_dev, found.st_ino

    def _check_identity(self) -> None:
        """Refuse a file that was put in the place of the opened one: its log is another file's."""
        now = self._look_up()
        if now[:2] == self._identity[:2] and now != self._identity:
            raise ArchiveUnavailable(
                f"The archive {self.path} is open read only and was changed by somebody else.",
                cure="Start again to read what it holds now.",
            )
        if now != self._identity:
            raise ArchiveUnavailable(
                f"The archive {self.path} was replaced while it was open: nothing was saved.",
                cure="Start again to use the file that lies there now.",
            )

    @property
    def location(self) -> str:
        """See the contract."""
        return str(self.path)

    def _exists(self) -> bool:
        try:
            return self.path.exists()
        except OSError as error:
            raise ArchiveUnavailable(
                f"The archive {self.path} cannot be looked up ({error.strerror}).", cure="Name another file."
            ) from error

    def _create(self, now: datetime, version: str) -> None:
        """Make the file aside and put it in place at once, so that no process sees half of it."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            aside = self.path.with_name(f".{self.path.name}.{secrets.token_hex(8)}")
            os.close(os.open(aside, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        except OSError as error:
            raise ArchiveUnavailable(
                f"The archive {self.path} cannot be made ({error.strerror}).",
                cure="Name a file in a folder that you may write to.",
            ) from error
        try:
            self._start_log(aside)
            engine = open_engine(aside, durability="full")
            try:
                self._bring_up_to_date(engine, now, version)
            finally:
                engine.dispose()
            try:
                os.link(aside, self.path)
            except FileExistsError:
                pass  # another process was first; its file is as good
            except OSError:
                # A file system without hard links: rename does not overwrite silently in
                # practice only where nobody else creates at the same moment.
                if not self.path.exists():
                    aside.rename(self.path)
        finally:
            for leftover in (aside, *(Path(f"{aside}{end}") for end in ("-wal", "-shm"))):
                leftover.unlink(missing_ok=True)

    def _start_log(self, file: Path) -> None:
        """Give an empty file its write-ahead log, which lets readers and a writer work at once."""
        with translated(self.path):
            file.chmod(0o600)
            connection = sqlite3.connect(file, isolation_level=None)
            try:
                connection.execute("PRAGMA page_size=4096").close()
                connection.execute("PRAGMA journal_mode=WAL").close()
            finally:
                connection.close()

    def _bring_up_to_date(self, engine: Engine, now: datetime, version: str) -> None:
        with translated(self.path):
            with engine.connect() as connection:
                missing = self._missing(connection)
            if not missing:
                return
            if self._read_only:
                raise ArchiveOutdated(cure="Run `ricordo status` on it once where it can be written.")
            with engine.connect().execution_options(ricordo_write=True) as connection, connection.begin():
                missing = self._missing(connection)  # another process may have been faster
                if missing:
                    from ricordo.archive.migrations.apply import apply_migrations

                    apply_migrations(connection, missing, now=now, version=version)
                    self._start_sequences(connection)

    def _missing(self, connection: Connection) -> tuple[Migration, ...]:
        tables = inspect(connection).get_table_names()
        if not tables:
            return missing_migrations({})
        ours = "migrations" in tables and "sequences" in tables and "workspaces" in tables
        if not ours:
            raise ArchiveCorrupt(
                f"The file {self.path} is a database, but not a Ricordo archive.",
                cure="Name another file.",
            )
        rows = connection.execute(select(migrations.c.revision, migrations.c.checksum))
        return missing_migrations({str(revision): str(checksum) for revision, checksum in rows})

    def _start_sequences(self, connection: Connection) -> None:
        have = set(connection.execute(select(sequences.c.name)).scalars())
        fresh = [{"name": str(kind), "value": 0} for kind in Kind if str(kind) not in have]
        if fresh:
            connection.execute(insert(sequences), fresh)

    @contextmanager
    def _connection(self, *, write: bool, flush: bool = True) -> Iterator[Connection]:
        if self._closed:
            raise ArchiveClosed(cure="Open it again with Memory.open().")
        self._check_identity()
        if write and self._read_only:
            raise ArchiveUnavailable(
                f"The archive {self.path} is open read only, since nothing can be written beside it: "
                "nothing was saved.",
                cure="Copy it to a folder that you may write to, and use the copy.",
            )
        engine = self._writing if write else self._engine
        with translated(self.path), engine.connect() as connection:
            eased = unflushed(connection) if write and self._flushes and not flush else nullcontext()
            with eased, transaction(connection, write=write):
                yield connection
                if write:
                    self._check_identity()

    @contextmanager
    def _my_turn(self) -> Iterator[None]:
        # Threads of one process take turns here, first come first served as far as the lock
        # is fair; waiting inside SQLite polls, and under load some thread would starve.
        if not self._turn.acquire(timeout=60):
            raise ArchiveBusy(cure="Nothing was saved. Try again.")
        try:
            yield
        finally:
            self._turn.release()

    def ensure_workspace(self, name: str, language: Language, now: datetime) -> Workspace:
        """See the contract."""
        found = self.find_workspace(name)
        if found is not None:
            return found
        with self._my_turn(), self._connection(write=True) as connection:
            row = connection.execute(select(workspaces).where(workspaces.c.name == name)).mappings().first()
            if row is not None:
                return _workspace(row)
            made = connection.execute(
                insert(workspaces)
                .values(name=name, language=str(language), created_at=now)
                .returning(*workspaces.columns)
            )
            return _workspace(made.mappings().one())

    def find_workspace(self, name: str) -> Workspace | None:
        """See the contract."""
        with self._connection(write=False) as connection:
            row = connection.execute(select(workspaces).where(workspaces.c.name == name)).mappings().first()
            return None if row is None else _workspace(row)

    def workspaces(self) -> Sequence[Workspace]:
        """See the contract."""
        with self._connection(write=False) as connection:
            rows = connection.execute(select(workspaces).order_by(workspaces.c.name)).mappings()
            return [_workspace(row) for row in rows]

    @contextmanager
    def read(self, workspace: Workspace) -> Iterator[ArchiveReader]:
        """See the contract."""
        with self._connection(write=False) as connection:
            yield SqlReader(connection, workspace)

    @contextmanager
    def write(self, workspace: Workspace, *, flush: bool = True) -> Iterator[ArchiveWriter]:
        """See the contract."""
        with self._my_turn(), self._connection(write=True, flush=flush) as connection:
            yield SqlWriter(connection, workspace)

    def diagnose(self) -> Iterator[tuple[str, bool, str]]:
        """See the contract."""
        with self._connection(write=False) as connection:
            result = connection.exec_driver_sql("PRAGMA quick_check(1)").scalar_one()
            yield "archive file", result == "ok", f"{self.path}: {result}"
            mode = self.path.stat().st_mode & 0o777
            yield (
                "file mode",
                mode & 0o077 == 0,
                f"{mode:04o}; run: chmod 600 '{self.path}'" if mode & 0o077 else f"{mode:04o}",
            )
            journal = connection.exec_driver_sql("PRAGMA journal_mode").scalar_one()
            if self._read_only:
                yield "journal", True, "none: read only, since nothing can be written beside the file"
            else:
                yield "journal", journal == "wal", f"journal mode {journal}, SQLite {sqlite3.sqlite_version}"
            newest = connection.execute(select(migrations.c.revision)).scalars().all()
            yield "migrations", True, f"{len(newest)} applied, newest {max(newest)}"

    def close(self) -> None:
        """See the contract."""
        if not self._closed:
            self._closed = True
            self._engine.dispose()


def may_write(folder: Path) -> bool:
    """Whether files can be made there; false also for the superuser on a read-only file system."""
    return os.access(folder, os.W_OK)


def _resolved(path: Path) -> Path:
    try:
        return path.absolute().resolve()
    except (OSError, RuntimeError, ValueError) as error:
        raise ArchiveUnavailable(
            f"The archive's path {str(path)!r} leads nowhere ({error}).", cure="Name another file."
        ) from error


def _workspace(row: Any) -> Workspace:
    return Workspace(
        num=row["num"],
        name=row["name"],
        language=Language(row["language"]),
        created_at=row["created_at"],
    )
