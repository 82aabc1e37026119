"""The thread of a long-lived process that does pending work as it comes."""

from __future__ import annotations

import logging
import threading

from ricordo.engine.embedding import Drain
from ricordo.engine.engine import Engine
from ricordo.errors import RicordoError
from ricordo.records.workspace import Workspace

log = logging.getLogger("ricordo.worker")

IDLE_S = 2.0
"""Seconds between looks at the queue; another process may have put something in."""


class Worker:
    """Embeds what is pending in every workspace until it is stopped.

    Args:
        engine: The memory's parts.
        idle_s: Seconds between looks.
    """

    def __init__(self, engine: Engine, *, idle_s: float = IDLE_S) -> None:
        self._engine = engine
        self._idle_s = idle_s
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="ricordo-worker", daemon=True)

    def start(self) -> None:
        """Begin; returns at once."""
        self._thread.start()

    def stop(self, timeout_s: float = 30.0) -> None:
        """End after the batch in hand; what is left stays pending."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join(timeout_s)

    def _run(self) -> None:
        while not self._stop.is_set():
            done = 0
            try:
                for workspace in self._engine.archive.workspaces():
                    if not self._stop.is_set():
                        done += self._serve(workspace)
            except RicordoError as error:
                if not self._stop.is_set():
                    log.warning("pending work waits: %s", error)
            except Exception:  # the thread must outlive what nobody foresaw; it is logged in full
                log.exception("pending work failed")
            if not done:
                self._stop.wait(self._idle_s)

    def _serve(self, workspace: Workspace) -> int:
        self._engine.prepare(workspace)
        return Drain(self._engine, workspace, self._stop.is_set).run()
