"""Saying honestly that nothing is known.

Two signs speak for an answer: that one of the best results holds the rare words of the question, and
that something stands out in meaning from the mass. Where both are missing, the evidence is weak. The rule
sees that a matter was never spoken of; it does not see that a matter was spoken of and just the detail
that is asked for is missing (docs/limits.md).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from ricordo.index.analysis import analyse
from ricordo.recall.fusion import best_similarity
from ricordo.recall.plan import Plan
from ricordo.recall.pool import Candidate, Pools
from ricordo.recall.voices import Listening
from ricordo.records.recall import Abstention

WEAK = 0.38
"""Evidence below this is weak; chosen on LoCoMo conversations 0 and 1 (docs/benchmarks.md)."""

STANDING_OUT = 0.1
"""What one standard deviation, by which the best similarity stands out, counts."""

TYPICAL_MAXIMUM = 3.5
"""How far the best of 500 unrelated vectors stands out; the best of n does by about sqrt(2 ln n)."""

WITHOUT_VECTORS = 2.0
"""What is assumed to stand out where only words are compared."""

ACROSS_LANGUAGES = 0.06
"""What is added where question and best result are in different languages: they can share no
word. Chosen on the sample conversation of `ricordo demo`, which is small."""

LOOKED_AT = 10
"""Results whose words are compared with the question."""

LOOKED_INTO = 1_000
"""Signs of the best result that its language is taken from."""


def abstention(
    pools: Pools, listening: Listening, plan: Plan, best: Sequence[Candidate], text: str
) -> Abstention | None:
    """Why the question has no answer here, or None.

    Args:
        pools: All candidates.
        listening: What the recall listened with.
        plan: The question made ready.
        best: The results, best first.
        text: Text of the best one.
    """
    if not best:
        return Abstention.NO_CANDIDATES
    meaning = STANDING_OUT * _standing_out(pools, listening)
    language = listening.reader.workspace.language
    if analyse(plan.text, language).language is not analyse(text[:LOOKED_INTO], language).language:
        meaning += ACROSS_LANGUAGES
    if meaning >= WEAK or meaning + _coverage(listening, plan, best[:LOOKED_AT]) >= WEAK:
        return None
    return Abstention.WEAK_EVIDENCE


def _coverage(listening: Listening, plan: Plan, best: Sequence[Candidate]) -> float:
    """The greatest share of the question's words that one of the results holds."""
    shares: list[float] = []
    for kind in {held.kind for held in best}:
        nums = [held.num for held in best if held.kind is kind]
        shares += listening.index.coverage(listening.reader, kind, plan.asked, nums).values()
    return max(shares, default=0.0)


def _standing_out(pools: Pools, listening: Listening) -> float:
    """Standard deviations by which the best similarity stands out, on the scale of 500 vectors."""
    if listening.space is None or listening.vector is None:
        return WITHOUT_VECTORS
    best = best_similarity(pools)
    found = []
    for kind in pools:
        count, mean, deviation = listening.index.spread(
            listening.reader, listening.space, kind, listening.vector
        )
        if count > 1 and deviation > 0:
            expected = math.sqrt(2 * math.log(count))
            found.append((best - mean) / deviation - expected + TYPICAL_MAXIMUM)
    return min(found, default=WITHOUT_VECTORS)
