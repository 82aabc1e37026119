"""The way of the card profile: both voices fused by rank, the best of them seeds, links followed from them.

A seed's score is 1 / (60 + its rank); a card that links lead to gets the strongest of what arrives.
Equal scores are ordered by id. It is a ranking score, not a similarity and not a probability.
"""

from __future__ import annotations

import numpy as np

from ricordo.recall.fusion import RANK_CONSTANT, reciprocal_ranks
from ricordo.recall.links import Seed, follow_links
from ricordo.recall.plan import Plan
from ricordo.recall.pool import Pool, Pools
from ricordo.recall.profiles import LinkLimits
from ricordo.recall.voices import Listening
from ricordo.records.base import Kind


def seed_and_follow(pools: Pools, listening: Listening, plan: Plan, limits: LinkLimits) -> None:
    """Give cards the parts `direct` and `linked`, and the ways that led to them."""
    pool = pools.get(Kind.CARD)
    if pool is None:
        return
    held = listening.reader.cards.revisions(pool.nums.tolist())
    ids = [held[num][0] if num in held else "" for num in pool.nums.tolist()]
    fused = reciprocal_ranks(pool)
    ranking = sorted(range(len(pool)), key=lambda place: (-fused[place], ids[place]))[: plan.limit]
    rank_of = {int(pool.nums[place]): rank for rank, place in enumerate(ranking, start=1)}
    pool = pool.taken(np.array(sorted(ranking), dtype=np.int64))
    pool.give("direct", np.array([1 / (RANK_CONSTANT + rank_of[num]) for num in pool.nums.tolist()]))
    revisions = dict(zip(pool.nums.tolist(), pool.revisions.tolist(), strict=True))
    seeds = [
        (Seed(num, held[num][0], 1 / (RANK_CONSTANT + rank)), held[num][1])
        for num, rank in rank_of.items()
        if num in held and held[num][1] == revisions[num]  # only what is current leads on
    ]
    reached = follow_links(listening, plan.where[Kind.CARD], seeds, limits)
    fresh = sorted(num for num in reached if num not in rank_of)
    if fresh:
        pool = pool.joined(
            np.array(fresh, dtype=np.int64),
            np.array([reached[num].revision for num in fresh], dtype=np.int64),
        )
    linked = np.array([reached[num].way.score if num in reached else 0.0 for num in pool.nums.tolist()])
    pool.give("linked", linked)
    names = {num: card_id for num, (card_id, _) in held.items()} | {
        num: one.id for num, one in reached.items()
    }
    pool.paths = {
        num: reached[num].way.path if num in reached else (names.get(num, ""),) for num in pool.nums.tolist()
    }
    pool.order = _by_id(pool, names)
    pools[Kind.CARD] = pool


def _by_id(pool: Pool, names: dict[int, str]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Place of each candidate in the order of ids."""
    order = np.empty(len(pool), dtype=np.int64)
    sorting = sorted(range(len(pool)), key=lambda place: names.get(int(pool.nums[place]), ""))
    order[sorting] = np.arange(len(pool))
    return order
