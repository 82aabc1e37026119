"""Where in a database something lies: database, schema, table, column."""

from __future__ import annotations

import warnings
from typing import Self

from pydantic import model_validator

from ricordo.errors import InvalidInput
from ricordo.records.base import Name, Value, fold_name

LEVELS = ("database", "schema", "table", "column")

SHAPES_OF_PLACES = (
    frozenset({"database"}),
    frozenset({"database", "schema"}),
    frozenset({"database", "table"}),
    frozenset({"database", "schema", "table"}),
    frozenset({"database", "table", "column"}),
    frozenset(LEVELS),
)
"""Which levels a place can name."""

with warnings.catch_warnings():
    # `schema` is the field's word here; pydantic's deprecated method of the same name is not used.
    warnings.simplefilter("ignore", UserWarning)

    class Physical(Value):
        """A place in a database, named from left to right; a column needs its table.

        A schema or a table needs its database too, but a filter may leave that to the settings that
        bind it (see `within`). The schema may be left out: not every engine has them.
        """

        database: Name | None = None
        schema: Name | None = None  # type: ignore[assignment]
        table: Name | None = None
        column: Name | None = None

        @model_validator(mode="after")
        def _from_left_to_right(self) -> Self:
            if self.column is not None and self.table is None:
                raise ValueError("'column' needs its table")
            return self


def without_database(place: Physical) -> str | None:
    """The level that is named though its database is not, or None."""
    if place.database is not None:
        return None
    return next((level for level in LEVELS if getattr(place, level) is not None), None)


def within(place: Physical, bound: Physical) -> Physical:
    """The place that is asked for, inside the bound one.

    Raises:
        InvalidInput: It is not inside, or nothing says in which database it is.
    """
    named: dict[str, str | None] = {level: getattr(place, level) for level in LEVELS}
    for level in LEVELS:
        binding, asked = getattr(bound, level), named[level]
        if binding is None:
            continue
        if asked is not None and fold_name(asked) != fold_name(binding):
            raise InvalidInput(
                f"'{level}': the settings bind '{binding}', which a filter cannot leave.",
                cure=f"Leave '{level}' out, or use settings that bind another one.",
                field=level,
            )
        named[level] = binding
    found = Physical(**named)
    lone = without_database(found)
    if lone is not None:
        raise InvalidInput(
            f"'{lone}' needs its database.",
            cure="Name the database too, or bind one in the settings.",
            field=lone,
        )
    return found


def place_of(value: Physical) -> dict[str, str]:
    """The levels that are named, folded for comparison."""
    named = {level: getattr(value, level) for level in LEVELS}
    return {level: fold_name(name) for level, name in named.items() if name is not None}


def qualified(value: Physical) -> str:
    """The place in dots, as in SQL."""
    return ".".join(name for level in LEVELS if (name := getattr(value, level)) is not None)
