"""Making one card of two, and undoing it."""

from __future__ import annotations

from typing import Annotated

import typer

from ricordo.surfaces.cli import shared_options
from ricordo.surfaces.cli.commands.memory.app import CARD, OTHER, app
from ricordo.surfaces.cli.input import changes as changed
from ricordo.surfaces.cli.invocation import Call, command


@command(
    app,
    "merge",
    example=f"ricordo memory merge {CARD} {OTHER} --kept-revision 1 --merged-revision 1 --yes",
)
def merge_cards(
    call: Call,
    kept: Annotated[str, typer.Argument(metavar="KEPT", help="Id of the card that stays.")],
    merged: Annotated[str, typer.Argument(metavar="MERGED", help="Id of the card that goes into it.")],
    kept_revision: Annotated[
        int, typer.Option("--kept-revision", metavar="N", help="The revision of KEPT that you have seen.")
    ],
    merged_revision: Annotated[
        int, typer.Option("--merged-revision", metavar="N", help="The revision of MERGED that you have seen.")
    ],
    data: Annotated[
        str | None,
        typer.Option("--data", metavar="FILE", help="JSON object of new texts of KEPT; '-' is stdin."),
    ] = None,
    reason: shared_options.Reason = None,
    yes: shared_options.Yes = False,
) -> None:
    """Put one card into another.

    Concepts, dependencies and links of both are united; the texts stay those of KEPT, except what
    --data names. Links to MERGED lead to KEPT. `ricordo memory undo-merge` takes it back.
    """
    texts = None if data is None else changed({}, clear=None, data=data)
    with call.memory() as memory:
        stays, goes = (call.ask(memory, "get_card", card_id=card_id) for card_id in (kept, merged))
        question = f"Put the card '{goes.title[:60]}' into '{stays.title[:60]}'?"
        call.screen.confirm(question, yes=yes, what="Merging")
        answer = call.ask(
            memory,
            "merge_cards",
            kept=kept,
            merged=merged,
            kept_revision=kept_revision,
            merged_revision=merged_revision,
            changes=texts,
            reason=reason,
        )
    from ricordo.surfaces.cli.rendering.cards import show_merge

    call.screen.answer(answer, show_merge)


@command(app, "undo-merge", example="ricordo memory undo-merge merge-0195d2b0-6e30-7c74-8f21-5dac8e402169")
def undo_merge(
    call: Call, merge_id: Annotated[str, typer.Argument(metavar="MERGE", help="Id of the merge.")]
) -> None:
    """Take a merge back.

    Both cards are as they were, as new revisions.
    """
    with call.memory() as memory:
        undone = call.ask(memory, "undo_merge", merge_id=merge_id)
    from ricordo.surfaces.cli.rendering.cards import show_undone

    call.screen.answer(undone, show_undone)


@command(app, "merges", example="ricordo memory merges")
def list_merges(call: Call, limit: shared_options.Limit = 50, cursor: shared_options.Cursor = None) -> None:
    """List merges of cards, newest first.

    Also those that were undone.
    """
    with call.memory() as memory:
        page = call.ask(memory, "list_merges", limit=limit, cursor=cursor)
    from ricordo.surfaces.cli.rendering.cards import show_merges

    call.screen.answer(page, show_merges)
