"""Vectors as rows of the archive's file, and each process's copy of them in memory.

A copy is brought up to date before each search by reading the rows that were
added since (their numbers only rise) and the list of removals. A space's epoch
rises when that is not enough: when its mean has changed, or when the list of
removals was cut.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from datetime import datetime
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
from sqlalchemy import (
    ColumnElement,
    Connection,
    bindparam,
    column,
    delete,
    func,
    insert,
    select,
    table,
    update,
)

from ricordo.archive.sql.chunks import chunks
from ricordo.archive.sql.prepared import Prepared
from ricordo.archive.tables import spaces, vector_removals, vectors
from ricordo.index.contract import Embedded, Space, Vectors
from ricordo.index.sqlite.matrix import Matrix, Rows
from ricordo.records.base import Kind

MEAN_STEPS = (16, 64, 256, 1024, 4096)
"""The mean is taken anew when a space has reached so many vectors, and kept after the last."""

READ_ROWS = 8192
"""Rows of one read while a copy is loaded."""


class _Copy:
    """One matrix with how far it has been read."""

    def __init__(self, matrix: Matrix, epoch: int, newest: int, removals: int) -> None:
        self.matrix = matrix
        self.epoch = epoch
        self.newest = newest
        self.removals = removals
        self.lock = threading.Lock()


class VectorStore:
    """The vectors of all spaces of one file."""

    def __init__(self) -> None:
        self._copies: dict[tuple[int, Kind], _Copy] = {}
        self._lock = threading.Lock()

    # Spaces

    def spaces(self, connection: Connection, workspace_num: int) -> list[Space]:
        """The workspace's spaces, oldest first."""
        rows = _spaces_of().rows(connection, workspace=workspace_num)
        return [Space(*row)._replace(active=bool(row[4])) for row in rows]

    def open_space(
        self,
        connection: Connection,
        workspace_num: int,
        model: str,
        dimension: int,
        format: int,
        now: datetime,
    ) -> Space:
        """See the contract."""
        have = self.spaces(connection, workspace_num)
        for space in have:
            if (space.model, space.dimension, space.format) == (model, dimension, format):
                return space
        row = connection.execute(
            insert(spaces)
            .values(
                workspace_num=workspace_num,
                model=model,
                dimension=dimension,
                format=format,
                active=int(not any(space.active for space in have)),
                epoch=0,
                mean_of=0,
                created_at=now,
            )
            .returning(*spaces.columns)
        )
        return _space(row.mappings().one())

    def activate(self, connection: Connection, workspace_num: int, space: Space) -> Space:
        """See the contract."""
        mine = spaces.c.workspace_num == workspace_num
        connection.execute(update(spaces).where(mine, spaces.c.num != space.num).values(active=0))
        connection.execute(update(spaces).where(mine, spaces.c.num == space.num).values(active=1))
        return space._replace(active=True)

    def drop_others(self, connection: Connection, workspace_num: int, space: Space) -> int:
        """See the contract."""
        others = [item.num for item in self.spaces(connection, workspace_num) if item.num != space.num]
        if not others:
            return 0
        gone = connection.execute(delete(vectors).where(vectors.c.space_num.in_(others))).rowcount
        connection.execute(delete(spaces).where(spaces.c.num.in_(others)))
        self.cut_removals(connection, workspace_num)
        return gone

    def cut_removals(self, connection: Connection, workspace_num: int) -> None:
        """Forget removals; every copy is read anew before its next search."""
        connection.execute(delete(vector_removals).where(vector_removals.c.workspace_num == workspace_num))
        connection.execute(
            update(spaces).where(spaces.c.workspace_num == workspace_num).values(epoch=spaces.c.epoch + 1)
        )

    # Rows

    def put(
        self, connection: Connection, workspace_num: int, space: Space, embedded: Sequence[Embedded]
    ) -> None:
        """See the contract."""
        by_kind: dict[Kind, list[int]] = {}
        rows = []
        for item in embedded:
            entry = item.stamp
            by_kind.setdefault(entry.kind, []).append(entry.num)
            halves = np.asarray(item.vectors, dtype=np.float16)
            rows += [
                {
                    "workspace_num": workspace_num,
                    "space_num": space.num,
                    "kind": str(entry.kind),
                    "record_num": entry.num,
                    "piece": piece,
                    "revision": entry.revision,
                    "at": entry.at,
                    "holds_from": entry.holds_from,
                    "holds_until": entry.holds_until,
                    "vector": half.tobytes(),
                }
                for piece, half in enumerate(halves)
            ]
        for kind, nums in by_kind.items():
            self.remove(connection, workspace_num, kind, nums, space_num=space.num)
        if rows:
            connection.execute(insert(vectors), rows)
            self._take_mean(connection, space)

    def remove(
        self,
        connection: Connection,
        workspace_num: int,
        kind: Kind,
        nums: Sequence[int],
        *,
        space_num: int | None = None,
    ) -> None:
        """Remove the vectors of these records, in one space or in all."""
        for part in chunks(nums):
            mine = [vectors.c.kind == str(kind), vectors.c.record_num.in_(part)]
            mine.append(vectors.c.workspace_num == workspace_num)
            if space_num is not None:
                mine.append(vectors.c.space_num == space_num)
            gone = connection.execute(delete(vectors).where(*mine).returning(vectors.c.num)).scalars().all()
            if gone:
                rows = [{"workspace_num": workspace_num, "vector_num": num} for num in gone]
                connection.execute(insert(vector_removals), rows)

    def _take_mean(self, connection: Connection, space: Space) -> None:
        mean_of = int(
            connection.execute(select(spaces.c.mean_of).where(spaces.c.num == space.num)).scalar_one()
        )
        steps = [step for step in MEAN_STEPS if step > mean_of]
        if not steps:
            return
        have = select(vectors.c.num).where(vectors.c.space_num == space.num).limit(MEAN_STEPS[-1])
        count = int(connection.execute(select(func.count()).select_from(have.subquery())).scalar_one())
        reached = [step for step in steps if step <= count]
        if not reached:
            return
        blobs = (
            connection.execute(
                select(vectors.c.vector)
                .where(vectors.c.space_num == space.num, _whole(space))
                .order_by(vectors.c.num)
                .limit(reached[-1])
            )
            .scalars()
            .all()
        )
        mean = _unpack(blobs, space.dimension).astype(np.float32).mean(axis=0)
        connection.execute(
            update(spaces)
            .where(spaces.c.num == space.num)
            .values(mean=mean.astype(np.float32).tobytes(), mean_of=reached[-1], epoch=spaces.c.epoch + 1)
        )

    def record_nums(self, connection: Connection, space: Space, kind: Kind) -> dict[int, int]:
        """Revision by record number of all that has vectors in the space."""
        rows = connection.execute(
            select(vectors.c.record_num, vectors.c.revision)
            .where(vectors.c.space_num == space.num, vectors.c.kind == str(kind), _whole(space))
            .distinct()
        )
        return {int(num): int(revision) for num, revision in rows}

    # The copy in memory

    def copy(self, connection: Connection, space: Space, kind: Kind) -> Matrix:
        """The matrix of a space and kind as the connection's snapshot has it, or a later one."""
        with self._lock:
            held = self._copies.get((space.num, kind))
        epoch, mean, newest, removals = self._state(connection, space, kind)
        if connection.get_execution_options().get("ricordo_write"):
            return Matrix(self._read(connection, space, kind, 0), mean)  # may be rolled back: not kept
        if held is not None and held.epoch == epoch:
            with held.lock:
                # A snapshot from before a removal that the copy knows of would bring rows back.
                if held.newest < newest and held.removals <= removals:
                    held.matrix.extend(self._read(connection, space, kind, held.newest))
                    held.newest = newest
                if held.removals < removals:
                    held.matrix.remove(self._removed(connection, space, held.removals))
                    held.removals = removals
            if held.matrix.removed_share < 0.25 or len(held.matrix) < 64:
                return held.matrix
        rows = self._read(connection, space, kind, 0)
        fresh = _Copy(Matrix(rows, mean), epoch, newest, removals)
        with self._lock:
            self._copies[space.num, kind] = fresh
        return fresh.matrix

    def _state(
        self, connection: Connection, space: Space, kind: Kind
    ) -> tuple[int, Vectors | None, int, int]:
        row = _state_of_copy().first(connection, space=space.num, kind=str(kind))
        if row is None:
            return -1, None, 0, 0
        mean = None if row[1] is None else np.frombuffer(row[1], dtype=np.float32)
        return int(row[0]), mean, int(row[2] or 0), int(row[3] or 0)

    def _read(self, connection: Connection, space: Space, kind: Kind, after: int) -> Rows:
        parts = [_rows([], space.dimension)]
        last = after
        columns = ("num", "record_num", "revision", "at", "holds_from", "holds_until", "vector")
        while True:
            found = connection.execute(
                select(*(vectors.c[name] for name in columns))
                .where(vectors.c.space_num == space.num, vectors.c.kind == str(kind), vectors.c.num > last)
                .where(_whole(space))
                .order_by(vectors.c.num)
                .limit(READ_ROWS)
            ).all()
            if found:
                parts.append(_rows(found, space.dimension))
                last = int(found[-1][0])
            if len(found) < READ_ROWS:
                break
        return Rows.concatenated(parts)

    def _removed(self, connection: Connection, space: Space, after: int) -> Any:
        rows = connection.execute(
            select(vector_removals.c.vector_num).where(vector_removals.c.num > after)
        ).scalars()
        return np.fromiter((int(num) for num in rows), dtype=np.int64)

    def close(self) -> None:
        """Let go of the copies."""
        with self._lock:
            self._copies.clear()


