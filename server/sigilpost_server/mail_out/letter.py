"""A letter: all that one mail says, before anybody decides its words, its HTML or its bytes.

Letters are plain data. ``letters`` has a function for each kind of letter that fills one in, and
``compose`` turns it into bytes: equal letters give equal bytes, so that work repeated after a
crash sends the same mail again and not another one.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from sigilpost_engine.core.messages import Msg
from sigilpost_engine.core.sheet import Sheet
from sigilpost_engine.wire.chain import Head


class Automatic(StrEnum):
    """The two values of ``Auto-Submitted`` that we write (RFC 3834, section 5)."""

    GENERATED = "auto-generated"
    REPLIED = "auto-replied"


class Kind(StrEnum):
    """The kinds of letter. The value is part of message ids: ``mail.<kind>.subject``."""

    CHALLENGE = "challenge"
    REGISTERED = "registered"
    HELP = "help"
    INVITATION = "invitation"
    STARTED = "started"
    TURN = "turn"
    REMINDER = "reminder"
    NOTICE = "notice"
    NEWS = "news"
    ANSWER = "answer"
    REFUSED = "refused"
    RECEIPT = "receipt"
    OVER = "over"
    CHAT = "chat"
    RESIGNED = "resigned"
    CANCELLED = "cancelled"
    HELD = "held"
    HELD_FOR_HOST = "held-for-host"
    POSTMASTER = "postmaster"
    ERROR = "error"


class Address(NamedTuple):
    """A mailbox: its address, and the name shown beside it (any text; cleaned when written)."""

    mail: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class Envelope:
    """What a letter's headers say, its subject apart.

    ``message_id`` and all of ``references`` (oldest first) come with their angle brackets.
    ``in_reply_to`` defaults to the last of ``references``. What does not look like a Message-ID
    in these two is left out, as it may come from a stranger's mail. ``date`` is aware, and of the
    event, not of the moment of writing. ``list_id`` comes without brackets, for example
    ``weaver-7k2q.post.example.org``. ``reply_to`` is an address, or "" for none.
    """

    to: Address
    sender: Address
    message_id: str
    date: datetime
    list_id: str
    references: tuple[str, ...] = ()
    in_reply_to: str = ""
    automatic: Automatic = Automatic.GENERATED
    reply_to: str = ""


class GameTag(NamedTuple):
    """A game as mails name it: ``weaver-7k2q`` and the game's word, ``weaver``; and whether it
    takes replies with a code."""

    tag: str
    name: str
    by_reply: bool = False


class Line(NamedTuple):
    """A line of an order as typed, and what came of it.

    ``outcome`` is the refusal's reason, or None for a line that was played. ``accepted`` is
    None for a line that was not looked at, because one before it was refused.
    """

    typed: str
    outcome: Msg | None = None
    accepted: bool | None = True


class Reply(NamedTuple):
    """How to answer by a reply: the code as people see it, and where replies go ("" for the
    sender's own address)."""

    code: str
    address: str = ""


class Public(NamedTuple):
    """What everybody at the table sees and was told: for those who want the rest sealed."""

    sheet: Sheet
    happened: tuple[Msg, ...] = ()


@dataclass(frozen=True, slots=True)
class Position:
    """What one seat sees of its game now, and what it is asked.

    ``menu`` holds the short lines of ``Game.menu``; ``exemplary``: some of them stand for others.
    ``waiting`` names the seats that the game
    waits for. ``reply`` is set where the question can be answered by a reply, ``public`` where
    the seat's mail is sealed.
    """

    seat: str
    players: tuple[str, ...]
    sheet: Sheet = ()
    question: Msg | None = None
    menu: tuple[str, ...] = ()
    waiting: tuple[str, ...] = ()
    deadline: Msg | None = None
    head: Head | None = None
    reply: Reply | None = None
    public: Public | None = None
    exemplary: bool = False


class Fact(NamedTuple):
    """A labelled line at the top of a letter. Public: it may show in a mailbox's preview."""

    label: Msg
    text: str | Msg


class Command(NamedTuple):
    """A command to type into a shell, and what it does."""

    line: str
    does: Msg


class Enclosure(NamedTuple):
    """A file that comes with the mail: a plain ASCII name, a media type, the bytes."""

    name: str
    media: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Letter:
    """One mail to one person. Parts that are empty do not show.

    ``opening`` are paragraphs that tell no secret: they are what a mailbox shows as the preview.
    ``words`` is a person's own text, shown as a quotation of ``speaker``. ``transcript``: the
    lines of the answered mail. ``notices``: what else there is to say about that mail, or about
    what happened if there is none.
    ``happened``: the events since the last mail, as this seat reads them. ``sheet``: tables
    that are about no position, such as a league's. ``turn`` holds the bytes of the attachment
    ``turn.sigil``. ``invited``: how to take an invitation by a reply. ``sealed``: nothing in it
    but the attachment is for its receiver alone. ``by_reply``: it names no game, and is for
    somebody who plays by replies.
    """

    kind: Kind
    envelope: Envelope
    subject: Msg
    game: GameTag | None = None
    opening: tuple[Msg, ...] = ()
    facts: tuple[Fact, ...] = ()
    speaker: str = ""
    words: str = ""
    transcript: tuple[Line, ...] = ()
    notices: tuple[Msg, ...] = ()
    happened: tuple[Msg, ...] = ()
    position: Position | None = None
    sheet: Sheet = ()
    commands: tuple[Command, ...] = ()
    closing: tuple[Msg, ...] = ()
    turn: bytes | None = None
    enclosures: tuple[Enclosure, ...] = ()
    invited: Reply | None = None
    sealed: bool = False
    by_reply: bool = False

    @property
    def answers(self) -> bool:
        """Whether its receiver has written a mail that this one is the answer to."""
        return bool(self.transcript) or self.envelope.automatic is Automatic.REPLIED

    @property
    def reply(self) -> Reply | None:
        """How this letter can be answered by a reply; None if it cannot."""
        return self.invited or (self.position.reply if self.position else None)

    @property
    def replies_count(self) -> bool:
        """Whether replies count in what it is about, though this very letter may ask nothing."""
        return bool(self.by_reply or self.reply or (self.game and self.game.by_reply))
