"""`ricordo demo`."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ricordo.surfaces.cli.invocation import Call, command, single

if TYPE_CHECKING:
    from ricordo.settings import Settings

app = single()

ARCHIVE = "memory.db"
TOP = 3


@command(app, "demo", example="ricordo demo\nricordo demo --path my-demo\nricordo demo --embedder none")
def demo(call: Call) -> None:
    """Show what it does, with a sample conversation.

    Imports a conversation in English and Italian, asks five questions in both, and prints the
    answers with their source, their rank in each voice and what was left out; one question is about
    something that nobody has said. Works in a temporary folder, or in the folder that --path names,
    where it stays. Prints text wherever stdout goes; --json for JSON.
    """
    from ricordo.surfaces.cli.demo.tour import Onward, Tour, show_tour

    # To be read, also where it is printed into a file: JSON only on request.
    call.screen.as_json = call.given.json is True
    with _archive(call.given.path) as archive:
        settings = call.settings(path=archive)
        onward = Onward(
            program=executable(),
            archive=None if call.given.path is None else archive.absolute(),
            address=f"http://{_host(settings)}:{settings.port}",
        )
        tour = Tour(**_asked(call, settings), onward=onward)
    call.screen.answer(tour.as_json(), lambda console, _: show_tour(console, tour))


def _asked(call: Call, settings: Settings) -> dict[str, Any]:
    """Import the sample and ask the questions."""
    from ricordo.memory import Memory
    from ricordo.surfaces.cli.demo.sample import fill, questions
    from ricordo.surfaces.cli.drain import drain

    with Memory.open(settings=settings) as memory:
        report, facts = fill(memory)
        drain(memory, call.screen)
        return {
            "report": report,
            "facts_added": facts,
            "status": memory.doctor.status(),
            "asked": [(item, memory.recall(item.question, top=TOP)) for item in questions()],
        }


@contextmanager
def _archive(wanted: Path | None) -> Iterator[Path]:
    """The archive's file: below the folder that was named, else in a temporary one."""
    if wanted is None:
        with tempfile.TemporaryDirectory(prefix="ricordo-demo-") as folder:
            yield Path(folder) / ARCHIVE
    else:
        wanted = wanted.expanduser()
        yield wanted if wanted.is_file() or wanted.suffix == ".db" else wanted / ARCHIVE


def _host(settings: Settings) -> str:
    return f"[{settings.host}]" if ":" in settings.host else settings.host


def executable() -> str:
    """Absolute path of the `ricordo` command."""
    started = Path(sys.argv[0])
    beside = Path(sys.executable).with_name("ricordo")
    for candidate in (started, beside):
        if candidate.stem == "ricordo" and os.access(candidate, os.X_OK) and candidate.is_file():
            return str(candidate.absolute())
    return shutil.which("ricordo") or "ricordo"
