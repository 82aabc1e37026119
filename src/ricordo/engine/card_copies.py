"""Cards as JSON lines, out of an archive and into one, with nothing lost."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator

from ricordo.engine.card_import import CardImporting
from ricordo.engine.engine import Bound
from ricordo.engine.stopping import Stop, never
from ricordo.engine.validation import callback
from ricordo.errors import InvalidInput
from ricordo.records.base import Kind
from ricordo.records.card import Card
from ricordo.records.card_copy import CardImport
from ricordo.records.principal import Permission

SNAPSHOT_CARDS = 500
"""Cards of one snapshot of an export: it holds none open while its reader is slow."""


class CardCopies(Bound):
    """Copies of all cards of a workspace."""

    def export(self) -> Iterator[str]:
        """Every card as a line of JSON, with its links, in the order in which the archive took them.

        Each line holds the card's newest revision; earlier ones stay in the archive's history.
        """
        self.principal.require(Permission.MANAGE)
        return self._lines()

    def _lines(self) -> Iterator[str]:
        after = 0
        while True:
            with self.engine.archive.read(self.workspace) as reader:
                part = reader.scan(Kind.CARD, after=after, limit=SNAPSHOT_CARDS)
            if not part:
                return
            for stored in part:
                if isinstance(stored.record, Card):
                    yield card_line(stored.record)
            after = part[-1].num

    def import_lines(
        self,
        lines: Iterable[str | None],
        *,
        replace: bool = False,
        progress: Callable[[int], None] | None = None,
        stop: Stop = never,
    ) -> CardImport:
        """Bring cards in from lines of JSON, some at a time; vectors are left to the worker.

        A card keeps its id, revision, times, authors and origin. One that is here already as it
        stands in the file is left alone, so that the same lines can be brought in again, also after
        the process was killed. One that is here with another content is a conflict. A line without
        an id becomes a new card of this principal's. Links may lead to cards further down.

        Args:
            lines: Without or with their ends; None for one that is too long to be read.
            replace: Settle conflicts in favour of the file, as new revisions.
            progress: Called with the number of lines that are done.
            stop: Asked at each line; true ends the import after writing what was read.

        Returns:
            What was added and what was left out, and why. A broken line costs no more than itself.

        Raises:
            Forbidden: It needs `workspace.admin` too, since lines say who wrote and reviewed a card.
            ArchiveError: The archive failed; what was written before stays.
        """
        self.principal.require(Permission.MANAGE)
        self.principal.require(Permission.ADMIN)
        if isinstance(lines, str | bytes) or not isinstance(lines, Iterable):
            raise InvalidInput("'lines': must be lines one by one.", field="lines")
        callback(progress, "progress", optional=True)
        callback(stop, "stop")
        importing = CardImporting(self, replace=bool(replace))
        stopped = False
        number = 0
        for number, line in enumerate(lines, start=1):
            if stop():
                stopped = True
                break
            if importing.take(number, line) and progress is not None:
                progress(number)
        importing.finish()
        if progress is not None:
            progress(number)
        return importing.report(stopped=stopped)


def card_line(card: Card) -> str:
    """A card as one line of JSON, without the line's end; what is empty is left out."""
    # A clock that was set back may have left an old archive with a change before its card was made.
    in_time = card.model_copy(update={"updated_at": max(card.updated_at, card.created_at)})
    values = in_time.model_dump(mode="json", exclude_none=True)
    values["origin"] = card.origin.model_dump(mode="json", exclude_defaults=True)
    written = {"id": values.pop("id"), "family": values.pop("family"), **values}
    kept = {name: value for name, value in written.items() if value != []}
    return json.dumps(kept, ensure_ascii=False)
