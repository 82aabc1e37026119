from __future__ import annotations

import numpy as np
import pytest

from ricordo.bench.baselines import Bm25, Document, Grep, PlainVectors
from ricordo.bench.cached import CachedEmbedder, RememberingEmbedder
from ricordo.bench.cases import Question
from ricordo.bench.measures import Answer, newer_first, percentile, recall_at, reciprocal_rank, scores, share
from ricordo.bench.synthetic import Babble, SyntheticEmbedder, messages
from ricordo.embed.hashing import HashingEmbedder

DOCUMENTS = [
    Document("a", "Nora: the lemon trees stand behind the shed"),
    Document("b", "Piero: lemons need water"),
    Document("c", "Nora: I sold the boat"),
]


def _answer(ranked: str, gold: str, *, counted: bool = True) -> Answer:
    return Answer(Question("?", frozenset(gold), "x", counted=counted), tuple(ranked), "tuned")


def test_recall_and_rank_by_hand():
    gold = frozenset("ad")
    assert recall_at("abcd", gold, 1) == 0.5
    assert recall_at("abcd", gold, 4) == 1.0
    assert reciprocal_rank("bca", gold) == pytest.approx(1 / 3)
    assert reciprocal_rank("bc", gold) == 0.0


def test_scores_are_means_over_the_counted_questions():
    found = scores([_answer("ab", "a"), _answer("xyza", "ab"), _answer("q", "a", counted=False)])
    assert found == {"n": 2, "recall_at_1": 50.0, "recall_at_5": 75.0, "recall_at_10": 75.0, "mrr": 0.625}


def test_newer_stands_first_only_where_it_was_found():
    update = Question("?", frozenset("on"), "x", old=frozenset("o"), new=frozenset("n"))
    assert newer_first("xno", update)
    assert newer_first("xn", update)
    assert not newer_first("xon", update)
    assert not newer_first("xo", update)
    assert not newer_first("x", update)


def test_percentiles_by_nearest_rank():
    assert percentile(range(1, 101), 0.5) == 50
    assert percentile(range(1, 101), 0.95) == 95
    assert percentile([7], 0.95) == 7
    assert percentile([], 0.5) == 0
    assert share([True, False]) == 50.0
    assert share([]) is None


def test_bm25_stems_and_knows_no_syntax():
    search = Bm25(DOCUMENTS)
    assert set(search.rank("lemons?")) == {"a", "b"}
    assert search.rank('boat" OR "') == ("c",)
    assert search.rank("???") == ()


def test_grep_counts_different_words_and_keeps_the_order():
    assert Grep(DOCUMENTS).rank("the the shed of Nora") == ("a", "c")


def test_plain_vectors_are_ordered_by_cosine():
    search = PlainVectors(DOCUMENTS, RememberingEmbedder(HashingEmbedder()))
    assert search.rank("boat sold")[0] == "c"


def test_a_cache_holds_vectors_from_run_to_run(tmp_path):
    asked: list[str] = []

    class Counting(HashingEmbedder):
        def embed_passages(self, texts):
            asked.extend(texts)
            return super().embed_passages(texts)

        def embed_question(self, text):
            asked.append(f"{text}?")
            return super().embed_question(text)

    plain = HashingEmbedder()
    for _ in range(2):
        cached = CachedEmbedder(Counting(), tmp_path / "cache")
        found = cached.embed_passages(["one", "two", "one"])
        assert np.array_equal(found, plain.embed_passages(["one", "two", "one"]))
        assert np.array_equal(cached.embed_question("one"), plain.embed_question("one"))
        assert cached.embed_passages([]).shape == (0, 256)
        cached.close()
    assert asked == ["one", "two", "one?"]


def test_made_up_talk_follows_from_its_seed_and_from_zipf():
    texts = Babble(seed=5).texts(2000)
    assert texts == Babble(seed=5).texts(2000)
    assert texts != Babble(seed=6).texts(2000)
    words = [word for text in texts for word in text.lower().rstrip(".").split()]
    assert 24 < len(words) / len(texts) < 26
    counts = sorted((words.count(word) for word in set(words[:500])), reverse=True)
    assert counts[0] > 20 * counts[len(counts) // 2]
    assert len({item["session_id"] for item in messages(61)}) == 3


def test_made_up_vectors_are_of_unit_length_and_near_each_other():
    vectors = SyntheticEmbedder().embed_passages([str(number) for number in range(200)])
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    cosines = (vectors @ vectors.T)[np.triu_indices(200, 1)]
    assert 0.6 < cosines.mean() < 0.95
