"""Reading one workspace over an open transaction."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Select, and_, func, or_, select

from ricordo.archive import tables
from ricordo.archive.contract import Stored, Turn
from ricordo.archive.sql import statements
from ricordo.archive.sql.card_parts import links_of
from ricordo.archive.sql.cards import SqlCards
from ricordo.archive.sql.chunks import chunks
from ricordo.archive.sql.listing import conditions
from ricordo.archive.sql.prepared import Prepared
from ricordo.archive.sql.rows import SHAPES
from ricordo.records.base import Kind, Record, clean_text
from ricordo.records.episode import Episode
from ricordo.records.filters import Filters
from ricordo.records.page import Page, decode_cursor, encode_cursor
from ricordo.records.receipt import HistoryEntry
from ricordo.records.work import PendingItem, PendingSummary, Work, WorkState
from ricordo.records.workspace import Workspace

MAX_POSITION = 2**31 - 1

STUCK_ATTEMPTS = 8
"""From this many failed attempts on, a piece of work counts as stuck."""


class SqlReader:
    """See `ricordo.archive.contract.ArchiveReader`."""

    def __init__(self, connection: Connection, workspace: Workspace) -> None:
        self.handle = connection
        self.workspace = workspace
        self.memo: dict[Any, Any] | None = {}
        self.cards = SqlCards(connection, workspace)

    def _many(self, kind: Kind, statement: Prepared, **values: Any) -> list[Stored]:
        return self._stored(kind, statement.names(self.handle), statement.rows(self.handle, **values))

    def _selected(self, kind: Kind, statement: Select[Any]) -> list[Stored]:
        result = self.handle.execute(statement)
        return self._stored(kind, tuple(result.keys()), result.all())

    def _stored(self, kind: Kind, names: Sequence[str], rows: Iterable[Sequence[Any]]) -> list[Stored]:
        shape = SHAPES[kind]
        named = [dict(zip(names, row, strict=True)) for row in rows]
        if kind is Kind.CARD:
            links = links_of(self.handle, [row["num"] for row in named])
            named = [{**row, "links": links.get(row["num"], [])} for row in named]
        return [Stored(row["num"], shape.record(row)) for row in named]

    def get(self, kind: Kind, record_id: str) -> Stored | None:
        """See the contract."""
        values = {"workspace": self.workspace.num, "id": clean_text(record_id)}
        return next(iter(self._many(kind, statements.by_id(kind), **values)), None)

    def get_many(self, kind: Kind, record_ids: Iterable[str]) -> Mapping[str, Stored]:
        """See the contract."""
        found: dict[str, Stored] = {}
        for wanted in chunks(record_ids):
            ids = json.dumps([clean_text(record_id) for record_id in wanted])
            part = self._many(kind, statements.by_ids(kind), workspace=self.workspace.num, ids=ids)
            found.update({stored.record.id: stored for stored in part})
        return found

    def find_session(self, name: str) -> Stored | None:
        """See the contract."""
        values = {"workspace": self.workspace.num, "name": clean_text(name)}
        return next(iter(self._many(Kind.SESSION, statements.session_named(), **values)), None)

    def find_episodes(self, session_num: int, external_ids: Sequence[str]) -> Mapping[str, Stored]:
        """See the contract."""
        found: dict[str, Stored] = {}
        for wanted in chunks(external_ids):
            names = json.dumps(wanted)
            part = self._many(Kind.EPISODE, statements.episodes_named(), session=session_num, names=names)
            for stored in part:
                if isinstance(stored.record, Episode) and stored.record.external_id is not None:
                    found[stored.record.external_id] = stored
        return found

    def fetch(self, kind: Kind, nums: Iterable[int]) -> Mapping[int, Record]:
        """See the contract."""
        found: dict[int, Record] = {}
        for part in chunks(nums):
            values = {"workspace": self.workspace.num, "nums": statements.listed(part)}
            found.update(self._many(kind, statements.by_nums(kind), **values))
        return found

    def scan(self, kind: Kind, *, after: int = 0, limit: int = 500) -> Sequence[Stored]:
        """See the contract."""
        values = {"workspace": self.workspace.num, "after": after, "limit": limit}
        return self._many(kind, statements.after_num(kind), **values)

    def has_any(self, kind: Kind) -> bool:
        """See the contract."""
        return bool(statements.any_of(kind).rows(self.handle, workspace=self.workspace.num))

    def count(self, kind: Kind) -> int:
        """See the contract."""
        table = SHAPES[kind].table
        statement = select(func.count()).select_from(table).where(table.c.workspace_num == self.workspace.num)
        return int(self.handle.execute(statement).scalar_one())

    def page(self, kind: Kind, filters: Filters, *, limit: int, cursor: str | None) -> Page[Any]:
        """See the contract."""
        table = SHAPES[kind].table
        where = conditions(kind, filters, self.workspace.num)
        total = self.handle.execute(select(func.count()).select_from(table).where(*where)).scalar_one()
        if cursor is not None:
            where.append(table.c.num > decode_cursor(str(kind), cursor, (int,))[0])
        statement = SHAPES[kind].select().where(*where).order_by(table.c.num).limit(limit + 1)
        found = self._selected(kind, statement)
        last = encode_cursor(str(kind), found[limit - 1].num) if len(found) > limit else None
        return Page(items=tuple(item.record for item in found[:limit]), total=total, next_cursor=last)

    def history(self, kind: Kind, record_id: str, *, limit: int, cursor: str | None) -> Page[HistoryEntry]:
        """See the contract."""
        table = tables.history
        mine = and_(
            table.c.workspace_num == self.workspace.num,
            table.c.kind == str(kind),
            table.c.record_id == clean_text(record_id),
        )
        entries: list[HistoryEntry] = []
        total = int(self.handle.execute(select(func.count()).select_from(table).where(mine)).scalar_one())
        current = self._current_entry(kind, record_id)
        if current is not None:
            total += 1
            if cursor is None:
                entries.append(current)
        before = None if cursor is None else int(decode_cursor("history", cursor, (int,))[0])
        statement = select(table).where(mine).order_by(table.c.num.desc()).limit(limit + 1 - len(entries))
        if before is not None:
            statement = statement.where(table.c.num < before)
        rows = self.handle.execute(statement).mappings().all()
        kept = rows[: limit - len(entries)]
        entries.extend(_history_entry(dict(row)) for row in kept)
        more = len(rows) > len(kept)
        last = kept[-1]["num"] if kept else (rows[0]["num"] + 1 if rows else 0)
        return Page(
            items=tuple(entries),
            total=total,
            next_cursor=encode_cursor("history", int(last)) if more else None,
        )

    def revision(self, kind: Kind, record_id: str, revision: int) -> HistoryEntry | None:
        """See the contract."""
        current = self._current_entry(kind, record_id)
        if current is not None and current.revision == revision:
            return current
        table = tables.history
        row = self.handle.execute(
            select(table)
            .where(
                table.c.workspace_num == self.workspace.num,
                table.c.kind == str(kind),
                table.c.record_id == clean_text(record_id),
                table.c.revision == revision,
            )
            .order_by(table.c.num)
            .limit(1)
        )
        found = row.mappings().first()
        return None if found is None else _history_entry(dict(found))

    def _current_entry(self, kind: Kind, record_id: str) -> HistoryEntry | None:
        stored = self.get(kind, record_id)
        if stored is None:
            return None
        table = SHAPES[kind].table
        reason = self.handle.execute(
            select(table.c.change_reason).where(table.c.num == stored.num)
        ).scalar_one()
        record = stored.record
        return HistoryEntry(
            kind=kind,
            id=record_id,
            revision=record.revision,
            action="created" if record.revision == 1 else "updated",
            at=record.updated_at,
            actor=record.updated_by,
            reason=reason,
            body=record.model_dump(mode="json"),
        )

    def last_turns(self, session_num: int, count: int) -> Sequence[Stored]:
        """See the contract."""
        values = {"session": session_num, "position": MAX_POSITION, "limit": count}
        return self._many(Kind.EPISODE, statements.turns_before(), **values)[::-1]

    def turns_around(self, session_num: int, position: int, before: int, after: int) -> Sequence[Stored]:
        """See the contract."""
        values = {"session": session_num, "position": position, "limit": before + 1}
        earlier = self._many(Kind.EPISODE, statements.turns_before(), **values)[::-1]
        return [*earlier, *self.turns_after(session_num, position, after)]

    def turns_after(self, session_num: int, position: int, limit: int) -> Sequence[Stored]:
        """See the contract."""
        values = {"session": session_num, "position": position, "limit": limit}
        return self._many(Kind.EPISODE, statements.turns_after(), **values)

    def turns(self, nums: Iterable[int], *, openings: bool) -> Sequence[Turn]:
        """See the contract."""
        found: list[Turn] = []
        for part in chunks(nums):
            values = {"nums": statements.listed(part), "opening": 2000 if openings else 0}
            found += map(Turn._make, statements.turn_places().rows(self.handle, **values))
        return found

    def adjacent(self, nums: Iterable[int], reach: int) -> Sequence[tuple[int, int, int]]:
        """See the contract."""
        found: list[tuple[int, int, int]] = []
        for part in chunks(nums):
            values = {"nums": statements.listed(part), "reach": reach}
            found += statements.adjacent_turns().rows(self.handle, **values)
        return found

    def speakers(self, limit: int) -> Sequence[str]:
        """See the contract."""
        values = {"workspace": self.workspace.num, "limit": limit}
        return [str(name) for (name,) in statements.speaker_names().rows(self.handle, **values)]

    def pending(
        self, now: datetime, *, limit: int, cursor: str | None, kind: Kind | None = None
    ) -> Page[PendingItem]:
        """See the contract."""
        table = tables.pending
        mine = table.c.workspace_num == self.workspace.num
        if kind is not None:
            mine = and_(mine, table.c.kind == str(kind))
        total = self.handle.execute(select(func.count()).select_from(table).where(mine)).scalar_one()
        statement = select(table).where(mine).order_by(table.c.num).limit(limit + 1)
        if cursor is not None:
            statement = statement.where(table.c.num > decode_cursor("pending", cursor, (int,))[0])
        rows = self.handle.execute(statement).mappings().all()
        ids: dict[tuple[str, int], str] = {}
        for held in {row["kind"] for row in rows}:
            source = SHAPES[Kind(held)].table
            for part in chunks(row["record_num"] for row in rows if row["kind"] == held):
                named = select(source.c.num, source.c.id).where(source.c.num.in_(part))
                ids.update({(held, num): record_id for num, record_id in self.handle.execute(named)})
        items = tuple(
            PendingItem(
                num=row["num"],
                work=Work(row["work"]),
                kind=Kind(row["kind"]),
                id=ids.get((row["kind"], row["record_num"]), ""),
                state=_state(dict(row), now),
                attempts=row["attempts"],
                queued_at=row["queued_at"],
                next_at=row["next_at"],
                leased_until=row["leased_until"],
                last_error=row["last_error"],
            )
            for row in rows[:limit]
        )
        after = encode_cursor("pending", items[-1].num) if len(rows) > limit else None
        return Page(items=items, total=total, next_cursor=after)

    def pending_summary(self, now: datetime) -> PendingSummary:
        """See the contract."""
        table = tables.pending
        mine = table.c.workspace_num == self.workspace.num
        stuck = table.c.attempts >= STUCK_ATTEMPTS
        leased = and_(table.c.leased_until.is_not(None), table.c.leased_until > now)
        states = {
            WorkState.STUCK: stuck,
            WorkState.LEASED: and_(~stuck, leased),
            WorkState.BACKING_OFF: and_(
                ~stuck,
                or_(table.c.leased_until.is_(None), table.c.leased_until <= now),
                table.c.next_at > now,
            ),
        }
        count = func.count()
        row = self.handle.execute(
            select(
                count,
                func.min(table.c.queued_at),
                *(count.filter(condition) for condition in states.values()),
            ).where(mine)
        ).one()
        total, oldest = row[0], row[1]
        by_state = {state: number for state, number in zip(states, row[2:], strict=True) if number}
        waiting = total - sum(by_state.values())
        if waiting:
            by_state[WorkState.WAITING] = waiting
        age = None if oldest is None else max(0.0, (now - oldest).total_seconds())
        return PendingSummary(total=total, by_state=by_state, oldest_age_s=age)

    def queued(self, work: Work, kind: Kind, nums: Iterable[int]) -> set[int]:
        """See the contract."""
        table = tables.pending
        mine = and_(
            table.c.workspace_num == self.workspace.num, table.c.work == str(work), table.c.kind == str(kind)
        )
        found: set[int] = set()
        for part in chunks(nums):
            statement = select(table.c.record_num).where(mine, table.c.record_num.in_(part))
            found.update(int(num) for num in self.handle.execute(statement).scalars())
        return found

    def pending_count(self, work: Work) -> int:
        """See the contract."""
        values = {"workspace": self.workspace.num, "work": str(work)}
        return int(statements.waiting().rows(self.handle, **values)[0][0])


def _state(row: Mapping[str, Any], now: datetime) -> WorkState:
    if row["attempts"] >= STUCK_ATTEMPTS:
        return WorkState.STUCK
    if row["leased_until"] is not None and row["leased_until"] > now:
        return WorkState.LEASED
    return WorkState.BACKING_OFF if row["next_at"] > now else WorkState.WAITING


def _history_entry(row: Mapping[str, Any]) -> HistoryEntry:
    return HistoryEntry(
        kind=Kind(row["kind"]),
        id=row["record_id"],
        revision=row["revision"],
        action=row["action"],
        at=row["at"],
        actor=row["actor"],
        reason=row["reason"],
        body=json.loads(row["body"]),
    )
