"""Cards that resemble another one, with the evidence; what to do about them is a person's decision."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ricordo.archive.contract import ArchiveReader
from ricordo.engine.engine import Bound
from ricordo.errors import EmbedderError
from ricordo.index.analysis import analyse, ask
from ricordo.index.contract import Space, Vectors, Where
from ricordo.index.projector import embedding_texts
from ricordo.records.base import Kind, fold_name
from ricordo.records.card import Card, CardFields, Evidence, LookAlike
from ricordo.records.physical import qualified

CANDIDATES = 30
"""Cards of each voice that are compared."""

SAME_WORDS = 0.6
"""Share of the shorter card's words from which two cards resemble each other."""

SAME_MEANING = 0.7
"""Similarity of centred vectors from which they do."""

NOT_CENTRED = 0.4
"""Mean similarity of a workspace's cards to one above which their vectors are not centred yet."""

SAME_UNCENTRED = 0.95
"""Similarity of vectors that are not centred from which two cards resemble each other: those of any two
texts of one field are near each other."""

FEWEST_WORDS = 3
"""Shorter cards share all their words by chance."""

FEWEST_SHARED = 4
"""Two or three words are most of a short card, and shared by chance, unless they are all of it."""

SHOWN_WORDS = 12
ASKED_CHARS = 4_000


def find_look_alikes(
    bound: Bound, card: CardFields, *, without: Sequence[str] = (), top: int = 5
) -> tuple[LookAlike, ...]:
    """The cards of the workspace that resemble a card most, best first.

    Args:
        bound: Workspace and caller.
        card: A card, or what is to become one.
        without: Ids of cards that are not compared, such as its own.
        top: Most of them.
    """
    vector, space = _vector(bound, card)
    with bound.engine.archive.read(bound.workspace) as reader:
        where = Where(without=tuple(reader.cards.nums(without).values()))
        index = bound.engine.index
        asked = ask(card.text[:ASKED_CHARS], bound.workspace.language)
        found = {item.num for item in index.lexical(reader, Kind.CARD, asked, where, limit=CANDIDATES)}
        if space is not None and vector is not None:
            near = index.similar(reader, space, Kind.CARD, vector, where, limit=CANDIDATES)
            found |= {item.num for item in near}
        nums = sorted(found)
        similarity = _similarities(bound, reader, space, vector, nums)
        least = _least_similarity(bound, reader, space, vector)
        records = reader.fetch(Kind.CARD, nums)
    words = _words(bound, card)
    alike = []
    for num in nums:
        other = records.get(num)
        if isinstance(other, Card):
            evidence = _evidence(card, other, (words, _words(bound, other)), similarity[num])
            if _resembles(evidence, least):
                alike.append(_look_alike(other, evidence))
    alike.sort(key=lambda item: (-_strength(item.evidence), item.id))
    return tuple(alike[:top])


def _vector(bound: Bound, card: CardFields) -> tuple[Vectors | None, Space | None]:
    """The vector of the card's beginning; nothing where there is no model, or it fails."""
    embedder = bound.engine.embedder
    if embedder is None or bound.engine.embedder_rests:
        return None, None
    try:
        space = bound.engine.find_space(bound.workspace)
        if space is None or not space.active:
            return None, None
        return embedder.embed_passages(embedding_texts(card)[:1])[0], space
    except EmbedderError:
        return None, None


def _similarities(
    bound: Bound, reader: ArchiveReader, space: Space | None, vector: Vectors | None, nums: Sequence[int]
) -> dict[int, float | None]:
    if space is None or vector is None or not nums:
        return dict.fromkeys(nums)
    found = bound.engine.index.similarities(reader, space, Kind.CARD, vector, np.array(nums, dtype=np.int64))
    return {
        num: None if np.isnan(value) else round(max(0.0, float(value)), 3)
        for num, value in zip(nums, found, strict=True)
    }


def _least_similarity(
    bound: Bound, reader: ArchiveReader, space: Space | None, vector: Vectors | None
) -> float:
    """Similarity from which two cards resemble each other; a small workspace's vectors are not centred."""
    if space is None or vector is None:
        return SAME_MEANING
    _, mean, _ = bound.engine.index.spread(reader, space, Kind.CARD, vector)
    return SAME_UNCENTRED if mean > NOT_CENTRED else SAME_MEANING


def _words(bound: Bound, card: CardFields) -> set[str]:
    return set(analyse(card.text, bound.workspace.language).words)


def _evidence(
    card: CardFields, other: CardFields, words: tuple[set[str], set[str]], similarity: float | None
) -> Evidence:
    shared = words[0] & words[1]
    fewest = min(map(len, words))
    share = len(shared) / fewest if fewest >= FEWEST_WORDS else 0.0
    places = {fold_name(qualified(item)) for item in card.dependencies}
    concepts = {fold_name(name) for name in card.concepts}
    return Evidence(
        similarity=similarity,
        shared_words=round(share, 3),
        words=tuple(sorted(shared)[:SHOWN_WORDS]),
        concepts=tuple(name for name in other.concepts if fold_name(name) in concepts),
        dependencies=tuple(
            name for item in other.dependencies if fold_name(name := qualified(item)) in places
        ),
    )


def _resembles(evidence: Evidence, least: float) -> bool:
    enough = len(evidence.words) >= FEWEST_SHARED or evidence.shared_words == 1.0
    return (enough and evidence.shared_words >= SAME_WORDS) or (evidence.similarity or 0.0) >= least


def _strength(evidence: Evidence) -> float:
    return max(evidence.shared_words, evidence.similarity or 0.0)


def _look_alike(card: Card, evidence: Evidence) -> LookAlike:
    return LookAlike(
        id=card.id, revision=card.revision, family=card.family, title=card.title, evidence=evidence
    )
