"""Cards, their receipts with look-alikes, comparisons and merges."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from rich.console import Console
from rich.text import Text

from ricordo.records.card import Card, CardReceipt, Comparison, Evidence, LookAlike, Origin, OriginKind
from ricordo.records.physical import qualified
from ricordo.surfaces.cli.output import visible_line
from ricordo.surfaces.cli.rendering.records import shortened, show_receipt
from ricordo.surfaces.cli.rendering.tables import (
    Column,
    plain,
    show_ending,
    show_sheet,
    show_table,
)
from ricordo.surfaces.cli.rendering.text import SEPARATOR, show_block
from ricordo.surfaces.cli.times import local

DIFFERENCES = (
    Column("Field", lambda row: row.field),
    Column("Before", lambda row: row.before, wide=True),
    Column("After", lambda row: row.after, wide=True),
)

SHOWN_LEFT_OUT = 20


def show_cards(console: Console, page: Any) -> None:
    """Write a page of cards."""
    for card in page.items:
        known = (card.family, card.scope, *card.concepts, *map(qualified, card.dependencies))
        about = (*known, local(card.updated_at), f"revision {card.revision}", card.id)
        said = card.question or card.content or ""
        lines = [(card.title, "bold"), (shortened(said), ""), (SEPARATOR.join(about), "cyan")]
        show_block(console, "", lines)
    show_ending(console, page)


def show_card(console: Console, card: Card) -> None:
    """Write one card."""
    values = {
        **dict(card),
        "dependencies": tuple(map(qualified, card.dependencies)),
        "links": "\n".join(f"{link.meaning}: {link.target}" for link in card.links),
        "origin": origin_line(card.origin),
    }
    first = ("id", "revision", "family", "title")
    show_sheet(console, {**{name: values[name] for name in first}, **values})


def origin_line(origin: Origin) -> str:
    """Where a card comes from."""
    if origin.kind is OriginKind.MANUAL:
        return f"written by {origin.author}"
    decisions = ", ".join(map(str, origin.decisions))
    return f"session {origin.session}, decisions {decisions}, reviewed by {origin.reviewer}"


def show_card_receipt(console: Console, receipt: CardReceipt) -> None:
    """Write how far a write has come, and which cards resemble this one."""
    show_receipt(console, receipt)
    _show_alike(console, receipt.look_alikes)


def show_similar(console: Console, answer: Any) -> None:
    """Write the cards that resemble one."""
    if not answer.items:
        console.print(Text("No card resembles it."))
    _show_alike(console, answer.items)


def _show_alike(console: Console, alike: Iterable[LookAlike]) -> None:
    for item in alike:
        what = SEPARATOR.join((str(item.family), item.id, f"revision {item.revision}"))
        reasons = SEPARATOR.join(evidence_of(item.evidence))
        lines = [(f"resembles: {visible_line(item.title)}", "yellow"), (what, "cyan"), (reasons, "dim")]
        show_block(console, "", lines)


def evidence_of(evidence: Evidence) -> Iterator[str]:
    """Why two cards seem to say the same, part by part."""
    if evidence.similarity is not None:
        yield f"similarity {evidence.similarity:.2f}"
    words = f": {', '.join(evidence.words)}" if evidence.words else ""
    yield visible_line(f"{evidence.shared_words:.0%} of the words{words}")
    if evidence.concepts:
        yield visible_line(f"concepts {', '.join(evidence.concepts)}")
    if evidence.dependencies:
        yield visible_line(f"both on {', '.join(evidence.dependencies)}")


def show_comparison(console: Console, comparison: Comparison) -> None:
    """Write what changed between two revisions."""
    if comparison.differences:
        show_table(console, DIFFERENCES, comparison.differences)
    else:
        console.print(Text("Nothing differs."))


def show_merge(console: Console, answer: Any) -> None:
    """Write what a merge has done."""
    merge = answer.merge
    console.print(Text(f"{merge.id}  {merge.merged} went into {merge.kept}"), soft_wrap=True)
    show_card_receipt(console, answer.receipt)


def show_undone(console: Console, answer: Any) -> None:
    """Write the receipts of both cards of a merge that was undone."""
    for receipt in answer.receipts:
        show_receipt(console, receipt)


def show_merges(console: Console, page: Any) -> None:
    """Write a page of merges."""
    for merge in page.items:
        undone = f"undone {local(merge.undone_at)}" if merge.undone_at else ""
        said = (merge.id, local(merge.at), merge.actor, merge.reason, undone)
        about = visible_line(SEPARATOR.join(part for part in said if part))
        show_block(console, "", [(f"{merge.merged} went into {merge.kept}", ""), (about, "cyan")])
    show_ending(console, page)


def show_card_import(console: Console, answer: Any) -> None:
    """Write what was brought in and what was left out, and why."""
    counts = ("read", "added", "known", "completed", "replaced", "conflicts", "broken", "links_left_out")
    show_sheet(console, {name: plain(answer[name]) for name in counts})
    for item in answer["left_out"][:SHOWN_LEFT_OUT]:
        place = SEPARATOR.join(part for part in (item["place"], item["id"]) if part)
        line = visible_line(f"left out {place}: {item['reason']}")
        console.print(Text(line, style="yellow"), soft_wrap=True)
    unsaid = answer["conflicts"] + answer["broken"] + answer["links_left_out"] - SHOWN_LEFT_OUT
    if unsaid > 0:
        console.print(Text(f"and {unsaid} more; --json names up to 100"))
    if answer["stopped"]:
        console.print(Text("Stopped; what was done is kept. The same command goes on from here."))
    if answer["pending"]:
        line = f"{answer['pending']} records wait for their vectors: ricordo pending drain"
        console.print(Text(line), soft_wrap=True)
