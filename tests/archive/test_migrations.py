"""An archive is opened at its own version, brought to this one, or refused with what to do."""

from __future__ import annotations

import re
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import create_engine

from processes import python, run_text
from ricordo.archive import migrations
from ricordo.archive.migrations import Migration, apply, known_migrations, missing_migrations
from ricordo.archive.sqlite.archive import SqliteArchive
from ricordo.archive.tables import metadata
from ricordo.errors import (
    ArchiveCorrupt,
    ArchiveError,
    ArchiveOutdated,
    ArchiveTooNew,
    ArchiveUnavailable,
    MigrationChanged,
)
from ricordo.records.base import Kind
from ricordo.records.workspace import Language
from ricordo.testing.samples import START, a_fact

from .template import open_sqlite

NEXT = '''"""The next migration."""

import sqlalchemy as sa
from alembic import op

revision = "next"
down_revision = "{before}"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table("extra", sa.Column("num", sa.Integer(), primary_key=True))
    {then}
'''


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "memory.db"


def _open(path: Path) -> SqliteArchive:
    return SqliteArchive(path, now=START, version="test", durability="process")


def _change(path: Path, statement: str, *values: object) -> None:
    connection = sqlite3.connect(path)
    with connection:
        connection.execute(statement, values)
    connection.close()


def _tables(path: Path) -> dict[str, str]:
    connection = sqlite3.connect(path)
    rows = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table'").fetchall()
    connection.close()
    return dict(rows)


def _fill(path: Path) -> None:
    archive = open_sqlite(path)
    workspace = archive.ensure_workspace("tests", Language.ENGLISH, START)
    with archive.write(workspace) as writer:
        writer.add(Kind.FACT, [a_fact("kept")])
    archive.close()


def _assert_filled(path: Path) -> None:
    archive = _open(path)
    workspace = archive.find_workspace("tests")
    assert workspace is not None
    with archive.read(workspace) as reader:
        assert [stored.record for stored in reader.scan(Kind.FACT)] == [a_fact("kept")]
    archive.close()


class Newer:
    """A program with one migration more than this one."""

    def __init__(self, folder: Path, patch: pytest.MonkeyPatch) -> None:
        self._folder = folder / "program"
        self._patch = patch
        shutil.copytree(migrations.VERSIONS, self._folder / "versions")
        shutil.copy(migrations.VERSIONS.parent / "script.py.mako", self._folder)

    def learn(self, *, then: str = "") -> None:
        newest = known_migrations()[-1].revision
        text = NEXT.format(before=newest, then=then)
        (self._folder / "versions" / "9999_next.py").write_text(text, encoding="utf-8")
        self._patch.setattr(migrations, "VERSIONS", self._folder / "versions")
        self._patch.setattr(apply, "__file__", str(self._folder / "apply.py"))
        known_migrations.cache_clear()

    def forget(self) -> None:
        self._patch.undo()
        known_migrations.cache_clear()


@pytest.fixture
def newer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Newer]:
    program = Newer(tmp_path, monkeypatch)
    yield program
    program.forget()


# The tables


def test_migrations_make_the_tables_that_the_program_uses(path: Path) -> None:
    open_sqlite(path).close()
    engine = create_engine(f"sqlite:///{path}")
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        differences = [
            item for item in compare_metadata(context, metadata) if "alembic_version" not in str(item)
        ]
    engine.dispose()
    assert differences == []


def test_migrations_make_each_table_word_for_word(path: Path, tmp_path: Path) -> None:
    open_sqlite(path).close()
    engine = create_engine(f"sqlite:///{tmp_path / 'whole.db'}")
    metadata.create_all(engine)
    engine.dispose()
    whole, migrated = _tables(tmp_path / "whole.db"), _tables(path)
    assert set(migrated) - set(whole) <= {"alembic_version"}
    for name, sql in whole.items():
        assert _lines(migrated[name]) == _lines(sql), name


def _lines(sql: str | None) -> list[str]:
    return sorted(re.sub(r"\s+", " ", line).strip(" ,") for line in (sql or "").splitlines())


# Which migrations an archive has


def test_an_archive_knows_what_was_applied(path: Path) -> None:
    open_sqlite(path).close()
    connection = sqlite3.connect(path)
    rows = connection.execute("SELECT revision, checksum, version FROM migrations").fetchall()
    connection.close()
    assert [(revision, checksum) for revision, checksum, _ in rows] == list(known_migrations())
    assert {version for *_, version in rows} == {"test"}


def test_a_changed_migration_is_refused(path: Path) -> None:
    _fill(path)
    _change(path, "UPDATE migrations SET checksum = 'other'")
    with pytest.raises(MigrationChanged, match="pip install"):
        _open(path)


def test_an_unknown_migration_is_refused(path: Path) -> None:
    _fill(path)
    _change(path, "INSERT INTO migrations VALUES ('9999', 'x', 0, '99.0')")
    with pytest.raises(ArchiveTooNew, match=r"9999.*--upgrade"):
        _open(path)


