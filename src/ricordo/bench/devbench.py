"""DevBench: 30 memories of a developer, 20 questions, 5 of them without an answer.

Every memory is a fact. Tags that name the memory itself, which the questions refer to, are
left out. It is a smoke test: nothing was tuned on it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ricordo.bench.cases import Case, KeyOf, Question, Suite
from ricordo.bench.datasets import data_file, read_json
from ricordo.bench.squad_it import save_facts
from ricordo.memory import Memory
from ricordo.records.fact import FactDraft, MemoryType, Veracity

FOLDER, FILE = "devbench", "devbench_dataset.json"

UNANSWERABLE = "negative"


def load(data: Path, limit: int | None = None) -> Suite:
    """The suite; `limit` is in questions."""
    found = read_json(data_file(data, FOLDER, FILE))
    memories, asked = found["memories"], found["queries"][:limit]
    drafts = [_draft(item) for item in memories]
    names = [{str(item["id"]), *map(str, item.get("tags", ()))} for item in memories]

    def fill(memory: Memory, folder: Path) -> KeyOf:
        del folder
        return save_facts(memory, drafts)

    return Suite(
        name="devbench",
        cases=(Case("memories", "held_out", "fact", tuple(_question(item, names) for item in asked), fill),),
        categories={str(item["category"]): str(item["category"]) for item in asked},
        parts={"held_out": "everything: nothing was tuned on it"},
        unanswerable=UNANSWERABLE,
    )


def _draft(item: dict[str, Any]) -> FactDraft:
    kind = str(item.get("memory_type"))
    own = {str(item["id"]), "devbench"}
    return FactDraft(
        content=str(item["content"]),
        memory_type=MemoryType(kind) if kind in set(MemoryType) else MemoryType.FACT,
        tags=tuple(str(tag) for tag in item.get("tags", ()) if str(tag) not in own),
        veracity=Veracity.IMPORTED,
    )


def _question(item: dict[str, Any], names: list[set[str]]) -> Question:
    wanted = {str(tag) for tag in item.get("expected_tags", ())}
    gold = frozenset(str(place) for place, held in enumerate(names) if wanted & held)
    return Question(str(item["question"]), gold, str(item["category"]), counted=bool(gold))
