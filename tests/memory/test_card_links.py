"""Following links of cards: hops, halving, budgets, and cards that are no bridges."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ricordo.index.contract import Where
from ricordo.memory import Memory
from ricordo.recall.links import Seed, follow_links
from ricordo.recall.profiles import LinkLimits
from ricordo.recall.voices import Listening
from ricordo.records.card import Link
from ricordo.testing.samples import a_card

from .card_reference import CONSTANT, Limits, linked
from .cards import put
from .opening import open_memory


@pytest.fixture
def plain(path: Path) -> Iterator[Memory]:
    """A memory without vectors."""
    with open_memory(path, embedder="none") as memory:
        yield memory


def _put(memory: Memory, links: Mapping[str, str]) -> dict[str, int]:
    """Cards named by single letters, and the letters that each links to."""
    names = sorted({*links, *"".join(links.values())})
    cards = [
        a_card(name, links=tuple(Link(target=f"mem-{target}") for target in sorted(links.get(name, ""))))
        for name in names
    ]
    return {name.removeprefix("mem-"): num for name, num in put(memory, cards).items()}


def _follow(
    memory: Memory,
    nums: Mapping[str, int],
    seeds: str,
    *,
    without: str = "",
    limits: LinkLimits | None = None,
    constant: int = 0,
) -> dict[str, tuple[float, str]]:
    """Score and way of each card that is reached; the seeds score 1, 1/2, 1/3, ... with no constant."""
    engine = memory._engine
    where = Where(without=tuple(nums[name] for name in without))
    with engine.archive.read(memory.workspace) as reader:
        listening = Listening(reader, engine.index, None, None)
        first = [
            (Seed(nums[name], f"mem-{name}", 1 / (constant + place)), 1)
            for place, name in enumerate(seeds, start=1)
        ]
        reached = follow_links(listening, where, first, limits or LinkLimits())
    return {
        one.id.removeprefix("mem-"): (
            one.way.score,
            "".join(name.removeprefix("mem-") for name in one.way.path),
        )
        for one in reached.values()
    }


def test_two_hops_each_halved(plain: Memory) -> None:
    nums = _put(plain, {"a": "b", "b": "c", "c": "d"})
    assert _follow(plain, nums, "a") == {"b": (0.5, "ab"), "c": (0.25, "abc")}


def test_the_strongest_way_counts_and_ways_do_not_add_up(plain: Memory) -> None:
    nums = _put(plain, {"a": "x", "b": "x", "c": "m", "m": "x"})
    assert _follow(plain, nums, "abc")["x"] == (0.5, "ax")
    assert _follow(plain, nums, "cab")["x"] == (0.25, "ax")


def test_equal_ways_are_ordered_by_their_ids(plain: Memory) -> None:
    nums = _put(plain, {"a": "nm", "m": "x", "n": "x"})
    assert _follow(plain, nums, "a")["x"] == (0.25, "amx")


def test_a_cycle_brings_nothing_to_where_it_began(plain: Memory) -> None:
    nums = _put(plain, {"a": "b", "b": "a"})
    assert _follow(plain, nums, "a") == {"b": (0.5, "ab")}


def test_seeds_strengthen_each_other(plain: Memory) -> None:
    nums = _put(plain, {"a": "b", "b": "a"})
    assert _follow(plain, nums, "ab") == {"b": (0.5, "ab"), "a": (0.25, "ba")}


def test_another_beginning_comes_back_where_the_strongest_cannot(plain: Memory) -> None:
    """Through `m`, the second seed reaches the first, whose own way may not return."""
    nums = _put(plain, {"a": "m", "b": "m", "m": "a"})
    assert _follow(plain, nums, "ab")["a"] == (0.125, "bma")


def test_what_is_not_wanted_is_no_bridge(plain: Memory) -> None:
    nums = _put(plain, {"a": "bc", "b": "x", "c": "y"})
    assert _follow(plain, nums, "a", without="b").keys() == {"c", "y"}


def test_what_is_deleted_is_no_bridge(plain: Memory) -> None:
    nums = _put(plain, {"a": "bc", "b": "x", "c": "y"})
    plain.cards.delete("mem-b")
    assert _follow(plain, nums, "a").keys() == {"c", "y"}


def test_links_go_one_way(plain: Memory) -> None:
    nums = _put(plain, {"b": "a"})
    assert _follow(plain, nums, "a") == {}


def test_two_meanings_are_one_link_to_follow(plain: Memory) -> None:
    links = tuple(Link(target="mem-b", meaning=meaning) for meaning in ("refines", "see_also"))
    links += (Link(target="mem-c"),)
    nums = put(plain, [a_card("a", links=links), a_card("b"), a_card("c")])
    short = {name.removeprefix("mem-"): num for name, num in nums.items()}
    assert _follow(plain, short, "a", limits=LinkLimits(links_of_card=2)).keys() == {"b", "c"}
    assert _follow(plain, short, "a", limits=LinkLimits(links_of_card=1)).keys() == {"b"}


@pytest.mark.parametrize(
    ("limits", "reached"),
    [
        (LinkLimits(hops=1), "bcdexy"),
        (LinkLimits(links_of_card=2), "bcxy"),
        (LinkLimits(links=3), "bcd"),
        (LinkLimits(links=5), "bcdex"),
        (LinkLimits(cards=3), "bcd"),
        (LinkLimits(cards=0), ""),
        (LinkLimits(links=0), ""),
    ],
)
def test_each_budget(plain: Memory, limits: LinkLimits, reached: str) -> None:
    """Links are inspected seed by seed, each one's by id; what is known costs no look."""
    nums = _put(plain, {"a": "bcde", "s": "xy"})
    assert _follow(plain, nums, "as", limits=limits).keys() == set(reached)


