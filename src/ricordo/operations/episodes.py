"""Episodes: what was said, turn by turn."""

from __future__ import annotations

from pydantic import Field

from ricordo.memory import Memory
from ricordo.operations.operation import Operation, Paging, Receipts, changed, given
from ricordo.records.base import MAX_BATCH, Moment, Name, Reason, Value
from ricordo.records.episode import Episode, EpisodeChanges, EpisodeDraft
from ricordo.records.page import Page
from ricordo.records.principal import Permission
from ricordo.records.receipt import HistoryEntry, Receipt, Removal


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
    reason: Reason | None = None


class EpisodeHistoryRequest(EpisodeRequest, Paging):
    """Whose history."""


def _add_episodes(memory: Memory, request: AddEpisodesRequest) -> Receipts:
    return Receipts(receipts=memory.episodes.add_many(request.session, request.episodes, defer=request.defer))


EPISODES: tuple[Operation, ...] = (
    Operation(
        "add_episode",
        "Add one turn or exchange at the end of a session.",
        AddEpisodeRequest,
        Receipt,
        Permission.WRITE,
        lambda memory, request: memory.episodes.add(**given(request)),
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
        lambda memory, request: memory.episodes.list(**given(request)),
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
            request.episode_id, changed(request), revision=request.revision, reason=request.reason
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
        lambda memory, request: memory.episodes.history(**given(request)),
        read_only=True,
        idempotent=True,
    ),
)
