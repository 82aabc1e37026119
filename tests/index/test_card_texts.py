"""What of a card is embedded and indexed."""

from __future__ import annotations

import pytest

from ricordo.index.analysis import PAIR
from ricordo.index.projector import PIECE_CHARS, embedding_texts, project_card
from ricordo.records.card import CardDraft, CardFamily, Dependency
from ricordo.records.workspace import Language
from ricordo.testing.samples import a_card

RULE = CardDraft(
    family=CardFamily.SQL_RULE,
    title="Fast teams",
    content="fast refers to `buildUpPlaySpeedClass` = 'Fast' in Team_Attributes (the team's class)",
    concepts=("speed",),
    dependencies=(Dependency(database="football", table="Team_Attributes"),),
)


def test_a_card_is_embedded_as_prose_with_all_that_is_indexed() -> None:
    (text,) = embedding_texts(RULE)
    assert text.splitlines() == [
        "Fast teams",
        "fast refers to build Up Play Speed Class = Fast in Team Attributes the team's class",
        "general",
        "speed football.Team Attributes",
    ]


def test_a_solved_question_is_embedded_by_itself_too() -> None:
    solved = CardDraft(
        family=CardFamily.SOLVED_QUESTION,
        title="t",
        question="How many teams?",
        sql="SELECT COUNT(*) FROM Team",
    )
    alone, whole = embedding_texts(solved)
    assert alone == "How many teams?"
    assert "SELECT COUNT * FROM Team" in whole


@pytest.mark.parametrize("title", ["((", "__", "''"])
def test_a_card_of_signs_has_a_text(title: str) -> None:
    card = RULE.model_copy(update={"title": title, "content": title, "scope": title, "concepts": ()})
    assert all(embedding_texts(card.model_copy(update={"dependencies": ()})))


def test_many_dependencies_do_not_make_many_pieces() -> None:
    many = tuple(Dependency(database="d", table=f"a_long_name_of_a_table_{number}") for number in range(500))
    texts = embedding_texts(RULE.model_copy(update={"dependencies": many}))
    assert sum(map(len, texts)) < 3 * PIECE_CHARS


def test_a_card_holds_pairs_of_its_words() -> None:
    projected = project_card(1, a_card("mem-1", title="free meal rate"), Language.ENGLISH)
    assert f"meal{PAIR}rate" in projected.own
