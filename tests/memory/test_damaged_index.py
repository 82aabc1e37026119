"""A keyword index that was dropped or damaged is named where it is missed, and mended by one command."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from ricordo.errors import IndexDamaged
from ricordo.memory import Memory
from ricordo.records.recall import Voice

from .opening import open_memory

FACT, EPISODE = "The zebra lives in the stable.", "The camel lives in the oasis."

PARTS = ("", "_terms", "_data", "_idx", "_content", "_docsize", "_config")


def _drop(*tables: str) -> Callable[[sqlite3.Connection], None]:
    def harm(connection: sqlite3.Connection) -> None:
        for table in tables:
            connection.execute(f"DROP TABLE {table}")

    return harm


def _empty(*tables: str) -> Callable[[sqlite3.Connection], None]:
    def harm(connection: sqlite3.Connection) -> None:
        for table in tables:
            connection.execute(f"DELETE FROM {table}")

    return harm


def _scramble(connection: sqlite3.Connection) -> None:
    connection.execute("UPDATE lexical_1_fact_data SET block = randomblob(40)")
    connection.execute("UPDATE lexical_1_episode_data SET block = randomblob(40)")


def _both(part: str) -> tuple[str, str]:
    return f"lexical_1_fact{part}", f"lexical_1_episode{part}"


HARM: dict[str, Callable[[sqlite3.Connection], None]] = {
    **{f"dropped {part or 'whole'}": _drop(*_both(part)) for part in PARTS},
    "dropped with its words": _drop(*_both("_terms"), *_both("")),
    "emptied": _empty(*_both("")),
    "without words": _empty(*_both("_data")),
    "scrambled": _scramble,
}


def _harm(path: Path, harm: Callable[[sqlite3.Connection], None]) -> None:
    connection = sqlite3.connect(path)
    harm(connection)
    connection.commit()
    connection.close()


def _fill(memory: Memory) -> None:
    memory.facts.add(FACT)
    memory.episodes.add("talk", user_message=EPISODE)


@pytest.mark.parametrize("harm", HARM.values(), ids=HARM)
@pytest.mark.parametrize("opened", ["open", "reopened"])
def test_recall_names_it_and_goes_on_by_meaning(
    path: Path, harm: Callable[[sqlite3.Connection], None], opened: str
) -> None:
    with open_memory(path) as memory:
        _fill(memory)
        if opened == "open":
            _harm(path, harm)
            _assert_named(memory)
            _assert_mended(memory)
    if opened == "reopened":
        _harm(path, harm)
        with open_memory(path) as memory:
            _assert_named(memory)
            _assert_mended(memory)


def _assert_named(memory: Memory) -> None:
    answer = memory.recall("zebra stable")
    assert "index_damaged" in [one.code for one in answer.degraded]
    assert "ricordo index" in " ".join(one.message for one in answer.degraded)
    assert FACT in [hit.text for hit in answer.hits]
    assert not answer.nothing_known
    with suppress(IndexDamaged):  # filters are looked up among the words
        filtered = memory.recall("zebra stable", filters={"domain": "general"})
        assert "index_damaged" in [one.code for one in filtered.degraded]
        assert filtered.hits
    diagnosis = memory.doctor.diagnose()
    assert not diagnosis.healthy
    assert any(not check.ok and "ricordo " in check.message for check in diagnosis.checks)


def _assert_mended(memory: Memory) -> None:
    report = memory.upkeep.rebuild()
    assert report.checked == 2
    answer = memory.recall("zebra stable")
    assert not answer.degraded
    assert Voice.LEXICAL in {one.voice for one in answer.hits[0].retrieval.voices}
    assert memory.upkeep.verify().clean
    assert memory.doctor.diagnose().healthy
    memory.remember("The giraffe.")
    assert memory.recall("giraffe").hits[0].text == "The giraffe."


@pytest.mark.parametrize("harm", HARM.values(), ids=HARM)
def test_without_a_model_recall_refuses_instead_of_saying_that_nothing_is_known(
    path: Path, harm: Callable[[sqlite3.Connection], None]
) -> None:
    with open_memory(path, embedder="none") as memory:
        _fill(memory)
    _harm(path, harm)
    with open_memory(path, embedder="none") as memory:
        try:
            answer = memory.recall("zebra stable")
        except IndexDamaged as error:
            assert "ricordo index" in str(error)
        else:
            assert [hit.text for hit in answer.hits] == [FACT]
            assert "ricordo index" in answer.degraded[-1].message
        memory.upkeep.rebuild()
        assert memory.recall("zebra stable").hits[0].text == FACT


@pytest.mark.parametrize("harm", [HARM["dropped whole"], HARM["dropped with its words"], HARM["scrambled"]])
def test_verify_names_it_and_repairs_it(path: Path, harm: Callable[[sqlite3.Connection], None]) -> None:
    with open_memory(path) as memory:
        _fill(memory)
    _harm(path, harm)
    with open_memory(path) as memory:
        with pytest.raises(IndexDamaged, match="ricordo index"):
            memory.upkeep.verify()
        assert memory.upkeep.verify(repair=True).missing == 2
        assert memory.upkeep.verify().clean
        assert not memory.recall("zebra stable").degraded


def test_a_save_into_a_damaged_index_is_one_error_and_saves_nothing(path: Path) -> None:
    with open_memory(path) as memory:
        _fill(memory)
        _harm(path, HARM["dropped with its words"])
        with pytest.raises(IndexDamaged, match="ricordo index"):
            memory.remember("The giraffe.")
        assert memory.facts.list().total == 1
        assert memory.facts.get(memory.facts.list().items[0].id).content == FACT
        memory.upkeep.rebuild()
        assert memory.upkeep.verify().clean


def test_a_new_workspace_is_not_taken_for_a_damaged_one(path: Path) -> None:
    with open_memory(path) as memory:
        other = memory.in_workspace("other", create=True)
        assert not other.recall("zebra").degraded
        _harm(path, _drop("lexical_2_fact_terms", "lexical_2_fact"))
        with open_memory(path, workspace="other") as again:
            again.remember("The giraffe.")
            assert not again.recall("giraffe").degraded
