"""`ricordo mcp`: greet first, load afterwards, stop on a signal or when the client is gone."""

from __future__ import annotations

import logging
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from ricordo.settings import Settings
from ricordo.surfaces.background_memory import BackgroundMemory
from ricordo.surfaces.mcp.conversation import Conversation
from ricordo.surfaces.mcp.wire import Wire


def run(settings: Settings) -> None:
    """Serve one client on stdin and stdout; see `ricordo.surfaces.mcp.serve_stdio`."""
    with Wire() as wire, _ending_on_signals(wire):
        _log_to_stderr()
        conversation = Conversation(wire)
        if not conversation.greet():
            return
        background = BackgroundMemory(settings)
        background.begin()
        try:
            from ricordo.surfaces.mcp.server import converse

            converse(background, conversation)
        finally:
            background.close()


@contextmanager
def _ending_on_signals(wire: Wire) -> Iterator[None]:
    """SIGTERM and SIGINT end the input, as if the client had closed it."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    names = (signal.SIGTERM, signal.SIGINT)
    before = {name: signal.signal(name, lambda *_: wire.stop()) for name in names}
    try:
        yield
    finally:
        for name, handler in before.items():
            signal.signal(name, handler)


def _log_to_stderr() -> None:
    if not logging.getLogger().handlers:
        logging.basicConfig(
            stream=sys.stderr, level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s"
        )
