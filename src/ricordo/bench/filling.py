"""Making the archive that speed is measured on."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

from ricordo.bench.product import Say
from ricordo.bench.synthetic import Babble, SyntheticEmbedder, messages
from ricordo.importers.chat import import_chat
from ricordo.index.contract import Embedded
from ricordo.index.projector import embedding_texts, stamp
from ricordo.memory import Memory
from ricordo.records.base import Kind
from ricordo.records.work import Work

WORKSPACE = "speed"
BATCH = 500
MOST_BATCHES = 20
FILL_CHUNK = 2_000


def import_records(path: Path, records: int, embedder: SyntheticEmbedder, say: Say) -> dict[str, Any]:
    """Import a file of made-up turns, vectors deferred; answers the rate."""
    file = path.with_suffix(".jsonl")
    say(f"writing {records} turns to a file")
    with file.open("w", encoding="utf-8") as out:
        for message in messages(records):
            out.write(json.dumps(message) + "\n")
    with Memory.open(path, workspace=WORKSPACE, embedder=embedder, durability="full") as memory:
        began, began_cpu = time.perf_counter(), time.process_time()
        report = import_chat(
            memory, file, progress=lambda done, total: say(f"importing: {100 * done // max(1, total)} %")
        )
        took_s = time.perf_counter() - began
        cpu_s = time.process_time() - began_cpu
    found = {
        "what": "a JSON lines file of sessions of 30 turns, 500 turns a durable transaction",
        "episodes": report.episodes_added,
        "file_mb": round(file.stat().st_size / 1e6, 1),
        "per_s": round(report.episodes_added / took_s, 1),
        "per_cpu_s": round(report.episodes_added / max(cpu_s, 1e-9), 1),
    }
    file.unlink()
    return found


def add_batches(path: Path, records: int, embedder: SyntheticEmbedder) -> dict[str, Any]:
    """Add about so many turns to one session, in batches, vectors deferred; answers the rate."""
    batches = max(1, min(MOST_BATCHES, records // BATCH))
    texts = Babble(seed=2).texts(BATCH * batches)
    with Memory.open(path, workspace="bulk", embedder=embedder, durability="full") as memory:
        began, began_cpu = time.perf_counter(), time.process_time()
        for start in range(0, len(texts), BATCH):
            part = [{"user_message": text} for text in texts[start : start + BATCH]]
            memory.episodes.add_many("bulk", part, defer=True)
        took_s = time.perf_counter() - began
        cpu_s = time.process_time() - began_cpu
    return {
        "what": f"{batches} calls of add_many with {BATCH} turns, each a durable transaction",
        "per_s": round(len(texts) / took_s, 1),
        "per_cpu_s": round(len(texts) / max(cpu_s, 1e-9), 1),
    }


def fill_vectors(path: Path, embedder: SyntheticEmbedder, count: int, say: Say, *, after: int = 0) -> int:
    """Give so many episodes vectors; the work of the others stays pending.

    Args:
        path: The archive.
        embedder: What the vectors come from.
        count: How many.
        say: For progress.
        after: Number of the episode to go on after.

    Returns:
        Number of the last episode that was given vectors.
    """
    with Memory.open(path, workspace=WORKSPACE, embedder=embedder) as memory:
        engine, workspace = memory.episodes.engine, memory.workspace
        space = engine.space(workspace)
        done = 0
        while space is not None and done < count:
            with engine.archive.read(workspace) as reader:
                part = reader.scan(Kind.EPISODE, after=after, limit=min(FILL_CHUNK, count - done))
            if not part:
                break
            vectors = embedder.embed_passages([embedding_texts(item.record)[0] for item in part])
            rows = [
                Embedded(stamp(item.num, item.record), vector[None, :])
                for item, vector in zip(part, vectors, strict=True)
            ]
            with engine.archive.write(workspace) as writer:
                engine.index.put_vectors(writer, space, rows)
                writer.clear_work(Work.EMBED, Kind.EPISODE, [item.num for item in part])
            after, done = part[-1].num, done + len(part)
            say(f"vectors: {done} of {count}")
    return after


def drain_rate(path: Path, embedder: SyntheticEmbedder, most: int = 1_000) -> float | None:
    """Records a second that the worker's own loop gets done when the model costs nothing."""
    with Memory.open(path, workspace="bulk", embedder=embedder) as memory:
        done = 0

        def note(count: int, total: int) -> None:
            nonlocal done
            del total
            done = count

        began = time.perf_counter()
        memory.upkeep.drain(progress=note, stop=lambda: done >= most)
        took_s = time.perf_counter() - began
    return round(done / took_s, 1) if done else None
