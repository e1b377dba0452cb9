"""Letters on their way into the outbox, within the transaction of the mail that caused them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from sqlalchemy import Connection, select

from sigilpost_server.clock import moment
from sigilpost_server.mail_out.compose import Composer
from sigilpost_server.mail_out.letter import Address, Automatic, Envelope, Letter
from sigilpost_server.mail_out.sealing import sealed
from sigilpost_server.models import OutgoingStatus, outgoing
from sigilpost_server.transaction import codes, rows
from sigilpost_server.transaction.house import House, texts


@dataclass
class Post:
    """Collects the mails of one transaction, and writes them into the outbox at its end.

    Only then are they put into words: who wants sealed mail is looked up once for all, so that
    no mail can be forgotten. ``cause`` is the digest of the mail that is answered ("" if time or
    the host caused it), and ``reply_to`` its Message-ID.
    """

    house: House
    composer: Composer
    now: int
    cause: str = ""
    reply_to: str = ""
    _letters: list[_Waiting] = field(default_factory=list)

    @property
    def occasion(self) -> str:
        """What tells events of one name apart: the mail that caused them, or the time."""
        return self.cause or str(self.now)

    def answer_envelope(self, to: Address, *, tag: str = "") -> Envelope:
        """The envelope of the one answer to the mail that came in."""
        envelope = self._envelope(to, tag, self.house.message_id("answer", self.cause, to.mail))
        return replace(
            envelope,
            automatic=Automatic.REPLIED,
            in_reply_to=self.reply_to,
            references=tuple(filter(None, (*envelope.references, self.reply_to))),
        )

    def envelope(self, to: Address, event: str, number: int, *, tag: str = "") -> Envelope:
        """The envelope of a mail about an event; ``number`` tells events of one name apart."""
        return self._envelope(to, tag, self.house.message_id(event, tag, number, to.mail))

    def _envelope(self, to: Address, tag: str, message_id: str) -> Envelope:
        return Envelope(
            to=to,
            sender=self.house.sender,
            message_id=message_id,
            date=moment(self.now),
            list_id=self.house.list_id(tag) if tag else self.house.list_id(),
            # All mails of a game answer one that was never sent: so they thread everywhere.
            references=(self.house.message_id("thread", tag),) if tag else (),
        )

    def put(self, letter: Letter, language: str) -> str:
        """Write a letter in a language; return its Message-ID."""
        self._letters.append(_Waiting(letter.envelope, letter, language))
        return letter.envelope.message_id

    def put_raw(self, envelope: Envelope, raw: bytes) -> str:
        """Take a mail already written; return its Message-ID."""
        self._letters.append(_Waiting(envelope, raw))
        return envelope.message_id

    def store(self, db: Connection) -> None:
        """Put all that was collected into the outbox."""
        if self._letters:
            seals = rows.seals(db, (each.envelope.to.mail for each in self._letters))
            rows.add_outgoing(db, [self._row(db, each, seals) for each in self._letters])

    def _row(self, db: Connection, waiting: _Waiting, seals: Mapping[str, bytes]) -> dict[str, Any]:
        envelope, what = waiting.envelope, waiting.what
        if isinstance(what, Letter):
            seal = seals.get(envelope.to.mail)
            letter = _for_who_replies(db, what) if seal is None else sealed(what, seal)
            what = self.composer.compose(letter, texts(waiting.language))
        return {
            "message_id": envelope.message_id,
            "recipient": envelope.to.mail,
            "raw": what,
            "created": self.now,
            "due": self.now,
            "status": OutgoingStatus.WAITING,
            "attempts": 0,
            "claimed_by": "",
            "claimed_until": 0,
            "why": "",
        }


def _for_who_replies(db: Connection, letter: Letter) -> Letter:
    """The letter, marked if it is about no game and for somebody who is used to reply: it must say
    that a reply to it is no move."""
    if letter.game is not None or letter.by_reply:
        return letter
    player = rows.player_by_address(db, rows.address_key(letter.envelope.to.mail))
    return replace(letter, by_reply=player is not None and codes.are_for(db, player.id))


class _Waiting(NamedTuple):
    """A letter to be put into words, in a language; or the bytes of a mail."""

    envelope: Envelope
    what: Letter | bytes
    language: str = ""


class Sent(NamedTuple):
    """A mail in the outbox, sent or waiting: to whom, and its bytes."""

    recipient: str
    raw: bytes


def sent_mail(db: Connection, message_id: str) -> Sent | None:
    """A mail of ours by its Message-ID; None if its bytes are no longer kept."""
    statement = select(outgoing.c.recipient, outgoing.c.raw).where(
        outgoing.c.message_id == message_id, outgoing.c.raw != b""
    )
    row = db.execute(statement).first()
    return Sent(*row) if row else None
