"""Names are names: whatever stands in them, nothing of one place is seen or deleted from another."""

from __future__ import annotations

from pathlib import Path

import pytest

from ricordo.errors import InputTooLarge, NotFound, RicordoError, WorkspaceNotFound
from ricordo.memory import Memory
from ricordo.records.base import MAX_NAME_CHARS

from .opening import open_memory

HOSTILE = (
    '") or true or ("',
    "'; DELETE FROM facts; --",
    "Alice')) OR true--",
    "..",
    "../../etc/passwd",
    "a/b\\c",
    "%",
    "_",
    "*",
    "NULL",
    "0",
    "user_1",
    "userA1",
    "perché no?",
    "漢字",
    "★ 🎉",
    "{0} %s $1 :name",
    "<script>alert(1)</script>",
    "x" * 500,
)


def _fill(memory: Memory, name: str) -> None:
    """Records whose every name is the same hostile text."""
    memory.sessions.create(external_id=name, name=name, project=name, metadata={name: name})
    memory.episodes.add(name, user_message=f"The zebra of {name}.", speaker=name, external_id=name)
    memory.facts.add(
        f"The zebra fact of {name}.", domain=name, topic=name, tags=[name], agent=name, role=name
    )


def test_a_name_finds_its_own(memory: Memory) -> None:
    for name in HOSTILE:
        _fill(memory, name)
    for name in HOSTILE:
        assert memory.sessions.get(name).external_id == name
        turn, fact = f"The zebra of {name}.", f"The zebra fact of {name}."
        assert [item.text for item in memory.episodes.list(session=name).items] == [turn]
        assert [item.text for item in memory.episodes.list(project=name).items] == [turn]
        assert [item.text for item in memory.episodes.list(speaker=name).items] == [turn]
        assert [item.content for item in memory.facts.list(domain=name).items] == [fact]
        assert [item.content for item in memory.facts.list(topic=name, tags=[name]).items] == [fact]
        for filters, expected in (
            ({"session": name}, turn),
            ({"project": name}, turn),
            ({"speaker": name}, turn),
            ({"domain": name}, fact),
            ({"topic": name}, fact),
            ({"tags": [name]}, fact),
        ):
            answer = memory.recall("zebra", filters=filters)
            assert [hit.text for hit in answer.hits] == [expected], filters


def test_deleting_a_session_leaves_the_others(path: Path) -> None:
    with open_memory(path, embedder="none") as memory:
        for name in HOSTILE:
            _fill(memory, name)
        for left, name in enumerate(HOSTILE[:-1]):
            removed = memory.sessions.delete(name).removed
            assert {str(kind): count for kind, count in removed.items()} == {"session": 1, "episode": 1}
            assert memory.sessions.list().total == len(HOSTILE) - left - 1
            assert memory.facts.list().total == len(HOSTILE)
        assert memory.recall("zebra", kinds=["episode"]).hits[0].source.session == HOSTILE[-1]
        assert memory.upkeep.verify().clean


WORKSPACES = sorted(name for name in HOSTILE if len(name) < 200)


def test_a_workspace_of_any_name_is_apart(path: Path) -> None:
    with open_memory(path, embedder="none") as memory:
        own = memory.remember("The zebra is mine.")
        for name in WORKSPACES:
            _assert_apart(memory, memory.in_workspace(name, create=True))
        assert [item.name for item in memory.workspaces()] == sorted(["default", *WORKSPACES])
        memory.facts.delete(own.id)
    with open_memory(path, embedder="none") as memory:
        for name in WORKSPACES:
            again = memory.in_workspace(name)
            assert again.facts.list().total == 1
            assert len(again.recall("zebra").hits) == 2
            assert again.upkeep.verify().clean


