"""Options that every command takes, before or after its name."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Annotated, Any

import typer

HEADING = "Everywhere"
"""Section of the help that these options stand in."""


@dataclass(frozen=True)
class Everywhere:
    """What was given; None where it was not.

    Attributes:
        path: The archive's file.
        workspace, language, embedder: As in `Settings`.
        config: A YAML file with settings.
        json: True for JSON, False for tables.
        quiet: Neither notes nor progress.
    """

    path: Path | None = None
    workspace: str | None = None
    language: str | None = None
    embedder: str | None = None
    config: Path | None = None
    json: bool | None = None
    quiet: bool | None = None

    def updated(self, given: dict[str, Any]) -> Everywhere:
        """With the values that were given nearer to the command."""
        return replace(self, **{name: value for name, value in given.items() if value is not None})


def languages() -> list[str]:
    """Names for completion."""
    from ricordo.records.workspace import Language

    return [str(language) for language in Language]


def embedders() -> list[str]:
    """Names for completion."""
    from ricordo.settings import EmbedderChoice

    return [str(choice) for choice in EmbedderChoice]


OPTIONS: dict[str, Any] = {
    "path": Annotated[
        Path | None,
        typer.Option("--path", metavar="FILE", help="The archive's file; by default in your data folder."),
    ],
    "workspace": Annotated[
        str | None, typer.Option("--workspace", metavar="NAME", help="The workspace that is used.")
    ],
    "language": Annotated[
        str | None,
        typer.Option(
            "--language",
            metavar="en|it",
            help="Language of a workspace that is made now.",
            autocompletion=languages,
        ),
    ],
    "embedder": Annotated[
        str | None,
        typer.Option(
            "--embedder",
            metavar="NAME",
            help="Embedding model: auto, bundled, http, fastembed, none.",
            autocompletion=embedders,
        ),
    ],
    "config": Annotated[
        Path | None, typer.Option("--config", "-c", metavar="FILE", help="YAML file with settings.")
    ],
    "json": Annotated[
        bool | None,
        typer.Option("--json/--no-json", help="JSON, or tables, wherever stdout goes.", show_default=False),
    ],
    "quiet": Annotated[
        bool | None, typer.Option("--quiet", "-q", help="No notes and no progress.", show_default=False)
    ],
}

NAMES = tuple(field.name for field in fields(Everywhere))
