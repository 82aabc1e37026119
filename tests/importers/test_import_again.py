from __future__ import annotations

import json
import os
import signal
import time

import pytest

from processes import python, started
from ricordo.errors import Forbidden
from ricordo.importers.chat import import_chat
from ricordo.memory import Memory
from ricordo.records.principal import Permission, Principal

from .samples import garden, lines, said

SAMPLES = {
    "garden.json": json.dumps([garden()]),
    "chat.jsonl": lines(said("user", "one"), said("assistant", "two", id="m2"), said("user", "one")),
    "chat.txt": "Nora: hi\nPiero: hi\nNora: hi\n",
}


@pytest.mark.parametrize("name", SAMPLES)
def test_importing_again_adds_nothing(name, take, turns):
    first = take(name, SAMPLES[name])
    before = turns()
    second = take(name, SAMPLES[name])
    assert (first.episodes_added, second.episodes_added) == (3, 0)
    assert second.episodes_known == 3
    assert turns() == before


@pytest.mark.parametrize(
    ("name", "more"),
    [("chat.jsonl", lines(said("user", "one"), said("user", "new"))), ("chat.txt", "Nora: hi\nPiero: new\n")],
)
def test_an_extended_file_adds_only_what_is_new(name, more, take, turns):
    take(name, SAMPLES[name])
    report = take(name, SAMPLES[name] + more)
    assert (report.episodes_known, report.episodes_added) == (3, 2)
    assert turns()[-1].text == "new"


@pytest.mark.parametrize("name", SAMPLES)
def test_a_dry_run_says_what_would_happen_and_changes_nothing(name, take, turns, memory):
    report = take(name, SAMPLES[name], dry_run=True)
    assert (report.dry_run, report.episodes_added) == (True, 3)
    assert not turns()
    assert not memory.sessions.list().items
    take(name, SAMPLES[name])
    assert take(name, SAMPLES[name], dry_run=True).episodes_known == 3


def test_a_dry_run_needs_no_right_to_write(memory, write):
    reader = memory.acting_as(Principal(id="guest", permissions=frozenset({Permission.READ})))
    file = write("chat.txt", "Nora: hi\n")
    assert import_chat(reader, file, dry_run=True).episodes_added == 1
    with pytest.raises(Forbidden):
        import_chat(reader, file)


def test_stopping_keeps_what_was_read_and_a_second_import_goes_on(take, turns):
    text = lines(*(said("user", f"turn {number}") for number in range(50)))
    asked = iter([False] * 20 + [True] * 99)
    report = take("chat.jsonl", text, stop=lambda: next(asked))
    assert (report.stopped, report.episodes_added) == (True, 20)
    assert take("chat.jsonl", text).episodes_added == 30
    assert [found.text for found in turns()] == [f"turn {number}" for number in range(50)]


def test_progress_rises_to_the_whole_file(take):
    seen: list[tuple[int, int]] = []
    text = lines(*(said("user", f"turn {number} {'x' * 300}") for number in range(1100)))
    take("chat.jsonl", text, progress=lambda done, total: seen.append((done, total)))
    assert seen == sorted(seen)
    assert seen[-1] == (len(text), len(text))
    assert len(seen) == 3


def test_imported_turns_are_found_at_once(take, memory):
    take("garden.json", SAMPLES["garden.json"])
    best = memory.recall("Who has lemon trees?", kinds=["episode"]).hits[0]
    assert best.source.session == "garden/session_1"
    assert best.source.speaker == "Nora"


IMPORT = """
import sys
from pathlib import Path
from ricordo.importers.chat import import_chat
from ricordo.memory import Memory
with Memory.open(sys.argv[1], embedder="hashing") as memory:
    import_chat(memory, Path(sys.argv[2]), progress=lambda done, total: print(done, flush=True))
"""


def test_killed_imports_leave_exactly_one_of_each(archive, write):
    count = 1_700
    file = write("chat.jsonl", lines(*(said("user", f"turn {number} about tea") for number in range(count))))
    for batches, delay_s in ((1, 0.02), (1, 0.1)):
        with started(python(IMPORT, str(archive), str(file)), stderr=None) as process:
            for _ in range(batches):
                assert process.stdout is not None
                process.stdout.readline()
            time.sleep(delay_s)
            os.kill(process.pid, signal.SIGKILL)
    with Memory.open(archive, embedder="hashing") as memory:
        kept = memory.sessions.get("chat").episode_count
        assert kept > 0
        report = import_chat(memory, file)
        assert report.episodes_known + report.episodes_added == count
        assert report.episodes_known == kept
        found = []
        cursor = None
        while True:
            page = memory.episodes.list(limit=1000, cursor=cursor)
            found += page.items
            cursor = page.next_cursor
            if cursor is None:
                break
        assert [item.text for item in found] == [f"turn {number} about tea" for number in range(count)]
        assert [item.position for item in found] == list(range(1, count + 1))
        assert memory.upkeep.pending_report().queue.total == count
        checked = memory.upkeep.verify()
        assert (checked.missing, checked.stale, checked.orphans) == (0, 0, 0)
