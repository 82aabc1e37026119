"""The table of HTTP routes: method, path, operation; a test holds it against `OPERATIONS`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ricordo.operations import BY_NAME, Operation

WORKSPACES = "/api/workspaces"
WORKSPACE = "workspace"
"""Path parameter that every route below a workspace has; it is no field of a request."""

UPDATES = ("PUT", "PATCH")
"""Methods that change a record; their answers carry its new revision as `ETag`."""


@dataclass(frozen=True)
class Route:
    """One route.

    Attributes:
        method: GET, POST, PUT, PATCH or DELETE.
        path: Template of the path.
        name: The operation that it does.
        id: Its `operationId`; the operation's name, except where a second route does the same.
        fills: Field of the request that a path parameter fills, where the names differ.
        fixed: Fields of the request that the route itself sets.
        single: Operation that is done instead where the body is one item, not a batch.
    """

    method: str
    path: str
    name: str
    id: str = ""
    fills: Mapping[str, str] = field(default_factory=dict)
    fixed: Mapping[str, Any] = field(default_factory=dict)
    single: str = ""

    @property
    def operation(self) -> Operation:
        """The operation that it does."""
        return BY_NAME[self.name]

    @property
    def operation_id(self) -> str:
        """Its name in the OpenAPI document."""
        return self.id or self.name

    @property
    def parameters(self) -> list[str]:
        """Names of its path parameters, in order."""
        return re.findall(r"{(\w+)}", self.path)

    @property
    def has_body(self) -> bool:
        """Whether its fields come in a body; in the query otherwise."""
        return self.method in {"POST", *UPDATES}

    def field_of(self, parameter: str) -> str:
        """The field of the request that a path parameter fills."""
        return self.fills.get(parameter, parameter)

    @property
    def settled(self) -> set[str]:
        """Fields of the request that stand in the path or that the route sets."""
        named = {self.field_of(name) for name in self.parameters if name != WORKSPACE}
        return named | set(self.fixed)


def _below(method: str, path: str, name: str, **more: Any) -> Route:
    return Route(method, f"{WORKSPACES}/{{{WORKSPACE}}}{path}", name, **more)


ROUTES: tuple[Route, ...] = (
    Route("GET", WORKSPACES, "list_workspaces"),
    Route("POST", WORKSPACES, "create_workspace"),
    _below("POST", "/recall", "recall"),
    _below("POST", "/remember", "remember"),
    _below("GET", "/sessions", "list_sessions"),
    _below("POST", "/sessions", "create_session"),
    _below(
        "GET",
        "/sessions/by-external/{external_id}",
        "get_session",
        id="get_session_by_external_id",
        fills={"external_id": "session"},
    ),
    _below("GET", "/sessions/{session}", "get_session"),
    _below("PATCH", "/sessions/{session}", "update_session"),
    _below("DELETE", "/sessions/{session}", "delete_session"),
    _below("GET", "/sessions/{session}/history", "session_history"),
    _below("GET", "/sessions/{session}/episodes", "list_episodes", id="list_episodes_of_session"),
    _below("POST", "/sessions/{session}/episodes", "add_episodes", single="add_episode"),
    _below("GET", "/episodes", "list_episodes"),
    _below("POST", "/episodes", "add_episode"),
    _below("POST", "/episodes/search", "recall", id="search_episodes", fixed={"kinds": ("episode",)}),
    _below("GET", "/episodes/{episode_id}", "get_episode"),
    _below("PATCH", "/episodes/{episode_id}", "update_episode"),
    _below("DELETE", "/episodes/{episode_id}", "delete_episode"),
    _below("GET", "/episodes/{episode_id}/history", "episode_history"),
    _below("GET", "/facts", "list_facts"),
    _below("POST", "/facts", "add_fact"),
    _below("GET", "/facts/{fact_id}", "get_fact"),
    _below("PATCH", "/facts/{fact_id}", "update_fact"),
    _below("DELETE", "/facts/{fact_id}", "delete_fact"),
    _below("GET", "/facts/{fact_id}/history", "fact_history"),
    _below("GET", "/memory", "list_cards"),
    _below("POST", "/memory", "create_card"),
    _below("POST", "/memory/search", "search_cards"),
    _below("POST", "/memory/clarifications", "find_clarifications"),
    _below("POST", "/memory/rules", "find_rules"),
    _below("POST", "/memory/solved", "find_solved_questions"),
    _below("GET", "/memory/pending", "list_pending_cards"),
    _below("GET", "/memory/merges", "list_merges"),
    _below("POST", "/memory/merges", "merge_cards"),
    _below("POST", "/memory/merges/{merge_id}/undo", "undo_merge"),
    _below("GET", "/memory/{card_id}", "get_card"),
    _below("PUT", "/memory/{card_id}", "update_card"),
    _below("DELETE", "/memory/{card_id}", "delete_card"),
    _below("GET", "/memory/{card_id}/history", "card_history"),
    _below("GET", "/memory/{card_id}/compare", "compare_card"),
    _below("GET", "/memory/{card_id}/similar", "list_similar_cards"),
    _below("POST", "/memory/{card_id}/restore", "restore_card"),
    _below("POST", "/memory/{card_id}/retry", "retry_card"),
    _below("GET", "/pending", "list_pending"),
    _below("POST", "/pending/retry", "retry_pending"),
    _below("POST", "/index/rebuild", "rebuild_index"),
    _below("POST", "/index/verify", "verify_index"),
    _below("GET", "/status", "status"),
    _below("GET", "/doctor", "diagnose"),
)


def by_path() -> dict[str, dict[str, Route]]:
    """Routes by path and method, in the table's order, which is the order of matching."""
    grouped: dict[str, dict[str, Route]] = {}
    for route in ROUTES:
        grouped.setdefault(route.path, {})[route.method] = route
    return grouped
