"""What the archive knows of cards beyond their rows: listing, links, merges."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, delete, func, insert, select, update

from ricordo.archive.contract import CardLink, StoredMerge
from ricordo.archive.sql import card_listing, statements
from ricordo.archive.sql.card_parts import nums_of
from ricordo.archive.sql.chunks import chunks
from ricordo.archive.tables import card_links, card_merges, cards, history
from ricordo.records.base import Kind, clean_text
from ricordo.records.card import CardFilters, CardSort, Merge
from ricordo.records.page import Page, decode_cursor, encode_cursor
from ricordo.records.workspace import Workspace


class SqlCards:
    """See `ricordo.archive.contract.CardReader` and `CardWriter`."""

    def __init__(self, connection: Connection, workspace: Workspace) -> None:
        self._connection = connection
        self._workspace = workspace

    def listed(
        self,
        filters: CardFilters,
        *,
        sort: CardSort,
        descending: bool,
        limit: int,
        cursor: str | None,
        matching: Sequence[int] | None,
    ) -> tuple[list[int], int, str | None]:
        """See the contract."""
        connection, mine = self._connection, self._workspace.num
        chosen = card_listing.chosen(connection, mine, filters, matching)
        total = card_listing.count(connection, mine, chosen)
        found = card_listing.page(
            connection,
            mine,
            filters,
            chosen,
            sort=sort,
            descending=descending,
            limit=limit + 1,
            cursor=cursor,
        )
        after = None
        if len(found) > limit:
            after = card_listing.cursor_behind(connection, found[limit - 1], sort, descending=descending)
        return found[:limit], total, after

    def nums(self, ids: Sequence[str]) -> dict[str, int]:
        """See the contract."""
        return nums_of(self._connection, self._workspace.num, [clean_text(one) for one in ids])

    def revisions(self, nums: Sequence[int]) -> dict[int, tuple[str, int]]:
        """See the contract."""
        found: dict[int, tuple[str, int]] = {}
        for part in chunks(nums):
            rows = statements.card_revisions().rows(self._connection, nums=statements.listed(part))
            found.update((num, (card_id, revision)) for num, card_id, revision in rows)
        return found

    def deleted(self, ids: Sequence[str]) -> dict[str, int]:
        """See the contract."""
        found: dict[str, int] = {}
        for part in chunks(ids):
            mine = (
                history.c.workspace_num == self._workspace.num,
                history.c.kind == str(Kind.CARD),
                history.c.record_id.in_(part),
            )
            last = select(history.c.record_id, func.max(history.c.revision)).where(*mine)
            rows = self._connection.execute(last.group_by(history.c.record_id)).all()
            found.update((str(row[0]), int(row[1])) for row in rows)
        there = self.nums(list(found))
        return {card_id: revision for card_id, revision in found.items() if card_id not in there}

    def links_from(self, nums: Sequence[int], *, per_card: int) -> list[CardLink]:
        """See the contract."""
        found: list[CardLink] = []
        for part in chunks(nums):
            values = {"nums": statements.listed(part), "per_card": per_card}
            found += map(CardLink._make, statements.links_to_follow().rows(self._connection, **values))
        return found

    def links_to(self, num: int) -> list[tuple[int, str, str]]:
        """See the contract."""
        statement = (
            select(cards.c.num, cards.c.id, card_links.c.meaning)
            .join(card_links, card_links.c.source_num == cards.c.num)
            .where(card_links.c.target_num == num)
            .order_by(cards.c.id, card_links.c.meaning)
        )
        return [(row[0], row[1], row[2]) for row in self._connection.execute(statement)]

    # Merges

    def merge(self, merge_id: str) -> StoredMerge | None:
        """See the contract."""
        mine = (card_merges.c.workspace_num == self._workspace.num, card_merges.c.id == clean_text(merge_id))
        row = self._connection.execute(select(card_merges).where(*mine)).mappings().first()
        return None if row is None else _stored_merge(row)

    def merges(self, *, limit: int, cursor: str | None) -> Page[Merge]:
        """See the contract."""
        where = [card_merges.c.workspace_num == self._workspace.num]
        total = self._connection.execute(
            select(func.count()).select_from(card_merges).where(*where)
        ).scalar_one()
        if cursor is not None:
            where.append(card_merges.c.num < decode_cursor("merges", cursor, (int,))[0])
        statement = select(card_merges).where(*where).order_by(card_merges.c.num.desc()).limit(limit + 1)
        rows = self._connection.execute(statement).mappings().all()
        after = encode_cursor("merges", rows[limit - 1]["num"]) if len(rows) > limit else None
        return Page(
            items=tuple(_stored_merge(row).merge for row in rows[:limit]), total=total, next_cursor=after
        )

    def add_merge(self, stored: StoredMerge) -> None:
        """See the contract."""
        merge = stored.merge
        self._connection.execute(
            insert(card_merges).values(
                workspace_num=self._workspace.num,
                id=merge.id,
                kept_id=merge.kept,
                kept_before=stored.kept_before,
                kept_after=stored.kept_after,
                merged_id=merge.merged,
                merged_revision=stored.merged_revision,
                moved_links=json.dumps(stored.moved_links, ensure_ascii=False),
                at=merge.at,
                actor=merge.actor,
                reason=merge.reason,
            )
        )

    def end_merge(self, merge_id: str, at: datetime) -> None:
        """See the contract."""
        mine = (card_merges.c.workspace_num == self._workspace.num, card_merges.c.id == merge_id)
        self._connection.execute(update(card_merges).where(*mine).values(undone_at=at))

    def add_link(self, source_num: int, target_num: int, meaning: str) -> bool:
        """See the contract."""
        row = {
            "workspace_num": self._workspace.num,
            "source_num": source_num,
            "target_num": target_num,
            "meaning": meaning,
        }
        mine = [card_links.c[name] == value for name, value in row.items()]
        if self._connection.execute(select(card_links.c.meaning).where(*mine)).first() is not None:
            return False
        self._connection.execute(insert(card_links), [row])
        return True

    def drop_link(self, source_num: int, target_num: int, meaning: str) -> None:
        """See the contract."""
        self._connection.execute(
            delete(card_links).where(
                card_links.c.source_num == source_num,
                card_links.c.target_num == target_num,
                card_links.c.meaning == meaning,
            )
        )


def _stored_merge(row: Any) -> StoredMerge:
    merge = Merge(
        id=row["id"],
        kept=row["kept_id"],
        merged=row["merged_id"],
        at=row["at"],
        actor=row["actor"],
        reason=row["reason"],
        undone_at=row["undone_at"],
    )
    return StoredMerge(
        merge,
        row["kept_before"],
        row["kept_after"],
        row["merged_revision"],
        tuple((source, meaning, made) for source, meaning, made in json.loads(row["moved_links"])),
    )