@cache
def _spaces_of() -> Prepared:
    """Spaces, oldest first: workspace."""
    columns = (spaces.c.num, spaces.c.model, spaces.c.dimension, spaces.c.format, spaces.c.active)
    mine = spaces.c.workspace_num == bindparam("workspace")
    return Prepared(select(*columns).where(mine).order_by(spaces.c.num))


@cache
def _state_of_copy() -> Prepared:
    """Epoch, mean, newest vector and newest removal: space, kind."""
    mine = (vectors.c.space_num == bindparam("space"), vectors.c.kind == bindparam("kind"))
    newest = select(func.max(vectors.c.num)).where(*mine).scalar_subquery()
    # Counted by SQLite itself, so that it never falls, also where the list is cut.
    counter = table("sqlite_sequence", column("name"), column("seq"))
    removals = select(counter.c.seq).where(counter.c.name == vector_removals.name).scalar_subquery()
    held = select(spaces.c.epoch, spaces.c.mean, newest, removals)
    return Prepared(held.where(spaces.c.num == bindparam("space")))


def _whole(space: Space) -> ColumnElement[bool]:
    """A row whose vector has its full length: a damaged one counts as missing and is made again."""
    return func.length(vectors.c.vector) == 2 * space.dimension


def _space(row: Any) -> Space:
    return Space(row["num"], row["model"], row["dimension"], row["format"], bool(row["active"]))


def _unpack(blobs: Sequence[bytes], dimension: int) -> Any:
    return np.frombuffer(b"".join(blobs), dtype=np.float16).reshape(len(blobs), dimension)


def _rows(found: Sequence[Any], dimension: int) -> Rows:
    def column(place: int) -> npt.NDArray[np.int64]:
        return np.array([row[place] for row in found], dtype=np.int64)

    raw = _unpack([row[6] for row in found], dimension)
    return Rows(column(0), column(1), column(2), column(3), column(4), column(5), raw)
