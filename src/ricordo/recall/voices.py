"""Asking the voices: each finds candidates in its own way, within the conditions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from ricordo.archive.contract import ArchiveReader
from ricordo.errors import IndexDamaged
from ricordo.index.contract import Found, Index, Space, Vectors, Where
from ricordo.recall.plan import Plan
from ricordo.recall.pool import Floats, Ints, Pool, Pools, rank_across_kinds
from ricordo.records.base import Kind
from ricordo.records.recall import Voice


@dataclass(frozen=True)
class Listening:
    """What a recall listens with.

    Attributes:
        reader: A snapshot of the workspace.
        space, vector: The vector space and the question's vector, shape (dimension,); None
            where only words are compared.
        damage: What was found to be wrong with the keyword index.
    """

    reader: ArchiveReader
    index: Index
    space: Space | None
    vector: Vectors | None
    damage: list[IndexDamaged] = field(default_factory=list)

    def similarities(self, kind: Kind, nums: Ints) -> Floats:
        """Similarity of these records to the question, in their order; nan without vectors."""
        if self.space is None or self.vector is None or not len(nums):
            return np.full(len(nums), np.nan)
        return self.index.similarities(self.reader, self.space, kind, self.vector, nums)


def listen(listening: Listening, plan: Plan) -> Pools:
    """Candidates of every voice, by kind.

    Raises:
        IndexDamaged: The keyword index is, and no vectors can answer in its place.
    """
    pools: Pools = {}
    for kind, where in plan.where.items():
        found: dict[Voice, Sequence[Found]] = {Voice.LEXICAL: _by_words(listening, plan, kind, where)}
        if listening.space is not None and listening.vector is not None:
            found[Voice.VECTOR] = listening.index.similar(
                listening.reader, listening.space, kind, listening.vector, where, limit=plan.limit
            )
        pool = Pool.of(kind, found)
        if len(pool):
            pool.similarity = _similarities(listening, pool)
            pools[kind] = pool
    rank_across_kinds(pools)
    return pools


def _by_words(listening: Listening, plan: Plan, kind: Kind, where: Where) -> Sequence[Found]:
    """Candidates by keyword; none, and a note of it, where the keyword index is missing or damaged."""
    asked = plan.asked.with_pairs() if plan.profile.kinds[kind].pairs else plan.asked
    try:
        found = listening.index.lexical(listening.reader, kind, asked, where, limit=plan.limit)
        if found or listening.index.holds_any(listening.reader, kind) or not listening.reader.has_any(kind):
            return found
        raise IndexDamaged(f"The keyword index of {kind}s is empty.", cure="Run: ricordo index")
    except IndexDamaged as damage:
        if listening.vector is None or where.keys or where.one_of:  # keys are looked up among the words
            raise
        listening.damage.append(damage)
        return ()


def _similarities(listening: Listening, pool: Pool) -> Floats:
    """Similarity of all: what the vector voice said, and of those that only their words brought."""
    heard = pool.voices.get(Voice.VECTOR)
    if heard is None:
        return np.full(len(pool), np.nan)
    known = np.where(heard.ranks > 0, heard.scores, np.nan)
    lone = np.flatnonzero(heard.ranks == 0)
    known[lone] = listening.similarities(pool.kind, pool.nums[lone])
    return known
