"""The work on one mail: what a command is given, and what it gives back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from sqlalchemy import Connection

from sigilpost_engine.core.messages import Msg, say
from sigilpost_engine.wire.blocks import Block, Candidate
from sigilpost_engine.wire.payloads import Payload
from sigilpost_engine.wire.turn import TurnDoc
from sigilpost_server.clock import day
from sigilpost_server.mail_in.addresses import mailbox_of
from sigilpost_server.mail_in.reasons import REASONS
from sigilpost_server.mail_out import letters
from sigilpost_server.mail_out.letter import Address, Letter
from sigilpost_server.settings import LimitSettings
from sigilpost_server.transaction import rows
from sigilpost_server.transaction.house import House
from sigilpost_server.transaction.incoming import Incoming
from sigilpost_server.transaction.post import Post

EVERYBODY = "*"
"""Stands for all strangers together where what they can cause is counted."""

TO_STRANGERS = frozenset(["helps", "challenges", "invitations"])
"""What is sent to addresses that are not registered."""


class Signed(NamedTuple):
    """A block whose signature is good, and who signed it.

    ``player`` is None for a key that speaks for nobody yet; ``registration`` or ``recovery`` is
    then what waits for that key, if anything does. ``candidate`` is the block's place in the mail.
    """

    candidate: Candidate
    block: Block
    payload: Payload
    player: rows.Player | None = None
    registration: rows.Registration | None = None
    recovery: rows.Recovery | None = None


class Outcome(NamedTuple):
    """What became of a mail.

    ``reason`` is of the published list and decides the verdict. ``answer`` is the one answer,
    in ``language``. ``judged``: the block was judged on its merits and is used up. ``aside`` says
    where a fault of ours was raised, if the mail is to be kept for the host.
    """

    reason: str
    answer: Letter | None = None
    language: str = "en"
    game: str = ""
    game_id: int | None = None
    seq: int | None = None
    judged: bool = True
    aside: str = ""


@dataclass
class Work:
    """One transaction on behalf of one mail.

    ``answering`` is False where the answer is withheld from a mail that counts all the same.
    """

    house: House
    db: Connection
    now: int
    post: Post
    incoming: Incoming
    answering: bool = True

    @property
    def limits(self) -> LimitSettings:
        """``[limits]`` of the settings."""
        return self.house.settings.limits

    @property
    def today(self) -> int:
        """The day that budgets count by."""
        return day(self.now)

    def may(self, what: str, address_key: str, limit: int) -> bool:
        """Count one more of ``what`` for an address today; False at the limit of a day.

        What strangers can be sent is counted by mailbox, whatever its subaddress.
        """
        key = mailbox_of(address_key) if what in TO_STRANGERS else address_key
        return rows.spend_daily(self.db, key, what, limit, self.today)

    def may_challenge(self, address_key: str) -> bool:
        """Count one more challenge, or answer to a registration, to an address that is not
        registered. False at the limit of a day: its own first, so that it takes nothing from the
        others; then that of all together."""
        limits = self.limits
        return self.may("challenges", address_key, limits.challenges_per_day) and self.may(
            "challenges", EVERYBODY, limits.all_challenges_per_day
        )

    def error(
        self, player: rows.Player, reason: str, *details: Msg, game: str = "", judged: bool = True
    ) -> Outcome:
        """The outcome of a good block that did nothing, explained to who signed it."""
        letter = letters.error(
            self.post.answer_envelope(address_of(player), tag=game),
            reason,
            details=details,
            turn=self.notice(reason_text(reason), *details, reason=reason),
        )
        return Outcome(reason, letter, player.language, game, judged=judged)

    def notice(self, *messages: Msg, **more: object) -> bytes:
        """A signed document about no game, for the client to act on."""
        return sealed_notice(self.house, self.now, *messages, **more)


def sealed_notice(house: House, now: int, *messages: Msg, **more: object) -> bytes:
    """The attachment of a mail about no game: a notice of some ``type``, with messages."""
    notice = {"type": "answer", **more, "messages": [message.to_json() for message in messages]}
    document = TurnDoc(server=house.fingerprint, address=house.sender.mail, made=now, notice=notice)
    return house.seal(document)


def reason_text(reason: str) -> Msg:
    """What a reason of the published list says to the one who gets the answer."""
    return say(REASONS[reason].answer)


def address_of(player: rows.Player) -> Address:
    """Where a player's mail goes."""
    return Address(player.address, player.name)
