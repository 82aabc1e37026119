"""The guarantees of `ricordo.archive.contract`, one test each.

Derive a class that says how the archive is opened; see `ricordo.testing`. What
concerns listings stands in `ricordo.testing.listing`, looking records up in
`ricordo.testing.lookup`, pending work in `ricordo.testing.pending`:
`ArchiveConformance` holds all of it. A class must stand at the top level of its
module, since some tests open the archive in other processes.
"""

from __future__ import annotations

import multiprocessing
import os
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from ricordo.archive.contract import Archive, ArchiveReader, ArchiveWriter, Stored
from ricordo.errors import ArchiveClosed, ArchiveError, NotFound, StaleRevision
from ricordo.records.base import Kind
from ricordo.records.fact import Fact
from ricordo.records.filters import Filters
from ricordo.records.work import Work
from ricordo.records.workspace import Language, Workspace
from ricordo.testing.listing import ListingConformance
from ricordo.testing.lookup import LookupConformance
from ricordo.testing.pending import QueueConformance
from ricordo.testing.samples import HOSTILE, START, a_fact, a_session, an_episode, at, revised

Opener = Callable[[Path], Archive]

_spawn = multiprocessing.get_context("spawn")


def _stored(reader: ArchiveReader, kind: Kind, record_id: str) -> Stored:
    stored = reader.get(kind, record_id)
    assert stored is not None, f"{record_id} is not there"
    return stored


def _count_up(archive: Archive, workspace: Workspace, rounds: int) -> None:
    """Read a fact and write it back with one mention more, each time in one transaction."""
    for step in range(rounds):
        with archive.write(workspace) as writer:
            stored = _stored(writer, Kind.FACT, "fact-counter")
            assert isinstance(stored.record, Fact)
            more = revised(stored.record, step, mention_count=stored.record.mention_count + 1)
            writer.replace(stored, more)


def _count_up_elsewhere(opener: Opener, folder: Path, rounds: int) -> None:
    archive = opener(folder)
    _count_up(archive, archive.ensure_workspace("tests", Language.ENGLISH, START), rounds)
    archive.close()


def _commit_and_die(opener: Opener, folder: Path) -> None:
    archive = opener(folder)
    workspace = archive.ensure_workspace("tests", Language.ENGLISH, START)
    with archive.write(workspace) as writer:
        writer.add(Kind.FACT, [a_fact("kept")])
    with archive.write(workspace) as writer:
        writer.add(Kind.FACT, [a_fact("open")])
        os._exit(9)


def _run_elsewhere(task: Callable[..., None], *argument_lists: tuple[object, ...]) -> list[int | None]:
    """Run a task in one process for each list of arguments, all at once; answers the exit codes."""
    processes = [_spawn.Process(target=task, args=arguments) for arguments in argument_lists]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    codes = [process.exitcode for process in processes]
    for process in processes:
        process.close()
    return codes


def _write_everything(writer: ArchiveWriter) -> None:
    """Change all there is to change."""
    head = a_session("second")
    writer.add(Kind.SESSION, [head])
    writer.add(Kind.EPISODE, [an_episode(head, 1)])
    nums = writer.add(Kind.FACT, [a_fact("second")])
    writer.enqueue(Work.EMBED, Kind.FACT, nums, at(1))
    first = _stored(writer, Kind.FACT, "fact-first")
    writer.replace(first, revised(first.record, 1, content="changed"))
    writer.remove(Kind.FACT, [_stored(writer, Kind.FACT, "fact-doomed")], actor="tester", at=at(1))


def _everything(reader: ArchiveReader) -> tuple[object, ...]:
    """All that `_write_everything` touches."""
    listed = [reader.page(kind, Filters(), limit=100, cursor=None) for kind in Kind]
    past = [
        reader.history(Kind.FACT, f"fact-{name}", limit=100, cursor=None)
        for name in ("first", "second", "doomed")
    ]
    return (*listed, *past, reader.pending(at(2), limit=100, cursor=None))


