"""Cards by the hundred, put into a memory at once, and what they can be filtered by in plain Python."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from ricordo.archive.contract import ArchiveReader, Stored
from ricordo.engine.staging import stage_alone
from ricordo.index.analysis import ask
from ricordo.index.contract import Where
from ricordo.memory import Memory
from ricordo.records.base import Kind
from ricordo.records.card import Card

RULE: dict[str, Any] = {"family": "sql_rule", "title": "A rule", "content": "Do it so."}
"""The least of a card."""


def put(memory: Memory, cards: Sequence[Card]) -> dict[str, int]:
    """Save cards as they are, with their vectors; answers their numbers."""
    engine = memory._engine
    with engine.archive.write(memory.workspace) as writer:
        nums = writer.add(Kind.CARD, cards)
        saved = [Stored(num, card) for num, card in zip(nums, cards, strict=True)]
        stage_alone(memory.cards, writer, saved, fresh=True)
    memory.upkeep.drain()
    return {card.id: num for num, card in saved}


def rankings(memory: Memory, question: str, within: Collection[str]) -> list[list[str]]:
    """What each branch finds among these cards, ranked without any filter or limit."""
    engine = memory._engine
    with engine.archive.read(memory.workspace) as reader:
        asked = ask(question, memory.workspace.language).with_pairs()
        found = [engine.index.lexical(reader, Kind.CARD, asked, Where(), limit=100_000)]
        space = engine.find_space(memory.workspace)
        if space is not None and engine.embedder is not None and question.strip():
            vector = engine.embedder.embed_question(question)
            found.append(engine.index.similar(reader, space, Kind.CARD, vector, Where(), limit=100_000))
        names = names_of(reader, [item.num for ranking in found for item in ranking])
    ranked = [[names[item.num] for item in ranking if item.num in names] for ranking in found]
    return [[name for name in ranking if name in within] for ranking in ranked]


def names_of(reader: ArchiveReader, nums: Sequence[int]) -> dict[int, str]:
    """Ids of cards by their numbers."""
    return {num: name for num, (name, _) in reader.cards.revisions(list(nums)).items()}


def fits(card: Card, filters: Mapping[str, Any]) -> bool:
    """Whether a card fulfils the filters of a search."""
    families = filters.get("family", ())
    families = [families] if isinstance(families, str) else list(families)
    return (
        (not families or card.family in families)
        and ("scope" not in filters or card.scope == filters["scope"])
        and all(concept in card.concepts for concept in filters.get("concepts", ()))
        and applies(card, filters)
    )


LEVELS = ("database", "schema", "table", "column")


def applies(card: Card, place: Mapping[str, Any]) -> bool:
    """Whether a card applies to a place: one dependency agrees with it wherever both name something."""
    if not any(level in place for level in LEVELS) or not card.dependencies:
        return True
    return any(
        all(
            getattr(dependency, level) is None or place.get(level) in (None, getattr(dependency, level))
            for level in LEVELS
        )
        for dependency in card.dependencies
    )
