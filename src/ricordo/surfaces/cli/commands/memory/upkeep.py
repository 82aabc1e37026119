"""Pending index work of cards."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from ricordo.surfaces.cli import shared_options
from ricordo.surfaces.cli.commands.index import index
from ricordo.surfaces.cli.commands.memory.app import CARD, app
from ricordo.surfaces.cli.invocation import Call, command

if TYPE_CHECKING:
    from ricordo.memory import Memory


@command(app, "pending", example="ricordo memory pending")
def pending_cards(call: Call, limit: shared_options.Limit = 50, cursor: shared_options.Cursor = None) -> None:
    """List pending index work of cards, oldest first."""
    with call.memory() as memory:
        page = call.ask(memory, "list_pending_cards", limit=limit, cursor=cursor)
    from ricordo.surfaces.cli.rendering.upkeep import show_pending_page

    call.screen.answer(page, show_pending_page)


@command(app, "retry", example=f"ricordo memory retry\nricordo memory retry {CARD}")
def retry_cards(
    call: Call,
    card_id: Annotated[
        str | None, typer.Argument(metavar="CARD", help="Id of one card; all that wait if omitted.")
    ] = None,
) -> None:
    """Do pending index work of cards now.

    It starts from what the archive holds now: it brings back neither an earlier text nor a deleted card.
    """
    from ricordo.operations import Receipts
    from ricordo.surfaces.cli.rendering.records import show_receipt, show_retried

    with call.memory() as memory:
        if card_id is not None:
            call.screen.answer(call.ask(memory, "retry_card", card_id=card_id), show_receipt)
            return
        receipts = tuple(call.ask(memory, "retry_card", card_id=waiting) for waiting in _waiting(memory))
    call.screen.answer(Receipts(receipts=receipts), show_retried)


def _waiting(memory: Memory) -> list[str]:
    """Ids of the cards that have pending work."""
    found: dict[str, None] = {}
    cursor: str | None = None
    while True:
        page = memory.cards.pending(limit=1000, cursor=cursor)
        found.update(dict.fromkeys(item.id for item in page.items if item.id))
        cursor = page.next_cursor
        if cursor is None:
            return list(found)


command(app, "index", example="ricordo memory index\nricordo memory index --full -c team.yaml")(index)
