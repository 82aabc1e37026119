"""The first tables: workspaces, sessions, episodes, facts, history, pending work, vectors.

Frozen once released: its checksum is stored in every archive that it was applied to.
"""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

NUM = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "migrations",
        sa.Column("revision", sa.Text(), nullable=False),
        sa.Column("checksum", sa.Text(), nullable=False),
        sa.Column("applied_at", sa.BigInteger(), nullable=False),
        sa.Column("version", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("revision", name=op.f("pk_migrations")),
    )
    op.create_table(
        "sequences",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("value", NUM, nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_sequences")),
    )
    op.create_table(
        "workspaces",
        sa.Column("num", NUM, autoincrement=True, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("language", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("num", name=op.f("pk_workspaces")),
        sa.UniqueConstraint("name", name=op.f("uq_workspaces_name")),
    )
    op.create_table(
        "facts",
        sa.Column("num", NUM, autoincrement=False, nullable=False),
        sa.Column("workspace_num", NUM, nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.Column("created_by", sa.Text(), nullable=False),
        sa.Column("updated_by", sa.Text(), nullable=False),
        sa.Column("change_reason", sa.Text(), nullable=True),
        sa.Column("domain", sa.Text(), nullable=False),
        sa.Column("domain_fold", sa.Text(), nullable=False),
        sa.Column("topic", sa.Text(), nullable=False),
        sa.Column("topic_fold", sa.Text(), nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.Column("confidence", sa.Float(), nullable=False),
        sa.Column("memory_type", sa.Text(), nullable=False),
        sa.Column("veracity", sa.Text(), nullable=False),
        sa.Column("sources", sa.Text(), nullable=False),
        sa.Column("tags", sa.Text(), nullable=False),
        sa.Column("agent", sa.Text(), nullable=True),
        sa.Column("role", sa.Text(), nullable=True),
        sa.Column("mention_count", sa.Integer(), nullable=False),
        sa.Column("recall_count", sa.Integer(), nullable=False),
        sa.Column("last_recalled_at", sa.BigInteger(), nullable=True),
        sa.Column("valid_from", sa.BigInteger(), nullable=True),
        sa.Column("valid_until", sa.BigInteger(), nullable=True),
        sa.Column("recorded_at", sa.BigInteger(), nullable=False),
        sa.Column("superseded_by", sa.Text(), nullable=True),
        sa.Column("superseded_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["workspace_num"], ["workspaces.num"], name=op.f("fk_facts_workspace_num")),
        sa.PrimaryKeyConstraint("num", name=op.f("pk_facts")),
        sa.UniqueConstraint("workspace_num", "id", name=op.f("uq_facts_workspace_num_id")),
    )
    op.create_index(
        op.f("ix_facts_workspace_num_domain_fold_topic_fold"),
        "facts",
        ["workspace_num", "domain_fold", "topic_fold"],
        unique=False,
    )
    op.create_index(op.f("ix_facts_workspace_num_num"), "facts", ["workspace_num", "num"], unique=False)
    op.create_table(
        "history",
        sa.Column("num", NUM, autoincrement=True, nullable=False),
        sa.Column("workspace_num", NUM, nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("record_id", sa.Text(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("action", sa.Text(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("actor", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("body", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["workspace_num"], ["workspaces.num"], name=op.f("fk_history_workspace_num")),
        sa.PrimaryKeyConstraint("num", name=op.f("pk_history")),
    )
    op.create_index(
        op.f("ix_history_workspace_num_kind_record_id_revision"),
        "history",
        ["workspace_num", "kind", "record_id", "revision"],
        unique=False,
    )
    op.create_table(
        "pending",
        sa.Column("num", NUM, autoincrement=True, nullable=False),
        sa.Column("workspace_num", NUM, nullable=False),
        sa.Column("work", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("record_num", NUM, nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("queued_at", sa.BigInteger(), nullable=False),
        sa.Column("next_at", sa.BigInteger(), nullable=False),
        sa.Column("lease_owner", sa.Text(), nullable=True),
        sa.Column("leased_until", sa.BigInteger(), nullable=True),
        sa.Column("last_error", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["workspace_num"], ["workspaces.num"], name=op.f("fk_pending_workspace_num")),
        sa.PrimaryKeyConstraint("num", name=op.f("pk_pending")),
        sa.UniqueConstraint(
            "workspace_num",
            "work",
            "kind",
            "record_num",
            name=op.f("uq_pending_workspace_num_work_kind_record_num"),
        ),
        sqlite_autoincrement=True,
    )
    op.create_index(
        op.f("ix_pending_workspace_num_work_next_at"),
        "pending",
        ["workspace_num", "work", "next_at"],
        unique=False,
    )
    op.create_table(
        "sessions",
        sa.Column("num", NUM, autoincrement=False, nullable=False),
        sa.Column("workspace_num", NUM, nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.Column("created_by", sa.Text(), nullable=False),
        sa.Column("updated_by", sa.Text(), nullable=False),
        sa.Column("change_reason", sa.Text(), nullable=True),
        sa.Column("external_id", sa.Text(), nullable=True),
        sa.Column("name", sa.Text(), nullable=True),
        sa.Column("project", sa.Text(), nullable=True),
        sa.Column("project_fold", sa.Text(), nullable=True),
        sa.Column("metadata", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["workspace_num"], ["workspaces.num"], name=op.f("fk_sessions_workspace_num")
        ),
        sa.PrimaryKeyConstraint("num", name=op.f("pk_sessions")),
        sa.UniqueConstraint(
            "workspace_num", "external_id", name=op.f("uq_sessions_workspace_num_external_id")
        ),
        sa.UniqueConstraint("workspace_num", "id", name=op.f("uq_sessions_workspace_num_id")),
    )
    op.create_index(op.f("ix_sessions_workspace_num_num"), "sessions", ["workspace_num", "num"], unique=False)
    op.create_index(
        op.f("ix_sessions_workspace_num_project_fold"),
        "sessions",
        ["workspace_num", "project_fold"],
        unique=False,
    )
    op.create_table(
        "spaces",
        sa.Column("num", NUM, autoincrement=True, nullable=False),
        sa.Column("workspace_num", NUM, nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("dimension", sa.Integer(), nullable=False),
        sa.Column("format", sa.Integer(), nullable=False),
        sa.Column("active", sa.Integer(), nullable=False),
        sa.Column("epoch", sa.Integer(), nullable=False),
        sa.Column("mean", sa.LargeBinary(), nullable=True),
        sa.Column("mean_of", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["workspace_num"], ["workspaces.num"], name=op.f("fk_spaces_workspace_num")),
        sa.PrimaryKeyConstraint("num", name=op.f("pk_spaces")),
        sa.UniqueConstraint(
            "workspace_num",
            "model",
            "dimension",
            "format",
            name=op.f("uq_spaces_workspace_num_model_dimension_format"),
        ),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "vector_removals",
        sa.Column("num", NUM, autoincrement=True, nullable=False),
        sa.Column("workspace_num", NUM, nullable=False),
        sa.Column("vector_num", NUM, nullable=False),
        sa.ForeignKeyConstraint(
            ["workspace_num"], ["workspaces.num"], name=op.f("fk_vector_removals_workspace_num")
        ),
        sa.PrimaryKeyConstraint("num", name=op.f("pk_vector_removals")),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "episodes",
        sa.Column("num", NUM, autoincrement=False, nullable=False),
        sa.Column("workspace_num", NUM, nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.Column("created_by", sa.Text(), nullable=False),
        sa.Column("updated_by", sa.Text(), nullable=False),
        sa.Column("change_reason", sa.Text(), nullable=True),
        sa.Column("session_num", NUM, nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("user_message", sa.Text(), nullable=True),
        sa.Column("assistant_message", sa.Text(), nullable=True),
        sa.Column("speaker", sa.Text(), nullable=True),
        sa.Column("speaker_fold", sa.Text(), nullable=True),
        sa.Column("occurred_at", sa.BigInteger(), nullable=False),
        sa.Column("external_id", sa.Text(), nullable=True),
        sa.Column("metadata", sa.Text(), nullable=False),
        sa.Column("user_tokens", sa.Integer(), nullable=True),
        sa.Column("assistant_tokens", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(["session_num"], ["sessions.num"], name=op.f("fk_episodes_session_num")),
        sa.ForeignKeyConstraint(
            ["workspace_num"], ["workspaces.num"], name=op.f("fk_episodes_workspace_num")
        ),
        sa.PrimaryKeyConstraint("num", name=op.f("pk_episodes")),
        sa.UniqueConstraint("session_num", "position", name=op.f("uq_episodes_session_num_position")),
        sa.UniqueConstraint("workspace_num", "id", name=op.f("uq_episodes_workspace_num_id")),
    )
    op.create_index(op.f("ix_episodes_workspace_num_num"), "episodes", ["workspace_num", "num"], unique=False)
    op.create_index(
        op.f("ix_episodes_workspace_num_occurred_at"),
        "episodes",
        ["workspace_num", "occurred_at"],
        unique=False,
    )
    op.create_index(
        op.f("ix_episodes_workspace_num_speaker_fold"),
        "episodes",
        ["workspace_num", "speaker_fold"],
        unique=False,
    )
    op.create_index(
        "uq_episodes_session_num_external_id", "episodes", ["session_num", "external_id"], unique=True
    )
    op.create_table(
        "fact_tags",
        sa.Column("workspace_num", NUM, nullable=False),
        sa.Column("tag_fold", sa.Text(), nullable=False),
        sa.Column("fact_num", NUM, nullable=False),
        sa.ForeignKeyConstraint(["fact_num"], ["facts.num"], name=op.f("fk_fact_tags_fact_num")),
        sa.ForeignKeyConstraint(
            ["workspace_num"], ["workspaces.num"], name=op.f("fk_fact_tags_workspace_num")
        ),
        sa.PrimaryKeyConstraint("workspace_num", "tag_fold", "fact_num", name=op.f("pk_fact_tags")),
    )
    op.create_index(op.f("ix_fact_tags_fact_num"), "fact_tags", ["fact_num"], unique=False)
    op.create_table(
        "vectors",
        sa.Column("num", NUM, autoincrement=True, nullable=False),
        sa.Column("workspace_num", NUM, nullable=False),
        sa.Column("space_num", NUM, nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("record_num", NUM, nullable=False),
        sa.Column("piece", sa.Integer(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("holds_from", sa.BigInteger(), nullable=False),
        sa.Column("holds_until", sa.BigInteger(), nullable=False),
        sa.Column("vector", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["space_num"], ["spaces.num"], name=op.f("fk_vectors_space_num")),
        sa.ForeignKeyConstraint(["workspace_num"], ["workspaces.num"], name=op.f("fk_vectors_workspace_num")),
        sa.PrimaryKeyConstraint("num", name=op.f("pk_vectors")),
        sqlite_autoincrement=True,
    )
    op.create_index(
        op.f("ix_vectors_kind_record_num_space_num"),
        "vectors",
        ["kind", "record_num", "space_num"],
        unique=False,
    )
    op.create_index(
        op.f("ix_vectors_space_num_kind_num"), "vectors", ["space_num", "kind", "num"], unique=False
    )
