"""Listing, reading and changing cards."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from ricordo.errors import InvalidInput
from ricordo.surfaces.cli import card_options, shared_options
from ricordo.surfaces.cli.commands.memory.app import CARD, OTHER, app
from ricordo.surfaces.cli.input import changes, read_data
from ricordo.surfaces.cli.invocation import Call, command


def sorts() -> list[str]:
    """Names for completion."""
    from ricordo.records.card import CardSort

    return [str(name) for name in CardSort]


@command(
    app,
    "list",
    example="ricordo memory list --sort updated --descending\n"
    'ricordo memory list --filters \'{"family": "sql_rule", "database": "shop", "table": "orders"}\'\n'
    "ricordo memory list --text 'active customer'",
)
def list_cards(
    call: Call,
    filters: card_options.Filters = None,
    text: Annotated[
        str | None, typer.Option("--text", metavar="WORDS", help="Words that all occur in it, or an id.")
    ] = None,
    sort: Annotated[
        str,
        typer.Option("--sort", metavar="NAME", help="created, updated or title.", autocompletion=sorts),
    ] = "created",
    descending: Annotated[
        bool, typer.Option("--descending", help="The other way round.", show_default=False)
    ] = False,
    limit: shared_options.Limit = 50,
    cursor: shared_options.Cursor = None,
) -> None:
    """List cards, filtered and sorted.

    It needs no model. Filters: text, family, concepts (all of them), scope, origin, updated_from,
    updated_until, database, schema, table, column (one dependency has all of these).
    """
    narrowed = card_options.listing_filters(filters)
    if text is not None:
        narrowed["text"] = text
    with call.memory() as memory:
        page = call.ask(
            memory, "list_cards", **narrowed, sort=sort, descending=descending, limit=limit, cursor=cursor
        )
    from ricordo.surfaces.cli.rendering.cards import show_cards

    call.screen.answer(page, show_cards)


@command(app, "show", example=f"ricordo memory show {CARD}")
def show_card(call: Call, card_id: card_options.CardId) -> None:
    """Show one card."""
    with call.memory() as memory:
        found = call.ask(memory, "get_card", card_id=card_id)
    from ricordo.surfaces.cli.rendering.cards import show_card as show

    call.screen.answer(found, show)


@command(
    app,
    "create",
    example="ricordo memory create --family domain_clarification --title 'Active customer'"
    " --content 'At least one paid order in the last 90 days.' --concept customer"
    " --depends database=shop,table=orders\n"
    "ricordo memory create --family solved_question --title 'Revenue by month'"
    " --question 'How much did we earn each month?' --sql 'SELECT ...'\n"
    'echo \'{"family": "sql_rule", "title": "Soft deletes", "content": "Filter on deleted_at."}\''
    " | ricordo memory create --data -",
)
def create_card(
    call: Call,
    family: card_options.Family = None,
    title: card_options.Title = None,
    content: card_options.Content = None,
    question: card_options.Question = None,
    sql: card_options.Sql = None,
    context: card_options.Context = None,
    rationale: card_options.Rationale = None,
    scope: card_options.Scope = None,
    concept: card_options.Concepts = None,
    depends: card_options.Depends = None,
    link: card_options.Links = None,
    data: Annotated[
        str | None, typer.Option("--data", metavar="FILE", help="JSON object of all fields; '-' is stdin.")
    ] = None,
    defer: shared_options.Defer = False,
) -> None:
    """Make a card.

    The receipt shows existing cards that resemble it, with the evidence; `ricordo memory merge`
    makes one of two. A database alone in --depends, or one with its
    table, stands for all below it.
    """
    fields = card_options.card_fields(
        family=family,
        title=title,
        content=content,
        question=question,
        sql=sql,
        context=context,
        rationale=rationale,
        scope=scope,
        concept=concept,
        depends=depends,
        link=link,
    )
    if data is not None:
        if fields:
            raise InvalidInput("With --data, everything about a card stands in the data.", field="--data")
        fields = _one(read_data(data))
    with call.memory(writes=True) as memory:
        receipt = call.ask(memory, "create_card", **{**fields, "defer": defer})
    from ricordo.surfaces.cli.rendering.cards import show_card_receipt

    call.screen.answer(receipt, show_card_receipt)


def _one(read: Any) -> dict[str, Any]:
    if isinstance(read, list) and len(read) == 1:
        read = read[0]
    if not isinstance(read, dict):
        raise InvalidInput(
            "'--data': must be the JSON object of one card.",
            cure="`ricordo memory import` takes many.",
            field="--data",
        )
    return read


@command(
    app,
    "update",
    example=f"ricordo memory update {CARD} --revision 1 --content 'At least one paid order in 60 days.'"
    " --reason 'decided in March'\n"
    f"ricordo memory update {CARD} --revision 2 --clear rationale --link {OTHER}=refines",
)
def update_card(
    call: Call,
    card_id: card_options.CardId,
    revision: card_options.Seen,
    family: card_options.Family = None,
    title: card_options.Title = None,
    content: card_options.Content = None,
    question: card_options.Question = None,
    sql: card_options.Sql = None,
    context: card_options.Context = None,
    rationale: card_options.Rationale = None,
    scope: card_options.Scope = None,
    concept: card_options.Concepts = None,
    depends: card_options.Depends = None,
    link: card_options.Links = None,
    clear: shared_options.Clear = None,
    data: shared_options.Changes = None,
    reason: shared_options.Reason = None,
    defer: shared_options.Defer = False,
) -> None:
    """Change named fields of a card; the others stay.

    Concepts, dependencies and links are replaced as a whole. A card that has changed since
    --revision is not touched.
    """
    given = card_options.card_fields(
        family=family,
        title=title,
        content=content,
        question=question,
        sql=sql,
        context=context,
        rationale=rationale,
        scope=scope,
        concept=concept,
        depends=depends,
        link=link,
    )
    named = changes(given, clear=clear, data=data)
    with call.memory() as memory:
        receipt = call.ask(
            memory,
            "update_card",
            card_id=card_id,
            changes=named,
            revision=revision,
            reason=reason,
            defer=defer,
        )
    from ricordo.surfaces.cli.rendering.cards import show_card_receipt

    call.screen.answer(receipt, show_card_receipt)


@command(app, "delete", example=f"ricordo memory delete {CARD} --yes")
def delete_card(
    call: Call,
    card_id: card_options.CardId,
    revision: shared_options.Revision = None,
    yes: shared_options.Yes = False,
) -> None:
    """Delete a card with its links.

    Other cards stay, and so does its history: `ricordo memory restore` brings it back.
    """
    with call.memory() as memory:
        found = call.ask(memory, "get_card", card_id=card_id)
        call.screen.confirm(f"Delete the card '{found.title[:80]}'?", yes=yes)
        removal = call.ask(memory, "delete_card", card_id=card_id, revision=revision)
    from ricordo.surfaces.cli.rendering.records import show_removal

    call.screen.answer(removal, show_removal)
