from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from ricordo.bench.cli import app

from . import samples


def _pack(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(text.encode()))


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A folder of small data sets of our own making, in the layout of the published ones."""
    folder = tmp_path / "data"
    _pack(folder / "nc-locomo" / "conversations.json.gz", json.dumps(samples.locomo()))
    chats, questions = samples.beam()
    _pack(folder / "beam" / "chats.jsonl.gz", "\n".join(map(json.dumps, chats)))
    _pack(folder / "beam" / "questions.jsonl.gz", "\n".join(map(json.dumps, questions)))
    _pack(folder / "squad-it" / "articles.json.gz", json.dumps({"data": samples.squad_it()}))
    _pack(folder / "bird-dev" / "questions.json.gz", json.dumps(samples.bird()))
    _pack(folder / "kaggledbqa" / "examples.jsonl", "\n".join(map(json.dumps, samples.kaggledbqa())))
    (folder / "devbench").mkdir()
    (folder / "devbench" / "devbench_dataset.json").write_text(json.dumps(samples.devbench()))
    return folder


@pytest.fixture
def bench() -> Callable[..., dict[str, Any]]:
    """Runs a command of `bench` and reads its JSON."""

    def run(*arguments: object) -> dict[str, Any]:
        result = CliRunner().invoke(app, [str(part) for part in arguments] + ["--json"])
        if result.exception is not None:
            raise result.exception
        found: dict[str, Any] = json.loads(result.stdout)
        return found

    return run
