"""Cards out of an archive and into another: nothing lost, nothing twice, whatever is in the file."""

from __future__ import annotations

import gzip
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory.opening import SetClock
from ricordo.engine import card_import
from ricordo.errors import AlreadyExists, Forbidden, InvalidInput, UnreadableFile
from ricordo.importers.card_files import export_cards, import_cards
from ricordo.memory import Memory
from ricordo.records.card_copy import MAX_IMPORTED_REVISION, CardImport
from ricordo.records.principal import Permission, Principal

RULE = {"family": "sql_rule", "title": "Soft deletes", "content": "Leave out deleted rows."}
NOBODY = "mem-00000000-0000-4000-8000-000000000000"


def name(number: int) -> str:
    return f"mem-00000000-0000-4000-9000-{number:012x}"


def line(number: int | None = None, /, **fields: Any) -> str:
    given_id = {} if number is None else {"id": name(number)}
    return json.dumps({**given_id, **RULE, **fields})


def to(*numbers: int) -> list[dict[str, str]]:
    return [{"target": name(number)} for number in numbers]


@pytest.fixture
def other(empty_archive: Path, tmp_path: Path) -> Iterator[Memory]:
    """Another archive, empty."""
    with Memory.open(Path(shutil.copy(empty_archive, tmp_path / "other.db")), embedder="none") as opened:
        yield opened


@pytest.fixture
def take(memory: Memory) -> Callable[..., CardImport]:
    """Brings lines in."""

    def run(*lines: str, **options: Any) -> CardImport:
        return memory.cards.import_lines(lines, **options)

    return run


def exported(memory: Memory) -> list[str]:
    return list(memory.cards.export())


# Out and in again

TEXTS = st.text(max_size=20)
SAID = TEXTS.filter(lambda text: text.replace("\x00", "x").strip())
NAMES = st.text(min_size=1, max_size=12).filter(lambda text: text.split())
LATER = st.datetimes(min_value=datetime(1990, 1, 1)).map(lambda at: f"{at.isoformat()}Z")
PLACES = st.one_of(
    st.fixed_dictionaries({"database": NAMES}),
    st.fixed_dictionaries({"database": NAMES, "schema": NAMES}),
    st.fixed_dictionaries({"database": NAMES, "table": NAMES}),
    st.fixed_dictionaries({"database": NAMES, "schema": NAMES, "table": NAMES, "column": NAMES}),
)
ORIGINS = st.one_of(
    st.fixed_dictionaries({"kind": st.just("manual"), "author": NAMES}),
    st.fixed_dictionaries(
        {
            "kind": st.just("workflow"),
            "session": NAMES,
            "reviewer": NAMES,
            "decisions": st.lists(st.integers(0, 2**31 - 1), min_size=1, max_size=3),
        }
    ),
)
FAMILIES = st.one_of(
    st.fixed_dictionaries(
        {"family": st.just("domain_clarification"), "content": SAID},
        optional={"context": TEXTS, "rationale": TEXTS},
    ),
    st.fixed_dictionaries({"family": st.just("sql_rule"), "content": SAID}, optional={"rationale": TEXTS}),
    st.fixed_dictionaries(
        {"family": st.just("solved_question"), "question": SAID, "sql": SAID},
        optional={"context": TEXTS, "content": TEXTS, "rationale": TEXTS},
    ),
    st.fixed_dictionaries({"family": st.just("explained_error"), "content": SAID, "rationale": SAID}),
)


