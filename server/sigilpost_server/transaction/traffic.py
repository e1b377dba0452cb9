"""How much mail counts in an hour: of one correspondent, and about one game."""

from __future__ import annotations

from sqlalchemy import Connection, bindparam, case, select

from sigilpost_engine.core.messages import say
from sigilpost_server.models import traffic
from sigilpost_server.prepared import Prepared
from sigilpost_server.transaction import rows
from sigilpost_server.transaction.work import Outcome, Work

HOUR = 3600

_READ = Prepared(
    select(traffic.c.subject, traffic.c.mails).where(
        traffic.c.subject.in_([bindparam("address"), bindparam("game")]),
        traffic.c.hour == bindparam("hour"),
    )
)
_COUNT: dict[str, Prepared] = {}


def too_many(work: Work, player: rows.Player, game: str) -> Outcome | None:
    """The refusal of a mail that is one too many in this hour; None for all others."""
    subjects = _subjects(player, game)
    found = dict(_READ.all(work.db, {**subjects, "hour": work.now // HOUR}))
    limits = work.limits
    if found.get(subjects["address"], 0) >= limits.mails_per_hour:
        return _refused(work, player, "player", limits.mails_per_hour)
    if found.get(subjects["game"], 0) >= limits.game_mails_per_hour:
        return _refused(work, player, "game", limits.game_mails_per_hour)
    return None


def count(work: Work, player: rows.Player, game: str) -> None:
    """Count a mail of a player, and about a game of theirs ("" for none)."""
    subjects = _subjects(player, game)
    which = ["address", "game"] if game else ["address"]
    counted = [{"subject": subjects[each], "now_hour": work.now // HOUR} for each in which]
    _count(work.db).run_each(work.db, counted)


def _subjects(player: rows.Player, game: str) -> dict[str, str]:
    return {"address": f"a {player.address_key}", "game": f"g {game}"}


def _refused(work: Work, player: rows.Player, what: str, limit: int) -> Outcome:
    return work.error(player, "rate-limited", say(f"server.limit.{what}", n=limit), judged=False)


def _count(db: Connection) -> Prepared:
    """One more mail in this hour; the first of an hour begins anew."""
    dialect = db.dialect.name
    if dialect not in _COUNT:
        insert = rows.upsert(db, traffic).values(
            subject=bindparam("subject"), hour=bindparam("now_hour"), mails=1
        )
        same = traffic.c.hour == bindparam("now_hour")
        mails = case((same, traffic.c.mails + 1), else_=1)
        changes = {"hour": bindparam("now_hour"), "mails": mails}
        _COUNT[dialect] = Prepared(
            insert.on_conflict_do_update(index_elements=["subject"], set_=changes)
        )
    return _COUNT[dialect]
