from __future__ import annotations

import json
import tracemalloc
from datetime import UTC

import pytest

from ricordo.importers.chat import FORMATS, import_chat
from ricordo.importers.source import Source
from ricordo.importers.turns import Wanted

from .samples import lines, said, talk, turn

MEGABYTES = 11
LONG = "A long story about boats and tides. " * 560  # 20 KB


def _text(each: str, count: int) -> str:
    return "".join(f"Nora: {number} {each}\n" for number in range(count))


def _sample(name: str, each: str, count: int) -> str:
    if name == "openai":
        return lines(*(said("user", f"{number} {each}") for number in range(count)))
    if name == "locomo":
        return json.dumps(
            talk(session_1=[turn(number, "Nora", f"{number} {each}") for number in range(count)])
        )
    return _text(each, count)


@pytest.mark.parametrize("name", ["locomo", "openai", "text"])
@pytest.mark.parametrize("long", [True, False])
def test_eleven_megabytes_are_read_in_little_memory(name, long, write):
    each = LONG if long else "Boats and tides."
    size = MEGABYTES * 1_000_000 if long else 400_000
    file = write("big", _sample(name, each, size // (len(each) + 30)))
    chosen = next(item for item in FORMATS if item.name == name)
    with Source(file) as source:
        tracemalloc.start()
        read = sum(1 for _ in chosen.read(source, Wanted(None, None, UTC)))
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert read == size // (len(each) + 30)
    assert peak < 6_000_000


def test_a_transcript_of_eleven_megabytes_is_imported(memory, write):
    count = MEGABYTES * 1_000_000 // len(LONG)
    file = write("big.txt", _text(LONG, count) + f"Piero: {LONG} The word is zanzibar.\n")
    report = import_chat(memory, file)
    assert (report.episodes_added, report.skipped_count) == (count + 1, 0)
    hit = memory.recall("zanzibar").hits[0]
    assert hit.text.endswith("The word is zanzibar.")


def test_one_message_of_eleven_megabytes(memory, write):
    body = "boats and tides " * (MEGABYTES * 1_000_000 // 16)
    file = write("huge.jsonl", lines(said("user", body), said("user", "small")))
    assert import_chat(memory, file, dry_run=True).episodes_added == 2
