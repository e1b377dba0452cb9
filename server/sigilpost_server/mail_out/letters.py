"""The kinds of letter, a function for each. Their words are in the catalogue ``mail``.

Every function takes the envelope first and returns a :class:`~.letter.Letter` for ``compose``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sigilpost_engine.core.messages import Msg, say
from sigilpost_server.mail_out.letter import (
    Automatic,
    Command,
    Enclosure,
    Envelope,
    GameTag,
    Kind,
    Letter,
    Line,
    Position,
)


def challenge(envelope: Envelope, *, code: str, key: str, hours: int) -> Letter:
    """To an address that asks to be registered: prove that you read it.

    ``code`` is typed back with ``sigil confirm``; ``key`` is the new key's fingerprint in groups.
    """
    return Letter(
        Kind.CHALLENGE,
        envelope,
        say("mail.challenge.subject"),
        opening=(say("mail.challenge.opening", address=envelope.to.mail),),
        facts=((say("mail.fact.key"), key),),
        commands=(Command(f"sigil confirm {code}", say("mail.command.confirm")),),
        closing=(say("mail.challenge.closing", n=hours),),
    )


def registered(envelope: Envelope, *, name: str, key: str, server_key: str) -> Letter:
    """To somebody whose address and key now belong together."""
    return Letter(
        Kind.REGISTERED,
        envelope,
        say("mail.registered.subject"),
        opening=(say("mail.registered.opening", name=name),),
        facts=((say("mail.fact.key"), key), (say("mail.fact.server-key"), server_key)),
        commands=(
            Command("sigil create weaver bob@example.org", say("mail.command.create")),
            Command("sigil games", say("mail.command.games")),
        ),
    )


def help_(envelope: Envelope) -> Letter:
    """To a stranger, or anybody who asks: what this is and how to begin. Small on purpose."""
    return Letter(
        Kind.HELP,
        envelope,
        say("mail.help.subject"),
        opening=(say("mail.help.opening"), say("mail.help.how")),
        commands=(
            Command("sigil init", say("mail.command.init")),
            Command("sigil register", say("mail.command.register")),
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
    words: str = "",
    enclosures: tuple[Enclosure, ...] = (),
) -> Letter:
    """To everybody whom ``host`` wants in a game (to the host too, who joins by it as well).

    ``options`` are names and values as ``create`` takes them; ``commitment`` is the SHA-256 of
    the server's secret for this game, in hex; ``words`` the host's own text.
    """
    return Letter(
        Kind.INVITATION,
        envelope,
        say("mail.invitation.subject", host=host, game=_title(game)),
        game,
        opening=(say("mail.invitation.opening", host=host, game=_title(game)),),
        facts=(
            (say("mail.fact.players"), say("mail.list", items=list(players))),
            *((say("mail.fact.option", name=name), value) for name, value in options),
            (say("mail.fact.commitment"), commitment),
        ),
        speaker=host if words else "",
        words=words,
        commands=(
            Command(f"sigil join {game.tag}", say("mail.command.join")),
            Command(f"sigil decline {game.tag}", say("mail.command.decline")),
        ),
        enclosures=enclosures,
    )


def started(
    envelope: Envelope, game: GameTag, position: Position, *, happened: Sequence[Msg] = ()
) -> Letter:
    """To every seat when a game begins: the deal, and the question if there is one for it."""
    return _played(Kind.STARTED, envelope, game, position, happened)


def turn(
    envelope: Envelope, game: GameTag, position: Position, *, happened: Sequence[Msg] = ()
) -> Letter:
    """To a seat that is asked something now."""
    return _played(Kind.TURN, envelope, game, position, happened)


def news(
    envelope: Envelope, game: GameTag, position: Position, *, happened: Sequence[Msg] = ()
) -> Letter:
    """To a seat that something happened to, but that is asked nothing."""
    return _played(Kind.NEWS, envelope, game, position, happened)


def answer(
    envelope: Envelope,
    game: GameTag,
    position: Position,
    *,
    transcript: Sequence[Line],
    notices: Sequence[Msg] = (),
    happened: Sequence[Msg] = (),
) -> Letter:
    """To the seat that sent an order: each line with its result, and what is asked next.

    If not one line stood, the subject says so (kind ``refused``).
    """
    stood = sum(1 for line in transcript if line.accepted)
    kind = Kind.ANSWER if stood or not transcript else Kind.REFUSED
    letter = _played(kind, _reply(envelope), game, position, happened)
    opening = say(f"mail.{kind}.opening", n=stood, total=len(transcript), game=game.tag)
    return replace(letter, opening=(opening,), transcript=tuple(transcript), notices=tuple(notices))


def receipt(
    envelope: Envelope,
    *,
    notices: Sequence[Msg],
    game: GameTag | None = None,
    position: Position | None = None,
    commands: Sequence[Command] = (),
) -> Letter:
    """To the sender of a good block that is no order (join, decline, chat, …): what it did."""
    return Letter(
        Kind.ANSWER,
        _reply(envelope),
        say("mail.receipt.subject"),
        game,
        opening=(say("mail.receipt.opening"),),
        notices=tuple(notices),
        position=position,
        commands=tuple(commands),
        enclosures=_turn(position),
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
    enclosures: tuple[Enclosure, ...] = (),
) -> Letter:
    """To every seat at the end; with ``transcript`` it also is the answer to the last order.

    ``secret`` (hex) opens the commitment of the invitation. The scoring is in the sheet.
    """
    letter = _played(
        Kind.OVER, _reply(envelope) if transcript else envelope, game, position, happened
    )
    won = say("mail.over.won", n=len(winners), winners=list(winners))
    return replace(
        letter,
        opening=(*letter.opening, won if winners else say("mail.over.nobody")),
        facts=((say("mail.fact.secret"), secret),),
        transcript=tuple(transcript),
        notices=tuple(notices),
        enclosures=(*letter.enclosures, *enclosures),
    )


def chat(
    envelope: Envelope, game: GameTag, *, speaker: str, words: str, private: bool = False
) -> Letter:
    """To those whom a player wrote to: ``speaker``'s own words, and how to write back."""
    opening = "mail.chat.private" if private else "mail.chat.opening"
    return Letter(
        Kind.CHAT,
        envelope,
        say("mail.chat.subject", speaker=speaker),
        game,
        opening=(say(opening, speaker=speaker, game=game.tag),),
        speaker=speaker,
        words=words,
        commands=(Command(f'sigil chat {game.tag} "..."', say("mail.command.chat")),),
    )


