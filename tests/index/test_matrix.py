"""The copy of vectors in memory answers as a plain comparison of all rows would."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from ricordo.index.contract import ALWAYS_FROM, ALWAYS_UNTIL, Vectors, Where
from ricordo.index.sqlite import matrix as module
from ricordo.index.sqlite.matrix import Matrix, Rows, centred

DIMENSION = 6


def rows(
    first: int, records: list[int], seed: int, dimension: int = DIMENSION, at: int | None = None
) -> Rows:
    """Rows numbered from `first`, random, at the moment of their number unless told otherwise."""
    count = len(records)
    raw = np.random.default_rng(seed).normal(size=(count, dimension)).astype(np.float16)
    nums = np.arange(first, first + count, dtype=np.int64)
    moments = nums if at is None else np.full(count, at, dtype=np.int64)
    return Rows(
        nums=nums,
        records=np.asarray(records, dtype=np.int64).reshape(count),
        revisions=np.ones(count, dtype=np.int64),
        at=moments,
        holds_from=np.full(count, ALWAYS_FROM, dtype=np.int64),
        holds_until=np.where(nums % 3 == 0, 5, ALWAYS_UNTIL),
        raw=raw,
    )


def question(seed: int, dimension: int = DIMENSION) -> Vectors:
    vector = np.random.default_rng(seed).normal(size=dimension)
    return (vector / np.linalg.norm(vector)).astype(np.float32)


def by_hand(
    every: Rows, live: set[int], mean: Vectors | None, asked: Vectors, where: Where, records: set[int] | None
) -> dict[int, float]:
    """Similarity of each record that fulfils the conditions, one row after the other."""
    best: dict[int, float] = {}
    for place, num in enumerate(every.nums.tolist()):
        record, at = int(every.records[place]), int(every.at[place])
        inside = num in live and (records is None or record in records)
        inside = inside and (where.since is None or at >= where.since)
        inside = inside and (where.until is None or at < where.until)
        inside = inside and (
            where.as_of is None or every.holds_from[place] <= where.as_of < every.holds_until[place]
        )
        if inside:
            score = float(centred(every.raw[place], mean) @ centred(asked, mean))
            best[record] = max(score, best.get(record, -2.0))
    return best


class MatrixMachine(RuleBasedStateMachine):
    """Rows come and go; every search agrees with the comparison by hand."""

    def __init__(self) -> None:
        super().__init__()
        self.every = rows(1, [], 0)
        self.live: set[int] = set()
        self.mean = question(99) * np.float32(0.5)
        self.matrix = Matrix(self.every, self.mean)

    @rule(records=st.lists(st.integers(1, 20), max_size=30), seed=st.integers(0, 999))
    def extend(self, records: list[int], seed: int) -> None:
        later = rows(len(self.every.nums) + 1, records, seed)
        self.every = self.every.joined(later)
        self.live |= set(later.nums.tolist())
        self.matrix.extend(later)

    @rule(nums=st.lists(st.integers(1, 120), max_size=10))
    def remove(self, nums: list[int]) -> None:
        self.live -= set(nums)
        self.matrix.remove(np.asarray(nums, dtype=np.int64))

    @rule(
        seed=st.integers(0, 999),
        limit=st.integers(1, 8),
        since=st.none() | st.integers(1, 90),
        until=st.none() | st.integers(1, 90),
        as_of=st.none() | st.integers(1, 9),
        records=st.none() | st.sets(st.integers(1, 25)),
    )
    def search(
        self,
        seed: int,
        limit: int,
        since: int | None,
        until: int | None,
        as_of: int | None,
        records: set[int] | None,
    ) -> None:
        where = Where(since=since, until=until, as_of=as_of)
        asked = question(seed)
        expected = by_hand(self.every, self.live, self.mean, asked, where, records)
        found = self.matrix.search(
            asked, where, limit=limit, records=None if records is None else sorted(records)
        )
        best = sorted(expected.values(), reverse=True)[:limit]
        assert [item.score for item in found] == pytest.approx(best, abs=2e-3)
        for item in found:
            assert item.score == pytest.approx(expected[item.num], abs=2e-3)

    @rule(seed=st.integers(0, 999), records=st.sets(st.integers(1, 25)))
    def compare(self, seed: int, records: set[int]) -> None:
        asked = question(seed)
        expected = by_hand(self.every, self.live, self.mean, asked, Where(), records)
        named = np.asarray(sorted(records, reverse=True), dtype=np.int64)
        found = self.matrix.similarities(asked, named)
        wanted = [expected.get(record, float("nan")) for record in named.tolist()]
        assert found.tolist() == pytest.approx(wanted, abs=2e-3, nan_ok=True)

    @invariant()
    def counts(self) -> None:
        assert len(self.matrix) == len(self.every.nums)
        gone = len(self.every.nums) - len(self.live & set(self.every.nums.tolist()))
        assert self.matrix.removed_share == pytest.approx(gone / max(1, len(self.every.nums)))


TestMatrix = MatrixMachine.TestCase
TestMatrix.settings = settings(max_examples=25, stateful_step_count=20)


@given(
    scores=st.lists(st.sampled_from([-1.0, 0.0, 0.25, 0.5, 1.0]), min_size=1, max_size=60),
    limit=st.integers(1, 12),
)
def test_ties_are_broken_by_number(scores: list[float], limit: int) -> None:
    vectors = np.asarray([[score, np.sqrt(1 - score**2)] for score in scores], dtype=np.float16)
    records = list(range(len(scores), 0, -1))
    some = rows(1, records, 0, dimension=2)._replace(raw=vectors)
    found = Matrix(some, None).search(np.asarray([1, 0], dtype=np.float32), Where(), limit=limit)
    expected = sorted(zip(scores, records, strict=True), key=lambda pair: (-pair[0], pair[1]))[:limit]
    assert [item.num for item in found] == [record for _, record in expected]


@pytest.mark.parametrize("grown", [False, True])
def test_a_large_matrix_finds_the_nearest(grown: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "EXACT_ROWS", 4_000)
    rng = np.random.default_rng(4)
    centres = rng.normal(size=(80, 48))
    raw = (centres[rng.integers(0, 80, 12_000)] + 0.5 * rng.normal(size=(12_000, 48))).astype(np.float16)
    every = rows(1, list(range(1, 12_001)), 0, dimension=48)._replace(raw=raw)
    if grown:
        matrix = Matrix(Rows(*(column[:3_900] for column in every)), None)
        for start in (3_900, 3_950, 8_000):
            end = {3_900: 3_950, 3_950: 8_000, 8_000: 12_000}[start]
            matrix.extend(Rows(*(column[start:end] for column in every)))
    else:
        matrix = Matrix(every, None)
    agree = 0
    for place in range(0, 12_000, 400):
        asked = centred(raw[place].astype(np.float32) + np.float32(0.2), None)
        exact = np.argsort(-(centred(raw, None) @ asked), kind="stable")[:10] + 1
        found = {item.num for item in matrix.search(asked, Where(), limit=10)}
        agree += len(found & set(exact.tolist()))
    assert agree >= 0.95 * 30 * 10


def test_a_large_matrix_keeps_its_conditions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "EXACT_ROWS", 1_000)
    every = rows(1, list(range(1, 9_001)), 8, dimension=48)
    matrix = Matrix(every, None)
    matrix.remove(np.arange(8_900, 9_001, dtype=np.int64))
    asked = question(3, dimension=48)
    for where, records in (
        (Where(since=8_800), None),
        (Where(), set(range(8_800, 8_950))),
        (Where(since=2_000, as_of=7), None),
    ):
        expected = by_hand(every, set(range(1, 8_900)), None, asked, where, records)
        found = matrix.search(asked, where, limit=10, records=sorted(records) if records else None)
        best = sorted(expected, key=lambda num: -expected[num])[:10]
        assert {item.num for item in found} <= expected.keys()
        assert len({item.num for item in found} & set(best)) >= 8


def test_searches_beside_growth_see_whole_rows() -> None:
    matrix = Matrix(rows(1, [1] * 10, 1), None)
    failures: list[BaseException] = []
    done = threading.Event()

    def search() -> None:
        try:
            while not done.is_set():
                found = matrix.search(question(5), Where(), limit=5_000)
                assert all(-1.01 <= item.score <= 1.01 and item.revision == 1 for item in found)
                assert 0 not in {item.num for item in found}
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=search) for _ in range(3)]
    for thread in threads:
        thread.start()
    try:
        for step in range(60):
            first = len(matrix) + 1
            matrix.extend(rows(first, list(range(first, first + 40)), step))
            matrix.remove(np.asarray([first], dtype=np.int64))
    finally:
        done.set()
        for thread in threads:
            thread.join()
    assert failures == []
