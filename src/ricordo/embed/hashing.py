"""A model-free embedder for tests: words hashed to coordinates.

Texts that share words are near each other; nothing else is known. It needs no
file, is the same on every machine, and is not meant for use.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np

from ricordo.index.analysis import analyse
from ricordo.index.contract import Vectors
from ricordo.records.workspace import Language


class HashingEmbedder:
    """Signed feature hashing (Weinberger et al., ICML 2009) of a text's stems.

    Args:
        dimension: Length of a vector.
        model: Name, so that tests can have two models that must not be mixed.
    """

    batch_size = 64

    def __init__(self, dimension: int = 256, model: str = "hashing") -> None:
        self.dimension = dimension
        self.model = model

    def load(self) -> None:
        """Nothing to load."""

    def _vector(self, text: str) -> Vectors:
        vector = np.zeros(self.dimension, dtype=np.float32)
        for word in analyse(text, Language.ENGLISH).words:
            digest = hashlib.blake2b(
                f"{self.model}\x00{word}".encode("utf-8", "replace"), digest_size=8
            ).digest()
            place = int.from_bytes(digest[:4], "little") % self.dimension
            vector[place] += 1.0 if digest[4] & 1 else -1.0
        norm = float(np.linalg.norm(vector))
        if norm == 0:
            vector[0] = norm = 1.0
        return vector / np.float32(norm)

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """See the contract."""
        if not texts:
            return np.zeros((0, self.dimension), dtype=np.float32)
        return np.stack([self._vector(text) for text in texts])

    def embed_question(self, text: str) -> Vectors:
        """See the contract."""
        return self._vector(text)

    def close(self) -> None:
        """Nothing to let go of."""
