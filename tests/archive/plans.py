"""How SQLite answers the statements of a call."""

from __future__ import annotations

from collections.abc import Callable

from sqlalchemy import Connection

BIG = (
    "sessions", "episodes", "facts", "fact_tags", "cards", "card_sets", "card_dependencies", "card_links",
    "card_merges", "history", "pending", "vectors", "mine", "near",
)  # fmt: skip
"""Tables that grow with the archive, and the names that they have in joins."""


def explained(connection: Connection, call: Callable[[], object]) -> list[tuple[str, list[str]]]:
    """Every statement of a call with SQLite's plan for it."""
    raw = connection.connection.dbapi_connection
    statements: list[str] = []
    raw.set_trace_callback(statements.append)
    call()
    raw.set_trace_callback(None)
    plans = []
    for statement in statements:
        if statement.lstrip().upper().startswith(("SELECT", "UPDATE", "DELETE", "WITH")):
            rows = raw.execute(f"EXPLAIN QUERY PLAN {statement}").fetchall()
            plans.append((statement, [row[3] for row in rows]))
    return plans


def scans(plan: list[str]) -> list[str]:
    """Steps that go through a whole big table, or a whole index of one."""
    return [step for step in plan if step.startswith("SCAN") and step.split()[1] in BIG]


def walks(plan: list[str]) -> list[str]:
    """Steps that go along all records of a workspace."""
    return [step for step in plan if step.endswith(("(workspace_num=?)", "(workspace_num=? AND num>?)"))]