def test_a_gap_is_refused() -> None:
    known = [Migration(f"000{number}", f"sum {number}") for number in (1, 2, 3)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(migrations, "known_migrations", lambda: tuple(known))
        assert missing_migrations({}) == tuple(known)
        assert missing_migrations({"0001": "sum 1"}) == tuple(known[1:])
        assert missing_migrations(dict(known)) == ()
        with pytest.raises(ArchiveOutdated, match=r"0002.*backup"):
            missing_migrations({"0001": "sum 1", "0003": "sum 3"})
        with pytest.raises(MigrationChanged):
            missing_migrations({"0001": "sum 2"})


def test_line_ends_change_no_checksum(newer: Newer, path: Path) -> None:
    _fill(path)
    newer.learn()
    expected = known_migrations()
    for file in migrations.VERSIONS.glob("*.py"):
        file.write_bytes(file.read_bytes().replace(b"\n", b"\r\n"))
    known_migrations.cache_clear()
    assert known_migrations() == expected


# Bringing an archive up to date


def test_an_older_archive_is_brought_up_to_date(newer: Newer, path: Path) -> None:
    _fill(path)
    newer.learn()
    _assert_filled(path)
    assert "extra" in _tables(path)
    newer.forget()
    with pytest.raises(ArchiveTooNew):
        _open(path)


def test_an_interrupted_migration_leaves_the_archive_as_it_was(newer: Newer, path: Path) -> None:
    _fill(path)
    before = _tables(path)
    newer.learn(then="raise KeyboardInterrupt")
    with pytest.raises(KeyboardInterrupt):
        _open(path)
    assert _tables(path) == before
    newer.forget()
    _assert_filled(path)


def test_an_interrupted_creation_leaves_no_file(newer: Newer, path: Path) -> None:
    newer.learn(then="raise KeyboardInterrupt")
    with pytest.raises(KeyboardInterrupt):
        _open(path)
    assert [item.name for item in path.parent.iterdir() if item.is_file()] == []
    newer.forget()
    _open(path).close()
    assert path.exists()


def test_an_upgrade_that_the_engine_refuses_is_an_error_of_the_archive(newer: Newer, path: Path) -> None:
    _fill(path)
    newer.learn(then='op.execute("CREATE TABLE extra (num INTEGER)")')
    with pytest.raises(ArchiveError):
        _open(path)
    newer.forget()
    _assert_filled(path)


# What is no archive


def _refused(path: Path, kind: type[ArchiveError]) -> None:
    before = path.read_bytes() if path.is_file() else None
    with pytest.raises(kind) as caught:
        _open(path)
    assert str(path) in str(caught.value)
    assert caught.value.cure
    assert (path.read_bytes() if path.is_file() else None) == before


def test_a_text_file_is_refused(path: Path) -> None:
    path.write_text("Dear diary, today I learned about databases.\n" * 200)
    _refused(path, ArchiveCorrupt)


@pytest.mark.parametrize("table", ["things (num INTEGER)", "migrations (id INTEGER, migration TEXT)"])
def test_another_database_is_refused(path: Path, table: str) -> None:
    _change(path, f"CREATE TABLE {table}")
    _refused(path, ArchiveCorrupt)


@pytest.mark.parametrize("kept", [10, 100, 4096, 5000, 40_960])
def test_a_truncated_file_is_refused(path: Path, kept: int) -> None:
    _fill(path)
    path.write_bytes(path.read_bytes()[:kept])
    _refused(path, ArchiveCorrupt)


def test_a_damaged_page_is_an_error_and_no_answer(path: Path) -> None:
    _fill(path)
    whole = bytearray(path.read_bytes())
    for start in range(4096, len(whole), 4096):
        whole[start : start + 200] = b"\xff" * 200
    path.write_bytes(whole)
    with pytest.raises(ArchiveCorrupt):
        _open(path)


def test_a_folder_is_refused(path: Path) -> None:
    path.mkdir()
    _refused(path, ArchiveUnavailable)


def test_a_path_below_a_file_is_refused(path: Path) -> None:
    path.write_text("a file")
    _refused(path / "memory.db", ArchiveUnavailable)


def test_a_folder_that_cannot_be_written_is_refused() -> None:
    _refused(Path("/proc/ricordo/memory.db"), ArchiveUnavailable)


def test_an_empty_file_becomes_an_archive(path: Path) -> None:
    path.touch()
    archive = _open(path)
    journal = [message for name, ok, message in archive.diagnose() if name == "journal" and ok]
    archive.close()
    assert journal


def test_opening_an_archive_loads_no_alembic(path: Path) -> None:
    _fill(path)
    code = (
        "import sys; from pathlib import Path; from ricordo.archive.sqlite.archive import SqliteArchive;"
        "from ricordo.testing.samples import START;"
        "SqliteArchive(Path(sys.argv[1]), now=START, version='test').close();"
        "sys.exit('alembic' in sys.modules)"
    )
    done = run_text(python(code, str(path)))
    assert done.returncode == 0, done.stderr