def resigned(
    envelope: Envelope,
    game: GameTag,
    *,
    player: str,
    position: Position | None = None,
    notices: Sequence[Msg] = (),
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
        enclosures=_turn(position),
    )


def cancelled(envelope: Envelope, game: GameTag, *, why: Msg) -> Letter:
    """To everybody invited when a game will not begin (somebody declined, time ran out)."""
    return Letter(
        Kind.CANCELLED,
        envelope,
        say("mail.cancelled.subject"),
        game,
        opening=(say("mail.cancelled.opening", game=game.tag), why),
    )


def held(envelope: Envelope, game: GameTag, *, why: str = "", to_host: bool = False) -> Letter:
    """To a game's players when it stops until the host has looked at it, and to the host.

    ``why`` is for the host only: a line of technical English, never a card.
    """
    if not to_host:
        return Letter(
            Kind.HELD,
            envelope,
            say("mail.held.subject"),
            game,
            opening=(say("mail.held.opening", game=game.tag),),
        )
    return Letter(
        Kind.HELD,
        envelope,
        say("mail.held.host-subject"),
        game,
        opening=(say("mail.held.host-opening", game=game.tag),),
        facts=((say("mail.fact.reason"), why),),
        commands=(
            Command(f"sigilpost show {game.tag}", say("mail.command.host-show")),
            Command("sigilpost check", say("mail.command.host-check")),
        ),
    )


def error(
    envelope: Envelope,
    reason: str,
    *,
    details: Sequence[Msg] = (),
    game: GameTag | None = None,
    position: Position | None = None,
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
        facts=((say("mail.fact.reason"), reason),),
        notices=tuple(details),
        position=position,
        enclosures=_turn(position),
    )


def _reply(envelope: Envelope) -> Envelope:
    return replace(envelope, automatic=Automatic.REPLIED)


def _title(game: GameTag) -> Msg:
    return say(f"{game.name}.title")


def _played(
    kind: Kind, envelope: Envelope, game: GameTag, position: Position, happened: Sequence[Msg]
) -> Letter:
    return Letter(
        kind,
        envelope,
        say(f"mail.{kind}.subject"),
        game,
        opening=(say(f"mail.{kind}.opening", game=game.tag, title=_title(game)),),
        happened=tuple(happened),
        position=position,
        enclosures=_turn(position),
    )


def _turn(position: Position | None) -> tuple[Enclosure, ...]:
    if position is None or position.turn is None:
        return ()
    return (Enclosure("turn.sigil", "application/vnd.sigilpost.turn+json", position.turn),)
