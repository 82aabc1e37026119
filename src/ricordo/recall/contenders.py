"""Which candidates can still be among the results.

What is fused gives most of a score, and the steps that follow can add to it or take from it only so much.
A candidate that would stay behind the last result even if it were given everything, and the results lost
what they can lose, is not looked at any more: the answer is the same, with half of the reading.
"""

from __future__ import annotations

import numpy as np

from ricordo.recall.plan import Plan
from ricordo.recall.pool import Ints, Pools
from ricordo.recall.profiles import KindProfile
from ricordo.records.base import Kind

SLACK = 1e-9
"""For the rounding of sums."""


def contenders(pools: Pools, plan: Plan, *, wanted: int, by_meaning: bool) -> dict[Kind, Ints]:
    """Numbers of the candidates of each kind that can be among the best `wanted`, rising.

    Args:
        pools: All candidates, fused.
        plan: What the later steps will look for.
        wanted: Results, with some to spare.
        by_meaning: Whether neighbours can speak: there is a vector of the question.
    """
    scores = {kind: pool.score for kind, pool in pools.items()}
    lowest = [scores[kind] - plan.profile.kinds[kind].asks for kind in pools]
    every = np.concatenate(lowest) if lowest else np.zeros(0)
    bar = -np.inf if len(every) <= wanted else np.partition(every, -wanted)[-wanted]
    return {
        kind: pool.nums[scores[kind] + _most(plan.profile.kinds[kind], plan, by_meaning) >= bar - SLACK]
        for kind, pool in pools.items()
    }


def _most(weights: KindProfile, plan: Plan, by_meaning: bool) -> float:
    """The most that the later steps can add to a candidate."""
    beside = sum(2 / distance for distance in range(1, weights.reach + 1))
    return (
        weights.vector * weights.neighbour * beside * by_meaning
        + weights.speaker * (plan.speaker is not None)
        + weights.first_person * plan.first_person
        + weights.tells_time * plan.asks_when
        + weights.dated * bool(plan.periods)
    )
