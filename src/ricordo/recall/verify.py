"""The last word is the archive's: only what it holds now, at the revision that was found, is returned."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from itertools import islice

from ricordo.archive.contract import ArchiveReader
from ricordo.recall.flags import flags_of
from ricordo.recall.plan import Plan
from ricordo.recall.pool import Candidate, Pools, ranked
from ricordo.records.base import Kind, Record, as_kind
from ricordo.records.card import Card
from ricordo.records.episode import Episode
from ricordo.records.fact import Fact
from ricordo.records.recall import Hit, LeftOut, Retrieval, Source, VoiceRank
from ricordo.records.session import Session

SPARE = 4
"""Candidates beyond the wanted ones that are read at once, in case some are gone."""

EXAMPLES = 3


class Omissions:
    """Counts what was left out, with a few examples each."""

    def __init__(self) -> None:
        self._found: dict[tuple[Kind, str], list[str]] = {}
        self._counts: dict[tuple[Kind, str], int] = {}

    def note(self, kind: Kind, reason: str, name: str | None = None, count: int = 1) -> None:
        """One more candidate left out."""
        key = (kind, reason)
        self._counts[key] = self._counts.get(key, 0) + count
        examples = self._found.setdefault(key, [])
        if name is not None and len(examples) < EXAMPLES:
            examples.append(name)

    def listed(self) -> tuple[LeftOut, ...]:
        """All of it, by kind and reason."""
        return tuple(
            LeftOut(kind=kind, reason=reason, count=count, examples=tuple(self._found[kind, reason]))
            for (kind, reason), count in sorted(self._counts.items())
        )


def verified(
    reader: ArchiveReader, pools: Pools, plan: Plan, *, top: int, omitted: Omissions
) -> list[tuple[Candidate, Record]]:
    """The best `top` candidates that the archive stands behind, with their records."""
    kept: list[tuple[Candidate, Record]] = []
    left = {kind: len(pool) for kind, pool in pools.items()}
    best = ranked(pools)
    while len(kept) < top and (part := list(islice(best, top - len(kept) + SPARE))):
        records: dict[tuple[Kind, int], Record] = {}
        for kind in {held.kind for held in part}:
            found = reader.fetch(kind, [held.num for held in part if held.kind is kind])
            records.update({(kind, num): record for num, record in found.items()})
        for held in part:
            if len(kept) == top:
                break
            left[held.kind] -= 1
            record = records.get((held.kind, held.num))
            reason = _refusal(held, record, plan)
            if reason is None and record is not None:
                kept.append((held, record))
            else:
                omitted.note(held.kind, reason or "gone", None if record is None else record.id)
    for kind, count in left.items():
        if count:
            omitted.note(kind, "below_top", count=count)
    return kept


def _refusal(held: Candidate, record: Record | None, plan: Plan) -> str | None:
    """Why a candidate must not be returned, or None."""
    if record is None:
        return "gone"
    if record.revision != held.revision:
        return "stale"
    if isinstance(record, Fact) and not _holds(record, plan.as_of):
        return "not_eligible"
    return None


def _holds(fact: Fact, moment: datetime) -> bool:
    ends = [end for end in (fact.valid_until, fact.superseded_at) if end is not None]
    return (fact.valid_from is None or fact.valid_from <= moment) and all(moment < end for end in ends)


def make_hits(
    reader: ArchiveReader, kept: Sequence[tuple[Candidate, Record]], *, neighbours: int
) -> tuple[Hit, ...]:
    """Results with their source, and the turns around them where they were asked for."""
    wanted = {record.session_id for _, record in kept if isinstance(record, Episode)}
    sessions = reader.get_many(Kind.SESSION, wanted)
    hits = []
    for rank, (held, record) in enumerate(kept, start=1):
        before: tuple[Episode, ...] = ()
        after: tuple[Episode, ...] = ()
        if isinstance(record, Episode):
            session = sessions[record.session_id]
            source = _episode_source(record, as_kind(session.record, Session))
            text = record.text
            if neighbours:
                around = reader.turns_around(session.num, record.position, neighbours, neighbours)
                turns = [turn.record for turn in around if isinstance(turn.record, Episode)]
                before = tuple(turn for turn in turns if turn.position < record.position)
                after = tuple(turn for turn in turns if turn.position > record.position)
        elif isinstance(record, Fact):
            source, text = _fact_source(record), record.content
        elif isinstance(record, Card):
            source, text = _card_source(record), record.text
        else:
            raise TypeError(f"{type(record).__name__} is not recalled")
        hits.append(
            Hit.of(
                rank=rank,
                kind=held.kind,
                id=record.id,
                revision=record.revision,
                text=text,
                source=source,
                record=record,
                retrieval=_retrieval(held),
                before=before,
                after=after,
                flags=flags_of(text),
            )
        )
    return tuple(hits)


def _episode_source(episode: Episode, session: Session) -> Source:
    return Source(
        session=session.external_id or session.id,
        session_id=session.id,
        project=session.project,
        position=episode.position,
        speaker=episode.speaker or ("user" if episode.user_message else "assistant"),
        occurred_at=episode.occurred_at,
        author=episode.created_by,
    )


def _fact_source(fact: Fact) -> Source:
    return Source(
        domain=fact.domain,
        topic=fact.topic,
        author=fact.agent or fact.created_by,
        occurred_at=fact.recorded_at,
        veracity=str(fact.veracity),
    )


def _card_source(card: Card) -> Source:
    return Source(
        session=card.origin.session,
        author=card.origin.author or card.origin.reviewer,
        occurred_at=card.updated_at,
        family=str(card.family),
        scope=card.scope,
    )


def _retrieval(held: Candidate) -> Retrieval:
    return Retrieval.of(
        score=round(held.score, 6),
        voices=tuple(
            VoiceRank.of(voice=voice, rank=rank, score=score) for voice, (rank, score) in held.voices.items()
        ),
        parts={name: round(amount, 6) for name, amount in held.parts.items()},
        path=held.path,
    )
