"""Made-up conversations with the statistics of real ones, and vectors that cost nothing.

A word's frequency falls with its rank as in natural language (Zipf); the most frequent ones
are English function words, the others are made of syllables. Everything follows from a seed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np

from ricordo.index.contract import Vectors
from ricordo.index.stopwords import STOP_WORDS
from ricordo.records.workspace import Language

WORDS = 40_000
ZIPF = 1.05
WORDS_A_TURN = 25
TURNS_A_SESSION = 30
SPEAKERS = ("Ada", "Bruno", "Chiara", "Dario", "Elena", "Fabio", "Greta", "Hugo", "Irene", "Luca")

CLUSTERS = 400
NOISES = 8_192
CHUNK_TURNS = 1_000
BEGIN = datetime(2024, 1, 1, 8, tzinfo=UTC)


class Babble:
    """Endless turns of conversation.

    Args:
        seed: The same seed says the same.
    """

    def __init__(self, seed: int = 1) -> None:
        self._random = np.random.default_rng(seed)
        frequent = sorted(STOP_WORDS[Language.ENGLISH])
        self._frequent = len(frequent)
        self._words = np.array(frequent + _made_words(WORDS - len(frequent)), dtype=object)
        weights = np.arange(1, WORDS + 1, dtype=np.float64) ** -ZIPF
        self._steps = np.cumsum(weights / weights.sum())

    def texts(self, count: int) -> list[str]:
        """The next turns."""
        lengths = np.maximum(3, self._random.poisson(WORDS_A_TURN, count))
        drawn = np.searchsorted(self._steps, self._random.random(int(lengths.sum())))
        spoken = self._words[np.minimum(drawn, WORDS - 1)]
        ends = np.cumsum(lengths)
        return [" ".join(part).capitalize() + "." for part in np.split(spoken, ends[:-1])]

    def questions(self, texts: Sequence[str], count: int) -> list[str]:
        """Questions of some words of these texts, about a third of them function words."""
        function = {str(word) for word in self._words[: self._frequent]}
        asked = []
        for place in self._random.integers(0, len(texts), count):
            words = texts[int(place)].lower().rstrip(".").split()
            telling = [word for word in dict.fromkeys(words) if word not in function][:5]
            asked.append(" ".join(["what", "did", "you", *telling]) + "?")
        return asked


def _made_words(count: int) -> list[str]:
    """Different words of two to four syllables, shorter ones first."""
    heads = [onset + vowel for onset in "b c d f g l m n p r s t v z br tr st".split() for vowel in "aeiou"]
    tails = [head + end for head in heads[::2] for end in ("", "n", "r", "s")]
    pairs = [first + last for first in heads for last in tails]
    longer = (first + pair for first in heads for pair in pairs)
    while len(pairs) < count:
        pairs.append(next(longer))
    order = np.random.default_rng(7).permutation(len(pairs))[:count]
    return [pairs[int(place)] for place in order]


def messages(count: int, seed: int = 1) -> Iterator[dict[str, Any]]:
    """Turns as OpenAI-style messages with session, speaker and time."""
    babble = Babble(seed)
    for start in range(0, count, CHUNK_TURNS):
        for place, text in enumerate(babble.texts(min(CHUNK_TURNS, count - start)), start=start):
            session, turn = divmod(place, TURNS_A_SESSION)
            moment = BEGIN + timedelta(minutes=30 * session, seconds=turn)
            yield {
                "id": str(turn + 1),
                "role": "user",
                "name": SPEAKERS[(place + session) % len(SPEAKERS)],
                "content": text,
                "session_id": f"session {session}",
                "created_at": moment.isoformat(),
            }


class SyntheticEmbedder:
    """Vectors from a hash of the text: a common direction, a cluster's, and noise.

    Their cosines lie as high and as close together as those of real models. Questions get
    vectors of the same kind, so that candidates are as many as with a real model, though
    not the right ones.

    Args:
        model: Name under which the vectors are filed.
        dimension: Length of a vector.
    """

    batch_size = 1_024

    def __init__(self, model: str = "synthetic", dimension: int = 384) -> None:
        self.model = model
        self.dimension = dimension
        random = np.random.default_rng(11)
        self._common = random.standard_normal(dimension).astype(np.float32) * 2.0
        self._clusters = random.standard_normal((CLUSTERS, dimension)).astype(np.float32) * 0.7
        self._noises = random.standard_normal((NOISES, dimension)).astype(np.float32) * 0.45

    def load(self) -> None:
        """Nothing to load."""

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """See the contract."""
        hashes = [
            hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest() for text in texts
        ]
        drawn = np.frombuffer(b"".join(hashes), dtype=np.uint16).reshape(-1, 4)
        vectors = self._common + self._clusters[drawn[:, 0] % CLUSTERS]
        vectors = vectors + self._noises[drawn[:, 1] % NOISES] + self._noises[drawn[:, 2] % NOISES]
        return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), dtype=np.float32)

    def embed_question(self, text: str) -> Vectors:
        """See the contract."""
        return np.asarray(self.embed_passages([text])[0], dtype=np.float32)

    def close(self) -> None:
        """Nothing to let go of."""
