"""The YAML file that `init` writes."""

from __future__ import annotations

import textwrap
from typing import Any

import yaml

from ricordo.settings import ENVIRONMENT_PREFIX, Settings

ALWAYS = frozenset({"path", "workspace", "language"})
"""Settings that stand in the file as values even where they were not given."""

HEADER = (
    "Settings of Ricordo. A line that begins with '# ' and a name shows a default: take the '# ' away "
    f"to change it. An option of the command line wins over the environment ({ENVIRONMENT_PREFIX}<NAME>), "
    "which wins over this file."
)


def settings_yaml(settings: Settings) -> str:
    """Every setting with its explanation: what was given as a value, defaults as comments."""
    values = settings.model_dump(mode="json")
    parts = [_comment(HEADER)]
    for name, field in Settings.model_fields.items():
        given = name in ALWAYS or name in settings.model_fields_set
        line = _line(name, values[name])
        parts.append(f"{_comment(field.description or '')}\n{line if given else f'# {line}'}")
    return "\n\n".join(parts) + "\n"


def _comment(text: str) -> str:
    return "\n".join(f"## {line}" for line in textwrap.wrap(text, 96))


def _line(name: str, value: Any) -> str:
    if value is None:
        return f"{name}:"
    written: str = yaml.safe_dump({name: value}, allow_unicode=True, width=10_000)
    return written.strip()
