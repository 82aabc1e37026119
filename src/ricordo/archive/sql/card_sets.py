"""Which cards have what: for each value that a listing can ask for, the packed set of its cards.

A listing counts over the whole archive. Where each card of a value is a row, two values that most of
100,000 cards have take a tenth of a second to intersect; packed, less than a millisecond
(docs/decisions/0009-cards.md). A set lies in blocks of 8,192 numbers, each as rising 16-bit numbers or,
where that is shorter, as one bit a number, so that a write touches a kilobyte for each of its values.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt
from sqlalchemy import Connection, bindparam, delete, insert, select, update

from ricordo.archive.sql.chunks import chunks
from ricordo.archive.tables import card_sets
from ricordo.records.base import fold_name
from ricordo.records.card import Card, CardFilters
from ricordo.records.physical import LEVELS, SHAPES_OF_PLACES, place_of

BLOCK = 8_192
"""Numbers of a block."""

BITS_BYTES = BLOCK // 8
"""Length of a block of bits; one of numbers is always shorter."""

Nums = npt.NDArray[np.int64]
Bits = npt.NDArray[np.bool_]


def marks_of(card: Card) -> set[str]:
    """The sets that a card is in."""
    marks = {f"family={card.family}", f"origin={card.origin.kind}", f"scope={card.scope}"}
    marks |= {f"concept={fold_name(concept)}" for concept in card.concepts}
    for dependency in card.dependencies:
        place = place_of(dependency)
        marks |= {
            _place_mark({level: place[level] for level in shape})
            for shape in SHAPES_OF_PLACES
            if shape <= place.keys()
        }
    return marks


def marks_asked_for(filters: CardFilters) -> list[str]:
    """The sets whose common cards a listing is restricted to."""
    marks = [f"concept={fold_name(concept)}" for concept in filters.concepts]
    for name, value in (("family", filters.family), ("origin", filters.origin), ("scope", filters.scope)):
        if value is not None:
            marks.append(f"{name}={value}")
    place = place_of(filters)
    return [*marks, _place_mark(place)] if place else marks


def _place_mark(place: dict[str, str]) -> str:
    named = [place.get(level) for level in LEVELS]
    return f"place={json.dumps(named, ensure_ascii=False, separators=(',', ':'))}"


def common(connection: Connection, workspace_num: int, marks: Sequence[str]) -> Nums:
    """Numbers of the cards that are in all of the sets, rising."""
    held: dict[int, Bits] = {}
    for place, mark in enumerate(marks):
        mine = (card_sets.c.workspace_num == workspace_num, card_sets.c.mark == mark)
        rows = connection.execute(select(card_sets.c.block, card_sets.c.members).where(*mine))
        blocks = {int(block): _bits(members) for block, members in rows}
        if place:
            blocks = {block: held[block] & bits for block, bits in blocks.items() if block in held}
        held = blocks
    found = [
        np.flatnonzero(bits) + block * BLOCK for block, bits in sorted(held.items(), key=lambda item: item[0])
    ]
    return np.concatenate(found) if found else np.zeros(0, dtype=np.int64)


def _bits(members: bytes) -> Bits:
    if len(members) == BITS_BYTES:
        return np.unpackbits(np.frombuffer(members, dtype=np.uint8)).astype(np.bool_)
    bits = np.zeros(BLOCK, dtype=np.bool_)
    bits[np.frombuffer(members, dtype="<u2")] = True
    return bits


def _packed(bits: Bits) -> bytes:
    places = np.flatnonzero(bits)
    return places.astype("<u2").tobytes() if 2 * len(places) < BITS_BYTES else np.packbits(bits).tobytes()


Block = tuple[str, int]
"""A set and the place of one of its blocks."""


def change(
    connection: Connection,
    workspace_num: int,
    *,
    leaving: Iterable[tuple[int, Card]] = (),
    entering: Iterable[tuple[int, Card]] = (),
) -> None:
    """Take cards out of their sets and put cards into theirs."""
    out = {(mark, num) for num, card in leaving for mark in marks_of(card)}
    into = {(mark, num) for num, card in entering for mark in marks_of(card)}
    moves: dict[Block, dict[int, bool]] = {}
    for pairs, inside in ((out - into, False), (into - out, True)):
        for mark, num in pairs:
            moves.setdefault((mark, num // BLOCK), {})[num % BLOCK] = inside
    held = _held(connection, workspace_num, moves)
    rows: dict[Block, bytes] = {}
    for key, places in moves.items():
        bits = _bits(held.get(key, b""))
        bits[list(places)] = list(places.values())
        rows[key] = _packed(bits)
    _write(connection, workspace_num, rows, held.keys())


def _held(connection: Connection, workspace_num: int, wanted: Iterable[Block]) -> dict[Block, bytes]:
    by_block: dict[int, list[str]] = {}
    for mark, block in wanted:
        by_block.setdefault(block, []).append(mark)
    found: dict[Block, bytes] = {}
    for block, marks in by_block.items():
        for part in chunks(marks):
            mine = (card_sets.c.workspace_num == workspace_num, card_sets.c.block == block)
            statement = select(card_sets.c.mark, card_sets.c.members).where(*mine, card_sets.c.mark.in_(part))
            found.update(((mark, block), members) for mark, members in connection.execute(statement))
    return found


def _write(
    connection: Connection, workspace_num: int, rows: dict[Block, bytes], held: Iterable[Block]
) -> None:
    known = set(held)
    here = (card_sets.c.workspace_num == workspace_num,)
    this = (*here, card_sets.c.mark == bindparam("a_mark"), card_sets.c.block == bindparam("a_block"))
    empty = [{"a_mark": mark, "a_block": block} for mark, block in known if not rows[mark, block]]
    if empty:
        connection.execute(delete(card_sets).where(*this), empty)
    changed = [
        {"a_mark": mark, "a_block": block, "members": rows[mark, block]}
        for mark, block in known
        if rows[mark, block]
    ]
    if changed:
        connection.execute(update(card_sets).where(*this).values(members=bindparam("members")), changed)
    fresh = [
        {"workspace_num": workspace_num, "mark": mark, "block": block, "members": members}
        for (mark, block), members in sorted(rows.items())
        if (mark, block) not in known and members
    ]
    if fresh:
        connection.execute(insert(card_sets), fresh)
