"""Models of the `fastembed` package (ONNX); it fetches a model over the network at first use."""

from __future__ import annotations

import importlib
import os
import threading
from collections.abc import Sequence
from typing import Any

import numpy as np

from ricordo.errors import EmbedderMismatch, EmbedderMissing, EmbedderUnavailable
from ricordo.index.contract import Vectors


class FastembedEmbedder:
    """A text model of fastembed, by the name in its list of supported models.

    Args:
        model: For example "intfloat/multilingual-e5-large".
        passage_prefix: Put before passages; e5 models want "passage: ".
        question_prefix: Put before questions; e5 models want "query: ".

    Raises:
        EmbedderMissing: At first use, where `fastembed` is not installed.
        EmbedderUnavailable: The model cannot be fetched, loaded or run.
        EmbedderMismatch: It answered with vectors of differing sizes.
    """

    batch_size = 64

    def __init__(self, model: str, *, passage_prefix: str = "", question_prefix: str = "") -> None:
        self.model = f"{model}|{passage_prefix.strip()}" if passage_prefix else model
        self._name = model
        self._prefixes = (passage_prefix, question_prefix)
        self._dimension: int | None = None
        self._open()

    def _open(self) -> None:
        # The runtime's threads do not survive a fork: a child loads anew, with a lock of its own.
        self._pid, self._lock = os.getpid(), threading.Lock()
        self._model: Any = None

    @property
    def dimension(self) -> int:
        """See the contract."""
        if self._dimension is None:
            self.load()
        return self._dimension or 0

    def load(self) -> None:
        """Load the model now, fetching it where it is not on this machine yet."""
        self._embed(["dimension"], "passage_embed")

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """See the contract."""
        if not texts:
            return np.zeros((0, self.dimension), dtype=np.float32)
        return self._embed([self._prefixes[0] + text for text in texts], "passage_embed")

    def embed_question(self, text: str) -> Vectors:
        """See the contract."""
        return self._embed([self._prefixes[1] + text], "query_embed").reshape(-1)

    def close(self) -> None:
        """Let go of the model; the next use loads it again."""
        self._open()

    def _embed(self, texts: Sequence[str], verb: str) -> Vectors:
        if self._pid != os.getpid():
            self._open()
        cleaned = [text.replace("\x00", " ").encode("utf-8", "replace").decode("utf-8") for text in texts]
        try:
            with self._lock:
                if self._model is None:
                    self._model = _text_embedding(self._name)
                found = [np.asarray(row, dtype=np.float64) for row in getattr(self._model, verb)(cleaned)]
            vectors = np.stack(found)
        except EmbedderMissing:
            raise
        except Exception as error:  # the package raises what its backends raise
            raise EmbedderUnavailable(
                f"The model {self._name} cannot be used through fastembed: {error}",
                cure="Check its name and, where it is used for the first time, the network.",
            ) from error
        return self._checked(vectors, len(texts))

    def _checked(self, vectors: np.ndarray[Any, np.dtype[np.float64]], count: int) -> Vectors:
        self._dimension = self._dimension or vectors.shape[1]
        if vectors.shape != (count, self._dimension):
            raise EmbedderMismatch(
                f"{self._name} answered {vectors.shape} numbers, expected {(count, self._dimension)}.",
                cure="Run: ricordo index",
            )
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        if not np.all(np.isfinite(lengths) & (lengths > 0)):
            raise EmbedderUnavailable(f"{self._name} answered with a vector that has no direction.")
        unit: Vectors = (vectors / lengths).astype(np.float32)
        return unit


def _text_embedding(name: str) -> Any:
    try:
        package = importlib.import_module("fastembed")
    except ModuleNotFoundError as error:
        raise EmbedderMissing(
            "The package fastembed is not installed.", cure="Install it: pip install fastembed"
        ) from error
    return package.TextEmbedding(model_name=name)
