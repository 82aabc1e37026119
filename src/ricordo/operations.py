"""The one table of operations: every surface that speaks of an operation reads it here.

An operation has a name, a request, a response, the permission that it needs,
and whether it only reads, destroys, or may be repeated without harm. HTTP, MCP
and the command line parse a request, call `run`, and render the response. The
permission is checked by the engine; it stands here so that surfaces can say it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import Field

from ricordo.memory import Memory
from ricordo.records.base import MAX_BATCH, MAX_TAGS, Moment, Name, NonEmptyText, Text, Value
from ricordo.records.episode import Episode, EpisodeChanges, EpisodeDraft
from ricordo.records.fact import Fact, FactChanges, FactDraft
from ricordo.records.filters import Filters
from ricordo.records.page import Page
from ricordo.records.principal import Permission
from ricordo.records.recall import Recall
from ricordo.records.receipt import HistoryEntry, Receipt, Removal
from ricordo.records.session import Session, SessionChanges, SessionDraft
from ricordo.records.upkeep import Diagnosis, IndexReport, PendingReport, Status, VerifyReport
from ricordo.records.work import PendingItem


class Paging(Value):
    """Which page of a listing."""

    limit: int = Field(default=50, ge=1, le=1000, description="Most items of the page.")
    cursor: str | None = Field(default=None, description="`next_cursor` of the page before.")


class Nothing(Value):
    """A request without fields."""


class RecallRequest(Value):
    """A question."""

    question: Text = Field(description="Any text; nothing in it is query syntax.")
    top: int = Field(default=10, ge=1, le=100, description="Most results.")
    kinds: tuple[Literal["episode", "fact"], ...] | None = Field(
        default=None, description="`episode`, `fact`; all by default."
    )
    filters: Filters = Field(default_factory=Filters, description="Restrictions; all must hold.")
    as_of: Moment | None = Field(default=None, description="Ask for what held at this time.")
    neighbours: int = Field(default=0, ge=0, le=10, description="Turns before and after each episode.")


class RememberRequest(FactDraft):
    """A statement to be kept."""


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
    reason: NonEmptyText | None = None


class SessionHistoryRequest(SessionRequest, Paging):
    """Whose history."""


class AddEpisodeRequest(EpisodeDraft):
    """An episode to be added at the end of a session."""

    session: Name = Field(description="Id or external id; a session with a new external id is made.")
    defer: bool = Field(default=False, description="Leave the vector to the background.")


class AddEpisodesRequest(Value):
    """Episodes to be added at the end of a session."""

    session: Name = Field(description="Id or external id; a session with a new external id is made.")
    episodes: tuple[EpisodeDraft, ...] = Field(min_length=1, max_length=MAX_BATCH)
    defer: bool = False


class EpisodeRequest(Value):
    """One episode."""

    episode_id: Name


class ListEpisodesRequest(Paging):
    """Which episodes."""

    session: Name | None = None
    project: Name | None = None
    speaker: Name | None = None
    since: Moment | None = None
    until: Moment | None = None


class UpdateEpisodeRequest(EpisodeRequest):
    """A change of an episode."""

    changes: EpisodeChanges
    revision: int | None = Field(default=None, description="The revision that the change was made from.")
    reason: NonEmptyText | None = None


class EpisodeHistoryRequest(EpisodeRequest, Paging):
    """Whose history."""


class AddFactRequest(FactDraft):
    """A fact to be added."""

    defer: bool = Field(default=False, description="Leave the vector to the background.")


class FactRequest(Value):
    """One fact."""

    fact_id: Name


class ListFactsRequest(Paging):
    """Which facts."""

    domain: Name | None = None
    topic: Name | None = None
    tags: tuple[Name, ...] = Field(default=(), max_length=MAX_TAGS)
    since: Moment | None = None
    until: Moment | None = None


class UpdateFactRequest(FactRequest):
    """A change of a fact."""

    changes: FactChanges
    revision: int | None = Field(default=None, description="The revision that the change was made from.")
    reason: NonEmptyText | None = None


class FactHistoryRequest(FactRequest, Paging):
    """Whose history."""


class RetryRequest(Value):
    """Which pending work."""

    item: int | None = Field(
        default=None, ge=1, le=2**63 - 1, description="Number of one item; all if omitted."
    )


class Retried(Value):
    """How many items are due now."""

    woken: int


class RebuildRequest(Value):
    """How to rebuild."""

    full: bool = Field(default=False, description="Rewrite everything, right or not.")


class VerifyRequest(Value):
    """How to verify."""

    repair: bool = Field(default=False, description="Mend what differs.")


class Receipts(Value):
    """Receipts in the order of what was given."""

    receipts: tuple[Receipt, ...]


class PendingPage(Value):
    """Work that is not done yet."""

    report: PendingReport
    page: Page[PendingItem]


class WorkspaceInfo(Value):
    """A workspace."""

    name: str
    language: str
    created_at: Moment


class Workspaces(Value):
    """All workspaces."""

    items: tuple[WorkspaceInfo, ...]


class CreateWorkspaceRequest(Value):
    """A workspace to be made."""

    name: Name
    language: str = Field(default="en", pattern="^(en|it)$")


@dataclass(frozen=True)
class Operation:
    """One operation.

    Attributes:
        name: `verb_noun`; the same on every surface.
        summary: One sentence, for help, OpenAPI and MCP.
        request, response: Models of what comes in and out.
        read_only: Changes nothing.
        destructive: Removes or overwrites something.
        idempotent: Doing it twice is the same as doing it once.
        run: Does it.
    """

    name: str
    summary: str
    request: type[Value]
    response: type[Value]
    permission: Permission
    run: Callable[[Memory, Any], Any]
    read_only: bool = False
    destructive: bool = False
    idempotent: bool = False


def _fields(request: Value, *leave: str) -> dict[str, Any]:
    """The fields of a request that were given."""
    return {name: getattr(request, name) for name in request.model_fields_set if name not in leave}


def _changes(request: Any) -> dict[str, Any]:
    return {name: getattr(request.changes, name) for name in request.changes.model_fields_set}


def _add_episodes(memory: Memory, request: AddEpisodesRequest) -> Receipts:
    return Receipts(receipts=memory.episodes.add_many(request.session, request.episodes, defer=request.defer))


def _pending(memory: Memory, request: Paging) -> PendingPage:
    page = memory.upkeep.pending(limit=request.limit, cursor=request.cursor)
    return PendingPage(report=memory.upkeep.pending_report(), page=page)


def _workspaces(memory: Memory, request: Nothing) -> Workspaces:
    del request
    return Workspaces(items=tuple(_info(memory, item.name) for item in memory.workspaces()))


def _info(memory: Memory, name: str) -> WorkspaceInfo:
    found = next(item for item in memory.workspaces() if item.name == name)
    return WorkspaceInfo(name=found.name, language=str(found.language), created_at=found.created_at)


def _create_workspace(memory: Memory, request: CreateWorkspaceRequest) -> WorkspaceInfo:
    made = memory.in_workspace(request.name, create=True, language=request.language)
    return _info(memory, made.workspace.name)


OPERATIONS: tuple[Operation, ...] = (
    Operation(
        "recall",
        "Answer a question from what is remembered now, with sources; says so when nothing is known.",
        RecallRequest,
        Recall,
        Permission.READ,
        lambda memory, request: memory.recall(**_fields(request)),
        read_only=True,
        idempotent=True,
    ),
    Operation(
        "remember",
        "Keep one statement as a fact.",
        RememberRequest,
        Receipt,
        Permission.WRITE,
        lambda memory, request: memory.remember(**_fields(request)),
    ),
    Operation(
        "create_session",
        "Make a session that episodes can be added to.",
        SessionDraft,
        Receipt,
        Permission.WRITE,
        lambda memory, request: memory.sessions.create(**_fields(request)),
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
        lambda memory, request: memory.sessions.list(**_fields(request)),
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
            request.session, _changes(request), revision=request.revision, reason=request.reason
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
        lambda memory, request: memory.sessions.history(**_fields(request)),
        read_only=True,
        idempotent=True,
    ),
    Operation(
        "add_episode",
        "Add one turn or exchange at the end of a session.",
        AddEpisodeRequest,
        Receipt,
        Permission.WRITE,
        lambda memory, request: memory.episodes.add(**_fields(request)),
    ),
    Operation(
        "add_episodes",
        "Add turns or exchanges at the end of a session, all or none.",
        AddEpisodesRequest,
        Receipts,
        Permission.WRITE,
        _add_episodes,
    ),
    Operation(
        "get_episode",
        "Read one episode.",
        EpisodeRequest,
        Episode,
        Permission.READ,
        lambda memory, request: memory.episodes.get(request.episode_id),
        read_only=True,
        idempotent=True,
    ),
    Operation(
        "list_episodes",
        "List episodes in the order in which they were added.",
        ListEpisodesRequest,
        Page[Episode],
        Permission.READ,
        lambda memory, request: memory.episodes.list(**_fields(request)),
        read_only=True,
        idempotent=True,
    ),
    Operation(
        "update_episode",
        "Change named fields of an episode.",
        UpdateEpisodeRequest,
        Receipt,
        Permission.WRITE,
        lambda memory, request: memory.episodes.update(
            request.episode_id, _changes(request), revision=request.revision, reason=request.reason
        ),
        destructive=True,
    ),
    Operation(
        "delete_episode",
        "Delete an episode.",
        EpisodeRequest,
        Removal,
        Permission.WRITE,
        lambda memory, request: memory.episodes.delete(request.episode_id),
        destructive=True,
    ),
    Operation(
        "episode_history",
        "Show the revisions of an episode, newest first.",
        EpisodeHistoryRequest,
        Page[HistoryEntry],
        Permission.READ,
        lambda memory, request: memory.episodes.history(**_fields(request)),
        read_only=True,
        idempotent=True,
    ),
    Operation(
        "add_fact",
        "Add one fact with its domain, topic and source.",
        AddFactRequest,
        Receipt,
        Permission.WRITE,
        lambda memory, request: memory.facts.add(**_fields(request)),
    ),
    Operation(
        "get_fact",
        "Read one fact.",
        FactRequest,
        Fact,
        Permission.READ,
        lambda memory, request: memory.facts.get(request.fact_id),
        read_only=True,
        idempotent=True,
    ),
    Operation(
        "list_facts",
        "List facts in the order in which they were recorded.",
        ListFactsRequest,
        Page[Fact],
        Permission.READ,
        lambda memory, request: memory.facts.list(**_fields(request)),
        read_only=True,
        idempotent=True,
    ),
    Operation(
        "update_fact",
        "Change named fields of a fact.",
        UpdateFactRequest,
        Receipt,
        Permission.WRITE,
        lambda memory, request: memory.facts.update(
            request.fact_id, _changes(request), revision=request.revision, reason=request.reason
        ),
        destructive=True,
    ),
    Operation(
        "delete_fact",
        "Delete a fact.",
        FactRequest,
        Removal,
        Permission.WRITE,
        lambda memory, request: memory.facts.delete(request.fact_id),
        destructive=True,
    ),
    Operation(
        "fact_history",
        "Show the revisions of a fact, newest first.",
        FactHistoryRequest,
        Page[HistoryEntry],
        Permission.READ,
        lambda memory, request: memory.facts.history(**_fields(request)),
        read_only=True,
        idempotent=True,
    ),
    Operation(
        "list_pending",
        "Show deferred work that is not done yet.",
        Paging,
        PendingPage,
        Permission.READ,
        _pending,
        read_only=True,
        idempotent=True,
    ),
    Operation(
        "retry_pending",
        "Make pending work due at once.",
        RetryRequest,
        Retried,
        Permission.MANAGE,
        lambda memory, request: Retried(woken=memory.upkeep.retry(request.item)),
        idempotent=True,
    ),
    Operation(
        "rebuild_index",
        "Make the index from the archive again.",
        RebuildRequest,
        IndexReport,
        Permission.MANAGE,
        lambda memory, request: memory.upkeep.rebuild(full=request.full),
        idempotent=True,
    ),
    Operation(
        "verify_index",
        "Compare the index with the archive, and mend it where asked.",
        VerifyRequest,
        VerifyReport,
        Permission.MANAGE,
        lambda memory, request: memory.upkeep.verify(repair=request.repair),
        idempotent=True,
    ),
    Operation(
        "status",
        "Say what the workspace holds.",
        Nothing,
        Status,
        Permission.READ,
        lambda memory, request: memory.doctor.status(),
        read_only=True,
        idempotent=True,
    ),
    Operation(
        "diagnose",
        "Check archive, index, embedder, pending work and versions.",
        Nothing,
        Diagnosis,
        Permission.READ,
        lambda memory, request: memory.doctor.diagnose(),
        read_only=True,
        idempotent=True,
    ),
    Operation(
        "list_workspaces",
        "List the archive's workspaces.",
        Nothing,
        Workspaces,
        Permission.READ,
        _workspaces,
        read_only=True,
        idempotent=True,
    ),
    Operation(
        "create_workspace",
        "Make a workspace if it is not there.",
        CreateWorkspaceRequest,
        WorkspaceInfo,
        Permission.ADMIN,
        _create_workspace,
        idempotent=True,
    ),
)

BY_NAME: dict[str, Operation] = {operation.name: operation for operation in OPERATIONS}
