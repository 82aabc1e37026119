"""The server as a process: where it listens, how it stops, what is there after it."""

from __future__ import annotations

import signal
import socket
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from ricordo.embed.hashing import HashingEmbedder
from ricordo.errors import EmbedderUnavailable, InvalidSettings, MissingExtra, UnsafeBinding
from ricordo.memory import Memory
from ricordo.settings import Settings
from ricordo.surfaces.http import build_app, serve
from ricordo.surfaces.http.listening import address_of, listen


def test_stops_cleanly_and_everything_is_there_after(
    web: httpx.Client,
    start_process: Callable[..., AbstractContextManager[Any]],
) -> None:
    address = "/api/workspaces/default"
    with start_process() as served:
        saved = web.post(f"{served.url}{address}/remember", json={"content": "Saved means saved"}, timeout=60)
        late = {"episodes": [{"user_message": f"turn {number}"} for number in range(500)]}
        assert web.post(f"{served.url}{address}/sessions/s/episodes", json=late).status_code == 201
        assert served.stop(signal.SIGTERM) == 0
        assert "everything is saved" in served.log.read_text()
        assert served.process.stdout is not None
        assert served.process.stdout.read() == b""
    with start_process() as served:
        fact = saved.json()["id"]
        assert web.get(f"{served.url}{address}/facts/{fact}").json()["content"] == "Saved means saved"
        assert web.get(f"{served.url}{address}/sessions/s").json()["episode_count"] == 500
        assert served.stop(signal.SIGINT) == 0
        assert "Traceback" not in served.log.read_text()


def test_fifty_recalls_at_once(api: httpx.Client) -> None:
    api.post("/sessions/s/episodes", json={"episodes": [{"user_message": f"apple {n}"} for n in range(100)]})

    def ask(number: int) -> tuple[int, str]:
        answer = api.post("/recall", json={"question": f"apple {number}", "top": 3})
        return answer.status_code, answer.json()["hits"][0]["text"]

    with ThreadPoolExecutor(50) as pool:
        answers = list(pool.map(ask, range(50)))
    assert answers == [(200, f"apple {number}") for number in range(50)]


def test_ready_and_healthy(client: httpx.Client) -> None:
    assert client.get("/health").json()["healthy"] is True
    assert client.get("/ready").json()["ready"] is True


class Down(HashingEmbedder):
    """An embedder that cannot be reached."""

    def embed_passages(self, texts: Any) -> Any:
        raise EmbedderUnavailable("nobody answers")


class Hours:
    """A clock that goes on by two hours at each look."""

    def __init__(self) -> None:
        self.now = datetime(2026, 1, 1, tzinfo=UTC)

    def __call__(self) -> datetime:
        self.now += timedelta(hours=2)
        return self.now


def test_stuck_work_turns_health_red(web: httpx.Client, in_thread: Callable[..., Any]) -> None:
    with in_thread(embedder=Down(), clock=Hours()) as (url, memory):
        memory.in_workspace("other", create=True).facts.add("Never embedded")
        assert web.get(f"{url}/health").json()["waiting"] == 1
        for _ in range(8):
            with pytest.raises(EmbedderUnavailable):
                memory.in_workspace("other").upkeep.drain()
        answer = web.get(f"{url}/health")
        assert answer.status_code == 503
        assert answer.json()["error"]["code"] == "unhealthy"
        assert "pending retry" in answer.json()["error"]["details"]["cure"]
        assert web.get(f"{url}/ready").status_code == 200


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "", "0", "192.0.2.1", "::ffff:192.0.2.1"])
def test_other_addresses_than_loopback_are_refused(tmp_path: Path, host: str) -> None:
    with pytest.raises(UnsafeBinding):
        serve(Settings(path=tmp_path / "memory.db", embedder="none", host=host, port=0))
    assert not (tmp_path / "memory.db").exists()


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.5", "localhost"])
def test_loopback_is_listened_on(host: str) -> None:
    with listen(host, 0) as listener:
        assert address_of(listener).startswith("http://")


def test_a_name_of_this_machine_on_the_network_is_refused() -> None:
    addresses = {place[4][0] for place in socket.getaddrinfo(socket.gethostname(), None)}
    if all(str(address).startswith("127.") for address in addresses):
        assert listen(socket.gethostname(), 0).close() is None
    else:
        with pytest.raises(UnsafeBinding):
            listen(socket.gethostname(), 0)


def test_a_taken_port_and_an_unknown_host_are_said_so() -> None:
    with listen("127.0.0.1", 0) as taken, pytest.raises(InvalidSettings, match="cannot be listened on"):
        listen("127.0.0.1", taken.getsockname()[1])
    with pytest.raises(InvalidSettings, match="not known"):
        listen("no.such.host.invalid", 0)


def test_without_the_extra_the_error_names_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "fastapi", None)
    with (
        Memory.open(tmp_path / "memory.db", embedder="none") as memory,
        pytest.raises(MissingExtra) as caught,
    ):
        build_app(memory)
    assert "pip install 'ricordo[server]'" in caught.value.cure
