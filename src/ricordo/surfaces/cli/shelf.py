"""Sub-commands that are loaded when they are named, and listed without being loaded."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, MutableMapping
from typing import Any, ClassVar, NamedTuple

import typer.main
from typer.core import TyperGroup

from ricordo.surfaces.cli.plain_values import taken_as_they_are


class Slot(NamedTuple):
    """A sub-command's place.

    Attributes:
        name: What is typed.
        module: Where its Typer app is, under the name `app`.
        summary: What the help of the group says.
    """

    name: str
    module: str
    summary: str


class Shelf(MutableMapping[str, Any]):
    """Sub-commands by name; one is imported when it is taken."""

    def __init__(self, *slots: Slot) -> None:
        self.slots = {slot.name: slot for slot in slots}
        self._taken: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._taken:
            slot = self.slots[name]
            command = typer.main.get_command(importlib.import_module(slot.module).app)
            command.name = name
            self._taken[name] = command
        return self._taken[name]

    def __setitem__(self, name: str, command: Any) -> None:
        self._taken[name] = command

    def __delitem__(self, name: str) -> None:
        del self.slots[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.slots)

    def __len__(self) -> int:
        return len(self.slots)


class ShelfGroup(TyperGroup):
    """A group over a shelf."""

    shelf: ClassVar[Shelf]

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands = self.shelf

    def get_params(self, ctx: Any) -> list[Any]:
        """The group's options."""
        return taken_as_they_are(super().get_params(ctx))

    def list_commands(self, ctx: Any) -> list[str]:
        """Names, in the shelf's order."""
        del ctx
        return list(self.shelf)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the list of sub-commands."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl([(slot.name, slot.summary) for slot in self.shelf.slots.values()])
