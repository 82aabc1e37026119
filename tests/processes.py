"""Real processes, of the installed program or of Python code: run to their end, or started and ended."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO

PROGRAM = str(Path(sys.executable).with_name("ricordo"))
"""The installed program."""

END_S = 240
"""Seconds after which a process has hung."""

Stream = int | IO[bytes] | None


def python(code: str, *arguments: str, options: Sequence[str] = ()) -> list[str]:
    """The command that runs code in an interpreter of its own."""
    return [sys.executable, *options, "-c", code, *arguments]


def run(
    command: Sequence[str | bytes],
    *,
    stdin: bytes = b"",
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
) -> subprocess.CompletedProcess[bytes]:
    """Run a command to its end, and take what it writes as bytes.

    Args:
        command: Program and arguments.
        stdin: What it reads.
        env: Its environment; that of the tests if omitted.
        cwd: Its folder; that of the tests if omitted.
    """
    return subprocess.run(
        command, input=stdin, capture_output=True, env=env, cwd=cwd, timeout=END_S, check=False
    )


def run_text(
    command: Sequence[str], *, env: Mapping[str, str] | None = None, cwd: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """The same, with what it writes as text."""
    done = run(command, env=env, cwd=cwd)
    return subprocess.CompletedProcess(command, done.returncode, done.stdout.decode(), done.stderr.decode())


@contextmanager
def started(
    command: Sequence[str],
    *,
    stdin: Stream = subprocess.PIPE,
    stdout: Stream = subprocess.PIPE,
    stderr: Stream = subprocess.PIPE,
    env: Mapping[str, str] | None = None,
) -> Iterator[subprocess.Popen[bytes]]:
    """Start a command; one that has not ended by itself is killed at the end, and its streams are closed."""
    with subprocess.Popen(command, stdin=stdin, stdout=stdout, stderr=stderr, env=env) as process:
        try:
            yield process
        finally:
            process.kill()
            process.wait(END_S)
