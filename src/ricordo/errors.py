"""Every error that Ricordo raises, in one tree.

    RicordoError
    ├── InvalidInput ............ what was asked cannot be done as asked
    │   ├── UnknownField
    │   ├── InputTooLarge
    │   ├── InvalidCursor
    │   └── InvalidSettings
    ├── NotFound ................ no such record here
    │   └── WorkspaceNotFound
    ├── Conflict ................ the archive has moved on
    │   ├── StaleRevision
    │   └── AlreadyExists
    ├── Forbidden ............... the principal lacks a permission
    │   └── UnsafeBinding
    ├── ArchiveError ............ the authoritative store
    │   ├── ArchiveUnavailable
    │   ├── ArchiveBusy
    │   ├── ArchiveFull
    │   ├── ArchiveCorrupt
    │   ├── ArchiveTooNew
    │   ├── ArchiveOutdated
    │   ├── MigrationChanged
    │   └── ArchiveClosed
    ├── ProjectionError ......... the search index
    │   ├── IndexUnavailable
    │   ├── IndexIncompatible
    │   └── IndexDamaged
    ├── EmbedderError ........... the embedding model
    │   ├── EmbedderUnavailable
    │   ├── EmbedderMissing
    │   └── EmbedderMismatch
    ├── MissingExtra ............ an optional package is not installed
    └── UnreadableFile .......... an input file cannot be read at all

Each class has a `code` that never changes, says whether `retry_helps`, and
its docstring is its general message. What a surface makes of it (HTTP status,
exit code, MCP error) stands in `ricordo.surfaces.errors`.
"""

from __future__ import annotations

from typing import Any, ClassVar


class RicordoError(Exception):
    """Something in Ricordo failed.

    Args:
        message: One sentence for a person; if omitted, the docstring of the class or of its parent.
        cure: What to do about it, as a sentence or a command.
        details: Values that a program may want (field names, ids, revisions).
    """

    code: ClassVar[str] = "error"
    retry_helps: ClassVar[bool] = False

    def __init__(self, message: str = "", *, cure: str = "", **details: Any) -> None:
        self.message = message or _general_message(type(self))
        self.cure = cure
        self.details = details
        super().__init__(self.message)

    def __str__(self) -> str:
        return f"{self.message} {self.cure}".rstrip() if self.cure else self.message

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (type(self), self.message, self.cure, self.details)


def _general_message(kind: type[RicordoError]) -> str:
    """First line of the docstring of a class, or of the nearest parent that has one, else its code."""
    for parent in kind.__mro__:
        documented = (parent.__doc__ or "").strip()
        if documented and issubclass(parent, RicordoError):
            return documented.splitlines()[0]
    return kind.code  # `python -OO` takes the docstrings away


def _rebuild(kind: type[RicordoError], message: str, cure: str, details: dict[str, Any]) -> RicordoError:
    return kind(message, cure=cure, **details)


class InvalidInput(RicordoError):
    """The request is not valid."""

    code = "invalid_input"


class UnknownField(InvalidInput):
    """The request names a field that does not exist."""

    code = "unknown_field"


class InputTooLarge(InvalidInput):
    """The request is larger than the limit."""

    code = "input_too_large"


class InvalidCursor(InvalidInput):
    """The page cursor is not one that this listing has given out."""

    code = "invalid_cursor"


class InvalidSettings(InvalidInput):
    """A setting is unknown or has a value that cannot be used."""

    code = "invalid_settings"


class NotFound(RicordoError):
    """There is no such record in this workspace."""

    code = "not_found"


class WorkspaceNotFound(NotFound):
    """There is no such workspace."""

    code = "workspace_not_found"


class Conflict(RicordoError):
    """The change does not fit what the archive holds now."""

    code = "conflict"


class StaleRevision(Conflict):
    """The record has changed since the revision that the update was made from."""

    code = "stale_revision"


class AlreadyExists(Conflict):
    """A record with this identity exists already."""

    code = "already_exists"


class Forbidden(RicordoError):
    """The caller lacks the permission that this operation needs."""

    code = "forbidden"


class UnsafeBinding(Forbidden):
    """Serving on an address other than loopback needs authentication."""

    code = "unsafe_binding"


class ArchiveError(RicordoError):
    """The archive failed."""

    code = "archive_error"


class ArchiveUnavailable(ArchiveError):
    """The archive cannot be opened."""

    code = "archive_unavailable"
    retry_helps = True


class ArchiveBusy(ArchiveError):
    """Another process held the archive's write lock for too long."""

    code = "archive_busy"
    retry_helps = True


class ArchiveFull(ArchiveError):
    """The disk is full: nothing was saved."""

    code = "archive_full"


class ArchiveCorrupt(ArchiveError):
    """The archive file is damaged or is not a Ricordo archive."""

    code = "archive_corrupt"


class ArchiveTooNew(ArchiveError):
    """The archive was written by a newer version of Ricordo."""

    code = "archive_too_new"


class ArchiveOutdated(ArchiveError):
    """The archive lacks migrations that this version needs."""

    code = "archive_outdated"


class MigrationChanged(ArchiveError):
    """A migration differs from the one that was applied to the archive."""

    code = "migration_changed"


class ArchiveClosed(ArchiveError):
    """The memory has been closed."""

    code = "archive_closed"


class ProjectionError(RicordoError):
    """The search index failed."""

    code = "index_error"


class IndexUnavailable(ProjectionError):
    """The search index cannot be reached."""

    code = "index_unavailable"
    retry_helps = True


class IndexIncompatible(ProjectionError):
    """The search index does not fit this version or its settings."""

    code = "index_incompatible"


class IndexDamaged(ProjectionError):
    """The keyword index is missing or damaged; the records themselves are safe."""

    code = "index_damaged"


class EmbedderError(RicordoError):
    """The embedding model failed."""

    code = "embedder_error"


class EmbedderUnavailable(EmbedderError):
    """The embedding model cannot be loaded or reached."""

    code = "embedder_unavailable"
    retry_helps = True


class EmbedderMissing(EmbedderError):
    """The package of the embedding model is not installed."""

    code = "embedder_missing"


class EmbedderMismatch(EmbedderError):
    """The embedding model answered with vectors of another size than expected."""

    code = "embedder_mismatch"


class MissingExtra(RicordoError):
    """An optional package is needed for this and is not installed."""

    code = "missing_extra"


class UnreadableFile(RicordoError):
    """The file cannot be read."""

    code = "unreadable_file"
