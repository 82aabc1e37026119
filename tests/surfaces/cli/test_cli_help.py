"""Every `--help`: kept as a snapshot, with examples that can be typed as they stand.

Renew the snapshots with RICORDO_UPDATE_SNAPSHOTS=1.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer.main

from ricordo.surfaces.cli.app import COMMANDS as OF_THE_ROOT
from ricordo.surfaces.cli.app import app
from snapshots import check_text

SNAPSHOTS = Path(__file__).with_name("snapshots")
BENCH = "bench"  # has snapshots of its own
SERVING = {"serve", "mcp"}  # these do not end by themselves


def commands(command: Any = None, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every command with the words that name it."""
    command = command or typer.main.get_command(app)
    yield path, command
    for name in getattr(command, "commands", {}):
        if name != BENCH:
            yield from commands(command.commands[name], (*path, name))


COMMANDS = dict(commands())


def examples() -> list[str]:
    """Every example of every help, without what stands before a pipe."""
    found = []
    for command in COMMANDS.values():
        lines = (command.epilog or "").split("\n\n")[0].splitlines()
        found += [line.strip() for line in lines if line.startswith("  ")]
    return sorted(set(found))


@pytest.mark.parametrize("path", COMMANDS, ids=lambda path: "-".join(path) or "root")
def test_the_help_is_as_it_was(path: tuple[str, ...], ricordo: Any) -> None:
    answer = ricordo(*path, "--help")
    assert answer.code == 0
    check_text(SNAPSHOTS / f"{'-'.join(path) or 'ricordo'}.txt", answer.out)


def test_no_snapshot_is_of_a_command_that_is_gone() -> None:
    kept = {file.stem for file in SNAPSHOTS.glob("*.txt")}
    assert kept == {"-".join(path) or "ricordo" for path in COMMANDS}


@pytest.mark.parametrize("path", COMMANDS, ids=lambda path: "-".join(path) or "root")
def test_every_help_has_an_example(path: tuple[str, ...]) -> None:
    assert "Example" in COMMANDS[path].epilog
    assert "ricordo" in COMMANDS[path].epilog


@pytest.mark.parametrize("line", examples())
def test_every_example_is_understood(line: str, ricordo: Any, tmp_path: Path) -> None:
    before, _, after = line.rpartition(" | ricordo")
    words = shlex.split(f"ricordo {after}" if before else line.split(" | ")[0])
    assert words[0] == "ricordo"
    if SERVING & set(words):
        words += ["--embedder", "no-such-model"]
    stdin = shlex.split(before)[1] if before.startswith("echo ") else "something"
    answer = ricordo(*words[1:], stdin=stdin)
    assert answer.code in (0, 3, 4), answer.err  # 3 and 4: what it names is not there
    assert "Usage" not in answer.err


def test_the_summaries_of_the_root_are_those_of_the_commands() -> None:
    for name, entry in OF_THE_ROOT.entries.items():
        if name != BENCH:
            assert OF_THE_ROOT[name].help.splitlines()[0] == entry.summary


def test_options_of_every_command_stand_apart(ricordo: Any) -> None:
    text = ricordo("recall", "--help").out
    own, everywhere = text.split("Everywhere:")
    assert "--json" in everywhere
    assert "--json" not in own


def test_without_a_command_the_help_is_shown_as_an_error(ricordo: Any) -> None:
    answer = ricordo()
    assert answer.code == 2
    assert "Commands:" in answer.out + answer.err
