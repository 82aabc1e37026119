"""Whatever is done to cards in whatever order, they are found, listed and linked as in a dictionary."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, invariant, rule

from ricordo.memory import Memory
from ricordo.records.card import Card
from ricordo.records.recall import Voice

from .embedders import FailingEmbedder
from .opening import SetClock, open_memory

HANDLES = st.integers(0, 1)
SCOPES = st.sampled_from(["general", "finance"])
CONCEPTS = st.lists(st.sampled_from(["vat", "sales"]), max_size=2, unique=True)


class Held(NamedTuple):
    """A card as it should be."""

    word: str
    scope: str
    concepts: tuple[str, ...]
    links: frozenset[str]
    revision: int = 1


class CardMachine(RuleBasedStateMachine):
    """Two memories over one file against dictionaries; each text holds a word that none has ever held."""

    names = Bundle("names")

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="ricordo-cards-"))
        self.clock = SetClock()
        self.model = FailingEmbedder(failing=False)
        self.words = 0
        self.held: dict[str, Held] = {}
        self.past: dict[str, dict[int, Held]] = {}
        self.merged: dict[str, tuple[str, Held, Held, str, Held, dict[str, Held]]] = {}
        self.memories: list[Memory] = []

    @initialize()
    def begin(self) -> None:
        self.memories = [self._opened(True), self._opened(True)]

    def _opened(self, with_model: bool) -> Memory:
        embedder = self.model if with_model else "none"
        return open_memory(self.folder / "memory.db", embedder=embedder, clock=self.clock)

    def teardown(self) -> None:
        try:
            if self.memories:
                self._everything_ends_well()
        finally:
            for memory in self.memories:
                memory.close()
            shutil.rmtree(self.folder, ignore_errors=True)

    def _everything_ends_well(self) -> None:
        self.model.failing = False
        self.clock.pass_by(hours=3)
        with self._opened(True) as memory:
            memory.upkeep.rebuild()
            assert memory.upkeep.verify().clean
            assert memory.cards.pending().total == 0
            for name, held in self.held.items():
                assert name in [hit.id for hit in memory.cards.search(held.word).hits]

    def _word(self) -> str:
        self.words += 1
        self.clock.pass_by(seconds=1)
        return f"zq{self.words}kx"

    def _keep(self, name: str, held: Held) -> None:
        self.held[name] = held
        self.past.setdefault(name, {})[held.revision] = held

    def _last(self, name: str) -> int:
        return max(self.past[name])

    # Writing

    @rule(
        target=names,
        handle=HANDLES,
        scope=SCOPES,
        concepts=CONCEPTS,
        defer=st.booleans(),
        choice=st.integers(0, 99),
    )
    def create(self, handle: int, scope: str, concepts: list[str], defer: bool, choice: int) -> str:
        word = self._word()
        known = sorted(self.held)
        links = frozenset(known[choice % len(known) :][:2]) if known else frozenset()
        receipt = self.memories[handle].cards.create(
            family="sql_rule",
            title=f"about {word}",
            content="a rule",
            scope=scope,
            concepts=concepts,
            links=[{"target": target} for target in links],
            defer=defer,
        )
        self._keep(receipt.id, Held(word, scope, tuple(concepts), links))
        return receipt.id

    @rule(handle=HANDLES, name=names, scope=SCOPES)
    def update(self, handle: int, name: str, scope: str) -> None:
        if name not in self.held:
            return
        held = self.held[name]
        word = self._word()
        changes = {"title": f"rather {word}", "scope": scope}
        receipt = self.memories[handle].cards.update(name, changes, revision=held.revision)
        assert receipt.revision == held.revision + 1
        self._keep(name, held._replace(word=word, scope=scope, revision=receipt.revision))

    @rule(handle=HANDLES, name=names, other=names)
    def link(self, handle: int, name: str, other: str) -> None:
        if name == other or not {name, other} <= self.held.keys():
            return
        held = self.held[name]
        links = held.links | {other}
        self.memories[handle].cards.update(
            name, {"links": [{"target": target} for target in sorted(links)]}, revision=held.revision
        )
        self._keep(name, held._replace(links=links, revision=held.revision + 1))

    def _unlink(self, gone: str) -> None:
        """Links to a deleted card are gone, by a new revision of what had one."""
        for name, held in list(self.held.items()):
            if gone in held.links:
                self._keep(name, held._replace(links=held.links - {gone}, revision=held.revision + 1))

    @rule(handle=HANDLES, name=names)
    def delete(self, handle: int, name: str) -> None:
        if name in self.held:
            self.memories[handle].cards.delete(name)
            del self.held[name]
            self._unlink(name)

    @rule(handle=HANDLES, name=names, choice=st.integers(0, 99))
    def restore(self, handle: int, name: str, choice: int) -> None:
        revisions = sorted(self.past[name])
        revision = revisions[choice % len(revisions)]
        before = self.past[name][revision]
        self.clock.pass_by(seconds=1)
        receipt = self.memories[handle].cards.restore(name, revision)
        assert receipt.revision == self._last(name) + 1
        kept = before.links & self.held.keys() - {name}
        self._keep(name, before._replace(links=frozenset(kept), revision=receipt.revision))

    @rule(handle=HANDLES, name=names, other=names)
    def merge(self, handle: int, name: str, other: str) -> None:
        if name == other or not {name, other} <= self.held.keys():
            return
        one, two = self.held[name], self.held[other]
        self.clock.pass_by(seconds=1)
        before = dict(self.held)
        answer = self.memories[handle].cards.merge(
            name, other, kept_revision=one.revision, merged_revision=two.revision
        )
        links = (one.links | two.links) - {name, other}
        del self.held[other]
        for source, held in list(self.held.items()):
            if other in held.links and source != name:
                moved = held.links - {other} | {name}
                self._keep(source, held._replace(links=moved, revision=held.revision + 1))
        concepts = tuple(dict.fromkeys((*one.concepts, *two.concepts)))
        self._keep(name, one._replace(concepts=concepts, links=links, revision=one.revision + 1))
        self.merged[answer.merge.id] = (name, one, self.held[name], other, two, before)

    @rule(handle=HANDLES, choice=st.integers(0, 99))
    def undo(self, handle: int, choice: int) -> None:
        merges = sorted(self.merged)
        if not merges:
            return
        merge = merges[choice % len(merges)]
        name, one, after, other, two, before = self.merged[merge]
        if other in self.held or self.held.get(name, one).revision != after.revision:
            return
        self.clock.pass_by(seconds=1)
        self.memories[handle].cards.undo_merge(merge)
        del self.merged[merge]
        last = self._last(other) + 1
        alive = {*self.held, other}
        for source, held in list(self.held.items()):
            was = before.get(source)
            led = was is not None and source not in (name, other) and other in was.links
            if was is not None and led and name in held.links:
                drop = set() if name in was.links else {name}
                links = (held.links - drop) | {other}
                self._keep(source, held._replace(links=links, revision=held.revision + 1))
        self._keep(other, two._replace(links=frozenset(two.links & alive - {other}), revision=last))
        restored = one._replace(links=frozenset(one.links & alive - {name}), revision=after.revision + 1)
        self._keep(name, restored)

    # Asking

    @rule(handle=HANDLES, name=names)
    def search(self, handle: int, name: str) -> None:
        if name not in self.held:
            return
        held = self.held[name]
        cards = self.memories[handle].cards
        for filters in ({}, {"scope": held.scope, "concepts": list(held.concepts)}):
            hits = cards.search(held.word, filters=filters).hits
            assert name in [hit.id for hit in hits]
            for hit in hits:
                assert hit.revision == self.held[hit.id].revision
                assert self.held[hit.id].word in hit.text
        other = {"scope": "finance" if held.scope == "general" else "general"}
        assert name not in [hit.id for hit in cards.search(held.word, filters=other).hits]

    @rule(handle=HANDLES, choice=st.integers(0, 999))
    def search_what_is_gone(self, handle: int, choice: int) -> None:
        current = {held.word for held in self.held.values()}
        gone = sorted({one.word for past in self.past.values() for one in past.values()} - current)
        if not gone:
            return
        for hit in self.memories[handle].cards.search(gone[choice % len(gone)], top=50).hits:
            assert hit.id in self.held
            assert Voice.LEXICAL not in {one.voice for one in hit.retrieval.voices}

    @rule(
        handle=HANDLES, scope=SCOPES, concepts=CONCEPTS, sort=st.sampled_from(["created", "updated", "title"])
    )
    def list(self, handle: int, scope: str, concepts: list[str], sort: str) -> None:
        page = self.memories[handle].cards.list({"scope": scope, "concepts": concepts}, sort=sort, limit=1000)
        assert {card.id for card in page.items} == {
            name
            for name, held in self.held.items()
            if held.scope == scope and set(concepts) <= set(held.concepts)
        }
        assert page.total == len(page.items)

    # Upkeep

    @rule(handle=HANDLES, with_model=st.booleans())
    def restart(self, handle: int, with_model: bool) -> None:
        self.memories[handle].close()
        self.memories[handle] = self._opened(with_model)

    @rule(failing=st.booleans())
    def model_goes_or_comes(self, failing: bool) -> None:
        self.model.failing = failing
        self.clock.pass_by(minutes=10)

    @rule(handle=HANDLES, name=names)
    def retry(self, handle: int, name: str) -> None:
        self.memories[handle].cards.retry(name)

    @rule(handle=HANDLES, full=st.booleans())
    def rebuild(self, handle: int, full: bool) -> None:
        if not self.model.failing:
            self.memories[handle].upkeep.rebuild(full=full)

    @rule(handle=HANDLES)
    def verify(self, handle: int) -> None:
        report = self.memories[handle].upkeep.verify()
        assert report.missing == report.stale == report.orphans == report.orphan_vectors == 0, report

    @invariant()
    def agrees(self) -> None:
        if not self.memories:
            return
        cards: dict[str, Any] = {card.id: card for card in self.memories[0].cards.list(limit=1000).items}
        assert cards.keys() == self.held.keys()
        for name, held in self.held.items():
            card: Card = cards[name]
            assert held.word in card.title
            assert (card.revision, card.scope) == (held.revision, held.scope)
            assert set(card.concepts) == set(held.concepts)
            assert {link.target for link in card.links} == held.links, name


TestCards = CardMachine.TestCase
TestCards.settings = settings(max_examples=12, stateful_step_count=30)
