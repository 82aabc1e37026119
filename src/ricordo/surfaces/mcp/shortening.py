"""Answers that fit into a model's context.

A listing that is too long becomes a shorter page, whose cursor leads on. Where
single texts are too long they are cut, all at the same length. What was done
stands in the answer, with the way to the rest.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from ricordo.operations import Paging
from ricordo.records.base import Value
from ricordo.records.page import Page
from ricordo.surfaces.mcp.tools import SHORTENED

MAX_ANSWER_CHARS = 80_000
"""About 20,000 tokens."""

RESERVE_CHARS = 1_000
"""Kept free for what surrounds a list, and for the note."""

CUTS = (24_000, 8_000, 3_000, 1_200, 600)
"""Lengths that texts are cut at, the first that makes the answer fit; longer than any name (512)."""

LISTS = {
    "hits": "ask for fewer with `top`",
    "items": "ask for fewer with `limit`",
    "receipts": "all was saved",
}
"""Properties of an answer that can be given in part, with what is said of the rest."""

Answer = dict[str, Any]


def shortened(request: Value, run: Callable[[Value], Value]) -> Answer:
    """Run an operation and make its answer fit.

    Args:
        request: What is asked.
        run: Does it; a listing is done a second time with a smaller limit where it is too long.
    """
    value = run(request)
    answer = plain(value)
    if chars(answer) <= MAX_ANSWER_CHARS:
        return answer
    notes = []
    if isinstance(value, Page) and isinstance(request, Paging):
        fitting = _fitting(answer["items"])
        if fitting < len(answer["items"]):
            answer = plain(run(request.model_copy(update={"limit": fitting})))
            notes.append(f"Only {fitting} items fit; go on with `next_cursor`.")
    return _cut_to_fit(answer, notes)


def plain(value: Value) -> Answer:
    """An answer as JSON values, without what is null."""
    return value.model_dump(mode="json", exclude_none=True)


def chars(value: Any) -> int:
    """Length of a value as JSON."""
    return len(json.dumps(value, ensure_ascii=False))


def _fitting(items: list[Any]) -> int:
    """How many items of a page fit, at least one."""
    room, count = MAX_ANSWER_CHARS - 2 * RESERVE_CHARS, 0
    for item in items:
        room -= chars(item) + 2
        if room < 0:
            break
        count += 1
    return max(count, 1)


def _cut_to_fit(whole: Answer, notes: list[str]) -> Answer:
    answer, lengths = whole, iter(CUTS)
    while _too_long(answer) and (length := next(lengths, None)):
        answer = _cut(whole, length)
    if answer != whole:
        where = "as the resource ricordo://<kind>/<id>"
        if any(name in answer for name in LISTS):
            where = f"with get_episode, get_fact or get_card, or {where}"
        notes.append(f"Long texts are cut, as `[...]` at their end says; read one whole {where}.")
    for name, advice in LISTS.items():
        if name in answer and _too_long(answer):
            listed = answer[name]
            answer = {**answer, name: listed[: _fitting(listed)]}
            notes.append(f"{len(answer[name])} of {len(listed)} {name} are shown; {advice}.")
    return {**answer, SHORTENED: " ".join(notes)} if notes else answer


def _too_long(answer: Answer) -> bool:
    """Whether an answer leaves no room for a note."""
    return chars(answer) > MAX_ANSWER_CHARS - RESERVE_CHARS


def _cut(value: Any, length: int, name: str = "") -> Any:
    """A value whose texts are no longer than a length, and whose free-form parts neither."""
    if isinstance(value, str):
        return (
            value
            if len(value) <= length
            else f"{value[:length]} [...] ({len(value) - length} more characters)"
        )
    if isinstance(value, list):
        return [_cut(item, length) for item in value]
    if not isinstance(value, dict):
        return value
    if name == "metadata" and chars(value) > length:
        return {SHORTENED: f"{chars(value)} characters"}
    return {key: _cut(item, length, key) for key, item in value.items()}
