"""A session: one conversation or run that episodes belong to."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from ricordo.records.base import Kind, Metadata, Name, Record, Value


class SessionDraft(Value):
    """A session to be made.

    Attributes:
        external_id: The caller's own id; unique in the workspace.
        name: For people.
        project: The project that it belongs to.
        metadata: The caller's own.
    """

    external_id: Name | None = None
    name: Name | None = None
    project: Name | None = None
    metadata: Metadata = Field(default_factory=dict)


class Session(Record):
    """A session as the archive holds it."""

    kind: ClassVar[Kind] = Kind.SESSION

    external_id: str | None = None
    name: str | None = None
    project: str | None = None
    metadata: Metadata = Field(default_factory=dict)
    episode_count: int = 0


class SessionChanges(Value):
    """What may be changed in a session; only the named fields are."""

    external_id: Name | None = None
    name: Name | None = None
    project: Name | None = None
    metadata: Metadata = Field(default_factory=dict)
