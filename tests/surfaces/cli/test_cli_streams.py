"""What goes in and out: encodings, terminals, pipes that break, Ctrl-C."""

from __future__ import annotations

import json
import os
import pty
import select
import signal
import sqlite3
import subprocess
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from processes import PROGRAM, run, started
from ricordo.surfaces.cli.input import decoded, typed
from ricordo.surfaces.cli.output import visible, visible_line


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ("perché".encode(), "perché"),
        ("perché".encode("cp1252"), "perché"),
        ("€ “quoted”".encode("cp1252"), "€ “quoted”"),
        (b"\xef\xbb\xbfperch\xc3\xa9", "perché"),
        ("perché 東京".encode("utf-16"), "perché 東京"),
        (b"\x81\x8d", "\ufffd\ufffd"),
        (b"", ""),
    ],
)
def test_bytes_become_text(raw: bytes, text: str) -> None:
    assert decoded(raw) == text


def test_stdin_in_cp1252(ok: Any) -> None:
    fact = ok("remember", "-", stdin="Perché la città è così\r\n".encode("cp1252"))["id"]
    assert ok("facts", "show", fact)["content"] == "Perché la città è così"
    assert ok("recall", "-", stdin="citta".encode("cp1252"))["hits"][0]["id"] == fact
    data = '{"user_message": "già"}'.encode("cp1252")
    turn = ok("episodes", "add", "s", "--data", "-", stdin=data)["id"]
    assert ok("episodes", "show", turn)["user_message"] == "già"


def test_an_argument_in_cp1252(ok: Any, surroundings: dict[str, str]) -> None:
    command = [PROGRAM.encode(), b"remember", "perché no".encode("cp1252")]
    done = run(command, env={**surroundings, "LC_ALL": "C.utf8"})
    fact = json.loads(done.stdout)["id"]
    assert ok("facts", "show", fact)["content"] == "perché no"


def test_a_lone_surrogate_is_no_failure(ok: Any) -> None:
    assert typed("a\ud800b") == "a\ud800b"
    assert ok("recall", "a\ud800b")["question"] == "a\ufffdb"


@pytest.mark.parametrize(
    ("encoding", "shape"), [("ascii", "--json"), ("ascii", "--no-json"), ("latin-1", "--no-json")]
)
def test_a_stdout_of_any_encoding(encoding: str, shape: str, ok: Any, surroundings: dict[str, str]) -> None:
    fact = ok("remember", "東京 – città")["id"]
    variables = {**surroundings, "PYTHONIOENCODING": encoding}
    done = run([PROGRAM, "facts", "show", fact, shape], env=variables)
    assert done.returncode == 0, done.stderr
    if shape == "--json":
        assert json.loads(done.stdout)["content"] == "東京 – città", "JSON is UTF-8 wherever it goes"
    else:
        assert fact in done.stdout.decode(encoding)


def test_nobody_reads_stdout_any_more(ok: Any, surroundings: dict[str, str]) -> None:
    rows = [{"content": f"fact {number} " + "x" * 2000} for number in range(200)]
    ok("facts", "add", "--data", "-", "--defer", stdin=json.dumps(rows))
    for shape in ("--json", "--no-json"):
        command = f"{PROGRAM} facts list --limit 1000 {shape} | head -c 10; exit ${{PIPESTATUS[0]}}"
        done = run(["bash", "-c", command], env=surroundings)
        assert done.returncode == 141
        assert done.stderr == b""


@pytest.mark.parametrize(
    ("command", "unbuffered"),
    [("--version", ""), ("--version", "1"), ("--help", ""), ("status", "1"), ("status --no-json", "")],
)
def test_a_full_disk_behind_stdout(command: str, unbuffered: str, surroundings: dict[str, str]) -> None:
    variables = {**surroundings, "PYTHONUNBUFFERED": unbuffered}
    done = run(["bash", "-c", f"{PROGRAM} -q {command} >/dev/full"], env=variables)
    assert done.returncode == 1
    assert done.stderr == b"ricordo: the answer could not be written (No space left on device).\n"


def test_control_signs_are_shown_and_not_obeyed() -> None:
    assert visible("a\x1b[31mred\x07\x00\x7f\x9b") == "a␛[31mred␇␀␡\ufffd"
    assert visible("one\r\ntwo\tthree") == "one\ntwo\tthree"
    assert visible_line("one\r\ntwo\tthree  four") == "one two three four"
    for (
        sign
    ) in "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c\u200b\ufeff\u2028\u00ad":
        assert visible(f"pay{sign}load") == f"pay\\u{ord(sign):04x}load"
    assert visible("\U000e0041") == "\\U000e0041"
    for text in ("città 東京 ★ 🎉", "👩\u200d🚀 می\u200cخواهم", "ten\u00a0km ten\u2009km", "\U0001faf9 new"):
        assert visible(text) == text


MARKUP = "[bold]b[/bold] [/] [red] :smile: [link=http://x]y[/link] \\[ 12 'q' http://z/[a]"


