"""Makes `first.db.gz`, an archive as the first migration leaves it; run once, and never again.

    python tests/archive/files/make_first.py

The file is kept so that every later version is tested on it. Its contents are
the same each time: clock and ids are made up, vectors come from the hashing
embedder. `tests/archive/test_old_file.py` knows what is in it.
"""

from __future__ import annotations

import gzip
import sys
import tempfile
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path

from ricordo.embed.hashing import HashingEmbedder
from ricordo.memory import Memory
from ricordo.records.base import Kind

FIRST = Path(__file__).with_name("first.db.gz")
BEGIN = datetime(2024, 5, 6, 7, 8, 9, 123_456, tzinfo=UTC)


class _Clock:
    """A second later each time."""

    def __init__(self) -> None:
        self._ticks = 0

    def __call__(self) -> datetime:
        self._ticks += 1
        return BEGIN + timedelta(seconds=self._ticks)


class _Ids:
    """Ids that count."""

    def __init__(self) -> None:
        self._made: Counter[Kind] = Counter()

    def __call__(self, kind: Kind) -> str:
        self._made[kind] += 1
        return f"{kind}-00000000-0000-7000-8000-{self._made[kind]:012}"


def make(path: Path) -> None:
    """Make the archive at a path."""
    with Memory.open(path, embedder=HashingEmbedder(64), clock=_Clock(), ids=_Ids()) as memory:
        _fill_default(memory)
        _fill_casa(memory.in_workspace("casa", create=True, language="it"))


def _fill_default(memory: Memory) -> None:
    memory.sessions.create(external_id="standup", name="Stand-up", project="Harbour", metadata={"week": 19})
    said = [
        ("Ada", "The harbour crane was repaired on Monday.", None),
        ("Bruno", "Good. Who signed the invoice for it?", None),
        ("Ada", "I signed it, number 4711.", "Noted: invoice 4711."),
        ("Bruno", "This line was a mistake.", None),
    ]
    receipts = memory.episodes.add_many(
        "standup",
        [
            {"speaker": who, "user_message": text, "assistant_message": reply, "external_id": f"turn {place}",
             "occurred_at": BEGIN - timedelta(days=1, minutes=-place)}
            for place, (who, text, reply) in enumerate(said)
        ],
    )  # fmt: skip
    memory.episodes.update(
        receipts[1].id,
        {"user_message": "Good. Who signed the receipt for it?"},
        reason="receipt, not invoice",
    )
    memory.episodes.delete(receipts[3].id)
    memory.facts.add(
        "The staging server listens on port 8443.", domain="operations", topic="staging", tags=["port"]
    )
    old = memory.facts.add("The office closes at six.", domain="office", topic="hours", valid_until=BEGIN)
    memory.facts.add("The office closes at seven.", domain="office", topic="hours", valid_from=BEGIN)
    gone = memory.facts.add("The wifi password is swordfish.", domain="office", topic="wifi")
    memory.facts.update(old.id, {"tags": ["past"]}, revision=1)
    memory.facts.delete(gone.id)
    memory.facts.add("Vectors of this one are still to be made.", topic="pending", defer=True)


def _fill_casa(memory: Memory) -> None:
    memory.episodes.add("telefonata", user_message="L'idraulico passa giovedì per la caldaia.", speaker="Zoë")
    memory.facts.add("Il contatore dell'acqua è in cantina.", domain="casa", topic="acqua")


def main() -> None:
    """Make the kept file, unless it is there."""
    if FIRST.exists():
        sys.exit(f"{FIRST} is there already. It stays as it is.")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "first.db"
        make(path)
        FIRST.write_bytes(gzip.compress(path.read_bytes(), mtime=0))


if __name__ == "__main__":
    main()
