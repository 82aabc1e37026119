"""`ricordo facts`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from ricordo.errors import InvalidInput
from ricordo.surfaces.cli import options, statement
from ricordo.surfaces.cli.changing import changes
from ricordo.surfaces.cli.confirming import confirm
from ricordo.surfaces.cli.invocation import Call, command, group
from ricordo.surfaces.cli.moments import moment
from ricordo.surfaces.cli.reading import read_records, typed, typed_or_none

if TYPE_CHECKING:
    from ricordo.memory import Memory

app = group(
    "facts",
    "Statements with their domain, topic and source.",
    example="ricordo facts list --domain billing",
)

FactId = Annotated[str, typer.Argument(metavar="FACT", help="Its id.")]


@command(
    app,
    "add",
    example="ricordo facts add 'The invoice number is unique per year.' --domain billing --topic invoices\n"
    "ricordo facts add --data facts.jsonl",
)
def add_fact(
    call: Call,
    text: Annotated[
        str | None, typer.Argument(metavar="TEXT", help="The statement; '-' reads stdin.")
    ] = None,
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
    data: options.Data = None,
    defer: options.Defer = False,
) -> None:
    """Add a fact with its domain, topic and source.

    With --data one or many, all or none.
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
    if (text is None) == (data is None):
        raise InvalidInput("Give either TEXT or --data.", field="--data")
    if data is not None and fields:
        raise InvalidInput("With --data, everything about a fact stands in the data.", field="--data")
    read = {"content": typed(text), **fields} if text is not None else read_records(str(data))
    with call.memory(writes=True) as memory:
        _add(call, memory, read, defer=defer)


def _add(call: Call, memory: Memory, facts: Any, *, defer: bool) -> None:
    from ricordo.operations import Receipts
    from ricordo.surfaces.cli.rendering.records import show_receipt, show_receipts
    from ricordo.surfaces.cli.settling import settled, waiting

    if isinstance(facts, list):
        before = waiting(memory)
        receipts = memory.facts.add_many(facts, defer=defer)
        if not defer:
            receipts = settled(memory, call.screen, receipts, before=before)
        call.screen.answer(Receipts(receipts=receipts), show_receipts)
    else:
        receipt = call.ask(memory, "add_fact", **{**facts, "defer": defer})
        call.screen.answer(receipt, show_receipt)


@command(app, "list", example="ricordo facts list --domain billing --tag verified")
def list_facts(
    call: Call,
    domain: options.Domain = None,
    topic: options.Topic = None,
    tag: options.Tags = None,
    since: options.Since = None,
    until: options.Until = None,
    limit: options.Limit = 50,
    cursor: options.Cursor = None,
) -> None:
    """List facts in the order in which they were recorded."""
    period = {"since": moment("--since", since), "until": moment("--until", until)}
    filters = {"domain": domain, "topic": topic, "tags": tuple(tag) if tag else None, **period}
    with call.memory() as memory:
        page = call.ask(memory, "list_facts", limit=limit, cursor=cursor, **filters)
    from ricordo.surfaces.cli.rendering.records import show_facts

    call.screen.answer(page, show_facts)


@command(app, "show", example="ricordo facts show fact-0195d2b0-4c1e-7a52-9d0f-3b8a6c2e1f47")
def show_fact(call: Call, fact_id: FactId) -> None:
    """Show one fact."""
    with call.memory() as memory:
        found = call.ask(memory, "get_fact", fact_id=fact_id)
    from ricordo.surfaces.cli.rendering.records import show_record

    call.screen.answer(found, show_record)


@command(
    app,
    "update",
    example="ricordo facts update fact-0195d2b0-4c1e-7a52-9d0f-3b8a6c2e1f47 --confidence 0.9"
    " --tag verified --revision 1",
)
def update_fact(
    call: Call,
    fact_id: FactId,
    content: Annotated[
        str | None, typer.Option("--content", metavar="TEXT", help="The statement; '-' reads stdin.")
    ] = None,
    domain: statement.Domain = None,
    topic: statement.Topic = None,
    type: statement.Type = None,
    confidence: statement.Confidence = None,
    veracity: statement.Veracity = None,
    tag: statement.Tags = None,
    source: statement.Sources = None,
    valid_from: statement.ValidFrom = None,
    valid_until: statement.ValidUntil = None,
    clear: options.Clear = None,
    data: options.Changes = None,
    revision: options.Revision = None,
    reason: options.Reason = None,
) -> None:
    """Change named fields of a fact; the others stay.

    Tags and sources are replaced as a whole.
    """
    given = statement.fact_fields(
        content=typed_or_none(content),
        domain=domain,
        topic=topic,
        type=type,
        confidence=confidence,
        veracity=veracity,
        tag=tag,
        source=source,
        valid_from=valid_from,
        valid_until=valid_until,
    )
    named = changes(given, clear=clear, data=data)
    with call.memory() as memory:
        receipt = call.ask(
            memory, "update_fact", fact_id=fact_id, changes=named, revision=revision, reason=reason
        )
    from ricordo.surfaces.cli.rendering.records import show_receipt

    call.screen.answer(receipt, show_receipt)


@command(app, "delete", example="ricordo facts delete fact-0195d2b0-4c1e-7a52-9d0f-3b8a6c2e1f47 --yes")
def delete_fact(call: Call, fact_id: FactId, yes: options.Yes = False) -> None:
    """Delete a fact."""
    with call.memory() as memory:
        found = call.ask(memory, "get_fact", fact_id=fact_id)
        confirm(f"Delete the fact '{found.content[:80]}'?", yes=yes)
        removal = call.ask(memory, "delete_fact", fact_id=fact_id)
    from ricordo.surfaces.cli.rendering.records import show_removal

    call.screen.answer(removal, show_removal)


@command(app, "history", example="ricordo facts history fact-0195d2b0-4c1e-7a52-9d0f-3b8a6c2e1f47")
def fact_history(
    call: Call, fact_id: FactId, limit: options.Limit = 50, cursor: options.Cursor = None
) -> None:
    """Show the revisions of a fact, newest first.

    Also those of a deleted one.
    """
    with call.memory() as memory:
        page = call.ask(memory, "fact_history", fact_id=fact_id, limit=limit, cursor=cursor)
    from ricordo.surfaces.cli.rendering.records import show_history

    call.screen.answer(page, show_history)
