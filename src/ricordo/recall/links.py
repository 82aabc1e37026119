"""Cards that candidates link to: what a found card refines, explains or contradicts belongs to the answer.

The figures are those of the card profile (docs/decisions/0009-cards.md): from each candidate that the
archive holds now, outgoing links are followed for two hops, the first twenty links of a card by their
targets' ids, within a budget of cards looked up and links inspected. What arrives is halved at each hop;
of several ways to a card, the strongest counts, and they do not add up. A link back to a card that the
way has passed brings nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from ricordo.archive.contract import CardLink
from ricordo.index.contract import Where
from ricordo.recall.profiles import LinkLimits
from ricordo.recall.voices import Listening
from ricordo.records.base import Kind


class Seed(NamedTuple):
    """A candidate that links are followed from, as the archive holds it."""

    num: int
    id: str
    score: float


class Way(NamedTuple):
    """A way to a card: what arrives there, and the ids that it passes, the card's own last."""

    score: float
    path: tuple[str, ...]

    @property
    def order(self) -> tuple[float, tuple[str, ...]]:
        """Strongest first; equal ones by their ids."""
        return -self.score, self.path


class Reached(NamedTuple):
    """A card that links lead to, with the strongest way there."""

    num: int
    id: str
    revision: int
    way: Way


@dataclass
class _Walk:
    """What has been seen so far.

    Attributes:
        known: (id, revision) of the cards that may be passed, by number; None for the others.
        looked_up: How many cards were looked up.
        inspected: How many links were.
    """

    known: dict[int, tuple[str, int] | None]
    looked_up: int = 0
    inspected: int = 0
    best: dict[int, Way] = field(default_factory=dict)


def follow_links(
    listening: Listening, where: Where, seeds: Iterable[tuple[Seed, int]], limits: LinkLimits
) -> dict[int, Reached]:
    """The cards that links of the seeds lead to, by number; a seed is among them where another leads to it.

    Args:
        listening: What the recall listens with.
        where: The conditions that destinations and bridges must fulfil as well.
        seeds: Candidates with their revisions, best first.
        limits: How far, and how many.
    """
    first = list(seeds)
    walk = _Walk({seed.num: (seed.id, revision) for seed, revision in first})
    # Two ways with different beginnings are enough: a link back to one of them can still use the other.
    ways = {seed.num: [Way(seed.score, (seed.id,))] for seed, _ in first}
    frontier = [seed.num for seed, _ in first]
    for _ in range(limits.hops):
        links = _inspected(listening, frontier, walk, limits)
        _look_up(listening, where, links, walk, limits)
        ways = _arrivals(links, ways, walk, limits)
        frontier = sorted(ways, key=lambda num: ways[num][0].order)
    return {
        num: Reached(num, *known, way)
        for num, way in walk.best.items()
        if (known := walk.known[num]) is not None
    }


def _inspected(listening: Listening, frontier: list[int], walk: _Walk, limits: LinkLimits) -> list[CardLink]:
    """The links of the cards that are due, in the order in which they are inspected."""
    by_source: dict[int, list[CardLink]] = {}
    for link in listening.reader.cards.links_from(frontier, per_card=limits.links_of_card):
        by_source.setdefault(link.source_num, []).append(link)
    due = [link for num in frontier for link in by_source.get(num, [])]
    taken = due[: limits.links - walk.inspected]
    walk.inspected += len(taken)
    return taken


def _look_up(
    listening: Listening, where: Where, links: list[CardLink], walk: _Walk, limits: LinkLimits
) -> None:
    """Find out which destinations may be passed; what is beyond the budget may not."""
    strange = dict.fromkeys(link.target_num for link in links if link.target_num not in walk.known)
    due = list(strange)[: limits.cards - walk.looked_up]
    walk.looked_up += len(due)
    fits = listening.index.eligible(listening.reader, Kind.CARD, where, due)
    held = listening.reader.cards.revisions(due)
    for num in strange:
        current = num in held and fits.get(num) == held[num][1]
        walk.known[num] = held[num] if current else None


def _arrivals(
    links: list[CardLink], ways: dict[int, list[Way]], walk: _Walk, limits: LinkLimits
) -> dict[int, list[Way]]:
    """The ways that one more hop makes, two for each card at most."""
    arrived: dict[int, list[Way]] = {}
    for link in links:
        if walk.known[link.target_num] is None:
            continue
        for way in ways[link.source_num]:
            if link.target_id not in way.path:
                further = Way(way.score * limits.share_of_hop, (*way.path, link.target_id))
                arrived.setdefault(link.target_num, []).append(further)
    for num, found in arrived.items():
        found.sort(key=lambda way: way.order)
        others = [way for way in found if way.path[0] != found[0].path[0]]
        arrived[num] = [found[0], *others[:1]]
        held = walk.best.get(num)
        if held is None or found[0].order < held.order:
            walk.best[num] = found[0]
    return arrived
