"""A tool call: arguments in, an answer or an error that says what to do out."""

from __future__ import annotations

import difflib
import json
import logging
from collections.abc import Mapping
from typing import Any

import mcp_types as types

from ricordo.errors import NotFound, RicordoError
from ricordo.operations import BY_NAME
from ricordo.records.base import clean_json
from ricordo.surfaces.background_memory import BackgroundMemory
from ricordo.surfaces.errors import body
from ricordo.surfaces.mcp.arguments import checked_arguments
from ricordo.surfaces.mcp.shortening import shortened
from ricordo.surfaces.mcp.tools import TOOLS

log = logging.getLogger("ricordo.mcp")


def call_tool(background: BackgroundMemory, name: str, arguments: Mapping[str, Any]) -> types.CallToolResult:
    """Do what a tool does; whatever fails is an answer, too.

    Args:
        background: The memory, or soon to be.
        name: Of the tool.
        arguments: As the client sent them.
    """
    try:
        if name not in TOOLS:
            raise _no_such_tool(name)
        operation = BY_NAME[name]
        request = checked_arguments(operation.request, arguments)
        memory = background.memory()
        answer = shortened(request, lambda asked: operation.run(memory, asked))
    except RicordoError as error:
        return _result(body(error), str(error))
    except Exception:  # the session must outlive what nobody foresaw; logged in full
        log.exception("the tool %s failed", name)
        message = "Something unexpected failed; the server's log has it."
        unforeseen = {"code": "internal_error", "message": message, "retry_helps": False, "details": {}}
        return _result({"error": unforeseen}, message)
    return _result(answer, "")


def _no_such_tool(name: str) -> NotFound:
    near = difflib.get_close_matches(name, TOOLS, n=1)
    message = f"There is no tool '{name}'" + (f"; '{near[0]}' is meant, perhaps." if near else ".")
    return NotFound(message, cure=f"Tools: {', '.join(TOOLS)}.", tool=name)


def _result(value: dict[str, Any], failure: str) -> types.CallToolResult:
    """An answer as JSON, in the text for clients that read only that; a failure in plain words."""
    clean: dict[str, Any] = json.loads(json.dumps(clean_json(value), default=str))
    text = str(clean_json(failure)) or json.dumps(clean, ensure_ascii=False, separators=(",", ":"))
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=text)],
        structured_content=clean,
        is_error=bool(failure),
    )
