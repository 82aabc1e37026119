"""Candidates that cannot be among the results are not looked at, and the answer is the same."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

import pytest

from ricordo import Memory
from ricordo.embed.hashing import HashingEmbedder
from ricordo.recall import pipeline
from ricordo.recall.contenders import contenders
from ricordo.recall.plan import Plan
from ricordo.recall.pool import Ints, Pools
from ricordo.records.base import Kind

WORDS = "river stone lamp garden train letter winter market bread music boat hill coat window bridge".split()
BEGIN = datetime(2024, 1, 1, tzinfo=UTC)
QUESTIONS = 60


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    """Four hundred turns of four speakers over two years, of few words, so that many are alike."""
    random = Random(7)
    path: Path = tmp_path_factory.mktemp("contenders") / "memory.db"
    with Memory.open(path, embedder=HashingEmbedder()) as opened:
        for session in range(8):
            turns = [
                {
                    "user_message": _sentence(random),
                    "speaker": random.choice(["Ada", "Bruno", "Carla", "user"]),
                    "occurred_at": BEGIN + timedelta(days=90 * session, hours=turn),
                }
                for turn in range(50)
            ]
            opened.episodes.add_many(f"session {session}", turns)
        yield opened


def _sentence(random: Random) -> str:
    words = " ".join(random.choice(WORDS) for _ in range(random.randint(2, 9)))
    return words + random.choice(["", "?", " yesterday", " on Monday"])


def _question(random: Random) -> str:
    words = " ".join(random.choice(WORDS) for _ in range(random.randint(1, 4)))
    about = random.choice(["", "When did Ada see ", "What did I say of ", "In March 2024, what of "])
    return f"{about}{words}?"


@pytest.mark.parametrize("top", [1, 5, 20])
def test_the_answer_is_the_same(memory: Memory, monkeypatch: pytest.MonkeyPatch, top: int) -> None:
    """Hits, scores and order do not depend on leaving hopeless candidates out; and some are left out."""
    random = Random(top)
    questions = [_question(random) for _ in range(QUESTIONS)]
    spared = 0

    def counted(pools: Pools, plan: Plan, *, wanted: int, by_meaning: bool) -> dict[Kind, Ints]:
        nonlocal spared
        near = contenders(pools, plan, wanted=wanted, by_meaning=by_meaning)
        spared += sum(len(pool) for pool in pools.values()) - sum(map(len, near.values()))
        return near

    def everyone(pools: Pools, plan: Plan, *, wanted: int, by_meaning: bool) -> dict[Kind, Ints]:
        return {kind: pool.nums for kind, pool in pools.items()}

    monkeypatch.setattr(pipeline, "contenders", counted)
    quick = [memory.recall(question, top=top).hits for question in questions]
    monkeypatch.setattr(pipeline, "contenders", everyone)
    slow = [memory.recall(question, top=top).hits for question in questions]
    assert [[(hit.id, hit.retrieval) for hit in hits] for hits in quick] == [
        [(hit.id, hit.retrieval) for hit in hits] for hits in slow
    ]
    assert spared > 0
