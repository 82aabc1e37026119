"""Every example in the README and the docs runs; nothing public is undocumented."""

from __future__ import annotations

import json
import os
import re
import shlex
import sys
from pathlib import Path

import pytest

from processes import python, run_text
from snapshots import check_text

from .reference import REFERENCE, reference

ROOT = Path(__file__).parents[2]
PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")])
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(language: str) -> list[tuple[str, str]]:
    found = []
    for page in PAGES:
        for place, (tag, body) in enumerate(BLOCK.findall(page.read_text(encoding="utf-8"))):
            if tag == language:
                found.append((f"{page.relative_to(ROOT)}#{place}", body))
    return found


def surroundings(folder: Path) -> dict[str, str]:
    """A user's environment whose data folder is empty."""
    programs = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return {
        "HOME": str(folder),
        "PATH": programs,
        "XDG_DATA_HOME": str(folder),
        "RICORDO_EMBEDDER": "hashing",
    }


@pytest.mark.parametrize(("place", "code"), blocks("python"), ids=lambda value: value[:40])
def test_python_example_runs(place: str, code: str, tmp_path: Path) -> None:
    command = python(code, options=("-W", "error"))
    done = run_text(command, cwd=tmp_path, env=surroundings(tmp_path))
    assert done.returncode == 0, f"{place}: {done.stderr}"
    assert done.stdout


def commands() -> list[str]:
    """The `ricordo` commands of shell examples, without those that do not end."""
    found = []
    for _, body in blocks("sh"):
        for line in body.replace("\\\n", " ").splitlines():
            words = shlex.split(line, comments=True)
            if words[:1] == ["ricordo"] and words[1:2] not in (["serve"], ["mcp"], ["bench"]):
                found.append(shlex.join(words))
    return found


def test_shell_examples_run_in_order(tmp_path: Path) -> None:
    lines = [{"role": "user", "content": "We moved to Turin"}, {"role": "assistant", "content": "Noted."}]
    chat = "".join(json.dumps(line) + "\n" for line in lines)
    (tmp_path / "conversation.jsonl").write_text(chat, encoding="utf-8")
    ran = commands()
    assert "ricordo doctor" in ran
    for command in ran:
        done = run_text(shlex.split(command), cwd=tmp_path, env=surroundings(tmp_path))
        assert done.returncode == 0, f"{command}: {done.stderr}"


@pytest.mark.parametrize(("place", "body"), blocks("json"), ids=lambda value: value[:40])
def test_json_example_parses(place: str, body: str) -> None:
    assert json.loads(body), place


def test_make_targets_of_the_readme_exist() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in re.findall(r"\bmake ([a-z]+)", (ROOT / "README.md").read_text(encoding="utf-8")):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target


def test_reference_is_up_to_date() -> None:
    check_text(REFERENCE, reference())


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target
