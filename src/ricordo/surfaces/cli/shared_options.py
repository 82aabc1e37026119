"""Options of several commands: those that every command takes, before or after its name, and the others."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Annotated, Any

import typer

GLOBAL_HEADING = "Everywhere"
"""Section of the help that these options stand in."""


@dataclass(frozen=True)
class GlobalOptions:
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

    def updated(self, given: dict[str, Any]) -> GlobalOptions:
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


GLOBAL_OPTIONS: dict[str, Any] = {
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

GLOBAL_NAMES = tuple(field.name for field in fields(GlobalOptions))


TIME = "2025-03-01 or 2025-03-01T14:30; without a zone: your local time"

Limit = Annotated[int, typer.Option("--limit", metavar="N", help="Most items of the page, 1 to 1000.")]
Cursor = Annotated[
    str | None, typer.Option("--cursor", metavar="TEXT", help="`next_cursor` of the page before.")
]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.", show_default=False)]
Revision = Annotated[
    int | None, typer.Option("--revision", metavar="N", help="The revision that the change was made from.")
]
Reason = Annotated[str | None, typer.Option("--reason", metavar="TEXT", help="Stands in the history.")]
Clear = Annotated[
    list[str] | None, typer.Option("--clear", metavar="FIELD", help="Empty this field; may be repeated.")
]
Metadata = Annotated[
    str | None, typer.Option("--metadata", metavar="JSON", help="A JSON object of your own.")
]
Data = Annotated[
    str | None,
    typer.Option("--data", metavar="FILE", help="JSON of one or many, or JSON lines; '-' is stdin."),
]
Changes = Annotated[
    str | None,
    typer.Option("--data", metavar="FILE", help="JSON object of changed fields; '-' is stdin."),
]
Defer = Annotated[bool, typer.Option("--defer", help="Leave the vectors to later.", show_default=False)]
Session = Annotated[
    str | None, typer.Option("--session", metavar="ID", help="Only this session; id or external id.")
]
Project = Annotated[str | None, typer.Option("--project", metavar="NAME", help="Only this project.")]
Speaker = Annotated[str | None, typer.Option("--speaker", metavar="NAME", help="Only what this one said.")]
Domain = Annotated[str | None, typer.Option("--domain", metavar="NAME", help="Only facts of this domain.")]
Topic = Annotated[str | None, typer.Option("--topic", metavar="NAME", help="Only facts of this topic.")]
Tags = Annotated[
    list[str] | None,
    typer.Option("--tag", metavar="NAME", help="Only facts with this tag; repeated: with all of them."),
]
Since = Annotated[
    str | None, typer.Option("--since", metavar="TIME", help=f"Not earlier than this ({TIME}).")
]
Until = Annotated[str | None, typer.Option("--until", metavar="TIME", help=f"Earlier than this ({TIME}).")]
