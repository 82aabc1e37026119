"""`AsyncMemory`: `Memory` for asyncio, each call in a thread.

The core is synchronous, since SQLite and local models work in threads anyway.
This wrapper has no logic of its own; a test holds it to `Memory`, name by name.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from types import TracebackType
from typing import Any, Generic, ParamSpec, Self, TypeVar

from ricordo.engine.cards import Cards
from ricordo.engine.doctor import Doctor
from ricordo.engine.episodes import Episodes
from ricordo.engine.facts import Facts
from ricordo.engine.sessions import Sessions
from ricordo.engine.upkeep import Upkeep
from ricordo.memory import Memory
from ricordo.records.principal import Principal
from ricordo.records.recall import Recall
from ricordo.records.receipt import Receipt
from ricordo.records.workspace import Workspace
from ricordo.settings import Settings

Group = TypeVar("Group")
Args = ParamSpec("Args")
Answer = TypeVar("Answer")


def _in_thread(call: Callable[Args, Answer]) -> Callable[Args, Awaitable[Answer]]:
    async def run(*args: Args.args, **kwargs: Args.kwargs) -> Answer:
        return await asyncio.to_thread(partial(call, *args, **kwargs))

    run.__name__ = getattr(call, "__name__", "run")
    run.__doc__ = call.__doc__
    return run


class AsyncGroup(Generic[Group]):
    """A group of operations whose methods are awaited; names and arguments are the group's own."""

    def __init__(self, group: Group) -> None:
        self._group = group

    def __getattr__(self, name: str) -> Callable[..., Awaitable[Any]]:
        call = getattr(self._group, name)
        if name.startswith("_") or not callable(call):
            raise AttributeError(f"{type(self._group).__name__} has no operation {name!r}")
        return _in_thread(call)

    def __dir__(self) -> list[str]:
        return [name for name in dir(self._group) if not name.startswith("_")]


class AsyncMemory:
    """A workspace's memory for asyncio; see `Memory` for every operation."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self.sessions: AsyncGroup[Sessions] = AsyncGroup(memory.sessions)
        self.episodes: AsyncGroup[Episodes] = AsyncGroup(memory.episodes)
        self.facts: AsyncGroup[Facts] = AsyncGroup(memory.facts)
        self.cards: AsyncGroup[Cards] = AsyncGroup(memory.cards)
        self.upkeep: AsyncGroup[Upkeep] = AsyncGroup(memory.upkeep)
        self.doctor: AsyncGroup[Doctor] = AsyncGroup(memory.doctor)

    @classmethod
    async def open(cls, *args: Any, **kwargs: Any) -> AsyncMemory:
        """Open a memory; arguments as `Memory.open`."""
        return cls(await asyncio.to_thread(partial(Memory.open, *args, **kwargs)))

    @property
    def workspace(self) -> Workspace:
        """The workspace."""
        return self._memory.workspace

    @property
    def principal(self) -> Principal:
        """The caller."""
        return self._memory.principal

    @property
    def settings(self) -> Settings:
        """The settings that it was opened with."""
        return self._memory.settings

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """As `Memory.close`."""
        await asyncio.to_thread(self._memory.close)

    def start_worker(self) -> None:
        """As `Memory.start_worker`."""
        self._memory.start_worker()

    def acting_as(self, principal: Principal) -> AsyncMemory:
        """As `Memory.acting_as`."""
        return AsyncMemory(self._memory.acting_as(principal))

    async def in_workspace(self, name: str, **kwargs: Any) -> AsyncMemory:
        """As `Memory.in_workspace`."""
        return AsyncMemory(await asyncio.to_thread(partial(self._memory.in_workspace, name, **kwargs)))

    async def workspaces(self) -> tuple[Workspace, ...]:
        """As `Memory.workspaces`."""
        return await asyncio.to_thread(self._memory.workspaces)

    async def remember(self, content: str, **kwargs: Any) -> Receipt:
        """As `Memory.remember`."""
        return await asyncio.to_thread(partial(self._memory.remember, content, **kwargs))

    async def recall(self, question: str, **kwargs: Any) -> Recall:
        """As `Memory.recall`."""
        return await asyncio.to_thread(partial(self._memory.recall, question, **kwargs))

    async def warm(self) -> None:
        """As `Memory.warm`."""
        await asyncio.to_thread(self._memory.warm)
