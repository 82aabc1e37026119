"""Making the vectors that a command has left pending, at its end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ricordo.engine.stopping import Stop, never
from ricordo.errors import EmbedderError
from ricordo.surfaces.cli.output import Screen
from ricordo.surfaces.cli.progress import progress_bars

if TYPE_CHECKING:
    from ricordo.memory import Memory
    from ricordo.records.receipt import Receipt


def drain(memory: Memory, screen: Screen, stop: Stop = never) -> int:
    """Make the vectors that are due; answers how many records got theirs.

    What fails stays pending and is noted on stderr: what was saved is saved.
    """
    try:
        with progress_bars(screen) as advance:
            return memory.upkeep.drain(
                progress=lambda done, total: advance("vectors", done, total), stop=stop
            )
    except EmbedderError as error:
        screen.note(f"saved; vectors stay pending: {error}")
        return 0


def waiting(memory: Memory) -> int:
    """How many records wait for their vectors."""
    return memory.doctor.status().pending


def answer_many(screen: Screen, memory: Memory, add: Callable[[], Sequence[Receipt]], *, defer: bool) -> None:
    """Save many records, make their vectors, and answer with their receipts.

    Args:
        screen: For the answer and for progress.
        memory: The memory.
        add: Saves them.
        defer: Leave the vectors to later.
    """
    from ricordo.operations import Receipts
    from ricordo.surfaces.cli.rendering.records import show_receipts

    before = waiting(memory)
    receipts = tuple(add())
    if not defer:
        receipts = drained(memory, screen, receipts, before=before)
    screen.answer(Receipts(receipts=receipts), show_receipts)


def drained(
    memory: Memory, screen: Screen, receipts: Sequence[Receipt], *, before: int
) -> tuple[Receipt, ...]:
    """Receipts after the vectors that the command itself has left pending are made.

    Args:
        memory: The memory.
        screen: For progress.
        receipts: As the write answered.
        before: How many records waited before the write: where some did, all are left alone,
            since the queue is worked through in order.
    """
    from ricordo.records.receipt import Outcome

    pending = [receipt for receipt in receipts if receipt.outcome is Outcome.INDEX_PENDING]
    # One that is pending alone has been tried in the call already.
    if len(pending) < 2 or before or memory.settings.embedder == "none":
        return tuple(receipts)
    drain(memory, screen)
    if waiting(memory):
        return tuple(receipts)
    done = {"outcome": Outcome.SEARCHABLE, "note": None}
    return tuple(receipt.model_copy(update=done) for receipt in receipts)
