"""The whole way of a recall, from top to bottom.

embed -> plan -> voices -> fuse -> neighbours -> shape -> verify in the archive -> trace
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from ricordo.archive.contract import Archive, ArchiveReader
from ricordo.embed.contract import Embedder
from ricordo.errors import EmbedderError, EmbedderMismatch, IndexDamaged
from ricordo.index.contract import Index, Space, Vectors
from ricordo.recall.abstain import abstention
from ricordo.recall.contenders import contenders
from ricordo.recall.expansion import hear_neighbours
from ricordo.recall.fusion import fuse
from ricordo.recall.plan import UNBOUND, Plan, make_plan
from ricordo.recall.pool import Candidate, Pools
from ricordo.recall.profiles import Profile
from ricordo.recall.seeds import seed_and_follow
from ricordo.recall.shaping import shape
from ricordo.recall.trace import Stopwatch, make_trace
from ricordo.recall.verify import SPARE, Omissions, make_hits, verified
from ricordo.recall.voices import Listening, listen
from ricordo.records.filters import Filters
from ricordo.records.physical import Physical
from ricordo.records.recall import Abstention, Degradation, Recall
from ricordo.records.work import Work
from ricordo.records.workspace import Workspace


class Ask(NamedTuple):
    """What is asked.

    Attributes:
        top: Results wanted, 1..100.
        as_of: What held then is asked for; None for now.
        neighbours: Turns before and after each episode that come with it.
        bound: The place in a database that filters of cards cannot leave.
        without: Ids of cards that are not wanted.
    """

    question: str
    profile: Profile
    filters: Filters
    top: int
    as_of: datetime | None
    neighbours: int = 0
    bound: Physical = UNBOUND
    without: tuple[str, ...] = ()


@dataclass(frozen=True)
class Parts:
    """What a recall is made with.

    Attributes:
        space: The vector space of the embedder, or None.
        degraded: What is missing from the start, such as an embedder.
    """

    archive: Archive
    index: Index
    embedder: Embedder | None
    space: Space | None
    degraded: Sequence[Degradation] = ()


def recall(parts: Parts, workspace: Workspace, ask: Ask, now: datetime) -> Recall:
    """Answer a question from the workspace.

    Raises:
        NotFound: A filter names a session that does not exist.
        ArchiveError: The archive cannot be read.
        IndexDamaged: The keyword index is, and no vectors can answer in its place.
    """
    watch = Stopwatch()
    degraded = list(parts.degraded)
    # Before the snapshot is taken: a slow model must not hold one.
    vector = _embed(parts, ask.question, degraded)
    watch.lap("embed")
    omitted = Omissions()
    with parts.archive.read(workspace) as reader:
        plan = make_plan(
            reader,
            ask.question,
            ask.profile,
            ask.filters,
            top=ask.top,
            now=now,
            as_of=ask.as_of,
            bound=ask.bound,
            without=ask.without,
        )
        empty = not plan.where
        current = _current_space(parts, reader, degraded)
        space = current if vector is not None else None
        vector = vector if space is not None else None
        watch.lap("plan")
        listening = Listening(reader, parts.index, space, vector)
        pools = listen(listening, plan)
        watch.lap("candidates")
        if plan.profile.links is None:
            fuse(pools, plan.profile)
        else:
            seed_and_follow(pools, listening, plan, plan.profile.links)
        near = contenders(pools, plan, wanted=ask.top + SPARE, by_meaning=vector is not None)
        hear_neighbours(pools, near, listening, plan)
        shape(pools, near, reader, plan)
        watch.lap("fuse")
        kept = verified(reader, pools, plan, top=ask.top, omitted=omitted)
        hits = make_hits(reader, kept, neighbours=ask.neighbours)
        if space is not None and space.active:
            _note_missing(degraded, reader.pending_count(Work.EMBED))
        best = [candidate for candidate, _ in kept]
        text = hits[0].text if hits else ""
        reason = Abstention.EMPTY_ARCHIVE if empty else _abstention(pools, listening, plan, best, text)
        _note_damage(degraded, listening)
        watch.lap("verify")
    return Recall(
        question=ask.question,
        as_of=plan.as_of,
        hits=hits,
        nothing_known=reason is not None,
        abstention=reason,
        degraded=tuple(degraded),
        trace=make_trace(plan, pools, omitted, watch),
    )


def _current_space(parts: Parts, reader: ArchiveReader, degraded: list[Degradation]) -> Space | None:
    """The embedder's space as it is now: another process may have gone over to another model."""
    if parts.space is None:
        return None
    known = {(item.model, item.dimension, item.format): item for item in parts.index.spaces(reader)}
    space = known.get((parts.space.model, parts.space.dimension, parts.space.format))
    if space is None or not space.active:
        degraded.append(
            Degradation(
                code="vectors_missing",
                message=f"The workspace's vectors were made by another model than '{parts.space.model}'. "
                "Records without vectors of this one are found by keyword only. Run: ricordo index",
            )
        )
    return space


def _embed(parts: Parts, question: str, degraded: list[Degradation]) -> Vectors | None:
    if parts.embedder is None or parts.space is None or not question.strip():
        return None
    try:
        vector = parts.embedder.embed_question(question)
        if vector.shape != (parts.space.dimension,):  # the server got another model a moment ago
            raise EmbedderMismatch(cure="Run: ricordo index")
        return vector
    except EmbedderError as error:
        degraded.append(Degradation(code="embedder_failed", message=str(error)))
        return None


def _abstention(
    pools: Pools, listening: Listening, plan: Plan, best: Sequence[Candidate], text: str
) -> Abstention | None:
    """As `abstention`; where words cannot be compared, nothing is claimed to be unknown."""
    if listening.damage:
        return None
    try:
        return abstention(pools, listening, plan, best, text)
    except IndexDamaged as damage:
        listening.damage.append(damage)
        return None


def _note_damage(degraded: list[Degradation], listening: Listening) -> None:
    if listening.damage:
        message = f"{listening.damage[0]} Until then records are found by meaning only, or not at all."
        degraded.append(Degradation(code="index_damaged", message=message))


def _note_missing(degraded: list[Degradation], missing: int) -> None:
    if missing:
        degraded.append(
            Degradation(
                code="vectors_missing",
                message=f"{missing} records have no vectors yet and are found by keyword only. "
                "They are being made; `ricordo index` makes them now.",
            )
        )
