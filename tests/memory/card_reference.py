"""The recall of cards, slow and plain, over dictionaries: what the specification says and nothing clever."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

CONSTANT = 60


class Limits(NamedTuple):
    """How far links are followed, and how many."""

    hops: int = 2
    links_of_card: int = 20
    cards: int = 200
    links: int = 400


SPECIFIED = Limits()


class Expected(NamedTuple):
    """A result as it should be."""

    id: str
    score: float
    path: tuple[str, ...]


def seeds_asked_for(top: int) -> int:
    """How many candidates each branch is asked for, and how many of the fused ones are kept."""
    return min(100, max(20, 3 * top))


def fused(rankings: Sequence[Sequence[str]], seeds: int) -> list[str]:
    """The branches' rankings as one, by reciprocal ranks; ties by id."""
    scores: dict[str, float] = {}
    for ranking in rankings:
        for rank, card in enumerate(ranking[:seeds], start=1):
            scores[card] = scores.get(card, 0.0) + 1 / (CONSTANT + rank)
    return sorted(scores, key=lambda card: (-scores[card], card))[:seeds]


def linked(
    seeds: Sequence[str],
    links: Mapping[str, Collection[str]],
    passable: Collection[str],
    limits: Limits = SPECIFIED,
) -> dict[str, tuple[float, tuple[str, ...]]]:
    """The strongest way to each card that links of the seeds lead to: what arrives, and the chain of ids.

    Args:
        seeds: Ids by their rank; those that are not passable lead nowhere.
        links: Targets of each card.
        passable: Cards that are there, current, and within the filters.
        limits: How far.
    """
    ways = [(1 / (CONSTANT + rank), (seed,)) for rank, seed in enumerate(seeds, start=1) if seed in passable]
    met = {path[-1] for _, path in ways}
    looked_up: set[str] = set()
    inspected = 0
    best: dict[str, tuple[float, tuple[str, ...]]] = {}
    for _ in range(limits.hops):
        arrived: list[tuple[float, tuple[str, ...]]] = []
        sources = dict.fromkeys(path[-1] for _, path in sorted(ways, key=_strongest_first))
        for source in sources:
            here = [way for way in ways if way[1][-1] == source]
            for target in sorted(set(links.get(source, ())))[: limits.links_of_card]:
                if inspected == limits.links:
                    break
                inspected += 1
                if target not in met:
                    if len(looked_up) == limits.cards:
                        continue
                    looked_up.add(target)
                    met.add(target)
                if target in passable:
                    arrived += [(score / 2, (*path, target)) for score, path in here if target not in path]
        ways = arrived
        for way in arrived:
            card = way[1][-1]
            if card not in best or _strongest_first(way) < _strongest_first(best[card]):
                best[card] = way
    return best


def _strongest_first(way: tuple[float, tuple[str, ...]]) -> tuple[float, tuple[str, ...]]:
    return -way[0], way[1]


def results(
    rankings: Sequence[Sequence[str]],
    links: Mapping[str, Collection[str]],
    passable: Collection[str],
    *,
    top: int,
    limits: Limits = SPECIFIED,
) -> list[Expected]:
    """What a search should answer.

    Args:
        rankings: Of each branch, within the filters.
        links: Targets of each card.
        passable: Cards that are there, current, and within the filters.
        top: How many are wanted.
        limits: How far links are followed.
    """
    seeds = fused(rankings, seeds_asked_for(top))
    direct = {card: 1 / (CONSTANT + rank) for rank, card in enumerate(seeds, start=1)}
    ways = linked(seeds, links, passable, limits)
    found = []
    for card in {*direct, *ways} & set(passable):
        arriving, path = ways.get(card, (0.0, (card,)))
        found.append(Expected(card, direct.get(card, 0.0) + arriving, path))
    return sorted(found, key=lambda one: (-one.score, one.id))[:top]
