"""Progress bars on stderr."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Literal

from ricordo.surfaces.cli.output import Screen, is_terminal

if TYPE_CHECKING:
    from rich.progress import TaskID

Advance = Callable[[str, int, int], None]
"""Called with a step's name, what is done and what there is in all."""


@contextmanager
def progress_bars(screen: Screen, unit: Literal["records", "bytes"] = "records") -> Iterator[Advance]:
    """One bar a step, made when the step is first heard of; none where nobody looks at stderr."""
    if screen.quiet or not is_terminal(sys.stderr):
        yield lambda *_: None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        DownloadColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    amount = DownloadColumn() if unit == "bytes" else MofNCompleteColumn()
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), amount, TimeRemainingColumn())
    tasks: dict[str, TaskID] = {}
    with Progress(*columns, console=Console(file=sys.stderr), transient=True) as bars:

        def advance(step: str, done: int, total: int) -> None:
            if step not in tasks:
                tasks[step] = bars.add_task(step, total=total)
            bars.update(tasks[step], completed=done, total=total)

        yield advance
