"""CREATE: a player proposes a game; everybody who is to play is invited, the player too.

The proposal brings no part of the shuffles: everybody joins after the server has committed itself
to its own part, the proposer as well.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sigilpost_engine import games as engine
from sigilpost_engine.core.errors import BadOption
from sigilpost_engine.core.game import Game as Rules
from sigilpost_engine.core.messages import Msg, say
from sigilpost_engine.wire import fair
from sigilpost_engine.wire.payloads import Create
from sigilpost_server.clocks import terms
from sigilpost_server.clocks.control import BadControl
from sigilpost_server.clocks.terms import Terms
from sigilpost_server.commands import names
from sigilpost_server.leagues import lobby
from sigilpost_server.mail_in.addresses import BadAddress, parse_address
from sigilpost_server.models import GameStatus, games, seats
from sigilpost_server.transaction import rows
from sigilpost_server.transaction.play import CODE, CREDENTIALS, SIGNED, Play, dumps
from sigilpost_server.transaction.tell import Teller
from sigilpost_server.transaction.work import Outcome, Signed, Work

DAY = 86_400
TAG_LETTERS = "23456789abcdefghjkmnpqrstuvwxyz"
"""No letters and figures that look alike: players type tags."""
TAG_LENGTH = 4


class _Refused(Exception):
    """The game cannot be proposed: a reason, and what more there is to say."""

    def __init__(self, reason: str, *details: Msg) -> None:
        super().__init__(reason)
        self.reason = reason
        self.details = details


@dataclass(frozen=True)
class _Guest:
    """Somebody to play: an address, and the player if one is registered with it."""

    address: str
    key: str
    player: rows.Player | None

    @property
    def shown(self) -> str:
        return self.player.name if self.player else self.address


def run(work: Work, signed: Signed) -> Outcome:
    """Propose the game and invite everybody."""
    wish, player = signed.payload, signed.player
    assert isinstance(wish, Create)
    assert player is not None
    try:
        rules = _rules(wish)
        guests = [_guest_of(player), *_guests(work, player, wish.opponents)]
        options = _options(rules, wish, guests)
        agreed = _terms(work, wish)
        _check_limits(work, player, guests)
    except _Refused as refused:
        return work.error(player, refused.reason, *refused.details)
    tag = _store(work, signed, wish, options, agreed, guests)
    lobby.put(work.db, tag, lobby.read(wish.rules))
    return _invite(work, player, tag)


# --- what is wished -------------------------------------------------------------------------------


def _rules(wish: Create) -> Rules[Any]:
    try:
        return engine.find(wish.game)
    except engine.UnknownGame:
        known = engine.names()
        raise _Refused(
            "bad-option", say("server.create.no-game", name=wish.game, known=known)
        ) from None


def _options(rules: Rules[Any], wish: Create, guests: list[_Guest]) -> dict[str, Any]:
    unfit = [guest.shown for guest in guests if names.reserved(rules, guest.shown)]
    if unfit:
        raise _Refused("bad-option", say("server.create.reserved", name=unfit[0]))
    for name, value in wish.rules.items():
        if name in (terms.CLOCK, terms.TIMEOUT):
            continue
        credentials = name == CREDENTIALS and value in (SIGNED, CODE)
        if name not in lobby.RULES and not credentials:
            raise _Refused("bad-option", say("server.create.no-rule", name=name))
    try:
        options = rules.read_options(wish.options)
        places = lobby.read(wish.rules).places
        rules.check_seats([*(guest.shown for guest in guests), *places], options)
    except BadOption as bad:
        raise _Refused("bad-option", bad.message) from bad
    return options


def _terms(work: Work, wish: Create) -> Terms:
    """What the game agrees about time."""
    try:
        return terms.read(wish.rules, work.house.settings.clocks.terms)
    except BadControl as bad:
        raise _Refused("bad-option", bad.message) from bad


def _guests(work: Work, host: rows.Player, opponents: tuple[str, ...]) -> list[_Guest]:
    guests = [_guest(work, name) for name in opponents]
    keys = [host.address_key, *(guest.key for guest in guests)]
    if len(set(keys)) < len(keys):
        raise _Refused("bad-option", say("core.option.seat-twice"))
    return guests


def _guest_of(player: rows.Player) -> _Guest:
    return _Guest(player.address, player.address_key, player)


def _guest(work: Work, name: str) -> _Guest:
    if "@" not in name:
        player = rows.player_by_name(work.db, names.key(name))
        if player is None:
            raise _Refused("unknown-player", say("server.create.no-player", name=name))
        return _guest_of(player)
    try:
        address = parse_address(name)
    except BadAddress:
        raise _Refused("unknown-player", say("server.create.bad-address", name=name)) from None
    if address.normal in work.house.ours.addresses:
        raise _Refused("unknown-player", say("server.create.bad-address", name=name))
    player = rows.player_by_address(work.db, address.normal)
    return _guest_of(player) if player else _Guest(address.spelled, address.normal, None)


def _check_limits(work: Work, player: rows.Player, guests: list[_Guest]) -> None:
    """Count what this proposal costs. What is counted stays counted if a later limit refuses."""
    limits = work.limits
    for guest in guests:
        if guest.player and rows.sits_in(work.db, guest.player.id) >= limits.running_games:
            raise _Refused("rate-limited", say("server.create.many-games", name=guest.shown))
    if not work.may("proposals", player.address_key, limits.proposals_per_day):
        raise _Refused("rate-limited", say("server.create.proposals", n=limits.proposals_per_day))
    for guest in guests:
        if guest.player is None and not work.may(
            "invitations", guest.key, limits.invitations_per_day
        ):
            raise _Refused("rate-limited", say("server.create.invited-often", name=guest.shown))


# --- what is done ---------------------------------------------------------------------------------


def _store(
    work: Work,
    signed: Signed,
    wish: Create,
    options: dict[str, Any],
    agreed: Terms,
    guests: list[_Guest],
) -> str:
    assert signed.player is not None
    tag = _new_tag(work, wish.game)
    values = {
        "tag": tag,
        "kind": wish.game,
        "options": dumps(options),
        "rules": dumps({**wish.rules, **agreed.rules()}),
        "status": GameStatus.PROPOSED,
        "seq": 0,
        "secret": work.house.chance(fair.SECRET_SIZE),
        "creator_id": signed.player.id,
        "create_block": signed.block.digest,
        "created": work.now,
        "head_number": 0,
        "head_hash": "",
        "why": "",
    }
    game_id = work.db.execute(games.insert().values(values).returning(games.c.id)).scalar_one()
    work.db.execute(seats.insert(), [_seat(game_id, n, guest) for n, guest in enumerate(guests)])
    days = work.house.settings.games.invitation_days
    rows.set_timer(work.db, rows.INVITATION, tag, work.now + days * DAY)
    return tag


def _seat(game_id: int, number: int, guest: _Guest) -> dict[str, Any]:
    return {
        "game_id": game_id,
        "number": number,
        "player_id": guest.player.id if guest.player else None,
        "address": guest.address,
        "address_key": guest.key,
        "name": "",
        "key": "",
        "nonce": "",
        "join_block": None,
        "asked": "",
        "told": -1,
    }


def _new_tag(work: Work, kind: str) -> str:
    length = TAG_LENGTH
    while True:
        tag = f"{kind}-{_letters(work.house.chance(2 * length), length)}"
        if rows.game(work.db, tag, lock=False) is None:
            return tag
        length += 1


def _letters(chance: bytes, length: int) -> str:
    number = int.from_bytes(chance, "big")
    letters = []
    for _ in range(length):
        number, place = divmod(number, len(TAG_LETTERS))
        letters.append(TAG_LETTERS[place])
    return "".join(letters)


def _invite(work: Work, host: rows.Player, tag: str) -> Outcome:
    play = Play.load(work.db, tag)
    assert play is not None
    teller = Teller(play, work.post)
    for seat in play.seats[1:]:
        envelope = teller.envelope(seat, "invitation")
        teller.put(seat, teller.invitation(seat, envelope, host.name))
    own = play.seats[0]
    answer = teller.invitation(own, teller.answer_envelope(own), host.name)
    return Outcome("ok", answer, host.language, tag, play.row.id, play.seq)
