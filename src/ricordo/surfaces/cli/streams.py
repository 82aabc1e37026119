"""The process's streams: who is on the other side, and what happens when nobody is any more."""

from __future__ import annotations

import os
import sys

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


def flushed(code: int) -> int:
    """Write out what stdout still holds; answers the exit code, another where that fails."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        abandon_stdout()
        return code or BROKEN_PIPE
    except OSError as error:
        abandon_stdout()
        sys.stderr.write(f"ricordo: the answer could not be written ({error.strerror}).\n")
        return code or 1
    return code
