"""What an archive guarantees of workspaces; part of `ricordo.testing.archive`."""

from __future__ import annotations

from pathlib import Path

import pytest

from ricordo.archive.contract import Archive
from ricordo.errors import NotFound, StaleRevision
from ricordo.records.base import Kind
from ricordo.records.work import Work
from ricordo.records.workspace import Language, Workspace
from ricordo.testing.opened import OpenedArchive, must_get
from ricordo.testing.samples import START, a_fact, a_session, an_episode, at, revised


class WorkspaceConformance(OpenedArchive):
    """A workspace is made once and sees nothing of another."""

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
            stored = must_get(writer, Kind.FACT, "fact-one")
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
            assert must_get(reader, Kind.FACT, "fact-one") == stored
            assert reader.find_session("mine") is not None
            assert reader.pending_count(Work.EMBED) == 1
            assert [turn.session_num for turn in reader.turns([1], openings=False)] == [session_num]
