"""The embedded index: see `ricordo.index.contract` for what it guarantees."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

import numpy as np
import numpy.typing as npt

from ricordo.archive.contract import ArchiveReader, ArchiveWriter
from ricordo.index.analysis import Question
from ricordo.index.contract import Embedded, Entry, Found, Projection, Space, Vectors, Where
from ricordo.index.sqlite.entries import entry_of
from ricordo.index.sqlite.lexical import CONTEXT_WEIGHT, Lexical
from ricordo.index.sqlite.matrix import Matrix
from ricordo.index.sqlite.vectors import VectorStore
from ricordo.records.base import Kind

INDEXED = (Kind.EPISODE, Kind.FACT, Kind.CARD)


class SqliteIndex:
    """Keyword entries and vectors in the archive's own file, changed in its own transactions.

    Args:
        clock: For the stamp of new spaces.
        context_weight: BM25 weight of the words that stand around a record's own.
    """

    def __init__(self, clock: Callable[[], datetime], *, context_weight: float = CONTEXT_WEIGHT) -> None:
        self._clock = clock
        self._lexical = Lexical(context_weight)
        self._vectors = VectorStore()

    def prepare(self, writer: ArchiveWriter, kind: Kind) -> None:
        """See the contract."""
        self._lexical.create(writer.handle, writer.workspace.num, kind)

    def check(self, reader: ArchiveReader, kind: Kind) -> None:
        """See the contract."""
        self._lexical.check(reader.handle, reader.workspace.num, kind)

    def make_anew(self, writer: ArchiveWriter, kind: Kind) -> None:
        """See the contract."""
        self._lexical.make_anew(writer.handle, writer.workspace.num, kind)

    def holds_any(self, reader: ArchiveReader, kind: Kind) -> bool:
        """See the contract."""
        return self._lexical.holds_any(reader.handle, reader.workspace.num, kind)

    def is_prepared(self, reader: ArchiveReader, kind: Kind) -> bool:
        """See the contract."""
        return self._lexical.exists(reader.handle, reader.workspace.num, kind)

    def stage(self, writer: ArchiveWriter, projections: Sequence[Projection], *, fresh: bool) -> None:
        """See the contract."""
        if not fresh:
            for kind in INDEXED:
                self.unstage(
                    writer, kind, [entry.stamp.num for entry in projections if entry.stamp.kind is kind]
                )
        self._lexical.put(writer.handle, writer.workspace.num, projections)

    def restage(self, writer: ArchiveWriter, projections: Sequence[Projection]) -> None:
        """See the contract."""
        self._lexical.put(writer.handle, writer.workspace.num, projections, replace=True)

    def unstage(self, writer: ArchiveWriter, kind: Kind, nums: Sequence[int]) -> None:
        """See the contract."""
        if nums:
            self._lexical.delete(writer.handle, writer.workspace.num, kind, nums)
            self._vectors.remove(writer.handle, writer.workspace.num, kind, nums)

    def lexical(
        self, reader: ArchiveReader, kind: Kind, question: Question, where: Where, *, limit: int
    ) -> Sequence[Found]:
        """See the contract."""
        return self._lexical.search(reader.handle, reader.workspace.num, kind, question, where, limit=limit)

    def _with_keys(self, reader: ArchiveReader, kind: Kind, where: Where) -> Sequence[int] | None:
        if not where.keys and not where.one_of:
            return None
        return self._lexical.with_keys(reader.handle, reader.workspace.num, kind, where)

    def matching(self, reader: ArchiveReader, kind: Kind, question: Question) -> Sequence[int]:
        """See the contract."""
        return self._lexical.matching(reader.handle, reader.workspace.num, kind, question)

    def eligible(
        self, reader: ArchiveReader, kind: Kind, where: Where, nums: Sequence[int]
    ) -> dict[int, int]:
        """See the contract."""
        return self._lexical.eligible(reader.handle, reader.workspace.num, kind, where, nums)

    def similar(
        self, reader: ArchiveReader, space: Space, kind: Kind, vector: Vectors, where: Where, *, limit: int
    ) -> Sequence[Found]:
        """See the contract."""
        records = self._with_keys(reader, kind, where)
        return self._copy(reader, space, kind).search(vector, where, limit=limit, records=records)

    def similarities(
        self, reader: ArchiveReader, space: Space, kind: Kind, vector: Vectors, nums: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.float64]:
        """See the contract."""
        return self._copy(reader, space, kind).similarities(vector, nums)

    def spread(
        self, reader: ArchiveReader, space: Space, kind: Kind, vector: Vectors
    ) -> tuple[int, float, float]:
        """See the contract."""
        return self._copy(reader, space, kind).spread(vector)

    def coverage(
        self, reader: ArchiveReader, kind: Kind, question: Question, nums: Sequence[int]
    ) -> dict[int, float]:
        """See the contract."""
        return self._lexical.coverage(reader.handle, reader.workspace.num, kind, question, nums)

    def spaces(self, reader: ArchiveReader) -> Sequence[Space]:
        """See the contract."""
        return self._vectors.spaces(reader.handle, reader.workspace.num)

    def open_space(self, writer: ArchiveWriter, model: str, dimension: int, format: int) -> Space:
        """See the contract."""
        return self._vectors.open_space(
            writer.handle, writer.workspace.num, model, dimension, format, self._clock()
        )

    def activate(self, writer: ArchiveWriter, space: Space) -> Space:
        """See the contract."""
        return self._vectors.activate(writer.handle, writer.workspace.num, space)

    def drop_others(self, writer: ArchiveWriter, space: Space) -> int:
        """See the contract."""
        return self._vectors.drop_others(writer.handle, writer.workspace.num, space)

    def put_vectors(self, writer: ArchiveWriter, space: Space, embedded: Sequence[Embedded]) -> None:
        """See the contract."""
        self._vectors.put(writer.handle, writer.workspace.num, space, embedded)

    def without_vectors(self, reader: ArchiveReader, space: Space, kind: Kind) -> Sequence[int]:
        """See the contract."""
        have = self._vectors.record_nums(reader.handle, space, kind)
        revisions = self._lexical.revisions(reader.handle, reader.workspace.num, kind)
        return [num for num, revision in revisions if have.get(num) != revision]

    def entries(self, reader: ArchiveReader, kind: Kind, nums: Sequence[int]) -> Sequence[Entry]:
        """See the contract."""
        return self._lexical.entries(reader.handle, reader.workspace.num, kind, nums)

    def entry_nums(self, reader: ArchiveReader, kind: Kind) -> Sequence[int]:
        """See the contract."""
        return [num for num, _ in self._lexical.revisions(reader.handle, reader.workspace.num, kind)]

    def entry_of(self, projection: Projection) -> Entry:
        """See the contract."""
        return entry_of(projection)

    def orphan_vectors(self, reader: ArchiveReader, kind: Kind) -> Sequence[int]:
        """See the contract."""
        known = {num for num, _ in self._lexical.revisions(reader.handle, reader.workspace.num, kind)}
        held: set[int] = set()
        for space in self.spaces(reader):
            held.update(self._vectors.record_nums(reader.handle, space, kind))
        return sorted(held - known)

    def drop_vectors(self, writer: ArchiveWriter, kind: Kind, nums: Sequence[int]) -> None:
        """See the contract."""
        self._vectors.remove(writer.handle, writer.workspace.num, kind, nums)

    def compact(self, writer: ArchiveWriter) -> None:
        """See the contract."""
        self._vectors.cut_removals(writer.handle, writer.workspace.num)

    def warm(self, reader: ArchiveReader, space: Space, kind: Kind) -> int:
        """See the contract."""
        return len(self._copy(reader, space, kind))

    def _copy(self, reader: ArchiveReader, space: Space, kind: Kind) -> Matrix:
        """The matrix as the snapshot has it; brought up to date at the snapshot's first question only."""
        if reader.memo is None:
            return self._vectors.copy(reader.handle, space, kind)
        key = (space.num, kind)
        held: Matrix | None = reader.memo.get(key)
        if held is None:
            held = reader.memo[key] = self._vectors.copy(reader.handle, space, kind)
        return held

    def close(self) -> None:
        """See the contract."""
        self._vectors.close()
