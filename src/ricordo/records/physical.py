"""Where in a database something lies: database, schema, table, column."""

from __future__ import annotations

import warnings
from typing import Self

from pydantic import model_validator

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
        """A place in a database, named from left to right.

        A schema or a table needs its database, a column its table. The schema may be left out: not
        every engine has them.
        """

        database: Name | None = None
        schema: Name | None = None  # type: ignore[assignment]
        table: Name | None = None
        column: Name | None = None

        @model_validator(mode="after")
        def _from_left_to_right(self) -> Self:
            for name, needed in (("schema", "database"), ("table", "database"), ("column", "table")):
                if getattr(self, name) is not None and getattr(self, needed) is None:
                    raise ValueError(f"'{name}' needs its {needed}")
            return self


def place_of(value: Physical) -> dict[str, str]:
    """The levels that are named, folded for comparison."""
    named = {level: getattr(value, level) for level in LEVELS}
    return {level: fold_name(name) for level, name in named.items() if name is not None}


def qualified(value: Physical) -> str:
    """The place in dots, as in SQL."""
    return ".".join(name for level in LEVELS if (name := getattr(value, level)) is not None)
