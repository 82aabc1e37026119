"""Sub-commands that are loaded when they are named, and listed without being loaded."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, MutableMapping
from typing import Any, ClassVar, NamedTuple

import typer.main
from typer.core import TyperGroup

from ricordo.surfaces.cli.fast_options import convert_where_needed


class LazyCommand(NamedTuple):
    """A sub-command's place.

    Attributes:
        name: What is typed.
        module: Where its Typer app is, under the name `app`.
        summary: What the help of the group says.
    """

    name: str
    module: str
    summary: str


class LazyCommands(MutableMapping[str, Any]):
    """Sub-commands by name; one is imported when it is taken."""

    def __init__(self, *entries: LazyCommand) -> None:
        self.entries = {entry.name: entry for entry in entries}
        self._taken: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._taken:
            entry = self.entries[name]
            command = typer.main.get_command(importlib.import_module(entry.module).app)
            command.name = name
            self._taken[name] = command
        return self._taken[name]

    def __setitem__(self, name: str, command: Any) -> None:
        self._taken[name] = command

    def __delitem__(self, name: str) -> None:
        del self.entries[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)


class LazyGroup(TyperGroup):
    """A group whose sub-commands are loaded when they are named."""

    lazy: ClassVar[LazyCommands]

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands = self.lazy

    def get_params(self, ctx: Any) -> list[Any]:
        """The group's options."""
        return convert_where_needed(super().get_params(ctx))

    def list_commands(self, ctx: Any) -> list[str]:
        """Names, in the order of the help."""
        del ctx
        return list(self.lazy)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the list of sub-commands."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl([(entry.name, entry.summary) for entry in self.lazy.entries.values()])
