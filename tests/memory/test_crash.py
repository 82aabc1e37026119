"""Processes die by SIGKILL in the middle: nothing acknowledged is lost, nothing is there twice."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from ricordo.embed.hashing import HashingEmbedder
from ricordo.memory import Memory
from ricordo.records.upkeep import VerifyReport

from .opening import SetClock, open_memory
from .processes import Process

WRITE = """
with opened() as memory:
    said = {}
    for step in range(100_000):
        word = f"zq{number}w{step}kx"
        if step % 4 == 0:
            turns = [{"user_message": f"{word} part {part}"} for part in range(3)]
            made = memory.episodes.add_many("talk", turns)
        elif step % 4 == 1:
            made = [memory.remember(f"the fact {word}", defer=step % 8 == 1)]
        elif step % 4 == 2:
            name, text = next(iter(said.items()))
            made = [memory.episodes.update(name, {"user_message": f"{word} part 0"})]
        else:
            name = list(said)[len(said) // 2]
            (memory.facts if name.startswith("fact") else memory.episodes).delete(name)
            del said[name]
            say(deleted=name)
            continue
        texts = {
            receipt.id: f"the fact {word}" if receipt.kind == "fact" else f"{word} part {part}"
            for part, receipt in enumerate(made)
        }
        said.update(texts)
        say(kept=texts)
"""


def _acknowledged(process: Process, lines: int) -> dict[str, str]:
    """What a process has acknowledged when it is killed after so many lines, and all it said until then."""
    texts: dict[str, str] = {}
    count = 0
    for line in process.said():
        _note(texts, line)
        count += 1
        if count == lines:
            process.kill()  # goes on reading: what was said before it died counts too
    assert count >= lines
    return texts


def _note(texts: dict[str, str], line: dict[str, Any]) -> None:
    texts.update(line.get("kept", {}))
    texts.pop(line.get("deleted", ""), None)


def _all(memory: Memory) -> dict[str, str]:
    """Every record's text by id; fails where one is there twice."""
    found: list[tuple[str, str]] = []
    cursor: str | None = None
    for listing in (memory.episodes.list, memory.facts.list):
        while True:
            page = listing(limit=500, cursor=cursor)
            found += [(item.id, getattr(item, "content", None) or item.text) for item in page.items]
            cursor = page.next_cursor
            if cursor is None:
                break
    assert max(Counter(name for name, _ in found).values(), default=1) == 1
    return dict(found)


def _assert_entries_are_right(report: VerifyReport) -> None:
    assert report.missing == report.stale == report.orphans == report.orphan_vectors == 0, report


@pytest.mark.parametrize("lines", [1, 6, 29])
def test_killed_while_writing(path: Path, lines: int) -> None:
    with Process(WRITE, path) as process:
        texts = _acknowledged(process, lines)
    with open_memory(path, embedder=HashingEmbedder(64)) as memory:
        there = _all(memory)
        lost = {name: text for name, text in texts.items() if name not in there}
        changed = {name for name in texts.keys() & there.keys() if texts[name] != there[name]}
        # One write may have been committed without being said: a deletion, a change, or an addition.
        assert len(lost) + len(changed) <= 1
        assert len(there.keys() - texts.keys()) <= 3
        _assert_entries_are_right(memory.upkeep.verify())
        memory.upkeep.retry()
        memory.upkeep.drain()
        assert memory.upkeep.verify().clean
        assert memory.upkeep.pending_report().queue.total == 0
        for name in list(texts.keys() & there.keys())[:5]:
            assert name in [hit.id for hit in memory.recall(there[name], top=20).hits]
        assert memory.doctor.diagnose().healthy


REBUILD = """
with opened() as memory:
    memory.upkeep.rebuild(full=True, report=lambda step, done, total: say(step=step, done=done))
"""


@pytest.mark.parametrize(("step", "lines"), [("entries", 2), ("vectors", 2)])
def test_killed_while_rebuilding(path: Path, step: str, lines: int) -> None:
    with open_memory(path, embedder=HashingEmbedder(64)) as memory:
        for session in ("a", "b", "c"):
            memory.episodes.add_many(
                session, [{"user_message": f"{session} zq{number}kx said"} for number in range(60)]
            )
        memory.facts.add_many([{"content": f"fact zq{number}yx holds"} for number in range(60)])
        memory.upkeep.drain()
        before = _all(memory)
    with Process(REBUILD, path) as process:
        seen = 0
        for line in process.said():
            seen += line["step"] == step
            if seen == lines:
                process.kill()
        assert seen >= lines
    with open_memory(path, embedder=HashingEmbedder(64)) as memory:
        assert _all(memory) == before
        _assert_entries_are_right(memory.upkeep.verify())
        assert memory.recall("zq7yx").hits[0].text == "fact zq7yx holds"
        report = memory.upkeep.rebuild()
        assert report.pending == 0
        assert memory.upkeep.verify().clean
        assert memory.recall("fact zq7yx").hits[0].text == "fact zq7yx holds"


DRAIN = """
class Slow(HashingEmbedder):
    def embed_passages(self, texts):
        time.sleep(0.3)
        say(batch=len(texts))
        return super().embed_passages(texts)

with opened(Slow(64)) as memory:
    memory.upkeep.drain(progress=lambda done, total: say(done=done))
"""


@pytest.mark.parametrize("done", [0, 64])
def test_killed_while_embedding(path: Path, done: int) -> None:
    clock = SetClock()
    with open_memory(path, embedder=HashingEmbedder(64)) as memory:
        memory.facts.add_many([{"content": f"fact zq{number}yx holds"} for number in range(200)])
    with Process(DRAIN, path) as process:
        for line in process.said():
            if line.get("done", 0) >= done:
                process.kill()
    with open_memory(path, embedder=HashingEmbedder(64)) as memory:
        left = memory.upkeep.pending_report().queue.total
        assert 0 < left <= 200 - done
        clock.now = memory.upkeep.pending().items[0].queued_at
        memory.upkeep.drain()
        assert memory.upkeep.pending_report().queue.total <= 32  # what the dead process had leased
    clock.pass_by(minutes=10)
    with open_memory(path, embedder=HashingEmbedder(64), clock=clock) as memory:
        memory.upkeep.drain()
        assert memory.upkeep.pending_report().queue.total == 0
        report = memory.upkeep.verify()
        assert report.clean
        assert report.checked == 200
        assert memory.recall("zq7yx").degraded == ()


CREATE = """
say(begun=True)
with opened() as memory:
    say(opened=True)
    time.sleep(60)
"""


def test_killed_while_the_archive_is_made(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with Process(CREATE, path) as process:
        for line in process.said():
            if "begun" in line:
                while not list(tmp_path.iterdir()):
                    pass
                process.kill()
    with open_memory(path) as memory:
        memory.remember("It lives.")
        assert memory.upkeep.verify().clean
