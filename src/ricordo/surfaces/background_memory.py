"""A memory whose slow parts come after the surface is there: a thread opens it and loads its model."""

from __future__ import annotations

import logging
import threading
from types import TracebackType
from typing import TYPE_CHECKING, Self

from ricordo.errors import ArchiveClosed, RicordoError
from ricordo.settings import Settings

if TYPE_CHECKING:
    from ricordo.memory import Memory

log = logging.getLogger("ricordo.surfaces")

WARMING_S = 30.0
"""Seconds that loading the model may take before closing no longer waits for it."""


class BackgroundMemory:
    """Opens the archive, starts its worker and loads the model, in a thread; closed as a context.

    Args:
        settings: What is opened.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._memory: Memory | None = None
        self._closed = False
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._run, name="ricordo-background", daemon=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def begin(self) -> None:
        """Start; returns at once."""
        self._thread.start()

    def memory(self) -> Memory:
        """The memory, as soon as it is open. One that could not be opened is tried again.

        Raises:
            ArchiveError: It cannot be opened; the message says what to do.
            InvalidSettings: A setting cannot be used.
        """
        from ricordo.memory import Memory

        with self._lock:
            if self._closed:
                raise ArchiveClosed(cure="Start the server again.")
            if self._memory is None:
                memory = Memory.open(settings=self._settings)
                memory.start_worker()
                self._memory = memory
            return self._memory

    def warmed(self) -> bool:
        """Whether the model has been loaded, or has failed to."""
        return not self._thread.is_alive()

    def close(self) -> None:
        """Let the model's loading come to its end, stop the worker, close the archive."""
        if self._thread.is_alive():
            self._thread.join(WARMING_S)
        with self._lock:
            self._closed = True
            if self._memory is not None:
                self._memory.close()
                self._memory = None

    def _run(self) -> None:
        try:
            _warm(self.memory())
        except RicordoError as error:
            log.warning("%s", error)
        except Exception:  # a thread has nobody above it; logged in full
            log.exception("the memory could not be opened")


def _warm(memory: Memory) -> None:
    try:
        memory.warm()
    except RicordoError as error:
        log.warning("the first recall will be slower: %s", error)
