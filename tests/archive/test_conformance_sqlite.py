"""The SQLite archive keeps the archive's contract."""

from __future__ import annotations

from pathlib import Path

from ricordo.archive.contract import Archive
from ricordo.testing.archive import ArchiveConformance

from .template import open_sqlite


class TestSqliteArchive(ArchiveConformance):
    def open_archive(self, tmp_path: Path) -> Archive:
        return open_sqlite(tmp_path / "memory.db")
