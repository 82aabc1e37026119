"""New rows, by statements that are compiled from the tables once and run by the driver's own cursor."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from sqlalchemy import Connection, Table, insert
from sqlalchemy.engine import Dialect


class _Words(NamedTuple):
    """An insertion in the words of one dialect.

    Attributes:
        names: Columns in the order of the parameters.
        by_name: Whether the driver takes them by name.
        changes: From a column's value to what the driver takes, where they differ, by place.
    """

    sql: str
    names: tuple[str, ...]
    by_name: bool
    changes: tuple[tuple[int, Callable[[Any], Any]], ...]

    def values(self, row: Mapping[str, Any]) -> Any:
        """A row as the driver takes it."""
        values = [row[name] for name in self.names]
        for place, change in self.changes:
            values[place] = change(values[place])
        return dict(zip(self.names, values, strict=True)) if self.by_name else values


@lru_cache(maxsize=64)
def _words(table: Table, names: tuple[str, ...], dialect: Dialect) -> _Words:
    compiled: Any = insert(table).inline().compile(dialect=dialect, column_keys=list(names))
    order = tuple(compiled.positiontup) if compiled.positional else names
    made = [table.c[name].type.dialect_impl(dialect).bind_processor(dialect) for name in order]
    changes = tuple((place, change) for place, change in enumerate(made) if change is not None)
    return _Words(str(compiled), order, not compiled.positional, changes)


def insert_rows(connection: Connection, table: Table, rows: Sequence[Mapping[str, Any]]) -> None:
    """Insert rows, all with the same columns."""
    if rows:
        words = _words(table, tuple(rows[0]), connection.dialect)
        connection.connection.cursor().executemany(words.sql, [words.values(row) for row in rows])
