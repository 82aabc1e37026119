"""What every embedder guarantees, in prose first.

**Shape.** `embed_passages` answers one vector a text, in order, float32 of unit
length, shape (texts, dimension); `embed_question` one of shape (dimension,).
The dimension changes only with an `EmbedderMismatch`: whoever is answered with another
one than `dimension` raises it, and may answer with the new one from then on. The same
text gives the same vector.

**Names.** `model` names the model so that two embedders with the same name and
dimension may be compared with each other, and no others.

**Loading.** Making an embedder is cheap. It loads (or connects) at the first
use, or when `load` is called, and may be used from any thread after that.

**Failing.** What cannot be loaded or reached raises `EmbedderUnavailable`;
vectors of another size than `dimension` raise `EmbedderMismatch`. Nothing else
leaves an embedder. No text makes it fail: any Python string may be given.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from ricordo.index.contract import Vectors


class Embedder(Protocol):
    """A model that turns texts into vectors."""

    @property
    def model(self) -> str:
        """Name of the model, without the dimension."""

    @property
    def dimension(self) -> int:
        """Length of a vector; loads the model if it has to."""

    @property
    def batch_size(self) -> int:
        """How many passages are best given at once."""

    def load(self) -> None:
        """Load or reach the model now."""

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Vectors of texts that are to be found."""

    def embed_question(self, text: str) -> Vectors:
        """Vector of a question."""

    def close(self) -> None:
        """Let go of what is held."""


@runtime_checkable
class Hurried(Protocol):
    """An embedder that can be held to a deadline; for one that may have to be waited for."""

    def hurried(self, seconds: float) -> Embedder:
        """The same model for one call: asked once, and given up after so many seconds in all."""
