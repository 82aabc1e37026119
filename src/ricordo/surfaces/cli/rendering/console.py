"""The console that people's answers are written to."""

from __future__ import annotations

import sys

from rich.console import Console


class Plain(Console):
    """A console on stdout that takes no text for markup, and leaves a broken pipe to the command."""

    def __init__(self) -> None:
        super().__init__(file=sys.stdout, markup=False, highlight=False, emoji=False)

    def on_broken_pipe(self) -> None:
        """Called by Rich in place of its own ending."""
        raise BrokenPipeError
