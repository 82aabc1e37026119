"""What an update command was asked to change."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ricordo.errors import InvalidInput
from ricordo.surfaces.cli.reading import read_data

_EMPTY: dict[str, Any] = {"tags": (), "sources": (), "metadata": {}}
"""What an emptied field holds, where that is not None."""


def changes(given: Mapping[str, Any], *, clear: list[str] | None, data: str | None) -> dict[str, Any]:
    """The named fields with their new values.

    Args:
        given: From options; None where not given.
        clear: Names of fields to be emptied.
        data: A file with a JSON object of fields, or '-'.

    Raises:
        InvalidInput: Nothing is named, or the file holds no object.
    """
    named: dict[str, Any] = {}
    if data is not None:
        read = read_data(data)
        if not isinstance(read, dict):
            raise InvalidInput("'--data': must be a JSON object of changed fields.", field="--data")
        named.update(read)
    named.update({name: value for name, value in given.items() if value is not None})
    named.update({name: _EMPTY.get(name) for name in (item.replace("-", "_") for item in clear or ())})
    if not named:
        raise InvalidInput("There is nothing to change.", cure="Name a field; see --help.")
    return named
