"""Each command once as users run it: the installed program, JSON on a stdout that is no terminal."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

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


def test_every_operation_has_a_command() -> None:
    assert set(COMMAND_OF) == set(BY_NAME)


def test_the_version(process: Any) -> None:
    answer = process("--version")
    assert (answer.code, answer.out, answer.err) == (0, "ricordo 0.1.0\n", "")
    assert process("--json", "--version").out == "ricordo 0.1.0\n"


def test_a_life_of_a_fact_and_of_a_session(process: Any) -> None:
    def ok(*arguments: str, stdin: bytes = b"") -> Any:
        answer = process(*arguments, stdin=stdin)
        assert answer.code == 0, answer.err
        assert answer.out.count("\n") == 1, "one line of JSON"
        return answer.json

    fact = ok("remember", "Deploys happen on Tuesday mornings.", "--domain", "ops")
    assert fact["outcome"] == "saved_and_searchable"
    found = ok("recall", "When do deploys happen?")
    assert [hit["id"] for hit in found["hits"]] == [fact["id"]]
    assert ok("facts", "show", fact["id"])["domain"] == "ops"
    assert ok("facts", "list")["total"] == 1
    assert ok("facts", "update", fact["id"], "--topic", "deploy")["revision"] == 2
    assert ok("facts", "history", fact["id"])["total"] == 2
    other = ok("facts", "add", "Lunch is at noon.")
    assert ok("facts", "delete", other["id"], "--yes")["removed"] == {"fact": 1}

    session = ok("sessions", "create", "standup-1", "--name", "Stand-up")
    episode = ok("episodes", "add", "standup-1", "I will fix the login.", "--speaker", "Ada")
    ok("episodes", "add", "standup-1", "--data", "-", stdin=b'{"user_message": "Thank you."}')
    assert ok("sessions", "show", "standup-1")["id"] == session["id"]
    assert ok("sessions", "list")["items"][0]["episode_count"] == 2
    assert ok("sessions", "update", "standup-1", "--project", "web")["revision"] == 2
    assert ok("sessions", "history", "standup-1")["total"] == 2
    assert ok("episodes", "show", episode["id"])["speaker"] == "Ada"
    assert ok("episodes", "list", "--session", "standup-1")["total"] == 2
    assert ok("episodes", "update", episode["id"], "--user", "I fixed it.")["revision"] == 2
    assert ok("episodes", "history", episode["id"])["total"] == 2
    assert ok("episodes", "delete", episode["id"], "--yes")["removed"] == {"episode": 1}
    assert ok("sessions", "delete", "standup-1", "--yes")["removed"] == {"session": 1, "episode": 1}


def test_upkeep(process: Any) -> None:
    assert process("remember", "One thing.").code == 0
    assert process("pending").json["page"]["items"] == []
    assert process("pending", "retry").json == {"woken": 0}
    assert process("pending", "drain").json == {"embedded": 0, "pending": 0, "stopped": False}
    assert process("index").json["checked"] == 1
    assert process("verify").json["clean"] is True
    assert process("doctor").json["healthy"] is True
    assert process("status").json["records"]["fact"] == 1
    assert process("workspaces", "create", "squadra", "--language", "it").json["language"] == "it"
    assert [item["name"] for item in process("workspaces", "list").json["items"]] == ["default", "squadra"]


def test_init(process: Any, tmp_path: Path) -> None:
    answer = process("init")
    assert answer.code == 0
    assert Path(answer.json["config"]) == tmp_path / "ricordo.yaml"
    assert Path(answer.json["path"]).stat().st_mode & 0o777 == 0o600
    assert process("init").code == 5


def test_import(process: Any, tmp_path: Path) -> None:
    (tmp_path / "talk.txt").write_text("Ada: Did you find the key?\nMarco: In the drawer.\n")
    answer = process("import", "chat", "talk.txt")
    assert answer.code == 0, answer.err
    assert answer.json["episodes_added"] == 2
    assert answer.json["pending"] == 0
    assert process("recall", "Where was the key?").json["hits"]


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
    import subprocess
    import sys

    done = subprocess.run(
        [sys.executable, "-m", "ricordo.surfaces.cli", "status"], capture_output=True, env=surroundings
    )
    assert json.loads(done.stdout)["workspace"] == "default"
