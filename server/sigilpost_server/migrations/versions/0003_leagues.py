"""Leagues, offers, ratings, reliability."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def ID() -> sa.types.TypeEngine[int]:
    return sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def _to(table: str, column: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint([column], [f"{table}.id"])


def upgrade() -> None:
    _leagues()
    op.create_table(
        "offer",
        sa.Column("game_id", ID(), nullable=False),
        sa.Column("seats", sa.Integer(), nullable=False),
        sa.Column("rating", sa.Integer(), nullable=False),
        sa.Column("reliability", sa.Integer(), nullable=False),
        _to("game", "game_id"),
        sa.PrimaryKeyConstraint("game_id"),
    )
    _ratings()


def _leagues() -> None:
    op.create_table(
        "league",
        sa.Column("id", ID(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("file", sa.Text(), nullable=False),
        sa.Column("rules", sa.Text(), nullable=False),
        sa.Column("season", sa.Integer(), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("lots", sa.String(), nullable=False),
        sa.Column("created", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("name"),
    )
    op.create_table(
        "league_season",
        sa.Column("league_id", ID(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("rules", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        _to("league", "league_id"),
        sa.PrimaryKeyConstraint("league_id", "number"),
    )
    op.create_table(
        "league_game",
        sa.Column("game_id", ID(), nullable=False),
        sa.Column("league_id", ID(), nullable=False),
        sa.Column("season", sa.Integer(), nullable=False),
        sa.Column("fixture", sa.Integer(), nullable=False),
        _to("game", "game_id"),
        _to("league", "league_id"),
        sa.PrimaryKeyConstraint("game_id"),
    )
    op.create_index("ix_league_game_league_id", "league_game", ["league_id"])
    op.create_table(
        "league_audit",
        sa.Column("id", ID(), nullable=False),
        sa.Column("league_id", ID(), nullable=False),
        sa.Column("moment", sa.BigInteger(), nullable=False),
        sa.Column("who", sa.String(), nullable=False),
        sa.Column("act", sa.String(), nullable=False),
        sa.Column("why", sa.Text(), nullable=False),
        sa.Column("detail", sa.Text(), nullable=False),
        _to("league", "league_id"),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_league_audit_league_id", "league_audit", ["league_id"])


def _ratings() -> None:
    op.create_table(
        "rating_pool",
        sa.Column("pool", sa.String(), nullable=False),
        sa.Column("results", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("pool"),
    )
    op.create_table(
        "rated_result",
        sa.Column("pool", sa.String(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("game_id", ID(), nullable=False),
        sa.Column("ended", sa.BigInteger(), nullable=False),
        sa.Column("sides", sa.Text(), nullable=False),
        sa.Column("places", sa.Text(), nullable=False),
        _to("game", "game_id"),
        sa.PrimaryKeyConstraint("pool", "number"),
        sa.UniqueConstraint("game_id"),
    )
    op.create_table(
        "player_rating",
        sa.Column("pool", sa.String(), nullable=False),
        sa.Column("player_id", ID(), nullable=False),
        sa.Column("mean", sa.Double(), nullable=False),
        sa.Column("deviation", sa.Double(), nullable=False),
        sa.Column("games", sa.Integer(), nullable=False),
        sa.Column("last", sa.BigInteger(), nullable=False),
        _to("player", "player_id"),
        sa.PrimaryKeyConstraint("pool", "player_id"),
    )
    op.create_table(
        "player_mark",
        sa.Column("player_id", ID(), nullable=False),
        sa.Column("what", sa.String(), nullable=False),
        sa.Column("moment", sa.BigInteger(), nullable=False),
        sa.Column("game_id", ID(), nullable=False),
        _to("player", "player_id"),
        _to("game", "game_id"),
        sa.PrimaryKeyConstraint("player_id", "what", "moment", "game_id"),
    )
