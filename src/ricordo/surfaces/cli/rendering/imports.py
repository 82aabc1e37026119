"""The report of an import."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.text import Text

from ricordo.surfaces.cli.output import visible_line
from ricordo.surfaces.cli.rendering.tables import Column, show_table

FILES = (
    Column("File", lambda row: row["file"], wide=True),
    Column("Format", lambda row: row["format"]),
    Column("Sessions", lambda row: str(row["sessions"])),
    Column("Added", lambda row: str(row["episodes_added"])),
    Column("Known", lambda row: str(row["episodes_known"])),
    Column("Skipped", lambda row: str(row["skipped_count"])),
)

SHOWN_SKIPS = 20


def show_import(console: Console, answer: Any) -> None:
    """Write what was imported and what was skipped, and why."""
    show_table(console, FILES, answer["files"])
    for item in answer["skipped"][:SHOWN_SKIPS]:
        line = f"skipped {item['file']}, {item['place']}: {item['reason']}"
        console.print(Text(visible_line(line), style="yellow"), soft_wrap=True)
    unsaid = answer["skipped_count"] - len(answer["skipped"][:SHOWN_SKIPS])
    if unsaid:
        console.print(Text(f"and {unsaid} more; --json names up to 100 of each file"))
    if any(file["dry_run"] for file in answer["files"]):
        console.print(Text("Nothing was written: this was a dry run."))
    if answer["stopped"]:
        console.print(Text("Stopped; what was done is kept. The same command goes on from here."))
    if answer["pending"]:
        line = f"{answer['pending']} records wait for their vectors: ricordo pending drain"
        console.print(Text(line), soft_wrap=True)
