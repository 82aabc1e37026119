"""Finding and reading the files of a data set."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ricordo.errors import UnreadableFile


def data_file(data: Path, folder: str, name: str) -> Path:
    """The file `name` of a data set.

    Args:
        data: The folder that holds the data set's folder, or the data set's folder itself.
        folder: Name of the data set's folder.
        name: Name of the file, which may also lie there with `.gz` or without.

    Raises:
        UnreadableFile: It is not there.
    """
    bare = name.removesuffix(".gz")
    for place in (data / folder, data):
        for candidate in (place / name, place / bare, place / f"{bare}.gz"):
            if candidate.is_file():
                return candidate
    raise UnreadableFile(
        f"The data is missing: there is no {folder}/{name} in {data}.",
        cure="Give the folder that holds it with --data.",
    )


def read_text(path: Path) -> str:
    """A UTF-8 file, plain or gzip.

    Raises:
        UnreadableFile: It cannot be read.
    """
    try:
        raw = path.read_bytes()
        return (gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw).decode("utf-8")
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise UnreadableFile(f"The data in {path} cannot be read: {error}.") from error


def read_json(path: Path) -> Any:
    """The one JSON value of a file."""
    try:
        return json.loads(read_text(path))
    except ValueError as error:
        raise UnreadableFile(f"The data in {path} is not valid JSON: {error}.") from error


def read_lines(path: Path) -> Iterator[Any]:
    """The JSON value of each line."""
    for number, line in enumerate(read_text(path).splitlines(), start=1):
        if line.strip():
            try:
                yield json.loads(line)
            except ValueError as error:
                raise UnreadableFile(f"Line {number} of {path} is not valid JSON: {error}.") from error
