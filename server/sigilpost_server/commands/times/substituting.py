"""The pool of substitutes, and seats that are on offer."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import delete

from sigilpost_engine import games as engine
from sigilpost_engine.core.messages import say
from sigilpost_server.commands.times import frame
from sigilpost_server.models import GameStatus, substitutes
from sigilpost_server.transaction import rows
from sigilpost_server.transaction import substitutes as pool
from sigilpost_server.transaction.hold import check
from sigilpost_server.transaction.play import Play
from sigilpost_server.transaction.tell import Teller
from sigilpost_server.transaction.work import Outcome, Signed, Work


def substitute(work: Work, signed: Signed, player: rows.Player, args: Sequence[str]) -> Outcome:
    """``substitute on [KIND] | off [KIND] | take GAME | refuse GAME``."""
    word = args[0].casefold() if args else ""
    if word == "on":
        return _join_pool(work, player, args[1:])
    if word == "off":
        return _leave_pool(work, player, args[1:])
    if word in ("take", "refuse"):
        return _offered(work, signed, player, word, args[1:])
    raise frame.Refused("unparseable", say("clock.substitute.form"))


def _kind(args: Sequence[str]) -> str:
    if not args:
        return ""
    if args[0] not in engine.names():
        raise frame.Refused(
            "unparseable", say("server.create.no-game", name=args[0], known=engine.names())
        )
    return args[0]


def _join_pool(work: Work, player: rows.Player, args: Sequence[str]) -> Outcome:
    kind = _kind(args)
    values = {"player_id": player.id, "kind": kind, "since": work.now}
    statement = rows.upsert(work.db, substitutes).values(values).on_conflict_do_nothing()
    work.db.execute(statement)
    return frame.receipt(
        work, player, say("clock.substitute.on", kind=kind or say("clock.any-game"))
    )


def _leave_pool(work: Work, player: rows.Player, args: Sequence[str]) -> Outcome:
    kind = _kind(args)
    where = [substitutes.c.player_id == player.id]
    if kind:
        where.append(substitutes.c.kind == kind)
    work.db.execute(delete(substitutes).where(*where))
    return frame.receipt(
        work, player, say("clock.substitute.off", kind=kind or say("clock.any-game"))
    )


def _offered(
    work: Work, signed: Signed, player: rows.Player, word: str, args: Sequence[str]
) -> Outcome:
    """A seat that is on offer is taken or refused."""
    play = Play.load(work.db, args[0]) if args else None
    mine = [
        offer
        for offer in (pool.open_offers(work.db, play.row.id) if play else [])
        if offer.player_id == player.id
    ]
    if play is None or not (mine or pool.was_offered(work.db, play.row.id, player.id)):
        raise frame.Refused("unknown-game")
    tag = play.row.tag
    if not mine:
        raise frame.not_possible("offer.none", game=tag)
    (offer,) = mine
    if play.status == GameStatus.HELD:
        raise frame.Refused("held", game=tag)
    check(play)
    if word == "refuse":
        pool.pass_on(play, offer, pool.REFUSED, work.post)
        return frame.receipt(work, player, say("clock.offer.refused", game=tag))
    if not pool.stands(play, offer, work.now):
        pool.close(work.db, offer, pool.WITHDRAWN)
        raise frame.not_possible("offer.gone", game=tag)
    seat = pool.take(play, offer, player, signed.block.digest, work.post)
    teller = Teller(play, work.post)
    said = [say("clock.offer.taken", seat=seat.shown, game=tag)]
    answer = teller.now(seat, teller.answer_envelope(seat), notices=said)
    play.save_marks()
    return Outcome("ok", answer, player.language, tag, play.row.id, play.seq)
