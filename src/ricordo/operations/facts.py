"""Facts: statements with their domain, topic and source."""

from __future__ import annotations

from pydantic import Field

from ricordo.operations.operation import Operation, Paging, changed, given
from ricordo.records.base import MAX_TAGS, Moment, Name, Reason, Value
from ricordo.records.fact import Fact, FactChanges, FactDraft
from ricordo.records.page import Page
from ricordo.records.principal import Permission
from ricordo.records.receipt import HistoryEntry, Receipt, Removal


class AddFactRequest(FactDraft):
    """A fact to be added."""

    defer: bool = Field(default=False, description="Leave the vector to the background.")


class FactRequest(Value):
    """One fact."""

    fact_id: Name


class ListFactsRequest(Paging):
    """Which facts."""

    domain: Name | None = None
    topic: Name | None = None
    tags: tuple[Name, ...] = Field(default=(), max_length=MAX_TAGS)
    since: Moment | None = None
    until: Moment | None = None


class UpdateFactRequest(FactRequest):
    """A change of a fact."""

    changes: FactChanges
    revision: int | None = Field(default=None, description="The revision that the change was made from.")
    reason: Reason | None = None


class FactHistoryRequest(FactRequest, Paging):
    """Whose history."""


FACTS: tuple[Operation, ...] = (
    Operation(
        "add_fact",
        "Add one fact with its domain, topic and source.",
        AddFactRequest,
        Receipt,
        Permission.WRITE,
        lambda memory, request: memory.facts.add(**given(request)),
    ),
    Operation(
        "get_fact",
        "Read one fact.",
        FactRequest,
        Fact,
        Permission.READ,
        lambda memory, request: memory.facts.get(request.fact_id),
        read_only=True,
        idempotent=True,
    ),
    Operation(
        "list_facts",
        "List facts in the order in which they were recorded.",
        ListFactsRequest,
        Page[Fact],
        Permission.READ,
        lambda memory, request: memory.facts.list(**given(request)),
        read_only=True,
        idempotent=True,
    ),
    Operation(
        "update_fact",
        "Change named fields of a fact.",
        UpdateFactRequest,
        Receipt,
        Permission.WRITE,
        lambda memory, request: memory.facts.update(
            request.fact_id, changed(request), revision=request.revision, reason=request.reason
        ),
        destructive=True,
    ),
    Operation(
        "delete_fact",
        "Delete a fact.",
        FactRequest,
        Removal,
        Permission.WRITE,
        lambda memory, request: memory.facts.delete(request.fact_id),
        destructive=True,
    ),
    Operation(
        "fact_history",
        "Show the revisions of a fact, newest first.",
        FactHistoryRequest,
        Page[HistoryEntry],
        Permission.READ,
        lambda memory, request: memory.facts.history(**given(request)),
        read_only=True,
        idempotent=True,
    ),
)
