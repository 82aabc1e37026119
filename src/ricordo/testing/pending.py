"""What an archive guarantees of pending work; part of `ricordo.testing.archive.ArchiveConformance`."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path

import pytest

from ricordo.archive.contract import Archive, ArchiveWriter, Claim
from ricordo.records.base import Kind
from ricordo.records.work import PendingItem, Work, WorkState
from ricordo.records.workspace import Workspace
from ricordo.testing.opened import OpenedArchive
from ricordo.testing.samples import a_fact, at


def _claim(writer: ArchiveWriter, owner: str, now: float, *, limit: int = 99) -> Sequence[Claim]:
    """Take what is due, for ten minutes."""
    return writer.claim(Work.EMBED, owner=owner, now=at(now), lease_until=at(now + 10), limit=limit)


class QueueConformance(OpenedArchive):
    """What an archive guarantees of pending work."""

    def _queued(self, archive: Archive, workspace: Workspace, count: int) -> list[int]:
        """Facts with work for each, one queued a minute."""
        with archive.write(workspace) as writer:
            nums = list(writer.add(Kind.FACT, [a_fact(str(number)) for number in range(count)]))
            for minute, num in enumerate(nums):
                writer.enqueue(Work.EMBED, Kind.FACT, [num], at(minute))
        return nums

    def _items(self, archive: Archive, workspace: Workspace, now: float) -> tuple[PendingItem, ...]:
        with archive.read(workspace) as reader:
            page = reader.pending(at(now), limit=99, cursor=None)
            summary = reader.pending_summary(at(now))
            assert page.total == summary.total == reader.pending_count(Work.EMBED)
            for state in WorkState:
                assert summary.by_state.get(state, 0) == sum(item.state is state for item in page.items)
        return page.items

    def test_one_item_for_each_record(self, archive: Archive, workspace: Workspace) -> None:
        """Queuing a record again leaves one item, which starts anew."""
        nums = self._queued(archive, workspace, 2)
        with archive.write(workspace) as writer:
            claims = _claim(writer, "a", 5)
            writer.fail("a", claims, error="no", next_at=at(60))
            writer.enqueue(Work.EMBED, Kind.FACT, [nums[0]], at(6))
        items = {item.id: item for item in self._items(archive, workspace, 6)}
        assert set(items) == {"fact-0", "fact-1"}
        again = items["fact-0"]
        assert (again.attempts, again.last_error, again.next_at) == (0, None, at(6))
        assert again.state is WorkState.WAITING
        assert (items["fact-1"].attempts, items["fact-1"].last_error) == (1, "no")

    def test_the_oldest_is_taken_first(self, archive: Archive, workspace: Workspace) -> None:
        """A claim takes what is due, oldest first, as many as are asked for."""
        nums = self._queued(archive, workspace, 5)
        with archive.write(workspace) as writer:
            first = _claim(writer, "a", 3, limit=2)
            second = _claim(writer, "a", 3)
        assert [claim.record_num for claim in first] == nums[:2]
        assert [claim.record_num for claim in second] == nums[2:4]
        assert {(claim.kind, claim.attempts) for claim in [*first, *second]} == {(Kind.FACT, 1)}

    def test_a_lease_keeps_others_out(self, archive: Archive, workspace: Workspace, tmp_path: Path) -> None:
        """What one has claimed no other gets, until the lease has run out."""
        self._queued(archive, workspace, 3)
        with self.opened(tmp_path) as other:
            with archive.write(workspace) as writer:
                mine = _claim(writer, "a", 5)
            assert len(mine) == 3
            with other.write(workspace) as writer:
                assert list(_claim(writer, "b", 14.9)) == []
            assert {item.state for item in self._items(archive, workspace, 14.9)} == {WorkState.LEASED}
            assert {item.leased_until for item in self._items(archive, workspace, 14.9)} == {at(15)}
            with other.write(workspace) as writer:
                theirs = _claim(writer, "b", 15)
            assert [claim.num for claim in theirs] == [claim.num for claim in mine]
            assert {claim.attempts for claim in theirs} == {2}
            with archive.write(workspace) as writer:
                assert writer.finish("a", mine) == set()
                writer.fail("a", mine, error="late", next_at=at(99))
            assert {item.last_error for item in self._items(archive, workspace, 16)} == {None}
            with other.write(workspace) as writer:
                assert writer.finish("b", theirs) == {claim.num for claim in theirs}
        assert self._items(archive, workspace, 16) == ()

    def test_claims_never_overlap(self, archive: Archive, workspace: Workspace) -> None:
        """Workers that claim at the same time share the work: each item once."""
        with archive.write(workspace) as writer:
            nums = list(writer.add(Kind.FACT, [a_fact(str(number)) for number in range(60)]))
            writer.enqueue(Work.EMBED, Kind.FACT, nums, at(0))
        taken: list[int] = []

        def work(owner: str) -> None:
            while True:
                with archive.write(workspace) as writer:
                    claims = _claim(writer, owner, 1, limit=4)
                if not claims:
                    return
                taken.extend(claim.record_num for claim in claims)

        threads = [threading.Thread(target=work, args=(owner,)) for owner in "abcd"]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(taken) == nums

    def test_done_together_with_its_result(self, archive: Archive, workspace: Workspace) -> None:
        """A done item disappears with the commit of its result, or stays with its failure."""
        self._queued(archive, workspace, 1)
        with archive.write(workspace) as writer:
            claims = _claim(writer, "a", 5)
        with pytest.raises(KeyboardInterrupt), archive.write(workspace) as writer:
            assert writer.finish("a", claims) == {claims[0].num}
            writer.add(Kind.FACT, [a_fact("result")])
            raise KeyboardInterrupt
        assert len(self._items(archive, workspace, 5)) == 1
        with archive.write(workspace) as writer:
            assert writer.get(Kind.FACT, "fact-result") is None
            assert writer.finish("a", claims) == {claims[0].num}
            assert writer.finish("a", claims) == set()
        assert self._items(archive, workspace, 5) == ()

    def test_a_failed_item_backs_off(self, archive: Archive, workspace: Workspace) -> None:
        """A failed item keeps its error, is not taken before its time, and counts its attempts."""
        self._queued(archive, workspace, 1)
        with archive.write(workspace) as writer:
            writer.fail("a", _claim(writer, "a", 1), error="the model is away", next_at=at(30))
            assert list(_claim(writer, "a", 29.9)) == []
        (item,) = self._items(archive, workspace, 29.9)
        assert (item.state, item.attempts) == (WorkState.BACKING_OFF, 1)
        assert (item.last_error, item.next_at, item.queued_at) == ("the model is away", at(30), at(0))
        with archive.write(workspace) as writer:
            (claim,) = _claim(writer, "a", 30)
        assert claim.attempts == 2

    def test_waking(self, archive: Archive, workspace: Workspace) -> None:
        """Waking makes one item, or all, due at once, whoever has them."""
        self._queued(archive, workspace, 3)
        with archive.write(workspace) as writer:
            first, second, _ = _claim(writer, "a", 3)
            writer.fail("a", [first, second], error="no", next_at=at(50))
            assert writer.wake(at(4), first.num) == 1
            assert writer.wake(at(4), 2**40) == 0
            assert [claim.num for claim in _claim(writer, "b", 4)] == [first.num]
            assert writer.wake(at(4)) == 3
            assert len(_claim(writer, "c", 4)) == 3

    def test_work_goes_with_its_record(self, archive: Archive, workspace: Workspace) -> None:
        """Deleting a record drops its work; clearing drops what was named and says how much."""
        nums = self._queued(archive, workspace, 4)
        with archive.write(workspace) as writer:
            stored = writer.get(Kind.FACT, "fact-0")
            assert stored is not None
            writer.remove(Kind.FACT, [stored], actor="tester", at=at(9))
        assert [item.id for item in self._items(archive, workspace, 9)] == ["fact-1", "fact-2", "fact-3"]
        with archive.write(workspace) as writer:
            assert writer.clear_work(Work.EMBED, Kind.FACT, nums[:2]) == 1
            assert writer.clear_work(Work.EMBED, Kind.EPISODE) == 0
            assert writer.clear_work(Work.EMBED) == 2
        assert self._items(archive, workspace, 9) == ()

    def test_which_records_have_work(self, archive: Archive, workspace: Workspace) -> None:
        """Records with work are told apart from those without, thousands in one call."""
        nums = self._queued(archive, workspace, 3)
        with archive.write(workspace) as writer:
            writer.clear_work(Work.EMBED, Kind.FACT, nums[:1])
            assert writer.queued(Work.EMBED, Kind.FACT, range(33_000)) == set(nums[1:])
            assert writer.queued(Work.EMBED, Kind.EPISODE, nums) == set()
            assert writer.queued(Work.EMBED, Kind.FACT, []) == set()

    def test_a_late_end_touches_nothing_newer(self, archive: Archive, workspace: Workspace) -> None:
        """Ending a claim whose item was queued anew, and claimed again, leaves the new item."""
        (num,) = self._queued(archive, workspace, 1)
        with archive.write(workspace) as writer:
            old = _claim(writer, "a", 1)
            writer.enqueue(Work.EMBED, Kind.FACT, [num], at(2))
            new = _claim(writer, "a", 2)
        with archive.write(workspace) as writer:
            assert writer.finish("a", old) == set()
            assert writer.finish("a", new) == {new[0].num}

    def test_pending_pages(self, archive: Archive, workspace: Workspace) -> None:
        """Pages of the queue hold each item once, oldest first."""
        self._queued(archive, workspace, 5)
        seen: list[str] = []
        cursor: str | None = None
        with archive.read(workspace) as reader:
            while True:
                page = reader.pending(at(9), limit=2, cursor=cursor)
                assert page.total == 5
                seen += [item.id for item in page.items]
                cursor = page.next_cursor
                if cursor is None:
                    break
            oldest = reader.pending_summary(at(9)).oldest_age_s
        assert seen == [f"fact-{number}" for number in range(5)]
        assert oldest == 9 * 60
