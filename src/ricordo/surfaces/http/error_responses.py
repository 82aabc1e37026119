"""Errors as HTTP responses: one shape, whatever failed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import anyio
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from ricordo.errors import RicordoError
from ricordo.records.base import clean_json
from ricordo.surfaces.errors import body, rendering

PROTOCOL: dict[str, tuple[int, str]] = {
    "bad_request": (400, "The request is not valid HTTP for this server."),
    "no_such_address": (404, "There is nothing at this address."),
    "method_not_allowed": (405, "This address does not take this method."),
    "unsupported_media_type": (415, "The body must be JSON: send Content-Type: application/json."),
    "internal_error": (500, "Something unexpected failed; the server's log has it under this request id."),
    "unhealthy": (503, "Pending work is stuck."),
    "not_ready": (503, "The embedding model is being loaded."),
}
"""Status and message of errors that HTTP itself brings, by code; the rest is in `ricordo.errors`."""


LINGER_S = 2.0
"""Seconds for which what is still being sent to a request that was refused is thrown away."""


class Refused(Response):
    """A response to a request that was not read to its end.

    Closing the connection while the other side is still sending would reset it, and the answer
    would be lost on the way; so the rest is taken in for a while before the connection ends.
    """

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the answer, then let the sender come to its end."""
        start = {"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers}
        await send(start)
        await send({"type": "http.response.body", "body": self.body, "more_body": True})
        with anyio.move_on_after(LINGER_S):
            while (await receive()).get("more_body", False):
                pass
        await send({"type": "http.response.body", "body": b"", "more_body": False})


def error_response(error: RicordoError) -> Response:
    """An error of Ricordo as its response."""
    status = rendering(error).http_status
    if status == 413:
        return _response(status, body(error), {"Connection": "close"}, Refused)
    return _response(status, body(error), {"Retry-After": "1"} if error.retry_helps else {})


def protocol_error_response(
    code: str, *, message: str = "", headers: Mapping[str, str] | None = None, **details: Any
) -> Response:
    """An error that HTTP itself brings.

    Args:
        code: One of `PROTOCOL`.
        message: Instead of the table's.
        headers: Headers of the response.
        **details: For the error's details.
    """
    status, usual = PROTOCOL[code]
    shape = {"code": code, "message": message or usual, "retry_helps": status == 503, "details": details}
    return _response(status, {"error": shape}, headers or {})


def from_framework(error: HTTPException) -> Response:
    """What the framework refused, in the same shape."""
    codes = {status: code for code, (status, _) in reversed(PROTOCOL.items())}
    return protocol_error_response(codes.get(error.status_code, "bad_request"), headers=error.headers)


def _response(
    status: int, shape: Any, headers: Mapping[str, str], kind: type[Response] = Response
) -> Response:
    # What was asked may come back in a message, so a lone surrogate can be in it.
    text = json.dumps(clean_json(shape), ensure_ascii=False, default=str)
    return kind(text, status_code=status, media_type="application/json", headers=dict(headers))
