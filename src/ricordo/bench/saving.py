"""Saving one by one, beside what the disk can do."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

from ricordo.bench.measures import spread
from ricordo.bench.synthetic import TURNS_A_SESSION, Babble, SyntheticEmbedder
from ricordo.memory import Memory

MOST = 2_000
"""Saves of one run, at most."""

PAGE_BYTES = 4_096


def flushes_per_s(folder: Path, *, seconds: float) -> float:
    """How often the disk can append a page and flush it."""
    file = folder / "flush.bin"
    with file.open("wb", buffering=0) as out:
        count = 0
        began = time.perf_counter()
        while time.perf_counter() - began < seconds:
            out.write(b"\x00" * PAGE_BYTES)
            os.fdatasync(out.fileno()) if hasattr(os, "fdatasync") else os.fsync(out.fileno())
            count += 1
        took_s = time.perf_counter() - began
    file.unlink()
    return round(count / took_s, 1)


def saves(path: Path, embedder: SyntheticEmbedder, durability: str, *, seconds: float) -> dict[str, Any]:
    """Save turn after turn with full text, vectors deferred, for so long or `MOST` times."""
    texts = Babble(seed=3).texts(MOST)
    took_ms: list[float] = []
    with Memory.open(path, workspace="saves", embedder=embedder, durability=durability) as memory:
        memory.episodes.add("warm", user_message="warm", defer=True)
        began, began_cpu = time.perf_counter(), time.process_time()
        for place, text in enumerate(texts):
            if time.perf_counter() - began > seconds:
                break
            start = time.perf_counter()
            session = f"{durability} {place // TURNS_A_SESSION}"
            memory.episodes.add(session, user_message=text, defer=True)
            took_ms.append((time.perf_counter() - start) * 1000)
        cpu_ms = (time.process_time() - began_cpu) * 1000
    times = spread(took_ms)
    return {
        "saves": len(took_ms),
        "per_s": round(1000 * len(took_ms) / max(sum(took_ms), 1e-9), 1),
        "p50_ms": times["p50"],
        "p95_ms": times["p95"],
        "cpu_mean_ms": round(cpu_ms / max(1, len(took_ms)), 3),
    }
