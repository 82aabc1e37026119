"""Settings of the property tests of this folder, and an archive that is made once and copied."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from ricordo.memory import Memory

from .opening import open_memory

settings.register_profile(
    "ricordo", deadline=None, max_examples=60, database=None, derandomize="CI" in os.environ
)
settings.load_profile("ricordo")


@pytest.fixture(scope="session")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An archive with an empty workspace; not to be changed."""
    path = tmp_path_factory.mktemp("empty") / "memory.db"
    open_memory(path, embedder="none").close()
    return path


@pytest.fixture
def path(tmp_path: Path, empty: Path) -> Path:
    """An archive of one's own, with an empty workspace."""
    shutil.copy(empty, tmp_path / "memory.db")
    return tmp_path / "memory.db"


@pytest.fixture
def memory(path: Path) -> Iterator[Memory]:
    """A memory with the hashing embedder."""
    with open_memory(path) as memory:
        yield memory
