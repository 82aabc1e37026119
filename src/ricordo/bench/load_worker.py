"""One of several processes that read and write one file; run as `python -m ricordo.bench.load_worker`.

It says `ready`, waits for a line, works for a time, and prints what it was promised.
"""

from __future__ import annotations

import json
import random
import sys
import time
from typing import Any

from ricordo.bench.synthetic import Babble, SyntheticEmbedder
from ricordo.errors import RicordoError
from ricordo.memory import Memory

SHARED = "shared"
WORKSPACE = "load"
MOST = 4_000
"""Operations of one process, at most."""


class Worker:
    """Mixed reads and writes.

    Attributes:
        promised: Revision by id of every episode that was acknowledged; 0 once deleted.
        errors: What failed.
        done: How many operations of each kind.
    """

    def __init__(self, memory: Memory, name: str) -> None:
        self._memory = memory
        self._random = random.Random(name)  # noqa: S311
        self._texts = Babble(seed=self._random.randrange(1 << 30)).texts(1_000)
        self._own = f"of {name}"
        self.promised: dict[str, int] = {}
        self.errors: list[str] = []
        self.done = {"adds": 0, "batches": 0, "updates": 0, "deletes": 0, "recalls": 0}

    def run(self, seconds: float) -> None:
        """Work for so long."""
        until = time.monotonic() + seconds
        for _ in range(MOST):
            if time.monotonic() > until:
                break
            kinds, weights = zip(*self._weights().items(), strict=True)
            kind = self._random.choices(kinds, weights)[0]
            try:
                getattr(self, f"_{kind}")()
                self.done[kind] += 1
            except RicordoError as error:
                self.errors.append(f"{kind}: {type(error).__name__}: {error}")

    def _weights(self) -> dict[str, int]:
        living = any(self.promised.values())
        change = 8 if living else 0
        return {"adds": 40, "batches": 7, "updates": change, "deletes": change // 2, "recalls": 41}

    def _text(self) -> str:
        return self._random.choice(self._texts)

    def _session(self) -> str:
        return SHARED if self._random.random() < 0.5 else self._own

    def _living(self) -> str:
        return self._random.choice([name for name, revision in self.promised.items() if revision])

    def _adds(self) -> None:
        receipt = self._memory.episodes.add(
            self._session(), user_message=self._text(), defer=self._random.random() < 0.5
        )
        self.promised[receipt.id] = receipt.revision

    def _batches(self) -> None:
        turns = [{"user_message": self._text()} for _ in range(10)]
        receipts = self._memory.episodes.add_many(self._session(), turns)
        self.promised.update({receipt.id: receipt.revision for receipt in receipts})

    def _updates(self) -> None:
        name = self._living()
        receipt = self._memory.episodes.update(name, {"user_message": self._text()}, defer=True)
        self.promised[name] = receipt.revision

    def _deletes(self) -> None:
        name = self._living()
        self._memory.episodes.delete(name)
        self.promised[name] = 0

    def _recalls(self) -> None:
        self._memory.recall(" ".join(self._text().split()[:6]))


def main(path: str, name: str, seconds: str) -> None:
    """Wait for the start, work, report."""
    embedder = SyntheticEmbedder()
    _say("ready")
    sys.stdin.readline()
    began = time.monotonic()
    report: dict[str, Any] = {}
    try:
        with Memory.open(path, workspace=WORKSPACE, embedder=embedder) as memory:
            worker = Worker(memory, name)
            worker.run(float(seconds))
        report = {"promised": worker.promised, "errors": worker.errors, "done": worker.done}
    except RicordoError as error:
        report = {"promised": {}, "errors": [f"open: {type(error).__name__}: {error}"], "done": {}}
    _say(json.dumps({**report, "took_s": time.monotonic() - began}))


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:4])
