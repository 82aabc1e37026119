"""Lists short enough for one statement."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeVar

IN_CHUNK = 500
"""Values of one IN list: below every engine's limit on variables."""

Item = TypeVar("Item")


def chunks(items: Iterable[Item]) -> Iterator[list[Item]]:
    """The items in lists short enough for one statement."""
    every = list(items)
    for start in range(0, len(every), IN_CHUNK):
        yield every[start : start + IN_CHUNK]
