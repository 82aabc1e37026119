"""`ricordo recall`."""

from __future__ import annotations

from typing import Annotated

import typer

from ricordo.surfaces.cli import shared_options
from ricordo.surfaces.cli.input import typed
from ricordo.surfaces.cli.invocation import Call, command, single
from ricordo.surfaces.cli.times import moment

app = single()


def kinds() -> list[str]:
    """Names for completion."""
    return ["episode", "fact", "card"]


@command(
    app,
    "recall",
    example="ricordo recall 'when do we deploy?'\n"
    "ricordo recall 'what did Ada say about Rome?' --speaker Ada --since 2025-03-01 --neighbours 2\n"
    "ricordo recall 'quando si rilascia?' --kind fact --top 3 --explain",
)
def recall(
    call: Call,
    question: Annotated[
        str, typer.Argument(metavar="QUESTION", help="Any text, none of it query syntax; '-' reads stdin.")
    ],
    top: Annotated[int, typer.Option("--top", "-n", metavar="N", help="Most results, 1 to 100.")] = 10,
    kind: Annotated[
        list[str] | None,
        typer.Option(
            "--kind", metavar="NAME", help="episode, fact or card; may be repeated.", autocompletion=kinds
        ),
    ] = None,
    session: shared_options.Session = None,
    project: shared_options.Project = None,
    speaker: shared_options.Speaker = None,
    domain: shared_options.Domain = None,
    topic: shared_options.Topic = None,
    tag: shared_options.Tags = None,
    since: shared_options.Since = None,
    until: shared_options.Until = None,
    as_of: Annotated[
        str | None, typer.Option("--as-of", metavar="TIME", help=f"What held then ({shared_options.TIME}).")
    ] = None,
    neighbours: Annotated[
        int, typer.Option("--neighbours", metavar="N", help="Turns before and after each episode, 0 to 10.")
    ] = 0,
    explain: Annotated[
        bool, typer.Option("--explain", help="Say why each result is there.", show_default=False)
    ] = False,
) -> None:
    """Ask what is remembered.

    Every result comes with its source; where nothing is known, the answer says so. A question that
    begins with a dash is given after '--'. JSON always holds the reasons that --explain shows.
    """
    given = {
        "session": session,
        "project": project,
        "speaker": speaker,
        "domain": domain,
        "topic": topic,
        "tags": tuple(tag) if tag else None,
        "since": moment("--since", since),
        "until": moment("--until", until),
    }
    asked = typed(question)
    with call.memory() as memory:
        found = memory.recall(
            asked,
            top=top,
            kinds=kind or None,
            filters={name: value for name, value in given.items() if value is not None},
            as_of=moment("--as-of", as_of),
            neighbours=neighbours,
        )
    from ricordo.surfaces.cli.rendering.recall import show_explained, show_recall

    if not call.screen.as_json:
        for degradation in found.degraded:
            call.screen.note(degradation.message)
    call.screen.answer(found, show_explained if explain else show_recall)
