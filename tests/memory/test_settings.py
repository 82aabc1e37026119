"""Settings come from four places, in order, and a wrong one is named."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from ricordo.assembly import build_embedder
from ricordo.embed.hashing import HashingEmbedder
from ricordo.errors import InvalidSettings
from ricordo.memory import Memory, archive_path
from ricordo.settings import EmbedderChoice, Settings, default_path, load_settings

from .opening import open_memory


def _file(tmp_path: Path, text: str) -> Path:
    file = tmp_path / "ricordo.yaml"
    file.write_text(text, encoding="utf-8")
    return file


def test_each_place_wins_over_the_next(tmp_path: Path) -> None:
    file = _file(tmp_path, "workspace: from file\nport: 1\nhost: from.file\n")
    environment = {"RICORDO_WORKSPACE": "from environment", "RICORDO_PORT": "2", "RICORDO_HOST": ""}
    found = load_settings(given={"workspace": "given", "port": None}, file=file, environment=environment)
    assert (found.workspace, found.port, found.host) == ("given", 2, "from.file")
    assert found.durability == "full"
    assert load_settings(environment={}).workspace == "default"


def test_the_process_environment_is_read(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("RICORDO_PATH", str(tmp_path / "here.db"))
    monkeypatch.setenv("RICORDO_EMBEDDER", "none")
    monkeypatch.setenv("RICORDO_LANGUAGE", "it")
    with Memory.open() as memory:
        assert memory.settings.path == tmp_path / "here.db"
        assert str(memory.workspace.language) == "it"
    assert (tmp_path / "here.db").exists()


@pytest.mark.parametrize(
    ("given", "hint"),
    [
        ({"wrkspace": "x"}, "Did you mean 'workspace'"),
        ({"embeder": "none"}, "Did you mean 'embedder'"),
        ({"zzz": 1}, "ricordo init"),
    ],
)
def test_an_unknown_setting_is_named_with_the_nearest(given: dict[str, Any], hint: str) -> None:
    with pytest.raises(InvalidSettings, match=hint) as caught:
        load_settings(given=given, environment={})
    assert caught.value.details["field"] == next(iter(given))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("port", "many"),
        ("port", 70_000),
        ("durability", "some"),
        ("embedder", "gpt"),
        ("language", "fr"),
        ("workspace", ""),
        ("workspace", "x" * 201),
        ("embedder_dimension", 0),
        ("embedder_timeout_s", -1),
        ("path", 7),
    ],
)
def test_a_value_that_cannot_be_used_is_named(name: str, value: object) -> None:
    with pytest.raises(InvalidSettings, match=f"'{name}'") as caught:
        load_settings(given={name: value}, environment={})
    assert caught.value.details["field"] == name
    if isinstance(value, str) and value:
        with pytest.raises(InvalidSettings, match=f"'{name}'"):
            load_settings(environment={f"RICORDO_{name.upper()}": value})


@pytest.mark.parametrize("text", ["- a\n- b\n", "workspace: [", "just words", "workspace: {a: 1}\n", "\t: x"])
def test_a_file_that_is_none_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(InvalidSettings):
        load_settings(file=_file(tmp_path, text), environment={})


def test_a_file_may_be_empty_but_not_missing(tmp_path: Path) -> None:
    assert load_settings(file=_file(tmp_path, "# nothing\n"), environment={}).workspace == "default"
    with pytest.raises(InvalidSettings, match="cannot be read"):
        load_settings(file=tmp_path / "missing.yaml", environment={})
    (tmp_path / "latin.yaml").write_bytes(b"workspace: perch\xe9\n")
    with pytest.raises(InvalidSettings, match="cannot be read"):
        load_settings(file=tmp_path / "latin.yaml", environment={})


def test_a_file_builds_no_objects(tmp_path: Path) -> None:
    file = _file(tmp_path, f"workspace: !!python/object/apply:os.system ['touch {tmp_path}/made']\n")
    with pytest.raises(InvalidSettings):
        load_settings(file=file, environment={})
    assert not (tmp_path / "made").exists()


def test_every_setting_is_documented_and_frozen() -> None:
    for name, field in Settings.model_fields.items():
        assert field.description, name
        assert field.description.endswith("."), name
    settings = Settings()
    with pytest.raises(ValidationError):
        settings.workspace = "other"  # type: ignore[misc]
    assert settings.path == default_path()
    assert default_path().name == "memory.db"


def test_settings_that_are_handed_in_hide_the_environment(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RICORDO_WORKSPACE", "from environment")
    settings = Settings(path=path, embedder=EmbedderChoice.NONE, workspace="mine")
    with Memory.open(settings=settings) as memory:
        assert memory.workspace.name == "mine"
    with Memory.open(settings=settings, workspace="given") as memory:
        assert memory.workspace.name == "given"
        assert memory.settings.path == path


@pytest.mark.parametrize("text", ["sqlite:///{}", "{}"])
def test_an_archive_is_named_by_path_or_address(path: Path, text: str) -> None:
    with open_memory(text.format(path), embedder="none") as memory:  # type: ignore[arg-type]
        assert memory.doctor.status().location == str(path)


@pytest.mark.parametrize("text", ["postgresql://host/db", "https://host", "", "a\x00b", "sqlite:///"])
def test_what_names_no_archive_is_refused(text: str) -> None:
    with pytest.raises(InvalidSettings):
        archive_path(text)
    with pytest.raises(InvalidSettings):
        Memory.open(text, embedder="none")


def test_a_home_folder_is_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    open_memory(Path("~/mine.db"), embedder="none").close()
    assert (tmp_path / "mine.db").exists()


def test_embedders_by_name() -> None:
    assert build_embedder(Settings(embedder=EmbedderChoice.NONE)) is None
    made = build_embedder(
        Settings(embedder=EmbedderChoice.HASHING, embedder_dimension=32, embedder_model="m")
    )
    assert isinstance(made, HashingEmbedder)
    assert (made.dimension, made.model) == (32, "m")
    with pytest.raises(InvalidSettings, match="RICORDO_EMBEDDER_URL"):
        build_embedder(Settings(embedder=EmbedderChoice.HTTP))


def test_a_key_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    settings = Settings(
        embedder=EmbedderChoice.HTTP,
        embedder_url="http://localhost:1/v1",
        embedder_model="m",
        embedder_key_file=tmp_path / "missing",
    )
    with pytest.raises(InvalidSettings, match="missing"):
        build_embedder(settings)


def test_a_language_belongs_to_the_workspace(path: Path) -> None:
    with open_memory(path, embedder="none", workspace="casa", language="it") as memory:
        assert str(memory.workspace.language) == "it"
    with open_memory(path, embedder="none", workspace="casa", language="en") as memory:
        assert str(memory.workspace.language) == "it"
    with pytest.raises(InvalidSettings):
        open_memory(path, embedder="none", language="xx")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("embedder_url", "https://ada:hunter2@example.org/v1"),
        ("embedder_url", "https://hunter2@example.org/v1"),
        ("embedder_url", "https://example.org/v1?model=a&api_key=hunter2"),
        ("embedder_url", "https://example.org/v1?token=hunter2"),
        ("path", "postgresql://ada:hunter2@db/memory"),
        ("embedder_key_file", "sk-hunter2hunter2hunter2"),
        ("embedder_key_file", "Bearer hunter2hunter2"),
        ("embedder_model", "ghp_hunter2hunter2hunter2"),
        ("embedder_model", "hf_hunter2hunter2hunter2"),
        ("embedder_question_prefix", "-----BEGIN RSA PRIVATE KEY----- hunter2"),
        ("database", "eyJhunter2hunter2.eyJhunter2hunter2.hunter2"),
        ("embedder_key", "hunter2"),
        ("api_key", "hunter2"),
        ("api-key", "hunter2"),
        ("password", "hunter2"),
        ("OPENAI_API_KEY", "hunter2"),
        ("token", "{a: hunter2}"),
        ("embedder_url", "[https://ada:hunter2@example.org]"),
    ],
)
def test_a_file_holds_no_credentials(tmp_path: Path, name: str, value: str) -> None:
    quoted = value if value[0] in "[{" else f"'{value}'"
    with pytest.raises(InvalidSettings, match="embedder_key_file") as caught:
        load_settings(file=_file(tmp_path, f"{name}: {quoted}\n"), environment={})
    assert caught.value.details["field"] == name
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("embedder_url", "http://localhost:11434/v1"),
        ("embedder_url", "https://example.org/v1?model=key"),
        ("embedder_key_file", "/run/secrets/openai-key"),
        ("embedder_key_file", "~/.config/ricordo/token"),
        ("embedder_model", "intfloat/multilingual-e5-small"),
        ("path", "/home/ada@example.org/memory.db"),
        ("workspace", "tokens and keys"),
        ("database", "auth"),
        ("embedder_passage_prefix", "passage: "),
    ],
)
def test_what_is_no_credential_is_taken(tmp_path: Path, name: str, value: str) -> None:
    found = load_settings(file=_file(tmp_path, f"{name}: '{value}'\n"), environment={})
    assert str(getattr(found, name)) == value


def test_a_broken_file_is_not_repeated(tmp_path: Path) -> None:
    with pytest.raises(InvalidSettings, match="line 3") as caught:
        load_settings(file=_file(tmp_path, "workspace: a\nembedder_key: 'hunter2\n"), environment={})
    assert "hunter2" not in str(caught.value)


def test_a_binding_names_its_database_first(tmp_path: Path) -> None:
    found = load_settings(file=_file(tmp_path, "database: shop\ndatabase_schema: main\n"), environment={})
    assert (found.bound_place.database, found.bound_place.schema) == ("shop", "main")
    with pytest.raises(InvalidSettings, match="'database_schema' needs 'database'"):
        load_settings(file=_file(tmp_path, "database_schema: main\n"), environment={})
