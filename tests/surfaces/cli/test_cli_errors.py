"""Errors: one line or one JSON object on stderr, an exit code from the one table, nothing on stdout."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import pytest
import typer

from ricordo import errors
from ricordo.errors import RicordoError
from ricordo.surfaces.cli.invocation import Call, failures
from ricordo.surfaces.cli.shared_options import GlobalOptions
from ricordo.surfaces.errors import TABLE

KINDS = sorted(TABLE, key=lambda kind: kind.__name__)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_error_has_its_exit_code(kind: type[RicordoError], capsys: pytest.CaptureFixture[str]) -> None:
    call = Call(GlobalOptions(json=True))
    with pytest.raises(typer.Exit) as end, failures(call.screen):
        raise kind("It broke.", cure="Mend it.", where="here")
    assert end.value.exit_code == TABLE[kind].exit_code
    written = capsys.readouterr()
    assert written.out == ""
    assert f'"code": "{kind.code}"' in written.err
    assert '"cure": "Mend it."' in written.err


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_for_people_an_error_is_one_line(
    kind: type[RicordoError], capsys: pytest.CaptureFixture[str]
) -> None:
    call = Call(GlobalOptions(json=False))
    with pytest.raises(typer.Exit), failures(call.screen):
        raise kind("It\nbroke [red]here[/red] \x1b[31m.", cure="Mend it.")
    assert capsys.readouterr().err == "ricordo: It broke [red]here[/red] ␛[31m. Mend it.\n"


CASES: list[tuple[tuple[str, ...], int, str]] = [
    (("sessions", "show", "nobody"), 4, "not_found"),
    (("episodes", "show", "episode-0"), 4, "not_found"),
    (("facts", "show", "fact-0"), 4, "not_found"),
    (("facts", "history", "fact-0"), 4, "not_found"),
    (("facts", "delete", "fact-0", "--yes"), 4, "not_found"),
    (("recall", "x", "--session", "nobody"), 4, "not_found"),
    (("recall", "x", "--workspace", "nowhere"), 4, "workspace_not_found"),
    (("pending", "retry", "99"), 4, "not_found"),
    (("recall", "x", "--top", "0"), 3, "invalid_input"),
    (("recall", "x", "--top", "101"), 3, "invalid_input"),
    (("recall", "x", "--neighbours", "11"), 3, "invalid_input"),
    (("recall", "x", "--kind", "song"), 3, "invalid_input"),
    (("recall", "x", "--since", "2025-02-30"), 3, "invalid_input"),
    (("recall", "x", "--since", "2025-03-02", "--until", "2025-03-01"), 3, "invalid_input"),
    (("recall", "x", "--as-of", "yesterday"), 3, "invalid_input"),
    (("remember", ""), 3, "invalid_input"),
    (("remember", "x", "--type", "song"), 3, "invalid_input"),
    (("remember", "x", "--veracity", "maybe"), 3, "invalid_input"),
    (("remember", "x", "--confidence", "1.5"), 3, "invalid_input"),
    (("remember", "x", "--valid-from", "2025-03-02", "--valid-until", "2025-03-01"), 3, "invalid_input"),
    (("facts", "list", "--limit", "0"), 3, "invalid_input"),
    (("facts", "list", "--cursor", "made-up"), 3, "invalid_cursor"),
    (("facts", "add"), 3, "invalid_input"),
    (("facts", "add", "x", "--data", "y"), 3, "invalid_input"),
    (("facts", "add", "--data", "missing.json"), 3, "unreadable_file"),
    (("facts", "update", "fact-0"), 3, "invalid_input"),
    (("episodes", "add", "s"), 3, "invalid_input"),
    (("episodes", "add", "s", "x", "--user", "y"), 3, "invalid_input"),
    (("episodes", "add", "s", "x", "--metadata", "[1]"), 3, "invalid_input"),
    (("episodes", "add", "s", "x", "--metadata", "{"), 3, "invalid_input"),
    (("episodes", "add", "s", "x", "--user-tokens", "-1"), 3, "invalid_input"),
    (("import", "chat", "missing.txt"), 3, "unreadable_file"),
    (("status", "--embedder", "magic"), 3, "invalid_settings"),
    (("status", "--language", "fr"), 3, "invalid_settings"),
    (("status", "--embedder", "http"), 3, "invalid_settings"),
    (("status", "-c", "missing.yaml"), 3, "invalid_settings"),
    (("status", "--path", "/proc/nowhere/memory.db"), 7, "archive_unavailable"),
    (("status", "--path", "memory.db/in-a-file.db"), 7, "archive_unavailable"),
    (("serve", "--port", "70000"), 3, "invalid_settings"),
]


@pytest.mark.parametrize(("arguments", "code", "name"), CASES, ids=lambda part: str(part)[:60])
def test_what_cannot_be_done(arguments: tuple[str, ...], code: int, name: str, ricordo: Any) -> None:
    answer = ricordo(*arguments)
    assert answer.out == ""
    assert (answer.code, answer.error["code"]) == (code, name), answer.err
    assert answer.error["message"]
    people = ricordo("--no-json", *arguments)
    assert people.code == code
    assert people.err.splitlines()[-1].startswith("ricordo: ")


def test_an_unknown_field_is_named(ricordo: Any) -> None:
    answer = ricordo("facts", "add", "--data", "-", stdin='{"content": "x", "colour": "red"}')
    assert answer.error["code"] == "unknown_field"
    assert "colour" in answer.error["message"]
    answer = ricordo("sessions", "create", "s")
    answer = ricordo("sessions", "update", "s", "--clear", "colour")
    assert answer.error["code"] == "unknown_field"


def test_a_change_from_an_old_revision_is_refused(ok: Any, ricordo: Any) -> None:
    fact = ok("remember", "One.")["id"]
    ok("facts", "update", fact, "--content", "Two.", "--revision", "1")
    answer = ricordo("facts", "update", fact, "--content", "Three.", "--revision", "1")
    assert (answer.code, answer.error["code"]) == (5, "stale_revision")
    assert answer.error["details"]["revision"] == 2


def test_a_name_that_is_taken_is_refused(ok: Any, ricordo: Any) -> None:
    ok("sessions", "create", "s")
    assert ricordo("sessions", "create", "s").code == 5


def test_a_file_that_is_no_archive(ricordo: Any, tmp_path: Path) -> None:
    (tmp_path / "memory.db").write_bytes(b"no database at all" * 100)
    answer = ricordo("status")
    assert (answer.code, answer.error["code"]) == (7, "archive_corrupt")


def test_a_setting_that_does_not_exist(ricordo: Any, tmp_path: Path) -> None:
    (tmp_path / "ricordo.yaml").write_text("embeder: none\n")
    answer = ricordo("status", "-c", "ricordo.yaml")
    assert "embedder" in answer.error["details"]["cure"]


def test_an_unhealthy_archive(ok: Any, ricordo: Any, tmp_path: Path) -> None:
    ok("remember", "One.")
    with sqlite3.connect(tmp_path / "memory.db") as connection:
        tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type='table'")]
        entries = next(name for name in tables if name.startswith("lexical_") and name.endswith("_fact"))
        connection.execute(f"DELETE FROM {entries}")
    connection.close()
    answer = ricordo("doctor")
    assert answer.code == 1
    assert answer.json["healthy"] is False
    assert "BAD" in ricordo("doctor", "--no-json").out
    unclean = ricordo("verify")
    assert (unclean.code, unclean.json["clean"]) == (1, False)
    mended = ricordo("verify", "--repair")
    assert (mended.code, mended.json["clean"]) == (0, True)
    assert ricordo("doctor").code == 0


def test_a_doctor_is_called_for_an_archive_that_cannot_be_opened(ricordo: Any, tmp_path: Path) -> None:
    (tmp_path / "memory.db").write_bytes(b"no database at all" * 100)
    answer = ricordo("doctor")
    assert answer.code == 1
    assert answer.json["checks"][0]["name"] == "archive"
    assert not answer.json["healthy"]


def test_errors_are_all_reachable_from_the_root_of_the_tree() -> None:
    assert all(issubclass(kind, errors.RicordoError) for kind in TABLE)
