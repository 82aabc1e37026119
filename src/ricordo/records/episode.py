"""An episode: one exchange or turn of a session."""

from __future__ import annotations

from typing import ClassVar, Self

from pydantic import Field, model_validator

from ricordo.records.base import Kind, Metadata, Moment, Name, Record, Text, TokenCount, Value


class EpisodeDraft(Value):
    """An episode to be added at the end of its session.

    Attributes:
        user_message: What the user, or the named speaker, said.
        assistant_message: What the assistant said.
        speaker: Who said `user_message` where it is not just "the user".
        occurred_at: When it was said; the archive's clock if omitted.
        external_id: The caller's own id; unique in the session. Adding it again changes nothing.
        user_tokens, assistant_tokens: Token counts, as the caller counts them.
    """

    user_message: Text | None = None
    assistant_message: Text | None = None
    speaker: Name | None = None
    occurred_at: Moment | None = None
    external_id: Name | None = None
    metadata: Metadata = Field(default_factory=dict)
    user_tokens: TokenCount | None = None
    assistant_tokens: TokenCount | None = None

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if not (self.user_message or "").strip() and not (self.assistant_message or "").strip():
            raise ValueError("an episode needs a user_message or an assistant_message")
        return self


class Episode(Record):
    """An episode as the archive holds it.

    Attributes:
        session_id: The session that it belongs to.
        position: Its place in the session, from 1.
    """

    kind: ClassVar[Kind] = Kind.EPISODE

    session_id: str
    position: int
    user_message: str | None = None
    assistant_message: str | None = None
    speaker: str | None = None
    occurred_at: Moment
    external_id: str | None = None
    metadata: Metadata = Field(default_factory=dict)
    user_tokens: int | None = None
    assistant_tokens: int | None = None

    @property
    def text(self) -> str:
        """Both messages, the user's first."""
        return "\n".join(part for part in (self.user_message, self.assistant_message) if part)


class EpisodeChanges(Value):
    """What may be changed in an episode; only the named fields are."""

    user_message: Text | None = None
    assistant_message: Text | None = None
    speaker: Name | None = None
    occurred_at: Moment | None = None
    metadata: Metadata = Field(default_factory=dict)
    user_tokens: TokenCount | None = None
    assistant_tokens: TokenCount | None = None
