"""A writer that cannot get its turn is told so, and nothing has changed."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from ricordo.archive.sqlite import connection
from ricordo.errors import ArchiveBusy
from ricordo.records.base import Kind
from ricordo.records.workspace import Language
from ricordo.testing.samples import START, a_fact

from .template import open_sqlite


def test_a_writer_that_waits_too_long_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "BUSY_TIMEOUT_MS", 20)
    archive = open_sqlite(tmp_path / "memory.db")
    workspace = archive.ensure_workspace("tests", Language.ENGLISH, START)
    other = sqlite3.connect(tmp_path / "memory.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(ArchiveBusy) as caught, archive.write(workspace) as writer:
        writer.add(Kind.FACT, [a_fact("one")])
    assert caught.value.retry_helps
    with archive.read(workspace) as reader:
        assert reader.count(Kind.FACT) == 0
    other.execute("ROLLBACK")
    other.close()
    with archive.write(workspace) as writer:
        writer.add(Kind.FACT, [a_fact("one")])
    archive.close()
