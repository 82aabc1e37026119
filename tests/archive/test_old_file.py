"""An archive of the first migration is opened, brought up to date and used."""

from __future__ import annotations

import gzip
import runpy
from collections.abc import Iterator
from pathlib import Path

import pytest

from ricordo.embed.hashing import HashingEmbedder
from ricordo.errors import NotFound
from ricordo.memory import Memory

FILES = Path(__file__).parent / "files"
KEPT = FILES / "first.db.gz"
MAKE = runpy.run_path(str(FILES / "make_first.py"))["make"]

kept = "kept"


@pytest.fixture(params=[kept, "made today"])
def memory(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Memory]:
    path = tmp_path / "first.db"
    if request.param == "kept":
        path.write_bytes(gzip.decompress(KEPT.read_bytes()))
    else:
        MAKE(path)
    with Memory.open(path, embedder=HashingEmbedder(64), durability="process") as memory:
        yield memory


def test_the_file_is_the_same_each_time(tmp_path: Path) -> None:
    for name in ("one", "two"):
        MAKE(tmp_path / name)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_everything_is_there(memory: Memory) -> None:
    assert [workspace.name for workspace in memory.workspaces()] == ["casa", "default"]
    (session,) = memory.sessions.list().items
    assert (session.external_id, session.project, session.metadata) == ("standup", "Harbour", {"week": 19})
    turns = memory.episodes.list(session="standup").items
    assert [turn.external_id for turn in turns] == ["turn 0", "turn 1", "turn 2"]
    assert [turn.revision for turn in turns] == [1, 2, 1]
    assert turns[0].occurred_at.isoformat() == "2024-05-05T07:08:09.123456+00:00"
    facts = memory.facts.list().items
    assert [fact.topic for fact in facts] == ["staging", "hours", "hours", "pending"]
    history = memory.episodes.history(turns[1].id).items
    assert [entry.reason for entry in history] == ["receipt, not invoice", None]
    gone = memory.facts.history("fact-00000000-0000-7000-8000-000000000004").items
    assert [entry.action for entry in gone] == ["deleted", "created"]
    casa = memory.in_workspace("casa")
    assert str(casa.workspace.language) == "it"
    assert casa.episodes.list().items[0].speaker == "Zoë"


def test_it_is_recalled(memory: Memory) -> None:
    assert memory.upkeep.pending_report().queue.total == 1
    answers = {
        "Who repaired the crane?": "The harbour crane was repaired on Monday.",
        "receipt": "Good. Who signed the receipt for it?",
        "staging port": "The staging server listens on port 8443.",
        "when does the office close": "The office closes at seven.",
    }
    for question, text in answers.items():
        assert memory.recall(question).hits[0].text == text
    for gone in ("mistake", "swordfish", "six"):
        texts = [hit.text for hit in memory.recall(gone).hits]
        assert not [text for text in texts if gone in text]
    before = memory.recall("office closes", as_of="2024-05-06T00:00:00Z")
    assert before.hits[0].text == "The office closes at six."
    casa = memory.in_workspace("casa").recall("dove sta il contatore")
    assert casa.hits[0].text == "Il contatore dell'acqua è in cantina."


def test_it_is_brought_to_todays_index(memory: Memory) -> None:
    memory.upkeep.rebuild()
    casa = memory.in_workspace("casa")
    casa.upkeep.rebuild()
    for one in (memory, casa):
        assert one.upkeep.verify().clean
        assert one.upkeep.pending_report().queue.total == 0
        assert one.doctor.diagnose().checks
    assert memory.recall("vectors still to be made").degraded == ()


def test_it_can_be_written(memory: Memory) -> None:
    receipt = memory.remember("The crane was sold.", topic="crane")
    assert memory.recall("crane sold").hits[0].id == receipt.id
    added = memory.episodes.add("standup", user_message="Back after years.", external_id="turn 2")
    assert not added.created
    added = memory.episodes.add("standup", user_message="Back after years.")
    assert memory.episodes.get(added.id).position == 4
    first = memory.facts.list(limit=1).items[0]
    assert memory.facts.update(first.id, {"topic": "port"}, revision=first.revision).revision == 2
    memory.sessions.delete("standup")
    with pytest.raises(NotFound):
        memory.episodes.get(added.id)
    assert memory.episodes.list().total == 0


def test_it_takes_cards(memory: Memory) -> None:
    """A kind of record that the first version did not know, in each workspace that it made."""
    for one in (memory, memory.in_workspace("casa")):
        assert one.cards.list().total == 0
        assert one.cards.search("crane").nothing_known
        rule = one.cards.create(
            family="sql_rule",
            title="Repairs",
            content="A crane counts as repaired once its receipt is signed.",
            dependencies=[{"database": "harbour", "table": "cranes"}],
        )
        meaning = one.cards.create(
            family="domain_clarification",
            title="Crane",
            content="Any lifting gear of the quay.",
            links=[{"target": rule.id, "meaning": "see_also"}],
        )
        assert rule.outcome == meaning.outcome == "saved_and_searchable"
        found = one.cards.search("lifting gear", filters={"database": "harbour"}).hits
        assert {hit.id for hit in found} == {meaning.id, rule.id}
        assert meaning.id in [hit.id for hit in one.recall("lifting gear").hits]
        one.cards.update(rule.id, {"content": "Signed means repaired."}, revision=1)
        one.upkeep.rebuild()
        assert one.upkeep.verify().clean
        assert one.cards.delete(meaning.id).removed
