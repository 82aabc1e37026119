"""The command line in this process and in real ones, each test on an archive of its own."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from processes import PROGRAM, run
from ricordo.archive.sqlite.archive import SqliteArchive
from ricordo.surfaces.cli.app import app


@dataclass(frozen=True)
class Answer:
    """What a command wrote and how it ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def error(self) -> dict[str, Any]:
        return json.loads(self.err.splitlines()[-1])["error"]


Ricordo = Callable[..., Answer]


@pytest.fixture(scope="session")
def empty_archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Made once, since migrating a new file for each test takes most of its time."""
    file = tmp_path_factory.mktemp("archive") / "memory.db"
    SqliteArchive(file, now=datetime.now(UTC), version="test").close()
    return file


@pytest.fixture
def surroundings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, empty_archive: Path) -> dict[str, str]:
    """The environment of a user with an empty archive, and the embedder that tests use."""
    shutil.copy(empty_archive, tmp_path / "memory.db")
    for name in list(os.environ):
        if name.startswith("RICORDO_") or name in (
            "FORCE_COLOR",
            "PYTHONWARNINGS",
            "PYTHONDONTWRITEBYTECODE",
        ):
            monkeypatch.delenv(name)
    fresh = {
        "RICORDO_PATH": str(tmp_path / "memory.db"),
        "RICORDO_EMBEDDER": "hashing",
        "RICORDO_DURABILITY": "process",
        "HOME": str(tmp_path),
        "XDG_DATA_HOME": str(tmp_path / "share"),
        "COLUMNS": "80",
        "TERMINAL_WIDTH": "80",
        "NO_COLOR": "1",
        "TZ": "UTC",
    }
    for name, value in fresh.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path)
    return dict(os.environ)


@pytest.fixture
def nothing_yet(surroundings: dict[str, str], tmp_path: Path) -> None:
    """Takes the archive away."""
    (tmp_path / "memory.db").unlink()


@pytest.fixture
def ricordo(surroundings: dict[str, str]) -> Ricordo:
    """Runs a command in this process; a failure that is no error of ours is raised."""

    def run(*arguments: str, stdin: str | bytes = "") -> Answer:
        result = CliRunner().invoke(
            app, list(arguments), input=stdin, prog_name="ricordo", catch_exceptions=False
        )
        return Answer(result.exit_code, result.stdout, result.stderr)

    return run


@pytest.fixture
def ok(ricordo: Ricordo) -> Callable[..., Any]:
    """Runs a command that must succeed; answers its JSON."""

    def run(*arguments: str, stdin: str | bytes = "") -> Any:
        answer = ricordo(*arguments, stdin=stdin)
        assert answer.code == 0, answer.err
        return answer.json

    return run


@pytest.fixture
def shown(ricordo: Ricordo) -> Callable[..., str]:
    """Runs a command that must succeed; answers what people see."""

    def run(*arguments: str, stdin: str | bytes = "") -> str:
        answer = ricordo("--no-json", *arguments, stdin=stdin)
        assert answer.code == 0, answer.err
        return answer.out

    return run


@pytest.fixture
def process(surroundings: dict[str, str]) -> Ricordo:
    """Runs a command as users do: the installed program, in a process of its own."""

    def answer(*arguments: str, stdin: bytes = b"", **variables: str) -> Answer:
        done = run([PROGRAM, *arguments], stdin=stdin, env={**surroundings, **variables})
        return Answer(done.returncode, done.stdout.decode(), done.stderr.decode())

    return answer
