"""What surfaces make of each error: one table, walked by a test."""

from __future__ import annotations

from typing import Any, NamedTuple

from ricordo import errors
from ricordo.errors import RicordoError


class Rendering(NamedTuple):
    """An error on the surfaces.

    Attributes:
        http_status: Status of the response.
        exit_code: Of the command line; 2 is left to usage errors.
    """

    http_status: int
    exit_code: int


TABLE: dict[type[RicordoError], Rendering] = {
    errors.RicordoError: Rendering(500, 1),
    errors.InvalidInput: Rendering(422, 3),
    errors.UnknownField: Rendering(422, 3),
    errors.InputTooLarge: Rendering(413, 3),
    errors.InvalidCursor: Rendering(422, 3),
    errors.InvalidSettings: Rendering(500, 3),
    errors.NotFound: Rendering(404, 4),
    errors.WorkspaceNotFound: Rendering(404, 4),
    errors.Conflict: Rendering(409, 5),
    errors.StaleRevision: Rendering(412, 5),
    errors.AlreadyExists: Rendering(409, 5),
    errors.Forbidden: Rendering(403, 6),
    errors.UnsafeBinding: Rendering(403, 6),
    errors.ArchiveError: Rendering(500, 7),
    errors.ArchiveUnavailable: Rendering(503, 7),
    errors.ArchiveBusy: Rendering(503, 7),
    errors.ArchiveFull: Rendering(507, 7),
    errors.ArchiveCorrupt: Rendering(500, 7),
    errors.ArchiveTooNew: Rendering(500, 7),
    errors.ArchiveOutdated: Rendering(500, 7),
    errors.MigrationChanged: Rendering(500, 7),
    errors.ArchiveClosed: Rendering(503, 7),
    errors.ProjectionError: Rendering(500, 8),
    errors.IndexUnavailable: Rendering(503, 8),
    errors.IndexIncompatible: Rendering(500, 8),
    errors.IndexDamaged: Rendering(500, 8),
    errors.EmbedderError: Rendering(502, 9),
    errors.EmbedderUnavailable: Rendering(503, 9),
    errors.EmbedderMissing: Rendering(501, 10),
    errors.EmbedderMismatch: Rendering(502, 9),
    errors.MissingExtra: Rendering(501, 10),
    errors.UnreadableFile: Rendering(422, 3),
}


def rendering(error: RicordoError) -> Rendering:
    """How an error is shown; a class without a line of its own is shown as its parent."""
    for kind in type(error).__mro__:
        if kind in TABLE:
            return TABLE[kind]
    return TABLE[RicordoError]


def body(error: RicordoError) -> dict[str, Any]:
    """The one error shape of every surface."""
    details = dict(error.details)
    if error.cure:
        details["cure"] = error.cure
    return {
        "error": {
            "code": error.code,
            "message": error.message,
            "retry_helps": error.retry_helps,
            "details": details,
        }
    }
