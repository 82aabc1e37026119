"""The server as a process, line by line: the handshake, stdout, bad input, its end."""

from __future__ import annotations

import json
import math
import os
import signal
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from ricordo.memory import Memory

Start = Callable[..., AbstractContextManager[Any]]

HANDSHAKE_S = 1.0

INITIALIZE = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "1"},
}

BAD_LINES = [
    (b"garbage", -32700),
    (b"[]", -32600),
    (b"{}", -32600),
    (b'{"jsonrpc":"2.0","id":true,"method":"ping"}', -32600),
    (b'{"jsonrpc":"2.0","id":70,"method":"tools/list","params":[]}', -32600),
    (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":NaN}}', -32700),
    (b'{"a":' * 100_000, -32700),
]

IN_CP1252 = (
    b'{"jsonrpc":"2.0","id":"a","method":"tools/call",'
    b'"params":{"name":"remember","arguments":{"content":"perch\xe9"}}}'
)


def test_handshake_does_not_wait_for_the_archive(tmp_path: Path, start: Start) -> None:
    with Memory.open(tmp_path / "memory.db", embedder="none", durability="process") as memory:
        for part in range(2):
            memory.facts.add_many([{"content": f"Fact {part * 10_000 + number}"} for number in range(10_000)])
    begun = time.perf_counter()
    with start() as server:
        server.initialize()
        assert min(time.perf_counter() - begun, processor_s(server.process.pid)) < HANDSHAKE_S
        answer = server.call("recall", question="Fact 10077", top=3)["structuredContent"]
        assert answer["hits"][0]["text"] == "Fact 10077"
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(60) == 0


def processor_s(pid: int) -> float:
    """Seconds of the processor that a process has had: what counts where others keep it busy."""
    stat = Path(f"/proc/{pid}/stat")
    if not stat.exists():
        return math.inf
    user, system = stat.read_text().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def test_a_client_that_does_everything_wrong(start: Start) -> None:
    with start() as server:
        assert "error" in server.ask("tools/list")
        assert "error" in server.ask("tools/call", {"name": "recall", "arguments": {"question": "x"}})
        assert server.ask("ping")["result"] == {}
        unknown = {**INITIALIZE, "protocolVersion": "1999-01-01"}
        assert server.ask("initialize", unknown)["result"]["protocolVersion"] == "2025-11-25"
        for line, code in BAD_LINES:
            server.send(line)
            assert server.receive()["error"]["code"] == code
        server.send(b"")
        server.send(b'{"jsonrpc":"2.0","method":"notifications/unknown"}')
        server.send(IN_CP1252)
        assert server.receive()["result"]["isError"] is False
        half = server.call("remember", content="half \ud83d a sign")["structuredContent"]
        assert (
            server.call("get_fact", fact_id=half["id"])["structuredContent"]["content"]
            == "half \ufffd a sign"
        )
        not_an_object = server.ask("tools/call", {"name": "recall", "arguments": "x"})
        assert not_an_object["error"]["code"] == -32602
        assert server.call("recall", question="x")["isError"] is False


def test_what_is_sent_at_once_is_answered_and_saved(start: Start) -> None:
    with start() as server:
        requests: list[tuple[str, Any]] = [
            ("initialize", INITIALIZE),
            ("tools/call", {"name": "remember", "arguments": {"content": "Sent early"}}),
            ("tools/list", {}),
        ]
        for number, (method, params) in enumerate(requests):
            server.send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        answers = {answer["id"]: answer["result"] for answer in map(json.loads, server.end().splitlines())}
        assert next(iter(answers)) == 0
        assert set(answers) == {0, 1, 2}
        assert server.process.returncode == 0
        assert server.log.read_text() == ""
    with start() as server:
        server.initialize()
        fact = answers[1]["structuredContent"]["id"]
        assert server.call("get_fact", fact_id=fact)["structuredContent"]["content"] == "Sent early"
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(60) == 0
        assert server.log.read_text() == ""


CHATTY = """
import json, logging, os, subprocess, sys, threading, time
logging.basicConfig(stream=sys.stdout, level=logging.DEBUG)
from ricordo.settings import Settings
from ricordo.surfaces.mcp import serve_stdio

def chatter():
    time.sleep(1)
    subprocess.run(["echo", "stray words of a child"])
    while True:
        print("stray words", flush=True)
        os.write(1, b"stray bytes")
        time.sleep(0.002)

threading.Thread(target=chatter, daemon=True).start()
serve_stdio(Settings.model_validate(json.loads(sys.argv[1])))
"""


def test_stray_output_does_not_reach_the_protocol(start: Start) -> None:
    with start(CHATTY) as server:
        server.initialize()
        server.call("remember", content="Spoken over noise")
        for _ in range(20):
            assert server.call("recall", question="noise")["isError"] is False
            time.sleep(0.01)
        log = server.log.read_bytes()
        assert b"stray words of a child" in log
        assert b"stray bytes" in log


def test_an_archive_that_cannot_be_opened_is_an_error_of_each_call(tmp_path: Path, start: Start) -> None:
    (tmp_path / "memory.db").write_bytes(b"This is no database, whatever its name says. " * 100)
    with start() as server:
        assert "result" in server.initialize()
        assert len(server.ask("tools/list")["result"]["tools"]) > 10
        for _ in range(2):
            result = server.call("recall", question="x")
            assert result["isError"] is True
            assert result["structuredContent"]["error"]["code"] == "archive_corrupt"
            assert "Restore it from a backup" in result["content"][0]["text"]
        (tmp_path / "memory.db").unlink()
        assert server.call("recall", question="x")["isError"] is False
        assert server.process.stdout is not None
        server.process.stdout.close()  # the client has gone, and has left a request behind
        server.send({"jsonrpc": "2.0", "id": 9, "method": "tools/list"})
        assert server.process.wait(60) == 0


def test_two_servers_and_a_program_share_one_file(tmp_path: Path, start: Start) -> None:
    with (
        start() as first,
        start() as second,
        Memory.open(tmp_path / "memory.db", embedder="hashing") as memory,
    ):
        for server in (first, second):
            server.initialize()
        for number in range(10):
            first.call("remember", content=f"first {number}")
            second.call("remember", content=f"second {number}")
            memory.remember(f"third {number}")
        assert first.call("list_facts")["structuredContent"]["total"] == 30
        texts = [
            hit["text"] for hit in second.call("recall", question="third 7")["structuredContent"]["hits"]
        ]
        assert "third 7" in texts


def test_a_call_before_the_handshake_is_told_what_to_do(start: Start) -> None:
    with start() as server:
        for method, params in (
            ("tools/call", {"name": "recall", "arguments": {"question": "x"}}),
            ("tools/list", {}),
            ("resources/read", {"uri": "ricordo://x"}),
        ):
            error = server.ask(method, params)["error"]
            assert error["code"] == -32600
            assert "'initialize' first" in error["message"]
            assert "notifications/initialized" in error["message"]
        assert "result" in server.initialize()
        assert "structuredContent" in server.call("recall", question="x")


def test_deep_nesting_is_answered_and_the_end_is_kept(start: Start) -> None:
    with start() as server:
        server.initialize()
        for depth in (50, 125, 300, 900):
            nested = "[" * depth + "1" + "]" * depth
            for arguments in (
                f'{{"question":"x","filters":{{"concepts":{nested}}}}}',
                f'{{"question":"x","filters":{{"family":{nested}}}}}',
                nested,
            ):
                call = f'{{"name":"search_cards","arguments":{arguments}}}'
                text = f'{{"jsonrpc":"2.0","id":"deep","method":"tools/call","params":{call}}}'
                server.send(text.encode())
                answer = server.receive()
                assert answer["id"] == "deep"
                assert "error" in answer or answer["result"]["isError"]
        began = time.monotonic()
        assert server.end() == b""
        assert time.monotonic() - began < 20
        assert server.process.returncode == 0
