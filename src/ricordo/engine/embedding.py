"""Doing the pending work of embedding, under leases."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import timedelta

import numpy as np

from ricordo.archive.contract import Claim
from ricordo.embed.contract import Embedder
from ricordo.engine.engine import Engine
from ricordo.engine.stopping import Stop, never
from ricordo.errors import EmbedderError, EmbedderMismatch, EmbedderUnavailable
from ricordo.index.contract import Embedded, Space
from ricordo.index.projector import embedding_texts, stamp
from ricordo.records.base import Kind, Record
from ricordo.records.work import Work
from ricordo.records.workspace import Workspace

LEASE = timedelta(minutes=5)
"""How long a process may work on what it has claimed before others may take it."""

BATCH = 32
"""Records of one claim."""

MAX_BACK_OFF_S = 3600.0

GROUP_PIECES = 64
"""Pieces of text that are embedded and stored together: seconds of work, far below a lease."""

MAX_FAILURES_APART = 3
"""Records that fail one by one before the model is taken to be down."""

Progress = Callable[[int, int], None]
"""Called with what is done and what there is in all."""


def back_off_s(attempts: int, jitter: float) -> float:
    """Seconds until the next attempt: doubling from one second, up to an hour.

    Args:
        attempts: Attempts so far, from 1.
        jitter: 0..1; spreads processes that failed together by up to a quarter.
    """
    return min(MAX_BACK_OFF_S, float(2 ** min(attempts, 20) / 2)) * (1 + jitter / 4)


class Drain:
    """Embeds what is pending in one workspace.

    Args:
        engine: The memory's parts.
        workspace: Whose work is done.
        stop: Asked between batches; true ends the work, with nothing lost.
    """

    def __init__(self, engine: Engine, workspace: Workspace, stop: Stop = never) -> None:
        self._engine = engine
        self._workspace = workspace
        self._stop = stop

    def run(self, *, progress: Progress | None = None, batch: int = BATCH) -> int:
        """Work until nothing is due; answers how many records were embedded.

        Raises:
            EmbedderError: The first batch could not be embedded; the items back off.
        """
        engine = self._engine
        try:
            space = engine.current_space(self._workspace)
        except EmbedderError as error:
            self._note_absence(error)
            raise
        if space is None or engine.embedder is None or not space.active:
            return 0
        done = 0
        while not self._stop():
            claims = self._claim(space, batch)
            if not claims:
                break
            done += self._embed(engine.embedder, space, claims)
            if progress is not None:
                with engine.archive.read(self._workspace) as reader:
                    left = reader.pending_count(Work.EMBED)
                progress(done, done + left)
        return done

    def run_for(self, kind: Kind, nums: Sequence[int]) -> bool:
        """Embed these records now, where their work is still waiting; answers whether it could be done.

        Somebody waits for this: a server is asked once, and briefly.

        Raises:
            EmbedderError: They could not be embedded; they stay pending.
        """
        engine = self._engine
        embedder = engine.hurried_embedder()
        if embedder is None or not embedder.dimension:  # a server says it here first, in the same short time
            return False
        space = engine.space(self._workspace)
        if space is None:
            return False
        with engine.archive.read(self._workspace) as reader:
            if not engine.is_active(reader, space):
                return False
            records = reader.fetch(kind, nums)
        vectors = self._vectors(embedder, space, list(records.values()))
        with engine.archive.write(self._workspace, flush=False) as writer:
            if not engine.is_active(writer, space):
                return False
            current = writer.fetch(kind, nums)
            same = [
                num for num in records if num in current and current[num].revision == records[num].revision
            ]
            place = dict(zip(records, vectors, strict=True))
            engine.index.put_vectors(
                writer, space, [Embedded(stamp(num, current[num]), place[num]) for num in same]
            )
            writer.clear_work(Work.EMBED, kind, same)
        return True

    def _note_absence(self, error: EmbedderError) -> None:
        """Count an attempt on what is due, where the model cannot even say what it is.

        Without this, work would wait for ever with no attempt and no error to show.
        """
        engine = self._engine
        now = engine.clock()
        with engine.archive.write(self._workspace) as writer:
            active = next((item for item in engine.index.spaces(writer) if item.active), None)
            if engine.embedder is None or (active is not None and active.model != engine.embedder.model):
                return
            claims = writer.claim(
                Work.EMBED, owner=engine.owner, now=now, lease_until=now + LEASE, limit=BATCH
            )
        self._give_back(claims, error)

    def _claim(self, space: Space, batch: int) -> Sequence[Claim]:
        now = self._engine.clock()
        with self._engine.archive.write(self._workspace, flush=False) as writer:
            if not self._engine.is_active(writer, space):
                return ()
            return writer.claim(
                Work.EMBED, owner=self._engine.owner, now=now, lease_until=now + LEASE, limit=batch
            )

    def _embed(self, embedder: Embedder, space: Space, claims: Sequence[Claim]) -> int:
        """Embed what was claimed, some pieces at a time, so that much is kept if the lease runs out."""
        records: dict[Claim, Record] = {}
        with self._engine.archive.read(self._workspace) as reader:
            for kind in {claim.kind for claim in claims}:
                mine = [claim for claim in claims if claim.kind is kind]
                found = reader.fetch(kind, [claim.record_num for claim in mine])
                records.update(
                    {claim: found[claim.record_num] for claim in mine if claim.record_num in found}
                )
        done = 0
        groups = _groups(claims, records)
        for place, group in enumerate(groups):
            try:
                done += self._embed_group(embedder, space, group, records)
            except EmbedderError as error:
                later = [claim for rest in groups[place + 1 :] for claim in rest]
                self._give_back(later, error)
                raise
        return done

    def _embed_group(
        self, embedder: Embedder, space: Space, claims: Sequence[Claim], records: dict[Claim, Record]
    ) -> int:
        """Embed claims together; one by one where that fails, since one text may be the cause.

        Where three fail before any has gone well, the model is taken to be down and the rest is
        given back.
        """
        here = {claim: records[claim] for claim in claims if claim in records}
        try:
            return self._store(space, claims, here, self._vectors(embedder, space, list(here.values())))
        except EmbedderError as error:
            if len(claims) == 1 or not error.retry_helps:
                self._give_back(claims, error)
                raise
        done = succeeded = failed = 0
        for place, claim in enumerate(claims):
            try:
                done += self._embed_group(embedder, space, [claim], records)
                succeeded += 1
            except EmbedderError as error:
                failed += 1
                if not succeeded and (failed == MAX_FAILURES_APART or failed == len(claims)):
                    self._give_back(claims[place + 1 :], error)
                    raise
        return done

    def _store(
        self,
        space: Space,
        claims: Sequence[Claim],
        records: dict[Claim, Record],
        vectors: Sequence[np.ndarray[tuple[int, ...], np.dtype[np.float32]]],
    ) -> int:
        """Store vectors whose record has not changed, whoever holds the lease by now."""
        by_claim = dict(zip(records, vectors, strict=True))
        with self._engine.archive.write(self._workspace, flush=False) as writer:
            if not self._engine.is_active(writer, space):
                reason = "Another model was chosen."
                writer.fail(self._engine.owner, claims, error=reason, next_at=self._engine.clock())
                return 0
            writer.finish(self._engine.owner, claims)
            embedded = []
            for kind in {claim.kind for claim in records}:
                current = writer.fetch(kind, [claim.record_num for claim in records if claim.kind is kind])
                fit = [
                    claim
                    for claim, record in records.items()
                    if claim.kind is kind
                    and claim.record_num in current
                    and current[claim.record_num].revision == record.revision
                ]
                embedded += [
                    Embedded(stamp(claim.record_num, current[claim.record_num]), by_claim[claim])
                    for claim in fit
                ]
                writer.clear_work(Work.EMBED, kind, [claim.record_num for claim in fit])
            self._engine.index.put_vectors(writer, space, embedded)
        return len(embedded)

    def _give_back(self, claims: Sequence[Claim], error: EmbedderError) -> None:
        now = self._engine.clock()
        with self._engine.archive.write(self._workspace) as writer:
            for attempts in {claim.attempts for claim in claims}:
                wait = back_off_s(attempts, self._engine.jitter())
                writer.fail(
                    self._engine.owner,
                    [claim for claim in claims if claim.attempts == attempts],
                    error=str(error)[:2000],
                    next_at=now + timedelta(seconds=wait),
                )

    def _vectors(
        self, embedder: Embedder, space: Space, records: Sequence[Record]
    ) -> list[np.ndarray[tuple[int, ...], np.dtype[np.float32]]]:
        """Vectors of each record, one row a piece."""
        texts = [embedding_texts(record) for record in records]
        flat = [text for pieces in texts for text in pieces]
        if not flat:
            return []
        parts = []
        for start in range(0, len(flat), embedder.batch_size):
            part = embedder.embed_passages(flat[start : start + embedder.batch_size])
            if part.shape[1] != space.dimension:
                raise EmbedderMismatch(
                    f"The model answered {part.shape[1]} numbers where {space.dimension} were expected.",
                    cure="Run: ricordo index",
                )
            parts.append(part)
        vectors = np.concatenate(parts)
        if len(vectors) != len(flat):
            raise EmbedderUnavailable("The model answered another number of vectors than texts.")
        self._engine.note_embedder(failed=False)
        ends = np.cumsum([len(pieces) for pieces in texts])
        return np.split(vectors, ends[:-1])


def _groups(claims: Sequence[Claim], records: dict[Claim, Record]) -> list[list[Claim]]:
    """Claims in groups of about `GROUP_PIECES` pieces of text."""
    groups: list[list[Claim]] = []
    room = 0
    for claim in claims:
        size = len(embedding_texts(records[claim])) if claim in records else 0
        if not groups or size > room:
            groups.append([])
            room = GROUP_PIECES
        groups[-1].append(claim)
        room -= size
    return groups
