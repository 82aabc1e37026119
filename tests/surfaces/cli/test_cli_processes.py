"""Each command once as users run it: the installed program, JSON on a stdout that is no terminal."""

from __future__ import annotations

import json
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from processes import run
from ricordo.operations import BY_NAME

COMMAND_OF = {
    "recall": ("recall",),
    "remember": ("remember",),
    "create_session": ("sessions", "create"),
    "get_session": ("sessions", "show"),
    "list_sessions": ("sessions", "list"),
    "update_session": ("sessions", "update"),
    "delete_session": ("sessions", "delete"),
    "session_history": ("sessions", "history"),
    "add_episode": ("episodes", "add"),
    "add_episodes": ("episodes", "add"),
    "get_episode": ("episodes", "show"),
    "list_episodes": ("episodes", "list"),
    "update_episode": ("episodes", "update"),
    "delete_episode": ("episodes", "delete"),
    "episode_history": ("episodes", "history"),
    "add_fact": ("facts", "add"),
    "get_fact": ("facts", "show"),
    "list_facts": ("facts", "list"),
    "update_fact": ("facts", "update"),
    "delete_fact": ("facts", "delete"),
    "fact_history": ("facts", "history"),
    "search_cards": ("memory", "search"),
    "find_clarifications": ("memory", "clarifications"),
    "find_rules": ("memory", "rules"),
    "find_solved_questions": ("memory", "solved-search"),
    "get_card": ("memory", "show"),
    "list_cards": ("memory", "list"),
    "create_card": ("memory", "create"),
    "update_card": ("memory", "update"),
    "delete_card": ("memory", "delete"),
    "card_history": ("memory", "history"),
    "compare_card": ("memory", "compare"),
    "restore_card": ("memory", "restore"),
    "list_similar_cards": ("memory", "similar"),
    "merge_cards": ("memory", "merge"),
    "undo_merge": ("memory", "undo-merge"),
    "list_merges": ("memory", "merges"),
    "list_pending_cards": ("memory", "pending"),
    "retry_card": ("memory", "retry"),
    "list_pending": ("pending", "list"),
    "retry_pending": ("pending", "retry"),
    "rebuild_index": ("index",),
    "verify_index": ("verify",),
    "status": ("status",),
    "diagnose": ("doctor",),
    "list_workspaces": ("workspaces", "list"),
    "create_workspace": ("workspaces", "create"),
}
"""The command that does each operation of the one table."""

RULE = ("--family", "sql_rule", "--content", "Something about it that stands here.")


def test_every_operation_has_a_command() -> None:
    assert set(COMMAND_OF) == set(BY_NAME)


def test_the_version(process: Any) -> None:
    answer = process("--version")
    assert (answer.code, answer.out, answer.err) == (0, "ricordo 0.1.0\n", "")
    assert process("--json", "--version").out == "ricordo 0.1.0\n"


