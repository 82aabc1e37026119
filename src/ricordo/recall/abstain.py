"""Saying honestly that nothing is known."""

from __future__ import annotations

from ricordo.recall.fusion import best_similarity
from ricordo.recall.pool import Pools
from ricordo.records.recall import Abstention, Voice

MIN_SIMILARITY = 0.12
"""Similarity, of centred vectors, below which nothing found means what the question means."""


def abstention(pools: Pools, *, by_meaning: bool) -> Abstention | None:
    """Why the question has no answer here, or None.

    The evidence is weak where no candidate shares a word with the question and none is near
    it in meaning.
    """
    if not pools:
        return Abstention.NO_CANDIDATES
    heard = any(pool.voices[Voice.LEXICAL].count for pool in pools.values())
    if heard or not by_meaning:
        return None
    return Abstention.WEAK_EVIDENCE if best_similarity(pools) < MIN_SIMILARITY else None
