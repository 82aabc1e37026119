"""Where answers, notes, questions and errors go, in what shape, and what happens when nobody reads them."""

from __future__ import annotations

import errno
import json
import os
import sys
import unicodedata
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from ricordo.errors import InvalidInput
from ricordo.surfaces.errors import body

if TYPE_CHECKING:
    from pydantic import BaseModel
    from rich.console import Console

    from ricordo.errors import RicordoError

BROKEN_PIPE = 141
"""Exit code where the reader of stdout went away, as a shell reports SIGPIPE (128 + 13)."""


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

    def confirm(self, question: str, *, yes: bool, what: str = "Deleting") -> None:
        """Ask before something is done that takes something away, unless the answer was given.

        Args:
            question: What is asked.
            yes: The answer that was given on the command line.
            what: What needs the answer.

        Raises:
            InvalidInput: Nobody is there to answer.
            Abort: The answer was no.
        """
        if yes:
            return
        if not is_terminal(sys.stdin):
            raise InvalidInput(f"{what} needs a yes, and nobody is here to be asked.", cure="Add --yes.")
        import typer

        typer.confirm(visible_line(question), abort=True, err=True)


_OBEYED = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
"""Unicode's categories of signs that do something rather than be seen."""


def visible(text: str) -> str:
    """A text that a terminal shows and never obeys: control signs become visible or go.

    Line ends and tabs stay, and so do signs that join letters. What turns the order of signs, hides,
    or has no width and no use in a word is shown by its number, such as `\\u202e`.
    """
    if text.isprintable():
        return text
    return "".join(_shown(sign) for sign in text.replace("\r\n", "\n"))


def visible_line(text: str) -> str:
    """The same on one line."""
    return " ".join(visible(text).split())


def _shown(sign: str) -> str:
    code = ord(sign)
    if sign in "\n\t\u200c\u200d" or unicodedata.category(sign) not in _OBEYED:
        return sign
    if code >= 0xA0:
        return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"
    if code < 0x20:
        return chr(0x2400 + code)
    return "\u2421" if code == 0x7F else "\ufffd"


def is_terminal(stream: object) -> bool:
    """Whether a person is on the other side."""
    try:
        return bool(stream.isatty())  # type: ignore[attr-defined]
    except (AttributeError, ValueError):
        return False


def tolerant() -> None:
    """Let no sign fail to be written, whatever the terminal's encoding."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


def abandon_stdout() -> None:
    """Send the rest of stdout nowhere, so that nothing complains at the end of the process."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, sys.stdout.fileno())
    except (OSError, ValueError):
        return
    finally:
        os.close(nowhere)


def write_all(data: bytes) -> None:
    """Write bytes to stdout, all of them.

    Raises:
        OutputFailed: They cannot be written.
        BrokenPipeError: Nobody reads any more.
    """
    rest = memoryview(data)
    try:
        sys.stdout.flush()
        # An unbuffered stdout (PYTHONUNBUFFERED) may take less than it is given.
        while rest:
            rest = rest[sys.stdout.buffer.write(rest) :]
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OutputFailed(error) from error


class OutputFailed(Exception):
    """The answer could not be written; what the command did is done."""

    def __init__(self, error: OSError) -> None:
        super().__init__(f"the answer could not be written ({error.strerror})")


def delivered(run: Callable[[], int]) -> int:
    """Run a command and see that its answer gets out.

    Args:
        run: Writes to stdout and answers the exit code.

    Returns:
        The exit code: another where the answer did not get out.
    """
    try:
        code = run()
        sys.stdout.flush()
    except BrokenPipeError:
        abandon_stdout()
        return BROKEN_PIPE
    except OutputFailed as error:
        abandon_stdout()
        sys.stderr.write(f"ricordo: {error}.\n")
        return 1
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        abandon_stdout()
        sys.stderr.write(f"ricordo: {OutputFailed(error)}.\n")
        return 1
    return code
