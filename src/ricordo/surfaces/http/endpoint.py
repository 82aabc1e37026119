"""The one endpoint behind every route: read, check, run, render."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from ricordo.engine.validation import checked
from ricordo.errors import NotFound, RicordoError
from ricordo.memory import Memory
from ricordo.operations import Receipts
from ricordo.records.base import Record, Value
from ricordo.records.card import MergeReceipt
from ricordo.records.principal import OWNER, Principal
from ricordo.records.receipt import Receipt
from ricordo.surfaces.http.error_responses import error_response, protocol_error_response
from ricordo.surfaces.http.request import Call, operation_and_values, read_call, says_json
from ricordo.surfaces.http.routes import UPDATES, Route

log = logging.getLogger("ricordo.http")

Endpoint = Callable[[Request], Awaitable[Response]]


def endpoint_for(memory: Memory, routes: Mapping[str, Route]) -> Endpoint:
    """The endpoint of one path.

    Args:
        memory: The archive; each request gets its own view of it.
        routes: The path's routes by method.
    """
    limit = memory.settings.max_request_bytes

    async def endpoint(request: Request) -> Response:
        route = routes[request.method]
        try:
            call = await read_call(request, route, limit)
            if route.has_body and not says_json(request.headers, call.body):
                return protocol_error_response("unsupported_media_type")
            return await run_in_threadpool(_answer, memory, principal_of(request), route, call)
        except ClientDisconnect:
            return Response(status_code=400)
        except RicordoError as error:
            return error_response(error)
        except Exception:  # one error shape for what nobody foresaw; logged in full
            return unexpected(request)

    return endpoint


def principal_of(request: Request) -> Principal:
    """Who is calling: on loopback, which is all that is served, the file's owner."""
    del request
    return OWNER


def unexpected(request: Request) -> Response:
    """The answer to an exception that nobody foresaw: the log has it, the caller a request id."""
    request_id = getattr(request.state, "request_id", "")
    log.exception("%s %s failed (request id %s)", request.method, request.url.path, request_id)
    return protocol_error_response("internal_error", request_id=request_id)


def _answer(memory: Memory, principal: Principal, route: Route, call: Call) -> Response:
    operation, values = operation_and_values(route, call)
    request = checked(operation.request, values)
    mine = memory.acting_as(principal)
    if call.workspace is not None:
        mine = mine.in_workspace(call.workspace)
    answer = operation.run(mine, request)
    _check_external(route, request, answer)
    return Response(
        answer.model_dump_json(),
        status_code=_status(route, answer),
        media_type="application/json",
        headers=_etag(route, answer),
    )


def _check_external(route: Route, request: Any, answer: Value) -> None:
    """A route by external id must not answer a session whose own id is asked for."""
    if "external_id" in route.fills and getattr(answer, "external_id", None) != request.session:
        raise NotFound(f"There is no session with the external id '{request.session}'.", id=request.session)


def _status(route: Route, answer: Value) -> int:
    """201 where something was made, else 200."""
    receipts = answer.receipts if isinstance(answer, Receipts) else (answer,)
    made = any(
        isinstance(item, MergeReceipt) or (isinstance(item, Receipt) and item.created) for item in receipts
    )
    return 201 if made and route.method == "POST" else 200


def _etag(route: Route, answer: Value) -> dict[str, str]:
    if isinstance(answer, Record) or (route.method in UPDATES and isinstance(answer, Receipt)):
        return {"ETag": f'"{answer.revision}"'}
    return {}
