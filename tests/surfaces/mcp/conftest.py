"""A real server over stdio: once with the SDK's own client, once line by line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import pytest
from anyio.from_thread import BlockingPortal, start_blocking_portal
from mcp import Client, StdioServerParameters, stdio_client

from processes import started

WAIT_S = 60

PROGRAM = """
import json, sys
from ricordo.settings import Settings
from ricordo.surfaces.mcp import serve_stdio
serve_stdio(Settings.model_validate(json.loads(sys.argv[1])))
"""

CLIENT = {"name": "test", "version": "1"}
INITIALIZE = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": CLIENT}


def arguments(archive: Path, program: str = PROGRAM, **settings: Any) -> list[str]:
    values = {"path": str(archive), "embedder": "hashing", **settings}
    return ["-c", program, json.dumps(values)]


class Lines:
    """A server process that is spoken to line by line."""

    def __init__(self, process: subprocess.Popen[bytes], log: Path) -> None:
        self.process = process
        self.log = log
        self._last = 0

    def send(self, message: Any) -> None:
        raw = message if isinstance(message, bytes) else json.dumps(message).encode()
        assert self.process.stdin is not None
        self.process.stdin.write(raw + b"\n")
        self.process.stdin.flush()

    def receive(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        message: dict[str, Any] = json.loads(self.process.stdout.readline())
        return message

    def ask(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        self._last += 1
        message = {"jsonrpc": "2.0", "id": self._last, "method": method, "params": params or {}}
        self.send(message)
        answer = self.receive()
        assert answer["id"] == self._last
        return answer

    def initialize(self) -> dict[str, Any]:
        answer = self.ask("initialize", INITIALIZE)
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return answer

    def call(self, name: str, /, **given: Any) -> dict[str, Any]:
        result: dict[str, Any] = self.ask("tools/call", {"name": name, "arguments": given})["result"]
        return result

    def end(self) -> bytes:
        """Close the input; what comes until the server is gone."""
        rest, _ = self.process.communicate(timeout=WAIT_S)
        return rest


@contextmanager
def lines(archive: Path, log: Path, program: str = PROGRAM, **settings: Any) -> Iterator[Lines]:
    command = [sys.executable, *arguments(archive, program, **settings)]
    with log.open("ab") as errors, started(command, stderr=errors) as process:
        yield Lines(process, log)


@pytest.fixture
def start(tmp_path: Path) -> Callable[..., AbstractContextManager[Lines]]:
    """Starts a server process over the test's archive."""

    def begin(program: str = PROGRAM, **settings: Any) -> AbstractContextManager[Lines]:
        return lines(tmp_path / "memory.db", tmp_path / "log", program, **settings)

    return begin


class Session:
    """The SDK's client, from synchronous tests."""

    def __init__(self, portal: BlockingPortal, client: Client) -> None:
        self._portal = portal
        self.client = client

    def run(self, method: str, *given: Any) -> Any:
        return self._portal.call(getattr(self.client, method), *given)

    def call(self, name: str, /, **given: Any) -> Any:
        """What a tool answers, which the client has checked against the tool's schema."""
        result = self.run("call_tool", name, given)
        assert not result.is_error, result.content
        return result.structured_content

    def refused(self, name: str, /, **given: Any) -> Any:
        """The error of a tool call, and the text that a model sees."""
        result = self.run("call_tool", name, given)
        assert result.is_error
        return result.structured_content["error"], result.content[0].text


@contextmanager
def session(archive: Path, *, mode: str = "auto", **settings: Any) -> Iterator[Session]:
    # The SDK hands down a few variables only; the server must be the code that is tested.
    code = {name: os.environ[name] for name in ("PYTHONPATH",) if name in os.environ}
    parameters = StdioServerParameters(command=sys.executable, args=arguments(archive, **settings), env=code)
    with (
        Path(os.devnull).open("w", encoding="utf-8") as errors,
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(Client(stdio_client(parameters, errors), mode=mode)) as client,
    ):
        yield Session(portal, client)


@pytest.fixture(scope="session")
def connect() -> Callable[..., AbstractContextManager[Session]]:
    """Starts a server over an archive, and the SDK's client on it."""
    return session


@pytest.fixture(scope="session")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file behind `shared`."""
    return tmp_path_factory.mktemp("mcp") / "memory.db"


@pytest.fixture(scope="session")
def shared(archive: Path) -> Iterator[Session]:
    """One server and client for all tests that only add to its archive."""
    with session(archive) as opened:
        yield opened


@pytest.fixture
def other_workspace(archive: Path) -> Iterator[Session]:
    """A client of the older protocol, on another workspace of the same archive."""
    with session(archive, mode="legacy", workspace="other") as opened:
        yield opened
