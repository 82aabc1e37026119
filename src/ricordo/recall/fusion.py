"""One score from several voices.

Scores are brought to 0..1 within the recall: BM25 by its best, similarity from
a fixed floor to its best, so that how deep the voices were asked changes
nothing. Reciprocal rank fusion lost 5 to 9 points on conversations (a weak
voice's ranks count as much as a strong one's): docs/decisions/0005-recall-pipeline.md.
"""

from __future__ import annotations

import numpy as np

from ricordo.recall.pool import Floats, Pool, Pools
from ricordo.recall.profiles import Profile
from ricordo.records.recall import Voice

SIMILARITY_FLOOR = -0.2
"""Similarity, of centred vectors, that counts nothing."""


def scaled_similarity(similarity: Floats, best: float) -> Floats:
    """Similarities on the scale 0..1 of their recall; unknown ones count nothing."""
    scaled = np.maximum(similarity - SIMILARITY_FLOOR, 0.0) / max(best - SIMILARITY_FLOOR, 1e-9)
    return np.nan_to_num(scaled, nan=0.0)


def best_similarity(pools: Pools) -> float:
    """The highest similarity of the recall; 0 where none is known."""
    best = [np.nanmax(pool.similarity) for pool in pools.values() if not np.isnan(pool.similarity).all()]
    return float(max(best, default=0.0))


RANK_CONSTANT = 60
"""The constant of reciprocal rank fusion (Cormack, Clarke and Buettcher, SIGIR 2009)."""


def fuse(pools: Pools, profile: Profile) -> None:
    """Give each candidate the parts `lexical` and `vector`, out of the voices' scores.

    Where vectors speak, a record that has none yet is judged by its words alone: they count for
    both. Otherwise any ten records with vectors would stand before the one that was named.
    """
    best = best_similarity(pools)
    by_meaning = any(not np.isnan(pool.similarity).all() for pool in pools.values())
    most = max((float(pool.voices[Voice.LEXICAL].scores.max()) for pool in pools.values()), default=0.0)
    for kind, pool in pools.items():
        weights = profile.kinds[kind]
        if most > 0:
            heard = np.maximum(pool.voices[Voice.LEXICAL].scores, 0.0)
            silent = np.isnan(pool.similarity) if by_meaning else np.zeros(len(pool))
            pool.give("lexical", (weights.lexical + weights.vector * silent) * heard / most)
        pool.give("vector", weights.vector * scaled_similarity(pool.similarity, best))


def reciprocal_ranks(pool: Pool) -> Floats:
    """The fused score of each candidate, out of its ranks alone."""
    score = np.zeros(len(pool))
    for heard in pool.voices.values():
        score += np.where(heard.ranks > 0, 1 / (RANK_CONSTANT + heard.ranks), 0.0)
    return score
