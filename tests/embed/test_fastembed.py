"""The real package and its models cannot be had without a network.

`TextEmbedding` below stands for what cannot be downloaded here: these tests
prove how its documented interface is used, not that a real model works.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from ricordo.embed.contract import Embedder
from ricordo.embed.fastembed import FastembedEmbedder
from ricordo.errors import EmbedderMismatch, EmbedderMissing, EmbedderUnavailable
from ricordo.testing.embedder import EmbedderConformance

from .server import vector


class TextEmbedding:
    """Stands for `fastembed.TextEmbedding`: generators of one array a text."""

    made = 0
    dimension = 6
    scale = 2.0

    def __init__(self, model_name: str) -> None:
        if model_name == "no/model":
            raise ValueError("Model no/model is not supported in TextEmbedding.")
        type(self).made += 1
        self.asked: list[str] = []

    def passage_embed(self, texts: Iterable[str], **_: object) -> Iterator[Any]:
        for text in texts:
            self.asked.append(text)
            yield np.array(vector(text, self.dimension, self.scale), dtype=np.float32)

    def query_embed(self, query: str | Iterable[str], **_: object) -> Iterator[Any]:
        yield from self.passage_embed([query] if isinstance(query, str) else query)


@pytest.fixture(autouse=True)
def stand_in(monkeypatch: pytest.MonkeyPatch) -> type[TextEmbedding]:
    package: Any = ModuleType("fastembed")
    package.TextEmbedding = type("Fresh", (TextEmbedding,), {})
    monkeypatch.setitem(sys.modules, "fastembed", package)
    made: type[TextEmbedding] = package.TextEmbedding
    return made


class TestFastembed(EmbedderConformance):
    def make_embedder(self) -> Embedder:
        return FastembedEmbedder("some/model", passage_prefix="passage: ", question_prefix="query: ")


def test_the_model_is_made_once_and_at_first_use(stand_in: type[TextEmbedding]) -> None:
    embedder = FastembedEmbedder("some/model")
    assert (embedder.model, stand_in.made) == ("some/model", 0)
    assert embedder.dimension == 6
    embedder.embed_passages(["bees"])
    embedder.embed_question("bees")
    assert stand_in.made == 1


def test_an_unknown_model_is_unavailable() -> None:
    with pytest.raises(EmbedderUnavailable, match="not supported"):
        FastembedEmbedder("no/model").load()


@pytest.mark.parametrize("scale", [0.0, float("nan")])
def test_a_vector_without_a_direction_is_refused(stand_in: type[TextEmbedding], scale: float) -> None:
    stand_in.scale = scale
    with pytest.raises(EmbedderUnavailable, match="no direction"):
        FastembedEmbedder("some/model").embed_question("bees")


def test_another_size_is_a_mismatch(stand_in: type[TextEmbedding]) -> None:
    embedder = FastembedEmbedder("some/model")
    embedder.load()
    stand_in.dimension = 5
    with pytest.raises(EmbedderMismatch, match="ricordo index"):
        embedder.embed_passages(["bees"])


def test_a_missing_package_names_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fastembed", None)
    with pytest.raises(EmbedderMissing, match="pip install fastembed"):
        FastembedEmbedder("some/model").load()
