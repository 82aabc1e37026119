"""What every write does after its transaction: embed what it saved, and say how far it has come."""

from __future__ import annotations

from collections.abc import Sequence

from ricordo.archive.contract import Stored
from ricordo.embed.contract import Embedder
from ricordo.engine.embedding import Drain
from ricordo.engine.engine import Bound, embedder_trouble
from ricordo.errors import ArchiveError, EmbedderError
from ricordo.records.base import Kind
from ricordo.records.receipt import Outcome, Receipt

EMBED_AT_ONCE = 8
"""Records of one save that are embedded in the call; more are left to the worker."""

DEFERRED = "Vectors are made in the background; the words are searchable now."
LATER = "The vector is made later; the words are searchable now."
RESTS = f"The embedding model failed a moment ago and is not waited for again yet. {LATER}"
OTHER_MODEL = "The workspace uses another embedding model. Run: ricordo index"
KEYWORDS_ONLY = "Found by keyword only: no embedding model is set."


def finish_save(
    bound: Bound, kind: Kind, saved: Sequence[Stored], *, defer: bool, queued: bool
) -> tuple[Outcome, str | None]:
    """Embed saved records in the same call where that is quick.

    Args:
        bound: Workspace and caller.
        kind: Kind of the records.
        saved: What the committed transaction has saved.
        defer: Leave vectors to the worker.
        queued: Whether embedding work was queued for them.

    Returns:
        The outcome for the receipts, and a note.
    """
    if not queued:
        return Outcome.SEARCHABLE, KEYWORDS_ONLY
    embedder: Embedder | None = bound.engine.embedder
    if embedder is None:
        return Outcome.INDEX_PENDING, "Another process makes the vectors; the words are searchable now."
    if defer or len(saved) > EMBED_AT_ONCE:
        return Outcome.INDEX_PENDING, DEFERRED
    if bound.engine.embedder_rests:
        return Outcome.INDEX_PENDING, RESTS
    try:
        done = Drain(bound.engine, bound.workspace).run_for(kind, [item.num for item in saved])
    except EmbedderError as error:
        if error.retry_helps:
            bound.engine.note_embedder(failed=True)
        return Outcome.INDEX_PENDING, f"{embedder_trouble(error)} {LATER}"
    except ArchiveError as error:  # the records themselves are committed: that is no failed save
        return Outcome.INDEX_PENDING, f"Saved, but without vectors so far: {error.message}"
    return (Outcome.SEARCHABLE, None) if done else (Outcome.INDEX_PENDING, OTHER_MODEL)


def receipts(
    bound: Bound, kind: Kind, saved: Sequence[Stored], *, defer: bool, queued: bool, created: bool = True
) -> tuple[Receipt, ...]:
    """As `finish_save`; answers one receipt a record.

    Args:
        bound, kind, saved, defer, queued: As in `finish_save`.
        created: Whether the records are new.
    """
    outcome, note = finish_save(bound, kind, saved, defer=defer, queued=queued)
    return tuple(
        Receipt(
            kind=kind,
            id=item.record.id,
            revision=item.record.revision,
            outcome=outcome,
            created=created,
            note=note,
        )
        for item in saved
    )
