"""What was typed or handed in: texts and JSON from arguments, files and stdin, whatever their encoding."""

from __future__ import annotations

import codecs
import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ricordo.errors import InvalidInput, UnreadableFile

STDIN = "-"
SHAPES = "Give one JSON document, or one on each line."

_MARKS = {codecs.BOM_UTF8: "utf-8-sig", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}

_EMPTY: dict[str, Any] = {
    "tags": (),
    "sources": (),
    "metadata": {},
    "concepts": (),
    "dependencies": (),
    "links": (),
}
"""What an emptied field holds, where that is not None."""


def decoded(raw: bytes) -> str:
    """Bytes as text: by their byte order mark, else UTF-8, else cp1252."""
    for mark, encoding in _MARKS.items():
        if raw.startswith(mark):
            return raw.decode(encoding, "replace")
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw.decode("cp1252", "replace")


def typed(text: str) -> str:
    """A text from an argument; '-' reads stdin, without the last line end."""
    if text == STDIN:
        return decoded(sys.stdin.buffer.read()).removesuffix("\n").removesuffix("\r")
    # Bytes of an argument that are not in the locale's encoding arrive as lone surrogates.
    return text if text.isascii() or text.isprintable() else _recoded(text)


def _recoded(text: str) -> str:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        try:
            return decoded(os.fsencode(text))
        except UnicodeEncodeError:
            return text
    return text


def typed_or_none(text: str | None) -> str | None:
    """The same where there may be none."""
    return None if text is None else typed(text)


def read_data(source: str) -> Any:
    """A JSON document, or a list from JSON lines, from a file or, as '-', from stdin.

    Raises:
        UnreadableFile: The file cannot be read.
        InvalidInput: It is neither.
    """
    name = "stdin" if source == STDIN else source
    try:
        raw = sys.stdin.buffer.read() if source == STDIN else Path(source).read_bytes()
    except (OSError, ValueError) as error:
        raise UnreadableFile(
            f"The file {source} cannot be read ({getattr(error, 'strerror', None) or error})."
        ) from error
    text = decoded(raw)
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return _json_lines(text, name)


def _json_lines(text: str, name: str) -> list[Any]:
    found = []
    # Not `splitlines`, which also splits at signs that JSON allows inside a string.
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            try:
                found.append(json.loads(line))
            except (ValueError, RecursionError) as error:
                raise InvalidInput(
                    f"Line {number} of {name} is not JSON ({error}).",
                    cure=SHAPES,
                    line=number,
                ) from error
    if not found:
        raise InvalidInput(f"There is no JSON in {name}.", cure=SHAPES)
    return found


def read_records(source: str) -> dict[str, Any] | list[dict[str, Any]]:
    """The fields of one record or of many, as `read_data`.

    Raises:
        UnreadableFile, InvalidInput: As there.
    """
    read = read_data(source)
    for item in read if isinstance(read, list) else [read]:
        if not isinstance(item, dict):
            raise InvalidInput("'--data': must be a JSON object, or a list of them.", field="--data")
    return read  # type: ignore[no-any-return]


def json_object(option: str, text: str | None) -> dict[str, Any] | None:
    """A JSON object from an option's value.

    Raises:
        InvalidInput: It is not one.
    """
    if text is None:
        return None
    try:
        value = json.loads(typed(text))
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"'{option}': not JSON ({error}).", field=option) from error
    if not isinstance(value, dict):
        raise InvalidInput(f"'{option}': must be a JSON object.", field=option)
    return value


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
