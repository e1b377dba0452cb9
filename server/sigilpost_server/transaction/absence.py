"""A player is away and a bot acts in the seat; and the player comes back."""

from __future__ import annotations

from sigilpost_engine.core.messages import Msg, say
from sigilpost_server.mail_out.letter import Command
from sigilpost_server.transaction import rows
from sigilpost_server.transaction.play import Play
from sigilpost_server.transaction.post import Post
from sigilpost_server.transaction.tell import Teller


def leave(play: Play, seat: rows.Seat, bot: str) -> None:
    """A bot acts in a seat from now on. Its answers wind up no clock: nobody gains time by it."""
    play.change_seat(seat.number, acting=bot)


def back(play: Play, seat: rows.Seat, post: Post) -> list[Msg]:
    """The player of a seat has written: no bot acts there any longer, and the others are told.

    Returns what there is to say to the player; nothing if no bot acted.
    """
    bot = seat.acting
    if not bot:
        return []
    play.change_seat(seat.number, acting="")
    play.clocks(post.now)  # the clock of an open question starts when the game is saved
    teller = Teller(play, post)
    for other in play.seats:
        if other.number != seat.number:
            letter = teller.notice(
                other,
                teller.envelope(other, f"back {seat.number} {post.occasion}"),
                say("clock.back.subject", seat=seat.shown),
                say("clock.back.opening", seat=seat.shown, game=play.row.tag, bot=bot),
            )
            teller.put(other, letter)
    return [say("clock.back.you", bot=bot)]


def bot_acts(seat: str, bot: str) -> Msg:
    """What the others are told when a bot takes over."""
    return say("clock.away.opening", seat=seat, bot=bot)


def bot_acts_for_you(bot: str) -> Msg:
    """What the absent player is told."""
    return say("clock.away.you", bot=bot)


def come_back(tag: str) -> Command:
    """How the player comes back."""
    return Command(f"sigil back {tag}", say("clock.command.back"))
