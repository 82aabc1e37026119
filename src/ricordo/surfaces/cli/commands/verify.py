"""`ricordo verify`."""

from __future__ import annotations

from typing import Annotated

import typer

from ricordo.surfaces.cli.interrupt import INTERRUPTED, Interrupt
from ricordo.surfaces.cli.invocation import Call, command, single
from ricordo.surfaces.cli.progress import progress_bars

app = single()


@command(app, "verify", example="ricordo verify\nricordo verify --repair")
def verify(
    call: Call,
    repair: Annotated[bool, typer.Option("--repair", help="Mend what differs.", show_default=False)] = False,
) -> None:
    """Compare the index with the archive.

    Every entry is compared. The exit code is 1 where something differs and was not mended.
    """
    with call.memory() as memory, Interrupt() as interrupt:
        with progress_bars(call.screen) as advance:
            report = memory.upkeep.verify(repair=repair, report=advance, stop=interrupt.asked)
        mended = report.clean
        if repair and not mended and not report.stopped:
            from ricordo.surfaces.cli.drain import drain

            if report.missing_vectors:
                drain(memory, call.screen, interrupt.asked)
            mended = memory.upkeep.verify(stop=interrupt.asked).clean
    from ricordo.surfaces.cli.rendering.upkeep import show_report

    call.screen.answer({**report.model_dump(mode="json"), "clean": mended}, show_report)
    if report.stopped:
        raise typer.Exit(INTERRUPTED)
    if not mended:
        raise typer.Exit(1)
