"""`ricordo serve`: the application on a socket, with its worker, until it is told to stop."""

from __future__ import annotations

import logging
import signal
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

import uvicorn

from ricordo.settings import Settings
from ricordo.surfaces.background_memory import BackgroundMemory
from ricordo.surfaces.http.app import make_app
from ricordo.surfaces.http.listening import address_of, listen

log = logging.getLogger("ricordo.http")

GRACE_S = 10
"""Seconds that requests under way have to end when the server stops."""


def run(settings: Settings) -> None:
    """Serve until SIGINT or SIGTERM; see `ricordo.surfaces.http.serve`."""
    _log_to_stderr()
    with listen(settings.host, settings.port) as listener, BackgroundMemory(settings) as background:
        app = make_app(background.memory(), warmed=background.warmed)
        background.begin()
        config = uvicorn.Config(
            app,
            log_config=None,
            access_log=False,
            lifespan="off",
            ws="none",
            proxy_headers=False,
            server_header=False,
            timeout_graceful_shutdown=GRACE_S,
        )
        Server(config).run(sockets=[listener])
    log.info("stopped; everything is saved")


class Server(uvicorn.Server):
    """Says where it listens, and ends quietly on a signal so that the memory is closed after it."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to accept connections."""
        await super().startup(sockets=sockets)
        for listener in sockets or []:
            sys.stderr.write(f"Ricordo listens on {address_of(listener)} (Ctrl-C stops it)\n")
            sys.stderr.flush()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Stop on SIGINT and SIGTERM without raising them again afterwards, which would kill the process."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {name: signal.signal(name, self._stop) for name in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for name, handler in before.items():
                signal.signal(name, handler)

    def _stop(self, number: int, frame: FrameType | None) -> None:
        del frame
        self.force_exit = self.should_exit and number == signal.SIGINT
        self.should_exit = True


def _log_to_stderr() -> None:
    if not logging.getLogger().handlers:
        logging.basicConfig(
            stream=sys.stderr, level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s"
        )
        logging.getLogger("alembic").setLevel(logging.WARNING)
