"""How long a recall takes, whole and in parts."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from ricordo.bench.filling import WORKSPACE
from ricordo.bench.measures import spread
from ricordo.bench.quality import PARTS
from ricordo.bench.synthetic import Babble, SyntheticEmbedder
from ricordo.embed.contract import Embedder
from ricordo.memory import Memory
from ricordo.settings import EmbedderChoice

QUESTIONS = 200
SAMPLE = 1_000


def recall_times(path: Path, records: int, embedder: SyntheticEmbedder, *, seconds: float) -> dict[str, Any]:
    """Recall over everything, in one session, and by keyword only; each for at most so long."""
    babble = Babble()
    questions = babble.questions(babble.texts(min(SAMPLE, records)), QUESTIONS)
    with Memory.open(path, workspace=WORKSPACE, embedder=embedder) as memory:
        memory.warm()
        found = {
            "unfiltered": _asked(memory, questions, None, seconds),
            "one_session": _asked(memory, questions, "session 0", seconds),
        }
    with Memory.open(path, workspace=WORKSPACE, embedder=EmbedderChoice.NONE) as memory:
        found["keywords_only"] = _asked(memory, questions, None, seconds)
    return found


def _asked(memory: Memory, questions: list[str], session: str | None, seconds: float) -> dict[str, Any]:
    filters = {} if session is None else {"session": session}
    memory.recall(questions[0], filters=filters)
    whole: list[float] = []
    cpu: list[float] = []
    parts: dict[str, list[float]] = {name: [] for name in PARTS}
    hits = 0
    began = time.perf_counter()
    for question in questions:
        if time.perf_counter() - began > seconds:
            break
        start, start_cpu = time.perf_counter(), time.process_time()
        recall = memory.recall(question, filters=filters)
        took_ms = (time.perf_counter() - start) * 1000
        cpu.append((time.process_time() - start_cpu) * 1000)
        whole.append(took_ms - recall.trace.timings_ms.get("embed", 0.0))
        hits += len(recall.hits)
        for name in PARTS:
            parts[name].append(recall.trace.timings_ms.get(name, 0.0))
    times = spread(whole)
    return {
        "n": len(whole),
        "p50_ms": times["p50"],
        "p95_ms": times["p95"],
        "cpu_p50_ms": spread(cpu)["p50"],
        "parts_ms": {name: spread(values) for name, values in parts.items()},
        "hits_mean": round(hits / max(1, len(whole)), 2),
    }


def question_ms(embedder: Embedder | None, *, seconds: float) -> dict[str, float] | None:
    """What one question costs the real model."""
    if embedder is None:
        return None
    babble = Babble()
    questions = babble.questions(babble.texts(SAMPLE), QUESTIONS)
    embedder.embed_question(questions[0])
    took_ms: list[float] = []
    began = time.perf_counter()
    for question in questions:
        if time.perf_counter() - began > seconds:
            break
        start = time.perf_counter()
        embedder.embed_question(question)
        took_ms.append((time.perf_counter() - start) * 1000)
    return spread(took_ms)
