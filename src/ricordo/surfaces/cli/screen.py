"""Where answers, notes and errors go, and in what shape."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from ricordo.surfaces.cli.streams import is_terminal, write_all
from ricordo.surfaces.errors import body

if TYPE_CHECKING:
    from pydantic import BaseModel
    from rich.console import Console

    from ricordo.errors import RicordoError


class Screen:
    """Stdout for answers, stderr for the rest.

    Args:
        as_json: JSON on stdout; decided by whether stdout is a terminal where None.
        quiet: No notes and no progress.
    """

    def __init__(self, *, as_json: bool | None = None, quiet: bool = False) -> None:
        self.as_json = not is_terminal(sys.stdout) if as_json is None else as_json
        # With stdout in a pipe or file, a person may still be reading stderr.
        self.errors_as_json = self.as_json and (as_json is True or not is_terminal(sys.stderr))
        self.quiet = quiet

    def answer(self, value: BaseModel | Mapping[str, Any], show: Callable[[Console, Any], None]) -> None:
        """Write the answer of a command.

        Args:
            value: What is written as JSON.
            show: Writes it for people.
        """
        if self.as_json:
            self._write_json(value)
        else:
            from ricordo.surfaces.cli.rendering.console import Plain

            show(Plain(), value)

    def _write_json(self, value: BaseModel | Mapping[str, Any]) -> None:
        plain = value if isinstance(value, Mapping) else value.model_dump(mode="json")
        indent = 2 if is_terminal(sys.stdout) else None
        text = json.dumps(plain, ensure_ascii=False, indent=indent) + "\n"
        # JSON is UTF-8 whatever the terminal's encoding.
        write_all(text.encode("utf-8", "replace"))

    def note(self, text: str) -> None:
        """Write a line to stderr, unless quiet."""
        if not self.quiet:
            sys.stderr.write(f"ricordo: {visible_line(text)}\n")

    def fail(self, error: RicordoError) -> None:
        """Write an error to stderr."""
        if self.errors_as_json:
            sys.stderr.write(json.dumps(body(error), default=str) + "\n")
        else:
            sys.stderr.write(f"ricordo: {visible_line(str(error))}\n")


def visible(text: str) -> str:
    """A text that a terminal shows and never obeys: control signs become visible or go.

    Line ends and tabs stay.
    """
    if text.isprintable():
        return text
    return "".join(_shown(sign) for sign in text.replace("\r\n", "\n"))


def visible_line(text: str) -> str:
    """The same on one line."""
    return " ".join(visible(text).split())


def _shown(sign: str) -> str:
    code = ord(sign)
    if sign in "\n\t" or code >= 0xA0 or sign.isprintable():
        return sign
    if code < 0x20:
        return chr(0x2400 + code)
    return "\u2421" if code == 0x7F else "\ufffd"
