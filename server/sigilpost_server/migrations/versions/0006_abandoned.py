"""Games that can be claimed have an end: their clocks are looked at."""

from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    op.execute(
        "INSERT INTO timer (kind, subject, due)"
        " SELECT DISTINCT 'clock', game.tag, 0 FROM game"
        " JOIN seat_clock ON seat_clock.game_id = game.id"
        " WHERE game.status = 'running' AND seat_clock.stage = 'claimable'"
        " AND NOT EXISTS (SELECT 1 FROM timer WHERE kind = 'clock' AND subject = game.tag)"
    )
