"""The tools and resources, asked by the SDK's client over a real pipe."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from mcp.shared.exceptions import MCPError

from ricordo.surfaces.mcp.shortening import MAX_ANSWER_CHARS
from ricordo.surfaces.mcp.tools import TOOLS

CASES = json.loads((Path(__file__).parents[1] / "http" / "hostile.json").read_text(encoding="utf-8"))


def test_tools_are_listed_with_their_annotations(shared: Any) -> None:
    tools = {tool.name: tool for tool in shared.run("list_tools").tools}
    assert list(tools) == list(TOOLS)
    assert tools["recall"].annotations.read_only_hint is True
    assert tools["delete_fact"].annotations.destructive_hint is True
    assert all(tool.annotations.open_world_hint is False for tool in tools.values())
    assert all(tool.input_schema["additionalProperties"] is False for tool in tools.values())


def test_life_of_a_fact(shared: Any) -> None:
    receipt = shared.call("remember", content="Ada likes ginger tea", domain="people", tags=["drinks"])
    assert (receipt["outcome"], receipt["created"]) == ("saved_and_searchable", True)
    fact = shared.call("get_fact", fact_id=receipt["id"])
    assert (fact["content"], fact["revision"]) == ("Ada likes ginger tea", 1)
    changed = shared.call(
        "update_fact", fact_id=fact["id"], changes={"content": "Ada likes mint tea"}, revision=1
    )
    assert changed["revision"] == 2
    error, _ = shared.refused("update_fact", fact_id=fact["id"], changes={"content": "x"}, revision=1)
    assert (error["code"], error["details"]["revision"]) == ("stale_revision", 2)
    history = shared.call("fact_history", fact_id=fact["id"])
    assert [item["revision"] for item in history["items"]] == [2, 1]
    assert shared.call("list_facts", domain="people")["total"] == 1
    answer = shared.call("recall", question="What does Ada drink?", filters={"domain": "people"})
    assert [hit["text"] for hit in answer["hits"]] == ["Ada likes mint tea"]
    assert shared.call("delete_fact", fact_id=fact["id"])["removed"] == {"fact": 1}
    error, text = shared.refused("get_fact", fact_id=fact["id"])
    assert error["code"] == "not_found"
    assert fact["id"] in text


def test_life_of_a_conversation(shared: Any) -> None:
    turn = shared.call("add_episode", session="trip", user_message="We leave at dawn", speaker="Bruno")
    turns = [{"assistant_message": "Pack the tent"}, {"user_message": "And the stove", "external_id": "3"}]
    receipts = shared.call("add_episodes", session="trip", episodes=turns)["receipts"]
    assert len(receipts) == 2
    assert shared.call("get_episode", episode_id=turn["id"])["speaker"] == "Bruno"
    assert [item["position"] for item in shared.call("list_episodes", session="trip")["items"]] == [1, 2, 3]
    assert shared.call("get_session", session="trip")["episode_count"] == 3
    assert "trip" in [item["external_id"] for item in shared.call("list_sessions")["items"]]
    hits = shared.call("recall", question="tent", kinds=["episode"], neighbours=1)["hits"]
    assert [turn["user_message"] for turn in hits[0]["before"]] == ["We leave at dawn"]
    assert shared.call("delete_episode", episode_id=receipts[0]["id"])["removed"] == {"episode": 1}
    assert shared.call("delete_session", session="trip")["removed"] == {"session": 1, "episode": 2}
    assert shared.call("status")["workspace"] == "default"


@pytest.mark.parametrize(
    ("name", "given", "expected"),
    [
        ("recall", {"content": "tea"}, "question"),
        ("recall", {"query": "tea"}, "question"),
        ("recall", {"question": "tea", "neighbors": 1}, "neighbours"),
        ("remember", {"text": "tea"}, "content"),
        ("get_fact", {"id": "x"}, "fact_id"),
        ("update_fact", {"fact_id": "x", "changes": {"contents": "x"}}, "changes.content"),
        ("add_episodes", {"session": "s", "episodes": [{"user_mesage": "x"}]}, "episodes.0.user_message"),
        ("recall", {"question": "tea", "filters": {"sesion": "x"}}, "filters.session"),
    ],
)
def test_misspelled_arguments_are_answered_with_the_right_name(
    shared: Any, name: str, given: dict[str, Any], expected: str
) -> None:
    error, text = shared.refused(name, **given)
    assert error["code"] == "unknown_field"
    assert f"'{expected}' is expected" in text


def test_other_bad_arguments_say_what_to_do(shared: Any) -> None:
    error, text = shared.refused("recall")
    assert error["code"] == "invalid_input"
    assert text.startswith("The argument 'question' is missing. Arguments: question (required), top")
    for given in ({"question": "x", "top": 0}, {"question": 7}, {"question": "x", "kinds": ["song"]}):
        error, _ = shared.refused("recall", **given)
        assert error["code"] == "invalid_input"
    error, text = shared.refused("remembr", content="x")
    assert "'remember' is meant" in text
    assert shared.refused("create_workspace", name="x")[0]["code"] == "not_found"


def test_hostile_texts_come_back_as_data(shared: Any) -> None:
    texts = [text for text, _, _ in CASES if text]
    shared.call("add_episodes", session="hostile", episodes=[{"user_message": text} for text in texts])
    for text, question, word in CASES:
        answer = shared.call("recall", question=question, top=100, filters={"session": "hostile"})
        if word:
            found = {hit["text"]: hit["retrieval"]["voices"] for hit in answer["hits"]}
            expected = text.replace("\x00", "\u2400")
            assert "lexical" in [voice["voice"] for voice in found[expected]], question


def test_long_answers_are_cut_and_say_how_to_get_the_rest(shared: Any) -> None:
    page = "The lighthouse log of that winter. " * 2_000
    for number in range(5):
        shared.call("add_episode", session="log", user_message=f"{page}{number}")
    result = shared.run("call_tool", "recall", {"question": "lighthouse log", "neighbours": 2})
    assert len(result.content[0].text) <= MAX_ANSWER_CHARS
    answer = result.structured_content
    assert "read one whole with get_episode" in answer["shortened"]
    assert answer["hits"][0]["text"].endswith("more characters)")
    episode = answer["hits"][0]["id"]
    whole = shared.call("get_episode", episode_id=episode)
    assert len(whole["user_message"]) > 60_000
    assert "shortened" not in whole


def test_long_listings_become_shorter_pages(shared: Any) -> None:
    turns = [{"user_message": f"{number} " + "rain on the roof " * 600} for number in range(12)]
    shared.call("add_episodes", session="rain", episodes=turns)
    seen: list[str] = []
    cursor = None
    while True:
        page = shared.call("list_episodes", session="rain", **({"cursor": cursor} if cursor else {}))
        assert len(json.dumps(page)) <= MAX_ANSWER_CHARS
        seen += [item["user_message"] for item in page["items"]]
        cursor = page.get("next_cursor")
        if cursor is None:
            break
        assert "go on with `next_cursor`" in page["shortened"]
    assert seen == [turn["user_message"] for turn in turns]


def test_one_giant_text_is_cut_and_whole_as_a_resource(shared: Any) -> None:
    giant = "All work and no play. " * 10_000
    receipt = shared.call(
        "add_episode", session="giant", user_message=giant, metadata={"more": ["x"] * 50_000}
    )
    episode = shared.call("get_episode", episode_id=receipt["id"])
    assert len(json.dumps(episode)) <= MAX_ANSWER_CHARS
    assert "ricordo://<kind>/<id>" in episode["shortened"]
    read = shared.run("read_resource", f"ricordo://episode/{receipt['id']}")
    assert json.loads(read.contents[0].text)["user_message"] == giant


def test_resources(shared: Any) -> None:
    templates = {item.uri_template for item in shared.run("list_resource_templates").resource_templates}
    assert templates == {
        "ricordo://card/{id}",
        "ricordo://fact/{id}",
        "ricordo://episode/{id}",
        "ricordo://session/{session}",
    }
    assert shared.run("list_resources").resources == []
    fact = shared.call("remember", content="A resource")["id"]
    read = shared.run("read_resource", f"ricordo://fact/{fact}").contents[0]
    assert (read.mime_type, json.loads(read.text)["content"]) == ("application/json", "A resource")
    shared.call("add_episode", session="a/b c", user_message="hello")
    session = json.loads(shared.run("read_resource", "ricordo://session/a%2Fb%20c").contents[0].text)
    assert session["session"]["external_id"] == "a/b c"
    assert [item["user_message"] for item in session["episodes"]["items"]] == ["hello"]
    for missing in ("ricordo://fact/none", "ricordo://song/1", "ricordo://fact/", "file:///etc/passwd"):
        with pytest.raises(MCPError, match="There is no"):
            shared.run("read_resource", missing)


def test_workspaces_do_not_see_each_other(shared: Any, other_workspace: Any) -> None:
    fact = shared.call("remember", content="The password here is tangerine")["id"]
    turn = shared.call("add_episode", session="secret", user_message="tangerine")["id"]
    for name, given in [
        ("get_fact", {"fact_id": fact}),
        ("update_fact", {"fact_id": fact, "changes": {"content": "x"}}),
        ("delete_fact", {"fact_id": fact}),
        ("fact_history", {"fact_id": fact}),
        ("get_episode", {"episode_id": turn}),
        ("delete_episode", {"episode_id": turn}),
        ("get_session", {"session": "secret"}),
        ("delete_session", {"session": "secret"}),
        ("list_episodes", {"session": "secret"}),
    ]:
        assert other_workspace.refused(name, **given)[0]["code"] == "not_found"
    answer = other_workspace.call("recall", question="tangerine")
    assert (answer["nothing_known"], answer["abstention"], answer["hits"]) == (True, "empty_archive", [])
    with pytest.raises(MCPError, match="There is no fact"):
        other_workspace.run("read_resource", f"ricordo://fact/{fact}")
    assert shared.call("get_fact", fact_id=fact)["revision"] == 1
