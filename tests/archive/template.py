"""An empty archive made once, since migrating a new file for each test takes most of its time."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from functools import cache
from pathlib import Path

from ricordo.archive.sqlite.archive import SqliteArchive
from ricordo.testing.samples import START


@cache
def _template() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="ricordo-tests-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    SqliteArchive(folder / "template.db", now=START, version="test").close()
    return folder / "template.db"


def open_sqlite(path: Path) -> SqliteArchive:
    """The archive at a path, made of the template where there is none."""
    if not path.exists():
        shutil.copy(_template(), path)
    return SqliteArchive(path, now=START, version="test", durability="process")
