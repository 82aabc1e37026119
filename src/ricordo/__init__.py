"""Ricordo: a self-hosted memory for AI agents and the people who work with them.

The names below are loaded at their first use, so that `import ricordo` is quick.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from ricordo.version import __version__

if TYPE_CHECKING:
    from ricordo.async_memory import AsyncMemory
    from ricordo.errors import RicordoError
    from ricordo.memory import Memory
    from ricordo.records.base import Kind
    from ricordo.records.card import Card, CardFamily, CardFilters, CardReceipt, Dependency, Link
    from ricordo.records.episode import Episode
    from ricordo.records.fact import Fact, MemoryType, Veracity
    from ricordo.records.filters import Filters
    from ricordo.records.page import Page
    from ricordo.records.principal import OWNER, Permission, Principal
    from ricordo.records.recall import Abstention, Hit, Recall
    from ricordo.records.receipt import Outcome, Receipt
    from ricordo.records.session import Session
    from ricordo.settings import Settings

__all__ = [
    "OWNER",
    "Abstention",
    "AsyncMemory",
    "Card",
    "CardFamily",
    "CardFilters",
    "CardReceipt",
    "Dependency",
    "Episode",
    "Fact",
    "Filters",
    "Hit",
    "Kind",
    "Link",
    "Memory",
    "MemoryType",
    "Outcome",
    "Page",
    "Permission",
    "Principal",
    "Recall",
    "Receipt",
    "RicordoError",
    "Session",
    "Settings",
    "Veracity",
    "__version__",
]

_HOME = {
    "OWNER": "records.principal",
    "Abstention": "records.recall",
    "AsyncMemory": "async_memory",
    "Card": "records.card",
    "CardFamily": "records.card",
    "CardFilters": "records.card",
    "CardReceipt": "records.card",
    "Dependency": "records.card",
    "Episode": "records.episode",
    "Fact": "records.fact",
    "Filters": "records.filters",
    "Hit": "records.recall",
    "Kind": "records.base",
    "Link": "records.card",
    "Memory": "memory",
    "MemoryType": "records.fact",
    "Outcome": "records.receipt",
    "Page": "records.page",
    "Permission": "records.principal",
    "Principal": "records.principal",
    "Recall": "records.recall",
    "Receipt": "records.receipt",
    "RicordoError": "errors",
    "Session": "records.session",
    "Settings": "settings",
    "Veracity": "records.fact",
}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'ricordo' has no attribute {name!r}")
    return getattr(importlib.import_module(f"ricordo.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return list(__all__)
