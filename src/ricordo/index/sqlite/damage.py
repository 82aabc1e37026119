"""Keyword tables that were dropped or damaged: how they are named, and how they are removed."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from ricordo.errors import IndexDamaged
from ricordo.records.base import Kind

Owner = TypeVar("Owner")
Args = ParamSpec("Args")
Answer = TypeVar("Answer")

_DAMAGE = frozenset({sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CORRUPT})
"""What FTS5 answers where a table of its own is missing or holds something else than it should."""

_SHADOWS = ("data", "idx", "content", "docsize", "config")
"""Tables that FTS5 keeps a table in (sqlite.org/fts5.html, section 9)."""


def named_damage(
    verb: Callable[Concatenate[Owner, Connection, int, Args], Answer],
) -> Callable[Concatenate[Owner, Connection, int, Args], Answer]:
    """Turn what SQLite says about missing or damaged keyword tables into `IndexDamaged`."""

    @wraps(verb)
    def run(
        owner: Owner, connection: Connection, workspace_num: int, /, *args: Args.args, **named: Args.kwargs
    ) -> Answer:
        try:
            return verb(owner, connection, workspace_num, *args, **named)
        except DBAPIError as error:
            if not _is_damage(error.orig):
                raise
            raise index_damaged(args, str(error.orig)) from error
        except sqlite3.Error as error:
            if not _is_damage(error):
                raise
            raise index_damaged(args, str(error)) from error
        except MemoryError as error:  # FTS5 believes a length that scrambled bytes name
            raise index_damaged(args, "out of memory") from error

    return run


def _is_damage(error: BaseException | None) -> bool:
    return int(getattr(error, "sqlite_errorcode", None) or 0) & 0xFF in _DAMAGE


def index_damaged(args: tuple[object, ...] = (), reason: str = "") -> IndexDamaged:
    """The one error for a keyword index that is missing, emptied or damaged."""
    kinds = [f" of {arg}s" for arg in args if isinstance(arg, Kind)]
    return IndexDamaged(
        f"The keyword index{''.join(kinds[:1])} is missing or damaged; the records themselves are safe.",
        cure="Run: ricordo index",
        **({"sqlite_error": reason} if reason else {}),
    )


def remove_damaged(connection: Connection, name: str) -> None:
    """Drop an FTS5 table, whatever is left of it.

    SQLite opens a table before it drops it, and cannot open one whose inner tables are damaged:
    those of a new empty table are put in their place first.
    """
    twin = f"{name}_twin"
    connection.exec_driver_sql(f"DROP TABLE IF EXISTS {name}_terms")
    connection.exec_driver_sql(f"CREATE VIRTUAL TABLE {twin} USING fts5(own)")
    for part in _SHADOWS:
        statement = "SELECT sql FROM sqlite_master WHERE name = ?"
        made = str(connection.exec_driver_sql(statement, (f"{twin}_{part}",)).scalar_one())
        connection.exec_driver_sql(f"DROP TABLE IF EXISTS {name}_{part}")
        connection.exec_driver_sql(made.replace(f"{twin}_{part}", f"{name}_{part}"))
        connection.exec_driver_sql(f"INSERT INTO {name}_{part} SELECT * FROM {twin}_{part}")
    connection.exec_driver_sql(f"DROP TABLE IF EXISTS {name}")
    for part in _SHADOWS:  # where there was no table over them
        connection.exec_driver_sql(f"DROP TABLE IF EXISTS {name}_{part}")
    connection.exec_driver_sql(f"DROP TABLE {twin}")
