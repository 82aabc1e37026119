"""What stands beside a candidate speaks for it: an answer follows its question."""

from __future__ import annotations

import numpy as np

from ricordo.recall.fusion import best_similarity, scaled_similarity
from ricordo.recall.plan import Plan
from ricordo.recall.pool import Ints, Pools
from ricordo.recall.voices import Listening
from ricordo.records.base import Kind


def hear_neighbours(pools: Pools, near: dict[Kind, Ints], listening: Listening, plan: Plan) -> None:
    """Give episodes the part `neighbour`: a share of the similarity of the turns beside them.

    `near` holds the numbers of those that are looked at.
    """
    pool = pools.get(Kind.EPISODE)
    if pool is None or listening.vector is None:
        return
    weights = plan.profile.kinds[Kind.EPISODE]
    beside = (
        listening.reader.adjacent(near[Kind.EPISODE].tolist(), weights.reach) if weights.neighbour else []
    )
    if not beside:
        return
    mine, others, distance = np.array(beside, dtype=np.int64).T
    unique, back = np.unique(others, return_inverse=True)
    similarity = np.full(len(unique), np.nan)
    known = np.isin(unique, pool.nums, assume_unique=True)
    similarity[known] = pool.similarity[pool.places(unique[known])]
    strange = np.flatnonzero(np.isnan(similarity))
    similarity[strange] = listening.similarities(Kind.EPISODE, unique[strange])
    share = weights.vector * weights.neighbour / distance
    amounts = np.zeros(len(pool))
    np.add.at(amounts, pool.places(mine), share * scaled_similarity(similarity, best_similarity(pools))[back])
    pool.give("neighbour", amounts)
