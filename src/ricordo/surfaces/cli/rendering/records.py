"""Records, their history, receipts and removals."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from typing import Any

from rich.console import Console
from rich.text import Text

from ricordo.records.receipt import Outcome, Receipt, Removal
from ricordo.surfaces.cli.output import visible_line
from ricordo.surfaces.cli.rendering.tables import Column, show_ending, show_page, show_sheet
from ricordo.surfaces.cli.rendering.text import SEPARATOR, show_block
from ricordo.surfaces.cli.times import local

SHOWN_CHARS = 400
"""Signs of a text in a listing; `show` has all of it."""


def shortened(text: str) -> str:
    """The beginning of a text, on one line."""
    line = visible_line(text[: 2 * SHOWN_CHARS])
    return line if len(line) <= SHOWN_CHARS else f"{line[: SHOWN_CHARS - 1]}…"


SESSIONS = (
    Column("Session", lambda row: row.external_id or row.id, wide=True),
    Column("Name", lambda row: row.name, wide=True),
    Column("Project", lambda row: row.project),
    Column("Episodes", lambda row: row.episode_count or "0"),
    Column("Updated", lambda row: row.updated_at),
)

HISTORY = (
    Column("Revision", lambda row: row.revision),
    Column("Action", lambda row: row.action),
    Column("At", lambda row: row.at),
    Column("By", lambda row: row.actor),
    Column("Reason", lambda row: row.reason),
)

_STAMPS = {"id", "revision", "created_at", "updated_at", "created_by", "updated_by"}


def _changes(entries: Sequence[Any]) -> dict[tuple[int, str], str]:
    """What each revision of a page has changed; of the oldest one, all that it holds."""
    changed = {}
    for entry, before in zip_longest(entries, entries[1:]):
        earlier = {} if before is None else before.body
        named = {
            name: value
            for name, value in entry.body.items()
            if name not in _STAMPS and value != earlier.get(name) and (value or name in earlier)
        }
        changed[entry.revision, entry.action] = "; ".join(
            f"{name}: {_said(value)}" for name, value in named.items()
        )
    return changed


def _said(value: Any) -> Any:
    """A value of a record, with what is in it and without what is empty."""
    if isinstance(value, dict):
        return " ".join(f"{name} {_said(item)}" for name, item in value.items() if item not in (None, [], {}))
    return ", ".join(str(_said(item)) for item in value) if isinstance(value, list) else value


def show_sessions(console: Console, page: Any) -> None:
    """Write a page of sessions."""
    show_page(console, page, SESSIONS)


def show_episodes(console: Console, page: Any) -> None:
    """Write a page of episodes."""
    for episode in page.items:
        said = (str(episode.position), episode.speaker, local(episode.occurred_at), episode.id)
        text = shortened(episode.text)
        show_block(console, "", ((text, ""), (SEPARATOR.join(part for part in said if part), "cyan")))
    show_ending(console, page)


def show_facts(console: Console, page: Any) -> None:
    """Write a page of facts."""
    for fact in page.items:
        known = (
            f"{fact.domain} / {fact.topic}",
            f"sure {fact.confidence:g}",
            local(fact.recorded_at),
            fact.id,
        )
        text = shortened(fact.content)
        show_block(console, "", ((text, ""), (SEPARATOR.join(known), "cyan")))
    show_ending(console, page)


def show_history(console: Console, page: Any) -> None:
    """Write a page of revisions, with what each has changed."""
    changed = _changes(page.items)
    column = Column("Changed", lambda row: shortened(changed[row.revision, row.action]), wide=True)
    show_page(console, page, (*HISTORY, column))


def show_record(console: Console, record: Any) -> None:
    """Write one record."""
    show_sheet(console, record)


def show_receipt(console: Console, receipt: Receipt) -> None:
    """Write how far a write has come."""
    if not receipt.created and receipt.revision == 1:
        what = "is there already"
    elif receipt.outcome is Outcome.SEARCHABLE:
        what = "saved and searchable"
    else:
        what = "saved; its vector is pending"
    console.print(Text(f"{receipt.id}  {what} (revision {receipt.revision})"), soft_wrap=True)
    if receipt.note:
        console.print(Text(visible_line(receipt.note), style="dim"), soft_wrap=True)


def show_receipts(console: Console, answer: Any) -> None:
    """Write how far a write of many has come."""
    receipts: Sequence[Receipt] = answer.receipts
    known = sum(not receipt.created for receipt in receipts)
    pending = sum(receipt.outcome is Outcome.INDEX_PENDING for receipt in receipts)
    line = f"{len(receipts) - known} saved, {known} were there already, {pending} with vectors pending"
    console.print(Text(line), soft_wrap=True)


def show_retried(console: Console, answer: Any) -> None:
    """Write what a retry of pending work has come to, record by record."""
    if not answer.receipts:
        console.print(Text("Nothing is pending."))
    for receipt in answer.receipts:
        show_receipt(console, receipt)


def show_removal(console: Console, removal: Removal) -> None:
    """Write what a deletion has removed."""
    parts = [f"{count} {kind}{'' if count == 1 else 's'}" for kind, count in removal.removed.items() if count]
    console.print(Text(f"{removal.id}  deleted: {', '.join(parts)}"), soft_wrap=True)
