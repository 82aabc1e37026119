"""Resources: single records by their address, whole, for a client to attach."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import unquote

import mcp_types as types
from mcp.shared.exceptions import MCPError

from ricordo.errors import NotFound, RicordoError
from ricordo.memory import Memory
from ricordo.records.base import Value
from ricordo.records.episode import Episode
from ricordo.records.page import MAX_PAGE, Page
from ricordo.records.session import Session
from ricordo.surfaces.background_memory import BackgroundMemory
from ricordo.surfaces.errors import body

SCHEME = "ricordo://"
MIME_TYPE = "application/json"


class Conversed(Value):
    """A session with its episodes, the first thousand of them."""

    session: Session
    episodes: Page[Episode]


def _conversed(memory: Memory, name: str) -> Conversed:
    session = memory.sessions.get(name)
    return Conversed(session=session, episodes=memory.episodes.list(session=session.id, limit=MAX_PAGE))


KINDS: dict[str, tuple[str, str, Callable[[Memory, str], Value]]] = {
    "fact": ("id", "A fact with its source.", lambda memory, name: memory.facts.get(name)),
    "card": (
        "id",
        "Reviewed knowledge, with its links and its origin.",
        lambda memory, name: memory.cards.get(name),
    ),
    "episode": ("id", "What was said, whole.", lambda memory, name: memory.episodes.get(name)),
    "session": ("session", "A conversation, by its id or external id.", _conversed),
}
"""What can be read: the template's variable, a description, and how it is read."""


def templates() -> list[types.ResourceTemplate]:
    """The addresses that there are."""
    return [
        types.ResourceTemplate(
            name=kind,
            uri_template=f"{SCHEME}{kind}/{{{variable}}}",
            description=description,
            mime_type=MIME_TYPE,
        )
        for kind, (variable, description, _) in KINDS.items()
    ]


def read(background: BackgroundMemory, uri: str) -> types.ReadResourceResult:
    """Read one resource.

    Raises:
        MCPError: There is none, or it cannot be read; its data is the error's usual shape.
    """
    try:
        kind, _, name = uri.removeprefix(SCHEME).partition("/")
        if not uri.startswith(SCHEME) or kind not in KINDS or not name:
            known = ", ".join(template.uri_template for template in templates())
            raise NotFound(f"There is no resource '{uri}'.", cure=f"Addresses: {known}.")
        value = KINDS[kind][2](background.memory(), unquote(name))
    except RicordoError as error:
        code = types.INVALID_PARAMS if isinstance(error, NotFound) else types.INTERNAL_ERROR
        raise MCPError(code=code, message=str(error), data=body(error)) from error
    text = value.model_dump_json(exclude_none=True)
    contents = types.TextResourceContents(uri=uri, mime_type=MIME_TYPE, text=text)
    return types.ReadResourceResult(contents=[contents])
