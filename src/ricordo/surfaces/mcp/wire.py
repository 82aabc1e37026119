"""The process's stdin and stdout, kept for the protocol alone.

Whatever else in the process prints, a library or a stray `print`, comes out on
stderr: descriptor 1 is pointed there, and descriptor 0 at nothing, before
anything heavy is loaded. Only this module holds the real ones.
"""

from __future__ import annotations

import fcntl
import os
import select
import sys
import threading
from contextlib import suppress
from types import TracebackType
from typing import Self

CHUNK_BYTES = 65_536


class Wire:
    """Lines in and out. Reading can be ended from another thread or a signal handler by `stop`."""

    def __init__(self) -> None:
        _flush_stdout()
        self._in = _private(0)
        self._out = _private(1)
        nothing = os.open(os.devnull, os.O_RDWR)
        os.dup2(nothing, 0)
        os.dup2(2 if _is_open(2) else nothing, 1)
        os.close(nothing)
        self._stopped, self._stopper = os.pipe()
        self._left = b""
        self._ended = False
        self._writing = threading.Lock()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _flush_stdout()
        os.dup2(self._in, 0)
        os.dup2(self._out, 1)
        for held in (self._in, self._out, self._stopped, self._stopper):
            os.close(held)

    def stop(self) -> None:
        """End the reading, as if the other side had closed; may be called from a signal handler."""
        os.write(self._stopper, b".")

    @property
    def stopped(self) -> bool:
        """Whether `stop` was called."""
        return bool(select.select([self._stopped], [], [], 0)[0])

    def read_line(self) -> bytes:
        """The next line without its end; empty lines are skipped.

        Raises:
            EOFError: The other side has closed, or `stop` was called.
        """
        while True:
            line, found, rest = self._left.partition(b"\n")
            if found:
                self._left = rest
                if line.strip():
                    return line
            elif self._ended or not self._fill():
                self._left = b""
                if line.strip() and not self.stopped:
                    return line
                raise EOFError

    def _fill(self) -> bool:
        """Read on; false at the end."""
        ready = select.select([self._in, self._stopped], [], [])[0]
        chunk = b"" if self._stopped in ready else os.read(self._in, CHUNK_BYTES)
        parts = [self._left, chunk]
        # A long line is put together once, not again with each piece of it.
        while chunk and b"\n" not in chunk:
            ready = select.select([self._in, self._stopped], [], [])[0]
            chunk = b"" if self._stopped in ready else os.read(self._in, CHUNK_BYTES)
            parts.append(chunk)
        self._left = b"".join(parts)
        self._ended = not chunk
        return not self._ended

    def write_line(self, line: bytes) -> None:
        """Write one line; one that nobody reads any more ends the reading, too."""
        rest = memoryview(line + b"\n")
        with self._writing:
            try:
                while rest:
                    rest = rest[os.write(self._out, rest) :]
            except BrokenPipeError:
                self.stop()


def _private(descriptor: int) -> int:
    """A copy of a standard descriptor that children do not inherit."""
    return fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 3)


def _is_open(descriptor: int) -> bool:
    try:
        os.fstat(descriptor)
    except OSError:
        return False
    return True


def _flush_stdout() -> None:
    """What was printed so far goes where it was meant to go; a process may have no stdout."""
    with suppress(AttributeError, OSError, ValueError):
        sys.stdout.flush()
