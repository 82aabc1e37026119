"""What HTTP itself brings: shapes of errors, guards, limits."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import httpx
import pytest

from ricordo.embed.hashing import HashingEmbedder
from ricordo.memory import Memory
from ricordo.settings import Settings
from ricordo.surfaces.http.openapi import openapi_document
from snapshots import check_json

InThread = Callable[..., AbstractContextManager[tuple[str, Memory]]]
JSON = {"Content-Type": "application/json"}


def error_of(answer: httpx.Response) -> tuple[int, str]:
    shape = answer.json()
    assert set(shape) == {"error"}
    assert set(shape["error"]) == {"code", "message", "retry_helps", "details"}
    assert answer.headers["x-request-id"]
    return answer.status_code, shape["error"]["code"]


def test_what_is_not_there(client: httpx.Client) -> None:
    for path in ("/nothing", "/api/workspaces/", "/api/workspaces/default/facts/", "/docs", "/redoc"):
        assert error_of(client.get(path)) == (404, "no_such_address")
    refused = client.delete("/api/workspaces/default/facts")
    assert error_of(refused) == (405, "method_not_allowed")
    assert set(refused.headers["allow"].split(", ")) == {"GET", "POST"}


@pytest.mark.parametrize(
    ("headers", "body", "expected"),
    [
        ({}, b'{"content":"x"}', (415, "unsupported_media_type")),
        ({"Content-Type": "text/plain"}, b'{"content":"x"}', (415, "unsupported_media_type")),
        ({"Content-Type": "application/x-www-form-urlencoded"}, b"", (415, "unsupported_media_type")),
        (
            {"Content-Type": "application/json; charset=cp1252"},
            b'{"content":"x"}',
            (415, "unsupported_media_type"),
        ),
        (JSON, '{"content":"perch\xe9"}'.encode("cp1252"), (422, "invalid_input")),
        (JSON, b"", (422, "invalid_input")),
        (JSON, b"{", (422, "invalid_input")),
        (JSON, b"[]", (422, "invalid_input")),
        (JSON, b'"text"', (422, "invalid_input")),
        (JSON, b'{"content":"x","confidence":NaN}', (422, "invalid_input")),
        (JSON, b'{"a":' * 100_000, (422, "invalid_input")),
        (JSON, b'{"content":"x","confidence":' + b"9" * 5_000 + b"}", (422, "invalid_input")),
        (JSON, b'{"content":"  "}', (422, "invalid_input")),
        (JSON, b'{"content":"x","colour":"red"}', (422, "unknown_field")),
        ({"Content-Type": 'Application/JSON; charset="UTF-8"'}, b'{"content":"x"}', (201, "")),
        (JSON, b'\xef\xbb\xbf{"content":"x"}', (201, "")),
    ],
)
def test_bodies(api: httpx.Client, headers: dict[str, str], body: bytes, expected: tuple[int, str]) -> None:
    answer = api.post("/remember", content=body, headers=headers)
    assert (answer.status_code, "") == expected if expected[0] == 201 else error_of(answer) == expected


def test_nothing_is_ignored(api: httpx.Client) -> None:
    assert error_of(api.get("/facts", params={"colour": "red"})) == (422, "unknown_field")
    assert error_of(api.get("/facts?limit=1&limit=2")) == (422, "invalid_input")
    assert error_of(api.post("/remember?domain=x", json={"content": "x"})) == (422, "invalid_input")
    assert error_of(api.post("/sessions/a/episodes", json={"user_message": "x", "session": "b"})) == (
        422,
        "invalid_input",
    )
    assert error_of(api.post("/episodes/search", json={"question": "x", "kinds": ["fact"]})) == (
        422,
        "invalid_input",
    )
    assert error_of(api.get("/status", params={"verbose": "1"})) == (422, "unknown_field")
    assert error_of(api.get("/facts", params={"domain": ""})) == (422, "invalid_input")


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("localhost", 200),
        ("LOCALHOST:1234", 200),
        ("127.0.0.1:1", 200),
        ("127.9.9.9", 200),
        ("[::1]:80", 200),
        ("evil.example", 403),
        ("127.0.0.1.evil.example", 403),
        ("localhost.evil.example:8765", 403),
        ("10.0.0.1", 403),
        ("user@localhost", 403),
        ("localhost:port", 403),
        ("", 403),
    ],
)
def test_host_must_be_this_machine(client: httpx.Client, host: str, status: int) -> None:
    assert client.get("/health", headers={"Host": host}).status_code == status


def test_foreign_pages_are_refused(client: httpx.Client) -> None:
    own = f"http://{client.base_url.netloc.decode()}"
    for method in ("POST", "PATCH", "DELETE", "PUT", "OPTIONS", "HEAD"):
        for origin in (
            "https://evil.example",
            "null",
            "http://localhost:1",
            f"{own}.evil.example",
            "file://",
        ):
            answer = client.request(method, "/api/workspaces", headers={"Origin": origin})
            assert answer.status_code == 403
            assert "access-control-allow-origin" not in answer.headers
    made = client.post("/api/workspaces", json={"name": "own"}, headers={"Origin": own})
    assert made.status_code == 200
    assert "access-control-allow-origin" not in client.get("/health", headers={"Origin": "null"}).headers


def test_request_ids_and_standing_headers(client: httpx.Client) -> None:
    answer = client.get("/health", headers={"X-Request-Id": "job-7"})
    assert answer.headers["x-request-id"] == "job-7"
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert (
        client.get("/health", headers={"X-Request-Id": "a b<script>"}).headers["x-request-id"]
        != "a b<script>"
    )


def test_bodies_over_the_limit_are_refused(web: httpx.Client, limited: str) -> None:
    address = f"{limited}/api/workspaces/default/remember"
    fitting = json.dumps({"content": "x" * 900}).encode()
    assert web.post(address, content=fitting, headers=JSON).status_code == 201
    large = json.dumps({"content": "x" * 1_000}).encode()
    assert error_of(web.post(address, content=large, headers=JSON)) == (413, "input_too_large")

    def pieces() -> Iterator[bytes]:
        yield large[:500]
        yield large[500:]

    assert error_of(web.post(address, content=pieces(), headers=JSON)) == (413, "input_too_large")
    for _ in range(20):  # the answer must not be lost while the rest is still on its way
        huge = b" " * 3_000_000
        assert error_of(web.post(address, content=huge, headers=JSON)) == (413, "input_too_large")
    assert web.get(f"{limited}/api/workspaces/default/facts").json()["total"] == 1


def test_declared_length_over_the_limit_is_refused_before_it_is_sent(limited: str) -> None:
    place = httpx.URL(limited)
    with socket.create_connection((place.host, place.port or 80), timeout=30) as connection:
        head = f"POST /api/workspaces/default/remember HTTP/1.1\r\nHost: {place.netloc.decode()}\r\n"
        connection.sendall(
            f"{head}Content-Type: application/json\r\nContent-Length: 99999999\r\n\r\n".encode()
        )
        assert connection.recv(65_536).startswith(b"HTTP/1.1 413 ")


@pytest.fixture
def limited(tmp_path: Path, in_thread: InThread) -> Iterator[str]:
    settings = Settings(path=tmp_path / "memory.db", max_request_bytes=1_000)
    with in_thread(settings=settings) as (url, _):
        yield url


class Broken(HashingEmbedder):
    """An embedder with a bug."""

    def embed_question(self, text: str) -> Any:
        raise ZeroDivisionError("a secret of the program")


def test_the_unforeseen_is_an_error_without_its_trace(web: httpx.Client, in_thread: InThread) -> None:
    with in_thread(embedder=Broken()) as (url, memory):
        memory.remember("x")
        answer = web.post(
            f"{url}/api/workspaces/default/recall", json={"question": "x"}, headers={"X-Request-Id": "r1"}
        )
        assert error_of(answer) == (500, "internal_error")
        assert answer.json()["error"]["details"] == {"request_id": "r1"}
        assert "secret" not in answer.text
        assert web.get(f"{url}/health").status_code == 200


def test_a_closed_archive_is_unavailable(web: httpx.Client, in_thread: InThread) -> None:
    with in_thread() as (url, memory):
        memory.close()
        answer = web.get(f"{url}/api/workspaces/default/facts")
        assert error_of(answer) == (503, "archive_closed")
        assert error_of(web.get(f"{url}/health")) == (503, "archive_closed")


def test_document_is_served_and_unchanged(client: httpx.Client) -> None:
    document = client.get("/openapi.json").json()
    assert document == json.loads(json.dumps(openapi_document()))
    document["info"]["version"] = "0"
    check_json(Path(__file__).parent / "openapi.json", document)
