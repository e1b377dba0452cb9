"""CONFIRM: the token of a challenge comes back, signed; the player is registered."""

from __future__ import annotations

import hmac

from sigilpost_engine.wire.payloads import Confirm
from sigilpost_server.commands import names, recover
from sigilpost_server.commands.registration import claim_seats, obstacle, token_of, welcome
from sigilpost_server.mail_out import letters
from sigilpost_server.mail_out.letter import Address
from sigilpost_server.models import player_keys, players, registrations
from sigilpost_server.transaction import rows
from sigilpost_server.transaction.work import Outcome, Signed, Work, reason_text


def run(work: Work, signed: Signed) -> Outcome:
    """Register the player, once."""
    confirm = signed.payload
    assert isinstance(confirm, Confirm)
    if signed.player is not None:
        return welcome(work, signed.player, confirm.key)
    if signed.recovery is not None:
        return recover.confirm(work, signed.recovery, confirm.token)
    registration = signed.registration
    assert registration is not None, "the signature was checked with its key"
    reason = _obstacle(work, registration, confirm.token)
    if reason:
        return _refused(work, registration, reason)
    player = _enter(work, registration)
    claim_seats(work, player)
    return welcome(work, player, confirm.key)


def _obstacle(work: Work, registration: rows.Registration, token: str) -> str:
    if work.now >= registration.expires:
        return "bad-token"
    if not hmac.compare_digest(token, token_of(work.house, registration)):
        return "bad-token"
    return obstacle(work.db, registration.address_key, registration.name)


def _enter(work: Work, registration: rows.Registration) -> rows.Player:
    """The player, with the key: new, or known by now from replies alone."""
    known = rows.player_by_address(work.db, registration.address_key)
    values: dict[str, str | int] = {"language": registration.language}
    values["zone"] = registration.zone
    if known is None:
        values |= {
            "name": registration.name,
            "name_key": names.key(registration.name),
            "address": registration.address,
            "address_key": registration.address_key,
            "registered": work.now,
        }
        done = work.db.execute(players.insert().values(values).returning(players.c.id))
        player_id, name = int(done.scalar_one()), registration.name
    else:
        work.db.execute(players.update().where(players.c.id == known.id).values(values))
        player_id, name = known.id, known.name
    key = {
        "fingerprint": registration.fingerprint,
        "public": registration.public,
        "player_id": player_id,
        "since": work.now,
    }
    work.db.execute(player_keys.insert().values(key))
    work.db.execute(
        registrations.delete().where(registrations.c.address_key == registration.address_key)
    )
    return rows.Player(
        player_id,
        name,
        registration.address,
        registration.address_key,
        registration.language,
    )


def _refused(work: Work, registration: rows.Registration, reason: str) -> Outcome:
    """Explain to the address that was challenged, within a stranger's budget."""
    if not work.may_challenge(registration.address_key):
        return Outcome("stranger-budget", judged=False)
    letter = letters.error(
        work.post.answer_envelope(Address(registration.address)),
        reason,
        turn=work.notice(reason_text(reason), reason=reason),
    )
    return Outcome(reason, letter, registration.language)
