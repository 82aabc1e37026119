"""The tables and schemas, and that the early handshake says what the SDK says."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import anyio
import jsonschema
import mcp_types as types
import pytest
from mcp.shared.message import SessionMessage
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS

from ricordo.errors import MissingExtra
from ricordo.memory import Memory
from ricordo.operations import BY_NAME, OPERATIONS
from ricordo.settings import Settings
from ricordo.surfaces.background_memory import BackgroundMemory
from ricordo.surfaces.mcp import serve_stdio
from ricordo.surfaces.mcp.handshake import ENVELOPE_VERSIONS, HANDSHAKE_VERSIONS, early_answer
from ricordo.surfaces.mcp.server import make_server
from ricordo.surfaces.mcp.shortening import MAX_ANSWER_CHARS, chars, plain, shortened
from ricordo.surfaces.mcp.tools import LEFT_OUT, TOOLS, output_schema, tool_list
from snapshots import check_json

META = "io.modelcontextprotocol/"
CLIENT = {"name": "test", "version": "1"}


def test_the_list_is_unchanged() -> None:
    listed = [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in tool_list()]
    check_json(Path(__file__).parent / "tools.json", listed)


def test_every_operation_is_a_tool_or_left_out_for_a_reason() -> None:
    assert set(TOOLS) | set(LEFT_OUT) == set(BY_NAME)
    assert not set(TOOLS) & set(LEFT_OUT)
    assert all(LEFT_OUT.values())


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.name)
def test_schemas_are_valid_and_stand_alone(operation: Any) -> None:
    from ricordo.surfaces.mcp.tools import input_schema

    given = input_schema(operation)
    jsonschema.Draft202012Validator.check_schema(given)
    assert "$ref" not in str(given)
    assert given["type"] == "object"
    answered = output_schema(operation)
    jsonschema.Draft202012Validator.check_schema(answered)
    assert answered["type"] == "object"


def sdk_answer(message: dict[str, Any], tmp_path: Path) -> dict[str, Any]:
    """What the SDK says to a first message."""
    server = make_server(BackgroundMemory(Settings(path=tmp_path / "memory.db")))

    async def ask() -> dict[str, Any]:
        to_server, asked = anyio.create_memory_object_stream[SessionMessage | Exception](1)
        answered, from_server = anyio.create_memory_object_stream[SessionMessage](1)
        async with to_server, from_server, anyio.create_task_group() as group:
            group.start_soon(server.run, asked, answered, server.create_initialization_options())
            await to_server.send(SessionMessage(types.jsonrpc_message_adapter.validate_python(message)))
            answer = (await from_server.receive()).message
            group.cancel_scope.cancel()
        return answer.model_dump(mode="json", by_alias=True, exclude_unset=True)

    return anyio.run(ask)


@pytest.mark.parametrize("version", HANDSHAKE_PROTOCOL_VERSIONS)
def test_early_initialize_is_what_the_sdk_says(version: str, tmp_path: Path) -> None:
    params = {
        "protocolVersion": version,
        "capabilities": {"roots": {"listChanged": True}},
        "clientInfo": CLIENT,
    }
    message = {"jsonrpc": "2.0", "id": "a", "method": "initialize", "params": params}
    assert early_answer(message) == sdk_answer(message, tmp_path)


@pytest.mark.parametrize("version", MODERN_PROTOCOL_VERSIONS)
def test_early_discovery_is_what_the_sdk_says(version: str, tmp_path: Path) -> None:
    meta = {f"{META}protocolVersion": version, f"{META}clientInfo": CLIENT, f"{META}clientCapabilities": {}}
    message = {"jsonrpc": "2.0", "id": 0, "method": "server/discover", "params": {"_meta": meta}}
    assert early_answer(message) == sdk_answer(message, tmp_path)


def test_versions_are_the_sdks() -> None:
    assert HANDSHAKE_VERSIONS == HANDSHAKE_PROTOCOL_VERSIONS
    assert ENVELOPE_VERSIONS == MODERN_PROTOCOL_VERSIONS


@pytest.mark.parametrize(
    "message",
    [
        [],
        {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}},
        {"jsonrpc": "1.0", "id": 1, "method": "initialize", "params": {}},
        {"jsonrpc": "2.0", "id": 1, "method": "initialize"},
        {
            "jsonrpc": "2.0",
            "id": True,
            "method": "initialize",
            "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": CLIENT},
        },
        {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "initialize",
            "params": {"protocolVersion": "2099-01-01", "capabilities": {}, "clientInfo": CLIENT},
        },
        {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "initialize",
            "params": {"protocolVersion": "2025-06-18", "capabilities": {"roots": 5}, "clientInfo": CLIENT},
        },
        {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "initialize",
            "params": {"protocolVersion": "2025-06-18", "capabilities": {}},
        },
        {"jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": {}},
        {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "server/discover",
            "params": {"_meta": {f"{META}protocolVersion": "2026-07-28"}},
        },
    ],
)
def test_what_is_not_known_is_left_to_the_sdk(message: Any) -> None:
    assert early_answer(message) is None


def test_answers_of_every_size_fit_their_schema(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "memory.db", embedder="none") as memory:
        memory.episodes.add_many(
            "s", [{"user_message": f"wind {n}", "metadata": {"none": None}} for n in range(900)]
        )
        memory.episodes.add("s", user_message="wind " * 100_000, metadata={"many": ["wind"] * 50_000})
        for name, given in [
            ("recall", {"question": "wind", "top": 100, "neighbours": 10}),
            ("list_episodes", {"limit": 1000}),
            ("get_session", {"session": "s"}),
            ("status", {}),
        ]:
            operation = BY_NAME[name]
            request = operation.request.model_validate(given)
            answer = shortened(request, lambda asked, run=operation.run: run(memory, asked))
            jsonschema.validate(answer, output_schema(operation))
            assert chars(answer) <= MAX_ANSWER_CHARS
        assert plain(memory.episodes.list(limit=1))["items"][0]["metadata"] == {"none": None}


def test_many_receipts_are_shown_in_part(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "memory.db", embedder="none") as memory:
        operation = BY_NAME["add_episodes"]
        request = operation.request.model_validate(
            {"session": "s", "episodes": [{"user_message": "x"}] * 3_000}
        )
        answer = shortened(request, lambda asked: operation.run(memory, asked))
        shown = len(answer["receipts"])
        assert answer["shortened"] == f"{shown} of 3000 receipts are shown; all was saved."
        assert memory.sessions.get("s").episode_count == 3_000


def test_without_the_extra_the_error_names_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "mcp", None)
    with pytest.raises(MissingExtra) as caught:
        serve_stdio(Settings(path=tmp_path / "memory.db"))
    assert "pip install 'ricordo[mcp]'" in caught.value.cure
