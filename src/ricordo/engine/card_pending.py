"""Index work of cards that is not done yet, and doing it again."""

from __future__ import annotations

from ricordo.engine.embedding import Drain
from ricordo.engine.engine import Bound, embedder_trouble
from ricordo.engine.held import not_found
from ricordo.engine.staging import stage_alone
from ricordo.engine.validation import name_text, page_limit
from ricordo.errors import EmbedderError
from ricordo.records.base import Kind
from ricordo.records.page import Page
from ricordo.records.principal import Permission
from ricordo.records.receipt import HistoryEntry, Outcome, Receipt
from ricordo.records.work import PendingItem, Work


class CardPending(Bound):
    """Pending index work of the cards of a workspace."""

    def pending(self, *, limit: int = 50, cursor: str | None = None) -> Page[PendingItem]:
        """Index work of cards that is not done yet, oldest first."""
        self.principal.require(Permission.MANAGE)
        with self.engine.archive.read(self.workspace) as reader:
            return reader.pending(self.engine.clock(), limit=page_limit(limit), cursor=cursor, kind=Kind.CARD)

    def retry(self, card_id: str) -> Receipt:
        """Do the pending index work of one card now, from what the archive holds now.

        Raises:
            NotFound: There is no such card, and never was.
        """
        self.principal.require(Permission.MANAGE)
        card_id = name_text(card_id, "card_id")
        with self.engine.archive.write(self.workspace) as writer:
            stored = writer.get(Kind.CARD, card_id)
            if stored is None:
                return self._nothing_left(writer.history(Kind.CARD, card_id, limit=1, cursor=None), card_id)
            stage_alone(self, writer, [stored], fresh=False)
            waits = bool(writer.queued(Work.EMBED, Kind.CARD, [stored.num]))
        note = None
        if waits and self.engine.embedder is not None:
            try:
                waits = not Drain(self.engine, self.workspace).run_for(Kind.CARD, [stored.num])
            except EmbedderError as error:
                note = embedder_trouble(error)
        outcome = Outcome.INDEX_PENDING if waits else Outcome.SEARCHABLE
        revision = stored.record.revision
        return Receipt(
            kind=Kind.CARD, id=card_id, revision=revision, outcome=outcome, created=False, note=note
        )

    def _nothing_left(self, history: Page[HistoryEntry], card_id: str) -> Receipt:
        if not history.items:
            raise not_found(Kind.CARD, card_id)
        return Receipt(
            kind=Kind.CARD,
            id=card_id,
            revision=history.items[0].revision,
            outcome=Outcome.SEARCHABLE,
            created=False,
            note="It was deleted; nothing of it is left in the index.",
        )
