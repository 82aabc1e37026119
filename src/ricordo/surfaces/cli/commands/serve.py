"""`ricordo serve`."""

from __future__ import annotations

from typing import Annotated

import typer

from ricordo.surfaces.cli.invocation import Call, command, single

app = single()


@command(app, "serve", example="ricordo serve\nricordo serve --port 9000 --workspace team")
def serve(
    call: Call,
    host: Annotated[
        str | None, typer.Option("--host", metavar="ADDRESS", help="Loopback if omitted.")
    ] = None,
    port: Annotated[int | None, typer.Option("--port", metavar="N", help="8765 if omitted.")] = None,
) -> None:
    """Serve HTTP until Ctrl-C.

    An address other than loopback needs authentication and is refused without it.
    """
    settings = call.settings(host=host, port=port)
    from ricordo.surfaces.http import serve as run

    run(settings)
