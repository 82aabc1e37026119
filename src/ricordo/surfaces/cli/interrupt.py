"""Ctrl-C as a request to stop where nothing is lost."""

from __future__ import annotations

import signal
import threading
from types import FrameType, TracebackType
from typing import Any, Self

INTERRUPTED = 130
"""Exit code of a command that was stopped, as a shell reports SIGINT (128 + 2)."""


class Interrupt:
    """While it is open, the first Ctrl-C only sets `asked`; the second ends the command."""

    def __init__(self) -> None:
        self._asked = False
        self._before: Any = None

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            self._before = signal.signal(signal.SIGINT, self._hear)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)

    def asked(self) -> bool:
        """Whether to stop now."""
        return self._asked

    def _hear(self, number: int, frame: FrameType | None) -> None:
        del number, frame
        if self._asked:
            raise KeyboardInterrupt
        self._asked = True
