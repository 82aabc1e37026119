"""Answers the handshake while the SDK is still being loaded.

The SDK is the protocol here. But loading it takes longer than a client should
wait for a first answer, and what it answers to the first request is known
beforehand: this module says it at once, then hands the same request to the SDK
and drops the SDK's own answer, which a test (and at run time a warning) holds to
ours. A first request that this module does not know is left to the SDK.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ricordo.surfaces.mcp.identity import CAPABILITIES, INSTRUCTIONS, server_info

HANDSHAKE_VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
"""Versions that begin with `initialize`; each is answered with itself."""

ENVELOPE_VERSIONS = ("2026-07-28",)
"""Versions whose requests carry their version, and may begin with `server/discover`."""

_META = "io.modelcontextprotocol/"


def early_answer(message: Any) -> dict[str, Any] | None:
    """The response to a well-formed first request of the protocol, or None."""
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        return None
    request_id, params = message.get("id"), message.get("params")
    if not isinstance(request_id, str | int) or isinstance(request_id, bool) or not isinstance(params, dict):
        return None
    method = message.get("method")
    if method == "initialize":
        result = _initialize(params)
    elif method == "server/discover":
        result = _discover(params)
    else:
        result = None
    return None if result is None else {"jsonrpc": "2.0", "id": request_id, "result": result}


def begins(message: Mapping[str, Any]) -> bool:
    """Whether a message begins a conversation, or needs none begun since it carries its version."""
    if message.get("method") in {"initialize", "server/discover"}:
        return True
    meta = (message.get("params") or {}).get("_meta")
    return isinstance(meta, dict) and f"{_META}protocolVersion" in meta


def encoded(message: Mapping[str, Any]) -> bytes:
    """A message as it stands on the wire."""
    return json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode()


def _initialize(params: Mapping[str, Any]) -> dict[str, Any] | None:
    version = params.get("protocolVersion")
    if version not in HANDSHAKE_VERSIONS or not isinstance(params.get("_meta", {}), dict):
        return None
    if not _are_capabilities(params.get("capabilities")) or not _is_client(params.get("clientInfo")):
        return None
    return {
        "protocolVersion": version,
        "capabilities": CAPABILITIES,
        "serverInfo": server_info(),
        "instructions": INSTRUCTIONS,
    }


def _discover(params: Mapping[str, Any]) -> dict[str, Any] | None:
    meta = params.get("_meta")
    if not isinstance(meta, dict) or meta.get(f"{_META}protocolVersion") not in ENVELOPE_VERSIONS:
        return None
    client, capabilities = meta.get(f"{_META}clientInfo"), meta.get(f"{_META}clientCapabilities")
    if not _are_capabilities(capabilities) or not _is_client(client):
        return None
    return {
        "resultType": "complete",
        "supportedVersions": list(ENVELOPE_VERSIONS),
        "capabilities": CAPABILITIES,
        "instructions": INSTRUCTIONS,
        "ttlMs": 0,
        "cacheScope": "private",
        "_meta": {f"{_META}serverInfo": server_info()},
    }


def _are_capabilities(value: Any) -> bool:
    return isinstance(value, dict) and all(isinstance(item, dict) for item in value.values())


def _is_client(value: Any) -> bool:
    return isinstance(value, dict) and all(isinstance(value.get(name), str) for name in ("name", "version"))
