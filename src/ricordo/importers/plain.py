"""Plain text: `speaker: text` lines.

    Anna: Did you find the key?
    Marco: Yes,
      it was in the drawer.
    [2024-05-01 10:00] Anna: Good morning!

A turn goes on until the next one begins; an indented line always belongs to the turn before.
`User` and `Assistant` stand for themselves, every other name for a person.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from ricordo.importers.moments import read_moment
from ricordo.importers.source import Source
from ricordo.importers.turns import Head, Item, Skip, Turn, Wanted, safe_id
from ricordo.records.base import MAX_TEXT_CHARS

TURN_APART = timedelta(seconds=1)
"""A turn without a time of its own follows the one before by so much."""

PROBE_LINES = 50
"""Lines that are looked at to find out whether a file is of this format."""

MAX_NAME_WORDS = 4

_STAMP = r"(?:\[(?P<stamp>\d{4}-\d\d-\d\d[ T]\d\d:\d\d(?::\d\d)?(?:Z|[+-]\d\d:?\d\d)?)\][ \t]*)?"
_BEGINS = re.compile(
    _STAMP + r"(?P<speaker>[^\W\d_][\w .'’()&@#/-]{0,59}?)[ \t]*:(?:[ \t]+(?P<text>\S.*)|[ \t]*)", re.DOTALL
)
_USER = frozenset({"user", "human", "utente"})
_ASSISTANT = frozenset({"assistant", "ai", "assistente"})


def looks_like_text(source: Source) -> bool:
    """Whether one of the first lines is `speaker: text`."""
    beginnings = _Beginnings()
    lines = (line for _, line in zip(range(PROBE_LINES), source.lines(), strict=False))
    return any(line.text is not None and beginnings.match(line.text) for line in lines)


class _Beginnings:
    """Tells a turn's first line from a line that happens to hold a colon."""

    def __init__(self) -> None:
        self._names: set[str] = set()

    def match(self, line: str) -> re.Match[str] | None:
        """The line's parts where a turn begins with it.

        A new name is believed where it is short, is one word or begins with a capital letter,
        and text follows on the line; a stamp, or a name that has spoken before, is enough.
        """
        found = _BEGINS.fullmatch(line)
        if found is None:
            return None
        name = found["speaker"]
        words = name.split()
        likely = len(words) <= MAX_NAME_WORDS and (len(words) == 1 or not name[0].islower())
        if found["stamp"] or name in self._names or (likely and found["text"]):
            self._names.add(name)
            return found
        return None


@dataclass
class _Open:
    """A turn that further lines may belong to."""

    place: str
    speaker: str
    at: datetime | None
    lines: list[str] = field(default_factory=list)
    chars: int = 0

    def add(self, line: str) -> None:
        """One more line of it."""
        self.lines.append(line)
        self.chars += len(line) + 1

    def item(self, head: Head) -> Item:
        """The turn as it is to be imported."""
        text = "\n".join(self.lines).strip()
        if not text:
            return Skip(self.place, "it has no text")
        if self.chars > MAX_TEXT_CHARS:
            return Skip(self.place, f"it is longer than {MAX_TEXT_CHARS} signs")
        role = self.speaker.casefold()
        if role in _ASSISTANT:
            said: dict[str, Any] = {"assistant_message": text}
        else:
            said = {"user_message": text, "speaker": None if role in _USER else self.speaker}
        return Turn(self.place, head, {**said, "occurred_at": self.at})


def read_text(source: Source, wanted: Wanted) -> Iterator[Item]:
    """The turns of the file, in order."""
    head = Head(safe_id(wanted.session or source.stem), None, wanted.project)
    beginnings = _Beginnings()
    turn: _Open | None = None
    for line in source.lines():
        place = f"line {line.number}"
        if line.text is None:
            yield Skip(place, "the line is too long")
            continue
        found = beginnings.match(line.text)
        if found is not None:
            if turn is not None:
                yield turn.item(head)
            turn = _opened(place, found, None if turn is None else turn.at, wanted)
        elif turn is None:
            if line.text.strip():
                yield Skip(place, "nobody has begun to speak yet")
        elif turn.chars <= MAX_TEXT_CHARS:
            turn.add(line.text)
    if turn is not None:
        yield turn.item(head)


def _opened(place: str, found: re.Match[str], before: datetime | None, wanted: Wanted) -> _Open:
    at = None if found["stamp"] is None else read_moment(found["stamp"], wanted.zone)
    if at is None and before is not None:
        at = before + TURN_APART
    turn = _Open(place, found["speaker"].strip(), at)
    turn.add(found["text"] or "")
    return turn