def _assert_apart(memory: Memory, other: Memory) -> None:
    (own,) = memory.facts.list().items
    theirs = other.remember("The zebra is theirs.")
    turn = other.episodes.add("talk", user_message="Their zebra.")
    assert [hit.id for hit in memory.recall("zebra").hits] == [own.id]
    assert {hit.id for hit in other.recall("zebra").hits} == {theirs.id, turn.id}
    for action in (memory.facts.get, memory.facts.delete, memory.facts.history):
        with pytest.raises(NotFound):
            action(theirs.id)
    with pytest.raises(NotFound):
        memory.facts.update(theirs.id, {"content": "stolen"})
    with pytest.raises(NotFound):
        memory.episodes.get(turn.id)
    with pytest.raises(NotFound):
        memory.sessions.get("talk")
    with pytest.raises(NotFound):
        memory.recall("zebra", filters={"session": "talk"})


def test_the_same_names_in_two_workspaces(path: Path) -> None:
    with open_memory(path) as memory:
        other = memory.in_workspace("other", create=True)
        for one in (memory, other):
            one.episodes.add("talk", user_message=f"The zebra of {one.workspace.name}.", external_id="1")
        assert other.sessions.delete("talk").id != memory.sessions.get("talk").id
        assert [hit.text for hit in memory.recall("zebra").hits] == ["The zebra of default."]
        assert other.recall("zebra").nothing_known


def test_a_workspace_that_is_not_there(path: Path) -> None:
    with pytest.raises(WorkspaceNotFound):
        open_memory(path, embedder="none", workspace="nobody", create=False)
    with open_memory(path, embedder="none") as memory:
        with pytest.raises(WorkspaceNotFound):
            memory.in_workspace("nobody")
        assert [item.name for item in memory.workspaces()] == ["default"]


def test_white_space_around_a_workspace_name_means_nothing(path: Path) -> None:
    with open_memory(path, embedder="none", workspace="  my   house ") as memory:
        assert memory.workspace.name == "my house"
        assert memory.in_workspace(" my house").workspace == memory.workspace
    with open_memory(path, embedder="none", workspace=" my   house", create=False) as again:
        assert again.workspace.name == "my house"


STRANGE_IDS = ("", " ", "\x00", "a\x00b", "\ud800", "' OR 1=1", "fact-", "x" * 100_000, "★")


def test_a_strange_id_is_not_found(memory: Memory) -> None:
    memory.remember("The zebra.")
    memory.episodes.add("talk", user_message="The camel.")
    for name in STRANGE_IDS:
        _assert_unknown(memory, name)


def _assert_unknown(memory: Memory, name: str) -> None:
    unknown = NotFound if len(name) <= MAX_NAME_CHARS else InputTooLarge
    for group in (memory.facts, memory.episodes, memory.sessions):
        for action in (group.get, group.delete, group.history):
            with pytest.raises(unknown):
                action(name)
        with pytest.raises(unknown):
            group.update(name, {})
    with pytest.raises(RicordoError):
        memory.recall("zebra", filters={"session": name or "nobody"})
    with pytest.raises(RicordoError):
        memory.in_workspace(name)
    assert memory.recall(name).hits is not None


def test_a_name_that_cannot_be_one(memory: Memory) -> None:
    for name in ("", "  ", "x" * 201):
        with pytest.raises(RicordoError):
            memory.in_workspace(name, create=True)
    with pytest.raises(RicordoError):
        memory.in_workspace("fine", create=True, language="xx")
    assert [item.name for item in memory.workspaces()] == ["default"]


def test_numbers_that_no_store_can_hold(memory: Memory) -> None:
    with pytest.raises(NotFound):
        memory.upkeep.retry(2**70)
    with pytest.raises(NotFound):
        memory.upkeep.retry(-1)
    receipt = memory.remember("The zebra.")
    with pytest.raises(RicordoError):
        memory.facts.update(receipt.id, {"content": "x"}, revision=2**70)
    with pytest.raises(RicordoError):
        memory.episodes.add("talk", user_message="x", user_tokens=2**70)
    with pytest.raises(RicordoError):
        memory.episodes.add("talk", user_message="x", metadata={"x": object()})
