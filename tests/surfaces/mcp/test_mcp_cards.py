"""Cards, asked by the SDK's client over a real pipe: found and read by agents, managed elsewhere."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp.shared.exceptions import MCPError

from ricordo.memory import Memory
from ricordo.operations import BY_NAME
from ricordo.records.principal import Permission
from ricordo.surfaces.mcp.shortening import MAX_ANSWER_CHARS
from ricordo.surfaces.mcp.tools import LEFT_OUT, TOOLS

CASES = json.loads((Path(__file__).parents[1] / "http" / "hostile.json").read_text(encoding="utf-8"))
FINDING = ("search_cards", "find_clarifications", "find_rules", "find_solved_questions")

CARDS: dict[str, dict[str, Any]] = {
    "rule": {
        "family": "sql_rule",
        "title": "Revenue without refunds",
        "content": "Sum paid_amount where refunded_at is null",
        "concepts": ["revenue"],
        "dependencies": [{"database": "shop", "table": "orders", "column": "paid_amount"}],
    },
    "error": {
        "family": "explained_error",
        "title": "Dates are texts",
        "content": "Cast order_date before comparing revenue of two days",
        "rationale": "The column holds texts",
    },
    "term": {
        "family": "domain_clarification",
        "title": "Active customer",
        "content": "A customer is active with an order in the last ninety days",
    },
    "solved": {
        "family": "solved_question",
        "title": "Revenue by month",
        "question": "What was the revenue of each month?",
        "sql": "SELECT month, SUM(paid_amount) FROM orders GROUP BY month",
    },
}


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """An archive with cards, and their ids by name; another workspace of it has one of its own."""
    path = tmp_path_factory.mktemp("cards") / "memory.db"
    with Memory.open(path, embedder="hashing") as memory:
        ids = {name: memory.cards.create(**fields).id for name, fields in CARDS.items()}
        for place, (text, _, _) in enumerate(CASES):
            if text:
                card = {"family": "sql_rule", "title": "Case", "content": text, "scope": "hostile"}
                ids[f"case {place}"] = memory.cards.create(**card).id
        long = {"family": "explained_error", "title": "Long", "scope": "long", "rationale": "why " * 20_000}
        for number in range(6):
            ids[f"long {number}"] = memory.cards.create(content=f"lighthouse {number} " * 5_000, **long).id
        abroad = memory.in_workspace("abroad", create=True)
        ids["abroad"] = abroad.cards.create(**CARDS["rule"]).id
    return path, ids


@pytest.fixture(scope="module")
def agent(stored: tuple[Path, dict[str, str]], connect: Any) -> Iterator[Any]:
    with connect(stored[0]) as opened:
        yield opened


@pytest.fixture(scope="module")
def ids(stored: tuple[Path, dict[str, str]]) -> dict[str, str]:
    return stored[1]


def found(agent: Any, tool: str, question: str, **more: Any) -> list[str]:
    return [hit["id"] for hit in agent.call(tool, question=question, **more)["hits"]]


def test_what_agents_get_is_reading_only() -> None:
    for name, operation in BY_NAME.items():
        if "card" in name or "merge" in name or name in FINDING:
            reads = operation.permission is Permission.READ
            assert (name in TOOLS, name in LEFT_OUT) == (reads, not reads)
            assert operation.read_only or not reads


def test_cards_are_found_by_their_use(agent: Any, ids: dict[str, str]) -> None:
    assert found(agent, "search_cards", "revenue without refunds")[0] == ids["rule"]
    narrowed = {"family": "sql_rule", "concepts": ["Revenue"], "database": "shop", "table": "orders"}
    assert found(agent, "search_cards", "revenue", filters=narrowed) == [ids["rule"]]
    assert ids["rule"] not in found(agent, "search_cards", "revenue", filters={"database": "other"})
    assert found(agent, "find_clarifications", "Who is an active customer?") == [ids["term"]]
    assert found(agent, "find_clarifications", "Who is an active customer?", decided=[ids["term"]]) == []
    general = {"scope": "general"}
    rules = found(agent, "find_rules", "revenue: sum paid_amount, cast order_date", filters=general)
    assert set(rules) == {ids["rule"], ids["error"]}
    assert found(agent, "find_solved_questions", "revenue of each month") == [ids["solved"]]
    hit = agent.call("find_solved_questions", question="revenue of each month")["hits"][0]
    assert hit["record"]["sql"] == CARDS["solved"]["sql"]
    assert hit["source"]["author"] == "owner"
    recalled = agent.call("recall", question="revenue of each month", kinds=["card"])["hits"]
    assert ids["solved"] in [item["id"] for item in recalled]


def test_descriptions_say_what_to_do_and_what_not(agent: Any) -> None:
    tools = {tool.name: tool for tool in agent.run("list_tools").tools}
    assert "examples to consult, never applied by themselves" in tools["find_solved_questions"].description
    assert "approves nothing" in tools["search_cards"].description
    assert all(tools[name].annotations.read_only_hint for name in (*FINDING, "get_card"))


def test_a_card_is_read_as_a_tool_and_as_a_resource(agent: Any, ids: dict[str, str]) -> None:
    card = agent.call("get_card", card_id=ids["rule"])
    assert (card["content"], card["revision"]) == (CARDS["rule"]["content"], 1)
    read = agent.run("read_resource", f"ricordo://card/{ids['rule']}").contents[0]
    assert json.loads(read.text)["id"] == ids["rule"]
    templates = agent.run("list_resource_templates").resource_templates
    assert "ricordo://card/{id}" in [template.uri_template for template in templates]


def test_what_is_not_there(agent: Any, ids: dict[str, str]) -> None:
    for wrong in ("mem-none", ids["abroad"], "' OR 1=1 --", "../../etc", "*"):
        assert agent.refused("get_card", card_id=wrong)[0]["code"] == "not_found"
    for uri in ("ricordo://card/mem-none", f"ricordo://card/{ids['abroad']}", "ricordo://card/"):
        with pytest.raises(MCPError):
            agent.run("read_resource", uri)
    assert ids["abroad"] not in found(agent, "search_cards", "revenue without refunds", top=100)
    for name in ("create_card", "update_card", "delete_card", "merge_cards", "list_cards"):
        assert agent.refused(name)[0]["code"] == "not_found"


@pytest.mark.parametrize("tool", FINDING)
@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({}, "invalid_input"),
        ({"query": "x"}, "unknown_field"),
        ({"question": "x", "filters": {"tabel": "orders"}}, "unknown_field"),
        ({"question": "x", "filters": {"column": "orders"}}, "invalid_input"),
        ({"question": "x", "filters": {"family": ["poem"]}}, "invalid_input"),
        ({"question": "x", "filters": "shop"}, "invalid_input"),
        ({"question": "x", "top": 101}, "invalid_input"),
        ({"question": ["x"]}, "invalid_input"),
    ],
)
def test_bad_questions_are_answered_with_what_is_expected(
    agent: Any, tool: str, given: dict[str, Any], code: str
) -> None:
    error, text = agent.refused(tool, **given)
    assert error["code"] == code
    assert text


def test_misspelled_filters_are_answered_with_the_right_name(agent: Any) -> None:
    _, text = agent.refused("find_rules", question="x", filters={"tabel": "orders"})
    assert "'filters.table' is expected" in text
    _, text = agent.refused("find_rules", question="x", filters={"family": "solved_question"})
    assert "sql_rule and explained_error only" in text


def test_hostile_texts_come_back_as_data(agent: Any, ids: dict[str, str]) -> None:
    for place, (_, question, word) in enumerate(CASES):
        for tool in FINDING:
            hits = found(agent, tool, question, top=100, filters={"scope": "hostile"})
            if word and tool in {"search_cards", "find_rules"}:
                assert ids[f"case {place}"] in hits, question
    hits = agent.call("search_cards", question="previous instructions", filters={"scope": "hostile"})["hits"]
    assert "reads_like_instruction" in hits[0]["flags"]


@pytest.mark.parametrize("tool", ["search_cards", "find_rules"])
def test_long_answers_are_cut_and_say_how_to_get_the_rest(agent: Any, ids: dict[str, str], tool: str) -> None:
    result = agent.run("call_tool", tool, {"question": "lighthouse", "filters": {"scope": "long"}})
    assert len(result.content[0].text) <= MAX_ANSWER_CHARS
    answer = result.structured_content
    assert {hit["id"] for hit in answer["hits"]} == {ids[f"long {number}"] for number in range(6)}
    assert "get_card" in answer["shortened"]
    whole = json.loads(
        agent.run("read_resource", f"ricordo://card/{answer['hits'][0]['id']}").contents[0].text
    )
    assert len(whole["content"]) > 60_000
    single = agent.call("get_card", card_id=whole["id"])
    assert "ricordo://" in single["shortened"]