def test_the_budgets_run_over_both_hops(plain: Memory) -> None:
    nums = _put(plain, {"a": "bc", "b": "xy", "c": "z"})
    assert _follow(plain, nums, "a", limits=LinkLimits(links=4)).keys() == set("bcxy")
    assert _follow(plain, nums, "a", limits=LinkLimits(cards=3)).keys() == set("bcx")


LETTERS = "abcdefgh"
SOME = st.text(LETTERS, max_size=4).map(lambda text: "".join(sorted(set(text))))


@settings(max_examples=25)
@given(
    graphs=st.lists(
        st.tuples(
            st.dictionaries(st.sampled_from(LETTERS), SOME, max_size=8),
            st.lists(st.sampled_from(LETTERS), min_size=1, max_size=4, unique=True).map("".join),
            SOME,
            st.builds(
                Limits,
                st.integers(1, 2),
                st.integers(1, 3),
                st.one_of(st.integers(0, 5), st.just(200)),
                st.one_of(st.integers(0, 9), st.just(400)),
            ),
        ),
        min_size=1,
        max_size=3,
    )
)
def test_any_graph_within_any_budget(
    tmp_path_factory: pytest.TempPathFactory,
    empty: Path,
    graphs: Sequence[tuple[dict[str, str], str, str, Limits]],
) -> None:
    """As the reference follows them."""
    for links, seeds, without, limits in graphs:
        path = tmp_path_factory.mktemp("links") / "memory.db"
        shutil.copy(empty, path)
        apart = {name: targets.replace(name, "") for name, targets in links.items()}
        with open_memory(path, embedder="none") as memory:
            nums = _put(memory, {**dict.fromkeys(LETTERS, ""), **apart})
            kept = "".join(name for name in seeds if name not in without)
            budget = LinkLimits(*limits)
            found = _follow(memory, nums, kept, without=without, limits=budget, constant=CONSTANT)
        expected = linked(kept, apart, set(LETTERS) - set(without), limits)
        assert found == {name: (score, "".join(path)) for name, (score, path) in expected.items()}
