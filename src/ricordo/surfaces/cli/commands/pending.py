"""`ricordo pending`."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from ricordo.surfaces.cli import shared_options
from ricordo.surfaces.cli.interrupt import INTERRUPTED, Interrupt
from ricordo.surfaces.cli.invocation import Call, Group, command, group
from ricordo.surfaces.cli.progress import progress_bars

LIST = "list"


class Listing(Group):
    """A group that lists where no command is named."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put `list` before what can only be its options."""
        if "--help" not in args and not any(name in args for name in self.commands):
            args = [LIST, *args]
        return super().parse_args(ctx, args)


app = group(
    "pending",
    "Deferred work that is not done yet; without a command: list.",
    example="ricordo pending\nricordo pending drain",
    kind=Listing,
)


@command(app, LIST, example="ricordo pending\nricordo pending list --limit 20")
def list_pending(call: Call, limit: shared_options.Limit = 50, cursor: shared_options.Cursor = None) -> None:
    """List pending work, oldest first, with attempts and last error."""
    with call.memory() as memory:
        found = call.ask(memory, "list_pending", limit=limit, cursor=cursor)
    from ricordo.surfaces.cli.rendering.upkeep import show_pending

    call.screen.answer(found, show_pending)


@command(app, "retry", example="ricordo pending retry\nricordo pending retry 17")
def retry_pending(
    call: Call,
    item: Annotated[
        int | None, typer.Argument(metavar="ITEM", help="Number of one item; all if omitted.")
    ] = None,
) -> None:
    """Make pending work due at once.

    `ricordo pending drain` then does it.
    """
    with call.memory() as memory:
        retried = call.ask(memory, "retry_pending", item=item)
    from ricordo.surfaces.cli.rendering.upkeep import show_report

    call.screen.answer(retried, show_report)


@command(app, "drain", example="ricordo pending drain")
def drain_pending(call: Call) -> None:
    """Do the pending work that is due.

    Ctrl-C stops and keeps what was done.
    """
    with call.memory() as memory, Interrupt() as interrupt, progress_bars(call.screen) as advance:
        embedded = memory.upkeep.drain(
            progress=lambda done, total: advance("vectors", done, total), stop=interrupt.asked
        )
        answer = {
            "embedded": embedded,
            "pending": memory.doctor.status().pending,
            "stopped": interrupt.asked(),
        }
    from ricordo.surfaces.cli.rendering.upkeep import show_report

    call.screen.answer(answer, show_report)
    if answer["stopped"]:
        raise typer.Exit(INTERRUPTED)
