"""One client's conversation, between the wire and the SDK.

Line by line: the first request is answered early where that is possible, what
is not JSON-RPC is refused with an answer instead of silence, and the end of the
input is passed on only when everything that was asked has been answered, so that
`printf ... | ricordo mcp` works.
"""

from __future__ import annotations

import io
import json
import logging
import re
import threading
import time
from typing import Any, NoReturn

from ricordo.records.base import clean_json
from ricordo.surfaces.mcp.handshake import begins, early_answer, encoded
from ricordo.surfaces.mcp.wire import Wire

log = logging.getLogger("ricordo.mcp")

LAST_ANSWERS_S = 60.0
"""Seconds that requests under way have, once the client has closed its side."""

PARSE_ERROR = -32700
INVALID_REQUEST = -32600

NOT_BEGUN = (
    "Not initialized: send a request 'initialize' first, with protocolVersion, capabilities and clientInfo, "
    "then the notification 'notifications/initialized'; after that, send this again"
)
"""What a request before the handshake is answered; the SDK would say 'Invalid request parameters'."""

MAX_DEPTH = 128
"""Deepest nesting of a message: the SDK's parser drops one of 200 without a word."""

TOO_DEEP = f"Invalid Request: the message is nested more than {MAX_DEPTH} deep"

_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")


class Conversation:
    """What was asked, what was answered.

    Args:
        wire: Lines in and out.
    """

    def __init__(self, wire: Wire) -> None:
        self._wire = wire
        self._first: str | None = None
        self._early: dict[str, Any] | None = None
        self._begun = False
        self._asked: set[str | int] = set()
        self._changed = threading.Condition()

    def greet(self) -> bool:
        """Wait for the first request, and answer it at once where it is a known handshake.

        Returns:
            False where the client has gone without asking anything.
        """
        try:
            self._first = self._next()
        except EOFError:
            return False
        self._early = early_answer(json.loads(self._first))
        if self._early is not None:
            self._wire.write_line(encoded(self._early))
        return True

    def next_line(self) -> str:
        """The next message for the SDK, with its line end; empty at the end."""
        if self._first is not None:
            line, self._first = self._first, None
            return line
        try:
            return self._next()
        except EOFError:
            self._await_answers()
            return ""

    def answer(self, line: str) -> None:
        """Send what the SDK says, except for its answer to what was answered early."""
        message = json.loads(line)
        if "method" in message:
            self._wire.write_line(line.strip().encode())
            return
        early, held = self._early, message.get("id")
        if early is not None and early["id"] == held:
            self._early = None
            if message.get("result") != early["result"]:
                log.warning("the handshake was answered differently by the SDK: %s", line.strip())
        else:
            self._wire.write_line(line.strip().encode())
        self._settle(held)

    def _next(self) -> str:
        while True:
            raw = self._wire.read_line()
            try:
                message = json.loads(raw.decode("utf-8", "replace"), parse_constant=_no_constant)
            except (ValueError, RecursionError):
                self._refuse(None, PARSE_ERROR, "Parse error: one JSON-RPC message a line is expected")
                continue
            if not _is_message(message):
                request_id = message.get("id") if isinstance(message, dict) else None
                self._refuse(
                    _usable(request_id), INVALID_REQUEST, "Invalid Request: this is no JSON-RPC message"
                )
                continue
            if _too_deep(raw, message):
                if "method" in message and "id" in message:
                    self._refuse(message["id"], INVALID_REQUEST, TOO_DEEP)
                continue
            self._begun = self._begun or begins(message)
            if not self._begun and "id" in message and message.get("method") not in {None, "ping"}:
                self._refuse(message["id"], INVALID_REQUEST, NOT_BEGUN)
                continue
            self._note(message)
            if _SURROGATE.search(raw):
                # The SDK's parser would drop the whole message for half a sign.
                return json.dumps(clean_json(message)) + "\n"
            return raw.decode("utf-8", "replace") + "\n"

    def _refuse(self, request_id: str | int | None, code: int, message: str) -> None:
        error = {"code": code, "message": message}
        self._wire.write_line(encoded({"jsonrpc": "2.0", "id": request_id, "error": error}))

    def _note(self, message: dict[str, Any]) -> None:
        request_id = message.get("id")
        if "method" in message and request_id is not None:
            with self._changed:
                self._asked.add(request_id)
        elif message.get("method") == "notifications/cancelled":
            self._settle(_usable((message.get("params") or {}).get("requestId")))

    def _settle(self, request_id: str | int | None) -> None:
        if request_id is not None:
            with self._changed:
                self._asked.discard(request_id)
                self._changed.notify_all()

    def _await_answers(self) -> None:
        end = time.monotonic() + LAST_ANSWERS_S
        with self._changed:
            while self._asked and not self._wire.stopped and time.monotonic() < end:
                self._changed.wait(0.1)


class Incoming(io.TextIOBase):
    """The conversation as the SDK's input."""

    def __init__(self, conversation: Conversation) -> None:
        self._conversation = conversation

    def readline(self, size: int = -1, /) -> str:  # type: ignore[override]
        """The next message."""
        del size
        return self._conversation.next_line()


class Outgoing(io.TextIOBase):
    """The conversation as the SDK's output."""

    def __init__(self, conversation: Conversation) -> None:
        self._conversation = conversation

    def write(self, text: str, /) -> int:
        """Send one message."""
        self._conversation.answer(text)
        return len(text)


def _is_message(message: Any) -> bool:
    """Whether the SDK will take this for a request, a notification or a response."""
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        return False
    if "id" in message and _usable(message["id"]) is None:
        return False
    if "method" in message:
        return isinstance(message["method"], str) and isinstance(message.get("params", {}), dict)
    return "id" in message and (
        isinstance(message.get("result"), dict) or isinstance(message.get("error"), dict)
    )


def _too_deep(raw: bytes, message: dict[str, Any]) -> bool:
    """Whether a message is nested too deeply; most are told by their few brackets."""
    if raw.count(b"[") + raw.count(b"{") <= MAX_DEPTH:
        return False
    level: list[Any] = [message]
    for _ in range(MAX_DEPTH):
        level = [item for held in level for item in _inside(held)]
        if not level:
            return False
    return True


def _inside(held: dict[str, Any] | list[Any]) -> list[Any]:
    items = held.values() if isinstance(held, dict) else held
    return [item for item in items if isinstance(item, dict | list)]


def _usable(request_id: Any) -> str | int | None:
    return request_id if isinstance(request_id, str | int) and not isinstance(request_id, bool) else None


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")
