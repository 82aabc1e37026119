"""Text in an indented block, wrapped to the console's width."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console
from rich.text import Text

from ricordo.surfaces.cli.output import visible

INDENT = 3
SEPARATOR = " · "
NARROWEST = 20


def show_block(console: Console, head: str, lines: Iterable[tuple[str, str]]) -> None:
    """Write lines behind a head such as `1.`.

    Args:
        console: Where to.
        head: Stands before the first line.
        lines: Texts with their style; a text keeps its own line ends.
    """
    mark = head.ljust(INDENT) if head else ""
    for text, style in lines:
        for line in Text(visible(text), style=style).wrap(console, max(NARROWEST, console.width - len(mark))):
            console.print(Text(mark, style="bold") + line, soft_wrap=True)
            mark = " " * len(mark)
