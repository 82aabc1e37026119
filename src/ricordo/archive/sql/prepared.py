"""Statements that run a thousand times a second, compiled once and run by the driver's own cursor.

SQLAlchemy spends five times as long around a small statement as SQLite does inside it. The statement is
still built from the tables, once for all engines; only the way to the driver is shorter.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import ClauseElement, Connection
from sqlalchemy.engine import Dialect
from sqlalchemy.sql import Select


def run(connection: Connection, sql: str, values: Any = ()) -> Any:
    """The driver's cursor of a statement in the driver's own words."""
    return connection.connection.cursor().execute(sql, values)


class Prepared:
    """One statement whose parameters are plain numbers and texts.

    Args:
        statement: Built from the tables; every parameter without a value is a `bindparam`. Lists are
            bound as JSON, so that their length does not change the words.
    """

    def __init__(self, statement: ClauseElement) -> None:
        self._statement = statement
        self._compiled: dict[str, _Compiled] = {}

    def rows(self, connection: Connection, **values: Any) -> list[tuple[Any, ...]]:
        """Every row, its values as the tables' types make them."""
        compiled = self._for(connection.dialect)
        cursor = run(connection, compiled.sql, compiled.bound(values))
        found: list[tuple[Any, ...]] = cursor.fetchall()
        return compiled.converted(found)

    def first(self, connection: Connection, **values: Any) -> tuple[Any, ...] | None:
        """The first row, or None."""
        rows = self.rows(connection, **values)
        return rows[0] if rows else None

    def names(self, connection: Connection) -> tuple[str, ...]:
        """Names of the columns of a row."""
        return self._for(connection.dialect).names

    def _for(self, dialect: Dialect) -> _Compiled:
        found = self._compiled.get(dialect.name)
        if found is None:
            found = self._compiled[dialect.name] = _Compiled(self._statement, dialect)
        return found


class _Compiled:
    """A statement in the words of one dialect."""

    def __init__(self, statement: ClauseElement, dialect: Dialect) -> None:
        compiled: Any = statement.compile(dialect=dialect)
        self.sql = str(compiled)
        self._fixed: dict[str, Any] = dict(compiled.params)
        self._order: list[str] | None = compiled.positiontup if compiled.positional else None
        columns = list(statement.selected_columns) if isinstance(statement, Select) else []
        self.names = tuple(str(column.key) for column in columns)
        made = [column.type.dialect_impl(dialect).result_processor(dialect, None) for column in columns]
        self._converters = [(place, change) for place, change in enumerate(made) if change is not None]

    def bound(self, values: dict[str, Any]) -> Sequence[Any] | dict[str, Any]:
        """The parameters as the driver takes them."""
        if self._order is None:
            return {**self._fixed, **values}
        return [values[name] if name in values else self._fixed[name] for name in self._order]

    def converted(self, rows: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
        """Rows whose stored values are those of the tables' types."""
        if not self._converters:
            return rows
        changed = []
        for row in rows:
            values = list(row)
            for place, change in self._converters:
                values[place] = change(values[place])
            changed.append(tuple(values))
        return changed
