"""The sample: two conversations, facts, questions; English and Italian."""

from __future__ import annotations

import json
from importlib.resources import as_file, files
from typing import TYPE_CHECKING, Any, NamedTuple

from ricordo.importers.chat import import_chat

if TYPE_CHECKING:
    from ricordo.importers.report import ImportReport
    from ricordo.memory import Memory

PACKAGE = "ricordo.surfaces.cli.demo"


class Question(NamedTuple):
    """A question of the tour.

    Attributes:
        way: Which language it is asked and answered in.
    """

    question: str
    way: str


def questions() -> list[Question]:
    """The five questions."""
    return [Question(**item) for item in _read("questions.json")]


def fill(memory: Memory) -> tuple[ImportReport, int]:
    """Import the sample; a second time adds nothing.

    Returns:
        The report of the conversations, and how many facts were added.
    """
    with as_file(files(PACKAGE) / "conversation.jsonl") as path:
        report = import_chat(memory, path)
    facts = _read("facts.json")
    known = {fact.content for fact in memory.facts.list(limit=1000).items}
    missing = [fact for fact in facts if fact["content"] not in known]
    if missing:
        memory.facts.add_many(missing)
    return report, len(missing)


def _read(name: str) -> Any:
    return json.loads((files(PACKAGE) / name).read_text(encoding="utf-8"))
