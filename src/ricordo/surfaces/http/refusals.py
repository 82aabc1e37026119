"""Errors as HTTP responses: one shape, whatever failed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from starlette.exceptions import HTTPException
from starlette.responses import Response

from ricordo.errors import RicordoError
from ricordo.records.base import clean_json
from ricordo.surfaces.errors import body, rendering

PROTOCOL: dict[int, tuple[str, str]] = {
    400: ("bad_request", "The request is not valid HTTP for this server."),
    404: ("no_such_address", "There is nothing at this address."),
    405: ("method_not_allowed", "This address does not take this method."),
    415: ("unsupported_media_type", "The body must be JSON: send Content-Type: application/json."),
    500: ("internal_error", "Something unexpected failed; the server's log has it under this request id."),
    503: ("unhealthy", "Work is stuck."),
}
"""Codes and messages of errors that HTTP itself brings, by status; the rest is in `ricordo.errors`."""


def refusal(error: RicordoError) -> Response:
    """An error of Ricordo as its response."""
    headers = {"Retry-After": "1"} if error.retry_helps else {}
    status = rendering(error).http_status
    if status == 413:
        headers["Connection"] = "close"
    return _response(status, body(error), headers)


def protocol_refusal(
    status: int, *, message: str = "", headers: Mapping[str, str] | None = None, **details: Any
) -> Response:
    """An error that HTTP itself brings.

    Args:
        status: One of `PROTOCOL`; others are shown as 400.
        message: Instead of the table's.
        headers: Headers of the response.
        **details: For the error's details.
    """
    code, usual = PROTOCOL.get(status, PROTOCOL[400])
    shape = {
        "error": {
            "code": code,
            "message": message or usual,
            "retry_helps": status == 503,
            "details": details,
        }
    }
    return _response(status, shape, headers or {})


def from_framework(error: HTTPException) -> Response:
    """What the framework refused, in the same shape."""
    return protocol_refusal(error.status_code, headers=error.headers)


def _response(status: int, shape: Any, headers: Mapping[str, str]) -> Response:
    # What was asked may come back in a message, so a lone surrogate can be in it.
    text = json.dumps(clean_json(shape), ensure_ascii=False, default=str)
    return Response(text, status_code=status, media_type="application/json", headers=dict(headers))
