"""`ricordo index`."""

from __future__ import annotations

from typing import Annotated

import typer

from ricordo.surfaces.cli.interrupt import INTERRUPTED, Interrupt
from ricordo.surfaces.cli.invocation import Call, command, single
from ricordo.surfaces.cli.progress import progress_bars

app = single()


@command(app, "index", example="ricordo index\nricordo index --full --embedder bundled")
def index(
    call: Call,
    full: Annotated[
        bool, typer.Option("--full", help="Rewrite everything, right or not.", show_default=False)
    ] = False,
) -> None:
    """Make the search index from the archive again.

    That is, what differs or is missing; with --full, everything. The embedding model of this
    command becomes the workspace's. Ctrl-C stops and keeps what was done; the same command goes on
    from there.
    """
    with call.memory() as memory, Interrupt() as interrupt, progress_bars(call.screen) as advance:
        report = memory.upkeep.rebuild(full=full, report=advance, stop=interrupt.asked)
    from ricordo.surfaces.cli.rendering.upkeep import show_report

    call.screen.answer(report, show_report)
    if report.stopped:
        raise typer.Exit(INTERRUPTED)