def test_each_command_in_a_process_of_its_own(process: Any, ok: Any, tmp_path: Path) -> None:
    """All at once on one archive, as a person, an agent and a server may do it."""
    facts = [ok("remember", f"Fact number {number}.")["id"] for number in range(4)]
    turns = [ok("episodes", "add", "s1", f"Turn {number}.")["id"] for number in range(4)]
    ok("sessions", "create", "s2")
    ok("sessions", "create", "s3")
    titles = ("Churn", "Margin", "Refunds", "Stock", "Tax", "Vouchers", "Weights")
    cards = [ok("memory", "create", *RULE, "--title", title)["id"] for title in titles]
    seen = ("--kept-revision", "1", "--merged-revision", "1", "--yes")
    merge = ok("memory", "merge", cards[0], cards[1], *seen)["merge"]["id"]
    (tmp_path / "talk.txt").write_text("Ada: Did you find the key?\nMarco: In the drawer.\n")
    many = b'[{"user_message": "One."}, {"user_message": "Two."}]'
    expected: list[tuple[tuple[str, ...], Any]] = [
        (("remember", "-", "--domain", "ops"), lambda got: got["outcome"] == "saved_and_searchable"),
        (("recall", "Which fact is number 2?"), lambda got: got["hits"][0]["id"] == facts[2]),
        (("facts", "add", "Lunch is at noon."), lambda got: got["created"]),
        (("facts", "show", facts[1]), lambda got: got["content"] == "Fact number 1."),
        (("facts", "list"), lambda got: got["total"] >= 3),
        (("facts", "update", facts[1], "--topic", "numbers"), lambda got: got["revision"] == 2),
        (("facts", "history", facts[2]), lambda got: got["total"] == 1),
        (("facts", "delete", facts[3], "--yes"), lambda got: got["removed"] == {"fact": 1}),
        (("sessions", "create", "s4"), lambda got: got["kind"] == "session"),
        (("sessions", "show", "s1"), lambda got: got["external_id"] == "s1"),
        (("sessions", "list"), lambda got: got["total"] >= 2),
        (("sessions", "update", "s2", "--project", "web"), lambda got: got["revision"] == 2),
        (("sessions", "history", "s1"), lambda got: got["total"] >= 1),
        (("sessions", "delete", "s3", "--yes"), lambda got: got["removed"]["session"] == 1),
        (("episodes", "add", "s5", "--data", "-"), lambda got: len(got["receipts"]) == 2),
        (("episodes", "show", turns[0]), lambda got: got["user_message"] == "Turn 0."),
        (("episodes", "list", "--session", "s1"), lambda got: got["total"] >= 3),
        (("episodes", "update", turns[1], "--user", "Other."), lambda got: got["revision"] == 2),
        (("episodes", "history", turns[2]), lambda got: got["total"] == 1),
        (("episodes", "delete", turns[3], "--yes"), lambda got: got["removed"] == {"episode": 1}),
        (("memory", "list"), lambda got: got["total"] >= 4),
        (("memory", "show", cards[2]), lambda got: got["title"] == "Refunds"),
        (("memory", "create", *RULE, "--title", "Yield"), lambda got: got["created"]),
        (("memory", "update", cards[3], "--revision", "1", "--scope", "x"), lambda got: got["revision"] == 2),
        (("memory", "delete", cards[4], "--yes"), lambda got: got["removed"] == {"card": 1}),
        (("memory", "history", cards[2]), lambda got: got["total"] >= 1),
        (("memory", "compare", cards[2], "1", "1"), lambda got: got["differences"] == []),
        (("memory", "restore", cards[2], "1"), lambda got: got["revision"] == 2),
        (("memory", "search", "refunds"), lambda got: got["hits"][0]["id"] == cards[2]),
        (("memory", "solved-search", "refunds"), lambda got: got["hits"] == []),
        (("memory", "rules", "refunds"), lambda got: got["hits"][0]["id"] == cards[2]),
        (("memory", "clarifications", "refunds"), lambda got: got["hits"] == []),
        (("memory", "similar", cards[2]), lambda got: "items" in got),
        (("memory", "merge", cards[5], cards[6], *seen), lambda got: got["receipt"]["revision"] == 2),
        (("memory", "undo-merge", merge), lambda got: len(got["receipts"]) == 2),
        (("memory", "merges"), lambda got: got["total"] >= 1),
        (("memory", "pending"), lambda got: "items" in got),
        (("memory", "retry", cards[2]), lambda got: got["id"] == cards[2]),
        (("memory", "index"), lambda got: got["checked"] >= 6),
        (("memory", "export", "cards.jsonl"), lambda got: got["cards"] >= 4),
        (("memory", "import", "-", "--no-vectors"), lambda got: got["broken"] == 1),
        (("import", "chat", "talk.txt"), lambda got: got["episodes_added"] == 2),
        (("pending",), lambda got: "page" in got),
        (("pending", "retry"), lambda got: "woken" in got),
        (("pending", "drain"), lambda got: got["stopped"] is False),
        (("index",), lambda got: got["checked"] >= 6),
        (("verify",), lambda got: got["checked"] >= 6),
        (("doctor",), lambda got: "checks" in got),
        (("status",), lambda got: got["records"]["fact"] >= 3),
        (("workspaces", "create", "squadra", "--language", "it"), lambda got: got["language"] == "it"),
        (("workspaces", "list"), lambda got: got["items"][0]["name"] == "default"),
    ]
    assert set(COMMAND_OF.values()) <= {arguments[:size] for arguments, _ in expected for size in (1, 2)} | {
        ("pending", "list")
    }
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda item: process(*item[0], stdin=many), expected))
    for (arguments, right), answer in zip(expected, answers, strict=True):
        # Other commands were writing meanwhile, which these two may notice.
        assert answer.code == 0 or arguments[0] in ("verify", "doctor"), (arguments, answer.err)
        assert answer.out.count("\n") == 1, "one line of JSON"
        assert right(answer.json), (arguments, answer.out)
    assert process("verify").json["clean"] is True
    assert process("doctor").json["healthy"] is True


def test_init(nothing_yet: None, process: Any, tmp_path: Path) -> None:
    answer = process("init")
    assert answer.code == 0
    assert Path(answer.json["config"]) == tmp_path / "ricordo.yaml"
    assert Path(answer.json["path"]).stat().st_mode & 0o777 == 0o600


def test_demo(process: Any) -> None:
    answer = process("demo")
    assert answer.code == 0, answer.err
    assert "http://127.0.0.1:8765" in answer.out
    snippet = json.loads(answer.out[answer.out.index("{\n") :])
    command = snippet["mcpServers"]["ricordo"]
    assert Path(command["command"]).is_absolute()
    assert command["args"] == ["mcp"]


@pytest.mark.parametrize(
    "arguments", [("bogus",), ("recall",), ("recall", "x", "--top", "many"), ("--bogus",)]
)
def test_wrong_usage(arguments: tuple[str, ...], process: Any) -> None:
    answer = process(*arguments)
    assert answer.code == 2
    assert answer.out == ""
    assert "Usage: ricordo" in answer.err


def test_the_module_runs_too(surroundings: dict[str, str]) -> None:
    done = run([sys.executable, "-m", "ricordo.surfaces.cli", "status"], env=surroundings)
    assert json.loads(done.stdout)["workspace"] == "default"
