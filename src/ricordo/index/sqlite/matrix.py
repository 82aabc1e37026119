"""Vectors of one space and kind in memory, ready for exact and for approximate scans.

Up to `EXACT_ROWS` rows, the centred vectors are held in float32 and compared
with the question one and all. Beyond, the sign of each coordinate is held as
one bit beside float16 vectors: a scan over the bits chooses
`RESCORE_FACTOR` times as many candidates as are asked for, and those are
compared exactly. The sign of a centred coordinate is a random hyperplane's
opinion, so near vectors share most bits (Charikar, STOC 2002).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ricordo.index.contract import Found, Vectors, Where

EXACT_ROWS = 32_768
RESCORE_FACTOR = 12
RESCORE_MIN = 2_400

SPREAD_ROWS = 1_000
"""Rows that the spread of similarities is taken from."""

Ints = npt.NDArray[np.int64]

_HALVES = np.arange(2**16, dtype=np.uint16).view(np.float16).astype(np.float32)
"""Every float16 as float32: looking up is three times as fast as numpy's conversion."""


class Rows(NamedTuple):
    """Vectors as they are stored, with what filters ask for; all of one length.

    Attributes:
        nums: Numbers of the vectors, rising.
        records: Numbers of their records.
        raw: Float16, shape (rows, dimension), as the model gave them.
    """

    nums: Ints
    records: Ints
    revisions: Ints
    at: Ints
    holds_from: Ints
    holds_until: Ints
    raw: npt.NDArray[np.float16]

    def each(self, change: Callable[[npt.NDArray[Any]], npt.NDArray[Any]]) -> Rows:
        """The rows with every column changed."""
        return Rows(
            change(self.nums),
            change(self.records),
            change(self.revisions),
            change(self.at),
            change(self.holds_from),
            change(self.holds_until),
            change(self.raw),
        )

    def joined(self, later: Rows) -> Rows:
        """These rows and later ones."""
        return Rows.concatenated([self, later])

    @staticmethod
    def concatenated(parts: Sequence[Rows]) -> Rows:
        """All rows of several parts, in order."""
        return Rows(
            np.concatenate([part.nums for part in parts]),
            np.concatenate([part.records for part in parts]),
            np.concatenate([part.revisions for part in parts]),
            np.concatenate([part.at for part in parts]),
            np.concatenate([part.holds_from for part in parts]),
            np.concatenate([part.holds_until for part in parts]),
            np.concatenate([part.raw for part in parts]),
        )


def centred(vectors: npt.NDArray[np.floating], mean: Vectors | None) -> Vectors:
    """Unit vectors of what is left without the mean, float32, row by row."""
    shifted = np.asarray(vectors, dtype=np.float32)
    if mean is not None:
        shifted = shifted - mean
    norms = np.linalg.norm(shifted, axis=-1, keepdims=True)
    return np.asarray(shifted / np.maximum(norms, 1e-9), dtype=np.float32)


@dataclass(frozen=True)
class _Seen:
    """What one search sees: the first `count` rows of buffers that only grow behind it."""

    rows: Rows
    ready: npt.NDArray[Any]
    live: npt.NDArray[np.bool_]
    count: int


