"""From an HTTP request to the values of an operation's request."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn, get_origin

from starlette.datastructures import Headers
from starlette.requests import Request

from ricordo.errors import InputTooLarge, InvalidInput
from ricordo.operations import BY_NAME, Operation
from ricordo.surfaces.http.guard import decoded
from ricordo.surfaces.http.routes import WORKSPACE, Route

BATCH_FIELD = "episodes"
"""Field that tells a batch from one item."""

_REVISION = re.compile(r'"(\d{1,18})"')


@dataclass(frozen=True)
class Call:
    """One request, read to its end.

    Attributes:
        path: Path parameters, decoded.
        query: Names and values of the query, in order.
        body: Its body; empty where the route has none.
        if_match: The header, or None.
    """

    path: Mapping[str, str]
    query: tuple[tuple[str, str], ...]
    body: bytes
    if_match: str | None

    @property
    def workspace(self) -> str | None:
        """Name of the workspace, or None where the route is above them."""
        return self.path.get(WORKSPACE)


async def read_call(request: Request, route: Route, limit: int) -> Call:
    """Read a request.

    Raises:
        InputTooLarge: Its body is larger than `limit` bytes.
    """
    return Call(
        path={name: decoded(str(value)) for name, value in request.path_params.items()},
        query=tuple(request.query_params.multi_items()),
        body=await _read_body(request, limit) if route.has_body else b"",
        if_match=request.headers.get("if-match"),
    )


async def _read_body(request: Request, limit: int) -> bytes:
    declared = request.headers.get("content-length", "")
    if declared.isdigit() and int(declared) > limit:
        raise _too_large(limit)
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > limit:
            raise _too_large(limit)
    return bytes(body)


def _too_large(limit: int) -> InputTooLarge:
    return InputTooLarge(
        f"The body is larger than {limit} bytes.",
        cure="Send less at once, or raise max_request_bytes (RICORDO_MAX_REQUEST_BYTES).",
        limit_bytes=limit,
    )


def says_json(headers: Headers, body: bytes) -> bool:
    """Whether a body is declared as JSON in UTF-8; an empty one need not be declared."""
    declared = headers.get("content-type")
    if declared is None:
        return not body
    media_type, _, parameters = declared.partition(";")
    charset = re.search(r"charset\s*=\s*\"?([^\s;\"]+)", parameters, re.IGNORECASE)
    known = charset is None or charset[1].lower() in {"utf-8", "utf8"}
    return media_type.strip().lower() == "application/json" and known


def operation_and_values(route: Route, call: Call) -> tuple[Operation, dict[str, Any]]:
    """The operation that a request asks for, and the values of its request.

    Raises:
        InvalidInput: The body is no JSON object, or something is given twice.
    """
    operation = route.operation
    if route.has_body:
        given = _json_object(call.body)
        if route.single and BATCH_FIELD not in given:
            operation = BY_NAME[route.single]
    else:
        given = _query_values(operation, call.query)
    for name in given:
        if name in route.settled:
            raise InvalidInput(f"'{name}' stands in the address and cannot be given again.", field=name)
    if route.has_body and call.query:
        name = call.query[0][0]
        raise InvalidInput(
            f"'{name}': this address takes no query.", cure="Put it into the body.", field=name
        )
    path = {route.field_of(name): value for name, value in call.path.items() if name != WORKSPACE}
    return operation, {**_with_revision(operation, given, call.if_match), **route.fixed, **path}


def _with_revision(operation: Operation, given: dict[str, Any], if_match: str | None) -> dict[str, Any]:
    """The values with the revision that `If-Match` names."""
    if if_match is None:
        return given
    name = seen_field(operation)
    if name is None:
        raise InvalidInput("If-Match can be given for updates only.", field="If-Match")
    if if_match.strip() == "*":
        return given
    found = _REVISION.fullmatch(if_match.strip())
    if found is None:
        raise InvalidInput('If-Match must be one revision, e.g. "3".', cure="Take the ETag of a GET.")
    revision = int(found[1])
    if given.get(name, revision) not in (revision, str(revision)):
        raise InvalidInput(f"If-Match and '{name}' name different revisions.", field=name)
    return {**given, name: revision}


def seen_field(operation: Operation) -> str | None:
    """The field of a request that holds the revision which the caller has seen, as `If-Match` does."""
    if operation.read_only:
        return None
    return next((name for name in ("seen", "revision") if name in operation.request.model_fields), None)


def _query_values(operation: Operation, query: Iterable[tuple[str, str]]) -> dict[str, Any]:
    fields = operation.request.model_fields
    values: dict[str, Any] = {}
    for name, value in query:
        if name in fields and get_origin(fields[name].annotation) is tuple:
            values.setdefault(name, []).append(value)
        elif name in values:
            raise InvalidInput(f"'{name}' is given twice.", field=name)
        else:
            values[name] = value
    return values


def _json_object(body: bytes) -> dict[str, Any]:
    try:
        text = body.decode("utf-8-sig")
        value = json.loads(text, parse_constant=_no_constant) if text.strip() else {}
    except UnicodeDecodeError as error:
        raise InvalidInput("The body is not UTF-8.", cure="Encode it as UTF-8.") from error
    except RecursionError as error:
        raise InvalidInput("The body is nested too deeply.") from error
    except ValueError as error:
        raise InvalidInput(f"The body is no valid JSON: {error}.") from error
    if not isinstance(value, dict):
        raise InvalidInput("The body must be a JSON object.")
    return value


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")
