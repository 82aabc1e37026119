"""The recall of cards answers as the plain reference does, whatever the graph of their links."""

from __future__ import annotations

import random
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ricordo.archive.contract import Stored
from ricordo.embed.hashing import HashingEmbedder
from ricordo.memory import Memory
from ricordo.records.card import Card, CardFamily, Dependency, Link
from ricordo.records.recall import Recall
from ricordo.testing.samples import a_card, revised

from .card_reference import SPECIFIED, Expected, Limits, results
from .cards import fits, put, rankings
from .opening import open_memory

WORDS = ("revenue", "refund", "invoice", "margin", "client")
FAMILIES = (CardFamily.SQL_RULE, CardFamily.DOMAIN_CLARIFICATION)


class Graph(NamedTuple):
    """Cards to be put into a memory, and what becomes of some of them afterwards.

    Attributes:
        links: Targets of each card, by place.
        stale: Cards that the index holds at an earlier revision.
        deleted: Cards that are deleted.
    """

    cards: tuple[Card, ...]
    links: tuple[tuple[int, ...], ...]
    stale: frozenset[int] = frozenset()
    deleted: frozenset[int] = frozenset()


def _card(name: str, words: Sequence[str], number: int) -> Card:
    place = [
        (),
        (Dependency(database="shop"),),
        (Dependency(database="shop", table="orders"), Dependency(database="bank", table="loans")),
    ]
    return a_card(
        name,
        family=FAMILIES[number % 2],
        title=" ".join(words) or "nothing",
        scope=("general", "finance", "general")[number % 3],
        concepts=("sales",) if number % 4 else (),
        dependencies=place[number % 3],
    )


def _linked(graph: Graph) -> tuple[Card, ...]:
    ids = [card.id for card in graph.cards]
    targets = [sorted(ids[place] for place in places) for places in graph.links]
    return tuple(
        card.model_copy(update={"links": tuple(Link(target=name) for name in names)})
        for card, names in zip(graph.cards, targets, strict=True)
    )


class Filled:
    """A memory with a graph in it, and the same as dictionaries."""

    def __init__(self, memory: Memory, graph: Graph) -> None:
        self.memory = memory
        self.cards = {card.id: card for card in _linked(graph)}
        nums = put(memory, list(self.cards.values()))
        ids = [card.id for card in graph.cards]
        self.stale = {ids[place] for place in graph.stale - graph.deleted}
        for place in graph.deleted:
            memory.cards.delete(ids[place])
            del self.cards[ids[place]]
        with memory._engine.archive.write(memory.workspace) as writer:
            for name in self.stale:  # after the deletions, which give what links to them a new revision
                card = memory.cards.get(name)
                writer.replace(Stored(nums[name], card), revised(card, 1))

    def expected(
        self,
        question: str,
        filters: Mapping[str, Any],
        *,
        top: int,
        decided: Sequence[str] = (),
        limits: Limits = SPECIFIED,
    ) -> list[Expected]:
        within = {name for name, card in self.cards.items() if fits(card, filters)} - set(decided)
        links = {
            name: [link.target for link in card.links if link.target in self.cards]
            for name, card in self.cards.items()
        }
        ranked = rankings(self.memory, question, within)
        return results(ranked, links, within - self.stale, top=top, limits=limits)

    def check(self, question: str, filters: Mapping[str, Any], *, top: int) -> Recall:
        answer = self.memory.cards.search(question, top=top, filters=filters)
        expected = self.expected(question, filters, top=top)
        assert [hit.id for hit in answer.hits] == [one.id for one in expected]
        for hit, one in zip(answer.hits, expected, strict=True):
            assert hit.retrieval.path == one.path, hit.id
            assert hit.retrieval.score == pytest.approx(one.score, abs=1e-6)
        return answer


FILTERS: tuple[dict[str, Any], ...] = (
    {},
    {"scope": "general"},
    {"family": "sql_rule"},
    {"concepts": ["sales"]},
    {"database": "shop"},
    {"database": "shop", "table": "orders", "scope": "general"},
    {"scope": "nowhere"},
)


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    """Up to nine cards with any links between them: cycles, dead ends, several ways to one card."""
    size = draw(st.integers(1, 9))
    names = draw(st.permutations("abcdefghi"))[:size]
    cards = tuple(
        _card(name, draw(st.lists(st.sampled_from(WORDS), max_size=3, unique=True)), draw(st.integers(0, 11)))
        for name in names
    )
    places = st.integers(0, size - 1)
    links = tuple(tuple(draw(st.frozensets(places, max_size=4)) - {mine}) for mine in range(size))
    few = st.frozensets(places, max_size=2)
    return Graph(cards, links, stale=draw(few), deleted=draw(few))


