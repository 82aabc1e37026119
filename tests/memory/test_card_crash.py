"""A process dies between every two steps of a write of cards: all of it happened, or nothing."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from ricordo.embed.hashing import HashingEmbedder
from ricordo.memory import Memory
from ricordo.records.recall import Voice

from .cards import RULE
from .opening import NOON, SetClock, open_memory
from .processes import Process

ACTIONS = {
    "create": "memory.cards.create(family='sql_rule', title='zqnew', content='zqnewtext',"
    " concepts=['c'], dependencies=[{'database': 'd'}], links=[{'target': ids['a']}])",
    "update": "memory.cards.update(ids['a'], {'content': 'zqnewtext', 'links': [{'target': ids['c']}],"
    " 'concepts': ['other']}, revision=2)",
    "delete": "memory.cards.delete(ids['a'])",
    "restore": "memory.cards.restore(ids['a'], 1)",
    "bring back": "memory.cards.restore(ids['gone'], 1)",
    "merge": "memory.cards.merge(ids['b'], ids['a'], kept_revision=1, merged_revision=2)",
    "undo": "memory.cards.undo_merge(memory.cards.merges().items[0].id)",
    "retry": "memory.cards.retry(ids['waiting'])",
}

DYING = """
import datetime, os, shutil, signal
from sqlalchemy import event
from sqlalchemy.engine import Engine

action = sys.stdin.readline()
ids = json.loads(sys.stdin.readline())
armed, count, changes, last = False, 0, 0, 0
clock = lambda: datetime.datetime(2024, 3, 1, 13, 0, tzinfo=datetime.timezone.utc)
made = iter(range(100))


def step(statement):  # a step: the bounds of a transaction, and every sixth change inside it
    global count, changes
    if not armed:
        return
    changes += statement.startswith(("INSERT", "UPDATE", "DELETE", "REPLACE"))
    if statement.startswith(("BEGIN", "COMMIT")) or changes == 6:
        count, changes = count + 1, 0
        if count == last:
            os.kill(os.getpid(), signal.SIGKILL)


event.listen(Engine, "connect", lambda raw, _: raw.set_trace_callback(step))
for last in range(1, 500):
    copy = f"{path}.{last}"
    shutil.copy(path, copy)
    child = os.fork()
    if not child:
        with Memory.open(
            copy, embedder=HashingEmbedder(64), durability="process", clock=clock,
            ids=lambda kind: f"mem-new-{next(made)}",
        ) as memory:
            armed = True
            eval(action)
            armed = False
        os._exit(0)
    _, status = os.waitpid(child, 0)
    say(file=copy, killed=os.WIFSIGNALED(status), failed=os.WIFEXITED(status) and os.WEXITSTATUS(status) != 0)
    if not os.WIFSIGNALED(status):
        break
"""


@pytest.fixture
def ids(path: Path) -> dict[str, str]:
    """Cards with links among them, in an archive whose vectors are made, except one."""
    with open_memory(path, embedder=HashingEmbedder(64), clock=SetClock()) as memory:

        def made(name: str, *links: str, **options: Any) -> str:
            fields = {**RULE, "title": f"zq{name}", "content": f"zq{name}text", "concepts": ["c"]}
            place = [{"database": "d", "table": name}]
            given = [{"target": found[link]} for link in links]
            return memory.cards.create(**fields, dependencies=place, links=given, **options).id

        found: dict[str, str] = {}
        found["c"] = made("c")
        found["a"] = made("a", "c")
        found["b"] = made("b", "a")
        memory.cards.update(found["a"], {"content": "zqaothertext"}, revision=1)
        found["gone"] = made("gone", "a", "c")
        memory.cards.delete(found["gone"])
        found["kept"] = made("kept", "a")
        found["merged"] = made("merged", "c")
        memory.cards.update(found["c"], {"links": [{"target": found["merged"]}]}, revision=1)
        memory.cards.merge(found["kept"], found["merged"], kept_revision=1, merged_revision=1)
        found["waiting"] = made("waiting", defer=True)
    return found


def _state(memory: Memory) -> dict[str, Any]:
    """All that the archive says of cards."""
    cards = memory.cards.list(limit=100).items
    everyone = [*(card.id for card in cards), *memory.ids]  # type: ignore[attr-defined]
    return {
        "cards": {card.id: card.model_dump_json() for card in cards},
        "merges": [merge.model_dump(exclude={"id"}) for merge in memory.cards.merges().items],
        "history": {name: memory.cards.history(name).total for name in everyone},
        "sets": [
            memory.cards.list(filters).total
            for filters in (
                {"concepts": ["c"]},
                {"concepts": ["other"]},
                {"database": "d"},
                {"scope": "general"},
            )
        ],
    }


def _opened(file: Path, ids: dict[str, str]) -> Memory:
    clock = SetClock(NOON)
    clock.pass_by(hours=5)
    memory = open_memory(file, embedder=HashingEmbedder(64), clock=clock)
    memory.ids = list(ids.values())  # type: ignore[attr-defined]
    return memory


def _assert_well(memory: Memory, state: dict[str, Any]) -> None:
    """Nothing stale is found, and what was left to be done is done without bringing anything back."""
    report = memory.upkeep.verify()
    assert report.missing == report.stale == report.orphans == report.orphan_vectors == 0
    cards = memory.cards.list(limit=100).items
    current = {card.id: card for card in cards}
    words = {word for card in cards for word in (card.title, card.content)}
    for word in ("zqa", "zqatext", "zqaothertext", "zqnew", "zqnewtext", "zqgone", "zqmerged", "zqb"):
        for hit in memory.cards.search(word, top=100).hits:
            assert hit.revision == current[hit.id].revision
            if Voice.LEXICAL in {one.voice for one in hit.retrieval.voices}:
                assert word in words, f"{word} still finds {hit.text}"
    for name in [*current, *memory.ids]:  # type: ignore[attr-defined]
        memory.cards.retry(name)
    memory.upkeep.drain()
    assert memory.cards.pending().total == 0
    assert memory.upkeep.verify().clean
    assert _state(memory) == state
    for card in cards:
        assert card.id in [hit.id for hit in memory.cards.search(card.title).hits]


@pytest.mark.parametrize("action", ACTIONS)
def test_killed_between_any_two_steps(path: Path, ids: dict[str, str], action: str) -> None:
    with _opened(path, ids) as memory:
        states = [_state(memory)]
    shutil.copy(path, f"{path}.first")
    seen: list[tuple[dict[str, Any], int]] = []
    killed = 0
    with Process(DYING, path) as process:
        process.tell(ACTIONS[action], ids)
        for said in process.said():
            assert not said["failed"], process.ended()
            killed += said["killed"]
            with _opened(Path(said["file"]), ids) as memory:
                state, pending = _state(memory), memory.cards.pending().total
                if not said["killed"]:
                    states.append(state)
                if (state, pending) not in seen:
                    seen.append((state, pending))
                    _assert_well(memory, state)
    assert killed > 2
    before, after = states
    assert (before == after) == (action == "retry")
    assert all(state in (before, after) for state, _ in seen)
    assert len(seen) > 1
