"""What an operation is, and what requests of several groups share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pydantic import Field

from ricordo.memory import Memory
from ricordo.records.base import Value
from ricordo.records.principal import Permission
from ricordo.records.receipt import Receipt


@dataclass(frozen=True)
class Operation:
    """One operation.

    Attributes:
        name: `verb_noun`; the same on every surface.
        summary: One sentence, for help, OpenAPI and MCP.
        request, response: Models of what comes in and out.
        read_only: Changes nothing.
        destructive: Removes or overwrites something.
        idempotent: Doing it twice is the same as doing it once.
        run: Does it.
    """

    name: str
    summary: str
    request: type[Value]
    response: type[Value]
    permission: Permission
    run: Callable[[Memory, Any], Any]
    read_only: bool = False
    destructive: bool = False
    idempotent: bool = False


class Paging(Value):
    """Which page of a listing."""

    limit: int = Field(default=50, ge=1, le=1000, description="Most items of the page.")
    cursor: str | None = Field(default=None, description="`next_cursor` of the page before.")


class Nothing(Value):
    """A request without fields."""


class Receipts(Value):
    """Receipts in the order of what was given."""

    receipts: tuple[Receipt, ...]


def given(request: Value) -> dict[str, Any]:
    """The fields of a request that were given."""
    return {name: getattr(request, name) for name in request.model_fields_set}


def changed(request: Any) -> dict[str, Any]:
    """The fields that an update names, with their new values."""
    return given(request.changes)
