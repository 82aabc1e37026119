"""OpenAI-style JSON lines: a message a line, or a conversation a line.

    {"role": "user", "content": "..."}
    {"messages": [{"role": "user", "content": [{"type": "text", "text": "..."}]}, ...]}

Taken where they are there: `id`, `name`, a time in `created_at`, `timestamp`, `created` or
`create_time`, the session in `session_id`, `conversation_id` or `thread_id`, and a
conversation's `title`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any

from ricordo.importers.moments import read_moment
from ricordo.importers.source import Source
from ricordo.importers.turns import Head, Item, Skip, Turn, Wanted, safe_id

TURN_APART = timedelta(seconds=1)

TIME_FIELDS = ("created_at", "timestamp", "created", "create_time")
SESSION_FIELDS = ("session_id", "conversation_id", "thread_id")

SPEAKING = frozenset({"user", "assistant"})
SILENT = frozenset({"system", "developer", "tool", "function"})
"""Roles that are no part of what was said."""


def looks_like_openai(source: Source) -> bool:
    """Whether the first lines hold messages; broken lines do not count."""
    for _, (number, text) in zip(range(20), source.lines(), strict=False):
        if number > 20 or text is None or not text.strip():
            continue
        try:
            value = json.loads(text, strict=False)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, list) and value:
            value = value[0]
        if isinstance(value, dict) and ("role" in value or isinstance(value.get("messages"), list)):
            return True
    return False


def read_openai(source: Source, wanted: Wanted) -> Iterator[Item]:
    """The messages of every line, in order."""
    single = _Reader(source, wanted)
    for line in source.lines():
        place = f"line {line.number}"
        if line.text is None:
            yield Skip(place, "the line is too long")
            continue
        if not line.text.strip():
            continue
        try:
            value = json.loads(line.text, strict=False)
        except (ValueError, RecursionError) as error:
            yield Skip(place, f"it is not valid JSON: {error}")
            continue
        if isinstance(value, list):
            value = {"messages": value}
        if not isinstance(value, dict):
            yield Skip(place, "it holds no message")
        elif isinstance(value.get("messages"), list):
            yield from _Reader(source, wanted).conversation(line.number, value)
        else:
            yield single.message(place, single.head(value), value)


class _Reader:
    """Reads messages that follow each other in time."""

    def __init__(self, source: Source, wanted: Wanted) -> None:
        self._stem = safe_id(source.stem)
        self._wanted = wanted
        self._last: dict[str, datetime] = {}

    def head(self, message: Mapping[str, Any]) -> Head:
        """The session of a message that stands on a line of its own."""
        named = self._wanted.session or _first(message, SESSION_FIELDS) or self._stem
        return Head(safe_id(named), None, self._wanted.project)

    def conversation(self, number: int, value: Mapping[str, Any]) -> Iterator[Item]:
        """The messages of a line that holds a whole conversation."""
        own = None if self._wanted.session else _first(value, ("id", *SESSION_FIELDS))
        named = own or f"{self._wanted.session or self._stem}/{number}"
        title = value.get("title")
        name = title.strip()[:200] or None if isinstance(title, str) else None
        head = Head(safe_id(named), name, self._wanted.project)
        begin = _moment(value, self._wanted)
        if begin is not None:
            self._last[head.external_id] = begin - TURN_APART
        for position, message in enumerate(value["messages"], start=1):
            place = f"line {number}, message {position}"
            if isinstance(message, dict):
                yield self.message(place, head, message)
            else:
                yield Skip(place, "it is no message")

    def message(self, place: str, head: Head, message: Mapping[str, Any]) -> Item:
        """One message as a turn."""
        role = message.get("role")
        if role in SILENT:
            return Skip(place, f"role '{role}' is no part of what was said")
        if role not in SPEAKING:
            return Skip(place, f"unknown role {str(role)[:40]!r}" if role else "it has no role")
        text, others = _content(message.get("content"))
        if not text.strip():
            return Skip(place, f"it has no text, only {', '.join(others)}" if others else "it has no text")
        name = message.get("name")
        fields: dict[str, Any] = {
            f"{role}_message": text,
            "speaker": name if role == "user" and isinstance(name, str) and name.strip() else None,
            "occurred_at": self._time(head, message),
            "metadata": {"parts": others} if others else {},
        }
        return Turn(place, head, fields, _first(message, ("id",)))

    def _time(self, head: Head, message: Mapping[str, Any]) -> datetime | None:
        """The message's own time, else a second after the one before."""
        moment = _moment(message, self._wanted)
        before = self._last.get(head.external_id)
        if moment is None and before is not None:
            moment = before + TURN_APART
        if moment is not None:
            self._last[head.external_id] = moment
        return moment


def _first(value: Mapping[str, Any], names: tuple[str, ...]) -> str | None:
    """The first of these fields that holds a usable id."""
    for name in names:
        found = value.get(name)
        if isinstance(found, str | int) and not isinstance(found, bool) and str(found).strip():
            return str(found)
    return None


def _moment(value: Mapping[str, Any], wanted: Wanted) -> datetime | None:
    for name in TIME_FIELDS:
        moment = read_moment(value.get(name), wanted.zone)
        if moment is not None:
            return moment
    return None


def _content(content: Any) -> tuple[str, list[str]]:
    """The text of a message, and the types of its parts that are no text."""
    if isinstance(content, str):
        return content, []
    texts: list[str] = []
    others: list[str] = []
    for part in content if isinstance(content, list) else [content]:
        said = part if isinstance(part, str) else None
        if isinstance(part, dict):
            said = next((part[key] for key in ("text", "refusal") if isinstance(part.get(key), str)), None)
            if said is None:
                others.append(str(part.get("type") or "unknown")[:40])
        if said:
            texts.append(said)
    return "\n".join(texts), others
