"""Cards with their sets, dependencies, links and merges.

Frozen once released: its checksum is stored in every archive that it was applied to.
"""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

NUM = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "cards",
        sa.Column("num", NUM, autoincrement=False, nullable=False),
        sa.Column("workspace_num", NUM, nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.Column("created_by", sa.Text(), nullable=False),
        sa.Column("updated_by", sa.Text(), nullable=False),
        sa.Column("change_reason", sa.Text(), nullable=True),
        sa.Column("family", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("title_fold", sa.Text(), nullable=False),
        sa.Column("scope", sa.Text(), nullable=False),
        sa.Column("content", sa.Text(), nullable=True),
        sa.Column("question", sa.Text(), nullable=True),
        sa.Column("sql", sa.Text(), nullable=True),
        sa.Column("context", sa.Text(), nullable=True),
        sa.Column("rationale", sa.Text(), nullable=True),
        sa.Column("concepts", sa.Text(), nullable=False),
        sa.Column("dependencies", sa.Text(), nullable=False),
        sa.Column("origin_kind", sa.Text(), nullable=False),
        sa.Column("origin", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["workspace_num"], ["workspaces.num"], name=op.f("fk_cards_workspace_num")),
        sa.PrimaryKeyConstraint("num", name=op.f("pk_cards")),
        sa.UniqueConstraint("workspace_num", "id", name=op.f("uq_cards_workspace_num_id")),
    )
    op.create_index(op.f("ix_cards_workspace_num_num"), "cards", ["workspace_num", "num"])
    op.create_index("ix_cards_by_created", "cards", ["workspace_num", "created_at", "id"])
    op.create_index("ix_cards_by_updated", "cards", ["workspace_num", "updated_at", "id"])
    op.create_index("ix_cards_by_title", "cards", ["workspace_num", "title_fold", "id"])
    op.create_table(
        "card_sets",
        sa.Column("workspace_num", NUM, nullable=False),
        sa.Column("mark", sa.Text(), nullable=False),
        sa.Column("block", NUM, nullable=False),
        sa.Column("members", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["workspace_num"], ["workspaces.num"], name=op.f("fk_card_sets_workspace_num")
        ),
        sa.PrimaryKeyConstraint("workspace_num", "mark", "block", name=op.f("pk_card_sets")),
    )
    op.create_table(
        "card_dependencies",
        sa.Column("card_num", NUM, nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("workspace_num", NUM, nullable=False),
        sa.Column("database_fold", sa.Text(), nullable=False),
        sa.Column("schema_fold", sa.Text(), nullable=True),
        sa.Column("table_fold", sa.Text(), nullable=True),
        sa.Column("column_fold", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["card_num"], ["cards.num"], name=op.f("fk_card_dependencies_card_num")),
        sa.ForeignKeyConstraint(
            ["workspace_num"], ["workspaces.num"], name=op.f("fk_card_dependencies_workspace_num")
        ),
        sa.PrimaryKeyConstraint("card_num", "place", name=op.f("pk_card_dependencies")),
    )
    op.create_index(
        "ix_card_dependencies_path",
        "card_dependencies",
        ["workspace_num", "database_fold", "table_fold", "column_fold", "schema_fold", "card_num"],
    )
    op.create_table(
        "card_links",
        sa.Column("source_num", NUM, nullable=False),
        sa.Column("target_num", NUM, nullable=False),
        sa.Column("meaning", sa.Text(), nullable=False),
        sa.Column("workspace_num", NUM, nullable=False),
        sa.ForeignKeyConstraint(["source_num"], ["cards.num"], name=op.f("fk_card_links_source_num")),
        sa.ForeignKeyConstraint(["target_num"], ["cards.num"], name=op.f("fk_card_links_target_num")),
        sa.ForeignKeyConstraint(
            ["workspace_num"], ["workspaces.num"], name=op.f("fk_card_links_workspace_num")
        ),
        sa.PrimaryKeyConstraint("source_num", "target_num", "meaning", name=op.f("pk_card_links")),
    )
    op.create_index(op.f("ix_card_links_target_num"), "card_links", ["target_num"])
    op.create_table(
        "card_merges",
        sa.Column("num", NUM, autoincrement=True, nullable=False),
        sa.Column("workspace_num", NUM, nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("kept_id", sa.Text(), nullable=False),
        sa.Column("kept_before", sa.Integer(), nullable=False),
        sa.Column("kept_after", sa.Integer(), nullable=False),
        sa.Column("merged_id", sa.Text(), nullable=False),
        sa.Column("merged_revision", sa.Integer(), nullable=False),
        sa.Column("moved_links", sa.Text(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("actor", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("undone_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(
            ["workspace_num"], ["workspaces.num"], name=op.f("fk_card_merges_workspace_num")
        ),
        sa.PrimaryKeyConstraint("num", name=op.f("pk_card_merges")),
        sa.UniqueConstraint("workspace_num", "id", name=op.f("uq_card_merges_workspace_num_id")),
    )
    op.create_index(op.f("ix_card_merges_workspace_num_num"), "card_merges", ["workspace_num", "num"])
