"""Memories as these tests open them, and a clock that they set."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from ricordo.embed.contract import Embedder
from ricordo.memory import Memory

NOON = datetime(2024, 3, 1, 12, 0, tzinfo=UTC)


class SetClock:
    """Answers the time that it was set to."""

    def __init__(self, now: datetime = NOON) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now

    def pass_by(self, **duration: float) -> None:
        self.now += timedelta(**duration)


def open_memory(path: Path, *, embedder: str | Embedder = "hashing", **options: Any) -> Memory:
    """A memory that survives the death of its process, if not that of the machine."""
    return Memory.open(path, embedder=embedder, durability="process", **options)
