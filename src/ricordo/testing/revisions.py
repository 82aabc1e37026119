"""What an archive guarantees of numbers, revisions and history; part of `ricordo.testing.archive`."""

from __future__ import annotations

from pathlib import Path

import pytest

from ricordo.archive.contract import Archive
from ricordo.errors import StaleRevision
from ricordo.records.base import Kind
from ricordo.records.workspace import Language, Workspace
from ricordo.testing.opened import OpenedArchive, must_get
from ricordo.testing.samples import START, a_fact, at, revised


class RevisionConformance(OpenedArchive):
    """A record keeps its number, and its history every revision."""

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
                    stored = [must_get(writer, Kind.FACT, f"fact-{name}{end}") for end in ("", " more")]
                    assert [item.num for item in stored] == nums
                    writer.remove(Kind.FACT, stored, actor="tester", at=at(1))

    def test_a_change_keeps_the_number(self, archive: Archive, workspace: Workspace) -> None:
        """A record keeps its number through its revisions."""
        with archive.write(workspace) as writer:
            (num,) = writer.add(Kind.FACT, [a_fact("first")])
            stored = must_get(writer, Kind.FACT, "fact-first")
            writer.replace(stored, revised(stored.record, 1, content="changed"))
            assert must_get(writer, Kind.FACT, "fact-first").num == num

    # Revisions

    def test_a_stale_change_is_refused(self, archive: Archive, workspace: Workspace) -> None:
        """A change from a revision that is not the archive's is refused and changes nothing."""
        with archive.write(workspace) as writer:
            writer.add(Kind.FACT, [a_fact("first")])
        with archive.read(workspace) as reader:
            seen = must_get(reader, Kind.FACT, "fact-first")
        with archive.write(workspace) as writer:
            writer.replace(seen, revised(seen.record, 1, content="mine"))
        with pytest.raises(StaleRevision), archive.write(workspace) as writer:
            writer.add(Kind.FACT, [a_fact("beside")])
            writer.replace(seen, revised(seen.record, 2, content="theirs"))
        with archive.read(workspace) as reader:
            assert must_get(reader, Kind.FACT, "fact-first").record == revised(seen.record, 1, content="mine")
            assert reader.history(Kind.FACT, "fact-first", limit=9, cursor=None).total == 2
            assert reader.get(Kind.FACT, "fact-beside") is None

    def test_history_keeps_every_revision(self, archive: Archive, workspace: Workspace) -> None:
        """Every revision is in the history, newest first, with its reason, also after deletion."""
        with archive.write(workspace) as writer:
            writer.add(Kind.FACT, [a_fact("first", content="one"), a_fact("other")])
        for step, content in enumerate(("two", "three"), start=1):
            with archive.write(workspace) as writer:
                stored = must_get(writer, Kind.FACT, "fact-first")
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
            stored = must_get(writer, Kind.FACT, "fact-first")
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
                stored = must_get(writer, Kind.FACT, "fact-first")
                writer.replace(stored, revised(stored.record, step))
        expected = [(4, "updated"), (3, "updated"), (2, "updated"), (1, "created")]
        for limit in range(1, 6):
            assert self._paged_history(archive, workspace, limit) == expected
        with archive.write(workspace) as writer:
            stored = must_get(writer, Kind.FACT, "fact-first")
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
