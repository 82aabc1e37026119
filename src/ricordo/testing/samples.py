"""Records and projections to test with."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np

from ricordo.index.analysis import analyse
from ricordo.index.contract import ALWAYS_FROM, ALWAYS_UNTIL, Embedded, Projection, Stamp, Vectors
from ricordo.index.projector import PROJECTION_FORMAT
from ricordo.records.base import Kind
from ricordo.records.card import Card, CardFamily, Origin, OriginKind
from ricordo.records.episode import Episode
from ricordo.records.fact import Fact, MemoryType, Veracity
from ricordo.records.session import Session
from ricordo.records.workspace import Language

START = datetime(2024, 3, 1, 12, 0, tzinfo=UTC)
"""When the samples begin."""

HOSTILE = (
    "memory:safe",
    'say "hi',
    "foo AND bar",
    "NOT NEAR OR",
    "(python",
    "what's the deploy plan?",
    "rm -rf /",
    "C++",
    "C#",
    ".NET",
    "a[b]*",
    "{own} : x",
    "keys : y",
    "^start",
    '""',
    "*",
    "\\",
    "%s %d {0} $1 :name ?1",
    "'; DELETE FROM facts; --",
    '") or true or ("',
    "Alice')) OR true--",
    "../../etc/passwd",
    "<|endoftext|>",
    "tab\tand\nline",
    "★ 🎉",
    "ฉันชอบดื่มกาแฟ",
    "e\u0301 combining",
    "right \u202e to left",
)
"""Texts that have been taken for syntax, markup or paths elsewhere."""


def at(minutes: float) -> datetime:
    """A time some minutes after the samples begin."""
    return START + timedelta(minutes=minutes)


def _common(record_id: str, minutes: float) -> dict[str, Any]:
    moment = at(minutes)
    return {
        "id": record_id,
        "created_at": moment,
        "updated_at": moment,
        "created_by": "tester",
        "updated_by": "tester",
    }


def a_session(name: str, minutes: float = 0, /, **fields: Any) -> Session:
    """A session with the id `session-<name>`."""
    return Session(**{**_common(f"session-{name}", minutes), **fields})


def an_episode(session: Session, position: int, minutes: float = 0, **fields: Any) -> Episode:
    """An episode whose id holds its session and position."""
    common = _common(f"episode-{session.id}-{position}", minutes)
    said = {"user_message": f"turn {position}", "occurred_at": at(minutes)}
    return Episode(**{**common, **said, "session_id": session.id, "position": position, **fields})


def a_fact(name: str, minutes: float = 0, /, **fields: Any) -> Fact:
    """A fact with the id `fact-<name>`."""
    content = {
        "domain": "general",
        "topic": "general",
        "content": f"statement {name}",
        "confidence": 0.8,
        "memory_type": MemoryType.FACT,
        "veracity": Veracity.STATED,
        "recorded_at": at(minutes),
    }
    return Fact(**{**_common(f"fact-{name}", minutes), **content, **fields})


def a_card(name: str, minutes: float = 0, /, **fields: Any) -> Card:
    """A card with the id `mem-<name>`."""
    content = {
        "family": CardFamily.SQL_RULE,
        "title": f"Rule {name}",
        "content": f"guidance {name}",
        "origin": Origin(kind=OriginKind.MANUAL, author="tester"),
    }
    return Card(**{**_common(f"mem-{name}", minutes), **content, **fields})


def revised(record: Any, minutes: float, **fields: Any) -> Any:
    """The next revision of a record."""
    step = {"revision": record.revision + 1, "updated_at": at(minutes)}
    return record.model_copy(update={**step, **fields})


def a_stamp(
    num: int,
    kind: Kind = Kind.FACT,
    *,
    revision: int = 1,
    at: int = 0,
    holds_from: int = ALWAYS_FROM,
    holds_until: int = ALWAYS_UNTIL,
) -> Stamp:
    """A stamp that holds always, at moment 0, unless told otherwise."""
    return Stamp(kind, num, revision, at, holds_from, holds_until)


def a_projection(stamp: Stamp, text: str, *, context: str = "", keys: Sequence[str] = ()) -> Projection:
    """The projection of a text."""
    own = analyse(text, Language.ENGLISH)
    around = analyse(context, Language.ENGLISH)
    return Projection(stamp, own.words, around.words, own.plain, list(keys), format=PROJECTION_FORMAT)


def some_vectors(stamp: Stamp, *rows: Sequence[float] | Vectors) -> Embedded:
    """Vectors of one record, brought to unit length."""
    return Embedded(stamp, np.stack([a_vector(*row) for row in rows]))


def a_vector(*numbers: float) -> Vectors:
    """A vector of unit length."""
    vector = np.asarray(numbers, dtype=np.float32)
    return np.asarray(vector / np.linalg.norm(vector), dtype=np.float32)
