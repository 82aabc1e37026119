"""`ricordo mcp`."""

from __future__ import annotations

from ricordo.surfaces.cli.invocation import Call, command, single

app = single()


@command(app, "mcp", example="ricordo mcp --workspace team")
def mcp(call: Call) -> None:
    """Serve MCP over stdin and stdout.

    An agent that speaks MCP starts this command itself.
    """
    settings = call.settings()
    from ricordo.surfaces.mcp import serve_stdio

    serve_stdio(settings)
