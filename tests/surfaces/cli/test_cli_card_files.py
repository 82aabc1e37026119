"""`ricordo memory export` and `import`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

ONE, TWO = (f"mem-00000000-0000-4000-9000-00000000000{number}" for number in (1, 2))
RULE = {"family": "sql_rule", "title": "Soft deletes", "content": "Leave out deleted rows."}
LINES = "".join(
    json.dumps({**RULE, "id": here, "links": [{"target": there, "meaning": "perché"}]}) + "\n"
    for here, there in ((ONE, TWO), (TWO, ONE))
)


def test_out_of_one_archive_and_into_another(ok: Any, ricordo: Any, tmp_path: Path) -> None:
    report = ok("memory", "import", "-", stdin=LINES)
    assert (report["added"], report["embedded"], report["pending"]) == (2, 2, 0)
    assert ok("memory", "export", "cards.jsonl") == {"file": "cards.jsonl", "cards": 2, "stopped": False}
    there = ricordo("memory", "export", "cards.jsonl")
    assert (there.code, there.error["code"]) == (5, "already_exists")
    assert ok("memory", "export", "cards.jsonl", "--force")["cards"] == 2
    assert ok("memory", "import", "cards.jsonl", "--path", "other.db", "--no-vectors")["pending"] == 2
    other = ricordo("memory", "export", "-", "--path", "other.db")
    assert other.out == (tmp_path / "cards.jsonl").read_text(encoding="utf-8")
    assert ok("memory", "show", TWO, "--path", "other.db")["links"][0] == {"target": ONE, "meaning": "perché"}
    assert ok("memory", "import", "cards.jsonl")["known"] == 2


def test_what_is_left_out_is_told(ok: Any, shown: Any) -> None:
    ok("memory", "import", "-", stdin=LINES)
    text = LINES.replace("Leave out", "Hide") + "{\n"
    report = ok("memory", "import", "-", stdin=text)
    assert (report["conflicts"], report["broken"], report["added"], report["replaced"]) == (2, 1, 0, 0)
    assert [item["place"] for item in report["left_out"]] == ["line 3", "line 1", "line 2"]
    told = shown("memory", "import", "-", stdin=text)
    assert f"left out line 1 · {ONE}: it is at revision 1 here and differs in: content" in told
    assert ok("memory", "show", ONE)["content"] == RULE["content"]
    assert ok("memory", "import", "-", "--replace", stdin=text)["replaced"] == 2
    assert ok("memory", "show", ONE)["content"] == "Hide deleted rows."
    assert len(shown("memory", "import", "-", stdin="{\n" * 50).splitlines()) < 40


@pytest.mark.parametrize("words", [("import", "missing.jsonl"), ("import", "."), ("export", "no/such/file")])
def test_files_that_are_none(words: tuple[str, ...], ricordo: Any) -> None:
    answer = ricordo("memory", *words)
    assert (answer.code, answer.error["code"], answer.out) == (3, "unreadable_file", "")


def test_as_users_run_it(process: Any, tmp_path: Path) -> None:
    (tmp_path / "team.yaml").write_text("path: team.db\nembedder: none\nworkspace: team\n")
    team = {"RICORDO_PATH": "", "RICORDO_EMBEDDER": ""}
    done = process("memory", "import", "-", "-c", "team.yaml", stdin=LINES.encode(), **team)
    assert (done.code, done.json["added"]) == (0, 2)
    out = process("memory", "export", "-", "-c", "team.yaml", **team)
    assert [json.loads(line)["id"] for line in out.out.splitlines()] == [ONE, TWO]
    assert "2 cards written" in out.err
