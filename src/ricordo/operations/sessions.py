"""Sessions: conversations and runs that episodes belong to."""

from __future__ import annotations

from pydantic import Field

from ricordo.operations.operation import Operation, Paging, changed, given
from ricordo.records.base import Name, Reason, Value
from ricordo.records.page import Page
from ricordo.records.principal import Permission
from ricordo.records.receipt import HistoryEntry, Receipt, Removal
from ricordo.records.session import Session, SessionChanges, SessionDraft


class SessionRequest(Value):
    """One session."""

    session: Name = Field(description="Id or external id of the session.")


class ListSessionsRequest(Paging):
    """Which sessions."""

    project: Name | None = None


class UpdateSessionRequest(SessionRequest):
    """A change of a session."""

    changes: SessionChanges
    revision: int | None = Field(default=None, description="The revision that the change was made from.")
    reason: Reason | None = None


class SessionHistoryRequest(SessionRequest, Paging):
    """Whose history."""


SESSIONS: tuple[Operation, ...] = (
    Operation(
        "create_session",
        "Make a session that episodes can be added to.",
        SessionDraft,
        Receipt,
        Permission.WRITE,
        lambda memory, request: memory.sessions.create(**given(request)),
    ),
    Operation(
        "get_session",
        "Read one session.",
        SessionRequest,
        Session,
        Permission.READ,
        lambda memory, request: memory.sessions.get(request.session),
        read_only=True,
        idempotent=True,
    ),
    Operation(
        "list_sessions",
        "List sessions, oldest first.",
        ListSessionsRequest,
        Page[Session],
        Permission.READ,
        lambda memory, request: memory.sessions.list(**given(request)),
        read_only=True,
        idempotent=True,
    ),
    Operation(
        "update_session",
        "Change named fields of a session.",
        UpdateSessionRequest,
        Receipt,
        Permission.WRITE,
        lambda memory, request: memory.sessions.update(
            request.session, changed(request), revision=request.revision, reason=request.reason
        ),
        destructive=True,
    ),
    Operation(
        "delete_session",
        "Delete a session with all of its episodes.",
        SessionRequest,
        Removal,
        Permission.WRITE,
        lambda memory, request: memory.sessions.delete(request.session),
        destructive=True,
    ),
    Operation(
        "session_history",
        "Show the revisions of a session, newest first.",
        SessionHistoryRequest,
        Page[HistoryEntry],
        Permission.READ,
        lambda memory, request: memory.sessions.history(**given(request)),
        read_only=True,
        idempotent=True,
    ),
)
