"""One value as lines of name and content, many as a table."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from pydantic import BaseModel
from rich.console import Console
from rich.table import Table
from rich.text import Text

from ricordo.surfaces.cli.output import visible, visible_line
from ricordo.surfaces.cli.times import local


class Column(NamedTuple):
    """A column of a table.

    Attributes:
        heading: Above it.
        content: Takes the cell's content from a row.
        wide: Shares what is left of the width; the others are as wide as they must be.
    """

    heading: str
    content: Callable[[Any], Any]
    wide: bool = False


def plain(value: Any) -> str:
    """A value as text for people."""
    if value is None or value in ("", (), [], {}):
        return "-"
    if isinstance(value, datetime):
        return local(value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, Mapping):
        return json.dumps(value, ensure_ascii=False, default=str)
    if isinstance(value, list | tuple):
        return ", ".join(plain(item) for item in value)
    return str(value)


def cell(value: Any, style: str = "") -> Text:
    """A value as a cell."""
    return Text(visible(plain(value)), style=style, overflow="fold")


def show_sheet(console: Console, value: BaseModel | Mapping[str, Any]) -> None:
    """Write one value, a line for each field that has something."""
    fields = value if isinstance(value, Mapping) else dict(value)
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    table.add_column(ratio=1)
    for name, content in fields.items():
        if content not in (None, "", (), {}, []):
            table.add_row(Text(visible_line(name.replace("_", " ")), style="bold"), cell(content))
    console.print(table)


def show_table(console: Console, columns: Sequence[Column], rows: Iterable[Any]) -> None:
    """Write a table."""
    table = Table(box=None, pad_edge=False, header_style="bold", expand=any(item.wide for item in columns))
    for column in columns:
        table.add_column(
            column.heading, overflow="fold", ratio=1 if column.wide else None, no_wrap=not column.wide
        )
    for row in rows:
        table.add_row(*(cell(column.content(row)) for column in columns))
    console.print(table)


def show_page(console: Console, page: Any, columns: Sequence[Column]) -> None:
    """Write a page of a listing as a table, and how to get the next."""
    if page.items:
        show_table(console, columns, page.items)
    show_ending(console, page)


def show_ending(console: Console, page: Any) -> None:
    """Write how much of a listing a page is, and how to get the next."""
    ending = f"{len(page.items)} of {page.total}"
    if page.next_cursor:
        ending += f"; next: --cursor {page.next_cursor}"
    console.print(Text(ending, style="dim"), soft_wrap=True)
