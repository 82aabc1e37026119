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

MAX_WAIT_S = 10.0
"""Longest wait between looks while the model cannot be reached."""


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
        self._trouble: str | None = None
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
        wait_s = self._idle_s
        while not self._stop.is_set():
            done, trouble = self._round()
            if trouble is not None and trouble != self._trouble:
                log.warning("pending work waits: %s", trouble)
            self._trouble = trouble
            wait_s = self._idle_s if trouble is None else min(MAX_WAIT_S, 2 * wait_s)
            if not done:
                self._stop.wait(wait_s)

    def _round(self) -> tuple[int, str | None]:
        """One look at every workspace; answers what was done, and what went wrong last."""
        done, trouble = 0, None
        try:
            for workspace in self._engine.archive.workspaces():
                if self._stop.is_set():
                    break
                try:
                    done += self._serve(workspace)
                except RicordoError as error:
                    trouble = str(error)
        except RicordoError as error:
            trouble = str(error)
        except Exception:  # the thread must outlive what nobody foresaw; it is logged in full
            log.exception("pending work failed")
        return done, None if self._stop.is_set() else trouble

    def _serve(self, workspace: Workspace) -> int:
        self._engine.prepare(workspace)
        return Drain(self._engine, workspace, self._stop.is_set).run()
