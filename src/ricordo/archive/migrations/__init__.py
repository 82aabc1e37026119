"""Numbered migrations, each with a checksum that is stored in the archive it was applied to."""

from __future__ import annotations

import hashlib
import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

from ricordo.errors import ArchiveOutdated, ArchiveTooNew, MigrationChanged

VERSIONS = Path(__file__).parent / "versions"


class Migration(NamedTuple):
    """One migration as the program has it."""

    revision: str
    checksum: str


@cache
def known_migrations() -> tuple[Migration, ...]:
    """The program's migrations in order, without loading Alembic."""
    found = []
    for path in sorted(VERSIONS.glob("[0-9]*.py")):
        text = path.read_text(encoding="utf-8")
        named = re.search(r'^revision = "([^"]+)"$', text, re.MULTILINE)
        if named is None:
            raise MigrationChanged(f"The migration {path.name} names no revision.", cure=_REINSTALL)
        digest = hashlib.sha256(text.replace("\r\n", "\n").encode()).hexdigest()
        found.append(Migration(named.group(1), digest))
    return tuple(found)


_REINSTALL = "Install Ricordo again: pip install --force-reinstall ricordo"


def missing_migrations(applied: dict[str, str]) -> tuple[Migration, ...]:
    """Migrations that the archive lacks, after checking those that it has.

    Args:
        applied: Checksum by revision, as the archive stores them.

    Raises:
        ArchiveTooNew: The archive has a migration that this program does not know.
        MigrationChanged: One was applied in another form than the program has.
        ArchiveOutdated: One is missing before one that was applied.
    """
    known = known_migrations()
    strange = sorted(applied.keys() - {migration.revision for migration in known})
    if strange:
        raise ArchiveTooNew(
            f"The archive has the migration '{strange[-1]}', which this version does not know.",
            cure="Upgrade Ricordo: pip install --upgrade ricordo",
        )
    for migration in known:
        stored = applied.get(migration.revision)
        if stored is not None and stored != migration.checksum:
            raise MigrationChanged(
                f"The migration '{migration.revision}' differs from the one that was applied.",
                cure=_REINSTALL,
            )
    have = [migration.revision in applied for migration in known]
    if have != sorted(have, reverse=True):
        gap = known[have.index(False)].revision
        raise ArchiveOutdated(
            f"The archive lacks the migration '{gap}' but has later ones.",
            cure="Restore the archive from a backup; then run: ricordo doctor",
        )
    return known[sum(have) :]
