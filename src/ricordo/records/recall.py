"""What recall answers: results with their source, and what was left out."""

from __future__ import annotations

from enum import StrEnum

from ricordo.records.base import Kind, Moment, Value
from ricordo.records.card import Card
from ricordo.records.episode import Episode
from ricordo.records.fact import Fact


class Voice(StrEnum):
    """Ways of finding candidates."""

    LEXICAL = "lexical"
    VECTOR = "vector"


class Source(Value):
    """Where an answer comes from.

    Attributes:
        session: External id, or id, of the session.
        position: Place of the episode in its session.
        speaker, occurred_at: Who said it, and when.
        domain, topic, author: Of a fact.
        family, scope, author: Of a card; the author is who wrote or reviewed it.
    """

    session: str | None = None
    session_id: str | None = None
    project: str | None = None
    position: int | None = None
    speaker: str | None = None
    occurred_at: Moment | None = None
    domain: str | None = None
    topic: str | None = None
    author: str | None = None
    veracity: str | None = None
    family: str | None = None
    scope: str | None = None


class VoiceRank(Value):
    """A voice's opinion of one result.

    Attributes:
        rank: From 1.
        score: The voice's own number; comparable within this voice and recall only.
    """

    voice: Voice
    rank: int
    score: float


class Retrieval(Value):
    """Why a result is where it is.

    Attributes:
        score: Fused number that results are ordered by; not a probability.
        parts: Share of each step in the score, by the step's name.
        path: Of a card: the ids of the strongest way of links to it, its own last.
    """

    score: float
    voices: tuple[VoiceRank, ...]
    parts: dict[str, float]
    path: tuple[str, ...] = ()


class Hit(Value):
    """One result of a recall.

    Attributes:
        rank: From 1.
        text: The record's text, read from the archive after the search.
        record: The whole record, at the revision that was indexed.
        before, after: Neighbouring turns, where they were asked for.
        flags: Signs to know of: `reads_like_instruction` for a text that seems to address a
            model. It is data all the same.
    """

    rank: int
    kind: Kind
    id: str
    revision: int
    text: str
    source: Source
    record: Episode | Fact | Card
    retrieval: Retrieval
    before: tuple[Episode, ...] = ()
    after: tuple[Episode, ...] = ()
    flags: tuple[str, ...] = ()


class Degradation(Value):
    """Something that this recall had to do without.

    Attributes:
        code: `no_embedder`, `embedder_failed`, `vectors_missing`, `index_damaged`.
        message: What is missing and what to do.
    """

    code: str
    message: str


class LeftOut(Value):
    """A candidate that was not returned.

    Attributes:
        reason: `below_top`, `gone`, `stale`, `not_eligible`.
    """

    kind: Kind
    reason: str
    count: int
    examples: tuple[str, ...] = ()


class Trace(Value):
    """How the answer came about.

    Attributes:
        profile: The profile that was used.
        candidates: Number of candidates, by voice.
        left_out: Candidates that were not returned, and why.
        timings_ms: Milliseconds by part: `embed`, `plan`, `candidates`, `fuse`, `verify`, `total`.
    """

    profile: str
    terms: tuple[str, ...]
    candidates: dict[Voice, int]
    left_out: tuple[LeftOut, ...]
    timings_ms: dict[str, float]


class Abstention(StrEnum):
    """Why nothing that is known answers the question."""

    EMPTY_ARCHIVE = "empty_archive"
    NO_CANDIDATES = "no_candidates"
    WEAK_EVIDENCE = "weak_evidence"


class Recall(Value):
    """The answer to a question.

    Attributes:
        hits: Best first.
        nothing_known: True where nothing that is stored seems to answer the question; hits
            may still be given, as the nearest there is.
        abstention: Why nothing is known.
        degraded: What this recall had to do without.
    """

    question: str
    as_of: Moment
    hits: tuple[Hit, ...]
    nothing_known: bool
    abstention: Abstention | None = None
    degraded: tuple[Degradation, ...] = ()
    trace: Trace
