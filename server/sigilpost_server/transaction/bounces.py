"""Mails of ours that come back: scores of an address, its mark, and who is told.

Each mail counts once. A score loses half its value in the half-life of the settings. At the limit
the address is marked as unreachable: the host and the opponents are told once, and the clock can
know it. The mark goes when its player is heard from: by an order that counts.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from sqlalchemy import Connection, bindparam, select, update

from sigilpost_engine.core.messages import Msg, say
from sigilpost_server.mail_in import bounces as reports
from sigilpost_server.mail_out import clock_letters
from sigilpost_server.mail_out.letter import Address
from sigilpost_server.models import (
    GOING,
    OutgoingStatus,
    bounces,
    games,
    outgoing,
    players,
    seats,
)
from sigilpost_server.prepared import Prepared
from sigilpost_server.settings import BounceSettings
from sigilpost_server.transaction import rows
from sigilpost_server.transaction.post import Post
from sigilpost_server.transaction.work import sealed_notice

POINT = 1000
DAY = 86_400

_FORGET = Prepared(bounces.delete().where(bounces.c.address_key == bindparam("address_key")))


class Score(NamedTuple):
    """What an address has come to: thousandths as of ``scored``, and since when it is marked."""

    hard: int = 0
    soft: int = 0
    scored: int = 0
    marked: int | None = None

    def at(self, now: int, half_life: int) -> Score:
        """The same some time later: every half-life halves both."""
        factor = 0.5 ** (max(0, now - self.scored) / half_life)
        return self._replace(
            hard=round(self.hard * factor), soft=round(self.soft * factor), scored=now
        )

    def plus(self, *, lasting: bool) -> Score:
        """With one failure more."""
        if lasting:
            return self._replace(hard=self.hard + POINT)
        return self._replace(soft=self.soft + POINT)

    def over(self, settings: BounceSettings) -> bool:
        """Whether the address counts as unreachable."""
        hard, soft = settings.hard_limit * POINT, settings.soft_limit * POINT
        return self.hard >= hard or self.soft >= soft


# --- what is known --------------------------------------------------------------------------------


def unreachable_since(db: Connection, address_key: str) -> int | None:
    """Since when mail to an address (normal form) comes back; None while it does not."""
    where = bounces.c.address_key == address_key
    return db.execute(select(bounces.c.marked).where(where)).scalar()


def seat_unreachable(db: Connection, seat: rows.Seat) -> bool:
    """Whether mail to the player of a seat comes back: for the clock."""
    key = seat.mail_key
    return unreachable_since(db, key) is not None


def heard_from(db: Connection, address_key: str) -> None:
    """An order of this player counted: what came back before is forgotten."""
    _FORGET.run(db, {"address_key": address_key})


# --- reports --------------------------------------------------------------------------------------


def report(db: Connection, post: Post, message_ids: Iterable[str], found: reports.Report) -> bool:
    """Count a delivery report about the first of these mails that is ours; False if none is."""
    for message_id in message_ids:
        where = outgoing.c.message_id == message_id
        columns = (outgoing.c.recipient, outgoing.c.status, outgoing.c.why)
        row = db.execute(select(*columns).where(where)).first()
        if row is not None:
            if row.status != OutgoingStatus.FAILED and (found.lasting or not row.why):
                changes = {"why": found.why or "-"}
                if found.lasting:
                    changes["status"] = OutgoingStatus.FAILED
                db.execute(update(outgoing).where(where).values(changes))
                _count(db, post, message_id, row.recipient, found)
            return True
    return False


def refused(db: Connection, post: Post, message_id: str) -> None:
    """The timer of a mail that the relay refused for good."""
    where = outgoing.c.message_id == message_id
    row = db.execute(select(outgoing.c.recipient, outgoing.c.why).where(where)).first()
    if row is not None:
        found = reports.Report(reports.lasts(row.why), row.why)
        _count(db, post, message_id, row.recipient, found)


def _count(
    db: Connection, post: Post, message_id: str, recipient: str, found: reports.Report
) -> None:
    settings = post.house.settings.bounces
    key = rows.address_key(recipient)
    columns = [bounces.c[name] for name in Score._fields]
    row = db.execute(select(*columns).where(bounces.c.address_key == key)).first()
    old = Score(*row) if row else Score(scored=post.now)
    score = old.at(post.now, settings.half_life_days * DAY).plus(lasting=found.lasting)
    fresh = old.marked is None and score.over(settings)
    if fresh:
        score = score._replace(marked=post.now)
    values: dict[str, Any] = {**score._asdict(), "why": found.why}
    statement = rows.upsert(db, bounces).values(address_key=key, **values)
    db.execute(statement.on_conflict_do_update(index_elements=["address_key"], set_=values))
    if fresh:
        _tell(db, post, message_id, key, recipient, found.why)


def lift(db: Connection, settings: BounceSettings, now: int) -> None:
    """Marks whose scores have fallen to half their limit go: perhaps it was but a bad week."""
    marked = select(bounces).where(bounces.c.marked.is_not(None))
    for row in db.execute(marked).all():
        score = Score(row.hard, row.soft, row.scored, row.marked)
        faded = score.at(now, settings.half_life_days * DAY)
        twice = faded._replace(hard=2 * faded.hard - 1, soft=2 * faded.soft - 1)
        if not twice.over(settings):
            heard_from(db, row.address_key)


# --- who is told ----------------------------------------------------------------------------------


def _tell(db: Connection, post: Post, message_id: str, key: str, address: str, why: str) -> None:
    """Tell the host, and everybody who sits at a table with this address."""
    player = rows.player_by_address(db, key)
    name = player.name if player else address
    host = post.house.settings.server.host
    if host and rows.address_key(host) != key:
        said = say("server.bounce.host", name=name, address=address, why=why)
        _put(post, message_id, Address(host), post.house.settings.server.language, name, said)
    for other, tags in _opponents(db, key, player):
        said = say("server.bounce.opponents", name=name, games=tags)
        _put(post, message_id, Address(other.address, other.name), other.language, name, said)


def _put(post: Post, message_id: str, to: Address, language: str, name: str, said: Msg) -> None:
    letter = clock_letters.notice(
        post.envelope(to, f"unreachable {message_id}", 0),
        say("server.bounce.subject", name=name),
        [said],
        turn=sealed_notice(post.house, post.now, said, type="notice"),
    )
    post.put(letter, language)


def _opponents(
    db: Connection, key: str, player: rows.Player | None
) -> Iterable[tuple[rows.Player, list[str]]]:
    """The players at the tables of an address, each with the tags of those tables."""
    theirs = seats.c.address_key == key
    if player is not None:
        theirs = seats.c.player_id == player.id
    at = games.join(seats, seats.c.game_id == games.c.id)
    tables = select(games.c.id).select_from(at).where(theirs, games.c.status.in_(GOING))
    statement = (
        select(players.c.address_key, games.c.tag)
        .select_from(
            seats.join(games, games.c.id == seats.c.game_id).join(
                players, players.c.id == seats.c.player_id
            )
        )
        .where(games.c.id.in_(tables), players.c.address_key != key)
        .order_by(players.c.id, games.c.id)
    )
    shared: dict[str, list[str]] = {}
    for other, tag in db.execute(statement):
        shared.setdefault(other, []).append(tag)
    for other, tags in shared.items():
        found = rows.player_by_address(db, other)
        assert found is not None
        yield found, tags
