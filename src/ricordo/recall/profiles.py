"""What differs between kinds of record, as data: a later kind adds a profile, not a pipeline.

The constants were chosen on LoCoMo conversations 0 and 1, five BEAM chats and
twelve SQuAD-it articles, and are reported on the rest: docs/benchmarks.md.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from ricordo.records.base import Kind


@dataclass(frozen=True)
class KindProfile:
    """How candidates of one kind are scored.

    Attributes:
        lexical, vector: Weights of the two voices in the fused score.
        neighbour: Share of a neighbouring turn's similarity that is added to a turn's own.
        reach: How far neighbours are looked at, in turns.
        speaker: Added where the question names the one who spoke.
        first_person: Added to what the user said where the question speaks of "me" and names nobody.
        asks: Taken off where the text ends with a question mark.
        tells_time: Added where the question asks when, and the text holds an expression of time.
        dated: Added where the question holds a date and the record is of that time.
        pairs: Whether pairs of neighbouring words are asked for; its projection holds them.
    """

    lexical: float = 0.45
    vector: float = 0.55
    neighbour: float = 0.0
    reach: int = 1
    speaker: float = 0.0
    first_person: float = 0.0
    asks: float = 0.0
    tells_time: float = 0.0
    dated: float = 0.0
    pairs: bool = False


@dataclass(frozen=True)
class LinkLimits:
    """How far links of cards are followed.

    Attributes:
        hops: Links of one way.
        links_of_card: Links of one card, in the order of their targets' ids.
        cards: Different cards that are looked up.
        links: Links that are inspected in all.
        share_of_hop: What of a score a link passes on.
    """

    hops: int = 2
    links_of_card: int = 20
    cards: int = 200
    links: int = 400
    share_of_hop: float = 0.5


@dataclass(frozen=True)
class Profile:
    """Which kinds a recall looks at, and how.

    Attributes:
        depth, most: Least and most candidates of each voice and kind.
        per_result: Candidates of each voice for each result that is asked for.
        links: How links are followed from the best candidates, which are fused by rank; where it is
            None, voices are fused by score.
    """

    name: str
    kinds: dict[Kind, KindProfile]
    depth: int = 100
    per_result: int = 4
    most: int = 400
    links: LinkLimits | None = None

    def candidates(self, top: int) -> int:
        """Candidates of each voice and kind where `top` results are asked for."""
        return min(self.most, max(self.depth, self.per_result * top))


_EPISODES = KindProfile(neighbour=0.2, speaker=0.2, first_person=0.2, asks=0.06, tells_time=0.1, dated=0.3)
_FACTS = KindProfile()
_CARDS = KindProfile()

EPISODES = Profile("episodes", {Kind.EPISODE: _EPISODES})
FACTS = Profile("facts", {Kind.FACT: _FACTS})
CARDS = Profile(
    "cards",
    {Kind.CARD: replace(_CARDS, pairs=True)},  # beside other kinds they would count for more than theirs
    depth=20,
    per_result=3,
    most=100,
    links=LinkLimits(),
)
EVERYTHING = Profile("everything", {Kind.EPISODE: _EPISODES, Kind.FACT: _FACTS, Kind.CARD: _CARDS})

PROFILES = (EPISODES, FACTS, CARDS, EVERYTHING)

STEPS = ("neighbour", "speaker", "first_person", "asks", "tells_time", "dated")
"""Steps that can be left out, to measure what each contributes: fields of `KindProfile`."""

RECALLABLE = frozenset(EVERYTHING.kinds)
"""Kinds of record that can be recalled."""


def profile_for(kinds: Iterable[Kind]) -> Profile:
    """The profile that looks at just these kinds; all of them where none is given."""
    wanted = frozenset(kinds) or RECALLABLE
    for profile in PROFILES:
        if wanted == frozenset(profile.kinds):
            return profile
    return Profile("+".join(sorted(wanted)), {kind: EVERYTHING.kinds[kind] for kind in sorted(wanted)})


def leaving_out(profile: Profile, steps: Iterable[str]) -> Profile:
    """The profile with these of its `STEPS` weighing nothing."""
    nothing: dict[str, Any] = {step: 0.0 for step in steps if step in STEPS}
    return replace(
        profile, kinds={kind: replace(weights, **nothing) for kind, weights in profile.kinds.items()}
    )
