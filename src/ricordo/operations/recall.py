"""Asking what is remembered, and keeping one statement."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from ricordo.operations.operation import Operation, given
from ricordo.records.base import Moment, Text, Value
from ricordo.records.fact import FactDraft
from ricordo.records.filters import Filters
from ricordo.records.principal import Permission
from ricordo.records.recall import Recall
from ricordo.records.receipt import Receipt


class RecallRequest(Value):
    """A question."""

    question: Text = Field(description="Any text; nothing in it is query syntax.")
    top: int = Field(default=10, ge=1, le=100, description="Most results.")
    kinds: tuple[Literal["episode", "fact", "card"], ...] | None = Field(
        default=None, description="`episode`, `fact`, `card`; all by default."
    )
    filters: Filters = Field(default_factory=Filters, description="Restrictions; all must hold.")
    as_of: Moment | None = Field(default=None, description="Ask for what held at this time.")
    neighbours: int = Field(default=0, ge=0, le=10, description="Turns before and after each episode.")


class RememberRequest(FactDraft):
    """A statement to be kept."""


RECALL: tuple[Operation, ...] = (
    Operation(
        "recall",
        "Answer a question from what is remembered now, with sources; says so when nothing is known.",
        RecallRequest,
        Recall,
        Permission.READ,
        lambda memory, request: memory.recall(**given(request)),
        read_only=True,
        idempotent=True,
    ),
    Operation(
        "remember",
        "Keep one statement as a fact.",
        RememberRequest,
        Receipt,
        Permission.WRITE,
        lambda memory, request: memory.remember(**given(request)),
    ),
)
