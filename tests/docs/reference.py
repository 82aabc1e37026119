"""Writes docs/reference.md from the tables of the program; a test holds the file to it."""

from __future__ import annotations

import inspect
from pathlib import Path

from pydantic_core import PydanticUndefined

from ricordo import errors
from ricordo.errors import RicordoError
from ricordo.operations import OPERATIONS
from ricordo.settings import ENVIRONMENT_PREFIX, Settings
from ricordo.surfaces.errors import TABLE

REFERENCE = Path(__file__).parents[2] / "docs" / "reference.md"

HEAD = """# Reference

Made from the program's own tables; `RICORDO_UPDATE_SNAPSHOTS=1 make test` makes it anew.

"""


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def settings() -> str:
    """The table of settings."""
    rows = [
        "## Settings",
        "",
        "An option or argument wins over the environment, which wins over a YAML file.",
    ]
    rows += ["", "| name | environment | default | meaning |", "|---|---|---|---|"]
    for name, field in Settings.model_fields.items():
        default = "" if field.default in (PydanticUndefined, None) else str(field.default)
        meaning = _cell(field.description or "")
        rows.append(f"| `{name}` | `{ENVIRONMENT_PREFIX}{name.upper()}` | {default} | {meaning} |")
    return "\n".join(rows)


def every_error() -> list[type[RicordoError]]:
    """All classes of the tree, in the order of their definition."""
    found = [item for item in vars(errors).values() if inspect.isclass(item)]
    return [item for item in found if issubclass(item, RicordoError)]


def error_codes() -> str:
    """The table of errors."""
    rows = [
        "## Errors",
        "",
        'Every surface answers `{"error": {"code", "message", "retry_helps", "details"}}`.',
    ]
    rows += ["Over MCP it is a tool error with the same content. Exit code 2 is a usage error."]
    rows += ["", "| code | meaning | retry helps | HTTP | exit code |", "|---|---|---|---|---|"]
    for kind in every_error():
        shown = TABLE[kind]
        meaning = _cell((kind.__doc__ or "").splitlines()[0])
        retry = "yes" if kind.retry_helps else "no"
        rows.append(f"| `{kind.code}` | {meaning} | {retry} | {shown.http_status} | {shown.exit_code} |")
    return "\n".join(rows)


def operations() -> str:
    """The table of operations."""
    rows = ["## Operations", "", "The same names over HTTP (operation ids) and MCP (tools)."]
    rows += ["", "| name | does | permission | kind |", "|---|---|---|---|"]
    for operation in OPERATIONS:
        kind = "reads" if operation.read_only else "destroys" if operation.destructive else "writes"
        summary = _cell(operation.summary)
        rows.append(f"| `{operation.name}` | {summary} | `{operation.permission}` | {kind} |")
    return "\n".join(rows)


def reference() -> str:
    """The whole page."""
    return HEAD + "\n\n".join((settings(), error_codes(), operations())) + "\n"
