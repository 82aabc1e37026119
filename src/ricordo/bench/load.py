"""Several real processes on one file, all started at once: errors, lost writes, throughput."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from ricordo.bench.load_worker import WORKSPACE
from ricordo.bench.synthetic import SyntheticEmbedder
from ricordo.errors import NotFound
from ricordo.memory import Memory

SPARE_S = 180.0
"""How much longer than asked for a process may take before the run is given up."""


def mixed_load(path: Path, processes: int, *, seconds: float) -> dict[str, Any]:
    """Let processes read and write for so long; afterwards every acknowledged write is looked for.

    Args:
        path: The archive; it need not exist.
        processes: How many.
        seconds: How long each works.
    """
    existed = path.exists()
    reports = _run(path, processes, seconds)
    errors = [error for report in reports for error in report["errors"]]
    promised: dict[str, int] = {}
    for report in reports:
        promised.update(report["promised"])
    done = sum((Counter(report["done"]) for report in reports), Counter[str]())
    took_s = max((report["took_s"] for report in reports), default=0.0)
    lost, clean = _looked_over(path, promised)
    return {
        "processes": processes,
        "file_existed": existed,
        "seconds": round(took_s, 2),
        "operations": dict(done),
        "acknowledged": len(promised),
        "errors": len(errors),
        "error_examples": errors[:5],
        "lost": len(lost),
        "lost_examples": lost[:5],
        "index_clean": clean,
        "operations_per_s": round(sum(done.values()) / max(took_s, 1e-9), 1),
    }


def _run(path: Path, processes: int, seconds: float) -> list[dict[str, Any]]:
    running = [_started(path, number, seconds) for number in range(processes)]
    try:
        for process in running:
            if process.stdout is not None:
                process.stdout.readline()  # "ready"
        for process in running:
            _let_go(process)
        return [_report(process, seconds) for process in running]
    finally:
        for process in running:
            _ended(process)


def _let_go(process: subprocess.Popen[str]) -> None:
    if process.stdin is None:
        return
    with suppress(BrokenPipeError):  # it has died; its report will say so
        process.stdin.write("go\n")
        process.stdin.flush()


def _ended(process: subprocess.Popen[str]) -> None:
    if process.poll() is None:
        process.kill()
        process.wait()
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            with suppress(BrokenPipeError):
                stream.close()


def _started(path: Path, number: int, seconds: float) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "ricordo.bench.load_worker", str(path), f"worker {number}", str(seconds)]
    return subprocess.Popen(  # noqa: S603
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )


def _report(process: subprocess.Popen[str], seconds: float) -> dict[str, Any]:
    try:
        out, _ = process.communicate(timeout=seconds + SPARE_S)
        found: dict[str, Any] = json.loads(out)
        return found
    except (subprocess.TimeoutExpired, ValueError):
        return {"promised": {}, "errors": [f"a process ended with {process.poll()}"], "done": {}, "took_s": 0}


def _looked_over(path: Path, promised: dict[str, int]) -> tuple[Sequence[str], bool]:
    """Promises that were not kept, and whether index and archive agree."""
    lost = []
    with Memory.open(path, workspace=WORKSPACE, embedder=SyntheticEmbedder()) as memory:
        for name, revision in promised.items():
            try:
                kept = memory.episodes.get(name).revision == revision
            except NotFound:
                kept = revision == 0
            if not kept:
                lost.append(name)
        memory.upkeep.drain()
        return lost, memory.upkeep.verify().clean
