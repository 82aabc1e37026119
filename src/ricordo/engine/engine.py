"""The parts of one memory and what they share."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from ricordo.archive.contract import Archive, ArchiveReader, ArchiveWriter
from ricordo.clock import Clock, Ids
from ricordo.embed.contract import Embedder, Hurried
from ricordo.errors import EmbedderError, InvalidInput, WorkspaceNotFound
from ricordo.index.contract import Index, Space
from ricordo.index.projector import EMBEDDING_FORMAT
from ricordo.recall.profiles import Profile, profile_for
from ricordo.records.base import Kind, clean_text
from ricordo.records.principal import Principal
from ricordo.records.work import Work
from ricordo.records.workspace import Language, Workspace
from ricordo.settings import Settings

MAX_WORKSPACE_CHARS = 200
"""Longest name of a workspace."""

EMBEDDED = (Kind.EPISODE, Kind.FACT, Kind.CARD)
"""Kinds of record that have vectors."""


@dataclass
class Engine:
    """Archive, index and embedder of one memory.

    Attributes:
        embedder: None where only keywords are used.
        owner: Name of this process in leases.
        jitter: Answers 0..1; spreads attempts that failed together.
        profiles: Answers how records of these kinds are recalled; another one is for measuring.
    """

    archive: Archive
    index: Index
    embedder: Embedder | None
    clock: Clock
    ids: Ids
    settings: Settings
    owner: str
    jitter: Callable[[], float] = random.random
    profiles: Callable[[Iterable[Kind]], Profile] = profile_for
    _spaces: dict[int, Space] = field(default_factory=dict)
    _prepared: set[int] = field(default_factory=set)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _failed_at: datetime | None = None

    def open_workspace(self, name: str, language: Language | None = None) -> Workspace:
        """The workspace with this name, made with its index if it is not there.

        Raises:
            InvalidInput: The name is empty or too long.
        """
        folded_name = workspace_name(name)
        if not 1 <= len(folded_name) <= MAX_WORKSPACE_CHARS:
            raise InvalidInput(
                f"A workspace's name must have 1 to {MAX_WORKSPACE_CHARS} signs.", field="name"
            )
        workspace = self.archive.ensure_workspace(
            folded_name, language or self.settings.language, self.clock()
        )
        self.prepare(workspace)
        return workspace

    def existing_workspace(self, name: str) -> Workspace:
        """The workspace with this name.

        Raises:
            WorkspaceNotFound: There is none.
        """
        workspace = self.archive.find_workspace(workspace_name(name))
        if workspace is None:
            raise WorkspaceNotFound(
                f"There is no workspace '{name}'.",
                cure="`ricordo workspaces create` makes one.",
                workspace=name,
            )
        self.prepare(workspace)
        return workspace

    def prepare(self, workspace: Workspace) -> None:
        """Make the workspace's index if it is not there, also for kinds that older versions did not have.

        One that is gone though there are records is not made in silence: it would be empty, and
        every question would seem to have no answer.
        """
        if workspace.num in self._prepared:
            return
        with self.archive.read(workspace) as reader:
            lacking = [kind for kind in EMBEDDED if not self.index.is_prepared(reader, kind)]
        if lacking:
            with self.archive.write(workspace) as writer:
                for kind in lacking:
                    if not writer.has_any(kind):
                        self.index.prepare(writer, kind)
        self._prepared.add(workspace.num)

    def space(self, workspace: Workspace) -> Space | None:
        """The vector space of this process's embedder, made if it is not there.

        A workspace's first space becomes active, and everything older is queued for it.

        Raises:
            EmbedderError: The embedder cannot say what it is.
        """
        if self.embedder is None:
            return None
        held = self._held_space(workspace)
        if held is not None:
            return held
        found = self.find_space(workspace)
        if found is None:
            model, dimension = self.embedder.model, self.embedder.dimension
            with self.archive.write(workspace) as writer:
                found = self.index.open_space(writer, model, dimension, EMBEDDING_FORMAT)
                if found.active:
                    self.enqueue_missing(writer, found)
        with self._lock:
            self._spaces[workspace.num] = found
        return found

    def _held_space(self, workspace: Workspace) -> Space | None:
        """The space that was found before; None where a server answers with another dimension by now."""
        held = self._spaces.get(workspace.num)
        fits = held is not None and self.embedder is not None and held.dimension == self.embedder.dimension
        return held if fits else None

    def find_space(self, workspace: Workspace) -> Space | None:
        """The vector space of this process's embedder as it is now; None where there is none.

        Raises:
            EmbedderError: The embedder cannot say what it is.
        """
        if self.embedder is None:
            return None
        wanted = (self.embedder.model, self.embedder.dimension, EMBEDDING_FORMAT)
        with self.archive.read(workspace) as reader:
            known = self.index.spaces(reader)
        return next((item for item in known if (item.model, item.dimension, item.format) == wanted), None)

    def known_space(self, workspace: Workspace) -> Space | None:
        """As `find_space`, from memory where it was found before: its caller looks again in its snapshot.

        Raises:
            EmbedderError: The embedder cannot say what it is.
        """
        held = self._held_space(workspace)
        if held is None:
            held = self.find_space(workspace)
            if held is not None:
                with self._lock:
                    self._spaces[workspace.num] = held
        return held

    def hurried_embedder(self) -> Embedder | None:
        """The embedder for a call that somebody waits for."""
        embedder = self.embedder
        if isinstance(embedder, Hurried):
            return embedder.hurried(self.settings.embedder_save_timeout_s)
        return embedder

    def note_embedder(self, *, failed: bool) -> None:
        """Remember whether the embedder has just failed: a save does not wait for one that has."""
        self._failed_at = self.clock() if failed else None

    @property
    def embedder_rests(self) -> bool:
        """Whether the embedder has failed so lately that a save does not ask it."""
        if self._failed_at is None:
            return False
        pause = timedelta(seconds=self.settings.embedder_save_pause_s)
        return self._failed_at <= self.clock() < self._failed_at + pause

    def forget_spaces(self) -> None:
        """Look spaces up anew, after one was activated or dropped."""
        with self._lock:
            self._spaces.clear()

    def current_space(self, workspace: Workspace) -> Space | None:
        """As `space`, but looks again whether it is active: another process may have changed that."""
        found = self.find_space(workspace)
        if found is None:
            self.forget_spaces()
            found = self.space(workspace)
        return found

    def is_active(self, reader: ArchiveReader, space: Space) -> bool:
        """Whether the space is still the one that pending work fills: another process may choose one."""
        active = any(item.num == space.num and item.active for item in self.index.spaces(reader))
        if not active:
            self.forget_spaces()
        return active

    def enqueue_missing(self, writer: ArchiveWriter, space: Space) -> int:
        """Queue every record that has no vectors of its revision in the space."""
        queued = 0
        for kind in EMBEDDED:
            missing = list(self.index.without_vectors(writer, space, kind))
            writer.enqueue(Work.EMBED, kind, missing, self.clock())
            queued += len(missing)
        return queued

    def queue_vectors(
        self, writer: ArchiveWriter, kind: Kind, nums: Sequence[int], *, fresh: bool = False
    ) -> bool:
        """Queue saved records for embedding, by this process or another, where anything embeds.

        Args:
            writer: The archive's open transaction.
            kind: Kind of the records.
            nums: Their numbers.
            fresh: They are new: nothing of them can be queued yet.

        Returns:
            Whether they were queued.
        """
        wanted = self.embedder is not None or any(space.active for space in self.index.spaces(writer))
        if wanted:
            writer.enqueue(Work.EMBED, kind, nums, self.clock(), fresh=fresh)
        return wanted

    def close(self) -> None:
        """Close everything; twice does nothing."""
        self.index.close()
        if self.embedder is not None:
            self.embedder.close()
        self.archive.close()


@dataclass(frozen=True)
class Bound:
    """An engine bound to a workspace and a caller; the base of every group of operations."""

    engine: Engine
    workspace: Workspace
    principal: Principal


def workspace_name(name: str) -> str:
    """A workspace's name as the archive has it: storable, white space single.

    Raises:
        InvalidInput: Not a text.
    """
    if not isinstance(name, str):
        raise InvalidInput(f"'name': must be a text, not {type(name).__name__}.", field="name")
    return " ".join(clean_text(name).split())


def embedder_trouble(error: EmbedderError) -> str:
    """What a receipt or a recall says when the embedder failed."""
    return f"The embedding model failed: {error.message}"
