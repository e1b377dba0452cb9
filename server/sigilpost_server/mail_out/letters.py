"""The kinds of letter, a function for each. Their words are in the catalogue ``mail``.

Every function takes the envelope first and returns a :class:`~.letter.Letter` for ``compose``.
``turn`` always is the attachment ``turn.sigil`` (bytes, or None), ``position`` what the receiver's
own seat sees.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from shlex import quote

from sigilpost_engine.core.messages import Msg, say
from sigilpost_server.mail_out.letter import (
    Automatic,
    Command,
    Enclosure,
    Envelope,
    Fact,
    GameTag,
    Kind,
    Letter,
    Line,
    Position,
)


def challenge(
    envelope: Envelope, *, token: str, key: str, hours: int, turn: bytes | None = None
) -> Letter:
    """To an address that asks to be registered: prove that you read it.

    The client does so by itself with the token in ``turn``; where that was lost on the way,
    people can type it. ``key`` is the new key's fingerprint in groups.
    """
    return Letter(
        Kind.CHALLENGE,
        envelope,
        say("mail.challenge.subject"),
        opening=(say("mail.challenge.opening", address=envelope.to.mail),),
        facts=(Fact(say("mail.fact.key"), key),),
        commands=(
            Command("sigil sync", say("mail.command.sync")),
            Command(f"sigil confirm {token}", say("mail.command.confirm")),
        ),
        closing=(say("mail.challenge.closing", n=hours),),
        turn=turn,
    )


def recovery(
    envelope: Envelope, said: Msg, *, token: str, key: str, hours: int, turn: bytes | None = None
) -> Letter:
    """To a player whose key is said to be lost: prove that you read this address.

    ``said`` is what this is about; the rest is as in `challenge`.
    """
    letter = challenge(envelope, token=token, key=key, hours=hours, turn=turn)
    return replace(
        letter,
        subject=say("keys.recover.challenge-subject"),
        opening=(said,),
        facts=(Fact(say("keys.fact.new"), key),),
        closing=(say("keys.recover.challenge-closing", n=hours),),
    )


def registered(
    envelope: Envelope, *, name: str, key: str, server_key: str, turn: bytes | None = None
) -> Letter:
    """To somebody whose address and key now belong together. Keys as fingerprints in groups."""
    return Letter(
        Kind.REGISTERED,
        envelope,
        say("mail.registered.subject"),
        opening=(say("mail.registered.opening", name=name),),
        facts=(
            Fact(say("mail.fact.key"), key),
            Fact(say("mail.fact.server-key"), server_key),
        ),
        commands=(
            Command("sigil create weaver bob@example.org", say("mail.command.create")),
            Command("sigil games", say("mail.command.games")),
        ),
        turn=turn,
    )


def assistance(envelope: Envelope) -> Letter:
    """To a stranger: what this is and how to begin. Small on purpose."""
    return Letter(
        Kind.HELP,
        _reply(envelope),
        say("mail.help.subject"),
        opening=(say("mail.help.opening"), say("mail.help.signed")),
        commands=(
            Command("sigil init", say("mail.command.init")),
            Command("sigil register", say("mail.command.register")),
            Command("sigil --help", say("mail.command.help")),
        ),
    )


def invitation(
    envelope: Envelope,
    game: GameTag,
    *,
    host: str,
    players: Sequence[str],
    options: Sequence[tuple[str, str]],
    commitment: str,
    own: bool = False,
    words: str = "",
    turn: bytes | None = None,
) -> Letter:
    """To everybody who is to play: ``host`` asks them to. ``own``: it is the host's own seat.

    ``options`` are names and values as ``create`` takes them; ``commitment`` is the SHA-256 of
    the server's secret for this game, in hex; ``words`` are the host's own.
    """
    of = "mail.invitation.own-" if own else "mail.invitation."
    return Letter(
        Kind.INVITATION,
        envelope,
        say(f"{of}subject", host=host, title=_title(game)),
        game,
        opening=(say(f"{of}opening", host=host, title=_title(game)),),
        facts=(
            Fact(say("mail.fact.players"), _list(players)),
            *(Fact(say("mail.fact.option", name=name), value) for name, value in options),
            Fact(say("mail.fact.commitment"), commitment),
        ),
        speaker=host if words else "",
        words=words,
        commands=(
            Command(f"sigil join {game.tag}", say("mail.command.join")),
            Command(f"sigil decline {game.tag}", say("mail.command.decline")),
        ),
        closing=(say("mail.invitation.closing"),),
        turn=turn,
    )


def started(
    envelope: Envelope,
    game: GameTag,
    position: Position,
    *,
    happened: Sequence[Msg] = (),
    turn: bytes | None = None,
) -> Letter:
    """To every seat when a game begins: the deal, and the question if there is one for it."""
    return _played(Kind.STARTED, envelope, game, position, happened, turn)


def your_turn(
    envelope: Envelope,
    game: GameTag,
    position: Position,
    *,
    happened: Sequence[Msg] = (),
    turn: bytes | None = None,
) -> Letter:
    """To a seat that is asked something now."""
    return _played(Kind.TURN, envelope, game, position, happened, turn)


def news(
    envelope: Envelope,
    game: GameTag,
    position: Position,
    *,
    happened: Sequence[Msg] = (),
    turn: bytes | None = None,
) -> Letter:
    """To a seat that something happened to, but that is asked nothing."""
    return _played(Kind.NEWS, envelope, game, position, happened, turn)


def answer(
    envelope: Envelope,
    game: GameTag,
    position: Position,
    *,
    transcript: Sequence[Line],
    notices: Sequence[Msg] = (),
    happened: Sequence[Msg] = (),
    turn: bytes | None = None,
) -> Letter:
    """To the seat that sent an order: each line with its result, and what is asked next.

    If not one line stood, the subject says so (kind ``refused``).
    """
    stood = sum(1 for line in transcript if line.accepted)
    kind = Kind.ANSWER if stood else Kind.REFUSED
    letter = _played(kind, _reply(envelope), game, position, happened, turn)
    partial = 0 < stood < len(transcript)
    opening = "mail.answer.partial" if partial else f"mail.{kind}.opening"
    return replace(
        letter,
        subject=_subject("mail.answer.partial-subject", position) if partial else letter.subject,
        opening=(say(opening, n=stood, total=len(transcript), game=game.tag),),
        transcript=tuple(transcript),
        notices=tuple(notices),
    )


def receipt(
    envelope: Envelope,
    *,
    notices: Sequence[Msg],
    game: GameTag | None = None,
    position: Position | None = None,
    commands: Sequence[Command] = (),
    turn: bytes | None = None,
) -> Letter:
    """To the sender of a good block that is no order (join, decline, chat, …): what it did."""
    return Letter(
        Kind.RECEIPT,
        _reply(envelope),
        say("mail.receipt.subject"),
        game,
        opening=(say("mail.receipt.opening"),),
        notices=tuple(notices),
        position=position,
        commands=tuple(commands),
        turn=turn,
    )


def over(
    envelope: Envelope,
    game: GameTag,
    position: Position,
    *,
    winners: Sequence[str],
    secret: str,
    transcript: Sequence[Line] = (),
    notices: Sequence[Msg] = (),
    happened: Sequence[Msg] = (),
    turn: bytes | None = None,
    enclosures: tuple[Enclosure, ...] = (),
) -> Letter:
    """To every seat at the end; with ``transcript`` it also is the answer to the last order.

    ``secret`` (hex) opens the commitment of the invitation. The scoring is in the sheet.
    """
    reply = _reply(envelope) if transcript else envelope
    letter = _played(Kind.OVER, reply, game, position, happened, turn)
    won = say("mail.over.won", n=len(winners), winners=list(winners))
    return replace(
        letter,
        opening=(*letter.opening, won if winners else say("mail.over.nobody")),
        facts=(Fact(say("mail.fact.secret"), secret),),
        transcript=tuple(transcript),
        notices=tuple(notices),
        closing=(say("mail.over.closing"),),
        enclosures=enclosures,
    )


def chat(
    envelope: Envelope,
    game: GameTag,
    *,
    speaker: str,
    words: str,
    private: bool = False,
    turn: bytes | None = None,
) -> Letter:
    """To those whom a player wrote to: ``speaker``'s own words, and how to write back."""
    opening = "mail.chat.private" if private else "mail.chat.opening"
    subject = "mail.chat.private-subject" if private else "mail.chat.subject"
    back = Command(f'sigil chat {game.tag} "..."', say("mail.command.chat"))
    if private:
        # Where partners must not talk the whole table cannot be written to, but this player can.
        to = f'sigil chat {game.tag} --to {quote(speaker)} "..."'
        back = Command(to, say("mail.command.chat-to", name=speaker))
    return Letter(
        Kind.CHAT,
        envelope,
        say(subject, speaker=speaker),
        game,
        opening=(say(opening, speaker=speaker, game=game.tag),),
        speaker=speaker,
        words=words,
        commands=(back,),
        turn=turn,
    )


