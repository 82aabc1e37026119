"""Pending work, reports of upkeep, health, workspaces."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.text import Text

from ricordo.records.upkeep import Diagnosis, Status
from ricordo.surfaces.cli.output import visible_line
from ricordo.surfaces.cli.rendering.tables import Column, plain, show_page, show_sheet, show_table

PENDING = (
    Column("Item", lambda row: row.num),
    Column("Work", lambda row: row.work),
    Column("Record", lambda row: row.id, wide=True),
    Column("State", lambda row: row.state),
    Column("Tries", lambda row: row.attempts),
    Column("Next try", lambda row: row.next_at),
    Column(
        "Last error", lambda row: None if row.last_error is None else visible_line(row.last_error), wide=True
    ),
)

WORKSPACES = (
    Column("Workspace", lambda row: row.name, wide=True),
    Column("Language", lambda row: row.language),
    Column("Made", lambda row: row.created_at),
)


def show_pending(console: Console, answer: Any) -> None:
    """Write a page of pending work."""
    show_page(console, answer.page, PENDING)
    if answer.report.other_model:
        line = f"{answer.report.other_model} records have vectors of another model; run: ricordo index"
        console.print(Text(line, style="yellow"))


def show_pending_page(console: Console, page: Any) -> None:
    """Write a page of pending work of one kind of record."""
    show_page(console, page, PENDING)


def show_report(console: Console, report: Any) -> None:
    """Write the counts of a report."""
    show_sheet(console, {name: plain(value) for name, value in dict(report).items()})


def show_diagnosis(console: Console, diagnosis: Diagnosis) -> None:
    """Write what `doctor` found."""
    for check in diagnosis.checks:
        mark = Text("ok   ", style="green") if check.ok else Text("BAD  ", style="bold red")
        console.print(mark + Text(f"{check.name}: {visible_line(check.message)}"), soft_wrap=True)
    console.print(Text("healthy" if diagnosis.healthy else "not healthy", style="bold"))


def show_status(console: Console, status: Status) -> None:
    """Write what a workspace holds."""
    show_sheet(
        console,
        {
            "workspace": f"{status.workspace} ({status.language})",
            "archive": status.location,
            **{f"{kind}s": str(count) for kind, count in status.records.items()},
            "pending": str(status.pending),
            "embedder": status.embedder or "none: found by keyword only",
            "version": status.version,
        },
    )


def show_workspaces(console: Console, answer: Any) -> None:
    """Write all workspaces."""
    show_table(console, WORKSPACES, answer.items)
