"""`ricordo remember`."""

from __future__ import annotations

from typing import Annotated

import typer

from ricordo.surfaces.cli import fact_options
from ricordo.surfaces.cli.input import typed
from ricordo.surfaces.cli.invocation import Call, command, single

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
    domain: fact_options.Domain = None,
    topic: fact_options.Topic = None,
    type: fact_options.Type = None,
    confidence: fact_options.Confidence = None,
    veracity: fact_options.Veracity = None,
    tag: fact_options.Tags = None,
    source: fact_options.Sources = None,
    agent: fact_options.Agent = None,
    role: fact_options.Role = None,
    valid_from: fact_options.ValidFrom = None,
    valid_until: fact_options.ValidUntil = None,
) -> None:
    """Keep one statement.

    It becomes a fact and is found from now on. A text that begins with a dash is given after '--'.
    """
    fields = fact_options.fact_fields(
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
