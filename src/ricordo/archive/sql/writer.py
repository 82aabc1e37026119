"""Writing one workspace inside an open write transaction."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, Table, delete, or_, select, update

from ricordo.archive import tables
from ricordo.archive.contract import Claim, Stored
from ricordo.archive.sql import statements
from ricordo.archive.sql.card_parts import describe, forget, revise
from ricordo.archive.sql.chunks import chunks
from ricordo.archive.sql.insertion import insert_rows
from ricordo.archive.sql.reader import SqlReader
from ricordo.archive.sql.rows import COMMON, SHAPES
from ricordo.errors import NotFound, StaleRevision
from ricordo.records.base import Kind, Record, fold_name
from ricordo.records.episode import Episode
from ricordo.records.fact import Fact
from ricordo.records.work import Work
from ricordo.records.workspace import Workspace

MAX_AHEAD = timedelta(minutes=80)
"""No attempt and no lease is set further ahead: one that is was set by a clock that has gone back."""


class SqlWriter(SqlReader):
    """See `ricordo.archive.contract.ArchiveWriter`."""

    def __init__(self, connection: Connection, workspace: Workspace) -> None:
        super().__init__(connection, workspace)
        self.memo = None
        self._sessions: dict[str, int] = {}

    def find_session(self, name: str) -> Stored | None:
        """See the contract; the session's number is kept for episodes that are added to it."""
        found = super().find_session(name)
        if found is not None:
            self._sessions[found.record.id] = found.num
        return found

    def add(self, kind: Kind, records: Sequence[Record], *, reason: str | None = None) -> Sequence[int]:
        """See the contract."""
        if not records:
            return []
        first = self._allocate(str(kind), len(records))
        nums = range(first, first + len(records))
        rows = [self._row(kind, record, num) for num, record in zip(nums, records, strict=True)]
        if kind is Kind.EPISODE:
            session_nums = self._session_nums(records)
            for row, record in zip(rows, records, strict=True):
                row["session_num"] = session_nums[record.session_id]  # type: ignore[attr-defined]
        if reason is not None:
            rows = [{**row, "change_reason": reason} for row in rows]
        insert_rows(self.handle, SHAPES[kind].table, rows)
        if kind is Kind.FACT:
            self._tag(zip(nums, records, strict=True))
        if kind is Kind.CARD:
            describe(self.handle, self.workspace.num, list(zip(nums, records, strict=True)))
        if kind is Kind.SESSION:
            self._sessions.update({record.id: num for num, record in zip(nums, records, strict=True)})
        return nums

    def _allocate(self, name: str, count: int) -> int:
        ((last,),) = statements.allocate().rows(self.handle, sequence=name, count=count)
        return int(last) - count + 1

    def _row(self, kind: Kind, record: Record, num: int) -> dict[str, Any]:
        row = {name: getattr(record, name) for name in COMMON}
        return {"num": num, "workspace_num": self.workspace.num, **row, **SHAPES[kind].to_row(record)}

    def _session_nums(self, records: Sequence[Record]) -> dict[str, int]:
        wanted = {record.session_id for record in records if isinstance(record, Episode)}
        if wanted <= self._sessions.keys():
            return self._sessions
        table = tables.sessions
        statement = select(table.c.id, table.c.num).where(
            table.c.workspace_num == self.workspace.num, table.c.id.in_(wanted)
        )
        found = {str(name): int(num) for name, num in self.handle.execute(statement)}
        missing = wanted - found.keys()
        if missing:
            raise NotFound(f"There is no session '{sorted(missing)[0]}' in this workspace.")
        return found

    def _tag(self, facts: Iterable[tuple[int, Record]]) -> None:
        rows = [
            {"workspace_num": self.workspace.num, "tag_fold": tag, "fact_num": num}
            for num, fact in facts
            if isinstance(fact, Fact)
            for tag in sorted({fold_name(name) for name in fact.tags})
        ]
        insert_rows(self.handle, tables.fact_tags, rows)

    def replace(self, stored: Stored, revised: Record, *, reason: str | None = None) -> None:
        """See the contract."""
        kind = _kind_of(revised)
        table = SHAPES[kind].table
        row = self._row(kind, revised, stored.num)
        row["change_reason"] = reason
        self._keep(kind, [stored])
        done = self.handle.execute(
            update(table)
            .where(
                table.c.workspace_num == self.workspace.num,
                table.c.num == stored.num,
                table.c.revision == stored.record.revision,
            )
            .values(**row)
        )
        if done.rowcount != 1:
            raise StaleRevision(f"'{revised.id}' has changed meanwhile.", cure="Read it again and repeat.")
        if kind is Kind.FACT:
            self.handle.execute(delete(tables.fact_tags).where(tables.fact_tags.c.fact_num == stored.num))
            self._tag([(stored.num, revised)])
        if kind is Kind.CARD:
            revise(self.handle, self.workspace.num, stored.num, stored.record, revised)

    def _keep(self, kind: Kind, stored: Sequence[Stored]) -> None:
        table = SHAPES[kind].table
        reasons: dict[int, str | None] = {}
        for part in chunks(item.num for item in stored):
            named = select(table.c.num, table.c.change_reason).where(table.c.num.in_(part))
            reasons.update({int(row[0]): row[1] for row in self.handle.execute(named)})
        rows = [
            {
                **self._entry(kind, item.record),
                "action": "created" if item.record.revision == 1 else "updated",
                "at": item.record.updated_at,
                "actor": item.record.updated_by,
                "reason": reasons.get(item.num),
            }
            for item in stored
        ]
        insert_rows(self.handle, tables.history, rows)

    def _entry(self, kind: Kind, record: Record) -> dict[str, Any]:
        return {
            "workspace_num": self.workspace.num,
            "kind": str(kind),
            "record_id": record.id,
            "revision": record.revision,
            "body": record.model_dump_json(),
        }

    def remove(
        self, kind: Kind, stored: Sequence[Stored], *, actor: str, at: datetime, reason: str | None = None
    ) -> None:
        """See the contract."""
        if not stored:
            return
        self._keep(kind, stored)
        gone = [
            {
                **self._entry(kind, item.record),
                "action": "deleted",
                "at": at,
                "actor": actor,
                "reason": reason,
            }
            for item in stored
        ]
        insert_rows(self.handle, tables.history, gone)
        table: Table = SHAPES[kind].table
        if kind is Kind.CARD:
            forget(self.handle, self.workspace.num, stored)
        for part in chunks(item.num for item in stored):
            if kind is Kind.FACT:
                self.handle.execute(delete(tables.fact_tags).where(tables.fact_tags.c.fact_num.in_(part)))
            for work in Work:
                self.clear_work(work, kind, part)
            self.handle.execute(
                delete(table).where(table.c.workspace_num == self.workspace.num, table.c.num.in_(part))
            )

    def enqueue(
        self, work: Work, kind: Kind, nums: Sequence[int], at: datetime, *, fresh: bool = False
    ) -> None:
        """See the contract."""
        if not nums:
            return
        if not fresh:
            self.clear_work(work, kind, nums)
        insert_rows(
            self.handle,
            tables.pending,
            [
                {
                    "workspace_num": self.workspace.num,
                    "work": str(work),
                    "kind": str(kind),
                    "record_num": num,
                    "attempts": 0,
                    "queued_at": at,
                    "next_at": at,
                }
                for num in nums
            ],
        )

    def claim(
        self, work: Work, *, owner: str, now: datetime, lease_until: datetime, limit: int
    ) -> Sequence[Claim]:
        """See the contract."""
        table = tables.pending
        due = (
            select(table.c.num)
            .where(
                table.c.workspace_num == self.workspace.num,
                table.c.work == str(work),
                or_(table.c.next_at <= now, table.c.next_at > now + MAX_AHEAD),
                or_(
                    table.c.leased_until.is_(None),
                    table.c.leased_until <= now,
                    table.c.leased_until > now + MAX_AHEAD,
                ),
            )
            .order_by(table.c.next_at, table.c.num)
            .limit(limit)
        )
        rows = self.handle.execute(
            update(table)
            .where(table.c.num.in_(due))
            .values(lease_owner=owner, leased_until=lease_until, attempts=table.c.attempts + 1)
            .returning(table.c.num, table.c.kind, table.c.record_num, table.c.attempts)
        )
        return sorted(Claim(num, Kind(kind), record_num, tries) for num, kind, record_num, tries in rows)

    def finish(self, owner: str, claims: Sequence[Claim]) -> set[int]:
        """See the contract."""
        table = tables.pending
        done: set[int] = set()
        for part in chunks(claim.num for claim in claims):
            statement = (
                delete(table)
                .where(table.c.num.in_(part), table.c.lease_owner == owner)
                .returning(table.c.num)
            )
            done.update(int(num) for num in self.handle.execute(statement).scalars())
        return done

    def fail(self, owner: str, claims: Sequence[Claim], *, error: str, next_at: datetime) -> None:
        """See the contract."""
        table = tables.pending
        for part in chunks(claim.num for claim in claims):
            self.handle.execute(
                update(table)
                .where(table.c.num.in_(part), table.c.lease_owner == owner)
                .values(lease_owner=None, leased_until=None, last_error=error, next_at=next_at)
            )

    def clear_work(self, work: Work, kind: Kind | None = None, nums: Sequence[int] | None = None) -> int:
        """See the contract."""
        if kind is not None and nums is not None:
            statement = statements.work_of(work, kind)
            mine = {"workspace": self.workspace.num}
            return sum(
                self.handle.execute(statement, {**mine, "nums": statements.listed(part)}).rowcount
                for part in chunks(nums)
            )
        table = tables.pending
        base = delete(table).where(table.c.workspace_num == self.workspace.num, table.c.work == str(work))
        if kind is not None:
            base = base.where(table.c.kind == str(kind))
        if nums is None:
            return self.handle.execute(base).rowcount
        return sum(
            self.handle.execute(base.where(table.c.record_num.in_(part))).rowcount for part in chunks(nums)
        )

    def wake(self, now: datetime, num: int | None = None) -> int:
        """See the contract."""
        table = tables.pending
        statement = (
            update(table)
            .where(table.c.workspace_num == self.workspace.num)
            .values(next_at=now, attempts=0, lease_owner=None, leased_until=None)
        )
        if num is not None:
            if not 0 < num < 2**63:
                return 0
            statement = statement.where(table.c.num == num)
        return self.handle.execute(statement).rowcount


def _kind_of(record: Record) -> Kind:
    for kind, shape in SHAPES.items():
        if isinstance(record, shape.model):
            return kind
    raise TypeError(f"{type(record).__name__} is no record")
