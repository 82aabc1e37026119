"""`Memory`: every operation of a workspace, once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from ricordo.assembly import build_engine
from ricordo.clock import Clock, Ids, system_clock
from ricordo.embed.contract import Embedder
from ricordo.engine.cards import Cards
from ricordo.engine.doctor import Doctor
from ricordo.engine.engine import Engine
from ricordo.engine.episodes import Episodes
from ricordo.engine.facts import Facts
from ricordo.engine.recalling import Recalling
from ricordo.engine.sessions import Sessions
from ricordo.engine.upkeep import Upkeep
from ricordo.engine.validation import callback
from ricordo.engine.worker import Worker
from ricordo.errors import InvalidInput, InvalidSettings
from ricordo.records.filters import Filters
from ricordo.records.principal import OWNER, Permission, Principal
from ricordo.records.recall import Recall
from ricordo.records.receipt import Receipt
from ricordo.records.workspace import Language, Workspace
from ricordo.settings import Settings, load_settings

EMBEDDER_VERBS = ("embed_passages", "embed_question", "load", "close")


class Memory:
    """A workspace's memory, as one caller sees it.

    Open one with `Memory.open`; use it as a context manager or call `close`. It may be used
    from any thread, and any number of processes may have the same file open.

    Attributes:
        sessions, episodes, facts, cards: Operations on records.
        upkeep: Pending work, `rebuild`, `verify`.
        doctor: `status` and `diagnose`.
    """

    def __init__(
        self, engine: Engine, workspace: Workspace, principal: Principal = OWNER, *, owns_engine: bool = False
    ) -> None:
        self._engine = engine
        self._owns_engine = owns_engine
        self._worker: Worker | None = None
        self.workspace = workspace
        self.principal = principal
        self.sessions = Sessions(engine, workspace, principal)
        self.episodes = Episodes(engine, workspace, principal)
        self.facts = Facts(engine, workspace, principal)
        self.cards = Cards(engine, workspace, principal)
        self.upkeep = Upkeep(engine, workspace, principal)
        self.doctor = Doctor(engine, workspace, principal)
        self._recalling = Recalling(engine, workspace, principal)

    @classmethod
    def open(
        cls,
        path_or_url: str | Path | None = None,
        *,
        workspace: str | None = None,
        language: str | None = None,
        embedder: str | Embedder | None = None,
        durability: str | None = None,
        settings: Settings | None = None,
        create: bool = True,
        clock: Clock = system_clock,
        ids: Ids | None = None,
    ) -> Memory:
        """Open a memory; the file and the workspace are made if they do not exist.

        Args:
            path_or_url: The archive's file, as a path or `sqlite:///` address; by default
                `memory.db` in the user's data folder.
            workspace: Its name; `default` by default.
            language: `en` or `it`, for a workspace that is made now.
            embedder: A name as in `Settings.embedder`, or an `Embedder`.
            durability: `full` or `process`; see `Settings.durability`.
            settings: Used instead of the environment's.
            create: False refuses a workspace that does not exist.
            clock, ids: Handed in by tests.

        Raises:
            ArchiveError: The archive cannot be opened; the message says what to do.
            WorkspaceNotFound: There is no such workspace and `create` is false.
            InvalidSettings: A value cannot be used.
        """
        if settings is not None and not isinstance(settings, Settings):
            raise InvalidSettings("'settings': must be Settings.", field="settings")
        custom = None if isinstance(embedder, str | None) else embedder
        if custom is not None and not all(callable(getattr(custom, name, None)) for name in EMBEDDER_VERBS):
            raise InvalidSettings("'embedder': must be a name or an Embedder.", field="embedder")
        callback(clock, "clock")
        callback(ids, "ids", optional=True)
        given: dict[str, Any] = {
            "path": None if path_or_url is None else archive_path(path_or_url),
            "workspace": workspace,
            "language": language,
            "embedder": embedder if isinstance(embedder, str) else None,
            "durability": durability,
        }
        if settings is None:
            chosen = load_settings(given=given)
        else:
            known = settings.model_dump(exclude_unset=True)
            chosen = load_settings(
                given={**known, **{name: value for name, value in given.items() if value is not None}},
                environment={},
            )
        engine = build_engine(chosen, clock=clock, ids=ids, embedder=custom)
        try:
            found = (
                engine.open_workspace(chosen.workspace, chosen.language)
                if create
                else engine.existing_workspace(chosen.workspace)
            )
        except BaseException:  # whatever it was, nothing stays open
            engine.close()
            raise
        return cls(engine, found, owns_engine=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the worker and close every connection; twice does nothing.

        What `acting_as` and `in_workspace` gave shares the connections of the memory that was
        opened: closing it leaves those open.
        """
        if self._worker is not None:
            self._worker.stop()
            self._worker = None
        if self._owns_engine:
            self._engine.close()

    @property
    def settings(self) -> Settings:
        """The settings that it was opened with."""
        return self._engine.settings

    def start_worker(self) -> None:
        """Do pending work in a thread from now on; for long-lived processes."""
        if self._worker is None:
            self._worker = Worker(self._engine)
            self._worker.start()

    def acting_as(self, principal: Principal) -> Memory:
        """The same memory for another caller.

        Raises:
            InvalidInput: That is no principal.
        """
        if not isinstance(principal, Principal):
            raise InvalidInput("'principal': must be a Principal.", field="principal")
        return Memory(self._engine, self.workspace, principal)

    def in_workspace(self, name: str, *, create: bool = False, language: str | None = None) -> Memory:
        """The same archive's other workspace, for the same caller.

        Raises:
            WorkspaceNotFound: There is none and `create` is false.
            Forbidden: Making one needs `workspace.admin`.
            InvalidInput: The name or the language cannot be used.
        """
        if not create:
            return Memory(self._engine, self._engine.existing_workspace(name), self.principal)
        self.principal.require(Permission.ADMIN)
        known = [str(one) for one in Language]
        if language is not None and language not in known:
            raise InvalidInput(f"The language must be one of: {', '.join(known)}.", field="language")
        chosen = None if language is None else Language(language)
        return Memory(self._engine, self._engine.open_workspace(name, chosen), self.principal)

    def workspaces(self) -> tuple[Workspace, ...]:
        """All workspaces of the archive, by name."""
        self.principal.require(Permission.READ)
        return tuple(self._engine.archive.workspaces())

    def remember(
        self,
        content: str,
        *,
        domain: str = "general",
        topic: str = "general",
        defer: bool = False,
        **fields: Any,
    ) -> Receipt:
        """Keep a statement as a fact; `facts.add` with everyday defaults."""
        return self.facts.add(content, domain=domain, topic=topic, defer=defer, **fields)

    def recall(
        self,
        question: str,
        *,
        top: int = 10,
        kinds: Iterable[str] | None = None,
        filters: Filters | Mapping[str, Any] | None = None,
        as_of: datetime | str | None = None,
        neighbours: int = 0,
    ) -> Recall:
        """Answer a question from what the archive holds now.

        Args:
            question: Any text; nothing in it is query syntax.
            top: Most results, 1..100.
            kinds: `episode`, `fact`, `card`; all by default.
            filters: As `Filters`; they hold before candidates are chosen.
            as_of: An aware time: what held then, and episodes that had happened by then.
            neighbours: Turns before and after each episode that come with it, 0..10.

        Returns:
            Results best first, each with its source and the reasons for its place; whether
            anything is known at all; what was missing; what was left out.

        Raises:
            InvalidInput: An argument is out of range.
            NotFound: A filter names a session that does not exist.
            ArchiveError: The archive cannot be read.
        """
        return self._recalling.recall(
            question, top=top, kinds=kinds, filters=filters, as_of=as_of, neighbours=neighbours
        )

    def warm(self) -> None:
        """Load the model and the vectors now, so that the first recall is as fast as later ones."""
        self._recalling.warm()


def archive_path(path_or_url: str | Path) -> Path:
    """The file that a path or a `sqlite:///` address names.

    Raises:
        InvalidSettings: It is an address of something that this version cannot open.
    """
    if not isinstance(path_or_url, str | Path):
        raise InvalidSettings(
            "The archive's path must be a text or a Path.", cure="Name a file.", field="path"
        )
    text = str(path_or_url)
    if text.startswith("sqlite:///"):
        text = text.removeprefix("sqlite:///")
    elif "://" in text:
        scheme = text.split("://", 1)[0]
        raise InvalidSettings(f"An archive cannot be opened at '{scheme}://'.", cure="Name a file.")
    if not text or "\x00" in text:
        raise InvalidSettings("The archive's path is empty or not valid.", cure="Name a file.")
    return Path(text)
