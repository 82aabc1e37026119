"""`ricordo status`."""

from __future__ import annotations

from ricordo.surfaces.cli.invocation import Call, command, single

app = single()


@command(app, "status", example="ricordo status --workspace team")
def status(call: Call) -> None:
    """Say what the workspace holds.

    Also where the archive is, and which embedding model is in use.
    """
    with call.memory() as memory:
        found = call.ask(memory, "status")
    from ricordo.surfaces.cli.rendering.upkeep import show_status

    call.screen.answer(found, show_status)
