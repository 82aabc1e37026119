"""The guarantees of `ricordo.archive.contract`, one test each.

Derive a class that says how the archive is opened; see `ricordo.testing`.
`ArchiveConformance` holds all of it; what concerns one thing stands in the file
of its name:

    transactions    all or nothing, turns of writers, snapshots of readers
    revisions       numbers, revisions, history
    roundtrip       what is kept comes back
    lookup          records by id, number, name
    listing         pages and filters
    card_listing    pages, filters and orders of cards
    cards           links and merges of cards
    pending         deferred work
    workspaces      one sees nothing of another

A class must stand at the top level of its module, since some tests open the
archive in other processes.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from ricordo.archive.contract import Archive
from ricordo.errors import ArchiveClosed
from ricordo.records.workspace import Language
from ricordo.testing.card_listing import CardListingConformance
from ricordo.testing.cards import CardConformance
from ricordo.testing.listing import ListingConformance
from ricordo.testing.lookup import LookupConformance
from ricordo.testing.pending import QueueConformance
from ricordo.testing.revisions import RevisionConformance
from ricordo.testing.roundtrip import RoundtripConformance
from ricordo.testing.samples import START
from ricordo.testing.transactions import TransactionConformance
from ricordo.testing.workspaces import WorkspaceConformance


class ArchiveConformance(
    TransactionConformance,
    RevisionConformance,
    RoundtripConformance,
    LookupConformance,
    ListingConformance,
    CardListingConformance,
    CardConformance,
    QueueConformance,
    WorkspaceConformance,
):
    """Everything that an archive guarantees; override `open_archive`."""

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
