"""Finding cards by what they are used for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from ricordo.errors import InvalidInput
from ricordo.surfaces.cli import card_options
from ricordo.surfaces.cli.commands.memory.app import CARD, app
from ricordo.surfaces.cli.input import typed
from ricordo.surfaces.cli.invocation import Call, command

if TYPE_CHECKING:
    from ricordo.records.recall import Recall

Asked = Annotated[
    str, typer.Argument(metavar="QUESTION", help="Any text, none of it query syntax; '-' reads stdin.")
]


def _find(call: Call, operation: str, question: str, filters: str | None, **more: Any) -> None:
    narrowed = card_options.finding_filters(filters)
    asked = typed(question)
    with call.memory() as memory:
        found: Recall = call.ask(memory, operation, question=asked, filters=narrowed, **more)
    from ricordo.surfaces.cli.rendering.recall import show_explained

    call.screen.answer(found, show_explained)


@command(
    app,
    "search",
    example="ricordo memory search 'how is churn counted?'\n"
    'ricordo memory search \'revenue\' --top 5 --filters \'{"database": "shop", "concepts": ["revenue"]}\'',
)
def search_cards(
    call: Call, question: Asked, filters: card_options.Filters = None, top: card_options.Top = 10
) -> None:
    """Find cards for a question.

    They are found by words, by meaning, and along the links between them. Each result says its rank
    by words and by meaning, its score and the path of links to it; the answer says what was left out
    and what was missing. Finding is never approving. Filters: family, scope, concepts, database,
    schema, table, column, since, until; they cannot leave the database and schema that the settings
    bind.
    """
    _find(call, "search_cards", question, filters, top=top)


@command(
    app,
    "solved-search",
    example="ricordo memory solved-search 'revenue by month'\n"
    "ricordo memory solved-search 'orders by country' --filters '{\"database\": \"shop\"}'",
)
def solved_search(
    call: Call, question: Asked, filters: card_options.Filters = None, top: card_options.Top = 10
) -> None:
    """Find solved questions like this one.

    They are examples to consult, never applied by themselves.
    """
    _find(call, "find_solved_questions", question, filters, top=top)


@command(
    app,
    "rules",
    example="ricordo memory rules 'revenue by month'\n"
    'ricordo memory rules \'revenue by month\' --filters \'{"database": "shop", "table": "orders"}\'',
)
def find_rules(
    call: Call, question: Asked, filters: card_options.Filters = None, top: card_options.Top = 10
) -> None:
    """Find rules for building the SQL of a question.

    Explained errors are among them.
    """
    _find(call, "find_rules", question, filters, top=top)


@command(
    app,
    "clarifications",
    example="ricordo memory clarifications 'how many active customers?'\n"
    f"ricordo memory clarifications 'how many active customers?' --decided {CARD}",
)
def find_clarifications(
    call: Call,
    question: Asked,
    filters: card_options.Filters = None,
    top: card_options.Top = 10,
    decided: Annotated[
        list[str] | None,
        typer.Option("--decided", metavar="CARD", help="Decided on already; may be repeated."),
    ] = None,
    session: Annotated[
        str | None, typer.Option("--session", metavar="ID", help="Comes with review; use --decided.")
    ] = None,
) -> None:
    """Find what the words of a question mean here.

    Cards that were decided on already are left out.
    """
    if session is not None:
        raise InvalidInput(
            "'--session': what a session has decided on is not kept yet; that comes with review.",
            cure="Name the cards that were decided on with --decided.",
            field="--session",
        )
    _find(call, "find_clarifications", question, filters, top=top, decided=tuple(decided or ()))


@command(app, "similar", example=f"ricordo memory similar {CARD}")
def similar_cards(call: Call, card_id: card_options.CardId, top: card_options.Top = 5) -> None:
    """Show the cards that resemble a card most.

    Each comes with the evidence; what to do about it is your decision.
    """
    with call.memory() as memory:
        found = call.ask(memory, "list_similar_cards", card_id=card_id, top=top)
    from ricordo.surfaces.cli.rendering.cards import show_similar

    call.screen.answer(found, show_similar)
