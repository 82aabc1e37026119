"""Finding what looks like a credential where none belongs: a settings file is shown and shared."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

SECRET_NAMES = re.compile(
    r"(^|_)(api_?keys?|keys?|passwords?|passwd|pwd|secrets?|tokens?|credentials?|auth|bearer|user(name)?)$",
    re.IGNORECASE,
)
"""Names of settings that would hold one."""

_SECRETS = (
    (re.compile(r"://[^/?#\s]*@"), "a user or password in an address"),
    (
        re.compile(
            r"[?&;](api[-_]?key|key|access[-_]?token|token|secret|password|sig)=[^&\s]", re.IGNORECASE
        ),
        "a key in an address",
    ),
    (re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY"), "a private key"),
    (re.compile(r"\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*"), "a token"),
    (re.compile(r"\b(bearer|basic)\s+[\w.~+/=-]{8,}", re.IGNORECASE), "a token"),
    (
        re.compile(
            r"\b(sk-[\w-]{12,}|sk_(live|test)_\w{8,}|gsk_\w{12,}|hf_\w{12,}|r8_\w{12,}|pk-[\w-]{16,}|xox[a-z]-[\w-]{8,}"
            r"|gh[opsur]_\w{16,}|github_pat_\w{16,}|glpat-[\w-]{12,}|AKIA[A-Z0-9]{12,}|AIza[\w-]{20,}|nvapi-[\w-]{12,})"
        ),
        "a key",
    ),
)


def credential_in(value: Any) -> str | None:
    """What sort of credential a value seems to hold; None where it holds none. Never the credential."""
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, list | tuple):
        return next((found for item in value if (found := credential_in(item))), None)
    text = str(value)
    return next((what for pattern, what in _SECRETS if pattern.search(text)), None)


def names_a_credential(name: str) -> bool:
    """Whether a setting of this name would hold one."""
    return SECRET_NAMES.search(name.replace("-", "_")) is not None
