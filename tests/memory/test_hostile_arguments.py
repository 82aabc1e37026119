"""Whatever is given for an argument, what comes out is an answer or one of Ricordo's errors."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ricordo.async_memory import AsyncMemory
from ricordo.errors import InputTooLarge, InvalidInput, InvalidSettings, NotFound, RicordoError
from ricordo.memory import Memory
from ricordo.records.base import Kind
from ricordo.records.card import CardDraft
from ricordo.records.episode import EpisodeDraft
from ricordo.records.fact import FactDraft
from ricordo.records.session import SessionDraft

from .cards import RULE
from .opening import open_memory

HOSTILE = (
    None, 5, -1, 2**70, 1.5, float("nan"), True, "", "x", "\ud800", "\x00", b"", b"\xff", [], [None], [[]],
    {}, {"x": 1}, {5: 5}, (), set(), object(), len, int, lambda *_: 1 / 0 if False else None,
)  # fmt: skip

GROUPS = ("", "sessions", "episodes", "facts", "cards", "upkeep", "doctor")
LEFT_OUT = {"close", "start_worker", "open"}
FIELDS = {
    "sessions.create": SessionDraft,
    "episodes.add": EpisodeDraft,
    "facts.add": FactDraft,
    ".remember": FactDraft,
    "cards.create": CardDraft,
}


def _verbs() -> Iterator[tuple[str, str]]:
    for group in GROUPS:
        names = dir(Memory) if not group else dir(_class_of(group))
        for name in names:
            owner = Memory if not group else _class_of(group)
            if name.startswith("_") or name in LEFT_OUT:
                continue
            if inspect.isfunction(inspect.getattr_static(owner, name)):
                yield group, name


def _class_of(group: str) -> type:
    from ricordo.engine.cards import Cards
    from ricordo.engine.doctor import Doctor
    from ricordo.engine.episodes import Episodes
    from ricordo.engine.facts import Facts
    from ricordo.engine.sessions import Sessions
    from ricordo.engine.upkeep import Upkeep

    known: dict[str, type] = {
        "sessions": Sessions, "episodes": Episodes, "facts": Facts, "cards": Cards, "upkeep": Upkeep,
        "doctor": Doctor,
    }  # fmt: skip
    return known[group]


def _good(memory: Memory, group: str) -> dict[str, Any]:
    """Arguments that are well, by name."""
    fact = memory.remember("The zebra.").id
    episode = memory.episodes.add("talk", user_message="The camel.").id
    card = memory.cards.create(**RULE).id
    other = memory.cards.create(**RULE).id
    changes = {"facts": {"topic": "a"}, "cards": {"title": "a"}}
    return {
        "card_id": card, "kept": card, "merged": other, "kept_revision": 1, "merged_revision": 1,
        "revision": 1, "before": 1, "after": 1, "merge_id": "merge-x", "lines": ["{}"],
        "fact_id": fact, "episode_id": episode, "session": "talk", "content": "The gnu.", "question": "zebra",
        "changes": changes.get(group, {"metadata": {}}),
        "episodes": [{"user_message": "x"}], "facts": [{"content": "x"}], "name": "default",
        "principal": memory.principal, "user_message": "x",
    }  # fmt: skip


def _parameters(group: str, name: str) -> list[inspect.Parameter]:
    owner = Memory if not group else _class_of(group)
    given = list(inspect.signature(getattr(owner, name)).parameters.values())[1:]
    return [one for one in given if one.kind is not inspect.Parameter.VAR_KEYWORD]


def _attempts(memory: Memory, group: str, name: str) -> Iterator[tuple[str, object, dict[str, Any]]]:
    good = _good(memory, group)
    fields = FIELDS.get(f"{group}.{name}")
    parameters = _parameters(group, name)
    base = {one.name: good[one.name] for one in parameters if one.default is inspect.Parameter.empty}
    if (group, name) == ("cards", "create"):
        base |= RULE
    if name == "add" and group == "episodes":
        base["user_message"] = "x"
    names = [*(one.name for one in parameters), *(fields.model_fields if fields else ())]
    for place in names:
        for value in HOSTILE:
            if place in {"stop", "progress", "report"} and callable(value):
                continue  # what it raises is the caller's own
            yield place, value, {**base, place: value}


@pytest.mark.parametrize(("group", "name"), list(_verbs()), ids=lambda part: part or "memory")
def test_only_errors_of_ricordo_come_out(memory: Memory, group: str, name: str) -> None:
    call: Callable[..., object] = getattr(getattr(memory, group) if group else memory, name)
    for place, value, arguments in _attempts(memory, group, name):
        try:
            call(**arguments)
        except RicordoError as error:
            assert str(error)
        except Exception as error:
            pytest.fail(f"{group}.{name}({place}={value!r}) raised {error!r}")
    memory.upkeep.drain()
    assert memory.upkeep.verify().clean


def test_every_verb_is_walked() -> None:
    assert len(list(_verbs())) > 30


@pytest.mark.parametrize(
    "name", ["path_or_url", "workspace", "language", "embedder", "durability", "settings", "clock", "ids"]
)
def test_opening_too(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RICORDO_PATH", str(tmp_path / "memory.db"))
    monkeypatch.setenv("RICORDO_EMBEDDER", "none")
    for value in HOSTILE:
        if callable(value) and name in {"clock", "ids"}:
            continue  # what a clock answers is the caller's own
        try:
            Memory.open(**{name: value}).close()
        except RicordoError as error:
            assert str(error)
        except Exception as error:
            pytest.fail(f"open({name}={value!r}) raised {error!r}")
    assert not (tmp_path / "5").exists()


def test_wrong_types_are_named(memory: Memory) -> None:
    fact = memory.remember("The zebra.").id
    for field, attempt in {
        "kinds": lambda: memory.recall("zebra", kinds=5),  # type: ignore[arg-type]
        "fact_id": lambda: memory.facts.get(None),  # type: ignore[arg-type]
        "item": lambda: memory.upkeep.retry("x"),  # type: ignore[arg-type]
        "name": lambda: memory.in_workspace(5),  # type: ignore[arg-type]
        "facts": lambda: memory.facts.add_many(5),  # type: ignore[arg-type]
        "session": lambda: memory.episodes.add(None, user_message="x"),  # type: ignore[arg-type]
        "principal": lambda: memory.acting_as(5),  # type: ignore[arg-type]
        "progress": lambda: memory.upkeep.drain(progress=5),  # type: ignore[arg-type]
        "revision": lambda: memory.facts.update(fact, {"topic": "a"}, revision="1"),  # type: ignore[arg-type]
    }.items():
        with pytest.raises(InvalidInput) as caught:
            attempt()
        assert caught.value.details["field"] == field
        assert f"'{field}'" in str(caught.value)
    with pytest.raises(NotFound):
        memory.facts.get("\ud800")
    with pytest.raises(InvalidSettings):
        Memory.open(5)  # type: ignore[arg-type]


def test_a_generator_will_do(memory: Memory) -> None:
    facts = memory.facts.add_many({"content": f"Fact {number}."} for number in range(3))  # type: ignore[arg-type]
    turns = memory.episodes.add_many("talk", ({"user_message": f"Turn {number}."} for number in range(3)))  # type: ignore[arg-type]
    assert (len(facts), len(turns)) == (3, 3)
    with pytest.raises(InvalidInput, match="between 1 and"):
        memory.facts.add_many(iter(()))  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="between 1 and"):
        memory.facts.add_many({"content": "x"} for _ in iter(int, 1))  # type: ignore[arg-type]


def _updates(memory: Memory) -> dict[Kind, Callable[[Any], Any]]:
    fact = memory.remember("The zebra.").id
    episode = memory.episodes.add("talk", user_message="The camel.").id
    return {
        Kind.FACT: lambda reason: memory.facts.update(fact, {"topic": "a"}, reason=reason),
        Kind.EPISODE: lambda reason: memory.episodes.update(episode, {"metadata": {}}, reason=reason),
        Kind.SESSION: lambda reason: memory.sessions.update("talk", {"name": "a"}, reason=reason),
    }


@pytest.mark.parametrize("kind", list(Kind)[:3])
def test_a_reason_is_a_short_text(memory: Memory, kind: Kind) -> None:
    update = _updates(memory)[kind]
    for reason in ("x" * 20_000_000, 5, b"x", ["x"], {}, object(), " ", "half \ud800 a sign"):
        with pytest.raises(InvalidInput, match="'reason'") as caught:
            update(reason)
        assert caught.value.details["field"] == "reason"
        assert len(str(caught.value)) < 200
    with pytest.raises(InputTooLarge):
        update("x" * 2_001)
    receipt = update("  because \x00 of rain ")
    group: Any = getattr(memory, f"{kind}s")
    assert group.history(receipt.id).items[0].reason == "  because \u2400 of rain "


def test_a_listing_is_narrowed_by_a_short_text(memory: Memory) -> None:
    memory.cards.create(**RULE)
    with pytest.raises(InputTooLarge, match="'text'"):
        memory.cards.list({"text": "x " * 5_000_000})
    with pytest.raises(InputTooLarge):
        memory.cards.list({"text": "x" * 4_001})
    assert memory.cards.list({"text": ("rule " * 800)}).total == 1


def test_what_is_nested_without_end(memory: Memory) -> None:
    deep: Any = []
    for _ in range(100_000):
        deep = [deep]
    card = memory.cards.create(**RULE).id
    for name in ("family", "concepts", "scope", "database"):
        for ask in (
            lambda given: memory.cards.list(given),
            lambda given: memory.cards.search("x", filters=given),
            lambda given: memory.cards.rules("x", filters=given),
            lambda given: memory.recall("x", filters=given),
        ):
            with pytest.raises(InvalidInput):
                ask({name: deep})
    for name in ("family", "title", "content", "concepts", "dependencies", "links"):
        with pytest.raises(InvalidInput):
            memory.cards.create(**{**RULE, name: deep})
        with pytest.raises(InvalidInput):
            memory.cards.update(card, {name: [deep]}, revision=1)
    with pytest.raises(InvalidInput, match="'kinds'"):
        memory.recall("x", kinds=deep)


def test_awaited_the_same(path: Path) -> None:
    async def run() -> None:
        with open_memory(path) as memory:
            twin = AsyncMemory(memory)
            with pytest.raises(InvalidInput):
                await twin.recall(5)  # type: ignore[arg-type]
            with pytest.raises(InvalidInput):
                await twin.facts.get(None)

    asyncio.run(run())
