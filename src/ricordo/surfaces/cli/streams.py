"""The process's streams: who is on the other side, and what happens when nobody is any more."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable

BROKEN_PIPE = 141
"""Exit code where the reader of stdout went away, as a shell reports SIGPIPE (128 + 13)."""


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
