"""The SQLite index keeps the index's contract."""

from __future__ import annotations

from ricordo.testing.index import IndexConformance

from .template import SqlitePair


class TestSqliteIndex(SqlitePair, IndexConformance):
    pass
