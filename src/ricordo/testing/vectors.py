"""What an index guarantees of vectors; part of `ricordo.testing.index.IndexConformance`."""

from __future__ import annotations

import heapq
import random
import threading
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from ricordo.index.contract import ALWAYS_UNTIL, Embedded, Space, Vectors, Where
from ricordo.records.base import Kind
from ricordo.testing.opened import OpenedPair, Pair
from ricordo.testing.samples import a_projection, a_stamp, a_vector, some_vectors

X = a_vector(1, 0, 0, 0, 0, 0, 0, 0)
Y = a_vector(0, 1, 0, 0, 0, 0, 0, 0)

MANY = 34_000
"""More rows than any player compares one and all with a question."""


def _unit(rows: npt.NDArray[Any]) -> Vectors:
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), dtype=np.float32)


def _embedded(
    first: int, rows: npt.NDArray[Any], *, at: int = 0, holds_until: int = ALWAYS_UNTIL
) -> list[Embedded]:
    """One record a row, numbered from `first`."""
    return [
        Embedded(a_stamp(num, at=at, holds_until=holds_until), row[np.newaxis, :])
        for num, row in enumerate(_unit(rows), first)
    ]


def _clustered(count: int, dimension: int, seed: int) -> Vectors:
    """Vectors around a few hundred centres, all moved to one side as those of real models are."""
    rng = np.random.default_rng(seed)
    centres = rng.normal(size=(300, dimension))
    spread = rng.normal(size=(count, dimension)) * 0.6
    return np.asarray(centres[rng.integers(0, 300, count)] + spread + 1.5, dtype=np.float32)


