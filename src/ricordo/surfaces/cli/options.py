"""Options that several commands share."""

from __future__ import annotations

from typing import Annotated

import typer

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
