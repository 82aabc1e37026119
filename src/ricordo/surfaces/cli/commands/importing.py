"""`ricordo import`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ricordo.engine.stopping import Stop
from ricordo.errors import RicordoError, UnreadableFile
from ricordo.surfaces.cli.interrupt import INTERRUPTED, Interrupt
from ricordo.surfaces.cli.invocation import Call, command, group
from ricordo.surfaces.cli.progress import progress_bars

if TYPE_CHECKING:
    from ricordo.importers.report import ImportReport
    from ricordo.memory import Memory

app = group(
    "import",
    "Bring in what other programs have kept.",
    example="ricordo import chat conversations.jsonl",
)


def formats() -> list[str]:
    """Names for completion."""
    from ricordo.importers.chat import FORMATS

    return [known.name for known in FORMATS]


@command(
    app,
    "chat",
    example="ricordo import chat conversations.jsonl --project website\n"
    "ricordo import chat meeting.txt --session standup-12 --timezone Europe/Rome",
)
def import_chat(
    call: Call,
    files: Annotated[list[Path], typer.Argument(metavar="FILE", help="Conversations; plain or gzip.")],
    format: Annotated[
        str | None,
        typer.Option(
            "--format",
            metavar="NAME",
            help="openai, locomo or text; found out if omitted.",
            autocompletion=formats,
        ),
    ] = None,
    project: Annotated[
        str | None, typer.Option("--project", metavar="NAME", help="Project of the sessions that are made.")
    ] = None,
    session: Annotated[
        str | None, typer.Option("--session", metavar="ID", help="External id of the session.")
    ] = None,
    timezone: Annotated[
        str,
        typer.Option("--timezone", metavar="NAME", help="Where times without an offset were written down."),
    ] = "UTC",
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be done; change nothing.", show_default=False)
    ] = False,
    no_vectors: Annotated[
        bool, typer.Option("--no-vectors", help="Leave the vectors to later.", show_default=False)
    ] = False,
) -> None:
    """Import conversations from files.

    OpenAI-style JSON lines, LoCoMo-style JSON, or plain 'speaker: text'. Importing again adds only
    what is new. What is skipped is reported with its place and reason. Ctrl-C stops and keeps what
    was done; the same command goes on from there.
    """
    _check(files)
    wanted = {"format": format, "project": project, "session": session, "timezone": timezone}
    with call.memory(writes=not dry_run) as memory, Interrupt() as interrupt:
        reports: list[tuple[Path, ImportReport]] = []
        failed: RicordoError | None = None
        try:
            _import(call, memory, files, {**wanted, "dry_run": dry_run}, interrupt.asked, reports)
        except RicordoError as error:
            failed = error
        embedded = 0
        if not dry_run and not no_vectors and not interrupt.asked():
            from ricordo.surfaces.cli.drain import drain

            embedded = drain(memory, call.screen, interrupt.asked)
        pending = memory.doctor.status().pending
        stopped = interrupt.asked()
    from ricordo.surfaces.cli.rendering.imports import show_import

    if reports or failed is None:
        answer = _answer(reports, embedded=embedded, pending=pending, stopped=stopped)
        call.screen.answer(answer, show_import)
    if failed is not None:
        raise failed
    if stopped:
        raise typer.Exit(INTERRUPTED)


def _check(files: Sequence[Path]) -> None:
    """Refuse a mistyped name before anything is imported."""
    for file in files:
        if not file.exists():
            raise UnreadableFile(f"There is no file {file}.", cure="Check its name.")


def _import(
    call: Call,
    memory: Memory,
    files: Sequence[Path],
    wanted: dict[str, Any],
    stop: Stop,
    reports: list[tuple[Path, ImportReport]],
) -> None:
    from ricordo.importers.chat import import_chat as run

    with progress_bars(call.screen, unit="bytes") as advance:
        for file in files:
            if stop():
                break

            def heard(done: int, total: int, name: str = file.name) -> None:
                advance(name, done, total)

            reports.append((file, run(memory, file, progress=heard, stop=stop, **wanted)))


def _answer(
    reports: Sequence[tuple[Path, ImportReport]], *, embedded: int, pending: int, stopped: bool
) -> dict[str, Any]:
    """Totals, and the report of each file."""
    counted = ("sessions", "episodes_read", "episodes_added", "episodes_known", "skipped_count")
    totals = {name: sum(getattr(report, name) for _, report in reports) for name in counted}
    skipped = [
        {"file": str(file), **item.model_dump(mode="json")}
        for file, report in reports
        for item in report.skipped
    ]
    return {
        **totals,
        "skipped": skipped,
        "embedded": embedded,
        "pending": pending,
        "stopped": stopped,
        "files": [{"file": str(file), **report.model_dump(mode="json")} for file, report in reports],
    }
