"""Operations on episodes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ricordo.archive.contract import ArchiveWriter, Stored
from ricordo.engine.engine import Bound
from ricordo.engine.saving import check_revision, finish_save, receipts
from ricordo.engine.sessions import make_session, session_not_found
from ricordo.engine.staging import TAIL, restage_around, stage_appended
from ricordo.engine.validation import batch, checked, name_text, page_limit, reason_text, revision_seen
from ricordo.errors import InvalidInput, NotFound
from ricordo.records.base import MAX_BATCH, Kind
from ricordo.records.episode import Episode, EpisodeChanges, EpisodeDraft
from ricordo.records.filters import Filters
from ricordo.records.page import Page
from ricordo.records.principal import Permission
from ricordo.records.receipt import HistoryEntry, Outcome, Receipt, Removal
from ricordo.records.session import Session, SessionDraft
from ricordo.records.work import Work

_SESSION_ID = re.compile(rf"{Kind.SESSION}-[0-9a-f]{{8}}(-[0-9a-f]{{4}}){{3}}-[0-9a-f]{{12}}")


def _not_found(episode_id: str) -> NotFound:
    return NotFound(f"There is no episode '{episode_id}' in this workspace.", id=episode_id)


class Episodes(Bound):
    """Episodes of one workspace."""

    def add(self, session: str, *, defer: bool = False, **fields: Any) -> Receipt:
        """Add one episode at the end of a session.

        Args:
            session: Id or external id; a session with a new external id is made.
            defer: Leave the vector to the worker instead of making it in this call.
            **fields: As `EpisodeDraft`: user_message, assistant_message, speaker, occurred_at,
                external_id, metadata, user_tokens, assistant_tokens.

        Returns:
            A receipt; `created` is false where the external id was there already.
        """
        return self.add_many(session, [fields], defer=defer)[0]

    def add_many(
        self, session: str, episodes: Iterable[Mapping[str, Any] | EpisodeDraft], *, defer: bool = False
    ) -> tuple[Receipt, ...]:
        """Add episodes at the end of a session, all or none.

        Args:
            session: Id or external id; a session with a new external id is made.
            episodes: In the order in which they were said; at most 10,000.
            defer: Leave vectors to the worker; more than 8 always are.

        Returns:
            One receipt an episode, in order.
        """
        self.principal.require(Permission.WRITE)
        items = batch(episodes, "episodes", MAX_BATCH)
        drafts = [item if isinstance(item, EpisodeDraft) else checked(EpisodeDraft, item) for item in items]
        head = checked(SessionDraft, {"external_id": name_text(session, "session")})
        with self.engine.archive.write(self.workspace) as writer:
            place = self._session(writer, head)
            tail = list(writer.last_turns(place.num, TAIL))
            known = self._known(writer, place, drafts)
            records = self._records(place, tail, drafts, known)
            nums = writer.add(Kind.EPISODE, records)
            added = [Stored(num, record) for num, record in zip(nums, records, strict=True)]
            queued = False
            if added:
                stage_appended(self.engine.index, writer, _session(place), tail, added)
                queued = self.engine.wants_vectors(writer)
                if queued:
                    writer.enqueue(Work.EMBED, Kind.EPISODE, list(nums), self.engine.clock(), fresh=True)
        if not added:
            return tuple(known[draft.external_id or ""] for draft in drafts)
        outcome, note = finish_save(self, Kind.EPISODE, added, defer=defer, queued=queued)
        return self._answers(drafts, known, receipts(Kind.EPISODE, added, outcome, note))

    def _session(self, writer: ArchiveWriter, head: SessionDraft) -> Stored:
        name = head.external_id or ""
        stored = writer.find_session(name)
        if stored is not None:
            return stored
        if _SESSION_ID.fullmatch(name):
            raise session_not_found(name)
        return make_session(self, writer, head)

    def _known(
        self, writer: ArchiveWriter, place: Stored, drafts: Sequence[EpisodeDraft]
    ) -> dict[str, Receipt]:
        """Receipts, by external id, of the episodes that are there already."""
        named = [draft.external_id for draft in drafts if draft.external_id]
        if not named:
            return {}
        known = writer.known_episodes(place.num, named)
        found = {name: writer.find_episode(place.num, name) for name in known}
        there = {name: stored for name, stored in found.items() if stored is not None}
        waiting = writer.queued(Work.EMBED, Kind.EPISODE, [stored.num for stored in there.values()])
        return {name: _known_receipt(stored, pending=stored.num in waiting) for name, stored in there.items()}

    def _records(
        self,
        place: Stored,
        tail: Sequence[Stored],
        drafts: Sequence[EpisodeDraft],
        known: Mapping[str, Receipt],
    ) -> list[Episode]:
        now = self.engine.clock()
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
                Episode.model_construct(
                    id=self.engine.ids(Kind.EPISODE),
                    revision=1,
                    created_at=now,
                    updated_at=now,
                    created_by=self.principal.id,
                    updated_by=self.principal.id,
                    session_id=place.record.id,
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

    def _answers(
        self,
        drafts: Sequence[EpisodeDraft],
        known: Mapping[str, Receipt],
        fresh: Sequence[Receipt],
    ) -> tuple[Receipt, ...]:
        """Receipts in the order of the drafts."""
        waiting = iter(fresh)
        made: dict[str, Receipt] = {}
        answers = []
        for draft in drafts:
            name = draft.external_id
            if name is not None and name in known:
                answers.append(known[name])
            elif name is not None and name in made:
                answers.append(made[name].model_copy(update={"created": False}))
            else:
                receipt = next(waiting)
                if name is not None:
                    made[name] = receipt
                answers.append(receipt)
        return tuple(answers)

    def get(self, episode_id: str) -> Episode:
        """The episode with this id.

        Raises:
            NotFound: There is none.
        """
        self.principal.require(Permission.READ)
        episode_id = name_text(episode_id, "episode_id")
        with self.engine.archive.read(self.workspace) as reader:
            stored = reader.get(Kind.EPISODE, episode_id)
        if stored is None:
            raise _not_found(episode_id)
        return _episode(stored)

    def list(
        self,
        *,
        session: str | None = None,
        project: str | None = None,
        speaker: str | None = None,
        since: Any = None,
        until: Any = None,
        limit: int = 50,
        cursor: str | None = None,
    ) -> Page[Episode]:
        """Episodes in the order in which they were added.

        Args:
            session: Only of this session (id or external id).
            project, speaker, since, until: As in `Filters`.
            limit: 1..1000.
            cursor: `next_cursor` of the page before.
        """
        self.principal.require(Permission.READ)
        filters = checked(
            Filters,
            {"session": session, "project": project, "speaker": speaker, "since": since, "until": until},
        )
        with self.engine.archive.read(self.workspace) as reader:
            if session is not None and reader.find_session(session) is None:
                raise session_not_found(session)
            return reader.page(Kind.EPISODE, filters, limit=page_limit(limit), cursor=cursor)

    def update(
        self,
        episode_id: str,
        changes: Mapping[str, Any],
        *,
        revision: int | None = None,
        reason: str | None = None,
        defer: bool = False,
    ) -> Receipt:
        """Change the named fields of an episode; its old words are not recalled any more.

        Args:
            episode_id: Its id.
            changes: As `EpisodeChanges`.
            revision: The revision that the change was made from; checked where given.
            reason: Stands in the history.
            defer: Leave the vector to the worker.

        Raises:
            StaleRevision: It has changed since.
        """
        self.principal.require(Permission.WRITE)
        episode_id = name_text(episode_id, "episode_id")
        reason, revision = reason_text(reason), revision_seen(revision)
        named = checked(EpisodeChanges, changes).model_dump(include=set(changes))
        with self.engine.archive.write(self.workspace) as writer:
            stored = writer.get(Kind.EPISODE, episode_id)
            if stored is None:
                raise _not_found(episode_id)
            record = _episode(stored)
            check_revision(record, revision)
            if "occurred_at" in named and named["occurred_at"] is None:
                raise InvalidInput("'occurred_at': must be a time.", field="occurred_at")
            revised = record.model_copy(
                update={
                    **named,
                    "revision": record.revision + 1,
                    "updated_at": self.engine.clock(),
                    "updated_by": self.principal.id,
                }
            )
            checked(
                EpisodeDraft,
                {"user_message": revised.user_message, "assistant_message": revised.assistant_message},
            )
            writer.replace(stored, revised, reason=reason)
            session = writer.find_session(record.session_id)
            if session is None:
                raise session_not_found(record.session_id)
            restage_around(self.engine.index, writer, session, record.position, changed=stored.num)
            queued = self.engine.wants_vectors(writer)
            if queued:
                writer.enqueue(Work.EMBED, Kind.EPISODE, [stored.num], self.engine.clock())
        saved = [Stored(stored.num, revised)]
        outcome, note = finish_save(self, Kind.EPISODE, saved, defer=defer, queued=queued)
        return receipts(Kind.EPISODE, saved, outcome, note)[0].model_copy(update={"created": False})

    def delete(self, episode_id: str) -> Removal:
        """Delete an episode from archive and index; the turns around it lose its words as context.

        Raises:
            NotFound: There is none.
        """
        self.principal.require(Permission.WRITE)
        episode_id = name_text(episode_id, "episode_id")
        with self.engine.archive.write(self.workspace) as writer:
            stored = writer.get(Kind.EPISODE, episode_id)
            if stored is None:
                raise _not_found(episode_id)
            record = _episode(stored)
            writer.remove(Kind.EPISODE, [stored], actor=self.principal.id, at=self.engine.clock())
            self.engine.index.unstage(writer, Kind.EPISODE, [stored.num])
            session = writer.find_session(record.session_id)
            if session is not None:
                restage_around(self.engine.index, writer, session, record.position, changed=None)
        return Removal(kind=Kind.EPISODE, id=episode_id, removed={Kind.EPISODE: 1})

    def history(self, episode_id: str, *, limit: int = 50, cursor: str | None = None) -> Page[HistoryEntry]:
        """Revisions of an episode, newest first; also of a deleted one."""
        self.principal.require(Permission.READ)
        episode_id = name_text(episode_id, "episode_id")
        with self.engine.archive.read(self.workspace) as reader:
            page = reader.history(Kind.EPISODE, episode_id, limit=page_limit(limit), cursor=cursor)
        if not page.total:
            raise _not_found(episode_id)
        return page


def _episode(stored: Stored) -> Episode:
    if not isinstance(stored.record, Episode):
        raise TypeError(f"{type(stored.record).__name__} is no episode")
    return stored.record


def _session(stored: Stored) -> Session:
    if not isinstance(stored.record, Session):
        raise TypeError(f"{type(stored.record).__name__} is no session")
    return stored.record


def _known_receipt(stored: Stored, *, pending: bool) -> Receipt:
    return Receipt(
        kind=Kind.EPISODE,
        id=stored.record.id,
        revision=stored.record.revision,
        outcome=Outcome.INDEX_PENDING if pending else Outcome.SEARCHABLE,
        created=False,
        note="It was there already: nothing was changed.",
    )
