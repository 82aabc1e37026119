"""Eight processes at once on one file, also on one that is not there yet: no error, nothing lost."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

from ricordo.embed.hashing import HashingEmbedder

from .opening import open_memory
from .processes import Process

PROCESSES = 8
ROUNDS = 2

MIXED = f"""
say(ready=True)
sys.stdin.readline()
with opened() as memory:
    kept, gone = {{}}, []
    for turn in range({ROUNDS}):
        word = f"zq{{number}}w{{turn}}kx"
        one = memory.remember(f"fact {{word}}", domain=f"process {{number}}")
        kept[one.id] = f"fact {{word}}"
        two = memory.episodes.add("everyone", user_message=f"turn {{word}}", external_id=word)
        kept[two.id] = f"turn {{word}}"
        again = memory.episodes.add("everyone", user_message="again", external_id=word)
        assert again.id == two.id and not again.created
        assert memory.recall(word).hits, word
        memory.episodes.add_many(f"own {{number}}", [{{"speaker": "Ada", "user_message": word}}] * 10)
        memory.facts.update(one.id, {{"content": f"fact {{word}} changed"}}, revision=1)
        kept[one.id] = f"fact {{word}} changed"
        three = memory.remember(f"to be deleted {{word}}", defer=True)
        memory.facts.delete(three.id)
        gone.append(three.id)
        if turn == 1:
            memory.upkeep.drain()
    say(kept=kept, gone=gone)
"""


def test_eight_processes_begin_at_once_on_a_file_that_is_not_there(tmp_path: Path) -> None:
    path = tmp_path / "new" / "memory.db"
    kept: dict[str, str] = {}
    gone: list[str] = []
    with ExitStack() as stack:
        running = [stack.enter_context(Process(MIXED, path, number)) for number in range(PROCESSES)]
        for process in running:
            assert next(process.said()) == {"ready": True}
        for process in running:
            process.go()
        for process in running:
            for line in process.said():
                kept |= line["kept"]
                gone += line["gone"]
        assert [process.ended() for process in running] == [(0, "")] * PROCESSES
    assert len(kept) == 2 * PROCESSES * ROUNDS
    with open_memory(path, embedder=HashingEmbedder(64)) as memory:
        facts = {fact.id: fact.content for fact in memory.facts.list(limit=1000).items}
        turns = memory.episodes.list(session="everyone", limit=1000).items
        assert facts | {turn.id: turn.text for turn in turns} == kept
        assert [turn.position for turn in turns] == list(range(1, PROCESSES * ROUNDS + 1))
        assert not facts.keys() & set(gone)
        for number in range(PROCESSES):
            own = memory.episodes.list(session=f"own {number}", limit=1000).items
            assert [turn.position for turn in own] == list(range(1, 10 * ROUNDS + 1))
        memory.upkeep.retry()
        memory.upkeep.drain()
        report = memory.upkeep.verify()
        assert report.clean, report
        assert memory.upkeep.pending_report().queue.total == 0
        assert memory.doctor.diagnose().healthy
    assert [item.name for item in path.parent.iterdir()] == ["memory.db"]
