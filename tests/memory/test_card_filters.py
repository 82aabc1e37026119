"""Each rule of the filters of a card search, with its counter-example."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ricordo.embed.hashing import HashingEmbedder
from ricordo.errors import InvalidInput, RicordoError
from ricordo.memory import Memory
from ricordo.records.card import CardFamily, Dependency
from ricordo.records.recall import Voice
from ricordo.settings import Settings
from ricordo.testing.samples import a_card

from .cards import applies, put
from .embedders import KnowingEmbedder
from .opening import open_memory

ORDERS = {"database": "shop", "schema": "public", "table": "orders"}


@pytest.fixture(params=["words", "meaning"])
def memory(request: pytest.FixtureRequest, path: Path) -> Iterator[Memory]:
    """A memory where either words or vectors find the cards."""
    embedder = "none" if request.param == "words" else HashingEmbedder(64)
    with open_memory(path, embedder=embedder) as memory:
        memory.question = "revenue" if request.param == "words" else "zzz"  # type: ignore[attr-defined]
        yield memory


def _found(memory: Memory, **filters: Any) -> set[str]:
    """Names of the cards that are found; nothing in the other voice brings them."""
    answer = memory.cards.search(memory.question, top=100, filters=filters)  # type: ignore[attr-defined]
    return {hit.id.removeprefix("mem-") for hit in answer.hits}


def _put(memory: Memory, **cards: dict[str, Any]) -> None:
    put(memory, [a_card(name, **{"title": "revenue", **fields}) for name, fields in cards.items()])


def _on(*places: dict[str, str]) -> dict[str, Any]:
    return {"dependencies": tuple(Dependency(**place) for place in places)}


def test_a_scope_is_compared_exactly(memory: Memory) -> None:
    _put(memory, a={"scope": "Finance"}, b={"scope": "finance"}, c={"scope": "finance europe"}, d={})
    assert _found(memory) == set("abcd")
    assert _found(memory, scope="finance") == {"b"}
    assert _found(memory, scope="Finance") == {"a"}
    assert _found(memory, scope="fin") == _found(memory, scope="financé") == set()


def test_a_scope_is_never_guessed(memory: Memory) -> None:
    _put(memory, a={"scope": "finance"}, b={"scope": "general"})
    memory.question += " in the finance scope"  # type: ignore[attr-defined]
    assert _found(memory) == {"a", "b"}
    assert _found(memory, scope="general") == {"b"}


def test_every_concept_must_be_there(memory: Memory) -> None:
    _put(
        memory,
        a={"concepts": ("VAT", "sales")},
        b={"concepts": ("VAT",)},
        c={"concepts": ("sales tax",)},
        d={},
    )
    assert _found(memory, concepts=["vat"]) == {"a", "b"}
    assert _found(memory, concepts=["vat", "Sales"]) == {"a"}
    assert _found(memory, concepts=["sales"]) == {"a"}
    assert _found(memory, concepts=["vat", "sales", "other"]) == set()


def test_a_family_or_one_of_several(memory: Memory) -> None:
    families = dict(zip("abc", list(CardFamily)[:3], strict=True))
    _put(memory, **{name: {"family": family} for name, family in families.items()})
    assert _found(memory, family=str(families["a"])) == {"a"}
    assert _found(memory, family=[families["a"], families["c"]]) == {"a", "c"}


def test_one_dependency_matches_as_a_whole(memory: Memory) -> None:
    """The table of one and the column of another do not add up."""
    orders_total = {"database": "shop", "table": "orders", "column": "total"}
    refunds_day = {"database": "shop", "table": "refunds", "column": "day"}
    _put(
        memory,
        a=_on(orders_total, refunds_day),
        b=_on(orders_total),
        c=_on({"database": "bank", **refunds_day}),
    )
    put(
        memory,
        [
            a_card(
                "d",
                title="revenue",
                **_on({"database": "bank", "table": "orders"}, {"database": "shop", "table": "loans"}),
            )
        ],
    )
    assert _found(memory, **orders_total) == {"a", "b"}
    assert _found(memory, **refunds_day) == {"a", "c"}
    assert _found(memory, database="shop", table="orders", column="day") == set()
    assert _found(memory, database="shop", table="orders") == {"a", "b"}
    assert _found(memory, database="shop", table="refunds", column="total") == set()


def test_a_card_without_dependencies_applies_everywhere(memory: Memory) -> None:
    _put(memory, a={}, b=_on({"database": "bank"}))
    assert _found(memory, database="shop") == {"a"}
    assert _found(memory, **ORDERS, column="total") == {"a"}
    assert _found(memory, database="bank") == {"a", "b"}


def test_a_dependency_applies_to_what_lies_below_it(memory: Memory) -> None:
    _put(
        memory,
        database=_on({"database": "shop"}),
        schema=_on({"database": "shop", "schema": "public"}),
        other_schema=_on({"database": "shop", "schema": "archive"}),
        table=_on({"database": "shop", "table": "orders"}),
        other_table=_on({"database": "shop", "table": "refunds"}),
        column=_on({**ORDERS, "column": "total"}),
        other_column=_on({**ORDERS, "column": "day"}),
        other_database=_on({"database": "bank", "table": "orders"}),
    )
    assert _found(memory, **ORDERS, column="total") == {"database", "schema", "table", "column"}
    assert _found(memory, **ORDERS) == {"database", "schema", "table", "column", "other_column"}
    assert _found(memory, database="shop", schema="archive", table="orders") == {
        "database",
        "other_schema",
        "table",
    }


def test_without_a_table_those_of_the_database_and_schema_are_found(memory: Memory) -> None:
    _put(
        memory,
        here=_on(ORDERS),
        no_schema=_on({"database": "shop", "table": "orders"}),
        other_schema=_on({**ORDERS, "schema": "archive"}),
        other_database=_on({**ORDERS, "database": "bank"}),
        column=_on({**ORDERS, "column": "total"}),
    )
    assert _found(memory, database="shop") == {"here", "no_schema", "other_schema", "column"}
    assert _found(memory, database="shop", schema="public") == {"here", "no_schema", "column"}


def test_names_of_places_are_compared_without_case(memory: Memory) -> None:
    _put(
        memory, a=_on({"database": "Shop", "table": "ORDERS"}), b=_on({"database": "Shop", "table": "ORDER"})
    )
    assert _found(memory, database="shop", table="orders") == {"a"}


def test_when_it_was_last_changed(memory: Memory) -> None:
    _put(memory, a={})
    put(memory, [a_card("b", 60, title="revenue")])
    moment = memory.cards.get("mem-b").updated_at
    assert _found(memory, since=moment) == {"b"}
    assert _found(memory, until=moment) == {"a"}


@pytest.mark.parametrize(
    "filters",
    [
        {"table": "orders"},
        {"column": "total", "database": "shop"},
        {"schema": "public"},
        {"family": "sql"},
        {"concept": "vat"},
        {"scope": 5},
        {"concepts": "vat"},
        "scope=finance",
        [],
        5,
        {"since": "2024-01-01T00:00:00Z", "until": "2023-01-01T00:00:00Z"},
    ],
)
def test_filters_that_say_nothing_clear_are_refused(memory: Memory, filters: Any) -> None:
    if filters == []:
        assert memory.cards.search("x", filters=filters).hits == ()
        return
    with pytest.raises(InvalidInput):
        memory.cards.search("x", filters=filters)


def test_any_place_is_matched_as_the_plain_rule_does(memory: Memory) -> None:
    """Random dependencies and places, against the rule in three lines."""
    rng = random.Random(3)

    def place() -> dict[str, str]:
        found = {"database": rng.choice("ab")}
        if rng.random() < 0.5:
            found["schema"] = rng.choice("ab")
        if rng.random() < 0.6:
            found["table"] = rng.choice("ab")
            if rng.random() < 0.5:
                found["column"] = rng.choice("ab")
        return found

    cards = [
        a_card(f"{number:02}", title="revenue", **_on(*(place() for _ in range(rng.randint(0, 3)))))
        for number in range(60)
    ]
    put(memory, cards)
    for _ in range(30):
        asked = place()
        expected = {card.id.removeprefix("mem-") for card in cards if applies(card, asked)}
        assert _found(memory, **asked) == expected, asked


# Filters hold before candidates are chosen


@pytest.mark.parametrize("voice", [Voice.LEXICAL, Voice.VECTOR])
@pytest.mark.parametrize(
    ("inside", "outside", "filters"),
    [
        ({"scope": "right"}, {"scope": "wrong"}, {"scope": "right"}),
        ({"concepts": ("vat",)}, {"concepts": ("tax",)}, {"concepts": ["vat"]}),
        ({"family": CardFamily.EXPLAINED_ERROR}, {}, {"family": "explained_error"}),
        (_on({"database": "shop"}), _on({"database": "bank"}), {"database": "shop", "table": "orders"}),
    ],
)  # fmt: skip
def test_better_cards_elsewhere_crowd_nothing_out(
    path: Path, voice: Voice, inside: dict[str, Any], outside: dict[str, Any], filters: dict[str, Any]
) -> None:
    """Five hundred that fit the question better do not hide the one that fulfils the filters."""
    by_words = voice is Voice.LEXICAL
    crowd = [
        a_card(f"{number:03}", title="revenue revenue", content=f"other{number}", **outside)
        for number in range(500)
    ]
    # Vectors are centred: what every card says would say nothing.
    others = [a_card(f"x{number:03}", title=f"other{number}", **outside) for number in range(250)]
    words = " ".join(f"other{number}" for number in range(40))
    right = a_card("right", title="revenue once", content=words, **inside)
    with open_memory(path, embedder="none" if by_words else KnowingEmbedder()) as memory:
        put(memory, [*others, *crowd, right])
        question = "revenue" if by_words else "income"
        assert "mem-right" not in [hit.id for hit in memory.cards.search(question, top=100).hits]
        (hit,) = memory.cards.search(question, top=1, filters=filters).hits
        assert hit.id == "mem-right"
        assert {one.voice: one.rank for one in hit.retrieval.voices} == {voice: 1}


def test_what_was_decided_crowds_nothing_out(memory: Memory) -> None:
    fields = {"family": CardFamily.DOMAIN_CLARIFICATION, "title": "revenue revenue"}
    put(memory, [a_card(f"{number:03}", **fields) for number in range(150)])
    put(memory, [a_card("left", family=CardFamily.DOMAIN_CLARIFICATION, title="revenue", content="x " * 50)])
    decided = [f"mem-{number:03}" for number in range(150)]
    question = memory.question  # type: ignore[attr-defined]
    assert [hit.id for hit in memory.cards.clarifications(question, top=1, decided=decided).hits] == [
        "mem-left"
    ]


# By use


def test_each_use_looks_among_its_families(memory: Memory) -> None:
    _put(memory, **{str(family): {"family": family} for family in CardFamily})
    question = memory.question  # type: ignore[attr-defined]
    uses = {
        memory.cards.clarifications: {"domain_clarification"},
        memory.cards.rules: {"sql_rule", "explained_error"},
        memory.cards.solved: {"solved_question"},
        memory.cards.search: {str(family) for family in CardFamily},
    }
    for use, families in uses.items():
        assert {str(hit.record.family) for hit in use(question).hits} == families  # type: ignore[attr-defined, operator]
    assert {hit.id for hit in memory.cards.rules(question, filters={"family": "sql_rule"}).hits} == {
        "mem-sql_rule"
    }
    with pytest.raises(InvalidInput, match="family"):
        memory.cards.rules(question, filters={"family": "solved_question"})


# The place that the settings bind


def _bound(path: Path, **bound: str) -> Memory:
    return Memory.open(settings=Settings(path=path, embedder="none", durability="process", **bound))


def test_the_bound_place_is_filled_in_and_not_left(path: Path) -> None:
    with open_memory(path, embedder="none") as memory:
        places = {
            "here": ORDERS, "table": {"database": "shop", "table": "orders"},
            "archive": {**ORDERS, "schema": "archive"}, "bank": {**ORDERS, "database": "bank"},
        }  # fmt: skip
        put(memory, [a_card("free", title="revenue")])
        put(memory, [a_card(name, title="revenue", **_on(place)) for name, place in places.items()])

    def found(memory: Memory, **filters: Any) -> set[str]:
        return {hit.id.removeprefix("mem-") for hit in memory.cards.search("revenue", filters=filters).hits}

    with _bound(path, database="shop", database_schema="public") as memory:
        assert found(memory) == {"free", "here", "table"}
        assert found(memory, database="SHOP") == {"free", "here", "table"}
        assert found(memory, database="shop", table="refunds") == {"free"}
        for use in (
            memory.cards.search,
            memory.cards.rules,
            memory.cards.solved,
            memory.cards.clarifications,
        ):
            for field, filters in {
                "database": {"database": "bank"},
                "schema": {"database": "shop", "schema": "archive"},
            }.items():
                with pytest.raises(InvalidInput, match="bind") as caught:
                    use("revenue", filters=filters)
                assert caught.value.details["field"] == field
                assert caught.value.cure
        everything = {hit.id for hit in memory.recall("revenue").hits}
        assert everything == {"mem-free", "mem-here", "mem-table"}
        with pytest.raises(RicordoError):
            memory.recall("revenue", kinds=["card"], filters={"database": "bank"})
    with _bound(path, database="shop") as memory:
        assert found(memory) == {"free", "here", "table", "archive"}
        assert found(memory, database="shop", schema="archive") == {"free", "table", "archive"}


def test_the_bound_place_holds_for_what_links_lead_to(path: Path) -> None:
    with open_memory(path, embedder="none") as memory:
        rule = memory.cards.create(
            family="sql_rule", title="loans", content="Count them.", dependencies=[{"database": "bank"}]
        )
        memory.cards.create(
            family="sql_rule", title="revenue", content="Sum it.", links=[{"target": rule.id}]
        )
        assert len(memory.cards.search("revenue").hits) == 2
    with _bound(path, database="shop") as memory:
        assert len(memory.cards.search("revenue").hits) == 1
