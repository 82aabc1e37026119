"""The memory itself under measurement: filled and asked through its public operations."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from ricordo.bench.baselines import Document
from ricordo.bench.cases import Case, KeyOf, Question
from ricordo.bench.measures import DEEP, TOP, Answer, newer_first
from ricordo.memory import Memory
from ricordo.records.card import Card
from ricordo.records.episode import Episode
from ricordo.records.page import MAX_PAGE, Page
from ricordo.records.recall import Recall

PROBED = 10
"""Questions of a case whose best answer is then deleted or changed."""

WITHDRAWN = "This was withdrawn."

Item = TypeVar("Item")

Say = Callable[[str], None]
"""Called with a line about what is being done."""


class Subject:
    """One case in a workspace of its own.

    Args:
        archive: Any memory of the archive.
        case: What is saved and asked.
        folder: For files on the way.
        say: For progress.
    """

    def __init__(self, archive: Memory, case: Case, folder: Path, say: Say) -> None:
        self._case = case
        self._say = say
        self._memory = archive.in_workspace(f"case {case.name}", create=True, language=case.language)
        say(f"{case.name}: saving")
        self._key_of: KeyOf = case.fill(self._memory, folder)
        self._memory.upkeep.drain(
            progress=lambda done, total: say(f"{case.name}: {done} of {total} have vectors")
        )

    def documents(self) -> list[Document]:
        """The records as the memory holds them, for the baselines: the same words, none more."""
        if self._case.kind == "episode":
            return [_turn(turn) for turn in _all(self._memory.episodes.list)]
        if self._case.kind == "card":
            return [_card(place, card) for place, card in enumerate(_all(self._memory.cards.list))]
        facts = _all(self._memory.facts.list)
        return [Document(str(place), fact.content) for place, fact in enumerate(facts)]

    def answers(self) -> list[Answer]:
        """Every question's answer, timed after the model and the vectors were loaded."""
        self._memory.warm()
        self._ask(self._case.questions[0] if self._case.questions else Question("warm", frozenset(), ""))
        found = []
        for place, question in enumerate(self._case.questions, start=1):
            if place % 50 == 0 or place == len(self._case.questions):
                self._say(f"{self._case.name}: {place} of {len(self._case.questions)} questions")
            found.append(self._answer(question))
        return found

    def _answer(self, question: Question) -> Answer:
        began = time.perf_counter()
        recall = self._ask(question)
        ms = (time.perf_counter() - began) * 1000
        return Answer(
            question=question,
            ranked=self._keys(recall),
            part=question.part or self._case.part,
            abstained=recall.nothing_known,
            new_above_old=self._newer_first(question),
            ms=ms,
            parts_ms=recall.trace.timings_ms,
        )

    def _ask(self, question: Question, top: int = TOP) -> Recall:
        return self._memory.recall(
            question.text,
            top=top,
            kinds=[self._case.kind],
            filters=question.filters,
            as_of=self._case.as_of,
        )

    def _keys(self, recall: Recall) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self._key_of(hit) for hit in recall.hits))

    def _newer_first(self, question: Question) -> bool | None:
        """Whether a newer statement stands above every one that it replaced; None where none is."""
        if not question.new or not question.old:
            return None
        return newer_first(self._keys(self._ask(question, DEEP)), question)

    def stale(self) -> tuple[int, int]:
        """Delete or change what some questions find best, and ask them all again.

        Returns:
            Results looked at, and how many of them were deleted or had the old text.
        """
        asked = _evenly(self._case.questions, PROBED)
        gone: set[str] = set()
        changed: set[str] = set()
        for place, question in enumerate(asked):
            hits = self._ask(question).hits
            if not hits or hits[0].id in changed:
                continue
            self._withdraw(hits[0].id, delete=place % 2 == 0)
            (gone if place % 2 == 0 else changed).add(hits[0].id)
        looked = wrong = 0
        for question in asked:
            for hit in self._ask(question).hits:
                looked += 1
                wrong += hit.id in gone or (hit.id in changed and WITHDRAWN not in hit.text)
        return looked, wrong

    def _withdraw(self, record_id: str, *, delete: bool) -> None:
        memory = self._memory
        removing: dict[str, Callable[[str], object]] = {
            "episode": memory.episodes.delete,
            "fact": memory.facts.delete,
            "card": memory.cards.delete,
        }
        if delete:
            removing[self._case.kind](record_id)
        elif self._case.kind == "fact":
            self._memory.facts.update(record_id, {"content": WITHDRAWN}, defer=True)
        elif self._case.kind == "card":
            self._withdraw_card(self._memory.cards.get(record_id))
        else:
            changes = {"user_message": WITHDRAWN, "assistant_message": None}
            self._memory.episodes.update(record_id, changes, defer=True)

    def _withdraw_card(self, card: Card) -> None:
        told = "content" if card.question is None else "question"
        changes = {"title": WITHDRAWN, told: WITHDRAWN}
        self._memory.cards.update(card.id, changes, revision=card.revision, defer=True)


def _all(listing: Callable[..., Page[Item]]) -> list[Item]:
    """Every record of a listing, in the order in which they were saved."""
    found: list[Item] = []
    cursor: str | None = None
    while True:
        page = listing(limit=MAX_PAGE, cursor=cursor)
        found += page.items
        cursor = page.next_cursor
        if cursor is None:
            return found


def _turn(turn: Episode) -> Document:
    said = f"{turn.speaker}: {turn.text}" if turn.speaker else turn.text
    return Document(str(turn.external_id), said)


def _card(place: int, card: Card) -> Document:
    """A card without its title, which is the beginning of its text, and the filters that the suites use."""
    told = (card.question, card.content, card.sql)
    labels = {("family", str(card.family))}
    labels |= {("database", held.database) for held in card.dependencies if held.database}
    return Document(str(place), "\n".join(text for text in told if text), frozenset(labels))


def _evenly(questions: Sequence[Question], count: int) -> Sequence[Question]:
    return questions[:: max(1, len(questions) // count)][:count]
