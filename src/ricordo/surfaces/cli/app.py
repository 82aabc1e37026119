"""The root command: its options, and where each sub-command lives."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from ricordo.errors import RicordoError
from ricordo.surfaces.cli.invocation import accept_everywhere
from ricordo.surfaces.cli.screen import Screen
from ricordo.surfaces.cli.shelf import Shelf, ShelfGroup, Slot
from ricordo.surfaces.cli.streams import tolerant
from ricordo.surfaces.errors import rendering

COMMANDS = "ricordo.surfaces.cli.commands"

SHELF = Shelf(
    Slot("init", f"{COMMANDS}.init", "Make an archive and a file with every setting."),
    Slot("remember", f"{COMMANDS}.remember", "Keep one statement."),
    Slot("recall", f"{COMMANDS}.recall", "Ask what is remembered."),
    Slot("sessions", f"{COMMANDS}.sessions", "Conversations and runs that episodes belong to."),
    Slot("episodes", f"{COMMANDS}.episodes", "What was said, turn by turn."),
    Slot("facts", f"{COMMANDS}.facts", "Statements with their domain, topic and source."),
    Slot("import", f"{COMMANDS}.importing", "Bring in what other programs have kept."),
    Slot("pending", f"{COMMANDS}.pending", "Deferred work that is not done yet; without a command: list."),
    Slot("index", f"{COMMANDS}.index", "Make the search index from the archive again."),
    Slot("verify", f"{COMMANDS}.verify", "Compare the index with the archive."),
    Slot("doctor", f"{COMMANDS}.doctor", "Check archive, index, embedder, pending work, versions."),
    Slot("status", f"{COMMANDS}.status", "Say what the workspace holds."),
    Slot("workspaces", f"{COMMANDS}.workspaces", "The archive's workspaces: each is a memory of its own."),
    Slot("serve", f"{COMMANDS}.serve", "Serve HTTP until Ctrl-C."),
    Slot("mcp", f"{COMMANDS}.mcp", "Serve MCP over stdin and stdout."),
    Slot("bench", "ricordo.bench.cli", "Measure quality and speed."),
    Slot("demo", f"{COMMANDS}.demo", "Show what it does, with a sample conversation."),
)
"""Every sub-command, in the order of the help."""


class Root(ShelfGroup):
    """The root command, whose sub-commands are loaded when they are named."""

    shelf = SHELF


app = typer.Typer(
    name="ricordo",
    cls=Root,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    no_args_is_help=True,
    epilog="\b\nExamples:\n"
    "  ricordo remember 'Deploys happen on Tuesday mornings.'\n"
    "  ricordo recall 'when do we deploy?'\n\n"
    "Exit codes: 0 done, 1 not well or declined, 2 wrong usage, 3 invalid input, 4 not found, "
    "5 conflict, 6 forbidden, 7 archive, 8 index, 9 embedding model, 10 missing extra, "
    "130 interrupted, 141 nobody reads.",
)


def _version(wanted: bool) -> None:
    if wanted:
        from ricordo.version import __version__

        typer.echo(f"ricordo {__version__}")
        raise typer.Exit


@app.callback()
@accept_everywhere
def root(
    version: Annotated[
        bool,
        typer.Option(
            "--version", "-V", help="Say the version.", callback=_version, is_eager=True, expose_value=False
        ),
    ] = False,
) -> None:
    """A memory for AI agents and the people who work with them.

    Answers are tables at a terminal and JSON everywhere else; notes, progress and errors go to
    stderr. Settings come from options, then RICORDO_<NAME> in the environment, then a YAML file
    (--config, or RICORDO_CONFIG), then defaults. A time without a zone is taken in your local zone.
    """


def run(arguments: Sequence[str]) -> int:
    """Run a command; answers its exit code."""
    tolerant()
    try:
        app(args=list(arguments), prog_name="ricordo")
    except SystemExit as end:
        if isinstance(end.code, str):
            sys.stderr.write(f"{end.code}\n")
            return 1
        return end.code or 0
    except RicordoError as error:  # of a command that another part of the program brings
        Screen().fail(error)
        return rendering(error).exit_code
    return 0
