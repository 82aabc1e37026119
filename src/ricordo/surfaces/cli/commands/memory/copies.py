"""Cards to and from files."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from ricordo.errors import UnreadableFile
from ricordo.surfaces.cli.commands.memory.app import app
from ricordo.surfaces.cli.input import STDIN
from ricordo.surfaces.cli.interrupt import INTERRUPTED, Interrupt
from ricordo.surfaces.cli.invocation import Call, command
from ricordo.surfaces.cli.progress import progress_bars


@command(
    app,
    "export",
    example="ricordo memory export cards.jsonl\nricordo memory export - | gzip > cards.jsonl.gz",
)
def export_cards(
    call: Call,
    file: Annotated[str, typer.Argument(metavar="FILE", help="Where to; '-' is stdout.")],
    force: Annotated[
        bool, typer.Option("--force", help="Write over a file that is there.", show_default=False)
    ] = False,
) -> None:
    """Write every card to a file of JSON lines, with its links.

    Each line holds a card's newest revision with its times, authors and origin; earlier revisions
    stay in the archive. The file is there when it is whole, and only its owner may read it.
    """
    from ricordo.importers import card_files

    with call.memory() as memory, Interrupt() as interrupt, progress_bars(call.screen) as advance:

        def heard(done: int, total: int) -> None:
            advance("cards", done, total)

        if file == STDIN:
            count = card_files.write_cards(memory, sys.stdout.buffer, progress=heard, stop=interrupt.asked)
        else:
            count = card_files.export_cards(
                memory, Path(file), force=force, progress=heard, stop=interrupt.asked
            )
        stopped = interrupt.asked()
    if file == STDIN:
        call.screen.note(f"{count} cards written")
    else:
        from ricordo.surfaces.cli.rendering.upkeep import show_report

        call.screen.answer({"file": file, "cards": 0 if stopped else count, "stopped": stopped}, show_report)
    if stopped:
        raise typer.Exit(INTERRUPTED)


@command(
    app,
    "import",
    example="ricordo memory import cards.jsonl\nricordo memory import cards.jsonl.gz --replace -c team.yaml",
)
def import_cards(
    call: Call,
    file: Annotated[str, typer.Argument(metavar="FILE", help="JSON lines, plain or gzip; '-' is stdin.")],
    replace: Annotated[
        bool, typer.Option("--replace", help="Settle conflicts in favour of the file.", show_default=False)
    ] = False,
    no_vectors: Annotated[
        bool, typer.Option("--no-vectors", help="Leave the vectors to later.", show_default=False)
    ] = False,
) -> None:
    """Bring cards in from a file of JSON lines.

    A card keeps its id, revision, times, authors and origin. One that is here already is left
    alone; one that is here with another content, or was deleted here, is a conflict and stays as it
    is, unless --replace. A line without an id is a new card of your own. What is left out is
    reported with its line and reason. Ctrl-C stops and keeps what was done; the same command goes
    on from there.
    """
    from ricordo.importers import card_files
    from ricordo.surfaces.cli.drain import drain

    with _source(file) as path, call.memory(writes=True) as memory, Interrupt() as interrupt:
        with progress_bars(call.screen, unit="bytes") as advance:

            def heard(done: int, total: int) -> None:
                advance("cards", done, total)

            report = card_files.import_cards(
                memory, path, replace=replace, progress=heard, stop=interrupt.asked
            )
        embedded = 0
        if not no_vectors and not interrupt.asked() and (report.added or report.replaced):
            embedded = drain(memory, call.screen, interrupt.asked)
        pending = memory.doctor.status().pending
        stopped = interrupt.asked()
    from ricordo.surfaces.cli.rendering.cards import show_card_import

    answer = {**report.model_dump(mode="json"), "embedded": embedded, "pending": pending}
    call.screen.answer({**answer, "stopped": stopped}, show_card_import)
    if stopped:
        raise typer.Exit(INTERRUPTED)


@contextmanager
def _source(file: str) -> Iterator[Path]:
    """The file; stdin as a file that can be read again."""
    if file != STDIN:
        if not Path(file).exists():
            raise UnreadableFile(f"There is no file {file}.", cure="Check its name.")
        yield Path(file)
        return
    with tempfile.TemporaryDirectory(prefix="ricordo-") as folder:
        path = Path(folder) / "stdin.jsonl"
        with path.open("wb") as held:
            shutil.copyfileobj(sys.stdin.buffer, held)
        yield path
