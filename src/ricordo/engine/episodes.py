"""Operations on episodes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from ricordo.archive.contract import Stored
from ricordo.engine.appending import Addition, add_episodes
from ricordo.engine.engine import Bound
from ricordo.engine.held import check_revision, drop, find, next_revision, read_history, read_one
from ricordo.engine.saving import receipts
from ricordo.engine.sessions import find_session
from ricordo.engine.staging import restage_around
from ricordo.engine.validation import (
    batch,
    checked,
    name_text,
    named_changes,
    page_limit,
    reason_text,
    revision_seen,
    value_of,
)
from ricordo.errors import InvalidInput
from ricordo.records.base import MAX_BATCH, Kind
from ricordo.records.episode import Episode, EpisodeChanges, EpisodeDraft
from ricordo.records.filters import Filters
from ricordo.records.page import Page
from ricordo.records.principal import Permission
from ricordo.records.receipt import HistoryEntry, Receipt, Removal
from ricordo.records.session import SessionDraft

_SESSION_ID = re.compile(rf"{Kind.SESSION}-[0-9a-f]{{8}}(-[0-9a-f]{{4}}){{3}}-[0-9a-f]{{12}}")


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
        drafts = [value_of(EpisodeDraft, item) for item in items]
        head = checked(SessionDraft, {"external_id": name_text(session, "session")})
        may_make = not _SESSION_ID.fullmatch(head.external_id or "")
        return add_episodes(self, [Addition(head, drafts, may_make)], defer=defer)[0]

    def get(self, episode_id: str) -> Episode:
        """The episode with this id.

        Raises:
            NotFound: There is none.
        """
        self.principal.require(Permission.READ)
        return read_one(self, Episode, episode_id)

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
            if session is not None:
                find_session(reader, session)
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
        named = named_changes(EpisodeChanges, changes)
        with self.engine.archive.write(self.workspace) as writer:
            stored, record = find(writer, Episode, episode_id)
            check_revision(record, revision)
            if "occurred_at" in named and named["occurred_at"] is None:
                raise InvalidInput("'occurred_at': must be a time.", field="occurred_at")
            revised = next_revision(self, record, named)
            checked(
                EpisodeDraft,
                {"user_message": revised.user_message, "assistant_message": revised.assistant_message},
            )
            writer.replace(stored, revised, reason=reason)
            session = find_session(writer, record.session_id)
            restage_around(self.engine.index, writer, session, record.position, changed=stored.num)
            queued = self.engine.queue_vectors(writer, Kind.EPISODE, [stored.num])
        saved = [Stored(stored.num, revised)]
        return receipts(self, Kind.EPISODE, saved, defer=defer, queued=queued, created=False)[0]

    def delete(self, episode_id: str) -> Removal:
        """Delete an episode from archive and index; the turns around it lose its words as context.

        Raises:
            NotFound: There is none.
        """
        self.principal.require(Permission.WRITE)
        episode_id = name_text(episode_id, "episode_id")
        with self.engine.archive.write(self.workspace) as writer:
            stored, record = find(writer, Episode, episode_id)
            removal = drop(self, writer, stored)
            session = writer.find_session(record.session_id)
            if session is not None:
                restage_around(self.engine.index, writer, session, record.position, changed=None)
        return removal

    def history(self, episode_id: str, *, limit: int = 50, cursor: str | None = None) -> Page[HistoryEntry]:
        """Revisions of an episode, newest first; also of a deleted one."""
        self.principal.require(Permission.READ)
        return read_history(self, Kind.EPISODE, episode_id, limit=limit, cursor=cursor)
