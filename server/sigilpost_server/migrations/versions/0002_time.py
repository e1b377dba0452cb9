"""Clocks, reminders, holidays, pauses, outages, standing orders, substitutes."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def ID() -> sa.types.TypeEngine[int]:
    return sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def _of_game() -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(["game_id"], ["game.id"])


def _of_player(column: str = "player_id") -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint([column], ["player.id"])


def upgrade() -> None:
    empty = sa.text("''")
    op.add_column(
        "seat", sa.Column("standing", sa.Integer(), nullable=False, server_default=sa.text("0"))
    )
    op.add_column("seat", sa.Column("acting", sa.String(), nullable=False, server_default=empty))
    op.add_column("entry", sa.Column("actor", sa.String(), nullable=False, server_default=empty))
    _clocks()
    _stillness()
    _orders_and_substitutes()


def _clocks() -> None:
    op.create_table(
        "seat_clock",
        sa.Column("game_id", ID(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("left", sa.BigInteger(), nullable=True),
        sa.Column("asked", sa.BigInteger(), nullable=True),
        sa.Column("question", sa.String(), nullable=False),
        sa.Column("given", sa.BigInteger(), nullable=False),
        sa.Column("moves", sa.Integer(), nullable=False),
        sa.Column("reminded", sa.Integer(), nullable=False),
        sa.Column("misses", sa.Integer(), nullable=False),
        sa.Column("stage", sa.String(), nullable=False),
        sa.Column("deaf_from", sa.BigInteger(), nullable=True),
        _of_game(),
        sa.PrimaryKeyConstraint("game_id", "number"),
    )
    op.create_table(
        "reminder",
        sa.Column("game_id", ID(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("question", sa.String(), nullable=False),
        sa.Column("percent", sa.Integer(), nullable=False),
        sa.Column("asked", sa.BigInteger(), nullable=False),
        sa.Column("sent", sa.BigInteger(), nullable=False),
        _of_game(),
        sa.PrimaryKeyConstraint("game_id", "number", "question", "percent", "asked"),
    )


def _stillness() -> None:
    op.create_table(
        "holiday",
        sa.Column("id", ID(), nullable=False),
        sa.Column("player_id", ID(), nullable=False),
        sa.Column("first", sa.String(), nullable=False),
        sa.Column("last", sa.String(), nullable=False),
        sa.Column("begin", sa.BigInteger(), nullable=False),
        sa.Column("end", sa.BigInteger(), nullable=False),
        sa.Column("announced", sa.BigInteger(), nullable=False),
        _of_player(),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_holiday_player_id", "holiday", ["player_id"])
    op.create_table(
        "pause",
        sa.Column("id", ID(), nullable=False),
        sa.Column("game_id", ID(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("begin", sa.BigInteger(), nullable=False),
        sa.Column("end", sa.BigInteger(), nullable=True),
        sa.Column("player_id", ID(), nullable=True),
        _of_game(),
        _of_player(),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_pause_game_id", "pause", ["game_id"])
    op.create_index("ix_pause_player_id", "pause", ["player_id"])
    op.create_table(
        "vote",
        sa.Column("game_id", ID(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("what", sa.String(), nullable=False),
        sa.Column("days", sa.Integer(), nullable=False),
        sa.Column("made", sa.BigInteger(), nullable=False),
        _of_game(),
        sa.PrimaryKeyConstraint("game_id", "number", "what"),
    )
    op.create_table(
        "outage",
        sa.Column("id", ID(), nullable=False),
        sa.Column("begin", sa.BigInteger(), nullable=False),
        sa.Column("end", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_table(
        "heartbeat",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("beat", sa.BigInteger(), nullable=False),
        sa.Column("patience", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )


def _orders_and_substitutes() -> None:
    op.create_table(
        "standing_order",
        sa.Column("game_id", ID(), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("line", sa.Text(), nullable=False),
        sa.Column("block", sa.LargeBinary(), nullable=False),
        sa.Column("first", sa.Integer(), nullable=False),
        sa.Column("used", sa.Integer(), nullable=False),
        sa.Column("gone", sa.Boolean(), nullable=False),
        sa.Column("added", sa.BigInteger(), nullable=False),
        _of_game(),
        sa.PrimaryKeyConstraint("game_id", "seat", "number"),
    )
    op.create_table(
        "substitute",
        sa.Column("player_id", ID(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("since", sa.BigInteger(), nullable=False),
        _of_player(),
        sa.PrimaryKeyConstraint("player_id", "kind"),
    )
    op.create_table(
        "seat_offer",
        sa.Column("id", ID(), nullable=False),
        sa.Column("game_id", ID(), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("player_id", ID(), nullable=False),
        sa.Column("made", sa.BigInteger(), nullable=False),
        sa.Column("expires", sa.BigInteger(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        _of_game(),
        _of_player(),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_seat_offer_game_id", "seat_offer", ["game_id"])
    op.create_index("ix_seat_offer_player_id", "seat_offer", ["player_id"])
    op.create_table(
        "substitution",
        sa.Column("game_id", ID(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("old_player_id", ID(), nullable=False),
        sa.Column("new_player_id", ID(), nullable=False),
        sa.Column("made", sa.BigInteger(), nullable=False),
        sa.Column("rated", sa.String(), nullable=False),
        _of_game(),
        _of_player("old_player_id"),
        _of_player("new_player_id"),
        sa.PrimaryKeyConstraint("game_id", "number"),
    )
