"""Speed of one archive of a given size, measured from the outside."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ricordo.bench.asking import question_ms, recall_times
from ricordo.bench.environment import machine, versions
from ricordo.bench.filling import add_batches, drain_rate, fill_vectors, import_records
from ricordo.bench.load import mixed_load
from ricordo.bench.product import Say
from ricordo.bench.quality import chosen_embedder
from ricordo.bench.saving import flushes_per_s, saves
from ricordo.bench.starting import RUNS, first_answer, handshake, interpreter_ms, version_ms
from ricordo.bench.synthetic import Babble, SyntheticEmbedder
from ricordo.embed.contract import Embedder
from ricordo.settings import EmbedderChoice

WITHOUT_VECTORS = 20_000
LARGE = 100_000
"""From so many records on, the handshake is measured while so many have no vectors."""


def measure_speed(
    records: int, *, processes: int, embedder: str | None, seconds: float, say: Say
) -> dict[str, Any]:
    """Make an archive and measure it.

    Args:
        records: Episodes of the archive.
        processes: Of the mixed load; 0 leaves it out.
        embedder: The real model, as the setting `embedder`.
        seconds: How long each repeated measurement goes on, at most.
        say: For progress.
    """
    began = time.perf_counter()
    real = chosen_embedder(embedder, None)
    # Vectors are filed under the real model's name, so that its questions are compared with them.
    fake = SyntheticEmbedder(real.model, real.dimension) if real else SyntheticEmbedder()
    with TemporaryDirectory(prefix="ricordo-bench-") as folder:
        path = Path(folder) / "speed.db"
        report = _archive(path, records, _name(embedder, real), fake, seconds, say)
        report["recall"] = _step(say, "recall", lambda: recall_times(path, records, fake, seconds=seconds))
        report["question_embed_ms"] = question_ms(real, seconds=seconds)
        report |= _fresh(path, records, _name(embedder, real), seconds, say)
        report["saves"] = _step(say, "saves", lambda: _saves(path, records, fake, seconds))
        if processes:
            report["load"] = _step(say, f"{processes} processes", lambda: _load(path, processes, seconds))
    report["ratios"] = _ratios(report)
    whole = report["recall"]["unfiltered"]
    head = {"suite": "speed", "records": records, "p50_ms": whole["p50_ms"], "p95_ms": whole["p95_ms"]}
    return {
        **head,
        **report,
        "settings": {"embedder": None if real is None else real.model, "seconds": seconds, "seed": 1},
        "machine": machine(),
        "versions": versions(),
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "took_s": round(time.perf_counter() - began, 1),
    }


def _name(embedder: str | None, real: Embedder | None) -> str:
    return str(EmbedderChoice.NONE) if real is None else embedder or str(EmbedderChoice.AUTO)


def _step(say: Say, name: str, measure: Callable[[], Any]) -> Any:
    say(name)
    return measure()


def _archive(
    path: Path, records: int, embedder: str, fake: SyntheticEmbedder, seconds: float, say: Say
) -> dict[str, Any]:
    """Make the archive; measures bulk import, the handshake on the way, and size."""
    left = WITHOUT_VECTORS if records >= LARGE else 0
    report: dict[str, Any] = {"import": import_records(path, records, fake, say)}
    size = _bytes(path)
    last = fill_vectors(path, fake, records - left, say)
    report["mcp_handshake"] = {
        "without_vectors": left,
        **_step(say, "MCP handshake", lambda: handshake(path, embedder, runs=_runs(seconds))),
    }
    if left:
        fill_vectors(path, fake, left, say, after=last)
    report["disk"] = {
        "bytes_a_record": round(_bytes(path) / records),
        "of_it_vectors": round((_bytes(path) - size) / records),
    }
    return report


def _runs(seconds: float) -> int:
    """How often a process is started for one number."""
    return max(1, min(RUNS, round(seconds)))


def _fresh(path: Path, records: int, embedder: str, seconds: float, say: Say) -> dict[str, Any]:
    runs = _runs(seconds)
    babble = Babble()
    question = babble.questions(babble.texts(min(100, records)), 1)[0]
    say("first answer of a fresh process")
    found: dict[str, Any] = {
        "keywords_only": first_answer(path, str(EmbedderChoice.NONE), question, runs=runs)
    }
    if embedder != EmbedderChoice.NONE:
        found["with_model"] = first_answer(path, embedder, question, runs=runs)
    python_ms = interpreter_ms(runs=runs)
    return {
        "first_answer": {**found, "python_alone_ms": python_ms},
        "memory_mb": {name: item.get("rss_mb") for name, item in found.items()},
        "version_ms": version_ms(runs=runs),
    }


def _saves(path: Path, records: int, fake: SyntheticEmbedder, seconds: float) -> dict[str, Any]:
    flushes = flushes_per_s(path.parent, seconds=min(2.0, seconds))
    full = saves(path, fake, "full", seconds=seconds)
    return {
        "disk_flushes_per_s": flushes,
        "full": full,
        "process": saves(path, fake, "process", seconds=seconds),
        "bulk": add_batches(path, records, fake),
        "drain_per_s_without_model": drain_rate(path, fake),
    }


def _load(path: Path, processes: int, seconds: float) -> dict[str, Any]:
    return {
        "on_this_archive": mixed_load(path, processes, seconds=seconds),
        "on_a_new_file": mixed_load(path.with_name("new.db"), processes, seconds=seconds),
    }


def _ratios(report: dict[str, Any]) -> dict[str, float]:
    """What says more than times that depend on the machine."""
    answer, recall, saved = report["first_answer"], report["recall"], report["saves"]
    pairs = {
        "first_answer_to_python": (answer["keywords_only"].get("median_ms"), answer["python_alone_ms"]),
        "version_to_python": (report["version_ms"], answer["python_alone_ms"]),
        "one_session_to_unfiltered": (recall["one_session"]["p50_ms"], recall["unfiltered"]["p50_ms"]),
        "keywords_only_to_unfiltered": (recall["keywords_only"]["p50_ms"], recall["unfiltered"]["p50_ms"]),
        "durable_saves_to_disk_flushes": (saved["full"]["per_s"], saved["disk_flushes_per_s"]),
        "process_saves_to_durable": (saved["process"]["per_s"], saved["full"]["per_s"]),
        "bulk_to_durable_saves": (saved["bulk"]["per_s"], saved["full"]["per_s"]),
    }
    return {name: round(one / other, 3) for name, (one, other) in pairs.items() if one and other}


def _bytes(path: Path) -> int:
    files = (path, path.with_name(f"{path.name}-wal"), path.with_name(f"{path.name}-shm"))
    return sum(file.stat().st_size for file in files if file.exists())
