"""Reply codes, bounces, and how many mails came in an hour."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    op.create_table(
        "reply_code",
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.Column("game_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("question", sa.String(), nullable=False),
        sa.Column("address_key", sa.String(), nullable=False),
        sa.Column("made", sa.BigInteger(), nullable=False),
        sa.Column("used", sa.BigInteger(), nullable=True),
        sa.Column("judged", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["game.id"]),
        sa.PrimaryKeyConstraint("digest"),
    )
    op.create_index("ix_reply_code_game_id", "reply_code", ["game_id"])
    op.create_table(
        "bounce",
        sa.Column("address_key", sa.String(), nullable=False),
        sa.Column("hard", sa.Integer(), nullable=False),
        sa.Column("soft", sa.Integer(), nullable=False),
        sa.Column("scored", sa.BigInteger(), nullable=False),
        sa.Column("marked", sa.BigInteger(), nullable=True),
        sa.Column("why", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("address_key"),
    )
    op.create_table(
        "traffic",
        sa.Column("subject", sa.String(), nullable=False),
        sa.Column("hour", sa.Integer(), nullable=False),
        sa.Column("mails", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("subject"),
    )
