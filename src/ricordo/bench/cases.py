"""What is asked of a memory, and what counts as found."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from ricordo.memory import Memory
from ricordo.records.recall import Hit

KeyOf = Callable[[Hit], str]
"""From a result to the key by which the data set names it."""


@dataclass(frozen=True)
class Question:
    """One question.

    Attributes:
        gold: Keys of the records that hold the evidence; none where nothing answers it.
        category: By the data set's own division.
        counted: Whether it counts in recall; the others are measured in their own way.
        old, new: Keys of a statement and of the one that replaced it.
        filters: What the recall is restricted to; the baselines look at no other records either.
        one_is_enough: Whether one of the gold keys answers it; otherwise all are wanted.
        part: Part of the data where it is not that of the case.
        also: Further categories that it counts in.
    """

    text: str
    gold: frozenset[str]
    category: str
    counted: bool = True
    old: frozenset[str] = frozenset()
    new: frozenset[str] = frozenset()
    filters: Mapping[str, str] = field(default_factory=dict)
    one_is_enough: bool = False
    part: str | None = None
    also: tuple[str, ...] = ()


@dataclass(frozen=True)
class Case:
    """One body of records, in a workspace of its own, and the questions about it.

    Attributes:
        part: `tuned` where settings were chosen on it, else `held_out`.
        kind: Kind of its records.
        fill: Saves the records, using a folder for files; answers how results are named.
        as_of: The moment of the questions; None for now.
    """

    name: str
    part: str
    kind: str
    questions: tuple[Question, ...]
    fill: Callable[[Memory, Path], KeyOf]
    as_of: datetime | None = None
    language: str = "en"


@dataclass(frozen=True)
class Suite:
    """A data set made ready.

    Attributes:
        categories: Name of each category.
        parts: What each part consists of.
        unanswerable: Category of the questions that nothing answers, or None.
        headline: Category that the numbers over all are of, where others ask the same again in
            another way; None for all questions.
    """

    name: str
    cases: tuple[Case, ...]
    categories: dict[str, str]
    parts: dict[str, str]
    unanswerable: str | None = None
    headline: str | None = None


def external_id(hit: Hit) -> str:
    """The key of an episode that was imported with an id of its own."""
    return str(getattr(hit.record, "external_id", None))


def part_of(position: int, tuned: int) -> str:
    """The part of a case, by its position in the data set and how many were tuned on."""
    return "tuned" if position < tuned else "held_out"
