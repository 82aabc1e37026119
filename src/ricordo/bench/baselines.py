"""What simpler search answers on the same records and questions."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np

from ricordo.bench.cached import RememberingEmbedder
from ricordo.bench.measures import TOP

MAX_VECTOR_CHARS = 1_000
"""Longest text of the plain vector baseline; a model's cost grows faster than the text."""

DESCRIPTIONS = {
    "bm25": "SQLite FTS5, tokenize='porter unicode61', its own bm25(), the question's words joined by OR",
    "vector": "cosine of the same model's vectors, one a record (of its first "
    f"{MAX_VECTOR_CHARS} signs), nothing added to the text, nothing centred; times without "
    "embedding the question",
    "grep": "different words of the question in the text, case folded, counted; ties in the data's order",
}

_WORD = re.compile(r"\w+")


class Document(NamedTuple):
    """A record as baselines see it: speaker and text.

    Attributes:
        labels: Names and values of the filters that it fulfils.
    """

    key: str
    text: str
    labels: frozenset[tuple[str, str]] = frozenset()


def fitting(documents: Sequence[Document], wanted: frozenset[tuple[str, str]]) -> list[Document]:
    """Those that fulfil every filter."""
    return [document for document in documents if wanted <= document.labels]


class Baseline(Protocol):
    """A way of searching the documents of one case."""

    def rank(self, question: str, limit: int = TOP) -> tuple[str, ...]:
        """Keys of the nearest documents, best first."""


class Bm25:
    """See `DESCRIPTIONS`."""

    def __init__(self, documents: Sequence[Document]) -> None:
        self._keys = [document.key for document in documents]
        self._db = sqlite3.connect(":memory:")
        self._db.execute("CREATE VIRTUAL TABLE texts USING fts5(text, tokenize='porter unicode61')")
        rows = [(place, document.text) for place, document in enumerate(documents)]
        self._db.executemany("INSERT INTO texts(rowid, text) VALUES (?, ?)", rows)

    def rank(self, question: str, limit: int = TOP) -> tuple[str, ...]:
        """See `Baseline`."""
        words = " OR ".join(f'"{word}"' for word in dict.fromkeys(_words(question)))
        if not words:
            return ()
        found = self._db.execute(
            "SELECT rowid FROM texts WHERE texts MATCH ? ORDER BY bm25(texts), rowid LIMIT ?", (words, limit)
        )
        return tuple(self._keys[place] for (place,) in found)


class PlainVectors:
    """See `DESCRIPTIONS`."""

    def __init__(self, documents: Sequence[Document], embedder: RememberingEmbedder) -> None:
        self._keys = [document.key for document in documents]
        self._embedder = embedder
        size = embedder.batch_size
        texts = [document.text[:MAX_VECTOR_CHARS] for document in documents]
        parts = [embedder.embed_passages(texts[start : start + size]) for start in range(0, len(texts), size)]
        self._vectors = np.concatenate(parts) if parts else np.zeros((0, embedder.dimension), np.float32)

    def rank(self, question: str, limit: int = TOP) -> tuple[str, ...]:
        """See `Baseline`."""
        similarity = np.vecdot(self._vectors, self._embedder.question(question))
        order = np.argsort(-similarity, kind="stable")[:limit]
        return tuple(self._keys[place] for place in order)


class Grep:
    """See `DESCRIPTIONS`."""

    def __init__(self, documents: Sequence[Document]) -> None:
        self._keys = [document.key for document in documents]
        self._having: dict[str, list[int]] = {}
        for place, document in enumerate(documents):
            for word in set(_words(document.text)):
                self._having.setdefault(word, []).append(place)

    def rank(self, question: str, limit: int = TOP) -> tuple[str, ...]:
        """See `Baseline`."""
        counts = np.zeros(len(self._keys), dtype=np.int64)
        for word in set(_words(question)):
            counts[self._having.get(word, [])] += 1
        order = np.argsort(-counts, kind="stable")[:limit]
        return tuple(self._keys[place] for place in order if counts[place])


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())
