"""`ricordo workspaces`."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer

from ricordo.surfaces.cli.invocation import Call, command, group

app = group(
    "workspaces",
    "The archive's workspaces: each is a memory of its own.",
    example="ricordo workspaces create team",
)


@command(app, "list", example="ricordo workspaces list")
def list_workspaces(call: Call) -> None:
    """List the archive's workspaces."""
    from ricordo.assembly import build_engine
    from ricordo.operations import WorkspaceInfo, Workspaces
    from ricordo.surfaces.cli.rendering.upkeep import show_workspaces

    # Not through a memory: opening one needs a workspace that exists, or makes it.
    engine = build_engine(call.settings(embedder="none"))
    try:
        found = engine.archive.workspaces()
        items = tuple(
            WorkspaceInfo(name=item.name, language=str(item.language), created_at=item.created_at)
            for item in found
        )
    finally:
        engine.close()
    call.screen.answer(Workspaces(items=items), show_workspaces)


@command(app, "create", example="ricordo workspaces create squadra --language it")
def create_workspace(
    call: Call, name: Annotated[str, typer.Argument(metavar="NAME", help="Its name.")]
) -> None:
    """Make a workspace if it is not there.

    Its --language is what a text is taken for where that is not clear.
    """
    there = Call(replace(call.given, workspace=name))
    with there.memory(writes=True) as memory:
        made = call.ask(memory, "create_workspace", name=name, language=str(memory.settings.language))
    from ricordo.surfaces.cli.rendering.records import show_record

    call.screen.answer(made, show_record)
