"""Suites that hold an archive or an index to its contract, for players inside and outside this package.

Each suite is a class of pytest tests, one a guarantee. To run one, derive a
class at the top level of a test module and say how a player is opened:

    from pathlib import Path

    from ricordo.archive.contract import Archive
    from ricordo.testing.archive import ArchiveConformance


    class TestMyArchive(ArchiveConformance):
        def open_archive(self, tmp_path: Path) -> Archive:
            return MyArchive(tmp_path / "memory.db")

`open_archive` is called more than once with the same folder, also in other
processes: each call answers one more object over the same store. What it
answers is closed by the suite. `ricordo.testing.index` has the same for an
index, with `open_pair`.

pytest and hypothesis have to be installed; nothing else of this package imports these modules.
"""

from __future__ import annotations

from contextlib import suppress

with suppress(ImportError):
    import pytest

    pytest.register_assert_rewrite(
        *(
            f"ricordo.testing.{name}"
            for name in (
                "archive",
                "card_listing",
                "cards",
                "index",
                "listing",
                "lookup",
                "opened",
                "pending",
                "revisions",
                "roundtrip",
                "transactions",
                "vectors",
                "workspaces",
            )
        )
    )
