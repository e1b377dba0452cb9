"""CHAT: a player's own words, to the whole table or to one seat of it."""

from __future__ import annotations

from sigilpost_engine.core.messages import Msg, say
from sigilpost_engine.wire.payloads import Chat
from sigilpost_server.commands import names
from sigilpost_server.mail_out import letters
from sigilpost_server.models import GameStatus
from sigilpost_server.transaction import absence, rows
from sigilpost_server.transaction.hold import check
from sigilpost_server.transaction.play import Play
from sigilpost_server.transaction.tell import Teller
from sigilpost_server.transaction.work import Outcome, Signed, Work

ALL = "all"


def run(work: Work, signed: Signed) -> Outcome:
    """Pass the words on, and tell the writer who got them."""
    wish, player = signed.payload, signed.player
    assert isinstance(wish, Chat)
    assert player is not None
    play = Play.load(work.db, wish.game)
    seat = play.seat_of(player.id) if play else None
    if play is None or seat is None:
        return work.error(player, "unknown-game")
    if play.status == GameStatus.CANCELLED:
        return work.error(player, "not-running", game=wish.game)
    check(play)
    readers = _readers(play, seat, wish.to)
    if not readers:
        detail = say("server.chat.nobody", name=wish.to)
        return work.error(player, "unknown-player", detail, game=wish.game)
    forbidden = _forbidden(play, seat, wish.to, readers)
    if forbidden is not None:
        return work.error(player, "not-possible", forbidden, game=wish.game)
    limit = work.limits.chats_per_day
    if not work.may("chats", player.address_key, limit):
        return work.error(player, "rate-limited", say("server.chat.limit", n=limit), game=wish.game)
    return _pass_on(work, play, seat, signed, readers)


def _readers(play: Play, seat: rows.Seat, to: str) -> list[rows.Seat]:
    """The seats that are written to: registered players, the writer apart."""
    others = [each for each in play.seats if each != seat and each.player_id is not None]
    if names.key(to) == ALL:
        return others
    return [each for each in others if names.key(each.shown) == names.key(to)]


def _forbidden(play: Play, seat: rows.Seat, to: str, readers: list[rows.Seat]) -> Msg | None:
    """Why the rules of a running game keep these words back; None if they do not."""
    if play.status != GameStatus.RUNNING:
        return None
    number = None if names.key(to) == ALL else readers[0].number
    return play.rules.may_chat(play.match.state, seat.number, number)


def _pass_on(
    work: Work, play: Play, seat: rows.Seat, signed: Signed, readers: list[rows.Seat]
) -> Outcome:
    wish = signed.payload
    assert isinstance(wish, Chat)
    said = absence.back(play, seat, work.post)
    if said:
        play.save()
    teller = Teller(play, work.post)
    private = names.key(wish.to) != ALL
    for reader in readers:
        letter = letters.chat(
            teller.envelope(reader, f"chat {signed.block.digest.hex()}"),
            teller.game,
            speaker=seat.shown,
            words=wish.text,
            private=private,
            turn=teller.document(
                reader, type="chat", speaker=seat.shown, text=wish.text, private=private
            ),
        )
        teller.put(reader, letter)
    notice = say("server.chat.sent", names=[reader.shown for reader in readers])
    answer = letters.receipt(
        teller.answer_envelope(seat),
        notices=[*said, notice],
        game=teller.game,
        turn=work.notice(*said, notice),
    )
    language = seat.language or work.house.settings.server.language
    return Outcome("ok", answer, language, play.row.tag, play.row.id, play.seq)
