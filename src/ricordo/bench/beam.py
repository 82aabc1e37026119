"""BEAM (Tavakoli et al., 2025), 100K: long user/assistant chats, every message one episode.

Recall of the messages that the questions were made from, each within its own chat; how often
a newer statement stands above the one that it replaced; abstention. Questions whose old and
new statement are the same message are left out of the second measure, and those without
evidence out of the first.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from ricordo.bench.cases import Case, KeyOf, Question, Suite, external_id, part_of
from ricordo.bench.datasets import data_file, read_lines
from ricordo.importers.chat import import_chat
from ricordo.memory import Memory

FOLDER, CHATS, QUESTIONS = "beam", "chats.jsonl.gz", "questions.jsonl.gz"

TUNED = 5
"""Settings were chosen on the first so many chats."""

UPDATE, ABSTENTION = "knowledge_update", "abstention"


def load(data: Path, limit: int | None = None) -> Suite:
    """The suite; see `ricordo.bench.locomo.load`."""
    chats = list(read_lines(data_file(data, FOLDER, CHATS)))[:limit]
    asked: dict[str, list[dict[str, Any]]] = {}
    for item in read_lines(data_file(data, FOLDER, QUESTIONS)):
        asked.setdefault(str(item["chat"]), []).append(item)
    kinds = sorted({str(item["type"]) for items in asked.values() for item in items})
    return Suite(
        name="beam",
        cases=tuple(_case(place, chat, asked.get(str(chat["chat"]), [])) for place, chat in enumerate(chats)),
        categories={kind: kind.replace("_", " ") for kind in kinds},
        parts={"tuned": f"the first {TUNED} chats", "held_out": "the other chats"},
        unanswerable=ABSTENTION,
    )


def _case(place: int, chat: dict[str, Any], asked: list[dict[str, Any]]) -> Case:
    name = str(chat["chat"])
    lines, last = _messages(name, chat["messages"])
    known = {str(message["id"]) for message in chat["messages"]}

    def fill(memory: Memory, folder: Path) -> KeyOf:
        file = folder / f"chat-{place}.jsonl"
        file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
        import_chat(memory, file, format="openai", project=name)
        return external_id

    return Case(
        name=name,
        part=part_of(place, TUNED),
        kind="episode",
        questions=tuple(_question(item, known) for item in asked),
        fill=fill,
        as_of=last + timedelta(days=1),
    )


def _messages(chat: str, messages: list[dict[str, Any]]) -> tuple[list[dict[str, Any]], datetime]:
    """The messages as lines to import, and the time of the last.

    A message without a time anchor follows the one before by a second.
    """
    moment = datetime(2024, 1, 1, tzinfo=UTC)
    lines = []
    for message in messages:
        moment = _anchor(message.get("time_anchor")) or moment + timedelta(seconds=1)
        lines.append(
            {
                "id": str(message["id"]),
                "role": message["role"],
                "content": message["content"],
                "session_id": f"{chat}/{message.get('batch', 1)}",
                "created_at": moment.isoformat(),
            }
        )
    return lines, moment


def _anchor(text: str | None) -> datetime | None:
    try:
        return datetime.strptime(text or "", "%B-%d-%Y").replace(tzinfo=UTC)
    except ValueError:
        return None


def _question(item: dict[str, Any], known: set[str]) -> Question:
    sources = item.get("source_chat_ids")
    gold = _ids(sources) & known
    kind = str(item["type"])
    old = new = frozenset[str]()
    if kind == UPDATE and isinstance(sources, dict):
        old = _ids(sources.get("original_info")) & known
        new = _ids(sources.get("updated_info")) & known
        if old & new:
            old = new = frozenset()
    counted = bool(gold) and kind != ABSTENTION
    return Question(str(item["question"]), gold, kind, counted=counted, old=old, new=new)


def _ids(value: Any) -> frozenset[str]:
    """Message ids in a number, a list, or a dict of lists."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return frozenset(name for item in value for name in _ids(item))
    return frozenset({str(value)}) if str(value).isdecimal() else frozenset()
