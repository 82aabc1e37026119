"""What stands before every request: who may send it at all.

There is no authentication yet, so a browser on the same machine must not be
made to act for a foreign page. Three things see to it: the `Host` header must
be this machine's (a name that an attacker points at 127.0.0.1 is refused), the
`Origin` of every request that is not a GET must be this server's, and bodies
must be JSON, which no foreign form can send. No CORS header is ever sent.
"""

from __future__ import annotations

import ipaddress
import re
import uuid
from collections.abc import Sequence
from urllib.parse import unquote, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ricordo.errors import Forbidden
from ricordo.surfaces.http.error_responses import error_response

REQUEST_ID = "X-Request-Id"
_USABLE_ID = re.compile(r"[A-Za-z0-9._:-]{1,128}")

STANDING_HEADERS = {
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
}
"""Headers of every response."""


class Guard:
    """Lets through what this machine sends; gives each request an id.

    Args:
        app: What is guarded.
        hosts: Names beside those of loopback that the server is called by.
    """

    def __init__(self, app: ASGIApp, hosts: Sequence[str] = ()) -> None:
        self._app = app
        self._hosts = {host.lower() for host in hosts}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one connection of ASGI."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        request_id = _request_id(headers)

        async def send_stamped(message: Message) -> None:
            if message["type"] == "http.response.start":
                stamped = MutableHeaders(scope=message)
                stamped[REQUEST_ID] = request_id
                for name, value in STANDING_HEADERS.items():
                    stamped.setdefault(name, value)
            await send(message)

        refused = self._refused(scope["method"], headers)
        if refused is not None:
            await error_response(refused)(scope, receive, send_stamped)
            return
        state = {**scope.get("state", {}), "request_id": request_id}
        await self._app({**scope, "state": state, "path": _path(scope)}, receive, send_stamped)

    def _refused(self, method: str, headers: Headers) -> Forbidden | None:
        host = headers.get("host", "")
        if not self._is_mine(host):
            return Forbidden(
                f"This server is not called '{host}'.",
                cure="Use its loopback address, e.g. http://127.0.0.1.",
                header="Host",
            )
        origin = headers.get("origin")
        if method != "GET" and origin is not None and not _same_site(origin, host):
            return Forbidden(
                f"Pages of '{origin}' may not change anything here.",
                cure="Send the request from a program, or from this server's own page.",
                header="Origin",
            )
        return None

    def _is_mine(self, host: str) -> bool:
        name = _host_name(host)
        return name is not None and (name in self._hosts or is_loopback_name(name))


def is_loopback_name(name: str) -> bool:
    """Whether a host's name, as it stands in an address, is this machine's own."""
    if name == "localhost":
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


def decoded(segment: str) -> str:
    """A path parameter as it was meant; see `_path`."""
    return segment.replace("%2F", "/").replace("%25", "%")


def _path(scope: Scope) -> str:
    """The path for matching: decoded, except for slashes that stand inside a name.

    A session may be called `notes/2026`, which arrives as `notes%2F2026`; decoding it before
    the path is taken apart would make two segments of it.
    """
    raw = scope.get("raw_path")
    if not raw:
        return str(scope["path"])
    segments = raw.decode("ascii", "replace").split("/")
    return "/".join(unquote(part).replace("%", "%25").replace("/", "%2F") for part in segments)


def _request_id(headers: Headers) -> str:
    given = headers.get(REQUEST_ID, "")
    return given if _USABLE_ID.fullmatch(given) else uuid.uuid4().hex


def _host_name(host: str) -> str | None:
    try:
        parts = urlsplit(f"//{host}")
        parts.port  # noqa: B018 - raises where the port is no number
    except ValueError:
        return None
    if parts.path or parts.query or parts.fragment or parts.username is not None:
        return None
    return parts.hostname


def _same_site(origin: str, host: str) -> bool:
    try:
        parts = urlsplit(origin)
    except ValueError:
        return False
    return parts.scheme in {"http", "https"} and parts.netloc.lower() == host.lower()
