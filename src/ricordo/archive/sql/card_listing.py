"""The listing of cards: filters, orders, and statements that read no more rows than they must."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import ColumnElement, Select, and_, func, or_, select

from ricordo.archive.sql import statements
from ricordo.archive.tables import card_concepts, card_dependencies, cards
from ricordo.errors import InvalidCursor
from ricordo.records.base import clean_text, fold_name
from ricordo.records.card import CardFilters, CardSort
from ricordo.records.moment import from_micros, to_micros
from ricordo.records.page import decode_cursor, encode_cursor
from ricordo.records.physical import place_of

SORT_COLUMNS = {
    CardSort.CREATED: cards.c.created_at,
    CardSort.UPDATED: cards.c.updated_at,
    CardSort.TITLE: cards.c.title_fold,
}

FEW = 2_000
"""So many rows are sorted faster than an ordered index is walked in search of them."""

ID_PREFIX = "mem-"


def card_conditions(
    filters: CardFilters, workspace_num: int, matching: Sequence[int] | None
) -> list[ColumnElement[bool]]:
    """What a row of the listing must fulfil.

    Args:
        filters: Restrictions.
        workspace_num: The workspace.
        matching: Numbers of the cards that hold the words of `filters.text`; None where no text is given.
    """
    found: list[ColumnElement[bool]] = [cards.c.workspace_num == workspace_num]
    if filters.family is not None:
        found.append(cards.c.family == str(filters.family))
    if filters.scope is not None:
        found.append(cards.c.scope == filters.scope)
    if filters.origin is not None:
        found.append(cards.c.origin_kind == str(filters.origin))
    if filters.updated_from is not None:
        found.append(cards.c.updated_at >= filters.updated_from)
    if filters.updated_until is not None:
        found.append(cards.c.updated_at < filters.updated_until)
    for concept in filters.concepts:
        named = card_concepts.c.concept_fold == fold_name(concept)
        chosen = select(card_concepts.c.card_num).where(card_concepts.c.workspace_num == workspace_num, named)
        found.append(cards.c.num.in_(chosen))
    levels = place_of(filters)
    if levels:
        same = [card_dependencies.c[f"{level}_fold"] == name for level, name in levels.items()]
        mine = card_dependencies.c.workspace_num == workspace_num
        found.append(cards.c.num.in_(select(card_dependencies.c.card_num).where(mine, *same)))
    if matching is not None:
        found.append(_named_or_matching(filters.text or "", matching))
    return found


def _named_or_matching(text: str, matching: Sequence[int]) -> ColumnElement[bool]:
    listed = cards.c.num.in_(
        select(func.json_each(statements.listed(matching)).table_valued("value").c.value)
    )
    begun = clean_text(text.strip())
    if not begun.startswith(ID_PREFIX):
        return listed
    return or_(listed, and_(cards.c.id >= begun, cards.c.id < begun + "\U0010ffff"))


def ordered(
    where: Sequence[ColumnElement[bool]], sort: CardSort, *, descending: bool, limit: int, cursor: str | None
) -> Select[Any]:
    """Number, sort key and id of the next cards of a listing.

    Raises:
        InvalidCursor: The cursor was made by a listing in another order.
    """
    key = SORT_COLUMNS[sort]
    conditions = list(where)
    if cursor is not None:
        after, after_id = position(sort, cursor, descending=descending)
        beyond = key < after if descending else key > after
        beyond_id = cards.c.id < after_id if descending else cards.c.id > after_id
        inclusive = key <= after if descending else key >= after
        # The first condition lets an index begin there; the second is exact.
        conditions += [inclusive, or_(beyond, beyond_id)]
    order = (key.desc(), cards.c.id.desc()) if descending else (key, cards.c.id)
    return select(cards.c.num, key, cards.c.id).where(*conditions).order_by(*order).limit(limit)


def counted(where: Sequence[ColumnElement[bool]]) -> Select[Any]:
    """How many cards fulfil the conditions."""
    return select(func.count()).select_from(cards).where(*where)


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


def next_cursor(sort: CardSort, key: Any, card_id: str, *, descending: bool) -> str:
    """The cursor that stands behind a card."""
    value = key if isinstance(key, str) else to_micros(key)
    return encode_cursor(_listing(sort, descending), value, card_id)
