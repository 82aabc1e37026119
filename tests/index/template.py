"""An archive and its index, from an empty archive that is made once."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import cache
from pathlib import Path

from sqlalchemy import Connection

from ricordo.archive.sqlite.archive import SqliteArchive
from ricordo.index.sqlite.index import SqliteIndex
from ricordo.testing.opened import OpenedPair, Pair
from ricordo.testing.samples import START


@cache
def _template() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="ricordo-tests-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    SqliteArchive(folder / "template.db", now=START, version="test").close()
    return folder / "template.db"


def open_sqlite(path: Path) -> tuple[SqliteArchive, SqliteIndex]:
    """The archive at a path, made of the template where there is none, and its index."""
    if not path.exists():
        shutil.copy(_template(), path)
    archive = SqliteArchive(path, now=START, version="test", durability="process")
    return archive, SqliteIndex(lambda: START)


class SqlitePair(OpenedPair):
    """Opens the embedded index."""

    def open_pair(self, tmp_path: Path) -> tuple[SqliteArchive, SqliteIndex]:
        return open_sqlite(tmp_path / "memory.db")


def prepared_pair(folder: Path) -> AbstractContextManager[Pair]:
    """The embedded index in a folder, with a workspace."""
    return SqlitePair().opened_pair(folder)


def explained(connection: Connection, call: Callable[[], object]) -> list[tuple[str, list[str]]]:
    """Every statement of a call with SQLite's plan for it."""
    raw = connection.connection.dbapi_connection
    statements: list[str] = []
    raw.set_trace_callback(statements.append)
    call()
    raw.set_trace_callback(None)
    plans = []
    for statement in statements:
        if statement.lstrip().upper().startswith(("SELECT", "UPDATE", "DELETE", "INSERT")):
            rows = raw.execute(f"EXPLAIN QUERY PLAN {statement}").fetchall()
            plans.append((statement, [row[3] for row in rows]))
    return plans
