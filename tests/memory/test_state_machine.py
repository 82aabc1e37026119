"""Whatever is done in whatever order, the memory answers as a dictionary would."""

from __future__ import annotations

import shutil
import tempfile
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    initialize,
    invariant,
    multiple,
    rule,
)

from ricordo.embed.contract import Embedder
from ricordo.embed.hashing import HashingEmbedder
from ricordo.memory import Memory
from ricordo.records.recall import Recall, Voice

from .embedders import OtherEmbedder
from .opening import NOON, SetClock, open_memory

SESSIONS = st.sampled_from(["monday", "tuesday", "wednesday"])
HANDLES = st.integers(0, 1)


def _embedder(name: str) -> Embedder | str:
    # Long vectors: two words that share a coordinate would be near each other for no reason.
    return {"none": "none", "hashing": HashingEmbedder(2048), "other": OtherEmbedder(1536)}[name]


EMBEDDERS = st.sampled_from(["none", "hashing", "hashing", "other"])


class MemoryMachine(RuleBasedStateMachine):
    """Two memories over one file, as two processes have them, against dictionaries.

    Every text holds one word that no other text has ever held.
    """

    episodes = Bundle("episodes")
    facts = Bundle("facts")

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="ricordo-machine-"))
        self.clock = SetClock()
        self.words = 0
        self.gone: list[str] = []
        self.turns: dict[str, tuple[str, str, int]] = {}
        self.statements: dict[str, tuple[str, int]] = {}
        self.expired: dict[str, str] = {}
        self.names = ["hashing", "hashing"]
        self.memories: list[Memory] = []

    @initialize(first=EMBEDDERS, second=EMBEDDERS)
    def begin(self, first: str, second: str) -> None:
        self.names = [first, second]
        self.memories = [self._opened(name) for name in self.names]

    def _opened(self, name: str) -> Memory:
        return open_memory(self.folder / "memory.db", embedder=_embedder(name), clock=self.clock)

    def teardown(self) -> None:
        try:
            if self.memories:
                self._everything_ends_well()
        finally:
            for memory in self.memories:
                memory.close()
            shutil.rmtree(self.folder, ignore_errors=True)

    def _everything_ends_well(self) -> None:
        """Once one has made the index its own, it is clean and finds all there is."""
        memory = self.memories[0]
        memory.upkeep.rebuild()
        assert memory.upkeep.verify().clean
        assert memory.upkeep.pending_report().queue.total == 0 or self.names[0] == "none"
        for name in (*self.turns, *self.statements):
            self._assert_found(memory, name)

    def _new_word(self) -> str:
        self.words += 1
        self.clock.pass_by(seconds=1)
        return f"zq{self.words}kx"

    # Writing

    @rule(target=episodes, handle=HANDLES, session=SESSIONS, defer=st.booleans())
    def add_episode(self, handle: int, session: str, defer: bool) -> str:
        word = self._new_word()
        receipt = self.memories[handle].episodes.add(
            session, user_message=f"we spoke of {word} today", defer=defer
        )
        self.turns[receipt.id] = (word, session, 1)
        return receipt.id

    @rule(target=episodes, handle=HANDLES, session=SESSIONS)
    def add_many_episodes(self, handle: int, session: str) -> object:
        words = [self._new_word() for _ in range(10)]
        receipts = self.memories[handle].episodes.add_many(
            session, [{"speaker": "Ada", "user_message": f"and of {word}"} for word in words]
        )
        for receipt, word in zip(receipts, words, strict=True):
            self.turns[receipt.id] = (word, session, 1)
        return multiple(*(receipt.id for receipt in receipts))

    @rule(handle=HANDLES, name=episodes, defer=st.booleans())
    def edit_episode(self, handle: int, name: str, defer: bool) -> None:
        if name not in self.turns:
            return
        old, session, revision = self.turns[name]
        word = self._new_word()
        receipt = self.memories[handle].episodes.update(
            name, {"user_message": f"rather of {word} it was"}, revision=revision, defer=defer
        )
        self.gone.append(old)
        self.turns[name] = (word, session, revision + 1)
        assert receipt.revision == revision + 1

    @rule(handle=HANDLES, name=consumes(episodes))
    def delete_episode(self, handle: int, name: str) -> None:
        if name in self.turns:
            self.memories[handle].episodes.delete(name)
            self.gone.append(self.turns.pop(name)[0])

    @rule(handle=HANDLES, session=SESSIONS)
    def delete_session(self, handle: int, session: str) -> None:
        memory = self.memories[handle]
        if session not in [item.external_id for item in memory.sessions.list().items]:
            return
        mine = [name for name, (_, where, _) in self.turns.items() if where == session]
        assert sum(memory.sessions.delete(session).removed.values()) == len(mine) + 1
        self.gone += [self.turns.pop(name)[0] for name in mine]

    @rule(target=facts, handle=HANDLES, defer=st.booleans())
    def add_fact(self, handle: int, defer: bool) -> str:
        word = self._new_word()
        receipt = self.memories[handle].remember(f"the fact about {word} holds", defer=defer)
        self.statements[receipt.id] = (word, 1)
        return receipt.id

    @rule(handle=HANDLES, name=facts)
    def edit_fact(self, handle: int, name: str) -> None:
        if name not in self.statements:
            return
        old, revision = self.statements[name]
        word = self._new_word()
        self.memories[handle].facts.update(name, {"content": f"it is about {word} now"}, revision=revision)
        self.gone.append(old)
        self.statements[name] = (word, revision + 1)

    @rule(handle=HANDLES, name=facts)
    def let_a_fact_expire(self, handle: int, name: str) -> None:
        if name not in self.statements:
            return
        word, _ = self.statements.pop(name)
        self.memories[handle].facts.update(
            name, {"valid_from": NOON - timedelta(days=2), "valid_until": NOON - timedelta(days=1)}
        )
        self.expired[name] = word

    @rule(handle=HANDLES, name=consumes(facts))
    def delete_fact(self, handle: int, name: str) -> None:
        if name in self.statements:
            self.memories[handle].facts.delete(name)
            self.gone.append(self.statements.pop(name)[0])

    # Asking

    def _assert_found(self, memory: Memory, name: str) -> None:
        word = (self.turns.get(name) or self.statements[name])[0]
        answer = memory.recall(f"what about {word}")
        found = [hit for hit in answer.hits if hit.id == name]
        assert found, f"{name} is not found by {word}"
        assert word in found[0].text
        assert not answer.nothing_known
        self._assert_current(answer)

    def _assert_current(self, answer: Recall) -> None:
        for hit in answer.hits:
            word, revision = self.statements.get(hit.id) or (self.turns[hit.id][0], self.turns[hit.id][2])
            assert word in hit.text
            assert hit.revision == revision
            assert sum(hit.retrieval.parts.values()) == pytest.approx(hit.retrieval.score, abs=1e-5)

    @rule(handle=HANDLES, name=st.one_of(episodes, facts))
    def recall_what_is_known(self, handle: int, name: str) -> None:
        if name in self.turns or name in self.statements:
            self._assert_found(self.memories[handle], name)

    @rule(handle=HANDLES, choice=st.integers(0, 10_000))
    def recall_what_is_gone(self, handle: int, choice: int) -> None:
        words = [*self.gone, *self.expired.values()]
        if not words:
            return
        answer = self.memories[handle].recall(words[choice % len(words)], top=20)
        self._assert_current(answer)
        assert not [
            hit for hit in answer.hits if Voice.LEXICAL in {one.voice for one in hit.retrieval.voices}
        ]

    @rule(handle=HANDLES, choice=st.integers(0, 10_000))
    def recall_what_held_then(self, handle: int, choice: int) -> None:
        if self.expired:
            name = sorted(self.expired)[choice % len(self.expired)]
            answer = self.memories[handle].recall(
                self.expired[name], kinds=["fact"], as_of=NOON - timedelta(days=1, hours=1)
            )
            assert name in [hit.id for hit in answer.hits]

    # Upkeep

    @rule(handle=HANDLES, name=EMBEDDERS)
    def restart(self, handle: int, name: str) -> None:
        self.memories[handle].close()
        self.names[handle] = name
        self.memories[handle] = self._opened(name)

    @rule(handle=HANDLES, full=st.booleans())
    def rebuild(self, handle: int, full: bool) -> None:
        self.memories[handle].upkeep.rebuild(full=full)
        report = self.memories[handle].upkeep.verify()
        assert report.clean, report

    @rule(handle=HANDLES)
    def drain(self, handle: int) -> None:
        self.memories[handle].upkeep.drain()

    @rule(handle=HANDLES)
    def repair(self, handle: int) -> None:
        found = self.memories[handle].upkeep.verify(repair=True)
        assert found.missing == found.stale == found.orphans == found.orphan_vectors == 0

    @rule(handle=HANDLES)
    def verify(self, handle: int) -> None:
        report = self.memories[handle].upkeep.verify()
        assert report.missing == report.stale == report.orphans == report.orphan_vectors == 0, report
        assert report.checked == len(self.turns) + len(self.statements) + len(self.expired)

    @invariant()
    def agrees(self) -> None:
        if not self.memories:
            return
        memory = self.memories[self.words % 2]
        turns = memory.episodes.list(limit=1000).items
        facts = memory.facts.list(limit=1000).items
        assert {turn.id: turn.revision for turn in turns} == {
            name: revision for name, (_, _, revision) in self.turns.items()
        }
        assert {fact.id for fact in facts} == self.statements.keys() | self.expired.keys()


TestMemory = MemoryMachine.TestCase
TestMemory.settings = settings(max_examples=12, stateful_step_count=25)
