"""What is generated, compared with a file; RICORDO_UPDATE_SNAPSHOTS=1 writes the file anew."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

UPDATE = "RICORDO_UPDATE_SNAPSHOTS"


def check_text(file: Path, text: str) -> None:
    """A text is as it was."""
    if os.environ.get(UPDATE):
        file.write_text(text, encoding="utf-8")
    assert text == file.read_text(encoding="utf-8"), f"if it is meant: {UPDATE}=1"


def check_json(file: Path, value: Any) -> None:
    """A value is as it was, however the file is laid out."""
    if os.environ.get(UPDATE):
        file.write_text(json.dumps(value, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    assert value == json.loads(file.read_text(encoding="utf-8")), f"if it is meant: {UPDATE}=1"
