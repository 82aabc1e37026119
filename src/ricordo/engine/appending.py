"""Adding episodes at the end of sessions: any number of sessions in one transaction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ricordo.archive.contract import ArchiveWriter, Stored
from ricordo.engine.engine import Bound
from ricordo.engine.held import first_revision
from ricordo.engine.saving import receipts
from ricordo.engine.sessions import make_session, session_not_found
from ricordo.engine.staging import TAIL, Appended, stage_appended
from ricordo.records.base import Kind, as_kind
from ricordo.records.episode import Episode, EpisodeDraft
from ricordo.records.principal import Permission
from ricordo.records.receipt import Outcome, Receipt
from ricordo.records.session import Session, SessionDraft
from ricordo.records.work import Work


class Addition(NamedTuple):
    """What is to be added to one session.

    Attributes:
        head: The session's external id, or its id; the rest is for one that is made.
        drafts: In the order in which they were said.
        may_make: Whether a session that is not there is made.
    """

    head: SessionDraft
    drafts: Sequence[EpisodeDraft]
    may_make: bool = True


def add_episodes(bound: Bound, additions: Sequence[Addition], *, defer: bool) -> list[tuple[Receipt, ...]]:
    """Add episodes to sessions, all or none.

    Args:
        bound: Workspace and caller.
        additions: At most one a session.
        defer: Leave vectors to the worker; more than 8 always are.

    Returns:
        For each addition one receipt an episode, in order.

    Raises:
        NotFound: A session is not there and may not be made.
    """
    bound.principal.require(Permission.WRITE)
    engine = bound.engine
    with engine.archive.write(bound.workspace) as writer:
        steps = [_Step.prepared(bound, writer, addition) for addition in additions]
        records = [record for step in steps for record in step.records]
        nums = writer.add(Kind.EPISODE, records)
        added = [Stored(num, record) for num, record in zip(nums, records, strict=True)]
        queued = False
        if added:
            fresh = iter(added)
            parts = [[next(fresh) for _ in step.records] for step in steps]
            appended = [
                Appended(step.session, step.tail, part)
                for step, part in zip(steps, parts, strict=True)
                if part
            ]
            stage_appended(engine.index, writer, appended)
            queued = engine.queue_vectors(writer, Kind.EPISODE, list(nums), fresh=True)
    if not added:
        return [step.answers(()) for step in steps]
    made = iter(receipts(bound, Kind.EPISODE, added, defer=defer, queued=queued))
    return [step.answers([next(made) for _ in step.records]) for step in steps]


class _Step(NamedTuple):
    """One addition, with what is there already and what is to be saved."""

    drafts: Sequence[EpisodeDraft]
    session: Session
    tail: Sequence[Stored]
    known: Mapping[str, Receipt]
    records: Sequence[Episode]

    @classmethod
    def prepared(cls, bound: Bound, writer: ArchiveWriter, addition: Addition) -> _Step:
        """Look up, or make, the session, and say what is new to it."""
        name = addition.head.external_id or ""
        place = writer.find_session(name)
        tail: Sequence[Stored] = ()
        known: Mapping[str, Receipt] = {}
        if place is not None:
            tail = writer.last_turns(place.num, TAIL)
            known = _known(writer, place, addition.drafts)
        elif addition.may_make:
            place = make_session(bound, writer, addition.head)
        else:
            raise session_not_found(name)
        session = as_kind(place.record, Session)
        records = _records(bound, session, tail, addition.drafts, known)
        return cls(addition.drafts, session, tail, known, records)

    def answers(self, fresh: Sequence[Receipt]) -> tuple[Receipt, ...]:
        """Receipts in the order of the drafts."""
        waiting = iter(fresh)
        made: dict[str, Receipt] = {}
        answers = []
        for draft in self.drafts:
            name = draft.external_id
            if name is not None and name in self.known:
                answers.append(self.known[name])
            elif name is not None and name in made:
                answers.append(made[name].model_copy(update={"created": False}))
            else:
                receipt = next(waiting)
                if name is not None:
                    made[name] = receipt
                answers.append(receipt)
        return tuple(answers)


def _known(writer: ArchiveWriter, place: Stored, drafts: Sequence[EpisodeDraft]) -> dict[str, Receipt]:
    """Receipts, by external id, of the episodes that are there already."""
    there = writer.find_episodes(place.num, [draft.external_id for draft in drafts if draft.external_id])
    if not there:
        return {}
    waiting = writer.queued(Work.EMBED, Kind.EPISODE, [stored.num for stored in there.values()])
    return {name: _known_receipt(stored, pending=stored.num in waiting) for name, stored in there.items()}


def _known_receipt(stored: Stored, *, pending: bool) -> Receipt:
    return Receipt(
        kind=Kind.EPISODE,
        id=stored.record.id,
        revision=stored.record.revision,
        outcome=Outcome.INDEX_PENDING if pending else Outcome.SEARCHABLE,
        created=False,
        note="It was there already: nothing was changed.",
    )


def _records(
    bound: Bound,
    session: Session,
    tail: Sequence[Stored],
    drafts: Sequence[EpisodeDraft],
    known: Mapping[str, Receipt],
) -> list[Episode]:
    now = bound.engine.clock()
    last = tail[-1].record if tail else None
    position = last.position if isinstance(last, Episode) else 0
    seen = set(known)
    records = []
    for draft in drafts:
        if draft.external_id is not None:
            if draft.external_id in seen:
                continue
            seen.add(draft.external_id)
        position += 1
        records.append(
            Episode.of(
                **first_revision(bound, Kind.EPISODE, now),
                session_id=session.id,
                position=position,
                user_message=draft.user_message,
                assistant_message=draft.assistant_message,
                speaker=draft.speaker,
                occurred_at=draft.occurred_at or now,
                external_id=draft.external_id,
                metadata=draft.metadata,
                user_tokens=draft.user_tokens,
                assistant_tokens=draft.assistant_tokens,
            )
        )
    return records
