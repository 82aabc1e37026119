"""The statements that every recall and save run, built once.

Building a statement costs SQLAlchemy several times what SQLite needs to answer
it; built once, it is compiled once too.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from sqlalchemy import (
    BigInteger,
    BindParameter,
    Delete,
    Select,
    and_,
    bindparam,
    delete,
    func,
    literal,
    literal_column,
    or_,
    select,
    text,
    type_coerce,
    update,
)

from ricordo.archive.sql.prepared import Prepared
from ricordo.archive.sql.rows import SHAPES
from ricordo.archive.tables import card_links, cards, episodes, pending, sequences, sessions
from ricordo.records.base import Kind
from ricordo.records.work import Work

WORKSPACE: BindParameter[Any] = bindparam("workspace")


def _listed(name: str = "nums") -> Select[Any]:
    """The values of a list that is bound as JSON: one statement for every length of it."""
    return select(func.json_each(bindparam(name)).table_valued("value").c.value)


def listed(nums: Sequence[int]) -> str:
    """Numbers as the parameter `nums` takes them."""
    return f"[{','.join(map(str, nums))}]"


@cache
def by_id(kind: Kind) -> Prepared:
    """One record: workspace, id."""
    shape = SHAPES[kind]
    return Prepared(
        shape.select().where(shape.table.c.workspace_num == WORKSPACE, shape.table.c.id == bindparam("id"))
    )


@cache
def by_ids(kind: Kind) -> Prepared:
    """Records: workspace, ids."""
    shape = SHAPES[kind]
    wanted = shape.table.c.id.in_(_listed("ids"))
    return Prepared(shape.select().where(shape.table.c.workspace_num == WORKSPACE, wanted))


@cache
def by_nums(kind: Kind) -> Prepared:
    """Records: workspace, nums."""
    shape = SHAPES[kind]
    wanted = shape.table.c.num.in_(_listed())
    return Prepared(shape.select().where(shape.table.c.workspace_num == WORKSPACE, wanted))


@cache
def after_num(kind: Kind) -> Prepared:
    """The next records by number: workspace, after, limit."""
    shape = SHAPES[kind]
    return Prepared(
        shape.select()
        .where(shape.table.c.workspace_num == WORKSPACE, shape.table.c.num > bindparam("after"))
        .order_by(shape.table.c.num)
        .limit(bindparam("limit"))
    )


@cache
def any_of(kind: Kind) -> Prepared:
    """A row where the workspace has a record of the kind: workspace."""
    return Prepared(select(literal(1)).where(SHAPES[kind].table.c.workspace_num == WORKSPACE).limit(1))


@cache
def session_named() -> Prepared:
    """A session by id or external id, without its episode count: workspace, name."""
    name: BindParameter[Any] = bindparam("name")
    return Prepared(
        select(*sessions.columns, literal(0).label("episode_count"))
        .where(
            sessions.c.workspace_num == WORKSPACE,
            or_(sessions.c.id == name, sessions.c.external_id == name),
        )
        .order_by(sessions.c.id != name)
        .limit(1)
    )


@cache
def episodes_named() -> Prepared:
    """Episodes of a session by external id: session, names."""
    wanted = episodes.c.external_id.in_(_listed("names"))
    return Prepared(
        SHAPES[Kind.EPISODE].select().where(episodes.c.session_num == bindparam("session"), wanted)
    )


@cache
def turns_before() -> Prepared:
    """Episodes of a session up to a place, last first: session, position, limit."""
    return Prepared(
        SHAPES[Kind.EPISODE]
        .select()
        .where(episodes.c.session_num == bindparam("session"), episodes.c.position <= bindparam("position"))
        .order_by(episodes.c.position.desc())
        .limit(bindparam("limit"))
    )


@cache
def turns_after() -> Prepared:
    """Episodes of a session beyond a place, in order: session, position, limit."""
    return Prepared(
        SHAPES[Kind.EPISODE]
        .select()
        .where(episodes.c.session_num == bindparam("session"), episodes.c.position > bindparam("position"))
        .order_by(episodes.c.position)
        .limit(bindparam("limit"))
    )


@cache
def turn_places() -> Prepared:
    """What shaping asks of episodes: nums, opening (its length)."""
    spoken = func.rtrim(func.coalesce(episodes.c.assistant_message, episodes.c.user_message, ""))
    opening = func.coalesce(episodes.c.user_message, episodes.c.assistant_message, "")
    return Prepared(
        select(
            episodes.c.num,
            episodes.c.session_num,
            episodes.c.position,
            episodes.c.speaker_fold,
            type_coerce(episodes.c.occurred_at, BigInteger),
            func.substr(opening, 1, bindparam("opening")),
            func.substr(spoken, -1) == literal_column("'?'"),
            and_(
                episodes.c.user_message.is_not(None),
                func.coalesce(episodes.c.speaker_fold, literal_column("'user'")) == literal_column("'user'"),
            ),
        ).where(episodes.c.num.in_(_listed()))
    )


@cache
def adjacent_turns() -> Prepared:
    """(episode, neighbour, distance): nums, reach."""
    mine, near = episodes.alias("mine"), episodes.alias("near")
    reach: BindParameter[Any] = bindparam("reach")
    beside = and_(
        near.c.session_num == mine.c.session_num,
        near.c.position >= mine.c.position - reach,
        near.c.position <= mine.c.position + reach,
        near.c.num != mine.c.num,
    )
    return Prepared(
        select(mine.c.num, near.c.num, func.abs(near.c.position - mine.c.position))
        .select_from(mine.join(near, beside))
        .where(mine.c.num.in_(_listed()))
    )


@cache
def speaker_names() -> Prepared:
    """Folded speakers in order, one step of the index for each: workspace, limit."""
    return Prepared(
        text(
            "WITH RECURSIVE names(name) AS ("
            " SELECT min(speaker_fold) FROM episodes WHERE workspace_num = :workspace"
            " UNION ALL"
            " SELECT (SELECT min(speaker_fold) FROM episodes"
            "  WHERE workspace_num = :workspace AND speaker_fold > names.name)"
            " FROM names WHERE names.name IS NOT NULL"
            ") SELECT name FROM names WHERE name IS NOT NULL LIMIT :limit"
        )
    )


@cache
def allocate() -> Prepared:
    """Take numbers of a sequence; answers the last of them: sequence, count."""
    return Prepared(
        update(sequences)
        .where(sequences.c.name == bindparam("sequence"))
        .values(value=sequences.c.value + bindparam("count"))
        .returning(sequences.c.value)
    )


@cache
def work_of(work: Work, kind: Kind) -> Delete:
    """Drop queued work of records: workspace, nums."""
    return delete(pending).where(
        pending.c.workspace_num == WORKSPACE,
        pending.c.work == str(work),
        pending.c.kind == str(kind),
        pending.c.record_num.in_(_listed()),
    )


@cache
def waiting() -> Prepared:
    """How many items of a kind of work wait: workspace, work."""
    mine = (pending.c.workspace_num == WORKSPACE, pending.c.work == bindparam("work"))
    return Prepared(select(func.count()).select_from(pending).where(*mine))


@cache
def links_of_cards() -> Prepared:
    """(card, target id, meaning) of links, in order: nums."""
    return Prepared(
        select(card_links.c.source_num, cards.c.id, card_links.c.meaning)
        .join(cards, cards.c.num == card_links.c.target_num)
        .where(card_links.c.source_num.in_(_listed()))
        .order_by(card_links.c.source_num, cards.c.id, card_links.c.meaning)
    )


@cache
def links_to_follow() -> Prepared:
    """(card, target, target id) of different targets, the first of each card: nums, per_card."""
    place = func.row_number().over(partition_by=card_links.c.source_num, order_by=cards.c.id)
    targets = (
        select(card_links.c.source_num, cards.c.num, cards.c.id, place.label("place"))
        .join(cards, cards.c.num == card_links.c.target_num)
        .where(card_links.c.source_num.in_(_listed()))
        .group_by(card_links.c.source_num, cards.c.num, cards.c.id)
        .subquery()
    )
    return Prepared(
        select(targets.c.source_num, targets.c.num, targets.c.id)
        .where(targets.c.place <= bindparam("per_card"))
        .order_by(targets.c.source_num, targets.c.id)
    )


@cache
def card_revisions() -> Prepared:
    """(number, id, revision) of cards: nums."""
    return Prepared(select(cards.c.num, cards.c.id, cards.c.revision).where(cards.c.num.in_(_listed())))