def resigned(
    envelope: Envelope,
    game: GameTag,
    *,
    player: str,
    position: Position | None = None,
    notices: Sequence[Msg] = (),
    turn: bytes | None = None,
) -> Letter:
    """To every seat when ``player`` has given up; ``notices`` say what that means here."""
    return Letter(
        Kind.RESIGNED,
        envelope,
        say("mail.resigned.subject", player=player),
        game,
        opening=(say("mail.resigned.opening", player=player, game=game.tag),),
        notices=tuple(notices),
        position=position,
        closing=(say("mail.over.closing"),),
        turn=turn,
    )


def cancelled(envelope: Envelope, game: GameTag, *, why: Msg, turn: bytes | None = None) -> Letter:
    """To everybody invited when a game will not begin (somebody declined, time ran out)."""
    return Letter(
        Kind.CANCELLED,
        envelope,
        say("mail.cancelled.subject"),
        game,
        opening=(say("mail.cancelled.opening", game=game.tag), why),
        turn=turn,
    )


def held(envelope: Envelope, game: GameTag, *, turn: bytes | None = None) -> Letter:
    """To a game's players when it stops until the host has looked at it."""
    return Letter(
        Kind.HELD,
        envelope,
        say("mail.held.subject"),
        game,
        opening=(say("mail.held.opening", game=game.tag),),
        turn=turn,
    )


