"""Running a data set through the memory and through the baselines."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ricordo.assembly import build_embedder, build_engine
from ricordo.bench.baselines import DESCRIPTIONS, Baseline, Bm25, Document, Grep, PlainVectors, fitting
from ricordo.bench.cached import CachedEmbedder, RememberingEmbedder
from ricordo.bench.cases import Case, Suite
from ricordo.bench.environment import machine, versions
from ricordo.bench.measures import DEEP, TOP, Answer, newer_first, scores, share, spread
from ricordo.bench.product import Say, Subject
from ricordo.embed.contract import Embedder
from ricordo.index.projector import EMBEDDING_FORMAT, PROJECTION_FORMAT
from ricordo.index.sqlite.index import SqliteIndex
from ricordo.memory import Memory
from ricordo.recall.profiles import leaving_out, profile_for
from ricordo.records.base import Kind
from ricordo.settings import EmbedderChoice, load_settings

CONTEXT = "context"
"""The step that weighs the words around a record; it is the index's, the others are the profile's."""

PARTS = ("plan", "embed", "candidates", "fuse", "verify", "total")


def chosen_embedder(name: str | None, cache: Path | None) -> Embedder | None:
    """The embedder of a run.

    Args:
        name: As the setting `embedder`; what the environment says if omitted.
        cache: Folder in which vectors are kept.
    """
    inner = build_embedder(load_settings(given={"embedder": name}))
    return CachedEmbedder(inner, cache) if inner is not None and cache is not None else inner


def opened(path: Path, embedder: Embedder | None, without: Collection[str] = ()) -> Memory:
    """A memory to be measured, with steps of recall left out."""
    choice = EmbedderChoice.NONE if embedder is None else None
    # What is found does not depend on how safely it was saved, and the file is thrown away.
    settings = load_settings(given={"path": path, "embedder": choice, "durability": "process"})
    engine = build_engine(settings, embedder=embedder)
    engine.profiles = lambda kinds: leaving_out(profile_for(kinds), without)
    if CONTEXT in without:
        engine.index = SqliteIndex(engine.clock, context_weight=0.0)
    try:
        return Memory(engine, engine.open_workspace(settings.workspace), owns_engine=True)
    except BaseException:  # whatever it was, nothing stays open; it passes on
        engine.close()
        raise


def run_suite(
    suite: Suite, embedder: Embedder | None, say: Say, *, without: Collection[str] = ()
) -> dict[str, Any]:
    """Measure one suite.

    Args:
        suite: The data.
        embedder: None for keywords only.
        say: For progress.
        without: Steps of recall that are left out: `context` or of `ricordo.recall.profiles.STEPS`.

    Returns:
        The report, ready for JSON: recall in per cent, times in milliseconds.
    """
    began = time.perf_counter()
    answers: list[Answer] = []
    others: dict[str, list[Answer]] = {name: [] for name in DESCRIPTIONS}
    looked = wrong = records = 0
    with TemporaryDirectory(prefix="ricordo-bench-") as folder:
        path = Path(folder) / "bench.db"
        asked = None if embedder is None else RememberingEmbedder(embedder)
        with opened(path, asked, without) as archive:
            for case in suite.cases:
                subject = Subject(archive, case, Path(folder), say)
                documents = subject.documents()
                records += len(documents)
                answers += subject.answers()
                for name, held in _baseline_answers(case, documents, asked, say).items():
                    others[name] += held
                case_looked, case_wrong = subject.stale()
                looked, wrong = looked + case_looked, wrong + case_wrong
    report = {
        "suite": suite.name,
        **measured(suite, answers),
        "records": records,
        **_times(answers),
        "stale_returned": wrong,
        "stale_looked_at": looked,
        "baselines": {name: _baseline(suite, name, held) for name, held in others.items() if held},
    }
    return {**report, **_circumstances(suite, embedder, without, time.perf_counter() - began)}


def _baseline_answers(
    case: Case, documents: Sequence[Document], embedder: RememberingEmbedder | None, say: Say
) -> dict[str, list[Answer]]:
    makers: dict[str, Callable[[Sequence[Document]], Baseline]] = {"bm25": Bm25, "grep": Grep}
    if embedder is not None:
        makers["vector"] = lambda held: PlainVectors(held, embedder)
    found: dict[str, list[Answer]] = {}
    for name, make in makers.items():
        say(f"{case.name}: baseline {name}")
        held: dict[frozenset[tuple[str, str]], Baseline] = {}
        found[name] = []
        for question in case.questions:
            wanted = frozenset(question.filters.items())
            if wanted not in held:
                held[wanted] = make(fitting(documents, wanted))
            baseline = held[wanted]
            begun = time.perf_counter()
            ranked = baseline.rank(question.text)
            ms = (time.perf_counter() - begun) * 1000
            newer = newer_first(baseline.rank(question.text, DEEP), question) if question.new else None
            found[name].append(
                Answer(question, ranked, question.part or case.part, new_above_old=newer, ms=ms)
            )
    return found


def measured(suite: Suite, answers: Sequence[Answer]) -> dict[str, Any]:
    """Recall over all, by part and by category."""
    by_part = {
        name: {"what": what, **scores([answer for answer in answers if answer.part == name])}
        for name, what in suite.parts.items()
    }
    by_category = {}
    for key, name in suite.categories.items():
        mine = [answer for answer in answers if key in (answer.question.category, *answer.question.also)]
        if any(answer.question.counted for answer in mine):
            by_category[key] = {"name": name, **scores(mine)}
    whole = [answer for answer in answers if suite.headline in (None, answer.question.category)]
    found: dict[str, Any] = {**scores(whole), "parts": by_part, "by_category": by_category}
    updates = [answer.new_above_old for answer in answers if answer.new_above_old is not None]
    if updates:
        found["supersession"] = {"n": len(updates), "new_above_old": share(updates)}
    if suite.unanswerable is not None:
        empty = [answer for answer in answers if answer.question.category == suite.unanswerable]
        answerable = [answer for answer in answers if answer.question.counted]
        found["abstention"] = {
            "n": len(empty),
            "abstained": share(answer.abstained for answer in empty),
            "wrongly_abstained": share(answer.abstained for answer in answerable),
            "parts": {
                name: {
                    "abstained": share(answer.abstained for answer in empty if answer.part == name),
                    "wrongly_abstained": share(
                        answer.abstained for answer in answerable if answer.part == name
                    ),
                }
                for name in suite.parts
            },
        }
    return found


def _baseline(suite: Suite, name: str, answers: Sequence[Answer]) -> dict[str, Any]:
    found = measured(suite, answers)
    found.pop("abstention", None)
    times = spread(answer.ms for answer in answers)
    return {"what": DESCRIPTIONS[name], **found, "p50_ms": times["p50"], "p95_ms": times["p95"]}


def _times(answers: Sequence[Answer]) -> dict[str, Any]:
    whole = spread(answer.ms for answer in answers)
    parts = {part: spread((answer.parts_ms or {}).get(part, 0.0) for answer in answers) for part in PARTS}
    return {"p50_ms": whole["p50"], "p95_ms": whole["p95"], "parts_ms": parts}


def _circumstances(
    suite: Suite, embedder: Embedder | None, without: Collection[str], took_s: float
) -> dict[str, Any]:
    kinds = sorted({case.kind for case in suite.cases})
    profile = leaving_out(profile_for([Kind(kind) for kind in kinds]), without)
    weights = {str(kind): asdict(held) for kind, held in profile.kinds.items()}
    return {
        "settings": {
            "embedder": None if embedder is None else embedder.model,
            "top": TOP,
            "projection_format": PROJECTION_FORMAT,
            "embedding_format": EMBEDDING_FORMAT,
            "profile": weights,
            "vectors_cached": isinstance(embedder, CachedEmbedder),
            "without": sorted(set(without)),
            "language_model": None,
        },
        "machine": machine(),
        "versions": versions(),
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "took_s": round(took_s, 1),
    }