def test_users_texts_are_no_markup(ok: Any, shown: Any, ricordo: Any) -> None:
    fact = ok("remember", MARKUP, "--domain", "[red]d", "--tag", "[/]")["id"]
    turn = ok("episodes", "add", "[s]", MARKUP, "--speaker", "[blue]Ada")["id"]
    ok("sessions", "update", "[s]", "--name", MARKUP, "--reason", "[why]")
    ok("facts", "update", fact, "--topic", "[t]", "--reason", "[/why]")
    os.environ["COLUMNS"] = "300"
    for words in (
        ("facts", "list"),
        ("facts", "show", fact),
        ("facts", "history", fact),
        ("episodes", "list"),
        ("episodes", "show", turn),
        ("sessions", "list"),
        ("sessions", "show", "[s]"),
        ("sessions", "history", "[s]"),
        ("recall", "link", "--explain", "--neighbours", "1"),
    ):
        assert MARKUP in shown(*words), words
    assert "[red]no[/red]" in ricordo("--no-json", "sessions", "show", "[red]no[/red]").err


def test_a_stored_escape_sequence_does_nothing(ok: Any, shown: Any) -> None:
    fact = ok("remember", "before\x1b]0;owned\x07after\u202egnp", "--domain", "d\x1b[2J\u2066")["id"]
    for words in (
        ("facts", "list"),
        ("facts", "show", fact),
        ("recall", "before"),
        ("facts", "history", fact),
    ):
        assert not set(shown(*words)) & set("\x1b\u202e\u2066")
        assert "\x07" not in shown(*words)


class Terminal:
    """A command at a terminal: stdin, stdout and stderr are one."""

    def __init__(self, surroundings: dict[str, str], *arguments: str) -> None:
        self._master, slave = pty.openpty()
        self.process = subprocess.Popen(
            [PROGRAM, *arguments],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env={**surroundings, "TERM": "xterm"},
        )
        os.close(slave)

    def read_until(self, text: str, timeout_s: float = 30) -> str:
        seen = ""
        end = time.monotonic() + timeout_s
        while text not in seen and time.monotonic() < end:
            if select.select([self._master], [], [], 0.2)[0]:
                try:
                    seen += os.read(self._master, 65536).decode()
                except OSError:
                    break
            elif self.process.poll() is not None:
                break
        assert text in seen, seen
        return seen

    def type(self, text: str) -> None:
        os.write(self._master, text.encode())

    def end(self) -> int:
        code = self.process.wait(30)
        os.close(self._master)
        return code


def test_at_a_terminal_people_see_tables_and_are_asked(ok: Any, surroundings: dict[str, str]) -> None:
    fact = ok("remember", "Stay [bold]here[/bold].")["id"]
    terminal = Terminal(surroundings, "facts", "list")
    assert "Stay [bold]here[/bold]." in terminal.read_until("1 of 1")
    assert terminal.end() == 0

    terminal = Terminal(surroundings, "facts", "delete", fact)
    assert "Stay [bold]here[/bold]." in terminal.read_until("[y/N]")
    terminal.type("n\n")
    assert terminal.end() == 1
    assert ok("facts", "list")["total"] == 1

    terminal = Terminal(surroundings, "facts", "delete", fact)
    terminal.read_until("[y/N]")
    terminal.type("y\n")
    terminal.read_until("deleted: 1 fact")
    assert terminal.end() == 0
    assert ok("facts", "list")["total"] == 0


def test_at_a_terminal_an_error_is_one_line(surroundings: dict[str, str]) -> None:
    terminal = Terminal(surroundings, "sessions", "show", "nobody")
    assert '{"error"' not in terminal.read_until("List them: ricordo sessions list")
    assert terminal.end() == 4


def stored_episodes() -> int:
    with closing(sqlite3.connect("memory.db")) as connection:
        return int(connection.execute("SELECT count(*) FROM episodes").fetchone()[0])


def test_ctrl_c_keeps_what_was_imported(ok: Any, surroundings: dict[str, str]) -> None:
    count = 15_000
    lines = (f"Ada: line {number} of a long talk" for number in range(count))
    Path("long.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    ok("status")
    with started([PROGRAM, "import", "chat", "long.txt"], env=surroundings) as running:
        while running.poll() is None and stored_episodes() == 0:
            time.sleep(0.02)
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=60)
    assert running.returncode == 130, err
    report = json.loads(out)
    assert report["stopped"] is True
    assert 0 < report["episodes_added"] < count
    assert stored_episodes() == report["episodes_added"]
    again = ok("import", "chat", "long.txt", "--no-vectors")
    assert again["episodes_added"] == count - report["episodes_added"]
    assert again["pending"] > 0


def test_ctrl_c_ends_what_waits(surroundings: dict[str, str]) -> None:
    with started([PROGRAM, "remember", "-"], env=surroundings) as running:
        time.sleep(1.5)
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=30)
    assert running.returncode == 130
    assert out == b""
    assert b"Traceback" not in err
