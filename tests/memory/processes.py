"""Real processes that use a memory, and are killed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from processes import python, started

PRELUDE = """
import json, sys, time
from ricordo.embed.hashing import HashingEmbedder
from ricordo.memory import Memory

path, number = sys.argv[1], int(sys.argv[2])


def say(**what):
    print(json.dumps(what), flush=True)


def opened(embedder=None):
    return Memory.open(path, embedder=embedder or HashingEmbedder(64), durability="process")

"""


class Process:
    """A Python process that says one JSON object a line.

    Args:
        code: Runs after the prelude.
        path: The archive.
        number: For telling processes apart.
    """

    def __init__(self, code: str, path: Path, number: int = 0) -> None:
        self._context = started(python(PRELUDE + code, str(path), str(number)))

    def __enter__(self) -> Self:
        self._running = self._context.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._context.__exit__(kind, error, trace)

    def go(self) -> None:
        """Let a process go on that reads a line."""
        assert self._running.stdin is not None
        self._running.stdin.write(b"go\n")
        self._running.stdin.flush()

    def tell(self, action: str, values: object) -> None:
        """Hand a process a line of code and a line of JSON that it reads."""
        assert self._running.stdin is not None
        self._running.stdin.write(f"{action}\n{json.dumps(values)}\n".encode())
        self._running.stdin.flush()

    def said(self) -> Iterator[dict[str, Any]]:
        """What it says, as it says it."""
        assert self._running.stdout is not None
        for line in self._running.stdout:
            if line.endswith(b"}\n"):
                yield json.loads(line)

    def kill(self) -> None:
        """SIGKILL."""
        self._running.kill()
        self._running.wait()

    def ended(self) -> tuple[int, str]:
        """Exit code and what it said on stderr, once it has ended by itself."""
        assert self._running.stderr is not None
        errors = self._running.stderr.read().decode()
        return self._running.wait(), errors
