"""SQuAD-it (Croce et al., 2018): Italian questions and the paragraphs that answer them.

Every paragraph is a fact whose domain is the title of its article; all of them lie in one
workspace whose language is Italian.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ricordo.bench.cases import Case, KeyOf, Question, Suite, part_of
from ricordo.bench.datasets import data_file, read_json
from ricordo.memory import Memory
from ricordo.records.fact import FactDraft, Veracity

FOLDER, FILE = "squad-it", "articles.json.gz"

TUNED = 12
"""Settings were chosen on the questions of the first so many articles."""


def load(data: Path, limit: int | None = None) -> Suite:
    """The suite; `limit` is in articles."""
    articles = read_json(data_file(data, FOLDER, FILE))["data"][:limit]
    drafts: list[FactDraft] = []
    questions: dict[str, list[Question]] = {"tuned": [], "held_out": []}
    for place, article in enumerate(articles):
        part = part_of(place, TUNED)
        title = str(article.get("title") or f"articolo {place + 1}")
        for paragraph in article["paragraphs"]:
            gold = frozenset({str(len(drafts))})
            drafts.append(_draft(title, paragraph))
            questions[part] += [
                Question(str(item["question"]), gold, part, part=part) for item in paragraph["qas"]
            ]

    def fill(memory: Memory, folder: Path) -> KeyOf:
        del folder
        return save_facts(memory, drafts)

    names = {"tuned": f"the first {TUNED} articles", "held_out": "the other articles"}
    case = Case(
        name="articles",
        part="other",
        kind="fact",
        questions=tuple(questions["tuned"] + questions["held_out"]),
        fill=fill,
        language="it",
    )
    return Suite(name="squad-it", cases=(case,), categories=names, parts=names)


def _draft(title: str, paragraph: dict[str, Any]) -> FactDraft:
    return FactDraft(content=str(paragraph["context"]), domain=title[:500], veracity=Veracity.IMPORTED)


def save_facts(memory: Memory, drafts: list[FactDraft]) -> KeyOf:
    """Save facts; a result's key is the place of its draft."""
    keys: dict[str, str] = {}
    for start in range(0, len(drafts), 1000):
        receipts = memory.facts.add_many(drafts[start : start + 1000], defer=True)
        keys.update({receipt.id: str(start + place) for place, receipt in enumerate(receipts)})
    return lambda hit: keys.get(hit.id, hit.id)
