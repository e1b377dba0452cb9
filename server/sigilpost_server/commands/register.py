"""REGISTER: somebody brings a key and an address; the address gets a challenge.

The block proves the key and the challenge the address. Nothing goes to any address but the one
that the mail came from, which must be the one that is to be registered.
"""

from __future__ import annotations

from sigilpost_engine.core.messages import say
from sigilpost_engine.wire.keys import grouped
from sigilpost_engine.wire.payloads import Register
from sigilpost_server.commands import names
from sigilpost_server.commands.registration import obstacle, token_of, welcome
from sigilpost_server.mail_in.addresses import Address, BadAddress, parse_address
from sigilpost_server.mail_out import letters
from sigilpost_server.mail_out.letter import Address as To
from sigilpost_server.models import players, registrations
from sigilpost_server.transaction import rows
from sigilpost_server.transaction.work import Outcome, Signed, Work, reason_text

HOUR = 3600


def run(work: Work, signed: Signed) -> Outcome:
    """Challenge the address, or say why it cannot be registered."""
    wish = signed.payload
    assert isinstance(wish, Register)
    if signed.player is not None:
        return _known(work, signed.player, wish)
    sender = work.incoming.sender
    if sender is None:
        return Outcome("bad-from", judged=False)
    address = _same(sender, wish.address)
    if address is None:
        return _refused(work, sender, wish, "other-address")
    reason = _obstacle(work, address, wish)
    return _refused(work, sender, wish, reason) if reason else _challenged(work, address, wish)


def _same(sender: Address, spelled: str) -> Address | None:
    """The address to register, if it is the one that the mail came from."""
    try:
        address = parse_address(spelled)
    except BadAddress:
        return None
    return address if address.normal == sender.normal else None


def _obstacle(work: Work, address: Address, wish: Register) -> str:
    if not names.fit(wish.name):
        return "bad-name"
    return obstacle(work.db, address.normal, wish.name)


def _known(work: Work, player: rows.Player, wish: Register) -> Outcome:
    """The key is registered already: nothing is added, and its player is told so."""
    try:
        same = parse_address(wish.address).normal == player.address_key
    except BadAddress:
        same = False
    if not same:
        return work.error(player, "other-address", say("server.register.known-key"))
    work.db.execute(
        players.update().where(players.c.id == player.id).values(language=wish.lang, zone=wish.zone)
    )
    notice = say("server.register.already", name=player.name)
    return welcome(work, player._replace(language=wish.lang), wish.key, notice)


def _challenged(work: Work, address: Address, wish: Register) -> Outcome:
    if not work.may_challenge(address.normal):
        return Outcome("stranger-budget", judged=False)
    hours = work.house.settings.games.challenge_hours
    registration = rows.Registration(
        fingerprint=wish.key,
        public=bytes.fromhex(wish.public),
        name=wish.name,
        address=address.spelled,
        address_key=address.normal,
        language=wish.lang,
        zone=wish.zone,
        expires=work.now + hours * HOUR,
    )
    values = registration._asdict()
    statement = rows.upsert(work.db, registrations).values(values)
    work.db.execute(statement.on_conflict_do_update(index_elements=["fingerprint"], set_=values))
    token = token_of(work.house, registration)
    letter = letters.challenge(
        work.post.answer_envelope(To(address.spelled)),
        token=token,
        key=grouped(wish.key),
        hours=hours,
        turn=work.notice(type="challenge", token=token, key=wish.key),
    )
    return Outcome("ok", letter, wish.lang)


def _refused(work: Work, sender: Address, wish: Register, reason: str) -> Outcome:
    """Explain to the address that the mail came from, which is nobody's or not proven yet."""
    if not work.may_challenge(sender.normal):
        return Outcome("stranger-budget", judged=False)
    envelope = work.post.answer_envelope(To(sender.spelled))
    letter = letters.error(envelope, reason, turn=work.notice(reason_text(reason), reason=reason))
    return Outcome(reason, letter, wish.lang)
