"""What a card has beside its row: its sets, dependencies and links."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlalchemy import Connection, delete, select

from ricordo.archive.sql import card_sets, statements
from ricordo.archive.sql.chunks import chunks
from ricordo.archive.sql.insertion import insert_rows
from ricordo.archive.tables import card_dependencies, card_links, cards
from ricordo.records.base import Record
from ricordo.records.card import Card
from ricordo.records.physical import LEVELS, place_of


def links_of(connection: Connection, nums: Sequence[int]) -> dict[int, list[tuple[str, str]]]:
    """(target id, meaning) of the links of each card, in order."""
    found: dict[int, list[tuple[str, str]]] = {}
    for part in chunks(nums):
        rows = statements.links_of_cards().rows(connection, nums=statements.listed(part))
        for source, target, meaning in rows:
            found.setdefault(source, []).append((target, meaning))
    return found


def describe(connection: Connection, workspace_num: int, saved: Sequence[tuple[int, Record]]) -> None:
    """Insert sets, dependencies and links of new cards."""
    known = _cards(saved)
    card_sets.change(connection, workspace_num, entering=known)
    _depend_and_link(connection, workspace_num, known)


def _cards(saved: Iterable[tuple[int, Record]]) -> list[tuple[int, Card]]:
    return [(num, record) for num, record in saved if isinstance(record, Card)]


def _depend_and_link(connection: Connection, workspace_num: int, known: Sequence[tuple[int, Card]]) -> None:
    dependencies = []
    for num, card in known:
        for place, dependency in enumerate(card.dependencies):
            levels = place_of(dependency)
            row = {f"{level}_fold": levels.get(level) for level in LEVELS}
            dependencies.append({"workspace_num": workspace_num, "card_num": num, "place": place, **row})
    insert_rows(connection, card_dependencies, dependencies)
    _link(connection, workspace_num, known)


def _link(connection: Connection, workspace_num: int, saved: Sequence[tuple[int, Card]]) -> None:
    wanted = sorted({link.target for _, card in saved for link in card.links})
    if not wanted:
        return
    nums = nums_of(connection, workspace_num, wanted)
    insert_rows(
        connection,
        card_links,
        [
            {
                "workspace_num": workspace_num,
                "source_num": num,
                "target_num": nums[link.target],
                "meaning": link.meaning,
            }
            for num, card in saved
            for link in card.links
        ],
    )


def nums_of(connection: Connection, workspace_num: int, ids: Sequence[str]) -> dict[str, int]:
    """Numbers of the cards with these ids that exist."""
    found: dict[str, int] = {}
    for part in chunks(ids):
        mine = (cards.c.workspace_num == workspace_num, cards.c.id.in_(part))
        rows = connection.execute(select(cards.c.id, cards.c.num).where(*mine)).all()
        found.update((str(name), int(num)) for name, num in rows)
    return found


def revise(connection: Connection, workspace_num: int, num: int, before: Record, after: Record) -> None:
    """Put what a revised card has in the place of what it had."""
    old, new = _cards([(num, before)]), _cards([(num, after)])
    card_sets.change(connection, workspace_num, leaving=old, entering=new)
    _forget(connection, [num], incoming=False)
    _depend_and_link(connection, workspace_num, new)


def forget(connection: Connection, workspace_num: int, stored: Iterable[tuple[int, Record]]) -> None:
    """Remove what deleted cards had, and the links to them."""
    known = _cards(stored)
    card_sets.change(connection, workspace_num, leaving=known)
    _forget(connection, [num for num, _ in known], incoming=True)


def _forget(connection: Connection, nums: Iterable[int], *, incoming: bool) -> None:
    for part in chunks(nums):
        connection.execute(delete(card_dependencies).where(card_dependencies.c.card_num.in_(part)))
        connection.execute(delete(card_links).where(card_links.c.source_num.in_(part)))
        if incoming:
            connection.execute(delete(card_links).where(card_links.c.target_num.in_(part)))
