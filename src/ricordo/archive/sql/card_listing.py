"""The listing of cards: what it is restricted to, its orders, and no more rows read than it must.

What is asked for by value comes from packed sets (`card_sets`), counted before a row is read. Where few
cards are left, they are sorted; where many are, the order's index is walked until the page is full.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np
from sqlalchemy import ColumnElement, Connection, Select, func, or_, select

from ricordo.archive.sql import statements
from ricordo.archive.sql.card_sets import Nums, common, marks_asked_for
from ricordo.archive.tables import cards
from ricordo.errors import InvalidCursor
from ricordo.records.base import clean_text
from ricordo.records.card import CardFilters, CardSort
from ricordo.records.moment import from_micros, to_micros
from ricordo.records.page import decode_cursor, encode_cursor

SORT_COLUMNS = {
    CardSort.CREATED: cards.c.created_at,
    CardSort.UPDATED: cards.c.updated_at,
    CardSort.TITLE: cards.c.title_fold,
}

FEW = 2_000
"""So many rows are sorted faster than an ordered index is walked in search of them."""

STEP = 2_000
"""Rows of an index that are looked at in one go."""

FAR = 20_000
"""So far an index is walked before up to as many rows are sorted after all: they may all lie at its end."""

ID_PREFIX = "mem-"


def chosen(
    connection: Connection, workspace_num: int, filters: CardFilters, matching: Sequence[int] | None
) -> Nums | None:
    """Numbers of the cards that fulfil the filters, rising; None where all do.

    Args:
        connection: The archive's.
        workspace_num: The workspace.
        filters: Restrictions.
        matching: Numbers of the cards that hold the words of `filters.text`; None where no text is given.
    """
    held: list[Nums] = []
    marks = marks_asked_for(filters)
    if marks:
        held.append(common(connection, workspace_num, marks))
    if matching is not None:
        named = _begun(connection, workspace_num, filters.text or "")
        held.append(np.union1d(np.asarray(matching, dtype=np.int64), named))
    times = _times(filters)
    if times and all(map(len, held)):
        statement = select(cards.c.num).where(cards.c.workspace_num == workspace_num, *times)
        held.append(_numbers(connection, statement))
    if not held:
        return None
    found, *rest = sorted(held, key=len)
    for other in rest:
        found = np.intersect1d(found, other, assume_unique=True)
    return np.sort(found)


def _times(filters: CardFilters) -> list[ColumnElement[bool]]:
    found = []
    if filters.updated_from is not None:
        found.append(cards.c.updated_at >= filters.updated_from)
    if filters.updated_until is not None:
        found.append(cards.c.updated_at < filters.updated_until)
    return found


def _begun(connection: Connection, workspace_num: int, text: str) -> Nums:
    """The cards whose ids begin with the text, where it can be the beginning of one."""
    begun = clean_text(text.strip())
    if not begun.startswith(ID_PREFIX):
        return np.zeros(0, dtype=np.int64)
    within = (cards.c.id >= begun, cards.c.id < begun + "\U0010ffff")
    return _numbers(connection, select(cards.c.num).where(cards.c.workspace_num == workspace_num, *within))


def _numbers(connection: Connection, statement: Select[Any]) -> Nums:
    with connection.execute(statement) as rows:
        found = rows.cursor.fetchall()
    return np.fromiter(chain.from_iterable(found), dtype=np.int64, count=len(found))


def count(connection: Connection, workspace_num: int, nums: Nums | None) -> int:
    """How many cards the whole listing has."""
    if nums is not None:
        return len(nums)
    statement = select(func.count()).select_from(cards).where(cards.c.workspace_num == workspace_num)
    return int(connection.execute(statement).scalar_one())


def page(
    connection: Connection,
    workspace_num: int,
    filters: CardFilters,
    nums: Nums | None,
    *,
    sort: CardSort,
    descending: bool,
    limit: int,
    cursor: str | None,
) -> list[int]:
    """Numbers of the next cards of a listing, in its order.

    Args:
        connection: The archive's.
        workspace_num: The workspace.
        filters: Restrictions.
        nums: What `chosen` found for them.
        sort, descending, limit, cursor: Of the page.

    Raises:
        InvalidCursor: The cursor was made by a listing in another order.
    """
    beyond = _beyond(sort, cursor, descending=descending)
    if sort is CardSort.UPDATED:  # lets the walk begin where they do
        beyond += _times(filters)
    key = SORT_COLUMNS[sort]
    order = (key.desc(), cards.c.id.desc()) if descending else (key, cards.c.id)
    walk = select(cards.c.num).where(cards.c.workspace_num == workspace_num, *beyond).order_by(*order)
    if nums is None:
        return [int(row[0]) for row in connection.execute(walk.limit(limit))]
    found = None if len(nums) <= FEW else _walked(connection, walk, nums, limit)
    if found is None:
        listed = func.json_each(statements.listed(nums.tolist())).table_valued("value")
        few = select(cards.c.num).where(cards.c.num.in_(select(listed.c.value)), *beyond)
        found = [int(row[0]) for row in connection.execute(few.order_by(*order).limit(limit))]
    return found


def _walked(connection: Connection, walk: Select[Any], nums: Nums, limit: int) -> list[int] | None:
    """The first of the cards that a walk along an index meets; None where that leads too far."""
    inside = np.zeros(int(nums[-1]) + 1, dtype=np.bool_)
    inside[nums] = True
    found: list[int] = []
    passed = 0
    with connection.execute(walk) as rows:
        # The driver's own cursor: a row of SQLAlchemy costs more than its way through the index.
        while len(found) < limit and (part := rows.cursor.fetchmany(STEP)):
            if passed >= FAR >= len(nums):
                return None
            passed += len(part)
            met = np.fromiter(chain.from_iterable(part), dtype=np.int64, count=len(part))
            met = met[met < len(inside)]
            found += met[inside[met]].tolist()
    return found[:limit]


def _beyond(sort: CardSort, cursor: str | None, *, descending: bool) -> list[ColumnElement[bool]]:
    """What holds of the cards behind a cursor."""
    if cursor is None:
        return []
    key = SORT_COLUMNS[sort]
    after, after_id = position(sort, cursor, descending=descending)
    beyond = key < after if descending else key > after
    beyond_id = cards.c.id < after_id if descending else cards.c.id > after_id
    inclusive = key <= after if descending else key >= after
    # The first condition lets an index begin there; the second is exact.
    return [inclusive, or_(beyond, beyond_id)]


def _listing(sort: CardSort, descending: bool) -> str:
    return f"card:{sort}:{'desc' if descending else 'asc'}"


def position(sort: CardSort, cursor: str, *, descending: bool) -> tuple[Any, str]:
    """Where a cursor of this order stands: sort key and id.

    Raises:
        InvalidCursor: It was made by another listing.
    """
    shape = (str, str) if sort is CardSort.TITLE else (int, str)
    key, card_id = decode_cursor(_listing(sort, descending), cursor, shape)
    if isinstance(key, int):
        try:
            return from_micros(key), str(card_id)
        except OverflowError as error:
            raise InvalidCursor(cure="Start again without a cursor.") from error
    return key, str(card_id)


def cursor_behind(connection: Connection, num: int, sort: CardSort, *, descending: bool) -> str:
    """The cursor that stands behind a card."""
    statement = select(SORT_COLUMNS[sort], cards.c.id).where(cards.c.num == num)
    key, card_id = connection.execute(statement).one()
    value = key if isinstance(key, str) else to_micros(key)
    return encode_cursor(_listing(sort, descending), value, str(card_id))
