"""A fresh process that opens an archive and answers; run as `python -m ricordo.bench.fresh`.

It prints one line of JSON when the first answer is there, and another after some more.
"""

from __future__ import annotations

import time

_BEGAN = time.perf_counter()

import json  # noqa: E402
import resource  # noqa: E402
import sys  # noqa: E402
from pathlib import Path  # noqa: E402

MORE = 30
"""Further recalls, after which the memory that is held is read."""


def _rss_mb() -> float:
    """Most memory that the process has held."""
    try:  # ru_maxrss would count what the parent held when it started this process
        lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
        kib = next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))
        return round(kib * 1024 / 1e6, 1)
    except (OSError, StopIteration):
        unit = 1 if sys.platform == "darwin" else 1024
        return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6, 1)


def main(path: str, workspace: str, embedder: str, question: str) -> None:
    """Open, ask, say how long it took."""
    from ricordo import Memory

    imported = time.perf_counter()
    with Memory.open(path, workspace=workspace, embedder=embedder, create=False) as memory:
        opened = time.perf_counter()
        first = memory.recall(question)
        answered = time.perf_counter()
        _say(
            hits=len(first.hits),
            degraded=[item.code for item in first.degraded],
            import_ms=round((imported - _BEGAN) * 1000, 1),
            open_ms=round((opened - imported) * 1000, 1),
            first_recall_ms=round((answered - opened) * 1000, 1),
            cpu_ms=round(time.process_time() * 1000, 1),
        )
        for _ in range(MORE):
            memory.recall(question)
        _say(rss_mb=_rss_mb())


def _say(**values: object) -> None:
    sys.stdout.write(json.dumps(values) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:5])
