"""Operations on sessions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ricordo.archive.contract import ArchiveReader, ArchiveWriter, Stored
from ricordo.engine.engine import Bound
from ricordo.engine.held import check_revision, first_revision, next_revision
from ricordo.engine.staging import session_projections
from ricordo.engine.validation import (
    checked,
    name_text,
    named_changes,
    page_limit,
    reason_text,
    revision_seen,
)
from ricordo.errors import AlreadyExists, NotFound
from ricordo.records.base import Kind, Record, as_kind
from ricordo.records.filters import Filters
from ricordo.records.page import Page
from ricordo.records.principal import Permission
from ricordo.records.receipt import HistoryEntry, Outcome, Receipt, Removal
from ricordo.records.session import Session, SessionChanges, SessionDraft

REMOVE_CHUNK = 500


def session_not_found(name: str) -> NotFound:
    """The error for a session that is not there."""
    return NotFound(
        f"There is no session '{name}' in this workspace.", cure="List them: ricordo sessions list", id=name
    )


def find_session(reader: ArchiveReader, name: str) -> Stored:
    """The session with this id or external id, without its count of episodes.

    Raises:
        NotFound: There is none.
    """
    found = reader.find_session(name)
    if found is None:
        raise session_not_found(name)
    return found


def make_session(bound: Bound, writer: ArchiveWriter, draft: SessionDraft) -> Stored:
    """Insert a session in an open transaction."""
    session = Session(**first_revision(bound, Kind.SESSION, bound.engine.clock()), **draft.model_dump())
    return Stored(writer.add(Kind.SESSION, [session])[0], session)


class Sessions(Bound):
    """Sessions of one workspace."""

    def create(self, **fields: Any) -> Receipt:
        """Make a session.

        Args:
            **fields: As `SessionDraft`: external_id, name, project, metadata.

        Raises:
            AlreadyExists: Its external id is taken.
            InvalidInput: A field is not valid.
        """
        self.principal.require(Permission.WRITE)
        draft = checked(SessionDraft, fields)
        with self.engine.archive.write(self.workspace) as writer:
            if draft.external_id and writer.find_session(draft.external_id) is not None:
                raise AlreadyExists(
                    f"There is a session '{draft.external_id}' already.",
                    cure="Add episodes to it, or choose another external id.",
                    external_id=draft.external_id,
                )
            stored = make_session(self, writer, draft)
        return _receipt(stored.record, created=True)

    def get(self, session: str) -> Session:
        """The session with this id or external id.

        Raises:
            NotFound: There is none.
        """
        self.principal.require(Permission.READ)
        session = name_text(session, "session")
        with self.engine.archive.read(self.workspace) as reader:
            whole = reader.get(Kind.SESSION, find_session(reader, session).record.id)
        if whole is None:
            raise session_not_found(session)
        return as_kind(whole.record, Session)

    def list(
        self, *, project: str | None = None, limit: int = 50, cursor: str | None = None
    ) -> Page[Session]:
        """Sessions, oldest first.

        Args:
            project: Only those of this project.
            limit: 1..1000.
            cursor: `next_cursor` of the page before.
        """
        self.principal.require(Permission.READ)
        filters = checked(Filters, {"project": project})
        with self.engine.archive.read(self.workspace) as reader:
            return reader.page(Kind.SESSION, filters, limit=page_limit(limit), cursor=cursor)

    def update(
        self,
        session: str,
        changes: Mapping[str, Any],
        *,
        revision: int | None = None,
        reason: str | None = None,
    ) -> Receipt:
        """Change the named fields of a session.

        Args:
            session: Its id or external id.
            changes: As `SessionChanges`.
            revision: The revision that the change was made from; checked where given.
            reason: Stands in the history.

        Raises:
            StaleRevision: It has changed since.
        """
        self.principal.require(Permission.WRITE)
        session = name_text(session, "session")
        reason, revision = reason_text(reason), revision_seen(revision)
        named = named_changes(SessionChanges, changes)
        with self.engine.archive.write(self.workspace) as writer:
            stored = find_session(writer, session)
            record = as_kind(stored.record, Session)
            check_revision(record, revision)
            taken = named.get("external_id")
            if taken and taken != record.external_id and writer.find_session(taken) is not None:
                raise AlreadyExists(f"There is a session '{taken}' already.", external_id=taken)
            revised = next_revision(self, record, named)
            writer.replace(stored, revised, reason=reason)
            if "project" in named and named["project"] != record.project:
                for chunk in session_projections(writer, Stored(stored.num, revised)):
                    self.engine.index.restage(writer, chunk)
        return _receipt(revised, created=False)

    def delete(self, session: str) -> Removal:
        """Delete a session with all of its episodes, from archive and index, at once.

        Raises:
            NotFound: There is none.
        """
        self.principal.require(Permission.WRITE)
        session = name_text(session, "session")
        removed = 0
        with self.engine.archive.write(self.workspace) as writer:
            stored = find_session(writer, session)
            now = self.engine.clock()
            while True:
                turns = writer.turns_after(stored.num, -1, REMOVE_CHUNK)
                if not turns:
                    break
                writer.remove(Kind.EPISODE, turns, actor=self.principal.id, at=now)
                self.engine.index.unstage(writer, Kind.EPISODE, [turn.num for turn in turns])
                removed += len(turns)
            writer.remove(Kind.SESSION, [stored], actor=self.principal.id, at=now)
        return Removal(
            kind=Kind.SESSION, id=stored.record.id, removed={Kind.SESSION: 1, Kind.EPISODE: removed}
        )

    def history(self, session: str, *, limit: int = 50, cursor: str | None = None) -> Page[HistoryEntry]:
        """Revisions of a session, newest first; a deleted one by its id."""
        self.principal.require(Permission.READ)
        session = name_text(session, "session")
        with self.engine.archive.read(self.workspace) as reader:
            found = reader.find_session(session)
            record_id = session if found is None else found.record.id
            page = reader.history(Kind.SESSION, record_id, limit=page_limit(limit), cursor=cursor)
        if not page.total:
            raise session_not_found(session)
        return page


def _receipt(record: Record, *, created: bool) -> Receipt:
    return Receipt(
        kind=Kind.SESSION,
        id=record.id,
        revision=record.revision,
        outcome=Outcome.SEARCHABLE,
        created=created,
    )