class ArchiveConformance(ListingConformance, LookupConformance, QueueConformance):
    """Everything that an archive guarantees; override `open_archive`."""

    # Transactions

    def test_a_transaction_keeps_everything(self, archive: Archive, workspace: Workspace) -> None:
        """Records, history and pending work of a transaction are all there after it."""
        with archive.write(workspace) as writer:
            writer.add(Kind.FACT, [a_fact("first"), a_fact("doomed")])
        with archive.write(workspace) as writer:
            _write_everything(writer)
            inside = _everything(writer)
        with archive.read(workspace) as reader:
            assert _everything(reader) == inside
            assert reader.count(Kind.FACT) == 2
            assert reader.count(Kind.EPISODE) == reader.count(Kind.SESSION) == 1
            assert reader.pending_count(Work.EMBED) == 1

    def test_an_exception_keeps_nothing(self, archive: Archive, workspace: Workspace) -> None:
        """Leaving a transaction by an exception rolls all of it back."""
        with archive.write(workspace) as writer:
            writer.add(Kind.FACT, [a_fact("first"), a_fact("doomed")])
        with archive.read(workspace) as reader:
            before = _everything(reader)
        with pytest.raises(KeyboardInterrupt), archive.write(workspace) as writer:
            _write_everything(writer)
            assert _everything(writer) != before
            raise KeyboardInterrupt
        with archive.read(workspace) as reader:
            assert _everything(reader) == before

    def test_an_error_inside_keeps_nothing(self, archive: Archive, workspace: Workspace) -> None:
        """An id that is taken is an error of the archive, and the rest of its transaction is gone too."""
        with archive.write(workspace) as writer:
            writer.add(Kind.FACT, [a_fact("first")])
        with pytest.raises(ArchiveError), archive.write(workspace) as writer:
            writer.add(Kind.FACT, [a_fact("second")])
            writer.add(Kind.FACT, [a_fact("first")])
        with archive.read(workspace) as reader:
            assert reader.get(Kind.FACT, "fact-second") is None
            assert reader.count(Kind.FACT) == 1

    def test_threads_take_turns(self, archive: Archive, workspace: Workspace) -> None:
        """Write transactions of threads run one after the other: no count is lost."""
        with archive.write(workspace) as writer:
            writer.add(Kind.FACT, [a_fact("counter", mention_count=0)])
        threads = [threading.Thread(target=_count_up, args=(archive, workspace, 10)) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self._assert_counted(archive, workspace, 60)

    def test_processes_take_turns(self, archive: Archive, workspace: Workspace, tmp_path: Path) -> None:
        """Write transactions of processes run one after the other: no count is lost."""
        with archive.write(workspace) as writer:
            writer.add(Kind.FACT, [a_fact("counter", mention_count=0)])
        arguments = (self.open_archive, tmp_path, 20)
        assert _run_elsewhere(_count_up_elsewhere, arguments, arguments) == [0, 0]
        self._assert_counted(archive, workspace, 40)

    def _assert_counted(self, archive: Archive, workspace: Workspace, count: int) -> None:
        with archive.read(workspace) as reader:
            record = _stored(reader, Kind.FACT, "fact-counter").record
            assert isinstance(record, Fact)
            assert (record.mention_count, record.revision) == (count, count + 1)
            assert reader.history(Kind.FACT, record.id, limit=1, cursor=None).total == count + 1

    def test_what_is_committed_survives(self, tmp_path: Path) -> None:
        """A commit survives the death of its process; a transaction that was open then does not."""
        with self.opened(tmp_path) as archive:
            workspace = archive.ensure_workspace("tests", Language.ENGLISH, START)
            assert _run_elsewhere(_commit_and_die, (self.open_archive, tmp_path)) == [9]
            with archive.read(workspace) as reader:
                assert reader.get(Kind.FACT, "fact-kept") is not None
                assert reader.get(Kind.FACT, "fact-open") is None
            with archive.write(workspace) as writer:
                writer.add(Kind.FACT, [a_fact("next")])

    # Reading

    def test_a_read_is_a_snapshot(self, archive: Archive, workspace: Workspace) -> None:
        """A read sees nothing that is committed after it began, and needs no look to begin."""
        with archive.write(workspace) as writer:
            writer.add(Kind.FACT, [a_fact("early")])
        with archive.read(workspace) as reader:
            with archive.write(workspace) as writer:
                writer.add(Kind.FACT, [a_fact("late")])
            assert reader.get(Kind.FACT, "fact-late") is None
            assert reader.count(Kind.FACT) == 1
            with archive.read(workspace) as fresh:
                assert fresh.count(Kind.FACT) == 2
            assert reader.count(Kind.FACT) == 1

    def test_readers_do_not_wait(self, archive: Archive, workspace: Workspace, tmp_path: Path) -> None:
        """A read beside an open write transaction answers, without what is not committed."""
        with self.opened(tmp_path) as other, archive.write(workspace) as writer:
            writer.add(Kind.FACT, [a_fact("open")])
            for store in (archive, other):
                with store.read(workspace) as reader:
                    assert reader.count(Kind.FACT) == 0
            assert writer.count(Kind.FACT) == 1

    # Numbers

    def test_numbers_rise_and_are_never_used_again(self, tmp_path: Path) -> None:
        """Each record gets a higher number than any before it, also after the newest was removed."""
        newest = 0
        for name in ("one", "two", "three", "four"):
            with self.opened(tmp_path) as archive:
                workspace = archive.ensure_workspace(f"tests {len(name)}", Language.ENGLISH, START)
                with archive.write(workspace) as writer:
                    nums = list(writer.add(Kind.FACT, [a_fact(name), a_fact(f"{name} more")]))
                assert nums == sorted(set(nums))
                assert nums[0] > newest
                newest = nums[-1]
                with archive.write(workspace) as writer:
                    stored = [_stored(writer, Kind.FACT, f"fact-{name}{end}") for end in ("", " more")]
                    assert [item.num for item in stored] == nums
                    writer.remove(Kind.FACT, stored, actor="tester", at=at(1))

    def test_a_change_keeps_the_number(self, archive: Archive, workspace: Workspace) -> None:
        """A record keeps its number through its revisions."""
        with archive.write(workspace) as writer:
            (num,) = writer.add(Kind.FACT, [a_fact("first")])
            stored = _stored(writer, Kind.FACT, "fact-first")
            writer.replace(stored, revised(stored.record, 1, content="changed"))
            assert _stored(writer, Kind.FACT, "fact-first").num == num

    # Revisions

    def test_a_stale_change_is_refused(self, archive: Archive, workspace: Workspace) -> None:
        """A change from a revision that is not the archive's is refused and changes nothing."""
        with archive.write(workspace) as writer:
            writer.add(Kind.FACT, [a_fact("first")])
        with archive.read(workspace) as reader:
            seen = _stored(reader, Kind.FACT, "fact-first")
        with archive.write(workspace) as writer:
            writer.replace(seen, revised(seen.record, 1, content="mine"))
        with pytest.raises(StaleRevision), archive.write(workspace) as writer:
            writer.add(Kind.FACT, [a_fact("beside")])
            writer.replace(seen, revised(seen.record, 2, content="theirs"))
        with archive.read(workspace) as reader:
            assert _stored(reader, Kind.FACT, "fact-first").record == revised(seen.record, 1, content="mine")
            assert reader.history(Kind.FACT, "fact-first", limit=9, cursor=None).total == 2
            assert reader.get(Kind.FACT, "fact-beside") is None

    def test_history_keeps_every_revision(self, archive: Archive, workspace: Workspace) -> None:
        """Every revision is in the history, newest first, with its reason, also after deletion."""
        with archive.write(workspace) as writer:
            writer.add(Kind.FACT, [a_fact("first", content="one"), a_fact("other")])
        for step, content in enumerate(("two", "three"), start=1):
            with archive.write(workspace) as writer:
                stored = _stored(writer, Kind.FACT, "fact-first")
                writer.replace(stored, revised(stored.record, step, content=content), reason=f"why {content}")
        with archive.read(workspace) as reader:
            page = reader.history(Kind.FACT, "fact-first", limit=9, cursor=None)
            assert [(entry.revision, entry.body["content"], entry.reason) for entry in page.items] == [
                (3, "three", "why three"),
                (2, "two", "why two"),
                (1, "one", None),
            ]
            assert [entry.action for entry in page.items] == ["updated", "updated", "created"]
            assert [entry.at for entry in page.items] == [at(2), at(1), at(0)]
        with archive.write(workspace) as writer:
            stored = _stored(writer, Kind.FACT, "fact-first")
            writer.remove(Kind.FACT, [stored], actor="someone", at=at(9))
        with archive.read(workspace) as reader:
            page = reader.history(Kind.FACT, "fact-first", limit=9, cursor=None)
            assert [entry.action for entry in page.items] == ["deleted", "updated", "updated", "created"]
            assert page.items[0].body["content"] == "three"
            assert (page.items[0].actor, page.items[0].at) == ("someone", at(9))

    def test_history_pages(self, archive: Archive, workspace: Workspace) -> None:
        """Pages of a history neither skip nor repeat, whatever their size."""
        with archive.write(workspace) as writer:
            writer.add(Kind.FACT, [a_fact("first")])
            for step in range(3):
                stored = _stored(writer, Kind.FACT, "fact-first")
                writer.replace(stored, revised(stored.record, step))
        expected = [(4, "updated"), (3, "updated"), (2, "updated"), (1, "created")]
        for limit in range(1, 6):
            assert self._paged_history(archive, workspace, limit) == expected
        with archive.write(workspace) as writer:
            stored = _stored(writer, Kind.FACT, "fact-first")
            writer.remove(Kind.FACT, [stored], actor="tester", at=at(9))
        for limit in range(1, 7):
            assert self._paged_history(archive, workspace, limit) == [(4, "deleted"), *expected]

    def _paged_history(self, archive: Archive, workspace: Workspace, limit: int) -> list[tuple[int, str]]:
        seen: list[tuple[int, str]] = []
        totals: set[int] = set()
        cursor: str | None = None
        with archive.read(workspace) as reader:
            while cursor is not None or not seen:
                page = reader.history(Kind.FACT, "fact-first", limit=limit, cursor=cursor)
                assert len(page.items) <= limit
                totals.add(page.total)
                seen += [(entry.revision, entry.action) for entry in page.items]
                cursor = page.next_cursor
                if cursor is None:
                    break
        assert totals == {len(seen)}
        return seen

    # What is kept comes back

    def test_a_text_comes_back_as_it_was(self, archive: Archive, workspace: Workspace) -> None:
        """Any text in any field is stored and found again as it is."""
        for number, text in enumerate(HOSTILE):
            head = a_session(f"{number}", external_id=text, name=text, project=text, metadata={text: [text]})
            turn = an_episode(
                head, 1, user_message=text, assistant_message=text, speaker=text, external_id=text,
                metadata={"nested": {text: text}}, user_tokens=0, assistant_tokens=12,
            )  # fmt: skip
            fact = a_fact(
                f"{number}", content=text, domain=text, topic=text, tags=(text, "b"), sources=(text,)
            )
            with archive.write(workspace) as writer:
                (session_num,) = writer.add(Kind.SESSION, [head])
                writer.add(Kind.EPISODE, [turn])
                writer.add(Kind.FACT, [fact])
            with archive.read(workspace) as reader:
                counted = head.model_copy(update={"episode_count": 1})
                assert _stored(reader, Kind.SESSION, head.id).record == counted
                assert _stored(reader, Kind.EPISODE, turn.id).record == turn
                assert _stored(reader, Kind.FACT, fact.id).record == fact
                found, turn_found = reader.find_session(text), reader.find_episode(session_num, text)
                assert (found and found.num) == session_num
                assert (turn_found and turn_found.record) == turn
                listed = reader.page(Kind.FACT, Filters(domain=text, tags=(text,)), limit=9, cursor=None)
                assert [item.id for item in listed.items] == [fact.id]

    def test_every_field_comes_back(self, archive: Archive, workspace: Workspace) -> None:
        """Times keep their microseconds, optional fields their absence."""
        moment = at(0).replace(microsecond=123_457)
        fact = a_fact(
            "all", agent="a", role="r", valid_from=moment, valid_until=at(5), superseded_by="fact-x",
            superseded_at=moment, last_recalled_at=moment, recall_count=3, mention_count=7, confidence=1 / 3,
        )  # fmt: skip
        with archive.write(workspace) as writer:
            writer.add(Kind.FACT, [fact, a_fact("bare")])
        with archive.read(workspace) as reader:
            assert _stored(reader, Kind.FACT, fact.id).record == fact
            assert _stored(reader, Kind.FACT, "fact-bare").record == a_fact("bare")

    # Workspaces

    def test_a_workspace_is_made_once(self, archive: Archive, tmp_path: Path) -> None:
        """The same name is the same workspace, with the language that it was made with."""
        made = archive.ensure_workspace("casa", Language.ITALIAN, START)
        with self.opened(tmp_path) as other:
            assert other.ensure_workspace("casa", Language.ENGLISH, at(1)) == made
            assert other.find_workspace("casa") == made
            assert other.find_workspace("Casa") is None
            other.ensure_workspace("altro", Language.ENGLISH, at(1))
        assert [item.name for item in archive.workspaces()] == ["altro", "casa"]

    def test_a_workspace_sees_nothing_of_another(self, archive: Archive, workspace: Workspace) -> None:
        """Records of another workspace are not found by id, number, name or listing, nor changed."""
        head = a_session("one", external_id="mine")
        with archive.write(workspace) as writer:
            (session_num,) = writer.add(Kind.SESSION, [head])
            writer.add(Kind.EPISODE, [an_episode(head, 1, speaker="Ada")])
            nums = writer.add(Kind.FACT, [a_fact("one")])
            writer.enqueue(Work.EMBED, Kind.FACT, nums, at(0))
            stored = _stored(writer, Kind.FACT, "fact-one")
        other = archive.ensure_workspace("other", Language.ENGLISH, START)
        with archive.write(other) as stranger:
            assert not any(stranger.count(kind) or stranger.has_any(kind) for kind in Kind)
            assert stranger.get_many(Kind.FACT, ["fact-one"]) == {}
            assert stranger.get(Kind.FACT, "fact-one") is None
            assert stranger.fetch(Kind.FACT, nums) == {}
            assert stranger.find_session("mine") is None
            assert stranger.find_session(head.id) is None
            assert not stranger.speakers(9)
            assert not stranger.scan(Kind.EPISODE)
            assert stranger.history(Kind.FACT, "fact-one", limit=9, cursor=None).total == 0
            assert stranger.pending(at(1), limit=9, cursor=None).total == 0
            assert stranger.wake(at(1)) == stranger.clear_work(Work.EMBED) == 0
            with pytest.raises(NotFound):
                stranger.add(Kind.EPISODE, [an_episode(head, 2)])
            stranger.add(Kind.FACT, [a_fact("one")])  # an id is unique in its workspace
        with pytest.raises(StaleRevision), archive.write(other) as stranger:
            stranger.replace(stored, revised(stored.record, 1, content="stolen"))
        with archive.read(workspace) as reader:
            assert _stored(reader, Kind.FACT, "fact-one") == stored
            assert reader.find_session("mine") is not None
            assert reader.pending_count(Work.EMBED) == 1
            assert [turn.session_num for turn in reader.turns([1], openings=False)] == [session_num]

    # The store itself

    def test_a_healthy_store_says_so(self, archive: Archive) -> None:
        """A fresh store has checks and passes them all."""
        checks = list(archive.diagnose())
        assert checks
        assert [check for check in checks if not check[1]] == []
        assert archive.location

    def test_after_closing(self, tmp_path: Path) -> None:
        """Closing twice does nothing; using a closed archive is an error that says so."""
        archive = self.open_archive(tmp_path)
        workspace = archive.ensure_workspace("tests", Language.ENGLISH, START)
        archive.close()
        archive.close()
        with pytest.raises(ArchiveClosed), archive.read(workspace):
            raise AssertionError("a closed archive was read")
        with pytest.raises(ArchiveClosed), archive.write(workspace):
            raise AssertionError("a closed archive was written")
