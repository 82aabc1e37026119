"""What every index guarantees, in prose first.

**Derived.** Everything in an index comes from the archive and can be made again
from it with the same answers. A projection is one record's presence in the
index, made from one revision by one format (and, for vectors, one model).

**Staging.** `stage` and `unstage` are called inside the archive's write
transaction. A player in the same store writes its keyword entries there and
then, so that they are committed with the record or not at all; a player
elsewhere does nothing and is fed by pending work. After `stage` no projection
of an earlier revision is found any more.

**Searching.** Every condition of `Where` holds before candidates are chosen: a
condition never costs a candidate its place. Results are best first; equal
scores by number. Scores compare within one answer only. What is found may lag
behind the archive: the caller verifies each candidate there.

**Vectors** live in spaces: one per workspace, model, dimension and format.
Vectors of two spaces are never compared. At most one space is active: the one
that pending work fills. Vectors are centred on the space's mean, which is
taken while the space is small and then kept.

**Damage.** Where a keyword part is missing or cannot be read, every verb that needs
it raises `IndexDamaged`; the archive's transaction can go on. `make_anew` mends it.

**No syntax.** Words and keys are compared as they are; nothing in them is
query syntax.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from ricordo.archive.contract import ArchiveReader, ArchiveWriter
from ricordo.index.analysis import Question
from ricordo.records.base import Kind

ALWAYS_FROM = -(2**62)
ALWAYS_UNTIL = 2**62

Vectors = npt.NDArray[np.float32]
"""Float32 rows of unit length, shape (pieces, dimension)."""


class Stamp(NamedTuple):
    """What every projection of a record carries.

    Attributes:
        at: When it occurred or was recorded, in microseconds.
        holds_from, holds_until: When it holds; until is exclusive.
    """

    kind: Kind
    num: int
    revision: int
    at: int
    holds_from: int
    holds_until: int


class Projection(NamedTuple):
    """One record as the keyword part of the index holds it.

    Attributes:
        own, context: Tokens of its own text and of what stands around it.
        plain: Its stop words and lone punctuation.
        keys: What filters ask for, as `filter_key` makes them.
        format: Version of the analysis and the projector.
    """

    stamp: Stamp
    own: Sequence[str]
    context: Sequence[str]
    plain: Sequence[str]
    keys: Sequence[str]
    format: int


class Where(NamedTuple):
    """Conditions on candidates; all must hold.

    Attributes:
        keys: Each must be among the record's keys.
        one_of: Groups of keys; of each group at least one must be among them.
        without: Numbers of records that are not wanted.
        since, until: Bounds of `at`, in microseconds; until is exclusive.
        as_of: The moment at which the record must hold.
    """

    keys: tuple[str, ...] = ()
    one_of: tuple[tuple[str, ...], ...] = ()
    without: tuple[int, ...] = ()
    since: int | None = None
    until: int | None = None
    as_of: int | None = None


class Found(NamedTuple):
    """A candidate: higher scores are better."""

    num: int
    revision: int
    score: float


class Space(NamedTuple):
    """A vector space of a workspace."""

    num: int
    model: str
    dimension: int
    format: int
    active: bool


class Embedded(NamedTuple):
    """Vectors of one record, one row a piece."""

    stamp: Stamp
    vectors: Vectors


class Entry(NamedTuple):
    """What the keyword part of an index holds of a record, for comparison."""

    num: int
    revision: int
    format: int
    own: str
    context: str
    keys: str
    at: int
    holds_from: int
    holds_until: int


class Index(Protocol):
    """The search projection of any number of workspaces."""

    def prepare(self, writer: ArchiveWriter, kind: Kind) -> None:
        """Make what the workspace needs for a kind of record, if it is not there."""

    def check(self, reader: ArchiveReader, kind: Kind) -> None:
        """Read the keyword part of a kind through; raises `IndexDamaged` where that fails."""

    def make_anew(self, writer: ArchiveWriter, kind: Kind) -> None:
        """Put an empty keyword part in the place of one that is missing or damaged; vectors stay."""

    def holds_any(self, reader: ArchiveReader, kind: Kind) -> bool:
        """Whether there is any keyword entry of the kind."""

    def is_prepared(self, reader: ArchiveReader, kind: Kind) -> bool:
        """Whether `prepare` has been done."""

    def stage(self, writer: ArchiveWriter, projections: Sequence[Projection], *, fresh: bool) -> None:
        """Replace the keyword entries of these records and drop their vectors.

        Args:
            writer: The archive's open transaction.
            projections: One a record.
            fresh: The records are new: nothing is there to be replaced.
        """

    def restage(self, writer: ArchiveWriter, projections: Sequence[Projection]) -> None:
        """Replace keyword entries only; the records themselves have not changed."""

    def unstage(self, writer: ArchiveWriter, kind: Kind, nums: Sequence[int]) -> None:
        """Remove every projection of these records."""

    def lexical(
        self, reader: ArchiveReader, kind: Kind, question: Question, where: Where, *, limit: int
    ) -> Sequence[Found]:
        """Candidates by keyword."""

    def matching(self, reader: ArchiveReader, kind: Kind, question: Question) -> Sequence[int]:
        """Numbers of the records that hold every word, the last one perhaps begun only, rising."""

    def eligible(
        self, reader: ArchiveReader, kind: Kind, where: Where, nums: Sequence[int]
    ) -> dict[int, int]:
        """Those of the records whose projection fulfils the conditions, with its revision."""

    def similar(
        self, reader: ArchiveReader, space: Space, kind: Kind, vector: Vectors, where: Where, *, limit: int
    ) -> Sequence[Found]:
        """Candidates by meaning; `vector` has shape (dimension,), `score` is a similarity -1..1."""

    def similarities(
        self, reader: ArchiveReader, space: Space, kind: Kind, vector: Vectors, nums: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.float64]:
        """Similarity of these records to the vector, in their order; nan for those without vectors."""

    def spread(
        self, reader: ArchiveReader, space: Space, kind: Kind, vector: Vectors
    ) -> tuple[int, float, float]:
        """Number of the space's vectors, and mean and standard deviation of their similarities."""

    def coverage(
        self, reader: ArchiveReader, kind: Kind, question: Question, nums: Sequence[int]
    ) -> dict[int, float]:
        """Share, 0..1, of the question's words that an entry holds, each weighed by its rarity."""

    def spaces(self, reader: ArchiveReader) -> Sequence[Space]:
        """The workspace's vector spaces."""

    def open_space(self, writer: ArchiveWriter, model: str, dimension: int, format: int) -> Space:
        """The space of a model, made if it is not there; the workspace's first is active."""

    def activate(self, writer: ArchiveWriter, space: Space) -> Space:
        """Make this the space that pending work fills."""

    def drop_others(self, writer: ArchiveWriter, space: Space) -> int:
        """Remove every other space of the workspace; answers how many vectors went."""

    def put_vectors(self, writer: ArchiveWriter, space: Space, embedded: Sequence[Embedded]) -> None:
        """Store vectors in place of the records' earlier ones in this space."""

    def without_vectors(self, reader: ArchiveReader, space: Space, kind: Kind) -> Sequence[int]:
        """Numbers of the kind's keyword entries that have no vectors of their revision in the space."""

    def entries(self, reader: ArchiveReader, kind: Kind, nums: Sequence[int]) -> Sequence[Entry]:
        """The keyword entries of these records."""

    def entry_nums(self, reader: ArchiveReader, kind: Kind) -> Sequence[int]:
        """Record numbers of every keyword entry, rising."""

    def entry_of(self, projection: Projection) -> Entry:
        """The keyword entry that a projection makes."""

    def orphan_vectors(self, reader: ArchiveReader, kind: Kind) -> Sequence[int]:
        """Record numbers that have vectors but no keyword entry."""

    def drop_vectors(self, writer: ArchiveWriter, kind: Kind, nums: Sequence[int]) -> None:
        """Remove the vectors of these records; their keyword entries stay."""

    def compact(self, writer: ArchiveWriter) -> None:
        """Give up what only grows, such as lists of what was removed; answers stay the same."""

    def warm(self, reader: ArchiveReader, space: Space, kind: Kind) -> int:
        """Load what makes the first search fast; answers the number of vectors held."""

    def close(self) -> None:
        """Let go of everything held."""
