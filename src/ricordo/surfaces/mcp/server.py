"""The SDK's server with our handlers: the protocol is the SDK's, the answers are ours."""

from __future__ import annotations

from functools import partial
from typing import IO, Any, cast

import anyio
import mcp_types as types
from anyio.to_thread import run_sync
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from ricordo.surfaces.background_memory import BackgroundMemory
from ricordo.surfaces.mcp import calls, resources
from ricordo.surfaces.mcp.conversation import Conversation, Incoming, Outgoing
from ricordo.surfaces.mcp.identity import INSTRUCTIONS, NAME
from ricordo.surfaces.mcp.tools import tool_list
from ricordo.version import __version__

Context = ServerRequestContext[Any, Any]
Listing = types.PaginatedRequestParams | None


def make_server(background: BackgroundMemory) -> Server[Any]:
    """The server over a memory that may still be opening."""

    async def list_tools(context: Context, params: Listing) -> types.ListToolsResult:
        return types.ListToolsResult(tools=tool_list())

    async def call_tool(context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        call = partial(calls.call_tool, background, params.name, params.arguments or {})
        return await run_sync(call, abandon_on_cancel=True)

    async def list_resources(context: Context, params: Listing) -> types.ListResourcesResult:
        return types.ListResourcesResult(resources=[])

    async def list_templates(context: Context, params: Listing) -> types.ListResourceTemplatesResult:
        return types.ListResourceTemplatesResult(resource_templates=resources.templates())

    async def read_resource(
        context: Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        return await run_sync(partial(resources.read, background, str(params.uri)), abandon_on_cancel=True)

    return Server(
        NAME,
        version=__version__,
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources,
        on_list_resource_templates=list_templates,
        on_read_resource=read_resource,
    )


def converse(background: BackgroundMemory, conversation: Conversation) -> None:
    """Serve one client until it closes its side."""
    server = make_server(background)

    async def run() -> None:
        incoming = anyio.wrap_file(cast(IO[str], Incoming(conversation)))
        outgoing = anyio.wrap_file(cast(IO[str], Outgoing(conversation)))
        async with stdio_server(stdin=incoming, stdout=outgoing) as (asked, answered):
            await server.run(asked, answered, server.create_initialization_options())

    anyio.run(run)