@settings(max_examples=30)
@given(
    graph=graphs(),
    embedder=st.sampled_from(["none", "hashing"]),
    question=st.lists(st.sampled_from(WORDS), min_size=1, max_size=2).map(" ".join),
    filters=st.sampled_from(FILTERS),
    top=st.integers(1, 12),
)
def test_small_graphs(
    tmp_path_factory: pytest.TempPathFactory,
    empty: Path,
    graph: Graph,
    embedder: str,
    question: str,
    filters: dict[str, Any],
    top: int,
) -> None:
    path = tmp_path_factory.mktemp("graph") / "memory.db"
    shutil.copy(empty, path)
    with open_memory(path, embedder=HashingEmbedder(64) if embedder == "hashing" else "none") as memory:
        filled = Filled(memory, graph)
        filled.check(question, filters, top=top)
        decided = sorted(filled.cards)[:2]
        answer = memory.cards.clarifications(question, top=top, decided=decided)
        family = {"family": "domain_clarification"}
        expected = filled.expected(question, family, top=top, decided=decided)
        assert [(hit.id, hit.retrieval.path) for hit in answer.hits] == [
            (one.id, one.path) for one in expected
        ]


def _large(rng: random.Random, size: int, links: int) -> Graph:
    """Hundreds of cards, of which few are found by words, with links in all directions."""
    names = [f"{number:04}" for number in range(size)]
    rng.shuffle(names)
    cards = tuple(
        _card(name, rng.sample(WORDS, rng.randint(0, 2)) if place < 150 else [], rng.randrange(12))
        for place, name in enumerate(names)
    )
    every = range(size)
    chosen = tuple(tuple({*rng.sample(every, rng.randint(0, links))} - {mine}) for mine in every)
    return Graph(cards, chosen, frozenset(rng.sample(every, 9)), frozenset(rng.sample(every, 9)))


@pytest.mark.parametrize(("seed", "size", "links"), [(1, 600, 30), (2, 450, 60), (3, 300, 8), (4, 400, 3)])
def test_large_graphs(path: Path, seed: int, size: int, links: int) -> None:
    rng = random.Random(seed)
    with open_memory(path, embedder="none" if seed % 2 else HashingEmbedder(64)) as memory:
        filled = Filled(memory, _large(rng, size, links))
        for _ in range(6):
            question = " ".join(rng.sample(WORDS, rng.randint(1, 2)))
            filled.check(question, rng.choice(FILTERS[:-1]), top=rng.choice([1, 5, 20, 33, 34, 100]))


@pytest.mark.parametrize("budget", ["links", "cards", "links_of_card"])
def test_a_budget_that_is_exhausted(path: Path, budget: str) -> None:
    """Without the budget, the reference answers something else."""
    rng = random.Random(7)
    names = [f"{number:04}" for number in range(800)]
    if budget == "links":  # the best lead to the same few cards, the others to some more
        links = [rng.sample(range(60, 80), 18) if mine < 24 else [mine + 60] for mine in range(700)]
        links += [[] for _ in range(100)]
    else:
        links = [rng.sample(range(100, 800), 18 if budget == "cards" else 40) for _ in names]
    cards = tuple(
        _card(name, WORDS[:1] if place < 40 else (), 1 if place >= 100 and place % 6 else 0)
        for place, name in enumerate(names)
    )
    graph = Graph(cards, tuple(tuple({*targets} - {mine}) for mine, targets in enumerate(links)))
    filters = {"scope": "general"} if budget == "cards" else {}
    with open_memory(path, embedder="none") as memory:
        filled = Filled(memory, graph)
        filled.check("revenue", filters, top=100)
        within = filled.expected("revenue", filters, top=100)
        boundless = SPECIFIED._replace(**{budget: 10**9})
        assert filled.expected("revenue", filters, top=100, limits=boundless) != within
