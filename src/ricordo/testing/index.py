"""The guarantees of `ricordo.index.contract`, one test each.

Derive a class that says how an archive and the index over it are opened:

    class TestMyIndex(IndexConformance):
        def open_pair(self, tmp_path: Path) -> tuple[Archive, Index]:
            return MyArchive(tmp_path / "memory.db"), MyIndex(tmp_path)

What concerns vectors stands in `ricordo.testing.vectors`; `IndexConformance`
holds both. Projections are staged without records behind them: what an index
finds is for its caller to verify. See `ricordo.testing`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from ricordo.index.analysis import ask
from ricordo.index.contract import Stamp, Where
from ricordo.index.projector import filter_key
from ricordo.records.base import Kind
from ricordo.testing.opened import OpenedPair, Pair
from ricordo.testing.samples import HOSTILE, a_projection, a_stamp, a_vector, some_vectors
from ricordo.testing.vectors import VectorConformance, X

CONDITIONS: list[tuple[Where, Stamp, Stamp]] = [
    (Where(since=10), a_stamp(2, at=10), a_stamp(1, at=9)),
    (Where(until=10), a_stamp(2, at=9), a_stamp(1, at=10)),
    (Where(since=10, until=12), a_stamp(2, at=11), a_stamp(1, at=12)),
    (Where(as_of=10), a_stamp(2, holds_from=10), a_stamp(1, holds_from=11)),
    (Where(as_of=10), a_stamp(2, holds_until=11), a_stamp(1, holds_until=10)),
]
"""A condition on times, a stamp that fulfils it, and one that does not."""

KEY = filter_key("domain", "one")
OTHER_KEY = filter_key("domain", "two")
TAG = filter_key("tag", "one")


class IndexConformance(VectorConformance, OpenedPair):
    """Everything that an index guarantees; override `open_pair`."""

    def found(self, pair: Pair, text: str, where: Where | None = None, *, limit: int = 10) -> list[int]:
        """Numbers of the facts that a text finds, best first."""
        return [item.num for item in pair.lexical(text, where or Where(), limit=limit)]

    # Staging

    def test_preparing_twice(self, pair: Pair) -> None:
        """Preparing is done once; what is staged stays when it is done again."""
        pair.stage(a_projection(a_stamp(1), "zebra"))
        with pair.archive.write(pair.workspace) as writer:
            for kind in (Kind.EPISODE, Kind.FACT, Kind.CARD):
                assert pair.index.is_prepared(writer, kind)
                pair.index.prepare(writer, kind)
        assert self.found(pair, "zebra") == [1]

    def test_staged_with_its_transaction(self, pair: Pair, tmp_path: Path) -> None:
        """What is staged is found after the commit, by every process, and not at all after a rollback."""
        with self.opened_pair(tmp_path) as other:
            assert self.found(other, "zebra") == []
            pair.stage(a_projection(a_stamp(1), "a zebra crossing"))
            assert self.found(other, "zebra") == [1]
            with pytest.raises(KeyboardInterrupt), pair.archive.write(pair.workspace) as writer:
                pair.index.stage(writer, [a_projection(a_stamp(2), "a zebra stable")], fresh=True)
                pair.index.unstage(writer, Kind.FACT, [1])
                raise KeyboardInterrupt
            for handle in (pair, other):
                assert self.found(handle, "zebra") == [1]
                assert self.found(handle, "stable") == []

    def test_nothing_of_an_earlier_revision(self, pair: Pair) -> None:
        """After a record is staged anew, neither its old words nor its old vectors find it."""
        space = pair.open_space()
        pair.stage(a_projection(a_stamp(1), "old zebra", context="old stable", keys=[KEY]))
        pair.embed(space, some_vectors(a_stamp(1), X))
        assert pair.similar(space, X)
        again = a_projection(a_stamp(1, revision=2), "new camel", context="new desert", keys=[OTHER_KEY])
        pair.stage(again, fresh=False)
        for gone in ("zebra", "stable", "old"):
            assert self.found(pair, gone) == []
        assert self.found(pair, "camel", Where(keys=(KEY,))) == []
        for held in ("camel", "desert"):
            assert [(item.num, item.revision) for item in pair.lexical(held)] == [(1, 2)]
        assert pair.similar(space, X) == []
        assert pair.similarities(space, X, [1]) == {}
        with pair.archive.read(pair.workspace) as reader:
            assert list(pair.index.without_vectors(reader, space, Kind.FACT)) == [1]

    def test_restaging_keeps_vectors(self, pair: Pair) -> None:
        """Words of a neighbour change: the keyword entry is replaced, the vectors stay."""
        space = pair.open_space()
        pair.stage(a_projection(a_stamp(1), "zebra", context="stable"))
        pair.embed(space, some_vectors(a_stamp(1), X))
        with pair.archive.write(pair.workspace) as writer:
            pair.index.restage(writer, [a_projection(a_stamp(1), "zebra", context="meadow")])
        assert self.found(pair, "stable") == []
        assert self.found(pair, "meadow") == self.found(pair, "zebra") == [1]
        assert self.near(pair, space, X) == [1]

    def test_unstaging_removes_everything(self, pair: Pair) -> None:
        """An unstaged record is found by nothing, in every space; others stay; twice does no harm."""
        spaces = [pair.open_space("one"), pair.open_space("two")]
        pair.stage(*(a_projection(a_stamp(num), "zebra") for num in (1, 2)))
        for space in spaces:
            pair.embed(space, *(some_vectors(a_stamp(num), (num, 1, 0, 0, 0, 0, 0, 0)) for num in (1, 2)))
        for _ in range(2):
            with pair.archive.write(pair.workspace) as writer:
                pair.index.unstage(writer, Kind.FACT, [1])
            assert self.found(pair, "zebra") == [2]
            for space in spaces:
                assert self.near(pair, space, a_vector(1, 1, 0, 0, 0, 0, 0, 0)) == [2]

    # Searching by keyword

    def test_best_first_and_ties_by_number(self, pair: Pair) -> None:
        """Results are best first; equal ones by number; no more than were asked for."""
        pair.stage(a_projection(a_stamp(500), "zebra zebra zebra"))
        pair.stage(*(a_projection(a_stamp(num), "zebra crossing here") for num in range(40, 0, -1)))
        found = pair.lexical("zebra", limit=7)
        assert [item.num for item in found] == [500, 1, 2, 3, 4, 5, 6]
        scores = [item.score for item in found]
        assert scores == sorted(scores, reverse=True)
        assert scores[0] > scores[1]

    def test_own_words_outweigh_context(self, pair: Pair) -> None:
        """A word in a record's own text counts more than the same word beside it; both are found."""
        pair.stage(
            a_projection(a_stamp(1), "camel", context="zebra"),
            a_projection(a_stamp(2), "zebra", context="camel"),
            *(a_projection(a_stamp(num), "nothing of it") for num in range(3, 9)),
        )
        assert self.found(pair, "zebra") == [2, 1]

    def test_words_are_found_in_any_form(self, pair: Pair) -> None:
        """Questions and texts of both languages meet in their stems."""
        pair.stage(
            a_projection(a_stamp(1), "We were deploying the services on Mondays"),
            a_projection(a_stamp(2), "Gli ordini dell'utente sono stati spediti alle città"),
        )
        for text, num in (("deploy service", 1), ("l'ordine", 2), ("utenti", 2), ("citta", 2)):
            assert self.found(pair, text) == [num], text

    def test_only_stop_words(self, pair: Pair) -> None:
        """A question of nothing but stop words or punctuation finds the texts that hold them."""
        pair.stage(a_projection(a_stamp(1), "the one"), a_projection(a_stamp(2), "zebra * camel"))
        assert self.found(pair, "the one") == [1]
        assert self.found(pair, "*") == [2]
        assert self.found(pair, "") == self.found(pair, "   ") == []

    def test_coverage(self, pair: Pair) -> None:
        """The share of a question's words that an entry holds; rare words weigh more than frequent ones."""
        pair.stage(
            a_projection(a_stamp(1), "zebra camel"),
            a_projection(a_stamp(2), "zebra", context="of camels"),
            a_projection(a_stamp(3), "camel"),
            a_projection(a_stamp(4), "the one"),
            *(a_projection(a_stamp(num), "camel herd") for num in range(5, 30)),
        )
        asked = ask("the zebra and the camel", pair.workspace.language)
        with pair.archive.read(pair.workspace) as reader:
            shares = pair.index.coverage(reader, Kind.FACT, asked, [1, 2, 3, 4, 99])
            plain = pair.index.coverage(reader, Kind.FACT, ask("the one", pair.workspace.language), [3, 4])
        assert set(shares) == {1, 2, 3, 4}
        assert shares[1] == shares[2] == pytest.approx(1)
        assert 0 < shares[3] < 0.5
        assert shares[4] == 0
        assert plain == {3: 0, 4: pytest.approx(1)}

    def test_nothing_is_syntax(self, pair: Pair) -> None:
        """A hostile text finds itself, as a question, as a key, and never raises."""
        for num, text in enumerate(HOSTILE, start=1):
            pair.stage(
                a_projection(a_stamp(num), f"{text} token{num}", keys=[filter_key("domain", text), text])
            )
        for num, text in enumerate(HOSTILE, start=1):
            assert num in self.found(pair, text, limit=99), text
            assert self.found(pair, f"token{num}", Where(keys=(filter_key("domain", text),))) == [num], text
            assert self.found(pair, f"token{num}", Where(keys=(text,))) in ([num], []), text

    @pytest.mark.parametrize(("where", "inside", "outside"), CONDITIONS)
    def test_a_condition_holds(self, pair: Pair, where: Where, inside: Stamp, outside: Stamp) -> None:
        """A condition lets through what fulfils it and nothing else, by keyword and by vector."""
        space = pair.open_space()
        for stamp in (inside, outside):
            pair.stage(a_projection(stamp, "zebra"))
            pair.embed(space, some_vectors(stamp, X))
        assert self.found(pair, "zebra") == [1, 2]
        assert self.found(pair, "zebra", where) == [2]
        assert self.near(pair, space, X, where) == [2]

    def test_every_key_must_be_there(self, pair: Pair) -> None:
        """A record is found where it has all of the keys; a key is compared whole."""
        pair.stage(
            a_projection(a_stamp(1), "zebra", keys=[KEY]),
            a_projection(a_stamp(2), "zebra", keys=[KEY, TAG]),
            a_projection(a_stamp(3), "zebra", keys=[OTHER_KEY, TAG]),
            a_projection(a_stamp(4), f"zebra {KEY}", context=KEY),
        )
        assert self.found(pair, "zebra", Where(keys=(KEY,))) == [1, 2]
        assert self.found(pair, "zebra", Where(keys=(KEY, TAG))) == [2]
        assert self.found(pair, "zebra", Where(keys=(filter_key("domain", "on"),))) == []

    def test_one_of_each_group_must_be_there(self, pair: Pair) -> None:
        """A record is found where it has a key of every group."""
        space = pair.open_space()
        held = {1: [KEY], 2: [OTHER_KEY], 3: [KEY, TAG], 4: [TAG], 5: []}
        for num, keys in held.items():
            pair.stage(a_projection(a_stamp(num), "zebra", keys=keys))
            pair.embed(space, some_vectors(a_stamp(num), X))
        for where, expected in (
            (Where(one_of=((KEY, OTHER_KEY),)), [1, 2, 3]),
            (Where(one_of=((KEY,),)), [1, 3]),
            (Where(one_of=((KEY, OTHER_KEY), (TAG,))), [3]),
            (Where(keys=(TAG,), one_of=((KEY, OTHER_KEY),)), [3]),
            (Where(one_of=((filter_key("domain", "none"),),)), []),
        ):
            assert self.found(pair, "zebra", where) == expected, where
            assert sorted(self.near(pair, space, X, where)) == expected, where
            assert sorted(self.eligible(pair, where, [*held, 99])) == expected, where

    def test_what_is_not_wanted(self, pair: Pair) -> None:
        """Records that are named are left out before candidates are chosen; 33,000 can be."""
        space = pair.open_space()
        for num in range(1, 61):
            pair.stage(a_projection(a_stamp(num), "zebra" if num == 60 else "zebra zebra"))
            pair.embed(space, some_vectors(a_stamp(num), (1, num == 60, 0, 0, 0, 0, 0, 0)))
        for without in (tuple(range(1, 60)), (*range(1, 60), *range(100, 33_000))):
            where = Where(without=without)
            assert self.found(pair, "zebra", where, limit=1) == [60]
            assert self.near(pair, space, X, where, limit=1) == [60]
            assert self.eligible(pair, where, range(50, 70)) == {60: 1}
        assert 60 not in self.found(pair, "zebra", Where(without=(60,)), limit=99)
        assert 60 not in self.near(pair, space, X, Where(without=(60,)), limit=99)

    def eligible(self, pair: Pair, where: Where, nums: Sequence[int]) -> dict[int, int]:
        """Those of the facts that fulfil the conditions, with their revisions."""
        with pair.archive.read(pair.workspace) as reader:
            return pair.index.eligible(reader, Kind.FACT, where, list(nums))

    def test_what_is_eligible(self, pair: Pair) -> None:
        """Each condition holds as in a search; the revision is the index's; what is not there is not."""
        for where, inside, outside in CONDITIONS:
            pair.stage(a_projection(inside, "zebra"), a_projection(outside, "zebra"), fresh=False)
            assert self.eligible(pair, where, [1, 2, 3]) == {2: 1}, where
        pair.stage(a_projection(a_stamp(2, revision=7), "zebra"), fresh=False)
        assert self.eligible(pair, Where(), [1, 2, 3]) == {1: 1, 2: 7}
        assert self.eligible(pair, Where(), range(33_000)) == {1: 1, 2: 7}
        assert self.eligible(pair, Where(), []) == {}
        with pair.archive.write(pair.workspace) as writer:
            pair.index.unstage(writer, Kind.FACT, [1])
        assert self.eligible(pair, Where(), [1, 2]) == {2: 7}

    def test_matching(self, pair: Pair) -> None:
        """Every word must be there, in its own text or around it; the last one may be begun only."""
        pair.stage(
            a_projection(a_stamp(1), "the striped zebra of the stable"),
            a_projection(a_stamp(2), "zebra", context="meadow"),
            a_projection(a_stamp(3), "zeppelin", keys=["zebra"]),
            a_projection(a_stamp(4), "the one"),
        )
        for text, expected in (
            ("zebra", [1, 2]), ("zebra stable", [1]), ("stable zebra", [1]), ("zebra mead", [2]),
            ("zebra meadow", [2]), ("ze", [1, 2, 3]), ("zeb", [1, 2]), ("mead zebra", []), ("the one", [4]),
            ("nothing", []), ("zebra nothing", []), ("", []), ("   ", []),
        ):  # fmt: skip
            with pair.archive.read(pair.workspace) as reader:
                asked = ask(text, pair.workspace.language)
                assert list(pair.index.matching(reader, Kind.FACT, asked)) == expected, text

    def test_matching_takes_nothing_for_syntax(self, pair: Pair) -> None:
        """A hostile text is matched by itself."""
        pair.stage(*(a_projection(a_stamp(num), f"{text} end") for num, text in enumerate(HOSTILE, start=1)))
        for num, text in enumerate(HOSTILE, start=1):
            with pair.archive.read(pair.workspace) as reader:
                asked = ask(text, pair.workspace.language)
                assert num in pair.index.matching(reader, Kind.FACT, asked), text

    def test_a_condition_costs_no_candidate_its_place(self, pair: Pair) -> None:
        """Five hundred better matches outside a condition do not hide the one inside it."""
        space = pair.open_space()
        outside = [a_stamp(num, at=5, holds_until=5) for num in range(1, 501)]
        inside = a_stamp(900, at=15)
        pair.stage(*(a_projection(stamp, "zebra zebra", keys=[OTHER_KEY]) for stamp in outside))
        pair.stage(
            a_projection(inside, "a long text that speaks of a zebra once, among other things", keys=[KEY])
        )
        pair.embed(space, *(some_vectors(stamp, X) for stamp in outside))
        pair.embed(space, some_vectors(inside, (1, 3, 0, 0, 0, 0, 0, 0)))
        assert 900 not in self.found(pair, "zebra", limit=5)
        assert 900 not in [item.num for item in pair.similar(space, X, limit=5)]
        for where in (Where(keys=(KEY,)), Where(since=10), Where(as_of=10), Where(keys=(KEY,), since=10)):
            assert self.found(pair, "zebra", where, limit=5) == [900], where
            assert self.near(pair, space, X, where, limit=5) == [900], where

    # What is held

    def test_entries_can_be_compared(self, pair: Pair) -> None:
        """What is held of a record equals what its projection makes, and differs from any other's."""
        mine = a_projection(a_stamp(3, at=5), "the zebra's *", context="stable", keys=[KEY])
        pair.stage(mine, a_projection(a_stamp(7), "camel"))
        changed = [
            mine._replace(own=["camel"]), mine._replace(context=[]), mine._replace(keys=[]),
            mine._replace(plain=[]), mine._replace(format=2), mine._replace(stamp=a_stamp(3, at=6)),
            mine._replace(stamp=a_stamp(3, at=5, revision=2)),
            mine._replace(stamp=a_stamp(3, at=5, holds_until=9)),
        ]  # fmt: skip
        with pair.archive.read(pair.workspace) as reader:
            (entry,) = pair.index.entries(reader, Kind.FACT, [3, 4])
            assert list(pair.index.entry_nums(reader, Kind.FACT)) == [3, 7]
            assert not pair.index.entries(reader, Kind.EPISODE, [3])
        assert entry == pair.index.entry_of(mine)
        assert all(entry != pair.index.entry_of(other) for other in changed)

    def test_compacting_changes_no_answer(self, pair: Pair) -> None:
        """After compacting everything is found as before, and staging goes on."""
        space = pair.open_space()
        for num in range(1, 31):
            pair.stage(a_projection(a_stamp(num), f"zebra number {num}"))
            pair.embed(space, some_vectors(a_stamp(num), (num, 1, 0, 0, 0, 0, 0, 0)))
        with pair.archive.write(pair.workspace) as writer:
            pair.index.unstage(writer, Kind.FACT, range(1, 11))
        before = pair.lexical("zebra 20", limit=99), pair.similar(space, X, limit=99)
        with pair.archive.write(pair.workspace) as writer:
            pair.index.compact(writer)
        assert (pair.lexical("zebra 20", limit=99), pair.similar(space, X, limit=99)) == before
        assert len(before[0]) == len(before[1]) == 20
        pair.stage(a_projection(a_stamp(40), "camel"))
        assert self.found(pair, "camel") == [40]

    def test_many_numbers_in_one_call(self, pair: Pair) -> None:
        """33,000 numbers can be named at once."""
        space = pair.open_space()
        pair.stage(*(a_projection(a_stamp(num), "zebra") for num in range(1, 1001)))
        pair.embed(space, *(some_vectors(a_stamp(num), (num, 1, 0, 0, 0, 0, 0, 0)) for num in range(1, 1001)))
        every = range(1, 33_001)
        assert len(pair.similarities(space, a_vector(1, 1, 0, 0, 0, 0, 0, 0), every)) == 1000
        with pair.archive.write(pair.workspace) as writer:
            assert len(pair.index.entries(writer, Kind.FACT, every)) == 1000
            pair.index.drop_vectors(writer, Kind.FACT, every)
            assert len(pair.index.without_vectors(writer, space, Kind.FACT)) == 1000
            pair.index.unstage(writer, Kind.FACT, every)
            assert not pair.index.entry_nums(writer, Kind.FACT)

    def test_workspaces_and_kinds_are_apart(self, pair: Pair, tmp_path: Path) -> None:
        """Nothing of another workspace or kind is found, compared, counted or removed."""
        space = pair.open_space()
        stamps = [a_stamp(1), a_stamp(1, Kind.EPISODE)]
        pair.stage(a_projection(stamps[0], "zebra fact"), a_projection(stamps[1], "zebra turn"))
        pair.embed(space, *(some_vectors(stamp, X) for stamp in stamps))
        assert pair.lexical("turn") == []
        assert [item.num for item in pair.lexical("turn", kind=Kind.EPISODE)] == [1]
        with self.opened_pair(tmp_path, "other") as other:
            theirs = other.open_space()
            assert other.lexical("zebra") == other.similar(theirs, X) == []
            with other.archive.write(other.workspace) as writer:
                assert [item.num for item in other.index.spaces(writer)] == [theirs.num]
                assert not other.index.entry_nums(writer, Kind.FACT)
                assert not other.index.orphan_vectors(writer, Kind.FACT)
                other.index.unstage(writer, Kind.FACT, [1])
                other.index.drop_vectors(writer, Kind.FACT, [1])
                assert other.index.drop_others(writer, theirs) == 0
        with pair.archive.write(pair.workspace) as writer:
            pair.index.unstage(writer, Kind.EPISODE, [1])
        assert self.found(pair, "zebra") == [1]
        assert self.near(pair, space, X) == [1]
        assert pair.similar(space, X, kind=Kind.EPISODE) == []
