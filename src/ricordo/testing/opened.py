"""What every suite starts from: opened stores and a workspace in them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from ricordo.archive.contract import Archive, ArchiveReader, Stored
from ricordo.index.analysis import ask
from ricordo.index.contract import Embedded, Found, Index, Projection, Space, Vectors, Where
from ricordo.records.base import Kind
from ricordo.records.workspace import Language, Workspace
from ricordo.testing.samples import START

EVERYWHERE = Where()


def must_get(reader: ArchiveReader, kind: Kind, record_id: str) -> Stored:
    """A record that has to be there."""
    stored = reader.get(kind, record_id)
    assert stored is not None, f"{record_id} is not there"
    return stored


class OpenedArchive:
    """Opens the archive under test; the base of the suites in `ricordo.testing.archive`."""

    def open_archive(self, tmp_path: Path) -> Archive:
        """Open the store that lives in this folder, making it if it is not there.

        Called again with the same folder, also in another process, it answers another
        object over the same store.
        """
        raise NotImplementedError("say how the archive is opened")

    @pytest.fixture
    def archive(self, tmp_path: Path) -> Iterator[Archive]:
        """The archive under test."""
        with self.opened(tmp_path) as archive:
            yield archive

    @pytest.fixture
    def workspace(self, archive: Archive) -> Workspace:
        """A workspace of the archive under test."""
        return archive.ensure_workspace("tests", Language.ENGLISH, START)

    @contextmanager
    def opened(self, tmp_path: Path) -> Iterator[Archive]:
        """One more object over the store, closed at the end."""
        archive = self.open_archive(tmp_path)
        try:
            yield archive
        finally:
            archive.close()


@dataclass(frozen=True)
class Pair:
    """An index, the archive beside it, and a workspace that it was prepared for."""

    archive: Archive
    index: Index
    workspace: Workspace

    def stage(self, *projections: Projection, fresh: bool = True) -> None:
        """Stage projections in a transaction of their own."""
        with self.archive.write(self.workspace) as writer:
            self.index.stage(writer, projections, fresh=fresh)

    def lexical(
        self, text: str, where: Where = EVERYWHERE, *, kind: Kind = Kind.FACT, limit: int = 10
    ) -> list[Found]:
        """Candidates for a text, by keyword."""
        with self.archive.read(self.workspace) as reader:
            question = ask(text, self.workspace.language)
            return list(self.index.lexical(reader, kind, question, where, limit=limit))

    def open_space(self, model: str = "model", dimension: int = 8) -> Space:
        """A vector space."""
        with self.archive.write(self.workspace) as writer:
            return self.index.open_space(writer, model, dimension, 1)

    def embed(self, space: Space, *embedded: Embedded) -> None:
        """Store vectors in a transaction of their own."""
        with self.archive.write(self.workspace) as writer:
            self.index.put_vectors(writer, space, embedded)

    def similar(
        self,
        space: Space,
        vector: Vectors,
        where: Where = EVERYWHERE,
        *,
        kind: Kind = Kind.FACT,
        limit: int = 10,
    ) -> list[Found]:
        """Candidates for a vector."""
        with self.archive.read(self.workspace) as reader:
            return list(self.index.similar(reader, space, kind, vector, where, limit=limit))

    def similarities(self, space: Space, vector: Vectors, nums: Sequence[int]) -> dict[int, float]:
        """Similarity of facts to a vector, by number; those without vectors are left out."""
        asked = np.asarray(nums, dtype=np.int64)
        with self.archive.read(self.workspace) as reader:
            scores = self.index.similarities(reader, space, Kind.FACT, vector, asked)
        assert scores.shape == asked.shape
        return {
            num: score
            for num, score in zip(asked.tolist(), scores.tolist(), strict=True)
            if not math.isnan(score)
        }


class OpenedPair:
    """Opens the index under test; the base of the suites in `ricordo.testing.index`."""

    def open_pair(self, tmp_path: Path) -> tuple[Archive, Index]:
        """Open the archive that lives in this folder and the index over it, making what is not there.

        Called again with the same folder it answers other objects over the same stores.
        """
        raise NotImplementedError("say how archive and index are opened")

    @pytest.fixture
    def pair(self, tmp_path: Path) -> Iterator[Pair]:
        """The index under test."""
        with self.opened_pair(tmp_path) as pair:
            yield pair

    @contextmanager
    def opened_pair(self, tmp_path: Path, workspace: str = "tests") -> Iterator[Pair]:
        """One more pair of objects over the stores, closed at the end."""
        archive, index = self.open_pair(tmp_path)
        try:
            found = archive.ensure_workspace(workspace, Language.ENGLISH, START)
            with archive.write(found) as writer:
                for kind in (Kind.EPISODE, Kind.FACT, Kind.CARD):
                    index.prepare(writer, kind)
            yield Pair(archive, index, found)
        finally:
            index.close()
            archive.close()
