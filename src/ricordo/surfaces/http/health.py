"""Whether the server is well: `/health` turns red when work is stuck, `/ready` when it cannot answer yet."""

from __future__ import annotations

from collections.abc import Callable

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from ricordo.errors import RicordoError
from ricordo.memory import Memory
from ricordo.records.work import WorkState
from ricordo.surfaces.http.endpoint import Endpoint, unexpected
from ricordo.surfaces.http.error_responses import error_response, protocol_error_response

STUCK_CURE = "Look: ricordo pending; then: ricordo pending retry"


def health_endpoint(memory: Memory) -> Endpoint:
    """`/health`: 200 while every workspace's pending work goes on, else 503."""

    def answer() -> Response:
        waiting = stuck = 0
        for workspace in memory.workspaces():
            queue = memory.in_workspace(workspace.name).upkeep.queue()
            waiting += queue.total
            stuck += queue.by_state.get(WorkState.STUCK, 0)
        if stuck:
            message = f"{stuck} items of pending work are stuck."
            return protocol_error_response(
                "unhealthy", message=message, cure=STUCK_CURE, stuck=stuck, waiting=waiting
            )
        return JSONResponse({"healthy": True, "stuck": 0, "waiting": waiting})

    return _guarded(answer)


def ready_endpoint(memory: Memory, warmed: Callable[[], bool]) -> Endpoint:
    """`/ready`: 200 once the archive answers and the model has been loaded, or has failed to."""

    def answer() -> Response:
        workspaces = len(memory.workspaces())
        if not warmed():
            return protocol_error_response("not_ready")
        return JSONResponse({"ready": True, "workspaces": workspaces})

    return _guarded(answer)


def _guarded(answer: Callable[[], Response]) -> Endpoint:
    async def endpoint(request: Request) -> Response:
        try:
            return await run_in_threadpool(answer)
        except RicordoError as error:
            return error_response(error)
        except Exception:  # one error shape for what nobody foresaw; logged in full
            return unexpected(request)

    return endpoint
