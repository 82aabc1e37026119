"""Numbers from ranked answers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ricordo.bench.cases import Question

TOP = 10
"""Results of each answer."""

DEEP = 100
"""Results in which a statement and the one that replaced it are looked for."""


class Answer(NamedTuple):
    """What came back for a question.

    Attributes:
        ranked: Keys, best first, at most `TOP`.
        part: Part of the data that the question belongs to.
        abstained: Whether it was said that nothing is known.
        new_above_old: For an update: whether the newer statement came first.
        ms: How long it took, whole and in parts.
    """

    question: Question
    ranked: tuple[str, ...]
    part: str
    abstained: bool = False
    new_above_old: bool | None = None
    ms: float = 0.0
    parts_ms: dict[str, float] | None = None


def recall_at(ranked: Sequence[str], gold: frozenset[str], count: int) -> float:
    """Share of the gold keys among the first `count`."""
    return len(gold.intersection(ranked[:count])) / len(gold)


def reciprocal_rank(ranked: Sequence[str], gold: frozenset[str]) -> float:
    """One over the rank of the first gold key; 0 where there is none."""
    return next((1 / rank for rank, key in enumerate(ranked, start=1) if key in gold), 0.0)


def newer_first(ranked: Sequence[str], question: Question) -> bool:
    """Whether the newer statement stands above every place of the one that it replaced."""
    first = {key: rank for rank, key in reversed(list(enumerate(ranked)))}
    new = min((first[key] for key in question.new if key in first), default=len(first))
    old = min((first[key] for key in question.old if key in first), default=len(first))
    return new < old


def percentile(values: Iterable[float], share: float) -> float:
    """The value that a share of all does not exceed (nearest rank); 0 of nothing."""
    ordered = sorted(values)
    if not ordered:
        return 0.0
    return ordered[min(len(ordered) - 1, max(0, math.ceil(share * len(ordered)) - 1))]


def spread(values: Iterable[float]) -> dict[str, float]:
    """Median and 95th percentile."""
    held = list(values)
    return {"p50": round(percentile(held, 0.5), 3), "p95": round(percentile(held, 0.95), 3)}


def scores(answers: Iterable[Answer]) -> dict[str, float | int]:
    """Recall at 1, 5 and 10 and MRR, in per cent and as a mean over the counted questions."""
    counted = [answer for answer in answers if answer.question.counted]
    found: dict[str, float | int] = {"n": len(counted)}
    for count in (1, 5, TOP):
        shares = [_found(answer, count) for answer in counted]
        found[f"recall_at_{count}"] = _percent(shares)
    ranks = [reciprocal_rank(answer.ranked, answer.question.gold) for answer in counted]
    found["mrr"] = round(sum(ranks) / len(ranks), 4) if ranks else 0.0
    return found


def _found(answer: Answer, count: int) -> float:
    found = recall_at(answer.ranked, answer.question.gold, count)
    return float(found > 0) if answer.question.one_is_enough else found


def share(values: Iterable[bool]) -> float | None:
    """How many are true, in per cent; None of nothing."""
    held = list(values)
    return _percent([float(value) for value in held]) if held else None


def _percent(values: Sequence[float]) -> float:
    return round(100 * sum(values) / len(values), 2) if values else 0.0