def held_for_host(envelope: Envelope, game: GameTag, *, why: str) -> Letter:
    """To the host when a game stops. ``why`` is technical English, and never names a card."""
    return Letter(
        Kind.HELD_FOR_HOST,
        envelope,
        say("mail.held-for-host.subject"),
        game,
        opening=(say("mail.held-for-host.opening", game=game.tag),),
        facts=(Fact(say("mail.fact.reason"), why),),
        commands=(
            Command(f"sigilpost show {game.tag}", say("mail.command.host-show")),
            Command("sigilpost check", say("mail.command.host-check")),
        ),
    )


def for_postmaster(envelope: Envelope, *, sender: str, subject: str, raw: bytes) -> Letter:
    """To the host: a mail to the postmaster, its bytes as they came.

    The enclosure is a file and no message, as RFC 2046 section 5.2.1 forbids to encode a message
    and its lines may be anything. ``sender`` is "" where nobody can tell.
    """
    facts = ((say("mail.fact.from"), sender), (say("mail.fact.subject"), subject))
    return Letter(
        Kind.POSTMASTER,
        envelope,
        say("mail.postmaster.subject"),
        opening=(say("mail.postmaster.opening"),),
        facts=tuple(Fact(label, text) for label, text in facts if text),
        enclosures=(Enclosure("mail.eml", "application/octet-stream", raw),),
    )


_OF_REPLIES = ("bad-code", "used-code", "no-line")


def error(
    envelope: Envelope,
    reason: str,
    *,
    details: Sequence[Msg] = (),
    game: GameTag | None = None,
    position: Position | None = None,
    turn: bytes | None = None,
) -> Letter:
    """The answer to a mail that did nothing. ``reason`` is a slug of the published list.

    Without a valid block the answer must have no game content: give neither game nor position.
    """
    return Letter(
        Kind.ERROR,
        _reply(envelope),
        say("mail.error.subject"),
        game,
        opening=(say("mail.error.opening"), say(f"mail.reason.{reason}")),
        facts=(Fact(say("mail.fact.reason"), reason),),
        notices=tuple(details),
        position=position,
        turn=turn,
        by_reply=reason in _OF_REPLIES,
    )


def _reply(envelope: Envelope) -> Envelope:
    return replace(envelope, automatic=Automatic.REPLIED)


def _title(game: GameTag) -> Msg:
    return say(f"{game.name}.title")


def _list(names: Sequence[str]) -> Msg:
    return say("mail.list", items=list(names))


def _played(
    kind: Kind,
    envelope: Envelope,
    game: GameTag,
    position: Position,
    happened: Sequence[Msg],
    turn: bytes | None,
) -> Letter:
    return Letter(
        kind,
        envelope,
        _subject(f"mail.{kind}.subject", position if kind is not Kind.TURN else None),
        game,
        opening=(say(f"mail.{kind}.opening", game=game.tag, title=_title(game)),),
        happened=tuple(happened),
        position=position,
        turn=turn,
    )


def _subject(id: str, position: Position | None) -> Msg:
    """A subject, which says so if the mail asks something besides: a list of mails shows who has
    to act."""
    asks = position is not None and position.question is not None
    return say("mail.subject.asks", subject=say(id)) if asks else say(id)