class VectorConformance(OpenedPair):
    """What an index guarantees of vectors."""

    def near(
        self, pair: Pair, space: Space, vector: Vectors, where: Where | None = None, *, limit: int = 10
    ) -> list[int]:
        """Numbers of the facts nearest to a vector, best first."""
        return [item.num for item in pair.similar(space, vector, where or Where(), limit=limit)]

    # Spaces

    def test_one_space_is_active(self, pair: Pair) -> None:
        """A space is made once; the first is active, another only after it was activated."""
        first, second = pair.open_space("one", 4), pair.open_space("two", 4)
        assert pair.open_space("one", 4) == first
        assert len({first.num, second.num, pair.open_space("one", 5).num}) == 3
        assert (first.active, second.active) == (True, False)
        with pair.archive.write(pair.workspace) as writer:
            assert pair.index.activate(writer, second).active
        with pair.archive.read(pair.workspace) as reader:
            active = [space for space in pair.index.spaces(reader) if space.active]
        assert [(space.model, space.dimension) for space in active] == [("two", 4)]

    def test_spaces_are_never_mixed(self, pair: Pair) -> None:
        """Vectors are found in their own space only, of the same length or not."""
        one, two, longer = pair.open_space("one"), pair.open_space("two"), pair.open_space("one", 3)
        pair.embed(one, some_vectors(a_stamp(1), X))
        pair.embed(two, some_vectors(a_stamp(2), X))
        pair.embed(longer, some_vectors(a_stamp(3), (1, 0, 0)))
        assert self.near(pair, one, X) == [1]
        assert self.near(pair, two, X) == [2]
        assert self.near(pair, longer, a_vector(1, 0, 0)) == [3]
        assert list(pair.similarities(two, X, [1, 2, 3])) == [2]

    def test_dropped_spaces_never_come_back(self, pair: Pair, tmp_path: Path) -> None:
        """A new space holds nothing of a dropped one, for a process that had read that one too."""
        kept, dropped = pair.open_space("kept", 4), pair.open_space("dropped", 8)
        pair.embed(kept, some_vectors(a_stamp(1), (1, 0, 0, 0)))
        pair.embed(dropped, some_vectors(a_stamp(2), X))
        with self.opened_pair(tmp_path) as other:
            assert self.near(other, dropped, X) == [2]
            with pair.archive.write(pair.workspace) as writer:
                assert pair.index.drop_others(writer, kept) == 1
            assert self.near(other, dropped, X) == []
            fresh = pair.open_space("fresh", 4)
            pair.embed(fresh, some_vectors(a_stamp(3), (1, 0, 0, 0)))
            for handle in (pair, other):
                assert self.near(handle, fresh, a_vector(1, 0, 0, 0)) == [3]
                assert self.near(handle, kept, a_vector(1, 0, 0, 0)) == [1]
                assert self.near(handle, dropped, X) == []

    def test_an_empty_space(self, pair: Pair) -> None:
        """A space without vectors answers nothing."""
        space = pair.open_space()
        assert pair.similar(space, X) == []
        assert pair.similarities(space, X, [1, 2]) == {}
        with pair.archive.read(pair.workspace) as reader:
            assert pair.index.warm(reader, space, Kind.FACT) == 0

    # Searching by vector

    def test_nearest_first_by_the_best_piece(self, pair: Pair) -> None:
        """A record counts once, by its nearest piece, with the revision that was embedded."""
        space = pair.open_space()
        pair.embed(
            space,
            some_vectors(a_stamp(1, revision=4), Y, X, Y),
            some_vectors(a_stamp(2), (3, 1, 0, 0, 0, 0, 0, 0)),
            some_vectors(a_stamp(3), Y, Y),
        )
        found = pair.similar(space, X)
        assert [(item.num, item.revision) for item in found] == [(1, 4), (2, 1), (3, 1)]
        assert [round(item.score, 2) for item in found] == [1.0, 0.95, 0.0]
        assert self.near(pair, space, X, limit=2) == [1, 2]
        scores = pair.similarities(space, X, [3, 1, 9])
        assert {num: round(score, 2) for num, score in scores.items()} == {1: 1.0, 3: 0.0}

    def test_many_pieces_leave_room_for_others(self, pair: Pair) -> None:
        """A record of hundreds of near pieces takes one place, not all of them."""
        space = pair.open_space()
        pair.embed(space, Embedded(a_stamp(1), np.repeat(X[np.newaxis, :], 400, axis=0)))
        others = [some_vectors(a_stamp(num), (5, num, 0, 0, 0, 0, 0, 0)) for num in range(2, 8)]
        pair.embed(space, *others)
        assert sorted(self.near(pair, space, X, limit=5)) == [1, 2, 3, 4, 5]

    def test_equal_vectors_by_number(self, pair: Pair) -> None:
        """Equal scores are answered by number, also where only some of them fit."""
        space = pair.open_space()
        pair.embed(space, *(some_vectors(a_stamp(num), X) for num in range(300, 0, -1)))
        assert self.near(pair, space, X, limit=5) == [1, 2, 3, 4, 5]

    def test_vectors_replace_earlier_ones(self, pair: Pair) -> None:
        """Vectors of a record take the place of its earlier ones in the space."""
        space = pair.open_space()
        pair.embed(space, some_vectors(a_stamp(1), X, Y), some_vectors(a_stamp(2), (1, 1, 0, 0, 0, 0, 0, 0)))
        assert self.near(pair, space, X) == [1, 2]
        pair.embed(space, some_vectors(a_stamp(1, revision=2), Y))
        assert [(item.num, item.revision) for item in pair.similar(space, X)] == [(2, 1), (1, 2)]

    # Centring

    def test_vectors_are_centred(self, pair: Pair) -> None:
        """What all vectors share is taken out: strangers are no longer near each other."""
        space = pair.open_space()
        rows = np.random.default_rng(1).normal(size=(200, 8)) * 0.2 + 2
        pair.embed(space, *_embedded(1, rows))
        asked = _unit(rows)[0]
        raw = float(np.median(_unit(rows) @ asked))
        scores = sorted(pair.similarities(space, asked, range(1, 201)).values())
        assert raw > 0.9
        assert abs(scores[100]) < 0.3
        assert scores[-1] > 0.99

    def test_the_mean_is_kept(self, pair: Pair) -> None:
        """Once a space is large its mean stays: what was compared before compares the same after."""
        space = pair.open_space()
        rng = np.random.default_rng(2)
        pair.embed(space, *_embedded(1, rng.normal(size=(5_000, 8)) + 1))
        before = pair.similarities(space, X, range(1, 200))
        pair.embed(space, *_embedded(5_001, rng.normal(size=(5_000, 8)) - 3))
        assert pair.similarities(space, X, range(1, 200)) == pytest.approx(before, abs=1e-5)

    def test_the_spread_of_similarities(self, pair: Pair) -> None:
        """Mean and deviation of all similarities to a vector, and how many vectors there are."""
        space = pair.open_space()
        with pair.archive.read(pair.workspace) as reader:
            assert pair.index.spread(reader, space, Kind.FACT, X)[0] == 0
        pair.embed(space, *_embedded(1, np.random.default_rng(5).normal(size=(300, 8))))
        scores = list(pair.similarities(space, X, range(1, 301)).values())
        with pair.archive.read(pair.workspace) as reader:
            count, mean, deviation = pair.index.spread(reader, space, Kind.FACT, X)
        assert count == 300
        assert mean == pytest.approx(np.mean(scores), abs=0.05)
        assert deviation == pytest.approx(np.std(scores), abs=0.05)

    # Copies

    def test_copies_follow(self, pair: Pair, tmp_path: Path) -> None:
        """A process that has searched before answers after any change as one that starts then."""
        rng = random.Random(7)  # noqa: S311
        space = pair.open_space()
        with self.opened_pair(tmp_path) as held:
            for step in range(40):
                self._change(pair, space, rng, step)
                asked = a_vector(*(rng.gauss(0, 1) for _ in range(8)))
                with self.opened_pair(tmp_path) as fresh:
                    expected = fresh.similar(space, asked, limit=20)
                for handle in (held, pair):
                    found = handle.similar(space, asked, limit=20)
                    assert [item[:2] for item in found] == [item[:2] for item in expected], step
                    scores = [item.score for item in expected]
                    assert [item.score for item in found] == pytest.approx(scores, abs=1e-4)

    def _change(self, pair: Pair, space: Space, rng: random.Random, step: int) -> None:
        """One change of any kind."""
        some = [rng.randint(1, 150) for _ in range(rng.randint(1, 12))]
        vectors = [
            some_vectors(a_stamp(num, revision=step + 1), [rng.gauss(1, 1) for _ in range(8)])
            for num in set(some)
        ]
        with pair.archive.write(pair.workspace) as writer:
            match rng.randint(0, 5):
                case 0:
                    pair.index.unstage(writer, Kind.FACT, some)
                case 1:
                    pair.index.drop_vectors(writer, Kind.FACT, some)
                case 2:
                    entry = a_projection(a_stamp(some[0], revision=step + 1), "zebra")
                    pair.index.stage(writer, [entry], fresh=False)
                case _:
                    pair.index.put_vectors(writer, space, vectors)

    def test_what_was_rolled_back_is_not_found(self, pair: Pair) -> None:
        """A search inside a transaction leaves nothing behind when that is rolled back."""
        space = pair.open_space()
        pair.embed(space, some_vectors(a_stamp(1), Y), some_vectors(a_stamp(2), Y))
        assert self.near(pair, space, X, limit=1) == [1]
        with pytest.raises(KeyboardInterrupt), pair.archive.write(pair.workspace) as writer:
            pair.index.put_vectors(writer, space, [some_vectors(a_stamp(3), X)])
            pair.index.drop_vectors(writer, Kind.FACT, [1])
            found = pair.index.similar(writer, space, Kind.FACT, X, Where(), limit=9)
            assert [item.num for item in found] == [3, 2]
            raise KeyboardInterrupt
        assert self.near(pair, space, X) == [1, 2]
        pair.embed(space, some_vectors(a_stamp(4), X))
        assert self.near(pair, space, X) == [4, 1, 2]

    def test_an_older_snapshot_brings_nothing_back(self, pair: Pair) -> None:
        """A search in a snapshot from before a removal leaves no trace of what was removed."""
        space = pair.open_space()
        pair.embed(space, some_vectors(a_stamp(1), Y))
        assert self.near(pair, space, X) == [1]
        pair.embed(space, some_vectors(a_stamp(2), X))
        with pair.archive.read(pair.workspace) as before:
            with pair.archive.write(pair.workspace) as writer:
                pair.index.drop_vectors(writer, Kind.FACT, [2])
            assert self.near(pair, space, X) == [1]
            pair.index.similar(before, space, Kind.FACT, X, Where(), limit=9)
        assert self.near(pair, space, X) == [1]

    def test_threads_search_while_others_write(self, pair: Pair) -> None:
        """Searches beside writes answer, and see everything once the writes have ended."""
        space = pair.open_space()
        pair.embed(space, some_vectors(a_stamp(1), X))
        failures: list[BaseException] = []
        done = threading.Event()

        def search() -> None:
            try:
                while not done.is_set():
                    assert 1 in self.near(pair, space, X, limit=500)
            except BaseException as error:
                failures.append(error)

        threads = [threading.Thread(target=search) for _ in range(3)]
        for thread in threads:
            thread.start()
        try:
            for num in range(2, 62):
                pair.embed(space, some_vectors(a_stamp(num), (1, num, 0, 0, 0, 0, 0, 0)))
                if num % 10 == 0:
                    with pair.archive.write(pair.workspace) as writer:
                        pair.index.drop_vectors(writer, Kind.FACT, [num])
        finally:
            done.set()
            for thread in threads:
                thread.join()
        assert failures == []
        assert len(self.near(pair, space, X, limit=500)) == 55

    # Large spaces

    def test_large_spaces_answer_nearly_the_same(self, pair: Pair) -> None:
        """Where not every row is compared, 95 of 100 of the ten nearest are found, and filters hold."""
        space = pair.open_space(dimension=64)
        rows = _clustered(MANY, 64, seed=3)
        for start in range(0, MANY, 8_500):
            part = rows[start : start + 8_500]
            pair.embed(space, *_embedded(start + 1, part, at=start, holds_until=start + 1))
        asked = _unit(rows[::3_400] + np.float32(0.3))
        agree = total = 0
        for vector in asked:
            exact = pair.similarities(space, vector, range(1, MANY + 1))
            best = heapq.nlargest(10, exact, key=exact.__getitem__)
            agree += len(set(best) & set(self.near(pair, space, vector)))
            total += 10
        assert agree / total >= 0.95
        late = self.near(pair, space, _unit(rows)[0], Where(since=25_500))
        assert len(late) == 10
        assert min(late) > 25_500
        assert min(self.near(pair, space, _unit(rows)[0], Where(as_of=25_500))) > 25_500

    # What is held

    def test_what_lacks_vectors(self, pair: Pair) -> None:
        """Entries without vectors of their revision, and vectors without entries, are told."""
        space = pair.open_space()
        pair.stage(*(a_projection(a_stamp(num), "zebra") for num in (1, 2, 3)))
        pair.embed(space, some_vectors(a_stamp(2), X, Y), some_vectors(a_stamp(9), X))
        with pair.archive.write(pair.workspace) as writer:
            pair.index.restage(writer, [a_projection(a_stamp(2, revision=2), "zebra")])
            assert list(pair.index.without_vectors(writer, space, Kind.FACT)) == [1, 2, 3]
            pair.index.put_vectors(writer, space, [some_vectors(a_stamp(2, revision=2), X)])
            assert list(pair.index.without_vectors(writer, space, Kind.FACT)) == [1, 3]
            assert list(pair.index.orphan_vectors(writer, Kind.FACT)) == [9]
            pair.index.drop_vectors(writer, Kind.FACT, [9])
            assert not pair.index.orphan_vectors(writer, Kind.FACT)
        with pair.archive.read(pair.workspace) as reader:
            assert pair.index.warm(reader, space, Kind.FACT) == 1
