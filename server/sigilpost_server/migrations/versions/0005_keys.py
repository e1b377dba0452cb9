"""Keys that change: rotated, recovered, revoked; keys that mail is sealed to."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def ID() -> sa.types.TypeEngine[int]:
    return sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    empty = sa.text("''")
    op.add_column("player", sa.Column("seal", sa.LargeBinary(), nullable=True))
    sealed = sa.text("seal IS NOT NULL")
    op.create_index(
        "player_sealed", "player", ["address"], sqlite_where=sealed, postgresql_where=sealed
    )
    op.add_column("player_key", sa.Column("until", sa.BigInteger(), nullable=True))
    for name in ("end", "successor"):
        column = sa.Column(name, sa.String(), nullable=False, server_default=empty)
        op.add_column("player_key", column)
    op.add_column("player_key", sa.Column("block", sa.LargeBinary(), nullable=True))
    op.create_table(
        "recovery",
        sa.Column("fingerprint", sa.String(), nullable=False),
        sa.Column("public", sa.LargeBinary(), nullable=False),
        sa.Column("player_id", ID(), nullable=False),
        sa.Column("block", sa.LargeBinary(), nullable=False),
        sa.Column("expires", sa.BigInteger(), nullable=False),
        sa.Column("due", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["player_id"], ["player.id"]),
        sa.PrimaryKeyConstraint("fingerprint"),
    )
    op.create_index("ix_recovery_player_id", "recovery", ["player_id"])
