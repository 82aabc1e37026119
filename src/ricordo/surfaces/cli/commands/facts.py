"""`ricordo facts`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from ricordo.errors import InvalidInput
from ricordo.surfaces.cli import fact_options, shared_options
from ricordo.surfaces.cli.input import changes, read_records, typed, typed_or_none
from ricordo.surfaces.cli.invocation import Call, command, group
from ricordo.surfaces.cli.times import moment

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
    data: shared_options.Data = None,
    defer: shared_options.Defer = False,
) -> None:
    """Add a fact with its domain, topic and source.

    With --data one or many, all or none.
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
    if (text is None) == (data is None):
        raise InvalidInput("Give either TEXT or --data.", field="--data")
    if data is not None and fields:
        raise InvalidInput("With --data, everything about a fact stands in the data.", field="--data")
    read = {"content": typed(text), **fields} if text is not None else read_records(str(data))
    with call.memory(writes=True) as memory:
        _add(call, memory, read, defer=defer)


def _add(call: Call, memory: Memory, facts: Any, *, defer: bool) -> None:
    from ricordo.surfaces.cli.drain import answer_many
    from ricordo.surfaces.cli.rendering.records import show_receipt

    if isinstance(facts, list):
        answer_many(call.screen, memory, lambda: memory.facts.add_many(facts, defer=defer), defer=defer)
    else:
        receipt = call.ask(memory, "add_fact", **{**facts, "defer": defer})
        call.screen.answer(receipt, show_receipt)


@command(app, "list", example="ricordo facts list --domain billing --tag verified")
def list_facts(
    call: Call,
    domain: shared_options.Domain = None,
    topic: shared_options.Topic = None,
    tag: shared_options.Tags = None,
    since: shared_options.Since = None,
    until: shared_options.Until = None,
    limit: shared_options.Limit = 50,
    cursor: shared_options.Cursor = None,
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
    domain: fact_options.Domain = None,
    topic: fact_options.Topic = None,
    type: fact_options.Type = None,
    confidence: fact_options.Confidence = None,
    veracity: fact_options.Veracity = None,
    tag: fact_options.Tags = None,
    source: fact_options.Sources = None,
    valid_from: fact_options.ValidFrom = None,
    valid_until: fact_options.ValidUntil = None,
    clear: shared_options.Clear = None,
    data: shared_options.Changes = None,
    revision: shared_options.Revision = None,
    reason: shared_options.Reason = None,
) -> None:
    """Change named fields of a fact; the others stay.

    Tags and sources are replaced as a whole.
    """
    given = fact_options.fact_fields(
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
def delete_fact(call: Call, fact_id: FactId, yes: shared_options.Yes = False) -> None:
    """Delete a fact."""
    with call.memory() as memory:
        found = call.ask(memory, "get_fact", fact_id=fact_id)
        call.screen.confirm(f"Delete the fact '{found.content[:80]}'?", yes=yes)
        removal = call.ask(memory, "delete_fact", fact_id=fact_id)
    from ricordo.surfaces.cli.rendering.records import show_removal

    call.screen.answer(removal, show_removal)


@command(app, "history", example="ricordo facts history fact-0195d2b0-4c1e-7a52-9d0f-3b8a6c2e1f47")
def fact_history(
    call: Call, fact_id: FactId, limit: shared_options.Limit = 50, cursor: shared_options.Cursor = None
) -> None:
    """Show the revisions of a fact, newest first.

    Also those of a deleted one.
    """
    with call.memory() as memory:
        page = call.ask(memory, "fact_history", fact_id=fact_id, limit=limit, cursor=cursor)
    from ricordo.surfaces.cli.rendering.records import show_history

    call.screen.answer(page, show_history)
