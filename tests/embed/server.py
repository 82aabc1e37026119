"""A small OpenAI-compatible embedding server on a real socket that can also misbehave."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

import numpy as np

DIMENSION = 8


def vector(text: str, dimension: int = DIMENSION, scale: float = 3.0) -> list[float]:
    """The same numbers for the same text, not of unit length."""
    seed = int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big")
    return [float(number) * scale for number in np.random.default_rng(seed).standard_normal(dimension)]


def answer(texts: list[str], dimension: int = DIMENSION) -> dict[str, Any]:
    items = [
        {"object": "embedding", "index": place, "embedding": vector(text, dimension)}
        for place, text in enumerate(texts)
    ]
    return {"object": "list", "model": "test", "data": items, "usage": {"prompt_tokens": 1}}


class Request(NamedTuple):
    path: str
    headers: dict[str, str]
    body: dict[str, Any]

    @property
    def texts(self) -> list[str]:
        texts: list[str] = self.body["input"]
        return texts


class Handler(BaseHTTPRequestHandler):
    """Answers each request by the next planned behaviour, or well where none is planned."""

    protocol_version = "HTTP/1.1"
    server: EmbeddingServer

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        headers = {name.lower(): value for name, value in self.headers.items()}
        request = Request(self.path, headers, body)
        try:
            self.server.take(request)(self, request)
        except OSError:  # the client has gone, as it was to do
            self.close_connection = True

    def log_message(self, format: str, *args: object) -> None:
        pass

    def send(self, status: int, content: bytes, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


Behaviour = Callable[[Handler, Request], None]


class EmbeddingServer(ThreadingHTTPServer):
    """Collects `requests`; `plan` says how the next ones are answered."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.requests: list[Request] = []
        self.released = threading.Event()
        self._plan: list[Behaviour] = []
        self._lock = threading.Lock()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def plan(self, *behaviours: Behaviour) -> None:
        self._plan.extend(behaviours)

    def take(self, request: Request) -> Behaviour:
        with self._lock:
            self.requests.append(request)
            return self._plan.pop(0) if self._plan else well

    def handle_error(self, request: object, client_address: object) -> None:
        pass  # a client that goes away is what some tests are about


@contextmanager
def running() -> Iterator[EmbeddingServer]:
    with EmbeddingServer() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server
        finally:
            server.released.set()
            server.shutdown()
            thread.join()


def well(handler: Handler, request: Request) -> None:
    handler.send(200, json.dumps(answer(request.texts)).encode())


def shuffled(handler: Handler, request: Request) -> None:
    full = answer(request.texts)
    full["data"] = full["data"][::-1]
    handler.send(200, json.dumps(full).encode())


def without_index(handler: Handler, request: Request) -> None:
    full = answer(request.texts)
    for item in full["data"]:
        del item["index"]
    handler.send(200, json.dumps(full).encode())


def never(handler: Handler, request: Request) -> None:
    """Says nothing until the test is over."""
    handler.server.released.wait(60)
    handler.close_connection = True


def dripping(handler: Handler, request: Request) -> None:
    """Sends a blank every now and then, and the answer never."""
    handler.send_response(200)
    handler.send_header("content-length", "1000000")
    handler.end_headers()
    while not handler.server.released.wait(0.02):
        handler.wfile.write(b" ")
        handler.wfile.flush()
    handler.close_connection = True


def cut_off(handler: Handler, request: Request) -> None:
    """Promises the whole answer, sends half of it and hangs up."""
    content = json.dumps(answer(request.texts)).encode()
    handler.send_response(200)
    handler.send_header("content-length", str(len(content)))
    handler.end_headers()
    handler.wfile.write(content[: len(content) // 2])
    handler.close_connection = True


def hang_up(handler: Handler, request: Request) -> None:
    """Closes the connection without a word."""
    handler.close_connection = True


def sends(content: object, status: int = 200, **headers: str) -> Behaviour:
    """A behaviour that sends this content, as JSON unless it is bytes, whatever is asked."""
    encoded = content if isinstance(content, bytes) else json.dumps(content).encode()
    named = {name.replace("_", "-"): value for name, value in headers.items()}

    def behave(handler: Handler, request: Request) -> None:
        handler.send(status, encoded, named)

    return behave


def vectors(*rows: object) -> Behaviour:
    """A behaviour that sends these vectors, whatever is asked."""
    return sends({"data": [{"index": place, "embedding": row} for place, row in enumerate(rows)]})
