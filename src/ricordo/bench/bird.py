"""BIRD (Li et al., 2023): questions about databases, the rule each rests on, and its SQL.

Every different evidence of a database is an `sql_rule` card, whole as it stands there: a question has
one rule, and a rule has one to four questions. The first, third, fifth ... question of each
database is a `solved_question` card. Every card depends on its database, and all lie in one workspace.

Every question with evidence asks for its rule, within its database and over all; nothing of a question
is in the card of its rule. The second, fourth, sixth ... question of each database asks for a solved
one with the same skeleton (see `ricordo.bench.sql_skeleton`), where there is one.
"""

from __future__ import annotations

from pathlib import Path

from ricordo.bench.card_sets import CardSet, Examples, Solved, for_example, halves
from ricordo.bench.cases import Case, Question, Suite, part_of
from ricordo.bench.datasets import data_file, read_json
from ricordo.records.card import CardFamily

FOLDER, FILE = "bird-dev", "questions.json.gz"

TUNED = 2
"""How cards are projected was chosen on the rules of the first so many databases."""

WITHIN, ANYWHERE = "within_database", "all_databases"
BY_SKELETON, BY_SKELETON_WITHIN = "solved_by_skeleton", "solved_by_skeleton_within_database"


def load(data: Path, limit: int | None = None) -> Suite:
    """The suite; `limit` is in databases."""
    items = [
        Solved(str(item["db_id"]), str(item["question"]), str(item["SQL"]), str(item["evidence"]).strip())
        for item in read_json(data_file(data, FOLDER, FILE))
    ]
    databases = list(dict.fromkeys(item.database for item in items))[:limit]
    items = [item for item in items if item.database in databases]
    cards = CardSet()
    questions = _for_rules(items, cards, databases)
    solved, asked = halves(items)
    examples = Examples(cards, solved)
    for item in asked:
        questions += [
            for_example(item, examples.alike(item, everywhere=True), BY_SKELETON, within=False),
            for_example(item, examples.alike(item), BY_SKELETON_WITHIN, within=True),
        ]
    names = {
        WITHIN: "rule, within its database",
        ANYWHERE: "rule, over all databases",
        BY_SKELETON: "solved question of the same skeleton, over all databases",
        BY_SKELETON_WITHIN: "solved question of the same skeleton, within its database",
    }
    return Suite(
        name="bird",
        cases=(Case("cards", "other", "card", tuple(questions), cards.fill),),
        categories={**names, **{name: f"rule, within {name}" for name in databases}},
        parts={
            "tuned": f"rules within {' and '.join(databases[:TUNED])}",
            "held_out": f"rules within {', '.join(databases[TUNED:])}",
        },
        headline=WITHIN,
    )


def _for_rules(items: list[Solved], cards: CardSet, databases: list[str]) -> list[Question]:
    found: list[Question] = []
    for item in items:
        if not item.evidence:
            continue
        gold = frozenset({cards.rule(item.database, item.evidence)})
        rules = {"family": CardFamily.SQL_RULE}
        within = {**rules, "database": item.database}
        part = part_of(databases.index(item.database), TUNED)
        found += [
            Question(item.question, gold, WITHIN, filters=within, part=part, also=(item.database,)),
            Question(item.question, gold, ANYWHERE, filters=rules),
        ]
    return found
