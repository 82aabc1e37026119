"""Faults that an attack found: files that change under an open memory, hostile texts, odd names."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from sqlalchemy import text

from ricordo.embed.hashing import HashingEmbedder
from ricordo.errors import ArchiveUnavailable, EmbedderMissing, InvalidInput, InvalidSettings
from ricordo.index.contract import Vectors
from ricordo.memory import Memory
from ricordo.records.receipt import Outcome
from ricordo.settings import load_settings

from .opening import SetClock, open_memory


@pytest.mark.parametrize("removed", [False, True])
def test_a_file_that_was_replaced_or_removed_is_not_written(path: Path, removed: bool) -> None:
    with open_memory(path) as memory:
        memory.remember("The first fact")
    shutil.copy(path, path.with_name("backup.db"))
    with open_memory(path) as memory:
        memory.remember("The second fact")
        if removed:
            path.unlink()
        else:
            path.with_name("backup.db").replace(path)
        with pytest.raises(ArchiveUnavailable):
            memory.remember("The third fact")
        with pytest.raises(ArchiveUnavailable):
            memory.recall("fact")


def test_special_names_of_sqlite_are_ordinary_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in (":memory:", "file:x.db?mode=memory"):
        with open_memory(Path(name)) as memory:
            memory.remember("zebra fact")
        with open_memory(Path(name)) as memory:
            assert memory.recall("zebra").hits


def test_a_relative_path_keeps_its_meaning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "other").mkdir()
    with open_memory(Path("here.db")) as memory:
        memory.remember("zebra fact")
        monkeypatch.chdir(tmp_path / "other")
        memory._engine.archive._engine.dispose()  # type: ignore[attr-defined]
        assert memory.recall("zebra").hits
    assert not list((tmp_path / "other").iterdir())


def test_a_link_that_leads_nowhere_yet_makes_a_private_file(tmp_path: Path) -> None:
    (tmp_path / "link.db").symlink_to(tmp_path / "target.db")
    (tmp_path / "empty.db").touch(mode=0o644)
    for name, made in (("link.db", "target.db"), ("empty.db", "empty.db")):
        with open_memory(tmp_path / name) as memory:
            assert memory.doctor.diagnose().healthy
        assert (tmp_path / made).stat().st_mode & 0o777 == 0o600


def test_a_run_of_marks_takes_no_time_that_grows_with_its_square(memory: Memory) -> None:
    receipt = memory.remember("giraffe a" + "\u0315\u0300" * 300_000)
    assert receipt.outcome is Outcome.SEARCHABLE
    assert memory.recall("giraffe").hits


def test_signs_that_are_not_seen_do_not_hide_a_word(memory: Memory) -> None:
    for stored, asked in (("zero\u200bwidth", "zerowidth"), ("co\u00adop", "coop"), ("مُحَمَّد", "محمد")):
        memory.remember(f"{stored} lives here")
        assert memory.recall(asked, top=1).hits[0].text.startswith(stored)


def test_work_of_a_clock_that_was_ahead_is_done(path: Path) -> None:
    clock = SetClock()
    with open_memory(path, clock=clock) as memory:
        memory.remember("first")
        memory.remember("second", defer=True)
        clock.pass_by(days=-30)
        assert memory.upkeep.drain() == 1


def test_many_tags_are_refused_with_one_error(memory: Memory) -> None:
    with pytest.raises(InvalidInput):
        memory.recall("x", filters={"tags": [f"tag {place}" for place in range(65)]})
    memory.remember("tagged", tags=[f"tag {place}" for place in range(64)])
    assert memory.recall("tagged", filters={"tags": [f"tag {place}" for place in range(64)]}).hits


def test_a_word_after_many_unknown_ones_is_found(path: Path) -> None:
    with open_memory(path, embedder="none") as memory:
        memory.remember("the xylophone is in the attic")
        question = " ".join(f"unknown{place}" for place in range(70))
        assert memory.recall(f"{question} xylophone").hits


def test_a_damaged_vector_is_found_and_made_again(path: Path) -> None:
    with open_memory(path) as memory:
        memory.remember("zebra fact")
        with memory._engine.archive.write(memory.workspace) as writer:
            writer.handle.execute(text("UPDATE vectors SET vector = x'0011'"))
    with open_memory(path) as memory:
        assert memory.recall("zebra").hits
        assert memory.upkeep.verify().missing_vectors == 1
        memory.upkeep.rebuild()
        assert memory.upkeep.verify().clean


def test_a_session_may_be_named_like_the_beginning_of_an_id(memory: Memory) -> None:
    assert memory.episodes.add("session-1", user_message="hello").created


def test_an_endless_timeout_is_refused() -> None:
    with pytest.raises(InvalidSettings):
        load_settings(environment={"RICORDO_EMBEDDER_TIMEOUT_S": "inf"})


class MissingPackage(HashingEmbedder):
    """An embedder whose package is not installed."""

    def embed_passages(self, texts: object) -> Vectors:
        raise EmbedderMissing(cure="pip install 'ricordo[bundled]'")

    def embed_question(self, text: str) -> Vectors:
        raise EmbedderMissing(cure="pip install 'ricordo[bundled]'")


def test_an_absent_package_never_fails_a_save_that_was_made(path: Path) -> None:
    with open_memory(path, embedder=MissingPackage()) as memory:
        assert memory.remember("zebra fact").outcome is Outcome.INDEX_PENDING
        answer = memory.recall("zebra")
        assert answer.hits
        assert [gap.code for gap in answer.degraded][:1] == ["embedder_failed"]
        with pytest.raises(EmbedderMissing):
            memory.upkeep.drain()
        assert memory.upkeep.pending().items[0].last_error


def test_answers_do_not_depend_on_other_workspaces(path: Path) -> None:
    with open_memory(path, embedder="none") as memory:
        memory.facts.add_many([{"content": f"the harbour crane number {place}"} for place in range(10)])
        alone = memory.recall("harbour lighthouse keeper")
        other = memory.in_workspace("other", create=True)
        other.facts.add_many([{"content": f"another text {place}"} for place in range(4_000)])
        beside = memory.recall("harbour lighthouse keeper")
        assert [(hit.id, hit.retrieval.score) for hit in alone.hits] == [
            (hit.id, hit.retrieval.score) for hit in beside.hits
        ]
        assert alone.nothing_known == beside.nothing_known


def test_an_edit_during_a_rebuild_is_not_undone(path: Path) -> None:
    with open_memory(path, embedder="none") as memory:
        receipts = memory.episodes.add_many(
            "talk", [{"user_message": f"turn {place} zebra{place}"} for place in range(1_200)]
        )
        edited = False

        def edit(step: str, done: int, total: int) -> None:
            nonlocal edited
            if not edited:
                edited = True
                memory.episodes.update(receipts[700].id, {"user_message": "now it says giraffe"})
                memory.episodes.delete(receipts[900].id)

        memory.upkeep.rebuild(full=True, report=edit)
        assert edited
        assert not memory.recall("zebra700").hits
        assert not memory.recall("zebra900").hits
        assert memory.upkeep.verify().clean
