"""The candidates of a recall on their way through the pipeline, column by column.

A recall looks at a few hundred candidates. Each step is a few operations on
whole columns; only what is returned becomes an object.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ricordo.index.contract import Found
from ricordo.records.base import Kind
from ricordo.records.recall import Voice

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


class Candidate(NamedTuple):
    """One candidate, with what is known of it.

    Attributes:
        revision: The revision that the index holds.
        voices: Rank and raw score in each voice that found it.
        parts: What each step has given to the score.
        path: Ids of the way of links to it.
    """

    kind: Kind
    num: int
    revision: int
    score: float
    voices: dict[Voice, tuple[int, float]]
    parts: dict[str, float]
    path: tuple[str, ...] = ()


@dataclass
class Heard:
    """What one voice says of the candidates: rank from 1, or 0 where it did not find one; raw score."""

    ranks: Ints
    scores: Floats

    @property
    def count(self) -> int:
        """Candidates that it found."""
        return int(np.count_nonzero(self.ranks))


@dataclass
class Pool:
    """Candidates of one kind; every column in the order of `nums`, which rise.

    Attributes:
        similarity: To the question, -1..1; nan where there are no vectors.
        parts: What each step has given, by the step's name.
        order: Decides between equal scores; the numbers do where it is None.
        paths: Ids of the way of links to a candidate, by its number.
    """

    kind: Kind
    nums: Ints
    revisions: Ints
    voices: dict[Voice, Heard]
    similarity: Floats
    parts: dict[str, Floats] = field(default_factory=dict)
    order: Ints | None = None
    paths: dict[int, tuple[str, ...]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.nums)

    @classmethod
    def of(cls, kind: Kind, found: dict[Voice, Sequence[Found]]) -> Pool:
        """Bring together what the voices found of a kind."""
        nums = np.unique(np.array([item.num for heard in found.values() for item in heard], dtype=np.int64))
        revisions = np.zeros(len(nums), dtype=np.int64)
        voices: dict[Voice, Heard] = {}
        for voice, items in found.items():
            places = np.searchsorted(nums, np.array([item.num for item in items], dtype=np.int64))
            heard = Heard(np.zeros(len(nums), dtype=np.int64), np.zeros(len(nums)))
            heard.ranks[places] = np.arange(1, len(items) + 1)
            heard.scores[places] = [item.score for item in items]
            # Where two voices hold different revisions, only the later one can be current.
            seen = np.array([item.revision for item in items], dtype=np.int64)
            revisions[places] = np.maximum(revisions[places], seen)
            voices[voice] = heard
        return cls(kind, nums, revisions, voices, np.full(len(nums), np.nan))

    def places(self, nums: Ints) -> Ints:
        """Places of numbers that are all in the pool."""
        return np.searchsorted(self.nums, nums)

    def give(self, part: str, amounts: Floats) -> None:
        """Add a part to the scores."""
        if np.any(amounts):
            self.parts[part] = self.parts[part] + amounts if part in self.parts else amounts

    @property
    def score(self) -> Floats:
        """Sum of what the steps have given."""
        return np.sum(list(self.parts.values()), axis=0) if self.parts else np.zeros(len(self))

    def candidate(self, place: int, score: float) -> Candidate:
        """The candidate at a place."""
        voices = {
            voice: (int(heard.ranks[place]), float(heard.scores[place]))
            for voice, heard in self.voices.items()
            if heard.ranks[place]
        }
        parts = {name: float(column[place]) for name, column in self.parts.items() if column[place]}
        num = int(self.nums[place])
        revision = int(self.revisions[place])
        return Candidate(self.kind, num, revision, score, voices, parts, self.paths.get(num, ()))

    def taken(self, places: Ints) -> Pool:
        """The candidates at these places, which rise."""
        voices = {
            voice: Heard(heard.ranks[places], heard.scores[places]) for voice, heard in self.voices.items()
        }
        parts = {name: column[places] for name, column in self.parts.items()}
        return Pool(
            self.kind, self.nums[places], self.revisions[places], voices, self.similarity[places], parts
        )

    def joined(self, nums: Ints, revisions: Ints) -> Pool:
        """This pool with candidates that no voice has found; none of them is in it."""
        every = np.concatenate([self.nums, nums])
        sorting = np.argsort(every)
        none = np.zeros(len(nums))

        def longer(column: npt.NDArray[Any], rest: npt.NDArray[Any]) -> npt.NDArray[Any]:
            return np.concatenate([column, rest.astype(column.dtype)])[sorting]

        voices = {
            voice: Heard(longer(heard.ranks, none), longer(heard.scores, none))
            for voice, heard in self.voices.items()
        }
        parts = {name: longer(column, none) for name, column in self.parts.items()}
        similarity = longer(self.similarity, np.full(len(nums), np.nan))
        return Pool(self.kind, every[sorting], longer(self.revisions, revisions), voices, similarity, parts)


Pools = dict[Kind, Pool]


def ranked(pools: Pools) -> Iterator[Candidate]:
    """Candidates of all kinds, best first; equal scores by kind and number."""
    every = sorted(pools.items())
    if not every:
        return
    scores = np.concatenate([pool.score for _, pool in every])
    kinds = np.concatenate([np.full(len(pool), code) for code, (_, pool) in enumerate(every)])
    places = np.concatenate([np.arange(len(pool)) for _, pool in every])
    orders = [np.arange(len(pool)) if pool.order is None else pool.order for _, pool in every]
    for spot in np.lexsort((np.concatenate(orders), kinds, -scores)):
        yield every[kinds[spot]][1].candidate(int(places[spot]), float(scores[spot]))


def rank_across_kinds(pools: Pools) -> None:
    """Make ranks run over all kinds, where several were asked."""
    if len(pools) < 2:
        return
    every = [pools[kind] for kind in sorted(pools)]
    for voice in Voice:
        heard = [pool.voices[voice] for pool in every if voice in pool.voices]
        spots = [(one, place) for one in heard for place in np.flatnonzero(one.ranks)]
        spots.sort(key=lambda spot: -spot[0].scores[spot[1]])
        for rank, (one, place) in enumerate(spots, start=1):
            one.ranks[place] = rank
