"""Connections to one SQLite file, and what its errors mean."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.pool import QueuePool

from ricordo.errors import ArchiveBusy, ArchiveCorrupt, ArchiveError, ArchiveFull, ArchiveUnavailable

BUSY_TIMEOUT_MS = 60_000
"""How long a writer waits for its turn. Eight processes that import at once wait seconds."""


LOG_PAGES = 4_000
"""Pages of the log (16 MB) after which it is copied into the file, with three flushes: so many as
one block of SQLite's index of the log holds (sqlite.org/walformat.html, section 2.2)."""


def open_engine(path: Path, *, durability: str, read_only: bool = False) -> Engine:
    """An engine whose connections are ready for the archive's rules.

    Args:
        path: The file.
        durability: `full` flushes the disk at each commit and survives a power cut;
            `process` survives the death of the process only.
        read_only: The file is taken for one that nobody changes: SQLite needs no files beside it.
    """
    address = f"{path.as_uri()}?mode=ro&immutable=1" if read_only else path
    synchronous = "FULL" if durability == "full" else "NORMAL"

    def connect() -> sqlite3.Connection:
        connection = sqlite3.connect(
            address,
            timeout=BUSY_TIMEOUT_MS / 1000,
            isolation_level=None,
            check_same_thread=False,
            uri=read_only,
        )
        for pragma in (
            f"busy_timeout={BUSY_TIMEOUT_MS}",
            "foreign_keys=ON",
            f"synchronous={synchronous}",
            "temp_store=MEMORY",
            "cache_size=-32768",
            "mmap_size=268435456",
            f"wal_autocheckpoint={LOG_PAGES}",
        ):
            connection.execute(f"PRAGMA {pragma}").close()
        return connection

    engine = create_engine(
        "sqlite://",
        creator=connect,
        poolclass=QueuePool,
        pool_size=8,
        max_overflow=56,
        pool_timeout=60,
        pool_reset_on_return=None,  # every transaction is ended where it was begun
    )

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        driver = _driver(connection)
        if not driver.in_transaction:
            _start(driver, write=connection.get_execution_options().get("ricordo_write", False))

    return engine


def _driver(connection: Connection) -> sqlite3.Connection:
    driver: Any = connection.connection.driver_connection
    return cast(sqlite3.Connection, driver)


def _start(driver: sqlite3.Connection, *, write: bool) -> None:
    driver.execute("BEGIN IMMEDIATE" if write else "BEGIN")
    if not write:  # a deferred transaction takes its snapshot at its first look: now
        driver.execute("PRAGMA schema_version").close()


@contextmanager
def unflushed(connection: Connection) -> Iterator[None]:
    """Let what is committed inside reach the disk with the next commit that is flushed, in its order."""
    driver = _driver(connection)
    driver.execute("PRAGMA synchronous=NORMAL").close()
    try:
        yield
    finally:
        driver.execute("PRAGMA synchronous=FULL").close()


@contextmanager
def transaction(connection: Connection, *, write: bool) -> Iterator[None]:
    """One transaction; what was written is committed at the end of the block, or rolled back by an exception.

    It is the driver's own: what SQLAlchemy does around the beginning and the end of one costs
    more than a small save.
    """
    driver = _driver(connection)
    _start(driver, write=write)
    try:
        yield
        if write:
            driver.commit()
        else:  # FTS5 fails to commit what it has only read, where a table of its own is damaged
            driver.rollback()
    except BaseException:  # whatever it was, nothing of it stays
        driver.rollback()
        raise


_FULL = {sqlite3.SQLITE_FULL, getattr(sqlite3, "SQLITE_IOERR_WRITE", -1)}
_BUSY = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
_CORRUPT = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}


def archive_error(error: sqlite3.Error, path: Path) -> ArchiveError:
    """What an error of SQLite means to the caller."""
    extended = int(getattr(error, "sqlite_errorcode", None) or 0)
    code = extended & 0xFF
    details: dict[str, Any] = {"sqlite_error": str(error)}
    if code in _BUSY:
        return ArchiveBusy(
            cure="Nothing was saved. Try again; `ricordo doctor` shows who works on the file.", **details
        )
    if code in _FULL or extended in _FULL:
        return ArchiveFull(cure=f"Free some space beside {path} and try again.", **details)
    if code in _CORRUPT:
        return ArchiveCorrupt(
            f"The file {path} is damaged or is not a Ricordo archive ({error}).",
            cure="Restore it from a backup, or name another file.",
            **details,
        )
    if code in {sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_IOERR}:
        return ArchiveUnavailable(
            f"The archive {path} cannot be opened or written ({error}).",
            cure="Check that the folder exists and that you may write to it.",
            **details,
        )
    return ArchiveError(f"The archive failed: {error}.", **details)


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Turn errors of SQLite inside the block into Ricordo's."""
    try:
        yield
    except DBAPIError as error:
        if isinstance(error.orig, sqlite3.Error):
            raise archive_error(error.orig, path) from error
        raise
    except sqlite3.Error as error:
        raise archive_error(error, path) from error
    except PoolTimeout as error:
        raise ArchiveBusy("Too many threads use the archive at once.", cure="Try again.") from error
