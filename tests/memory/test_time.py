"""Times are points in time: any zone comes in, UTC is kept, and no clock is trusted to go forward."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from ricordo.clock import time_ordered_ids
from ricordo.errors import InvalidInput
from ricordo.memory import Memory
from ricordo.records.base import Kind
from ricordo.records.moment import from_micros, to_micros

from .opening import NOON, SetClock, open_memory

NEAR_MIDNIGHT = datetime(2024, 3, 1, 2, 0, tzinfo=UTC)
"""Still the 29th of February at UTC-8."""

WEST, EAST = timezone(timedelta(hours=-8)), timezone(timedelta(hours=8))


def test_a_moment_is_the_same_in_every_zone(memory: Memory) -> None:
    given = [
        "2024-02-29T18:00:00-08:00",
        "2024-03-01T02:00:00Z",
        "2024-03-01T10:00:00+08:00",
        NEAR_MIDNIGHT.astimezone(WEST),
        NEAR_MIDNIGHT.astimezone(EAST),
    ]
    for moment in given:
        receipt = memory.episodes.add("talk", user_message="Nearly midnight.", occurred_at=moment)
        kept = memory.episodes.get(receipt.id).occurred_at
        assert (kept, kept.utcoffset()) == (NEAR_MIDNIGHT, timedelta(0))
    for since, until, inside in (
        ("2024-02-29T00:00:00-08:00", "2024-03-01T00:00:00-08:00", True),
        ("2024-03-01T00:00:00-08:00", "2024-03-02T00:00:00-08:00", False),
        ("2024-03-01T00:00:00Z", "2024-03-02T00:00:00Z", True),
        ("2024-03-01T10:00:00+08:00", "2024-03-01T10:00:01+08:00", True),
        ("2024-03-01T02:00:00+08:00", "2024-03-01T10:00:00+08:00", False),
    ):
        found = len(given) if inside else 0
        assert len(memory.recall("midnight", filters={"since": since, "until": until}).hits) == found
        assert memory.episodes.list(since=since, until=until).total == found


def test_noon_in_the_east(memory: Memory) -> None:
    memory.episodes.add("talk", user_message="Lunch time.", occurred_at="2024-05-01T12:45:00+08:00")
    hit = memory.recall("lunch").hits[0]
    assert hit.source.occurred_at == datetime(2024, 5, 1, 4, 45, tzinfo=UTC)
    assert memory.recall("lunch", as_of="2024-05-01T12:44:59+08:00").hits == ()
    assert memory.recall("lunch", as_of="2024-05-01T12:45:00+08:00").hits


def test_microseconds_are_kept(memory: Memory) -> None:
    moment = datetime(2024, 5, 1, 4, 45, 59, 999_999, tzinfo=UTC)
    receipt = memory.facts.add("A precise one.", valid_from=moment)
    assert memory.facts.get(receipt.id).valid_from == moment
    assert memory.recall("precise", as_of=moment).hits
    assert memory.recall("precise", as_of=moment - timedelta(microseconds=1)).hits == ()
    for extreme in (datetime(1, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC)):
        assert from_micros(to_micros(extreme)) == extreme
        name = memory.episodes.add("talk", user_message="extreme", occurred_at=extreme).id
        assert memory.episodes.get(name).occurred_at == extreme


@pytest.mark.parametrize("naive", ["2024-03-01T12:00:00", datetime(2024, 3, 1, 12)])
def test_a_time_without_a_zone_is_refused(memory: Memory, naive: Any) -> None:
    receipt = memory.facts.add("The zebra.")
    attempts = [
        lambda: memory.episodes.add("talk", user_message="x", occurred_at=naive),
        lambda: memory.facts.add("x", valid_from=naive),
        lambda: memory.facts.add("x", valid_until=naive),
        lambda: memory.facts.update(receipt.id, {"valid_until": naive}),
        lambda: memory.recall("zebra", as_of=naive),
        lambda: memory.recall("zebra", filters={"since": naive}),
        lambda: memory.episodes.list(until=naive),
        lambda: memory.facts.list(since=naive),
    ]
    for attempt in attempts:
        with pytest.raises(InvalidInput, match="timezone"):
            attempt()
    assert memory.episodes.list().total == 0
    assert memory.facts.list().total == 1
    assert memory.facts.get(receipt.id).revision == 1


def test_a_time_that_is_none_is_refused(memory: Memory) -> None:
    for given in ("0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00", "soon", 1e30):
        with pytest.raises(InvalidInput):
            memory.episodes.add("talk", user_message="x", occurred_at=given)
    assert memory.sessions.list().total == 0


def test_an_interval_must_be_in_order(memory: Memory) -> None:
    for begin, end in (("2024-02-01T00:00:00Z", "2024-01-01T00:00:00Z"), ("2024-02-01T00:00:00Z",) * 2):
        with pytest.raises(InvalidInput):
            memory.facts.add("x", valid_from=begin, valid_until=end)
    receipt = memory.facts.add("x", valid_from="2024-02-01T00:00:00Z")
    with pytest.raises(InvalidInput):
        memory.facts.update(receipt.id, {"valid_until": "2024-01-01T00:00:00Z"})
    assert memory.facts.get(receipt.id).revision == 1


def test_a_fact_of_january_recorded_in_march(path: Path) -> None:
    with open_memory(path, clock=SetClock()) as memory:
        memory.facts.add(
            "The bridge was closed.", valid_from="2024-01-05T00:00:00Z", valid_until="2024-01-20T00:00:00Z"
        )
        assert memory.recall("bridge").hits == ()
        assert memory.recall("bridge", as_of="2024-01-10T00:00:00Z").hits
        assert memory.facts.list(since=NOON).total == 1
        assert memory.facts.list(until=NOON).total == 0


def test_a_clock_that_goes_back(path: Path) -> None:
    clock = SetClock()
    with open_memory(path, clock=clock) as memory:
        memory.episodes.add("talk", user_message="Zebra before.", external_id="1")
        first = memory.remember("The fact before.")
        clock.pass_by(days=-2)
        memory.episodes.add("talk", user_message="Zebra after.", external_id="2")
        assert memory.facts.update(first.id, {"content": "The fact after."}).revision == 2
        assert [turn.external_id for turn in memory.episodes.list(session="talk").items] == ["1", "2"]
        assert len(memory.recall("zebra", kinds=["episode"]).hits) == 2
        assert memory.recall("fact after").hits[0].text == "The fact after."
        assert [entry.revision for entry in memory.facts.history(first.id).items] == [2, 1]
        assert memory.upkeep.verify().clean
        assert memory.doctor.diagnose().healthy


def test_work_that_was_queued_by_a_clock_ahead_is_not_lost(path: Path) -> None:
    clock = SetClock()
    with open_memory(path, clock=clock) as memory:
        memory.facts.add("The zebra.", defer=True)
        clock.pass_by(days=-2)
        memory.facts.add("The camel.", defer=True)
        memory.upkeep.drain()
        assert memory.upkeep.verify().clean
        assert memory.upkeep.pending_report().queue.total == 0


def test_ids_of_one_instant_differ() -> None:
    make = time_ordered_ids(SetClock())
    made = [make(Kind.FACT) for _ in range(5_000)]
    assert len(set(made)) == len(made)
    assert all(name.startswith("fact-") for name in made)


def test_ids_rise_with_time() -> None:
    clock = SetClock()
    make = time_ordered_ids(clock)
    made = []
    for _ in range(100):
        made.append(make(Kind.EPISODE))
        clock.pass_by(milliseconds=1)
    assert made == sorted(made)
