"""`recall`: its filters, its reasons, and what people see."""

from __future__ import annotations

from typing import Any

import pytest


@pytest.fixture
def filled(ok: Any) -> Any:
    talk = [
        ("Ada", "The deploy is on Tuesday."),
        ("Bob", "Who approves the deploy?"),
        ("Ada", "Ingrid does."),
    ]
    for number, (speaker, text) in enumerate(talk, start=1):
        ok("episodes", "add", "standup", text, "--speaker", speaker, "--at", f"2025-03-0{number}")
    ok("episodes", "add", "retro", "The deploy went well.", "--speaker", "Ada", "--at", "2025-04-01")
    ok("sessions", "update", "retro", "--project", "web")
    ok("remember", "The deploy takes ten minutes.", "--domain", "ops", "--topic", "deploy", "--tag", "time")
    return ok


def texts(found: Any) -> set[str]:
    return {hit["text"] for hit in found["hits"]}


def test_filters(filled: Any) -> None:
    def asked(*options: str) -> set[str]:
        return texts(filled("recall", "deploy", *options))

    assert "The deploy takes ten minutes." in asked()
    assert asked("--kind", "fact") == {"The deploy takes ten minutes."}
    assert asked("--domain", "ops", "--topic", "deploy", "--tag", "time") == {"The deploy takes ten minutes."}
    assert asked("--project", "web") == {"The deploy went well."}
    assert "The deploy went well." not in asked("--session", "standup")
    assert asked("--speaker", "bob") == {"Who approves the deploy?"}
    assert asked("--kind", "episode", "--since", "2025-04-01") == {"The deploy went well."}
    assert "The deploy went well." not in asked("--kind", "episode", "--until", "2025-04-01")
    assert len(asked("--top", "1")) == 1
    assert "The deploy went well." not in asked("--as-of", "2025-03-15")
    assert len(asked("--kind", "fact", "--kind", "episode")) > 2


def test_neighbours_come_with_an_episode(filled: Any) -> None:
    hit = filled("recall", "who approves?", "--neighbours", "1", "--top", "1")["hits"][0]
    assert [turn["user_message"] for turn in hit["before"]] == ["The deploy is on Tuesday."]
    assert [turn["user_message"] for turn in hit["after"]] == ["Ingrid does."]


def test_people_see_text_source_and_neighbours(filled: Any, shown: Any) -> None:
    text = shown("recall", "who approves?", "--neighbours", "1", "--top", "1")
    assert text.splitlines()[:4] == [
        "1. | Ada: The deploy is on Tuesday.",
        "   Who approves the deploy?",
        "   | Ada: Ingrid does.",
        "   episode · standup #2 · Bob · 2025-03-02 00:00+00:00 · ",
    ] or text.startswith("1. | Ada: The deploy is on Tuesday.\n   Who approves the deploy?\n")
    assert "rank" not in text


def test_people_see_the_reasons_on_request(filled: Any, shown: Any) -> None:
    text = shown("recall", "when is the deploy?", "--explain", "--top", "2")
    assert "lexical rank" in text
    assert "vector rank" in text
    assert "score" in text
    assert "left out:" in text
    assert "below top" in text
    assert "ms: " in text
    assert "plan " in text


def test_nothing_known_is_said(ok: Any, shown: Any) -> None:
    assert ok("recall", "anything")["abstention"] == "empty_archive"
    assert "Nothing is known about this: nothing is stored here yet." in shown("recall", "anything")
    ok("remember", "One thing.")
    found = ok("recall", "Which lawyer drafted it?", "--embedder", "none")
    assert (found["nothing_known"], found["hits"]) == (True, [])


def test_what_is_missing_is_noted_on_stderr(ok: Any, ricordo: Any) -> None:
    ok("remember", "One thing.")
    answer = ricordo("recall", "thing", "--embedder", "none", "--no-json")
    assert "No embedding model" in answer.err
    assert "No embedding model" not in ricordo("-q", "recall", "thing", "--embedder", "none", "--no-json").err
    assert ok("recall", "thing", "--embedder", "none")["degraded"][0]["code"] == "no_embedder"


def test_a_mistyped_workspace_is_no_empty_answer(ok: Any, ricordo: Any) -> None:
    ok("remember", "One.", "--workspace", "team")
    assert texts(ok("recall", "one", "--workspace", "team")) == {"One."}
    answer = ricordo("recall", "one", "--workspace", "taem")
    assert (answer.code, answer.error["code"]) == (4, "workspace_not_found")


def test_a_new_archive_is_said_once(nothing_yet: None, ricordo: Any, tmp_path: Any) -> None:
    assert f"made a new archive: {tmp_path / 'memory.db'}" in ricordo("recall", "x").err
    assert ricordo("recall", "x").err == ""
