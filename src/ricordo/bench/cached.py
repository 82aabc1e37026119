"""A real embedder whose vectors are kept: all in a file, or questions for the baseline."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from ricordo.embed.contract import Embedder
from ricordo.index.contract import Vectors

SAVE_EVERY = 500
"""New texts after which the file is written."""

AS_QUESTION = "\0question\0"
"""Before a question in its key: a model has another vector for the same text as a passage."""


class CachedEmbedder:
    """An embedder that looks vectors up by a hash of their text; what is not there is embedded and kept.

    Times are then without what the model costs.

    Args:
        inner: The real one; the same name and dimension stand for the same vectors.
        folder: Where the file of each model lies.
    """

    def __init__(self, inner: Embedder, folder: Path) -> None:
        self._inner = inner
        folder.mkdir(parents=True, exist_ok=True)
        name = re.sub(r"[^\w.-]", "_", inner.model)
        self._file = folder / f"{name}-{inner.dimension}.npz"
        self._held: dict[bytes, Vectors] = {}
        self._unsaved = 0
        if self._file.exists():
            with np.load(self._file) as found:
                keys, vectors = found["keys"], found["vectors"]
            self._held = {key.tobytes(): vector for key, vector in zip(keys, vectors, strict=True)}

    @property
    def model(self) -> str:
        """See the contract."""
        return self._inner.model

    @property
    def dimension(self) -> int:
        """See the contract."""
        return self._inner.dimension

    @property
    def batch_size(self) -> int:
        """See the contract."""
        return self._inner.batch_size

    def load(self) -> None:
        """See the contract."""
        self._inner.load()

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """See the contract."""
        return self._looked_up([_key(text) for text in texts], texts, self._inner.embed_passages)

    def embed_question(self, text: str) -> Vectors:
        """See the contract."""
        key = _key(f"{AS_QUESTION}{text}")
        found = self._looked_up([key], [text], lambda texts: self._inner.embed_question(texts[0])[None])
        vector: Vectors = found[0]
        return vector

    def _looked_up(
        self, keys: Sequence[bytes], texts: Sequence[str], embed: Callable[[Sequence[str]], Vectors]
    ) -> Vectors:
        open_texts = {key: text for key, text in zip(keys, texts, strict=True) if key not in self._held}
        if open_texts:
            vectors = embed(list(open_texts.values()))
            self._held.update(zip(open_texts, vectors, strict=True))
            self._unsaved += len(open_texts)
            if self._unsaved >= SAVE_EVERY:
                self.save()
        if not keys:
            return np.zeros((0, self.dimension), dtype=np.float32)
        return np.stack([self._held[key] for key in keys])

    def save(self) -> None:
        """Write what is new."""
        if not self._unsaved:
            return
        aside = self._file.with_suffix(".part.npz")
        keys = np.frombuffer(b"".join(self._held), dtype=np.uint8).reshape(len(self._held), -1)
        np.savez(aside, keys=keys, vectors=np.stack(list(self._held.values())))
        aside.replace(self._file)
        self._unsaved = 0

    def close(self) -> None:
        """See the contract."""
        self.save()
        self._inner.close()


class RememberingEmbedder:
    """An embedder that embeds every question it is asked, and keeps the vector for the baseline.

    Args:
        inner: The real one.
    """

    def __init__(self, inner: Embedder) -> None:
        self._inner = inner
        self._questions: dict[str, Vectors] = {}

    @property
    def model(self) -> str:
        """See the contract."""
        return self._inner.model

    @property
    def dimension(self) -> int:
        """See the contract."""
        return self._inner.dimension

    @property
    def batch_size(self) -> int:
        """See the contract."""
        return self._inner.batch_size

    def load(self) -> None:
        """See the contract."""
        self._inner.load()

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """See the contract."""
        return self._inner.embed_passages(texts)

    def embed_question(self, text: str) -> Vectors:
        """See the contract."""
        vector = self._questions[text] = self._inner.embed_question(text)
        return vector

    def question(self, text: str) -> Vectors:
        """The vector of a question that was asked before, or a new one."""
        return self._questions[text] if text in self._questions else self.embed_question(text)

    def close(self) -> None:
        """See the contract."""
        self._inner.close()


def _key(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
