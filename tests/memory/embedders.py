"""Small embedders that keep the contract and have a fault of their own."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

from ricordo.embed.hashing import HashingEmbedder
from ricordo.errors import EmbedderUnavailable
from ricordo.index.contract import Vectors


class OtherEmbedder(HashingEmbedder):
    """Another model with another dimension."""

    def __init__(self, dimension: int = 96, model: str = "other") -> None:
        super().__init__(dimension, model)


class FailingEmbedder(HashingEmbedder):
    """Cannot be reached while `failing`.

    Args:
        questions: Whether questions fail too.
    """

    def __init__(self, *, failing: bool = True, questions: bool = True) -> None:
        super().__init__()
        self.failing = failing
        self._questions = questions
        self.calls = 0

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        self.calls += 1
        if self.failing:
            raise EmbedderUnavailable("The model is away.", cure="Bring it back.")
        return super().embed_passages(texts)

    def embed_question(self, text: str) -> Vectors:
        if self.failing and self._questions:
            raise EmbedderUnavailable("The model is away.", cure="Bring it back.")
        return super().embed_question(text)


class SlowEmbedder(HashingEmbedder):
    """Holds every batch until it is let go."""

    def __init__(self) -> None:
        super().__init__()
        self.begun = threading.Event()
        self.go_on = threading.Event()

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        self.begun.set()
        if not self.go_on.wait(60):
            raise EmbedderUnavailable("nobody let it go")
        return super().embed_passages(texts)


class MeddlingEmbedder(HashingEmbedder):
    """Does something else while a batch is embedded."""

    def __init__(self, meddle: Callable[[], None]) -> None:
        super().__init__()
        self._meddle = meddle

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        self._meddle()
        return super().embed_passages(texts)


class KnowingEmbedder(HashingEmbedder):
    """Knows that a question for the `income` is one for the `revenue`, a word that it does not share."""

    def __init__(self) -> None:
        super().__init__(1024)

    def embed_question(self, text: str) -> Vectors:
        return super().embed_question(text.replace("income", "revenue"))
