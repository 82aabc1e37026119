"""`AsyncMemory` is `Memory`, name by name, and answers the same."""

from __future__ import annotations

import asyncio
import inspect
from pathlib import Path
from typing import Any

import pytest

from ricordo.async_memory import AsyncGroup, AsyncMemory
from ricordo.errors import NotFound
from ricordo.memory import Memory
from ricordo.records.principal import Permission, Principal

from .opening import open_memory

GROUPS = ("sessions", "episodes", "facts", "cards", "upkeep", "doctor")


def _public(thing: object) -> set[str]:
    return {name for name in dir(thing) if not name.startswith("_")}


def test_every_name_is_there(memory: Memory) -> None:
    twin = AsyncMemory(memory)
    assert _public(twin) == _public(memory)
    for group in GROUPS:
        operations = {
            name
            for name in _public(getattr(memory, group))
            if callable(getattr(getattr(memory, group), name))
        }
        own = {"engine", "workspace", "principal"}
        assert isinstance(getattr(twin, group), AsyncGroup)
        assert _public(getattr(twin, group)) - own == operations - own


def test_groups_are_all_the_groups(memory: Memory) -> None:
    held = {
        name for name, value in vars(memory).items() if not name.startswith("_") and hasattr(value, "engine")
    }
    assert held == set(GROUPS)


def test_every_operation_is_awaited_and_documented(memory: Memory) -> None:
    twin = AsyncMemory(memory)
    waiting = {"close", "in_workspace", "workspaces", "remember", "recall", "warm", "open"}
    for name in waiting:
        assert inspect.iscoroutinefunction(getattr(twin, name)), name
        assert getattr(twin, name).__doc__
    for group in GROUPS:
        call = getattr(memory, group)
        for name in _public(call):
            if inspect.ismethod(getattr(call, name)):
                same = getattr(getattr(twin, group), name)
                assert inspect.iscoroutinefunction(same)
                assert (same.__name__, same.__doc__) == (name, getattr(call, name).__doc__)


def test_what_is_not_there_is_no_operation(memory: Memory) -> None:
    twin = AsyncMemory(memory)
    for name in ("rubbish", "_record", "workspace"):
        with pytest.raises(AttributeError):
            getattr(twin.facts, name)


def test_both_answer_the_same(path: Path, tmp_path: Path) -> None:
    async def by_async() -> list[Any]:
        async with await AsyncMemory.open(path, embedder="hashing", durability="process") as memory:
            first = await memory.remember("The zebra lives in the stable.", topic="animals")
            turns = await memory.episodes.add_many(
                "talk", [{"user_message": "One."}, {"user_message": "Two."}]
            )
            await memory.facts.update(first.id, {"topic": "zoo"})
            other = await memory.in_workspace("other", create=True)
            await other.remember("Elsewhere.")
            with pytest.raises(NotFound):
                await memory.episodes.get("episode-unknown")
            await memory.warm()
            reader = memory.acting_as(Principal(id="reader", permissions=frozenset({Permission.READ})))
            return [
                await reader.recall("where does the zebra live"),
                await memory.facts.get(first.id),
                await memory.episodes.get(turns[1].id),
                await memory.sessions.list(),
                await memory.workspaces(),
                memory.workspace,
                await memory.upkeep.verify(),
                (await memory.doctor.status()).records,
            ]

    found = asyncio.run(by_async())
    with open_memory(path) as memory:
        again = [
            memory.recall("where does the zebra live"),
            memory.facts.list().items[0],
            memory.episodes.list().items[1],
            memory.sessions.list(),
            memory.workspaces(),
            memory.workspace,
            memory.upkeep.verify(),
            memory.doctor.status().records,
        ]
    assert found[0].hits == again[0].hits
    assert found[1:] == again[1:]


def test_many_at_once(path: Path) -> None:
    async def run() -> None:
        async with await AsyncMemory.open(path, embedder="hashing", durability="process") as memory:
            memory.start_worker()
            receipts = await asyncio.gather(*(memory.remember(f"Fact zq{number}kx.") for number in range(20)))
            assert len({receipt.id for receipt in receipts}) == 20
            answers = await asyncio.gather(*(memory.recall(f"zq{number}kx") for number in range(20)))
            assert [answer.hits[0].text for answer in answers] == [
                f"Fact zq{number}kx." for number in range(20)
            ]

    asyncio.run(run())
