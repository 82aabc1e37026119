"""What every format's reader yields: turns, and what it had to leave out."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from datetime import tzinfo
from typing import Any, NamedTuple

from ricordo.records.base import clean_text

MAX_ID_CHARS = 200
"""Longest id that is taken over from a file as it is."""


class Wanted(NamedTuple):
    """What the caller wants of an import.

    Attributes:
        session: External id instead of the one that the file gives.
        project: Project of new sessions instead of the one that the file gives.
        zone: Where times without an offset were written down.
    """

    session: str | None
    project: str | None
    zone: tzinfo


class Head(NamedTuple):
    """The session that a turn belongs to.

    Attributes:
        external_id: Unique in the workspace.
        name, project: For a session that is made now.
    """

    external_id: str
    name: str | None = None
    project: str | None = None


class Turn(NamedTuple):
    """One turn of a conversation.

    Attributes:
        place: Where it stands in the file.
        fields: As `EpisodeDraft`, without the external id.
        source_id: The id that the file gives it, or None.
    """

    place: str
    head: Head
    fields: Mapping[str, Any]
    source_id: str | None = None

    @property
    def said(self) -> tuple[str, str]:
        """Who spoke, and the text."""
        user = self.fields.get("user_message")
        if user is None:
            return "assistant", str(self.fields.get("assistant_message") or "")
        return str(self.fields.get("speaker") or "user"), str(user)


class Skip(NamedTuple):
    """Something that cannot be imported."""

    place: str
    reason: str


Item = Turn | Skip


def safe_id(text: str) -> str:
    """An id as the archive keeps it: white space single, a long one cut and marked with its hash."""
    folded = " ".join(clean_text(text).split())
    if len(folded) <= MAX_ID_CHARS:
        return folded
    return f"{folded[: MAX_ID_CHARS - 20]}-{_digest(text)[:19]}"


def _digest(*parts: str) -> str:
    joined = "\x00".join(parts).encode("utf-8", "surrogatepass")
    return hashlib.blake2b(joined, digest_size=16).hexdigest()


class ExternalIds:
    """Names the turns of one session so that a second import gives each the same name.

    A turn is named by the file's own id where it has one. Where another text has the same
    id, the later one gets a mark of its text. A turn without an id is named by who spoke,
    the text, and how often just this was said before.
    """

    def __init__(self) -> None:
        self._said: dict[bytes, int] = {}
        self._named: dict[str, bytes] = {}

    def name(self, turn: Turn) -> str:
        """The external id of the session's next turn."""
        digest = _digest(*turn.said)
        brief = bytes.fromhex(digest[:24])
        given = safe_id(turn.source_id) if turn.source_id else ""
        if given:
            first = self._named.setdefault(given, brief)
            return given if first == brief else f"{given}#{digest[:16]}"
        times = self._said[brief] = self._said.get(brief, 0) + 1
        return f"{digest}-{times}"
