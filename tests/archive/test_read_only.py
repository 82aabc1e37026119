"""An archive that lies where nothing can be written is read; a write is one clear error."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path

import pytest

from ricordo.archive.sqlite import archive as module
from ricordo.errors import ArchiveUnavailable
from ricordo.memory import Memory


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An archive with two records, in a folder that counts as read-only from now on."""
    path = tmp_path / "shelf" / "memory.db"
    with _open(path) as memory:
        memory.remember("The zebra lives in the stable.")
        memory.episodes.add("talk", user_message="The camel lives in the oasis.")
    assert {one.name for one in path.parent.iterdir()} == {"memory.db"}
    monkeypatch.setattr(module, "may_write", lambda folder: folder != path.parent)
    return path


def _open(path: Path) -> Memory:
    return Memory.open(path, embedder="hashing", durability="process")


def test_it_is_read(path: Path) -> None:
    with _open(path) as memory:
        assert memory.recall("zebra stable").hits[0].text == "The zebra lives in the stable."
        assert memory.recall("zebra stable").degraded == ()
        [fact] = memory.facts.list().items
        assert memory.facts.get(fact.id) == fact
        assert memory.episodes.list(session="talk").total == 1
        assert memory.sessions.get("talk").episode_count == 1
        assert memory.upkeep.verify().clean
        assert memory.doctor.diagnose().healthy
        assert any("read only" in check.message for check in memory.doctor.diagnose().checks)
        assert len(memory.workspaces()) == 1
    assert {one.name for one in path.parent.iterdir()} == {"memory.db"}


def test_a_write_is_one_clear_error(path: Path) -> None:
    before = path.read_bytes()
    with _open(path) as memory:
        [fact] = memory.facts.list().items
        for attempt in (
            lambda: memory.remember("x"),
            lambda: memory.facts.delete(fact.id),
            lambda: memory.upkeep.rebuild(full=True),
            lambda: memory.in_workspace("other", create=True),
        ):
            with pytest.raises(ArchiveUnavailable, match=r"read only.*[Nn]othing was saved"):
                attempt()
        assert memory.recall("zebra").hits
    assert path.read_bytes() == before


def test_an_unmerged_log_is_named(path: Path) -> None:
    """Read without its log, an archive would be an older one or a damaged one."""
    aside = path.parent.parent / "aside.db"
    shutil.copy(path, aside)
    connection = sqlite3.connect(aside)
    connection.execute("UPDATE workspaces SET name = name")
    connection.commit()
    shutil.copy(f"{aside}-wal", f"{path}-wal")
    connection.close()
    with pytest.raises(ArchiveUnavailable, match="-wal") as caught, _open(path):
        pass
    assert "may write to" in caught.value.cure


def test_one_that_is_changed_meanwhile_is_not_read_on(path: Path) -> None:
    with _open(path) as memory:
        assert memory.recall("zebra").hits
        connection = sqlite3.connect(path)
        connection.execute("UPDATE workspaces SET name = name")
        connection.commit()
        with pytest.raises(ArchiveUnavailable, match="was changed"):
            memory.recall("zebra")
        connection.close()


def test_one_that_is_not_there_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ArchiveUnavailable, match="cannot be"):
        _open(tmp_path / "file" / "memory.db")
