"""The application: the table's routes behind the guard."""

from __future__ import annotations

from collections.abc import Callable

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from ricordo.errors import InvalidInput
from ricordo.memory import Memory
from ricordo.surfaces.http.endpoint import endpoint_for, unexpected
from ricordo.surfaces.http.error_responses import error_response, from_framework
from ricordo.surfaces.http.guard import Guard
from ricordo.surfaces.http.health import health_endpoint, ready_endpoint
from ricordo.surfaces.http.openapi import SUMMARY, TITLE, openapi_document
from ricordo.surfaces.http.routes import by_path
from ricordo.version import __version__

DOCUMENT_PATH = "/openapi.json"


def make_app(memory: Memory, *, warmed: Callable[[], bool] = lambda: True) -> FastAPI:
    """Put the application together; see `ricordo.surfaces.http.build_app`."""
    app = FastAPI(
        title=TITLE,
        summary=SUMMARY,
        version=__version__,
        openapi_url=DOCUMENT_PATH,
        docs_url=None,  # both pages would load scripts from another site
        redoc_url=None,
        redirect_slashes=False,
    )
    for path, routes in by_path().items():
        app.add_api_route(path, endpoint_for(memory, routes), methods=list(routes), include_in_schema=False)
    for path, endpoint in {
        "/health": health_endpoint(memory),
        "/ready": ready_endpoint(memory, warmed),
        "/": _welcome,
    }.items():
        app.add_api_route(path, endpoint, methods=["GET"], include_in_schema=False)
    app.openapi = openapi_document  # type: ignore[method-assign]
    app.add_middleware(Guard, hosts=[memory.settings.host])
    _render_errors(app)
    return app


async def _welcome(request: Request) -> Response:
    """What lies where, for someone who opens the address in a browser."""
    del request
    return JSONResponse(
        {
            "ricordo": __version__,
            "openapi": DOCUMENT_PATH,
            "workspaces": "/api/workspaces",
            "health": "/health",
            "ready": "/ready",
        }
    )


def _render_errors(app: FastAPI) -> None:
    @app.exception_handler(HTTPException)
    async def refused(request: Request, error: HTTPException) -> Response:
        del request
        return from_framework(error)

    @app.exception_handler(RequestValidationError)
    async def not_valid(request: Request, error: RequestValidationError) -> Response:
        del request
        return error_response(InvalidInput(problems=error.errors()))

    @app.exception_handler(Exception)
    async def unforeseen(request: Request, error: Exception) -> Response:
        del error
        return unexpected(request)
