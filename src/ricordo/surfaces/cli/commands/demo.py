"""`ricordo demo`."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from ricordo.surfaces.cli.invocation import Call, command, single

if TYPE_CHECKING:
    from ricordo.settings import Settings

app = single()

ARCHIVE = "memory.db"
TOP = 3


@command(app, "demo", example="ricordo demo\nricordo demo --path my-demo\nricordo demo --embedder none")
def demo(call: Call) -> None:
    """Import a sample conversation in English and Italian, and ask five questions in both.

    Prints the answers with their source, their rank in each voice and what was left out; one
    question is about something that nobody has said. Works in a temporary folder, or in the
    folder that --path names, where it stays. Prints text wherever stdout goes; --json for JSON.
    """
    from rich.text import Text

    from ricordo.memory import Memory
    from ricordo.surfaces.cli.demo.sample import fill, questions
    from ricordo.surfaces.cli.demo.tour import Onward, show_answers, show_onward
    from ricordo.surfaces.cli.settling import drain

    call.screen.as_json = call.given.json is True
    with _archive(call.given.path) as archive:
        settings = call.settings(path=archive)
        with Memory.open(settings=settings) as memory:
            report, facts = fill(memory)
            drain(memory, call.screen)
            status = memory.doctor.status()
            asked = [(item, memory.recall(item.question, top=TOP)) for item in questions()]
    onward = Onward(
        program=executable(),
        archive=None if call.given.path is None else archive.absolute(),
        address=f"http://{_host(settings)}:{settings.port}",
    )
    if call.screen.as_json:
        call.screen.answer(
            {
                "imported": report.model_dump(mode="json"),
                "facts_added": facts,
                "status": status.model_dump(mode="json"),
                "questions": [{"way": item.way, **found.model_dump(mode="json")} for item, found in asked],
                "next": {"serve": onward.serve, "address": onward.address, "mcp": onward.mcp},
            },
            lambda *_: None,
        )
        return
    console = call.screen.console()
    counts = (
        f"{report.episodes_read} turns of {report.sessions} conversations, {status.records['fact']} facts"
    )
    console.print(Text(f"A memory of {counts}; embedding model: {status.embedder or 'none, keywords only'}."))
    show_answers(console, asked)
    show_onward(console, onward)


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
