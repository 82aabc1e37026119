"""Sessions, episodes and facts: every option does what its help says."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

FACT_OPTIONS = (
    *("--domain", "billing", "--topic", "invoices", "--type", "decision", "--confidence", "0.4"),
    *("--veracity", "inferred", "--tag", "one", "--tag", "two", "--source", "episode-1", "--agent", "Ada"),
    *("--role", "accountant", "--valid-from", "2025-01-01", "--valid-until", "2026-01-01T00:00+01:00"),
)

FACT = {
    "domain": "billing",
    "topic": "invoices",
    "memory_type": "decision",
    "confidence": 0.4,
    "veracity": "inferred",
    "tags": ["one", "two"],
    "sources": ["episode-1"],
    "agent": "Ada",
    "role": "accountant",
    "valid_from": "2025-01-01T00:00:00Z",
    "valid_until": "2025-12-31T23:00:00Z",
}


@pytest.mark.parametrize("verb", [("remember",), ("facts", "add")], ids=" ".join)
def test_every_field_of_a_fact(verb: tuple[str, ...], ok: Any) -> None:
    receipt = ok(*verb, "The invoice number is unique.", *FACT_OPTIONS)
    fact = ok("facts", "show", receipt["id"])
    assert {name: fact[name] for name in FACT} == FACT


def test_a_fact_is_changed_field_by_field(ok: Any) -> None:
    fact = ok("remember", "The invoice number is unique.", *FACT_OPTIONS)["id"]
    ok("facts", "update", fact, "--content", "It is unique per year.", "--reason", "law", "--clear", "tags")
    ok("facts", "update", fact, "--clear", "valid-until", "--tag", "three")
    ok("facts", "update", fact, "--data", "-", stdin='{"domain": "law", "valid_from": null}')
    changed = ok("facts", "show", fact)
    expected = {**FACT, "domain": "law", "tags": ["three"], "valid_from": None, "valid_until": None}
    assert {name: changed[name] for name in FACT} == expected
    assert changed["content"] == "It is unique per year."
    history = ok("facts", "history", fact)
    assert [(entry["revision"], entry["reason"]) for entry in history["items"]] == [
        (4, None),
        (3, None),
        (2, "law"),
        (1, None),
    ]


def test_facts_are_listed_by_what_they_are_about(ok: Any) -> None:
    ok("remember", "a", "--domain", "x", "--topic", "1", "--tag", "p", "--tag", "q")
    ok("remember", "b", "--domain", "x", "--topic", "2", "--tag", "p")
    ok("remember", "c", "--domain", "y", "--topic", "1")

    def listed(*options: str) -> str:
        return "".join(fact["content"] for fact in ok("facts", "list", *options)["items"])

    assert listed() == "abc"
    assert listed("--domain", "x") == "ab"
    assert listed("--topic", "1") == "ac"
    assert listed("--tag", "p") == "ab"
    assert listed("--tag", "p", "--tag", "q") == "a"
    assert listed("--until", "2001-01-01") == ""
    assert listed("--since", "2001-01-01") == "abc"


@pytest.mark.parametrize("what", ["facts", "sessions", "episodes"])
def test_listings_are_paged(what: str, ok: Any, shown: Any) -> None:
    for number in range(5):
        if what == "facts":
            ok("remember", f"fact {number}")
        elif what == "sessions":
            ok("sessions", "create", f"session {number}")
        else:
            ok("episodes", "add", "s", f"turn {number}")
    seen: list[str] = []
    cursor: list[str] = []
    while True:
        page = ok(what, "list", "--limit", "2", *cursor)
        assert page["total"] == 5
        seen += [item["id"] for item in page["items"]]
        if page["next_cursor"] is None:
            break
        assert f"--cursor {page['next_cursor']}" in shown(what, "list", "--limit", "2", *cursor)
        cursor = ["--cursor", page["next_cursor"]]
    assert len(set(seen)) == 5


def test_history_and_pending_are_paged(ok: Any) -> None:
    fact = ok("remember", "0")["id"]
    for number in range(1, 4):
        ok("facts", "update", fact, "--content", str(number))
    page = ok("facts", "history", fact, "--limit", "3")
    assert page["total"] == 4
    rest = ok("facts", "history", fact, "--limit", "3", "--cursor", page["next_cursor"])
    assert [entry["revision"] for entry in rest["items"]] == [1]
    for number in range(3):
        ok("facts", "add", f"later {number}", "--defer")
    first = ok("pending", "--limit", "2")["page"]
    assert first["total"] == 3
    assert len(ok("pending", "--cursor", first["next_cursor"])["page"]["items"]) == 1


def test_a_session_and_its_fields(ok: Any) -> None:
    ok("sessions", "create", "s1", "--name", "One", "--project", "web", "--metadata", '{"a": [1]}')
    session = ok("sessions", "show", "s1")
    assert (session["name"], session["project"], session["metadata"]) == ("One", "web", {"a": [1]})
    ok("sessions", "update", "s1", "--external-id", "s2", "--clear", "project", "--clear", "metadata")
    session = ok("sessions", "show", "s2")
    assert (session["id"], session["project"], session["metadata"]) == (session["id"], None, {})
    nameless = ok("sessions", "create")["id"]
    assert ok("sessions", "show", nameless)["external_id"] is None
    assert ok("sessions", "list", "--project", "web")["total"] == 0


def test_an_episode_and_its_fields(ok: Any) -> None:
    options = ("--assistant", "8765.", "--speaker", "Ada", "--at", "2025-03-01T10:00+01:00", "--external-id")
    receipt = ok("episodes", "add", "s", "Which port?", *options, "e1", "--user-tokens", "3")
    assert receipt["created"]
    episode = ok("episodes", "show", receipt["id"])
    assert episode["user_message"] == "Which port?"
    assert episode["assistant_message"] == "8765."
    assert episode["speaker"] == "Ada"
    assert episode["occurred_at"] == "2025-03-01T09:00:00Z"
    assert (episode["external_id"], episode["user_tokens"], episode["position"]) == ("e1", 3, 1)
    assert ok("episodes", "add", "s", "Which port?", *options, "e1")["created"] is False
    ok(
        "episodes",
        "update",
        receipt["id"],
        "--clear",
        "speaker",
        "--metadata",
        '{"k": 1}',
        "--at",
        "2025-03-02",
    )
    changed = ok("episodes", "show", receipt["id"])
    assert (changed["speaker"], changed["metadata"]) == (None, {"k": 1})
    assert changed["occurred_at"] == "2025-03-02T00:00:00Z"


def test_episodes_are_listed_by_filter(ok: Any) -> None:
    ok("episodes", "add", "s1", "a", "--speaker", "Ada", "--at", "2025-03-01")
    ok("episodes", "add", "s1", "b", "--speaker", "Bob", "--at", "2025-03-02")
    ok("episodes", "add", "s2", "c", "--speaker", "Ada", "--at", "2025-03-03")
    ok("sessions", "update", "s2", "--project", "web")

    def listed(*options: str) -> str:
        return "".join(turn["user_message"] for turn in ok("episodes", "list", *options)["items"])

    assert listed("--session", "s1") == "ab"
    assert listed("--speaker", "ADA") == "ac"
    assert listed("--project", "web") == "c"
    assert listed("--since", "2025-03-02") == "bc"
    assert listed("--until", "2025-03-02") == "a"


@pytest.mark.parametrize("shape", ["object", "list", "lines"])
@pytest.mark.parametrize("source", ["file", "stdin"])
def test_many_from_a_file_or_stdin(shape: str, source: str, ok: Any, tmp_path: Path) -> None:
    count = 1 if shape == "object" else 12
    rows = [{"user_message": f"Turn {number}: città\u2028e paese."} for number in range(count)]
    text = {
        "object": lambda: json.dumps(rows[0]),
        "list": lambda: json.dumps(rows, indent=1),
        "lines": lambda: "\n".join(json.dumps(row, ensure_ascii=False) for row in rows) + "\n\n",
    }[shape]()
    (tmp_path / "data").write_text(text, encoding="utf-8")
    given = ("--data", "-") if source == "stdin" else ("--data", "data")
    answer = ok("episodes", "add", "s", *given, stdin=text)
    receipts = answer["receipts"] if shape == "list" or shape == "lines" else [answer]
    assert len(receipts) == count
    # More than a call embeds at once: the command has made the rest at its end.
    assert {receipt["outcome"] for receipt in receipts} == {"saved_and_searchable"}
    assert ok("status")["pending"] == 0
    turns = ok("episodes", "list", "--session", "s")["items"]
    assert turns[0]["user_message"] == "Turn 0: città\u2028e paese."


def test_many_are_added_all_or_none(ok: Any, ricordo: Any) -> None:
    answer = ricordo("facts", "add", "--data", "-", stdin='[{"content": "good"}, {"content": ""}]')
    assert answer.code == 3
    assert ok("facts", "list")["total"] == 0


def test_vectors_can_be_left_to_later(ok: Any, shown: Any) -> None:
    rows = json.dumps([{"content": f"fact {number}"} for number in range(12)])
    answer = ok("facts", "add", "--data", "-", "--defer", stdin=rows)
    assert {receipt["outcome"] for receipt in answer["receipts"]} == {"saved_index_pending"}
    assert ok("status")["pending"] == 12
    # What others have left pending is not this command's to do.
    ok("facts", "add", "--data", "-", stdin=rows)
    assert ok("status")["pending"] == 24
    assert ok("facts", "add", "one more")["outcome"] == "saved_and_searchable"
    assert "waiting" in shown("pending")
    assert ok("pending", "drain")["embedded"] == 24
    assert ok("status")["pending"] == 0


@pytest.mark.parametrize("text", ["[1]", '"text"', "17", "", "not json", '{"a": 1}\nnot json', "[" * 100_000])
def test_data_that_is_none(text: str, ricordo: Any) -> None:
    for command in (("episodes", "add", "s"), ("facts", "add")):
        answer = ricordo(*command, "--data", "-", stdin=text)
        assert answer.code == 3, answer.err
        assert answer.error["code"] in ("invalid_input", "unknown_field")


def test_times_without_a_zone_are_local(ok: Any, monkeypatch: pytest.MonkeyPatch, shown: Any) -> None:
    import time

    monkeypatch.setenv("TZ", "America/Los_Angeles")
    time.tzset()
    try:
        winter = ok("episodes", "add", "s", "near midnight", "--at", "2025-01-10T18:00")["id"]
        summer = ok("episodes", "add", "s", "in summer", "--at", "2025-07-10")["id"]
        assert ok("episodes", "show", winter)["occurred_at"] == "2025-01-11T02:00:00Z"
        assert ok("episodes", "show", summer)["occurred_at"] == "2025-07-10T07:00:00Z"
        assert "2025-01-10 18:00-08:00" in shown("episodes", "list", "--until", "2025-02-01")
    finally:
        monkeypatch.setenv("TZ", "UTC")
        time.tzset()
    assert datetime.fromisoformat(ok("episodes", "show", winter)["occurred_at"]).tzinfo


def test_options_stand_before_or_after_the_command(nothing_yet: None, ricordo: Any, tmp_path: Path) -> None:
    other = str(tmp_path / "other.db")
    for words in (
        ("--path", other, "sessions", "list"),
        ("sessions", "--path", other, "list"),
        ("sessions", "list", "--path", other),
    ):
        answer = ricordo(*words, "--json")
        assert answer.code == 0
    assert (tmp_path / "other.db").exists()
    assert not (tmp_path / "memory.db").exists()
    near = str(tmp_path / "near.db")
    ricordo("--path", other, "status", "--path", near)
    assert (tmp_path / "near.db").exists(), "the nearer one wins"


def test_deleting_needs_a_yes(ok: Any, ricordo: Any) -> None:
    fact = ok("remember", "Stay.")["id"]
    answer = ricordo("facts", "delete", fact)
    assert answer.code == 3
    assert answer.error["details"]["cure"] == "Add --yes."
    assert ok("facts", "list")["total"] == 1
