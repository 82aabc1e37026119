"""Looking at revisions of a card, and going back to one."""

from __future__ import annotations

from typing import Annotated

import typer

from ricordo.surfaces.cli import card_options, shared_options
from ricordo.surfaces.cli.commands.memory.app import CARD, app
from ricordo.surfaces.cli.invocation import Call, command


@command(app, "history", example=f"ricordo memory history {CARD}")
def card_history(
    call: Call,
    card_id: card_options.CardId,
    limit: shared_options.Limit = 50,
    cursor: shared_options.Cursor = None,
) -> None:
    """Show the revisions of a card, newest first.

    Also those of a deleted one.
    """
    with call.memory() as memory:
        page = call.ask(memory, "card_history", card_id=card_id, limit=limit, cursor=cursor)
    from ricordo.surfaces.cli.rendering.records import show_history

    call.screen.answer(page, show_history)


@command(app, "compare", example=f"ricordo memory compare {CARD} 1 2")
def compare_card(
    call: Call,
    card_id: card_options.CardId,
    before: Annotated[int, typer.Argument(metavar="BEFORE", help="A revision.")],
    after: Annotated[int, typer.Argument(metavar="AFTER", help="Another one.")],
) -> None:
    """Show the fields that differ between two revisions of a card."""
    with call.memory() as memory:
        found = call.ask(memory, "compare_card", card_id=card_id, before=before, after=after)
    from ricordo.surfaces.cli.rendering.cards import show_comparison

    call.screen.answer(found, show_comparison)


@command(app, "restore", example=f"ricordo memory restore {CARD} 1 --reason 'the rule holds again'")
def restore_card(
    call: Call,
    card_id: card_options.CardId,
    revision: Annotated[int, typer.Argument(metavar="REVISION", help="The revision to go back to.")],
    seen: Annotated[
        int | None, typer.Option("--seen", metavar="N", help="The newest revision that you have seen.")
    ] = None,
    reason: shared_options.Reason = None,
) -> None:
    """Make an earlier revision of a card the newest one.

    A deleted card comes back with its id.
    """
    with call.memory() as memory:
        receipt = call.ask(
            memory, "restore_card", card_id=card_id, revision=revision, seen=seen, reason=reason
        )
    from ricordo.surfaces.cli.rendering.cards import show_card_receipt

    call.screen.answer(receipt, show_card_receipt)
