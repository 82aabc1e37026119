"""`ricordo remember`."""

from __future__ import annotations

from typing import Annotated

import typer

from ricordo.surfaces.cli import statement
from ricordo.surfaces.cli.invocation import Call, command, single
from ricordo.surfaces.cli.reading import typed

app = single()


@command(
    app,
    "remember",
    example="ricordo remember 'Deploys happen on Tuesday mornings.' --domain ops --topic deploy\n"
    "git log -1 --format=%B | ricordo remember - --type event --tag release",
)
def remember(
    call: Call,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="The statement; '-' reads stdin.")],
    domain: statement.Domain = None,
    topic: statement.Topic = None,
    type: statement.Type = None,
    confidence: statement.Confidence = None,
    veracity: statement.Veracity = None,
    tag: statement.Tags = None,
    source: statement.Sources = None,
    agent: statement.Agent = None,
    role: statement.Role = None,
    valid_from: statement.ValidFrom = None,
    valid_until: statement.ValidUntil = None,
) -> None:
    """Keep one statement.

    It becomes a fact and is found from now on. A text that begins with a dash is given after '--'.
    """
    fields = statement.fact_fields(
        domain=domain,
        topic=topic,
        type=type,
        confidence=confidence,
        veracity=veracity,
        tag=tag,
        source=source,
        agent=agent,
        role=role,
        valid_from=valid_from,
        valid_until=valid_until,
    )
    content = typed(text)
    with call.memory(writes=True) as memory:
        receipt = call.ask(memory, "remember", content=content, **fields)
    from ricordo.surfaces.cli.rendering.records import show_receipt

    call.screen.answer(receipt, show_receipt)
