"""MCP over stdio: the memory as tools and resources for a model's client.

Importing this package loads no SDK; `serve_stdio` does, after it has greeted the client.
"""

from __future__ import annotations

from importlib.util import find_spec

from ricordo.errors import MissingExtra
from ricordo.settings import Settings

__all__ = ["serve_stdio"]


def serve_stdio(settings: Settings) -> None:
    """Serve one client on stdin and stdout until it closes them, or SIGTERM or SIGINT comes.

    Stdout carries the protocol only; everything else that is printed comes out on stderr. The
    archive is opened, the model loaded and pending work done in the background. An archive that
    cannot be opened is an error of each tool call, which says what to do.

    Args:
        settings: `path`, `workspace` and all the rest; the workspace is made if it is not there.

    Raises:
        MissingExtra: The SDK is not installed.
    """
    if find_spec("mcp") is None:
        raise MissingExtra("MCP needs the package mcp.", cure="Run: pip install 'ricordo[mcp]'")
    from ricordo.surfaces.mcp.serving import run

    run(settings)
