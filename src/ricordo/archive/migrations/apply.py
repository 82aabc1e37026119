"""Applying migrations with Alembic over an open transaction."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from pathlib import Path

from alembic.config import Config
from alembic.runtime.environment import EnvironmentContext
from alembic.runtime.migration import MigrationContext, RevisionStep
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, insert

from ricordo.archive.migrations import Migration
from ricordo.archive.tables import metadata, migrations


def apply_migrations(
    connection: Connection, missing: tuple[Migration, ...], *, now: datetime, version: str
) -> None:
    """Bring the archive to the newest migration and store the checksums, in the caller's transaction."""
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent).replace("%", "%%"))
    script = ScriptDirectory.from_config(config)

    def steps(revision: tuple[str, ...], _: MigrationContext) -> Iterable[RevisionStep]:
        return script._upgrade_revs("head", revision)  # type: ignore[arg-type]

    with EnvironmentContext(config, script, fn=steps) as environment:
        environment.configure(
            connection=connection, target_metadata=metadata, transactional_ddl=False, render_as_batch=True
        )
        environment.run_migrations()
    connection.execute(
        insert(migrations),
        [
            {
                "revision": migration.revision,
                "checksum": migration.checksum,
                "applied_at": now,
                "version": version,
            }
            for migration in missing
        ],
    )