class Matrix:
    """All vectors of one space and kind; searched by any thread while one other extends it.

    Args:
        rows: What is stored now.
        mean: The space's mean, or None while it has none.
    """

    def __init__(self, rows: Rows, mean: Vectors | None) -> None:
        self.mean = mean
        self._order: Ints | None = None
        self._sample: tuple[int, Vectors] | None = None
        self._exact = len(rows.nums) <= EXACT_ROWS
        count = len(rows.nums)
        self._buffers = _Seen(rows, self._prepared(rows.raw), np.ones(count, dtype=np.bool_), count)

    def __len__(self) -> int:
        return self._buffers.count

    @property
    def removed_share(self) -> float:
        """Share of rows that were removed since they were loaded."""
        seen = self._buffers
        return 1 - float(seen.live[: seen.count].mean()) if seen.count else 0.0

    def _prepared(self, raw: npt.NDArray[np.float16]) -> npt.NDArray[Any]:
        """What the scan reads: float32 vectors for small matrices, sign bits for large ones."""
        if self._exact:
            return centred(raw, self.mean)
        parts = [_bits(centred(raw[start : start + 8192], self.mean)) for start in range(0, len(raw), 8192)]
        whole = np.concatenate(parts) if parts else _bits(np.zeros((0, raw.shape[1]), np.float32))
        return np.asfortranarray(whole)  # a scan goes word by word over all rows

    def extend(self, later: Rows) -> None:
        """Add rows that were stored since; one caller at a time."""
        seen = self._buffers
        count = seen.count + len(later.nums)
        if self._exact and count > EXACT_ROWS:
            self._exact = False
            rows = seen.rows.each(lambda column: column[: seen.count]).joined(later)
            live = np.concatenate([seen.live[: seen.count], np.ones(len(later.nums), dtype=np.bool_)])
            self._buffers = _Seen(rows, self._prepared(rows.raw), live, count)
            return
        rows, ready, live = seen.rows, seen.ready, seen.live
        if count > len(live):
            size = max(1024, count + count // 2)
            rows = rows.each(lambda column: _grown(column, size))
            ready, live = _grown(ready, size), _grown(live, size)
        pairs: list[tuple[npt.NDArray[Any], npt.NDArray[Any]]] = list(zip(rows, later, strict=True))
        for column, new in pairs:
            column[seen.count : count] = new
        ready[seen.count : count] = self._prepared(later.raw)
        live[seen.count : count] = True
        self._buffers = _Seen(rows, ready, live, count)

    def remove(self, vector_nums: Ints) -> None:
        """Take rows out that were removed since; one caller at a time."""
        seen = self._buffers
        nums = seen.rows.nums[: seen.count]
        places = np.searchsorted(nums, vector_nums)
        inside = places < seen.count
        places, wanted = places[inside], vector_nums[inside]
        live = seen.live.copy()
        live[places[nums[places] == wanted]] = False
        self._buffers = replace(seen, live=live)

    def _view(self) -> _Seen:
        seen = self._buffers
        rows = seen.rows.each(lambda column: column[: seen.count])
        return _Seen(rows, seen.ready[: seen.count], seen.live[: seen.count], seen.count)

    def _places(self, seen: _Seen, records: Ints) -> tuple[Ints, Ints]:
        """Places of the live rows of these records, and for each the spot of its record in `records`."""
        order = self._order
        if order is None or len(order) != seen.count:
            order = self._order = np.argsort(seen.rows.records, kind="stable")
        ordered = seen.rows.records[order]
        first = np.searchsorted(ordered, records)
        counts = np.searchsorted(ordered, records, side="right") - first
        spots = np.repeat(np.arange(len(records)), counts)
        within = np.arange(len(spots)) - np.repeat(np.cumsum(counts) - counts, counts)
        places = order[first[spots] + within]
        live = seen.live[places]
        return places[live], spots[live]

    def _eligible(self, seen: _Seen, where: Where, records: Sequence[int] | None) -> Ints | None:
        """Places of the rows that fulfil the conditions; None where all do."""
        if records is not None:
            wanted = np.unique(np.asarray(records, dtype=np.int64))
            places: Ints | None = np.sort(self._places(seen, wanted)[0])
        else:
            places = None if seen.live.all() else np.flatnonzero(seen.live)
        if where.without:
            places = np.arange(seen.count) if places is None else places
            places = places[~np.isin(seen.rows.records[places], where.without)]
        if where.since is None and where.until is None and where.as_of is None:
            return places
        rows = seen.rows
        if places is not None:
            at, begin, end = rows.at[places], rows.holds_from[places], rows.holds_until[places]
        else:
            at, begin, end = rows.at, rows.holds_from, rows.holds_until
        mask = np.ones(len(at), dtype=np.bool_)
        if where.since is not None:
            mask &= at >= where.since
        if where.until is not None:
            mask &= at < where.until
        if where.as_of is not None:
            mask &= (begin <= where.as_of) & (end > where.as_of)
        if places is None:
            return None if mask.all() else np.flatnonzero(mask)
        return places[mask]

    def search(
        self, vector: Vectors, where: Where, *, limit: int, records: Sequence[int] | None = None
    ) -> list[Found]:
        """The records nearest to a vector, each by its nearest piece.

        Args:
            vector: Shape (dimension,), as the model gave it.
            where: Conditions on times; keys are the caller's to resolve.
            limit: Most records.
            records: Only these, where given.
        """
        seen = self._view()
        if not seen.count:
            return []
        places = self._eligible(seen, where, records)
        if places is not None and not len(places):
            return []
        places, scores = self._scan(seen, centred(vector, self.mean), places, limit)
        return _best(seen.rows, places, scores, limit)

    def _scan(self, seen: _Seen, asked: Vectors, places: Ints | None, limit: int) -> tuple[Ints, Vectors]:
        if self._is_exact(seen):
            ready = seen.ready if places is None else seen.ready[places]
            # Not `@`: BLAS's threads spin against other work, which costs more than they give here.
            scores = np.vecdot(ready, asked)
            return (np.arange(len(scores)) if places is None else places), scores
        wide = max(RESCORE_MIN, RESCORE_FACTOR * limit)
        if places is None or len(places) > wide:
            bits = seen.ready if places is None else seen.ready[places]
            near = _nearest(_apart(bits, _bits(asked[np.newaxis, :])[0]), wide)
            places = near if places is None else places[near]
        return places, self._compared(seen.rows.raw[places], asked)

    def _compared(self, raw: npt.NDArray[np.float16], asked: Vectors) -> Vectors:
        """Similarity of stored vectors to a centred one; as `centred` and `vecdot`, in fewer passes."""
        whole = np.take(_HALVES, raw.view(np.uint16))
        dots, norms = np.vecdot(whole, asked), np.vecdot(whole, whole)
        if self.mean is not None:
            dots = dots - np.dot(self.mean, asked)
            norms = norms - 2 * np.vecdot(whole, self.mean) + np.dot(self.mean, self.mean)
        return np.asarray(dots / np.sqrt(np.maximum(norms, 1e-12)), dtype=np.float32)

    @staticmethod
    def _is_exact(seen: _Seen) -> bool:
        return bool(seen.ready.dtype == np.float32)

    def similarities(self, vector: Vectors, records: Ints) -> npt.NDArray[np.float64]:
        """Similarity of these records to a vector, each by its nearest piece; nan without vectors."""
        seen = self._view()
        found = np.full(len(records), -np.inf)
        if seen.count and len(records):
            places, spots = self._places(seen, records)
            asked = centred(vector, self.mean)
            if self._is_exact(seen):
                scores = np.vecdot(seen.ready[places], asked)
            else:
                scores = self._compared(seen.rows.raw[places], asked)
            np.maximum.at(found, spots, scores)
        found[np.isinf(found)] = np.nan
        return found

    def spread(self, vector: Vectors) -> tuple[int, float, float]:
        """Number of rows, and mean and standard deviation of their similarities, from a sample."""
        seen = self._view()
        if not seen.count:
            return 0, 0.0, 0.0
        held = self._sample
        if held is None or seen.count > 2 * held[0]:
            places = np.unique(np.linspace(0, seen.count - 1, SPREAD_ROWS).astype(np.int64))
            held = self._sample = (seen.count, centred(seen.rows.raw[places], self.mean))
        scores = np.vecdot(held[1], centred(vector, self.mean))
        return seen.count, float(scores.mean()), float(scores.std())


def _best(rows: Rows, places: Ints, scores: Vectors, limit: int) -> list[Found]:
    """Best records: several pieces of one record count once."""
    take = min(len(scores), limit * 2)
    while True:
        if take < len(scores):
            # All that score as the last one does, so that ties are decided by number.
            chosen = np.flatnonzero(scores >= np.partition(scores, -take)[-take])
        else:
            chosen = np.arange(len(scores))
        records = rows.records[places[chosen]]
        order = np.lexsort((records, -scores[chosen]))
        first = np.sort(np.unique(records[order], return_index=True)[1])
        if len(first) >= limit or take >= len(scores):
            best = chosen[order[first[:limit]]]
            columns = (rows.records[places[best]], rows.revisions[places[best]], scores[best])
            return list(map(Found, *(column.tolist() for column in columns)))
        take = min(len(scores), take * 4)


def _grown(column: npt.NDArray[Any], size: int) -> npt.NDArray[Any]:
    """The column in a longer buffer."""
    by_column = column.flags.f_contiguous and not column.flags.c_contiguous
    longer = np.zeros((size, *column.shape[1:]), dtype=column.dtype, order="F" if by_column else "C")
    longer[: len(column)] = column
    return longer


def _apart(bits: npt.NDArray[np.uint64], asked: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint16]:
    """In how many bits each row differs from the asked one."""
    apart = np.zeros(len(bits), dtype=np.uint16)
    for word in range(bits.shape[1]):
        apart += np.bitwise_count(bits[:, word] ^ asked[word])
    return apart


def _nearest(apart: npt.NDArray[np.uint16], count: int) -> Ints:
    """Places of the `count` smallest, and of all that are as small as the last of them."""
    if len(apart) <= count:
        return np.arange(len(apart))
    within = np.cumsum(np.bincount(apart))
    return np.flatnonzero(apart <= np.searchsorted(within, count))


def _bits(vectors: Vectors) -> npt.NDArray[np.uint64]:
    """Signs as bits, in 64-bit words."""
    packed = np.packbits(vectors > 0, axis=1)
    spare = -packed.shape[1] % 8
    if spare:
        packed = np.pad(packed, ((0, 0), (0, spare)))
    return np.ascontiguousarray(packed).view(np.uint64)
