"""What every embedder must do, as tests.

Derive a class, say how an embedder is made, and let pytest run it:

    class TestMine(EmbedderConformance):
        def make_embedder(self) -> Embedder:
            return MyEmbedder()
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from ricordo.embed.contract import Embedder
from ricordo.index.contract import Vectors

TEXTS = (
    "The harbour is closed in winter.",
    "Il porto chiude d'inverno.",
    "Anna keeps three bees on her roof.",
    "",
    "Ordered: 12 boxes, 3 lids.",
)

ODD_TEXTS = {
    "empty": "",
    "blank": " \t\r\n ",
    "nul": "\x00",
    "nul-inside": "bees\x00roof",
    "lone-surrogate": "\ud800",
    "surrogates-inside": "bees \udfff\ud83d roof",
    "emoji": "👩‍👩‍👧 🐝 1️⃣ 🏴󠁧󠁢󠁳󠁣󠁴󠁿",
    "ligature-of-18": "\ufdfa" * 40,
    "marks": "e" + "\u0301" * 100,
    "right-to-left": "\u202eמילים\u202c و\u0644ا",
    "control": "\x1b[31m\x7f\x08\u2028\ufeff\uffff",
    "highest": "\U0010ffff",
    "format-and-json": '%s {0} {} \\u0000 "]}',
    "one-word": "a" * 600,
}

LONG_TEXT = "The bees of the old harbour winter in boxes. " * 456
"""About 20 KB."""

TOLERANCE = 1e-3
"""Most that a number of a vector may differ between two ways of asking for it."""


class EmbedderConformance:
    """Tests of the contract in `ricordo.embed.contract`."""

    def make_embedder(self) -> Embedder:
        """A new embedder; always of the same model."""
        raise NotImplementedError

    @pytest.fixture
    def embedder(self) -> Iterator[Embedder]:
        """An embedder that is closed after the test."""
        made = self.make_embedder()
        yield made
        made.close()

    def test_says_what_it_is(self, embedder: Embedder) -> None:
        """The name, the dimension and the batch size are there and do not change."""
        assert embedder.model
        assert embedder.batch_size >= 1
        dimension = embedder.dimension
        embedder.load()
        embedder.embed_question("bees")
        assert embedder.dimension == dimension >= 1

    def test_passages_are_rows_of_unit_length(self, embedder: Embedder) -> None:
        """One float32 row a text."""
        assert_unit(embedder.embed_passages(TEXTS), (len(TEXTS), embedder.dimension))

    def test_a_single_passage_is_a_matrix_too(self, embedder: Embedder) -> None:
        """One text gives shape (1, dimension)."""
        assert_unit(embedder.embed_passages(["bees"]), (1, embedder.dimension))

    def test_a_question_is_one_vector(self, embedder: Embedder) -> None:
        """A question gives shape (dimension,)."""
        assert_unit(embedder.embed_question("Where are the bees?"), (embedder.dimension,))

    def test_no_texts_give_no_rows(self, embedder: Embedder) -> None:
        """Nothing gives shape (0, dimension)."""
        vectors = embedder.embed_passages([])
        assert vectors.dtype == np.float32
        assert vectors.shape == (0, embedder.dimension)

    def test_the_same_text_gives_the_same_vector(self, embedder: Embedder) -> None:
        """Again, and from another embedder of the same model."""
        first = embedder.embed_passages(TEXTS)
        question = embedder.embed_question(TEXTS[0])
        other = self.make_embedder()
        try:
            assert_near(embedder.embed_passages(TEXTS), first)
            assert_near(other.embed_passages(list(TEXTS)), first)
            assert_near(other.embed_question(TEXTS[0]), question)
        finally:
            other.close()

    def test_rows_stand_in_the_order_of_the_texts(self, embedder: Embedder) -> None:
        """Texts the other way round give the rows the other way round."""
        forward = embedder.embed_passages(TEXTS)
        assert_near(embedder.embed_passages(TEXTS[::-1]), forward[::-1])
        assert float(np.abs(forward[0] - forward[2]).max()) > TOLERANCE

    def test_a_batch_gives_what_its_texts_give_alone(self, embedder: Embedder) -> None:
        """What else is in a batch does not matter, nor does its size."""
        count = embedder.batch_size + 1
        texts = [f"box {number}" for number in range(count)]
        together = embedder.embed_passages(texts)
        assert together.shape == (count, embedder.dimension)
        for place in (0, 1, count // 2, count - 1):
            assert_near(embedder.embed_passages([texts[place]])[0], together[place])

    @pytest.mark.parametrize("text", ODD_TEXTS.values(), ids=ODD_TEXTS.keys())
    def test_any_text_has_a_vector(self, embedder: Embedder, text: str) -> None:
        """As a passage among others and as a question."""
        assert_unit(embedder.embed_passages(["bees", text]), (2, embedder.dimension))
        assert_unit(embedder.embed_question(text), (embedder.dimension,))

    def test_what_stands_behind_a_nul_counts(self, embedder: Embedder) -> None:
        """A text does not end at NUL."""
        bees, lids = embedder.embed_passages(["boxes \x00 of bees", "boxes \x00 of lids"])
        assert float(np.abs(bees - lids).max()) > TOLERANCE

    def test_a_long_text_has_a_vector(self, embedder: Embedder) -> None:
        """20 KB, as a passage and as a question."""
        assert_unit(embedder.embed_passages([LONG_TEXT]), (1, embedder.dimension))
        assert_unit(embedder.embed_question(LONG_TEXT), (embedder.dimension,))

    def test_threads_may_share_it(self) -> None:
        """From the first use on, which loads it."""
        embedder = self.make_embedder()

        def ask(number: int) -> tuple[Vectors, Vectors]:
            return embedder.embed_passages(TEXTS), embedder.embed_question(TEXTS[number % len(TEXTS)])

        try:
            with ThreadPoolExecutor(4) as pool:
                answers = list(pool.map(ask, range(8)))
            passages = embedder.embed_passages(TEXTS)
            for number, (found, question) in enumerate(answers):
                assert_near(found, passages)
                assert_near(question, embedder.embed_question(TEXTS[number % len(TEXTS)]))
        finally:
            embedder.close()

    def test_closing_twice_is_allowed(self) -> None:
        """Before the first use, and after."""
        embedder = self.make_embedder()
        embedder.close()
        embedder.close()
        used = self.make_embedder()
        used.load()
        used.close()
        used.close()


def assert_unit(vectors: Vectors, shape: tuple[int, ...]) -> None:
    """Fail unless these are finite float32 vectors of unit length in this shape."""
    assert vectors.dtype == np.float32
    assert vectors.shape == shape
    assert np.all(np.isfinite(vectors))
    assert np.allclose(np.linalg.norm(vectors, axis=-1), 1.0, atol=TOLERANCE)


def assert_near(vectors: Vectors, expected: Vectors) -> None:
    """Fail unless the two hold the same numbers within `TOLERANCE`."""
    assert vectors.shape == expected.shape
    assert float(np.abs(vectors - expected).max()) <= TOLERANCE
