"""HTTP: every operation of the one table as a route, for programs on this machine.

Importing this package loads no server; the functions do.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

from ricordo.errors import MissingExtra

if TYPE_CHECKING:
    from fastapi import FastAPI

    from ricordo.memory import Memory
    from ricordo.settings import Settings

__all__ = ["build_app", "serve"]

NEEDED = ("fastapi", "uvicorn")


def build_app(memory: Memory) -> FastAPI:
    """The application over an open memory, for a server of one's own.

    Args:
        memory: Any workspace of the archive; requests name theirs. It is not closed.

    Raises:
        MissingExtra: FastAPI is not installed.
    """
    _check_installed()
    from ricordo.surfaces.http.app import make_app

    return make_app(memory)


def serve(settings: Settings) -> None:
    """Serve until SIGINT or SIGTERM, then finish what is under way and close the archive.

    Args:
        settings: `path`, `host`, `port` and all the rest.

    Raises:
        MissingExtra: FastAPI or uvicorn is not installed.
        UnsafeBinding: The host is another address than loopback.
        InvalidSettings: The host is not known, or the port is taken.
        ArchiveError: The archive cannot be opened.
    """
    _check_installed()
    from ricordo.surfaces.http.serving import run

    run(settings)


def _check_installed() -> None:
    missing = [name for name in NEEDED if find_spec(name) is None]
    if missing:
        raise MissingExtra(
            f"The server needs {' and '.join(missing)}.", cure="Run: pip install 'ricordo[server]'"
        )
