"""The root command: its options, and where each sub-command lives."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from ricordo.errors import RicordoError
from ricordo.surfaces.cli.invocation import accept_global_options
from ricordo.surfaces.cli.lazy_commands import LazyCommand, LazyCommands, LazyGroup
from ricordo.surfaces.cli.output import Screen, tolerant
from ricordo.surfaces.errors import rendering

PACKAGE = "ricordo.surfaces.cli.commands"

COMMANDS = LazyCommands(
    LazyCommand("init", f"{PACKAGE}.init", "Make an archive and a file with every setting."),
    LazyCommand("remember", f"{PACKAGE}.remember", "Keep one statement."),
    LazyCommand("recall", f"{PACKAGE}.recall", "Ask what is remembered."),
    LazyCommand("sessions", f"{PACKAGE}.sessions", "Conversations and runs that episodes belong to."),
    LazyCommand("episodes", f"{PACKAGE}.episodes", "What was said, turn by turn."),
    LazyCommand("facts", f"{PACKAGE}.facts", "Statements with their domain, topic and source."),
    LazyCommand(
        "memory", f"{PACKAGE}.memory", "Cards: reviewed knowledge that is reusable across questions."
    ),
    LazyCommand("import", f"{PACKAGE}.importing", "Bring in what other programs have kept."),
    LazyCommand(
        "pending", f"{PACKAGE}.pending", "Deferred work that is not done yet; without a command: list."
    ),
    LazyCommand("index", f"{PACKAGE}.index", "Make the search index from the archive again."),
    LazyCommand("verify", f"{PACKAGE}.verify", "Compare the index with the archive."),
    LazyCommand("doctor", f"{PACKAGE}.doctor", "Check archive, index, embedder, pending work, versions."),
    LazyCommand("status", f"{PACKAGE}.status", "Say what the workspace holds."),
    LazyCommand(
        "workspaces", f"{PACKAGE}.workspaces", "The archive's workspaces: each is a memory of its own."
    ),
    LazyCommand("serve", f"{PACKAGE}.serve", "Serve HTTP until Ctrl-C."),
    LazyCommand("mcp", f"{PACKAGE}.mcp", "Serve MCP over stdin and stdout."),
    LazyCommand("bench", "ricordo.bench.cli", "Measure quality and speed."),
    LazyCommand("demo", f"{PACKAGE}.demo", "Show what it does, with a sample conversation."),
)
"""Every sub-command, in the order of the help."""


class Root(LazyGroup):
    """The root command, whose sub-commands are loaded when they are named."""

    lazy = COMMANDS


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
@accept_global_options
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