@st.composite
def files(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Cards of a file, which may link to each other in any direction."""
    count = draw(st.integers(1, 8))
    cards = []
    for number in range(count):
        others = st.sampled_from([name(other) for other in range(count) if other != number] or [NOBODY])
        links = st.lists(st.fixed_dictionaries({"target": others, "meaning": NAMES}), max_size=4)
        first, last = sorted([draw(LATER), draw(LATER)])
        cards.append(
            {
                **draw(FAMILIES),
                "id": name(number),
                "title": draw(NAMES),
                "scope": draw(NAMES),
                "concepts": draw(st.lists(NAMES, max_size=4)),
                "dependencies": draw(st.lists(PLACES, max_size=3)),
                "links": draw(links) if count > 1 else [],
                "origin": draw(ORIGINS),
                "revision": draw(st.integers(1, MAX_IMPORTED_REVISION)),
                "created_at": first,
                "updated_at": last,
                "created_by": draw(NAMES),
                "updated_by": draw(NAMES),
            }
        )
    return cards


@given(cards=files(), ascii_only=st.booleans(), batch=st.integers(1, 9))
@settings(
    deadline=None,
    max_examples=40,
    database=None,
    derandomize="CI" in os.environ,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
def test_what_comes_in_goes_out_as_it_was(
    cards: list[dict[str, Any]],
    ascii_only: bool,
    batch: int,
    empty_archive: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(card_import, "BATCH_CARDS", batch)
    lines = [json.dumps(card, ensure_ascii=ascii_only) for card in cards]
    one, two = (Path(shutil.copy(empty_archive, tmp_path / file)) for file in ("one.db", "two.db"))
    with Memory.open(one, embedder="none", durability="process") as memory:
        assert memory.cards.import_lines(lines).added == len(cards)
        first = exported(memory)
        again = memory.cards.import_lines(lines)
        assert (again.known, again.added, again.completed, again.conflicts) == (len(cards), 0, 0, 0)
        assert exported(memory) == first
        report = memory.upkeep.verify()
        assert (report.missing, report.stale, report.orphans) == (0, 0, 0)
        held = {card.id: card for card in memory.cards.list(limit=1000).items}
    for card in cards:
        kept = held[card["id"]].model_dump(mode="json")
        assert (kept["revision"], kept["origin"]["kind"]) == (card["revision"], card["origin"]["kind"])
        assert {link["target"] for link in kept["links"]} == {link["target"] for link in card["links"]}
    with Memory.open(two, embedder="none", durability="process") as memory:
        assert memory.cards.import_lines(first).left_out == ()
        assert exported(memory) == first


def test_a_file_goes_from_one_archive_to_another(memory: Memory, other: Memory, tmp_path: Path) -> None:
    made = [memory.cards.create(**{**RULE, "title": f"Rule {number}"}) for number in range(3)]
    ring = zip(made, [*made[1:], made[0]], strict=True)
    for here, there in ring:
        memory.cards.update(here.id, {"links": [{"target": there.id, "meaning": "précise"}]}, revision=1)
    file, back = tmp_path / "cards.jsonl", tmp_path / "back.jsonl"
    assert export_cards(memory, file) == 3
    assert file.stat().st_mode & 0o777 == 0o600
    packed = tmp_path / "cards.jsonl.gz"
    packed.write_bytes(gzip.compress(file.read_bytes()))
    assert import_cards(other, packed).added == 3
    export_cards(other, back)
    assert back.read_bytes() == file.read_bytes()
    assert [found.path for found in (hit.retrieval for hit in other.cards.search("Rule 0").hits)]
    with pytest.raises(AlreadyExists):
        export_cards(other, file)
    assert export_cards(other, file, force=True) == 3
    assert sorted(item.name for item in tmp_path.iterdir() if "part" in item.name) == []


def test_an_empty_archive_makes_an_empty_file(memory: Memory, tmp_path: Path) -> None:
    assert export_cards(memory, tmp_path / "none.jsonl") == 0
    assert import_cards(memory, tmp_path / "none.jsonl") == CardImport()
    with pytest.raises(UnreadableFile):
        export_cards(memory, tmp_path / "no" / "such" / "folder.jsonl")
    with pytest.raises(UnreadableFile):
        import_cards(memory, tmp_path / "missing.jsonl")


def test_an_export_that_is_stopped_leaves_no_file(memory: Memory, tmp_path: Path, take: Any) -> None:
    take(line(1), line(2))
    export_cards(memory, tmp_path / "cards.jsonl", stop=lambda: True)
    assert not list(tmp_path.glob("cards.jsonl*"))


def test_progress_rises_to_the_end(
    memory: Memory, write: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(card_import, "BATCH_CARDS", 40)
    file = write("cards.jsonl", "".join(line(number) + "\n" for number in range(250)))
    seen: list[tuple[int, int]] = []
    import_cards(memory, file, progress=lambda done, total: seen.append((done, total)))
    assert seen == sorted(seen)
    assert seen[-1] == (file.stat().st_size, file.stat().st_size)
    assert len(seen) > 5
    seen.clear()
    export_cards(memory, tmp_path / "out.jsonl", progress=lambda done, total: seen.append((done, total)))
    assert seen == [(100, 250), (200, 250), (250, 250)]


# What is here already


def test_another_content_is_a_conflict_and_nothing_changes(memory: Memory, take: Any) -> None:
    take(line(1), line(2))
    before = exported(memory)
    report = take(line(1, content="Another."), line(2), line(3))
    assert (report.conflicts, report.known, report.added) == (1, 1, 1)
    (left,) = report.left_out
    assert (left.place, left.id) == ("line 1", name(1))
    assert "content" in left.reason
    assert exported(memory)[:2] == before


def test_replacing_makes_a_revision(memory: Memory, take: Any) -> None:
    take(line(1), line(2))
    assert take(line(1, content="Another.", links=to(2)), replace=True).replaced == 1
    card = memory.cards.get(name(1))
    assert (card.content, card.revision, card.links[0].target) == ("Another.", 2, name(2))
    assert [entry.revision for entry in memory.cards.history(name(1)).items] == [2, 1]
    assert memory.cards.search("another").hits[0].id == name(1)
    assert take(line(1, content="Another.", links=to(2)), replace=True).known == 1
    newer = line(1, content="Newer.", revision=9, updated_at="2050-01-01T00:00:00Z", updated_by="Ada")
    assert take(newer, replace=True).replaced == 1
    card = memory.cards.get(name(1))
    assert (card.revision, card.updated_by, card.updated_at.year, card.links) == (9, "Ada", 2050, ())
    assert take(newer, replace=True).known == 1


def test_an_origin_never_changes(memory: Memory, take: Any) -> None:
    approved = {"kind": "workflow", "session": "s", "decisions": [1], "reviewer": "Ada"}
    take(line(1))
    report = take(line(1, origin=approved), line(1, content="x", origin=approved), replace=True)
    assert (report.conflicts, report.replaced) == (2, 0)
    assert memory.cards.get(name(1)).origin.author == "owner"


def test_what_was_deleted_here_stays_deleted_unless_asked_for(memory: Memory, take: Any) -> None:
    lines = (line(1, links=to(2)), line(2, links=to(1)))
    take(*lines)
    memory.cards.delete(name(2))
    report = take(*lines)
    assert (report.known, report.conflicts, report.links_left_out) == (1, 1, 1)
    assert memory.cards.get(name(1)).links == ()
    report = take(*lines, replace=True)
    assert (report.added, report.replaced, report.known) == (1, 1, 0)
    card = memory.cards.get(name(2))
    assert (card.revision, card.links[0].target) == (2, name(1))
    assert memory.cards.get(name(1)).links[0].target == name(2)


def test_a_link_that_was_taken_away_on_purpose_does_not_come_back(memory: Memory, take: Any) -> None:
    lines = (line(1), line(2, links=to(1)))
    take(*lines)
    memory.cards.update(name(2), {"links": []}, revision=1)
    assert take(*lines).conflicts == 1
    assert memory.cards.get(name(2)).links == ()


def test_a_line_without_an_id_is_a_new_card_and_one_only(memory: Memory, take: Any) -> None:
    report = take(line(), line(), line(title="Another"))
    assert (report.added, report.known) == (2, 1)
    card = memory.cards.list().items[0]
    assert (card.revision, card.created_by, card.origin.kind) == (1, "owner", "manual")
    assert take(line()).known == 1
    memory.cards.update(card.id, {"content": "edited"}, revision=1)
    report = take(line())
    assert (report.conflicts, report.added) == (1, 0)
    assert "edited since" in report.left_out[0].reason
    assert memory.in_workspace("else", create=True).cards.import_lines([line()]).added == 1


# Links


def test_links_lead_forward_backward_and_around(memory: Memory, take: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(card_import, "BATCH_CARDS", 2)
    count = 7
    lines = [line(number, links=to((number + 3) % count, (number + 1) % count)) for number in range(count)]
    assert take(*lines).added == count
    for number in range(count):
        card = memory.cards.get(name(number))
        assert {link.target for link in card.links} == {
            name((number + 3) % count),
            name((number + 1) % count),
        }
        assert card.revision == 1
    assert take(*reversed(lines)).known == count


def test_links_to_nothing_are_left_out_and_told(memory: Memory, take: Any) -> None:
    lines = (line(1, links=[{"target": NOBODY}, *to(1, 2)]), line(2))
    for _ in range(2):
        report = take(*lines)
        assert report.links_left_out == 2
        reasons = {item.reason for item in report.left_out}
        assert any(NOBODY in reason for reason in reasons)
        assert any("itself" in reason for reason in reasons)
        assert {item.place for item in report.left_out} == {"line 1"}
    assert [link.target for link in memory.cards.get(name(1)).links] == [name(2)]
    elsewhere = memory.in_workspace("else", create=True)
    assert elsewhere.cards.import_lines([line(3, links=to(2))]).links_left_out == 1


# Bad lines

BAD = {
    "not JSON": "{",
    "no object": "[1, 2]",
    "a text": '"mem"',
    "nothing in it": "{}",
    "no content": json.dumps({"family": "sql_rule", "title": "x"}),
    "unknown field": line(7, famly="x"),
    "no id": line(7).replace(name(7), "mem-7"),
    "another kind's id": line(7).replace(name(7), "fact-" + name(7)[4:]),
    "column without table": line(7, dependencies=[{"database": "d", "column": "c"}]),
    "revision nought": line(7, revision=0),
    "revision as text": line(7, revision="1"),
    "no time": line(7, created_at="yesterday"),
    "a time without a zone": line(7, created_at="2024-01-01T00:00:00"),
    "times the wrong way round": line(
        7, created_at="2024-01-02T00:00:00Z", updated_at="2024-01-01T00:00:00Z"
    ),
    "an origin of both kinds": line(7, origin={"kind": "manual", "author": "a", "session": "s"}),
    "an origin without reviewer": line(7, origin={"kind": "workflow", "session": "s", "decisions": [1]}),
    "ten megabytes": line(7, content="x" * 10_000_000),
    "too many concepts": line(7, concepts=[f"c{number}" for number in range(65)]),
    "deeply nested": '{"title":' + "[" * 100_000,
    "not a number": line(7, revision=1).replace(": 1}", ": NaN}"),
    "a huge number": line(7, revision=1).replace(": 1}", ": " + "9" * 5000 + "}"),
}


@pytest.mark.parametrize("kind", BAD)
def test_a_broken_line_loses_that_line_only(kind: str, memory: Memory, take: Any) -> None:
    report = take(line(1), BAD[kind], line(2))
    assert (report.read, report.added, report.broken) == (3, 2, 1)
    (left,) = report.left_out
    assert left.place == "line 2"
    assert left.reason
    assert len(left.reason) < 1000
    assert [json.loads(text)["id"] for text in exported(memory)] == [name(1), name(2)]


def test_a_file_with_marks_blank_lines_and_another_encoding(memory: Memory, write: Any) -> None:
    text = f"\ufeff{line(1, title='perché')}\r\n\r\n  \n{line(2)}"
    assert import_cards(memory, write("a.jsonl", text)).added == 2
    sixteen = write("b.jsonl", line(1, title="perché").encode("utf-16"))
    assert import_cards(memory, sixteen).known == 1
    broken = write("c.jsonl", line(3).encode()[:-20] + b"\xff\xfe\n" + line(4).encode())
    report = import_cards(memory, broken)
    assert (report.added, report.broken) == (1, 1)
    cut = write("d.jsonl.gz", gzip.compress((line(5) + "\n").encode() * 1000)[:-30])
    assert import_cards(memory, cut).left_out[0].place == "the end"


def test_an_export_can_be_imported_whatever_the_clock_says(archive: Path, other: Memory) -> None:
    clock = SetClock()
    with Memory.open(archive, embedder="none", clock=clock) as memory:
        made = memory.cards.create(**RULE)
        later = "2050-01-01T00:00:00Z"
        memory.cards.import_lines([line(1, created_at=later), line(2, created_at=later)])
        memory.cards.import_lines([line(3, updated_at="1990-01-01T00:00:00Z")])
        clock.pass_by(days=-1)
        memory.cards.update(made.id, {"title": "Earlier"}, revision=1)
        memory.cards.update(name(1), {"title": "Earlier"}, revision=1)
        memory.cards.import_lines([line(2, title="Earlier", updated_at="1990-01-01T00:00:00Z")], replace=True)
        memory.cards.import_lines(
            [line(1, title="Other", revision=9, updated_at="1990-01-01T00:00:00Z")], replace=True
        )
        memory.cards.delete(name(2))
        memory.cards.import_lines([line(2, created_at=later)], replace=True)
        fact = memory.remember("x").id
        clock.pass_by(days=-1)
        memory.facts.update(fact, {"topic": "t"})
        assert memory.facts.get(fact).updated_at >= memory.facts.get(fact).created_at
        for text in exported(memory):
            card = memory.cards.get(json.loads(text)["id"])
            assert card.updated_at >= card.created_at
        assert memory.cards.get(name(3)).created_at.year == 1990
        report = other.cards.import_lines(exported(memory))
        assert (report.added, report.broken) == (4, 0)
        assert exported(other) == exported(memory)


@pytest.mark.parametrize("given", [2**31 - 1, MAX_IMPORTED_REVISION + 1, MAX_IMPORTED_REVISION])
def test_the_highest_revision_leaves_room(memory: Memory, other: Memory, given: int) -> None:
    lines = [line(1, revision=given)]
    assert memory.cards.import_lines(lines).added == 1
    assert memory.cards.import_lines(lines).known == 1
    for title in "abc":
        memory.cards.update(name(1), {"title": title}, revision=memory.cards.get(name(1)).revision)
    assert memory.cards.get(name(1)).revision == MAX_IMPORTED_REVISION + 3
    lines = exported(memory)
    assert memory.cards.import_lines(lines).known == 1
    assert other.cards.import_lines(lines).added == 1
    assert other.cards.get(name(1)).revision == MAX_IMPORTED_REVISION
    assert other.cards.import_lines(lines, replace=True).known == 1
    assert memory.cards.import_lines([line(2, revision=2**31)]).broken == 1


def test_many_broken_lines_are_counted_and_some_named(take: Any) -> None:
    report = take(*["{"] * 250)
    assert (report.broken, len(report.left_out)) == (250, 100)


def test_who_may_do_it(memory: Memory) -> None:
    def acting(*permissions: Permission) -> Memory:
        return memory.acting_as(Principal(id="someone", permissions=frozenset(permissions)))

    with pytest.raises(Forbidden):
        acting(Permission.READ, Permission.ADMIN).cards.export()
    with pytest.raises(Forbidden):
        acting(Permission.MANAGE).cards.import_lines([line(1)])
    assert acting(Permission.MANAGE, Permission.ADMIN).cards.import_lines([line(1)]).added == 1
    assert memory.cards.get(name(1)).created_by == "someone"


def test_arguments_that_are_none(memory: Memory) -> None:
    for lines in (line(1), b"{}", 7, None):
        with pytest.raises(InvalidInput):
            memory.cards.import_lines(lines)  # type: ignore[arg-type]
    assert memory.cards.import_lines([None]).broken == 1
    assert memory.cards.import_lines(iter([line(1), None])).added == 1
    strange: list[Any] = [line(2), b"{}", 1, [], [[]], None, object(), {}, line(3)]
    report = memory.cards.import_lines(strange)
    assert (report.read, report.added, report.broken) == (9, 2, 7)
    assert report.left_out[0].reason == "the line is no text, but bytes"


def test_stopping_keeps_what_was_read(memory: Memory, take: Any) -> None:
    lines = [line(number, links=to((number + 1) % 50)) for number in range(50)]
    asked = iter([False] * 20 + [True] * 99)
    report = take(*lines, stop=lambda: next(asked))
    assert (report.stopped, report.added) == (True, 20)
    report = take(*lines)
    assert (report.added, report.known, report.completed, report.links_left_out) == (30, 20, 1, 0)


KILLED = """
import sys
from datetime import datetime
from pathlib import Path
from ricordo.engine import card_import
from ricordo.importers.card_files import import_cards
from ricordo.memory import Memory

card_import.BATCH_CARDS = 10
with Memory.open(sys.argv[1], embedder="hashing", durability="process") as memory:
    print("ready", flush=True)
    import_cards(memory, Path(sys.argv[2]), progress=lambda done, total: print(done, flush=True))
    print("done", flush=True)
"""


@pytest.mark.parametrize("after", [1, 2, 5, 9, 19, 20])
def test_killed_at_any_point_and_brought_in_again(
    after: int, archive: Path, write: Any, empty_archive: Path, tmp_path: Path
) -> None:
    lines = [line(number, links=to((number + 57) % 200, (number + 1) % 200)) for number in range(200)]
    file = write("cards.jsonl", "\n".join(lines))
    with subprocess.Popen(
        [sys.executable, "-c", KILLED, str(archive), str(file)], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        for _ in range(after + 1):
            process.stdout.readline()
        process.send_signal(signal.SIGKILL)
    whole = Path(shutil.copy(empty_archive, tmp_path / "whole.db"))
    with (
        Memory.open(archive, embedder="hashing", durability="process") as memory,
        Memory.open(whole, embedder="none", durability="process") as reference,
    ):
        report = import_cards(memory, file)
        assert (report.added + report.known, report.conflicts, report.broken) == (200, 0, 0)
        assert report.known >= 10 * (after - 1)
        import_cards(reference, file)
        stamps = {"created_at", "updated_at"}
        ours, theirs = (
            [{key: value for key, value in json.loads(text).items() if key not in stamps} for text in found]
            for found in (exported(memory), exported(reference))
        )
        assert ours == theirs
        memory.upkeep.drain()
        checked = memory.upkeep.verify()
        assert (checked.missing, checked.stale, checked.orphans, checked.missing_vectors) == (0, 0, 0, 0)
