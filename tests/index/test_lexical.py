"""Keyword search in FTS5: by its index, within a budget, in the order of BM25."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import combinations

import pytest

from ricordo.index.analysis import ask
from ricordo.index.contract import ALWAYS_UNTIL, Found, Projection, Where
from ricordo.index.projector import filter_key
from ricordo.index.sqlite import lexical
from ricordo.records.base import Kind
from ricordo.testing.opened import Pair
from ricordo.testing.samples import a_projection, a_stamp

from .template import explained, prepared_pair

ROWS = 2 * lexical.MATCH_BUDGET
"""Enough that a question must choose among its words."""

VOCABULARY = [f"w{number}x" for number in range(400)]


def _texts() -> Iterator[str]:
    """Texts whose words are as unevenly spread as those of a language, each with the word `common`."""
    rng = random.Random(5)
    weights = [1 / (rank + 2) for rank in range(len(VOCABULARY))]
    for number in range(ROWS):
        words = rng.choices(VOCABULARY, weights, k=rng.randint(4, 20))
        if number % 2_000 == 7:
            words.append("needle")
        yield " ".join([*words, "common"])


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    with prepared_pair(tmp_path_factory.mktemp("many")) as pair:
        pair.stage(*(_projected(num, text) for num, text in enumerate(_texts(), start=1)))
        yield pair


def _projected(num: int, text: str) -> Projection:
    """Those that hold the rare word hold until moment 100 only."""
    until = 100 if "needle" in text else ALWAYS_UNTIL
    return a_projection(
        a_stamp(num, at=num, holds_until=until), text, keys=[filter_key("half", str(num % 2))]
    )


def test_a_rare_word_is_not_lost_among_frequent_ones(many: Pair) -> None:
    holders = [number for number in range(1, ROWS + 1) if (number - 1) % 2_000 == 7]
    for question in ("needle common", "common w0x w1x needle w2x", "the needle, in common words"):
        found = [item.num for item in many.lexical(question, limit=50)]
        assert sorted(found[: len(holders)]) == holders, question


def test_a_word_that_is_new_is_found_at_once(many: Pair) -> None:
    assert 9_999 not in [item.num for item in many.lexical("novelty common")]
    try:
        many.stage(a_projection(a_stamp(9_999), "a novelty " + " ".join(VOCABULARY)))
        assert many.lexical("novelty common")[0].num == 9_999
    finally:
        with many.archive.write(many.workspace) as writer:
            many.index.unstage(writer, Kind.FACT, [9_999])


def test_frequent_words_answer_where_the_rare_ones_do_not(many: Pair) -> None:
    holders = {number for number in range(1, ROWS + 1) if (number - 1) % 2_000 == 7}
    assert {item.num for item in many.lexical("needle common", Where(as_of=50), limit=5)} & holders
    for where in (Where(as_of=200), Where(since=ROWS - 100), Where(until=5)):
        found = many.lexical("needle common", where, limit=4)
        assert len(found) == 4
        assert not {item.num for item in found} & holders


def test_the_budget_keeps_the_order(many: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(11)
    agree = pairs = shared = 0
    for _ in range(30):
        question = " ".join(["common", *rng.sample(VOCABULARY[:40], 2), *rng.sample(VOCABULARY[40:], 2)])
        with_budget = _ranks(many.lexical(question, limit=10))
        with monkeypatch.context() as patch:
            patch.setattr(lexical, "MATCH_BUDGET", 10**9)
            without = _ranks(many.lexical(question, limit=10))
        both = with_budget.keys() & without.keys()
        shared += len(both)
        for one, other in combinations(sorted(both), 2):
            pairs += 1
            agree += (with_budget[one] < with_budget[other]) == (without[one] < without[other])
    assert shared >= 0.8 * 30 * 10
    assert agree >= 0.9 * pairs


def _ranks(found: list[Found]) -> dict[int, int]:
    return {item.num: rank for rank, item in enumerate(found)}


@pytest.mark.parametrize(
    ("question", "where"),
    [
        ("needle", Where()),
        ("needle common w3x", Where()),
        ("needle common", Where(keys=(filter_key("half", "1"),))),
        ("needle common", Where(since=10, until=5_000, as_of=7)),
        ("the of", Where()),
    ],
)
def test_a_search_reads_the_index_and_no_whole_table(many: Pair, question: str, where: Where) -> None:
    with many.archive.read(many.workspace) as reader:
        asked = ask(question, many.workspace.language)
        plans = explained(
            reader.handle, lambda: many.index.lexical(reader, Kind.FACT, asked, where, limit=10)
        )
    matched = [plan for statement, plan in plans if "MATCH" in statement]
    assert len(matched) == 1
    assert "INDEX 0:M" in matched[0][0]
    for statement, plan in plans:
        counts_rows = "_docsize" in statement  # once a minute
        assert counts_rows or not [step for step in plan if _reads_everything(step)], (statement, plan)


def _reads_everything(step: str) -> bool:
    """Whether a step of a plan goes through a whole table, virtual or not."""
    if not step.startswith("SCAN"):
        return False
    return "VIRTUAL TABLE INDEX" not in step or step.endswith("INDEX 0:")


def test_reading_entries_reads_no_whole_table(many: Pair) -> None:
    with many.archive.read(many.workspace) as reader:
        plans = explained(reader.handle, lambda: many.index.entries(reader, Kind.FACT, [1, 2, 3]))
    assert plans
    assert not [step for _, plan in plans for step in plan if _reads_everything(step)]
