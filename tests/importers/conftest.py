from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ricordo.importers.chat import import_chat
from ricordo.importers.report import ImportReport
from ricordo.memory import Memory
from ricordo.records.episode import Episode

Write = Callable[..., Path]


@pytest.fixture(scope="session")
def empty_archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("archive") / "empty.db"
    Memory.open(path, embedder="none").close()
    return path


@pytest.fixture
def archive(empty_archive: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(empty_archive, tmp_path / "memory.db"))


@pytest.fixture
def memory(archive: Path) -> Iterator[Memory]:
    with Memory.open(archive, embedder="none") as opened:
        yield opened


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes a file from text or bytes."""

    def make(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
        return path

    return make


@pytest.fixture
def take(memory: Memory, write: Write) -> Callable[..., ImportReport]:
    """Imports a file that is made of text or bytes."""

    def run(name: str, content: str | bytes, **options: object) -> ImportReport:
        return import_chat(memory, write(name, content), **options)  # type: ignore[arg-type]

    return run


@pytest.fixture
def turns(memory: Memory) -> Callable[..., list[Episode]]:
    """All episodes, in order."""

    def read(session: str | None = None) -> list[Episode]:
        found: list[Episode] = []
        cursor = None
        while True:
            page = memory.episodes.list(session=session, limit=1000, cursor=cursor)
            found += page.items
            cursor = page.next_cursor
            if cursor is None:
                return found

    return read
