"""KaggleDBQA (Lee et al., 2021): questions about eight real databases, with their SQL.

Every few-shot question is a `solved_question` card that depends on its database; the test questions are
asked. What counts as found: a card of the same database and the same skeleton (see
`ricordo.bench.sql_skeleton`), where there is one, within the database and over all; and, over all, whether
the cards are of the right database at all.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from ricordo.bench.card_sets import CardSet, Examples, Solved, for_example
from ricordo.bench.cases import Case, Question, Suite
from ricordo.bench.datasets import data_file, read_lines

FOLDER, FILE = "kaggledbqa", "examples.jsonl"

WITHIN, ANYWHERE, RIGHT = "within_database", "all_databases", "right_database"


def load(data: Path, limit: int | None = None) -> Suite:
    """The suite; `limit` is in databases."""
    splits: dict[str, list[Solved]] = {"fewshot": [], "test": []}
    for item in read_lines(data_file(data, FOLDER, FILE)):
        solved = Solved(str(item["db_id"]), str(item["question"]), str(item["query"]))
        splits[str(item["split"])].append(solved)
    databases = list(dict.fromkeys(item.database for item in splits["fewshot"]))[:limit]
    cards = CardSet()
    examples = Examples(cards, (item for item in splits["fewshot"] if item.database in databases))
    questions: list[Question] = []
    for item in splits["test"]:
        if item.database in databases:
            alike = examples.alike(item)
            questions += [
                replace(for_example(item, alike, WITHIN, within=True), part="held_out"),
                for_example(item, alike, ANYWHERE, within=False),
                for_example(item, examples.of(item.database), RIGHT, within=False),
            ]
    return Suite(
        name="kaggledbqa",
        cases=(Case("cards", "other", "card", tuple(questions), cards.fill),),
        categories={
            WITHIN: "same database and skeleton, within the database",
            ANYWHERE: "same database and skeleton, over all databases",
            RIGHT: "any card of the right database, over all databases",
        },
        parts={"held_out": "everything"},
        headline=WITHIN,
    )
