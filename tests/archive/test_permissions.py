"""An archive belongs to its owner, and says where it does not."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from ricordo.archive.sqlite.archive import SqliteArchive
from ricordo.records.base import Kind
from ricordo.records.workspace import Language
from ricordo.testing.samples import START, a_fact


@pytest.fixture(autouse=True)
def open_mask() -> Iterator[None]:
    """The most careless mask there is."""
    before = os.umask(0)
    yield
    os.umask(before)


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def _written(path: Path) -> SqliteArchive:
    archive = SqliteArchive(path, now=START, version="test")
    workspace = archive.ensure_workspace("tests", Language.ENGLISH, START)
    with archive.write(workspace) as writer:
        writer.add(Kind.FACT, [a_fact("one")])
    return archive


def test_a_new_archive_is_its_owners_alone(tmp_path: Path) -> None:
    path = tmp_path / "deeper" / "still" / "memory.db"
    archive = _written(path)
    beside = [item for item in path.parent.iterdir() if item != path]
    assert _mode(path) == 0o600
    assert {_mode(item) for item in beside} == {0o600}
    assert _mode(path.parent) == 0o700
    archive.close()
    assert [item.name for item in path.parent.iterdir()] == ["memory.db"]


def test_a_mode_that_was_chosen_stays_and_is_told(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    _written(path).close()
    path.chmod(0o640)
    archive = _written_again(path)
    checks = {name: (ok, message) for name, ok, message in archive.diagnose()}
    archive.close()
    assert _mode(path) == 0o640
    ok, message = checks["file mode"]
    assert not ok
    assert "chmod 600" in message


def _written_again(path: Path) -> SqliteArchive:
    return SqliteArchive(path, now=START, version="test")


def test_an_existing_folder_keeps_its_mode(tmp_path: Path) -> None:
    folder = tmp_path / "shared"
    folder.mkdir(mode=0o755)
    _written(folder / "memory.db").close()
    assert _mode(folder) == 0o755
