"""What an archive guarantees of transactions and of reads beside them; part of `ricordo.testing.archive`."""

from __future__ import annotations

import multiprocessing
import os
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from ricordo.archive.contract import Archive, ArchiveReader, ArchiveWriter
from ricordo.errors import ArchiveError
from ricordo.records.base import Kind
from ricordo.records.fact import Fact
from ricordo.records.filters import Filters
from ricordo.records.work import Work
from ricordo.records.workspace import Language, Workspace
from ricordo.testing.opened import OpenedArchive, must_get
from ricordo.testing.samples import START, a_fact, a_session, an_episode, at, revised

Opener = Callable[[Path], Archive]

_spawn = multiprocessing.get_context("spawn")


def _count_up(archive: Archive, workspace: Workspace, rounds: int) -> None:
    """Read a fact and write it back with one mention more, each time in one transaction."""
    for step in range(rounds):
        with archive.write(workspace) as writer:
            stored = must_get(writer, Kind.FACT, "fact-counter")
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
    first = must_get(writer, Kind.FACT, "fact-first")
    writer.replace(first, revised(first.record, 1, content="changed"))
    writer.remove(Kind.FACT, [must_get(writer, Kind.FACT, "fact-doomed")], actor="tester", at=at(1))


def _everything(reader: ArchiveReader) -> tuple[object, ...]:
    """All that `_write_everything` touches."""
    listed = [reader.page(kind, Filters(), limit=100, cursor=None) for kind in Kind]
    past = [
        reader.history(Kind.FACT, f"fact-{name}", limit=100, cursor=None)
        for name in ("first", "second", "doomed")
    ]
    return (*listed, *past, reader.pending(at(2), limit=100, cursor=None))


class TransactionConformance(OpenedArchive):
    """All or nothing, one writer after the other, readers beside them."""

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
            record = must_get(reader, Kind.FACT, "fact-counter").record
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
