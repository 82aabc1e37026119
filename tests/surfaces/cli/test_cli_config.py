"""`-c CONFIG.yaml`: on every command; language, binding, embedder, archive; no unknown names, no keys."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from .test_cli_help import COMMANDS

SHOP = {
    "family": "sql_rule",
    "title": "Orders of the shop",
    "content": "Use orders.paid_at.",
    "concepts": ["a"],
}


@pytest.fixture
def config(surroundings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Writes a settings file, which alone says where the archive is."""
    monkeypatch.delenv("RICORDO_PATH")
    monkeypatch.delenv("RICORDO_EMBEDDER")

    def write(text: str) -> str:
        (tmp_path / "team.yaml").write_text(f"path: {tmp_path / 'team.db'}\nembedder: hashing\n{text}")
        return "team.yaml"

    return write


@pytest.mark.parametrize("path", [path for path in COMMANDS if path], ids=" ".join)
def test_every_command_takes_it(path: tuple[str, ...]) -> None:
    options = [name for param in COMMANDS[path].params for name in param.opts]
    assert options.count("-c") == 1
    assert "--config" in options


def test_before_and_after_the_command(config: Any, ok: Any) -> None:
    file = config("workspace: squadra\nlanguage: it\n")
    ok("memory", "create", "-c", file, "--data", "-", stdin=json.dumps(SHOP))
    for words in (
        ("-c", file, "memory", "list"),
        ("memory", "-c", file, "list"),
        ("memory", "list", "-c", file),
    ):
        assert ok(*words)["total"] == 1
    status = ok("status", "-c", file)
    assert (status["workspace"], status["language"], status["embedder"]) == ("squadra", "it", "hashing")


def test_filters_cannot_leave_the_bound_place(config: Any, ok: Any, ricordo: Any) -> None:
    file = config("")
    places = ({"database": "shop"}, {"database": "shop", "schema": "main"}, {"database": "bank"})
    for place in places:
        card = {**SHOP, "title": " ".join(place.values()), "dependencies": [place]}
        ok("memory", "create", "-c", file, "--data", "-", "--defer", stdin=json.dumps(card))
    ok("memory", "create", "-c", file, "--data", "-", stdin=json.dumps({**SHOP, "title": "anywhere"}))

    def found(*options: str) -> list[str]:
        answer = ok("memory", "rules", "orders paid_at", "-c", file, *options)
        return sorted(hit["record"]["title"] for hit in answer["hits"])

    assert found() == ["anywhere", "bank", "shop", "shop main"]
    config("database: shop\n")
    assert found() == ["anywhere", "shop", "shop main"]
    config("database: shop\ndatabase_schema: other\n")
    assert found() == ["anywhere", "shop"]
    outside = ricordo("memory", "rules", "orders", "-c", file, "--filters", '{"database": "bank"}')
    assert (outside.code, outside.error["code"]) == (3, "invalid_input")


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("databse: shop", ("'databse'", "Did you mean 'database'?")),
        ("schema: main", ("'schema'",)),
        ("zzz: 1", ("'zzz'", "ricordo init")),
        ("language: fr", ("'language'",)),
        ("database_schema: main", ("'database_schema' needs 'database'",)),
        ("embedder_url: 'https://ada:hunter2@example.org/v1'", ("'embedder_url'", "embedder_key_file")),
        ("embedder_url: 'https://example.org/v1?api_key=hunter2'", ("'embedder_url'", "embedder_key_file")),
        ("embedder_key_file: sk-hunter2hunter2hunter2", ("'embedder_key_file'", "that only you can read")),
        ("api_key: hunter2", ("'api_key'", "embedder_key_file")),
    ],
)
@pytest.mark.parametrize("verb", [("memory", "list"), ("recall", "x"), ("init", "--force")], ids=" ".join)
def test_what_does_not_belong_there(
    line: str, words: tuple[str, ...], verb: tuple[str, ...], config: Any, ricordo: Any, tmp_path: Path
) -> None:
    answer = ricordo(*verb, "-c", config(line + "\n"))
    assert (answer.code, answer.out, answer.error["code"]) == (3, "", "invalid_settings")
    said = answer.error["message"] + answer.error["details"].get("cure", "")
    assert all(word in said for word in words), said
    assert "hunter2" not in answer.err
    assert not (tmp_path / "team.db").exists()


def test_init_writes_no_credentials(ricordo: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("RICORDO_EMBEDDER_URL", "https://ada:hunter2@example.org/v1")
    answer = ricordo("init")
    assert (answer.code, "hunter2" in answer.err) == (3, False)
    assert not (tmp_path / "ricordo.yaml").exists()


def test_init_writes_the_binding(ok: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    text = Path(ok("init")["config"]).read_text(encoding="utf-8")
    assert "\n# database:\n" in text
    assert "\n# database_schema:\n" in text
    monkeypatch.setenv("RICORDO_DATABASE", "shop")
    text = Path(ok("init", "--force")["config"]).read_text(encoding="utf-8")
    assert "\ndatabase: shop\n" in text
