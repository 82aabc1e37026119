"""Every table of the archive, defined once for all engines.

Times are whole microseconds since 1970 in UTC. Each kind of record has one
table that holds all of it, with the same first columns; `num` names a record
inside the program. `history` holds the bodies of earlier revisions and of
deleted records; the current revision is the row itself.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import (
    BigInteger,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
)
from sqlalchemy.engine import Dialect
from sqlalchemy.types import TypeDecorator

from ricordo.records.moment import from_micros, to_micros


class MomentColumn(TypeDecorator[datetime]):
    """An aware datetime, stored as whole microseconds in UTC."""

    impl = BigInteger
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> Any:
        """Microseconds of a time."""
        return None if value is None else to_micros(value)

    def process_result_value(self, value: Any, dialect: Dialect) -> datetime | None:
        """The time of microseconds."""
        return None if value is None else from_micros(value)


metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)

_Num = BigInteger().with_variant(Integer, "sqlite")


def _common() -> list[Column[Any]]:
    return [
        Column("num", _Num, primary_key=True, autoincrement=False),
        Column("workspace_num", _Num, ForeignKey("workspaces.num"), nullable=False),
        Column("id", Text, nullable=False),
        Column("revision", Integer, nullable=False),
        Column("created_at", MomentColumn, nullable=False),
        Column("updated_at", MomentColumn, nullable=False),
        Column("created_by", Text, nullable=False),
        Column("updated_by", Text, nullable=False),
        Column("change_reason", Text),
    ]


workspaces = Table(
    "workspaces",
    metadata,
    Column("num", _Num, primary_key=True, autoincrement=True),
    Column("name", Text, nullable=False, unique=True),
    Column("language", Text, nullable=False),
    Column("created_at", MomentColumn, nullable=False),
)

sequences = Table(
    "sequences",
    metadata,
    Column("name", Text, primary_key=True),
    Column("value", _Num, nullable=False),
)

sessions = Table(
    "sessions",
    metadata,
    *_common(),
    Column("external_id", Text),
    Column("name", Text),
    Column("project", Text),
    Column("project_fold", Text),
    Column("metadata", Text, nullable=False),
    UniqueConstraint("workspace_num", "id"),
    UniqueConstraint("workspace_num", "external_id"),
    Index(None, "workspace_num", "num"),
    Index(None, "workspace_num", "project_fold"),
)

episodes = Table(
    "episodes",
    metadata,
    *_common(),
    Column("session_num", _Num, ForeignKey("sessions.num"), nullable=False),
    Column("position", Integer, nullable=False),
    Column("user_message", Text),
    Column("assistant_message", Text),
    Column("speaker", Text),
    Column("speaker_fold", Text),
    Column("occurred_at", MomentColumn, nullable=False),
    Column("external_id", Text),
    Column("metadata", Text, nullable=False),
    Column("user_tokens", Integer),
    Column("assistant_tokens", Integer),
    UniqueConstraint("workspace_num", "id"),
    UniqueConstraint("session_num", "position"),
    Index("uq_episodes_session_num_external_id", "session_num", "external_id", unique=True),
    Index(None, "workspace_num", "num"),
    Index(None, "workspace_num", "occurred_at"),
    Index(None, "workspace_num", "speaker_fold"),
)

facts = Table(
    "facts",
    metadata,
    *_common(),
    Column("domain", Text, nullable=False),
    Column("domain_fold", Text, nullable=False),
    Column("topic", Text, nullable=False),
    Column("topic_fold", Text, nullable=False),
    Column("content", Text, nullable=False),
    Column("confidence", Float, nullable=False),
    Column("memory_type", Text, nullable=False),
    Column("veracity", Text, nullable=False),
    Column("sources", Text, nullable=False),
    Column("tags", Text, nullable=False),
    Column("agent", Text),
    Column("role", Text),
    Column("mention_count", Integer, nullable=False),
    Column("recall_count", Integer, nullable=False),
    Column("last_recalled_at", MomentColumn),
    Column("valid_from", MomentColumn),
    Column("valid_until", MomentColumn),
    Column("recorded_at", MomentColumn, nullable=False),
    Column("superseded_by", Text),
    Column("superseded_at", MomentColumn),
    UniqueConstraint("workspace_num", "id"),
    Index(None, "workspace_num", "num"),
    Index(None, "workspace_num", "domain_fold", "topic_fold"),
)

fact_tags = Table(
    "fact_tags",
    metadata,
    Column("workspace_num", _Num, ForeignKey("workspaces.num"), primary_key=True),
    Column("tag_fold", Text, primary_key=True),
    Column("fact_num", _Num, ForeignKey("facts.num"), primary_key=True),
    Index(None, "fact_num"),
)

cards = Table(
    "cards",
    metadata,
    *_common(),
    Column("family", Text, nullable=False),
    Column("title", Text, nullable=False),
    Column("title_fold", Text, nullable=False),
    Column("scope", Text, nullable=False),
    Column("content", Text),
    Column("question", Text),
    Column("sql", Text),
    Column("context", Text),
    Column("rationale", Text),
    Column("concepts", Text, nullable=False),
    Column("dependencies", Text, nullable=False),
    Column("origin_kind", Text, nullable=False),
    Column("origin", Text, nullable=False),
    UniqueConstraint("workspace_num", "id"),
    Index(None, "workspace_num", "num"),
    # The orders of the listing.
    Index("ix_cards_by_created", "workspace_num", "created_at", "id"),
    Index("ix_cards_by_updated", "workspace_num", "updated_at", "id"),
    Index("ix_cards_by_title", "workspace_num", "title_fold", "id"),
)

card_sets = Table(
    "card_sets",
    metadata,
    Column("workspace_num", _Num, ForeignKey("workspaces.num"), primary_key=True),
    Column("mark", Text, primary_key=True),
    Column("block", _Num, primary_key=True),
    Column("members", LargeBinary, nullable=False),
)

card_dependencies = Table(
    "card_dependencies",
    metadata,
    Column("card_num", _Num, ForeignKey("cards.num"), primary_key=True),
    Column("place", Integer, primary_key=True),
    Column("workspace_num", _Num, ForeignKey("workspaces.num"), nullable=False),
    Column("database_fold", Text, nullable=False),
    Column("schema_fold", Text),
    Column("table_fold", Text),
    Column("column_fold", Text),
    Index(
        "ix_card_dependencies_path",
        "workspace_num",
        "database_fold",
        "table_fold",
        "column_fold",
        "schema_fold",
        "card_num",
    ),
)

card_links = Table(
    "card_links",
    metadata,
    Column("source_num", _Num, ForeignKey("cards.num"), primary_key=True),
    Column("target_num", _Num, ForeignKey("cards.num"), primary_key=True),
    Column("meaning", Text, primary_key=True),
    Column("workspace_num", _Num, ForeignKey("workspaces.num"), nullable=False),
    Index(None, "target_num"),
)

card_merges = Table(
    "card_merges",
    metadata,
    Column("num", _Num, primary_key=True, autoincrement=True),
    Column("workspace_num", _Num, ForeignKey("workspaces.num"), nullable=False),
    Column("id", Text, nullable=False),
    Column("kept_id", Text, nullable=False),
    Column("kept_before", Integer, nullable=False),
    Column("kept_after", Integer, nullable=False),
    Column("merged_id", Text, nullable=False),
    Column("merged_revision", Integer, nullable=False),
    Column("moved_links", Text, nullable=False),
    Column("at", MomentColumn, nullable=False),
    Column("actor", Text, nullable=False),
    Column("reason", Text),
    Column("undone_at", MomentColumn),
    UniqueConstraint("workspace_num", "id"),
    Index(None, "workspace_num", "num"),
)

history = Table(
    "history",
    metadata,
    Column("num", _Num, primary_key=True, autoincrement=True),
    Column("workspace_num", _Num, ForeignKey("workspaces.num"), nullable=False),
    Column("kind", Text, nullable=False),
    Column("record_id", Text, nullable=False),
    Column("revision", Integer, nullable=False),
    Column("action", Text, nullable=False),
    Column("at", MomentColumn, nullable=False),
    Column("actor", Text, nullable=False),
    Column("reason", Text),
    Column("body", Text, nullable=False),
    Index(None, "workspace_num", "kind", "record_id", "revision"),
)

pending = Table(
    "pending",
    metadata,
    Column("num", _Num, primary_key=True, autoincrement=True),
    Column("workspace_num", _Num, ForeignKey("workspaces.num"), nullable=False),
    Column("work", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("record_num", _Num, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("queued_at", MomentColumn, nullable=False),
    Column("next_at", MomentColumn, nullable=False),
    Column("lease_owner", Text),
    Column("leased_until", MomentColumn),
    Column("last_error", Text),
    UniqueConstraint("workspace_num", "work", "kind", "record_num"),
    Index(None, "workspace_num", "work", "next_at"),
    sqlite_autoincrement=True,
)

spaces = Table(
    "spaces",
    metadata,
    Column("num", _Num, primary_key=True, autoincrement=True),
    Column("workspace_num", _Num, ForeignKey("workspaces.num"), nullable=False),
    Column("model", Text, nullable=False),
    Column("dimension", Integer, nullable=False),
    Column("format", Integer, nullable=False),
    Column("active", Integer, nullable=False),
    Column("epoch", Integer, nullable=False),
    Column("mean", LargeBinary),
    Column("mean_of", Integer, nullable=False),
    Column("created_at", MomentColumn, nullable=False),
    UniqueConstraint("workspace_num", "model", "dimension", "format"),
    sqlite_autoincrement=True,
)

vectors = Table(
    "vectors",
    metadata,
    Column("num", _Num, primary_key=True, autoincrement=True),
    Column("workspace_num", _Num, ForeignKey("workspaces.num"), nullable=False),
    Column("space_num", _Num, ForeignKey("spaces.num"), nullable=False),
    Column("kind", Text, nullable=False),
    Column("record_num", _Num, nullable=False),
    Column("piece", Integer, nullable=False),
    Column("revision", Integer, nullable=False),
    Column("at", BigInteger, nullable=False),
    Column("holds_from", BigInteger, nullable=False),
    Column("holds_until", BigInteger, nullable=False),
    Column("vector", LargeBinary, nullable=False),
    Index(None, "kind", "record_num", "space_num"),
    Index(None, "space_num", "kind", "num"),
    sqlite_autoincrement=True,
)

vector_removals = Table(
    "vector_removals",
    metadata,
    Column("num", _Num, primary_key=True, autoincrement=True),
    Column("workspace_num", _Num, ForeignKey("workspaces.num"), nullable=False),
    Column("vector_num", _Num, nullable=False),
    sqlite_autoincrement=True,
)

migrations = Table(
    "migrations",
    metadata,
    Column("revision", Text, primary_key=True),
    Column("checksum", Text, nullable=False),
    Column("applied_at", MomentColumn, nullable=False),
    Column("version", Text, nullable=False),
)
