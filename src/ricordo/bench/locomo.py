"""LoCoMo (Maharana et al., ACL 2024): long two-person chats, every turn one episode.

Recall of the evidence's turns over questions of categories 1 to 4, each within its own
conversation. Evidence that names no turn is dropped; strings with two ids are split.
Category 5 asks for what was never said, and is measured as abstention.
"""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from ricordo.bench.cases import Case, KeyOf, Question, Suite, external_id, part_of
from ricordo.bench.datasets import data_file, read_json
from ricordo.importers.chat import import_chat
from ricordo.importers.moments import read_moment
from ricordo.memory import Memory

FOLDER, FILE = "nc-locomo", "conversations.json.gz"

TUNED = 2
"""Settings were chosen on the first so many conversations."""

CATEGORIES = {"1": "multi-hop", "2": "temporal", "3": "open", "4": "single-hop", "5": "adversarial"}

_TURN_ID = re.compile(r"D:?(\d+):0*(\d+)")


def load(data: Path, limit: int | None = None) -> Suite:
    """The suite.

    Args:
        data: See `data_file`.
        limit: Only the first so many conversations.
    """
    samples = read_json(data_file(data, FOLDER, FILE))[:limit]
    return Suite(
        name="locomo",
        cases=tuple(_case(place, sample) for place, sample in enumerate(samples)),
        categories=CATEGORIES,
        parts={"tuned": f"conversations 0 to {TUNED - 1}", "held_out": "the other conversations"},
        unanswerable="5",
    )


def _case(place: int, sample: dict[str, Any]) -> Case:
    talk = sample["conversation"]
    turns = {turn["dia_id"] for name, value in talk.items() if isinstance(value, list) for turn in value}
    times = [read_moment(value, UTC) for name, value in talk.items() if name.endswith("_date_time")]
    last = max((time for time in times if time is not None), default=datetime.now(UTC))

    def fill(memory: Memory, folder: Path) -> KeyOf:
        file = folder / f"conversation-{place}.json"
        slim = {"sample_id": sample.get("sample_id", str(place)), "conversation": talk}
        file.write_text(json.dumps(slim), encoding="utf-8")
        import_chat(memory, file, format="locomo")
        return external_id

    return Case(
        name=str(sample.get("sample_id", place)),
        part=part_of(place, TUNED),
        kind="episode",
        questions=tuple(_question(item, turns) for item in sample["qa"]),
        fill=fill,
        as_of=last + timedelta(days=1),
    )


def _question(item: dict[str, Any], turns: set[str]) -> Question:
    named = [f"D{session}:{turn}" for text in item.get("evidence", ()) for session, turn in _ids(text)]
    category = str(item["category"])
    gold = frozenset(name for name in named if name in turns)
    return Question(
        text=str(item["question"]), gold=gold, category=category, counted=category != "5" and bool(gold)
    )


def _ids(evidence: Any) -> list[tuple[str, str]]:
    return _TURN_ID.findall(str(evidence))
