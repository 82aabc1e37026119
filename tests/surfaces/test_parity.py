"""One list of operations: the library, HTTP, MCP and the asynchronous wrapper hold to it."""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import anyio
import pytest

from ricordo.async_memory import AsyncMemory
from ricordo.memory import Memory
from ricordo.operations import BY_NAME, OPERATIONS
from ricordo.records.recall import Recall
from ricordo.records.receipt import Receipt
from ricordo.surfaces.http.openapi import openapi_document
from ricordo.surfaces.http.routes import ROUTES, UPDATES, Route
from ricordo.surfaces.mcp.tools import LEFT_OUT, TOOLS, tool_list

METHODS = {
    "recall": "recall",
    "remember": "remember",
    "workspaces": "list_workspaces",
    "in_workspace": "create_workspace",
    "sessions.create": "create_session",
    "sessions.get": "get_session",
    "sessions.list": "list_sessions",
    "sessions.update": "update_session",
    "sessions.delete": "delete_session",
    "sessions.history": "session_history",
    "episodes.add": "add_episode",
    "episodes.add_many": "add_episodes",
    "episodes.get": "get_episode",
    "episodes.list": "list_episodes",
    "episodes.update": "update_episode",
    "episodes.delete": "delete_episode",
    "episodes.history": "episode_history",
    "facts.add": "add_fact",
    "facts.get": "get_fact",
    "facts.list": "list_facts",
    "facts.update": "update_fact",
    "facts.delete": "delete_fact",
    "facts.history": "fact_history",
    "cards.search": "search_cards",
    "cards.clarifications": "find_clarifications",
    "cards.rules": "find_rules",
    "cards.solved": "find_solved_questions",
    "cards.get": "get_card",
    "cards.list": "list_cards",
    "cards.create": "create_card",
    "cards.update": "update_card",
    "cards.delete": "delete_card",
    "cards.history": "card_history",
    "cards.compare": "compare_card",
    "cards.restore": "restore_card",
    "cards.look_alikes": "list_similar_cards",
    "cards.merge": "merge_cards",
    "cards.undo_merge": "undo_merge",
    "cards.merges": "list_merges",
    "cards.pending": "list_pending_cards",
    "cards.retry": "retry_card",
    "upkeep.pending": "list_pending",
    "upkeep.retry": "retry_pending",
    "upkeep.rebuild": "rebuild_index",
    "upkeep.verify": "verify_index",
    "doctor.status": "status",
    "doctor.diagnose": "diagnose",
}
"""Methods of `Memory`, and the operation that each is."""

LIBRARY_ONLY = {
    "open",
    "close",
    "start_worker",
    "warm",
    "acting_as",
    "facts.add_many",  # importers use it; a surface's batch is a conversation
    "cards.export",  # whole files: the command line's own
    "cards.import_lines",
    "upkeep.drain",  # the worker's and the command line's own
    "upkeep.pending_report",  # a part of list_pending
    "upkeep.queue",  # a part of list_pending, for health checks
}
"""Methods that are about the object itself, or that have no surface."""

GROUPS = ("sessions", "episodes", "facts", "cards", "upkeep", "doctor")
BOUND = {"engine", "workspace", "principal"}


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory.open(tmp_path / "memory.db", embedder="none") as opened:
        yield opened


def public(value: object) -> set[str]:
    return {name for name in dir(value) if not name.startswith("_")}


def test_every_method_is_an_operation_or_has_none_for_a_reason(memory: Memory) -> None:
    own = {name for name in public(memory) - {*GROUPS} if callable(getattr(memory, name))}
    grouped = {f"{group}.{name}" for group in GROUPS for name in public(getattr(memory, group)) - BOUND}
    assert own | grouped == METHODS.keys() | LIBRARY_ONLY
    assert not METHODS.keys() & LIBRARY_ONLY
    assert sorted(METHODS.values()) == sorted(BY_NAME)


def test_names_are_unique_and_described() -> None:
    assert len(BY_NAME) == len(OPERATIONS)
    for operation in OPERATIONS:
        assert operation.summary.endswith(".")
        assert not (operation.read_only and operation.destructive)
        assert operation.idempotent or not operation.read_only


def test_every_operation_has_its_route_and_its_place_in_the_document() -> None:
    assert {route.name for route in ROUTES} | {route.single for route in ROUTES} - {""} == set(BY_NAME)
    ids = Counter(route.operation_id for route in ROUTES)
    assert max(ids.values()) == 1
    assert set(BY_NAME) <= set(ids)
    assert len({(route.method, route.path) for route in ROUTES}) == len(ROUTES)
    paths = openapi_document()["paths"]
    described = [entry["operationId"] for path in paths.values() for entry in path.values()]
    assert sorted(described) == sorted([*ids, "health", "ready"])


@pytest.mark.parametrize("route", ROUTES, ids=lambda route: route.operation_id)
def test_methods_fit_what_they_do(route: Route) -> None:
    operation, method = route.operation, route.method
    if operation.read_only:
        assert method == ("POST" if operation.response is Recall else "GET")
    else:
        update = "PUT" if operation.name == "update_card" else "PATCH"
        expected = {"update": update, "delete": "DELETE"}.get(operation.name.split("_")[0], "POST")
        assert method == expected
    fields = set(operation.request.model_fields)
    assert route.settled <= fields
    if issubclass(operation.response, Receipt) and method in UPDATES:
        assert "revision" in fields


def test_tools_are_operations() -> None:
    assert {*TOOLS, *LEFT_OUT} == set(BY_NAME)
    for tool in tool_list():
        operation = BY_NAME[tool.name]
        assert tool.description is not None
        assert tool.description.startswith(operation.summary)
        assert tool.annotations is not None
        assert tool.annotations.read_only_hint is operation.read_only
        assert tool.annotations.destructive_hint is operation.destructive
        assert tool.annotations.idempotent_hint is operation.idempotent
        assert set(tool.input_schema["properties"]) == set(operation.request.model_fields)


def test_the_asynchronous_wrapper_has_every_name(memory: Memory) -> None:
    wrapped = AsyncMemory(memory)
    missing = public(memory) - public(wrapped)
    assert missing <= {"principal", "settings"}
    for group in GROUPS:
        assert public(getattr(wrapped, group)) >= public(getattr(memory, group)) - BOUND


def test_the_asynchronous_wrapper_answers_the_same(memory: Memory) -> None:
    async def use() -> None:
        wrapped = AsyncMemory(memory)
        receipt = await wrapped.remember("The wrapper remembers")
        assert await wrapped.facts.get(receipt.id) == memory.facts.get(receipt.id)
        assert (await wrapped.recall("wrapper")).hits[0].id == receipt.id
        for name in ("remember", "recall", "workspaces", "warm", "close", "in_workspace"):
            assert inspect.iscoroutinefunction(getattr(wrapped, name))

    anyio.run(use)
