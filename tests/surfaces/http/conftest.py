"""A real server, in a process of its own or in a thread, reached over a real socket."""

from __future__ import annotations

import json
import re
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import httpx
import pytest
import uvicorn

from processes import python, started
from ricordo.memory import Memory
from ricordo.surfaces.http import build_app
from ricordo.surfaces.http.listening import address_of, listen
from ricordo.surfaces.http.serving import Server

START_S = 60

SERVE = """
import json, sys
from ricordo.settings import Settings
from ricordo.surfaces.http import serve
serve(Settings.model_validate(json.loads(sys.argv[1])))
"""


@dataclass
class Served:
    """A server in a process of its own."""

    url: str
    process: subprocess.Popen[bytes]
    log: Path

    def stop(self, signal_number: int) -> int:
        self.process.send_signal(signal_number)
        return self.process.wait(START_S)


@contextmanager
def serving_process(archive: Path, log: Path, **settings: Any) -> Iterator[Served]:
    values = {"path": str(archive), "embedder": "hashing", "port": 0, **settings}
    command = python(SERVE, json.dumps(values))
    with log.open("wb") as out, started(command, stdin=None, stderr=out) as process:
        try:
            yield Served(_address(process, log), process, log)
        finally:
            if process.poll() is None:
                process.terminate()
            process.wait(START_S)


def _address(process: subprocess.Popen[bytes], log: Path) -> str:
    end = time.monotonic() + START_S
    while time.monotonic() < end and process.poll() is None:
        found = re.search(r"listens on (http\S+)", log.read_text())
        if found:
            return found[1]
        time.sleep(0.05)
    raise AssertionError(f"the server did not start: {log.read_text()}")


@contextmanager
def serving_thread(memory: Memory) -> Iterator[str]:
    """The application over an open memory, on uvicorn in a thread."""
    with listen("127.0.0.1", 0) as listener:
        server = Server(uvicorn.Config(build_app(memory), log_config=None, lifespan="off", ws="none"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            while not server.started:
                time.sleep(0.01)
            yield address_of(listener)
        finally:
            server.should_exit = True
            thread.join(START_S)


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """One server for all tests that do not stop it; each takes a workspace of its own."""
    folder = tmp_path_factory.mktemp("served")
    with serving_process(folder / "memory.db", folder / "log") as served:
        yield served


@pytest.fixture(scope="session")
def client(server: Served) -> Iterator[httpx.Client]:
    with web_client(server.url) as session:
        yield session


def web_client(url: str = "") -> httpx.Client:
    """A client for plain HTTP: loading certificates would take longer than most tests."""
    return httpx.Client(base_url=url, timeout=60, verify=False, trust_env=False)


@pytest.fixture(scope="session")
def web() -> Iterator[httpx.Client]:
    """A client for any address."""
    with web_client() as session:
        yield session


_numbers = count(1)


@pytest.fixture
def api(client: httpx.Client) -> Iterator[httpx.Client]:
    """A client below a new workspace."""
    name = f"w{next(_numbers)}"
    assert client.post("/api/workspaces", json={"name": name}).status_code == 200
    with web_client(f"{client.base_url}/api/workspaces/{name}") as session:
        yield session


@pytest.fixture
def in_thread(tmp_path: Path) -> Callable[..., AbstractContextManager[tuple[str, Memory]]]:
    """Opens a memory with other settings and serves it in a thread."""

    @contextmanager
    def start(**options: Any) -> Iterator[tuple[str, Memory]]:
        given = {"embedder": "none", **options}
        with Memory.open(tmp_path / "memory.db", **given) as memory, serving_thread(memory) as url:
            yield url, memory

    return start


@pytest.fixture
def start_process(tmp_path: Path) -> Callable[..., AbstractContextManager[Served]]:
    """Starts a server that a test may stop; the archive stays the same."""

    def start(**settings: Any) -> AbstractContextManager[Served]:
        return serving_process(tmp_path / "memory.db", tmp_path / "log", **settings)

    return start
