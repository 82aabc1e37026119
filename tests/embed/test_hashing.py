from __future__ import annotations

import numpy as np

from ricordo.embed.contract import Embedder
from ricordo.embed.hashing import HashingEmbedder
from ricordo.testing.embedder import EmbedderConformance


class TestHashing(EmbedderConformance):
    def make_embedder(self) -> Embedder:
        return HashingEmbedder(dimension=64)


def test_shared_words_are_near_and_others_are_not() -> None:
    embedder = HashingEmbedder()
    bees, more_bees, lids = embedder.embed_passages(
        ["bees on the roof", "three bees on a flat roof", "lids for jars"]
    )
    assert float(bees @ more_bees) > 0.5
    assert abs(float(bees @ lids)) < 0.3


def test_another_model_name_gives_another_space() -> None:
    first = HashingEmbedder(model="one").embed_question("bees on the roof")
    second = HashingEmbedder(model="two").embed_question("bees on the roof")
    assert not np.allclose(first, second)


def test_the_dimension_can_be_chosen() -> None:
    assert HashingEmbedder(dimension=7).embed_question("bees").shape == (7,)
