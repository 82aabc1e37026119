"""LoCoMo-style JSON: conversations of dated sessions, one conversation or a list of them.

    [{"sample_id": "...", "conversation": {"session_1_date_time": "1:56 pm on 8 May, 2023",
      "session_1": [{"speaker": "...", "dia_id": "D1:1", "text": "..."}, ...], ...}, ...}, ...]

The file is read twice: ids and times of sessions may stand behind their turns, and turns are
not held in memory.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, NamedTuple

import ijson

from ricordo.importers.moments import read_moment
from ricordo.importers.source import Source
from ricordo.importers.turns import Head, Item, Skip, Turn, Wanted, safe_id

TURN_APART = timedelta(seconds=1)
"""A session has one time; its turns are set this far apart, so that their order is kept."""

PROBE_EVENTS = 500_000
"""How much of a file is looked at to find out whether it is of this format."""

_TURN = re.compile(r"(?:item\.)?(?:conversation\.)?session_(\d+)\.item")
_TIME = re.compile(r"(?:item\.)?(?:conversation\.)?session_(\d+)_date_time")
_BROKEN = (ijson.JSONError, UnicodeDecodeError)


class _Event(NamedTuple):
    """An event of the parser, and the number of the conversation that it stands in."""

    conversation: int
    prefix: str
    kind: str
    value: Any


@dataclass
class _Conversation:
    """What is known of a conversation before its turns are read.

    Attributes:
        whole: It was read to its end.
    """

    sample_id: str | None = None
    times: dict[int, str] = field(default_factory=dict)
    whole: bool = False


def looks_like_locomo(source: Source) -> bool:
    """Whether a JSON file holds dated sessions of turns."""
    try:
        for count, event in enumerate(_events(source)):
            if _TIME.fullmatch(event.prefix) or _TURN.fullmatch(event.prefix):
                return True
            if count > PROBE_EVENTS:
                return False
    except _BROKEN:
        return False
    return False


def read_locomo(source: Source, wanted: Wanted) -> Iterator[Item]:
    """The turns of every conversation, in order."""
    known = _conversations(source)
    names = _Names(source, wanted, known)
    place = "the beginning"
    lost: set[int] = set()
    try:
        for number, session, position, raw in _turns(source):
            conversation = known[number]
            if not conversation.whole and conversation.sample_id is None:
                lost.add(number)
                continue
            place = f"{names.conversation(number)}/session_{session}, turn {position}"
            begin = read_moment(conversation.times.get(session), wanted.zone)
            at = None if begin is None else begin + (position - 1) * TURN_APART
            yield _turn(place, names.head(number, session), at, raw)
    except _BROKEN as error:
        yield Skip(f"after {place}", f"the JSON breaks off or is not valid: {_brief(error)}")
    for number in sorted(lost):
        reason = "the file breaks off before the conversation's sample_id, so its turns have no lasting name"
        yield Skip(f"conversation {number + 1}", reason)


def _events(source: Source) -> Iterator[_Event]:
    number = -1
    root: str | None = None
    for prefix, kind, value in ijson.parse(source.utf8()):
        if root is None:
            root = "item" if kind == "start_array" else ""
        if kind == "start_map" and prefix == root:
            number += 1
        yield _Event(number, prefix, kind, value)


def _conversations(source: Source) -> list[_Conversation]:
    """Ids and times of all conversations."""
    known: list[_Conversation] = []
    try:
        for event in _events(source):
            while len(known) <= event.conversation:
                known.append(_Conversation())
            time = _TIME.fullmatch(event.prefix)
            if event.prefix in {"sample_id", "item.sample_id"} and isinstance(event.value, str | int):
                known[-1].sample_id = safe_id(str(event.value)) or None
            elif time and event.kind == "string":
                known[-1].times[int(time[1])] = event.value
            elif event.kind == "end_map" and event.prefix in {"", "item"} and known:
                known[-1].whole = True
    except _BROKEN:
        pass
    return known


def _turns(source: Source) -> Iterator[tuple[int, int, int, Any]]:
    """Conversation, session, position from 1, and the turn as it stands in the file."""
    builder: ijson.ObjectBuilder | None = None
    session = position = depth = 0
    for event in _events(source):
        if builder is None:
            found = _TURN.fullmatch(event.prefix)
            if found is None or event.kind.startswith("end_"):
                continue
            if int(found[1]) != session or event.conversation < 0:
                session, position = int(found[1]), 0
            builder = ijson.ObjectBuilder()
        builder.event(event.kind, event.value)
        depth += (event.kind in {"start_map", "start_array"}) - (event.kind in {"end_map", "end_array"})
        if depth == 0:
            position += 1
            yield event.conversation, session, position, builder.value
            builder = None


class _Names:
    """What conversations and their sessions are called."""

    def __init__(self, source: Source, wanted: Wanted, known: list[_Conversation]) -> None:
        self._source = source
        self._wanted = wanted
        self._known = known

    def conversation(self, number: int) -> str:
        """The conversation's name: unique in the file."""
        alone = len(self._known) == 1
        own = self._known[number].sample_id
        own = own or (self._source.stem if alone else f"{self._source.stem}-{number + 1}")
        if self._wanted.session is None:
            return own
        return self._wanted.session if alone else f"{self._wanted.session}/{own}"

    def head(self, number: int, session: int) -> Head:
        """A session of the conversation."""
        name = self.conversation(number)
        return Head(f"{name}/session_{session}", None, self._wanted.project or name)


def _turn(place: str, head: Head, at: datetime | None, raw: Any) -> Item:
    if not isinstance(raw, dict):
        return Skip(place, "it is no turn")
    text = str(raw.get("text") or "").strip()
    caption = str(raw.get("blip_caption") or "").strip()
    if not text and not caption:
        return Skip(place, "it has no text")
    fields: dict[str, Any] = {
        "user_message": f"{text} [{caption}]".strip() if caption else text,
        "speaker": str(raw.get("speaker") or "").strip() or None,
        "occurred_at": at,
        "metadata": {
            name: str(raw[key])
            for name, key in (("caption", "blip_caption"), ("query", "query"))
            if raw.get(key)
        },
    }
    own = raw.get("dia_id")
    return Turn(place, head, fields, None if own is None else str(own))


def _brief(error: Exception) -> str:
    """The parser's message without the excerpt that it draws."""
    said = error.args[0] if error.args else ""
    text = said.decode("utf-8", "replace") if isinstance(said, bytes) else str(said)
    return text.strip().partition("\n")[0].strip()[:200]
