"""`import chat`: reports, several files, dry runs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

TALK = "Ada: Did you find the key?\nMarco: In the drawer.\n"
LINES = [
    {"role": "user", "name": "Ada", "content": "Ciao!", "created_at": "2025-03-01T10:00:00"},
    {"role": "assistant", "content": "Hello."},
]


def test_several_files_and_what_was_skipped(ok: Any, shown: Any) -> None:
    Path("talk.txt").write_text(TALK)
    Path("chat.jsonl").write_text("\n".join([*map(json.dumps, LINES), '{"role": "user", "cont']))
    report = ok("import", "chat", "talk.txt", "chat.jsonl", "--project", "web", "--timezone", "Europe/Rome")
    assert (report["episodes_added"], report["sessions"], report["skipped_count"]) == (4, 2, 1)
    assert report["skipped"][0]["file"] == "chat.jsonl"
    assert report["skipped"][0]["place"] == "line 3"
    assert [file["format"] for file in report["files"]] == ["text", "openai"]
    assert (report["embedded"], report["pending"], report["stopped"]) == (4, 0, False)
    assert ok("sessions", "list", "--project", "web")["total"] == 2
    turn = ok("episodes", "list", "--speaker", "Ada", "--session", "chat")["items"][0]
    assert turn["occurred_at"] == "2025-03-01T09:00:00Z"
    again = shown("import", "chat", "talk.txt", "chat.jsonl")
    assert "skipped chat.jsonl, line 3" in again
    assert ok("status")["records"]["episode"] == 4


def test_a_dry_run_changes_nothing(ok: Any, shown: Any) -> None:
    Path("talk.txt").write_text(TALK)
    assert ok("import", "chat", "talk.txt", "--dry-run")["episodes_added"] == 2
    assert "Nothing was written" in shown("import", "chat", "talk.txt", "--dry-run")
    assert ok("status")["records"]["episode"] == 0


def test_vectors_can_be_left_to_later(ok: Any, shown: Any) -> None:
    Path("talk.txt").write_text(TALK)
    assert ok("import", "chat", "talk.txt", "--no-vectors", "--session", "s")["pending"] == 2
    assert "2 records wait for their vectors" in shown(
        "import", "chat", "talk.txt", "--no-vectors", "--session", "s"
    )
    assert ok("pending", "drain")["embedded"] == 2
    assert ok("sessions", "show", "s")["episode_count"] == 2


def test_a_name_that_is_mistyped_stops_before_anything(ok: Any, ricordo: Any) -> None:
    Path("talk.txt").write_text(TALK)
    answer = ricordo("import", "chat", "talk.txt", "tolk.txt")
    assert (answer.code, answer.out) == (3, "")
    assert "tolk.txt" in answer.error["message"]
    assert ok("status")["records"]["episode"] == 0


def test_a_file_that_cannot_be_read_comes_after_the_report(ok: Any, ricordo: Any) -> None:
    Path("talk.txt").write_text(TALK)
    Path("empty.txt").write_text("")
    answer = ricordo("import", "chat", "talk.txt", "empty.txt")
    assert answer.code == 3
    assert answer.json["episodes_added"] == 2
    assert answer.error["code"] == "unreadable_file"
    assert ok("status")["records"]["episode"] == 2


def test_a_format_or_a_zone_that_does_not_exist(ricordo: Any) -> None:
    Path("talk.txt").write_text(TALK)
    assert ricordo("import", "chat", "talk.txt", "--format", "doc").code == 3
    assert ricordo("import", "chat", "talk.txt", "--timezone", "Mars/Olympus").code == 3


def test_without_an_embedder(ok: Any) -> None:
    Path("talk.txt").write_text(TALK)
    report = ok("import", "chat", "talk.txt", "--embedder", "none")
    assert (report["episodes_added"], report["pending"]) == (2, 0)
    assert ok("recall", "key", "--embedder", "none")["hits"]
