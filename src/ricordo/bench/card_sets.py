"""Cards as the suites on text-to-SQL data make them: rules and solved questions of databases."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ricordo.bench.cases import KeyOf, Question
from ricordo.bench.sql_skeleton import skeleton
from ricordo.memory import Memory
from ricordo.records.card import CardFamily

TITLE_CHARS = 80
"""A card's title is the beginning of its own text: nothing of another card or question is in it."""


class Solved(NamedTuple):
    """A question with its SQL.

    Attributes:
        evidence: The rule that its SQL rests on; empty where there is none.
    """

    database: str
    question: str
    sql: str
    evidence: str = ""


class CardSet:
    """Cards to be saved; the place of each is its key."""

    def __init__(self) -> None:
        self._drafts: list[dict[str, Any]] = []
        self._rules: dict[tuple[str, str], str] = {}

    def rule(self, database: str, text: str) -> str:
        """Key of the card of a rule; one card for the same words about the same database."""
        key = self._rules.get((database, text))
        if key is None:
            key = self._rules[database, text] = self._add(
                database, family=CardFamily.SQL_RULE, title=_title(text), content=text
            )
        return key

    def solved(self, item: Solved) -> str:
        """Key of the card of a solved question."""
        return self._add(
            item.database,
            family=CardFamily.SOLVED_QUESTION,
            title=_title(item.question),
            question=item.question,
            sql=item.sql,
        )

    def _add(self, database: str, **fields: Any) -> str:
        self._drafts.append({**fields, "dependencies": [{"database": database}]})
        return str(len(self._drafts) - 1)

    def fill(self, memory: Memory, folder: Path) -> KeyOf:
        """Save them all; see `Case.fill`."""
        del folder
        keys = {
            memory.cards.create(defer=True, **draft).id: str(place)
            for place, draft in enumerate(self._drafts)
        }
        return lambda hit: keys.get(hit.id, hit.id)


class Examples:
    """Solved questions by database and skeleton, as gold for others.

    Args:
        cards: Where their cards are made.
        solved: The questions.
    """

    def __init__(self, cards: CardSet, solved: Iterable[Solved]) -> None:
        self._held = [(item.database, skeleton(item.sql), cards.solved(item)) for item in solved]

    def alike(self, item: Solved, *, everywhere: bool = False) -> frozenset[str]:
        """Those of the same skeleton, of its own database or everywhere."""
        shape = skeleton(item.sql)
        return frozenset(
            key
            for database, other, key in self._held
            if other == shape and (everywhere or database == item.database)
        )

    def of(self, database: str) -> frozenset[str]:
        """Those of a database."""
        return frozenset(key for other, _, key in self._held if other == database)


def for_example(item: Solved, gold: frozenset[str], category: str, *, within: bool) -> Question:
    """A question that looks for solved ones; one of the gold is enough.

    Args:
        within: Whether only its own database is looked at.
    """
    place = {"database": item.database} if within else {}
    return Question(
        item.question,
        gold,
        category,
        counted=bool(gold),
        filters={"family": CardFamily.SOLVED_QUESTION, **place},
        one_is_enough=True,
    )


def halves(items: Sequence[Solved]) -> tuple[list[Solved], list[Solved]]:
    """The first, third, fifth ... question of each database, and the others."""
    seen: dict[str, int] = {}
    found: tuple[list[Solved], list[Solved]] = ([], [])
    for item in items:
        place = seen[item.database] = seen.get(item.database, -1) + 1
        found[place % 2].append(item)
    return found


def _title(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= TITLE_CHARS else line[:TITLE_CHARS].rsplit(" ", 1)[0]
