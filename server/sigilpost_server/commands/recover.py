"""RECOVER: a lost key is replaced, after a challenge to the address and a waiting time.

The challenge goes to the address that is registered and to no other. Who answers it has only
read that mailbox, so the old key may still object for a while: everybody concerned is told.
"""

from __future__ import annotations

import hmac

from sqlalchemy import Connection, delete, update

from sigilpost_engine.core.messages import Msg, say
from sigilpost_engine.wire.keys import PublicKey, grouped
from sigilpost_engine.wire.payloads import Recover, Request
from sigilpost_server.clocks import shown
from sigilpost_server.commands import names
from sigilpost_server.mail_in.addresses import Address, BadAddress, parse_address
from sigilpost_server.mail_out import letters
from sigilpost_server.mail_out.letter import Address as To
from sigilpost_server.mail_out.letter import Command
from sigilpost_server.models import recoveries
from sigilpost_server.transaction import keys, rows, tables
from sigilpost_server.transaction.house import House
from sigilpost_server.transaction.post import Post
from sigilpost_server.transaction.rows import Recovery
from sigilpost_server.transaction.work import Outcome, Signed, Work, address_of, reason_text

HOUR = 3600


def run(work: Work, signed: Signed) -> Outcome:
    """Challenge the registered address, or say why not."""
    wish = signed.payload
    assert isinstance(wish, Recover)
    if signed.player is not None:
        return work.error(signed.player, "not-possible", say("keys.recover.not-lost"))
    sender = work.incoming.sender
    if sender is None:
        return Outcome("bad-from", judged=False)
    if not _same(sender, wish.address):
        return _refused(work, sender, "other-address")
    player = rows.player_by_address(work.db, sender.normal)
    if player is None or names.key(player.name) != names.key(wish.name):
        return _refused(work, sender, "unknown-player")
    found = rows.recovery(work.db, wish.key)
    if found is not None and found.due is not None:
        return _waits(work, player, found)
    return _challenged(work, player, wish, signed.block.digest)


def _same(sender: Address, spelled: str) -> bool:
    try:
        return parse_address(spelled).normal == sender.normal
    except BadAddress:
        return False


def _token(house: House, fingerprint: str, player: rows.Player) -> str:
    return house.token("recovery", fingerprint, player.address_key)


def _challenged(work: Work, player: rows.Player, wish: Recover, block: bytes) -> Outcome:
    if not work.may("challenges", player.address_key, work.limits.challenges_per_day):
        return Outcome("stranger-budget", judged=False)
    hours = work.house.settings.games.challenge_hours
    values = Recovery(
        wish.key, bytes.fromhex(wish.public), player.id, block, work.now + hours * HOUR, None
    )._asdict()
    statement = rows.upsert(work.db, recoveries).values(values)
    work.db.execute(statement.on_conflict_do_update(index_elements=["fingerprint"], set_=values))
    token = _token(work.house, wish.key, player)
    said = say("keys.recover.challenge", player=player.name, key=grouped(wish.key))
    letter = letters.recovery(
        work.post.answer_envelope(address_of(player)),
        said,
        token=token,
        key=grouped(wish.key),
        hours=hours,
        turn=work.notice(said, type="challenge", token=token, key=wish.key),
    )
    return Outcome("ok", letter, player.language)


def _refused(work: Work, sender: Address, reason: str) -> Outcome:
    """Explain to the address that the mail came from, within a stranger's budget."""
    if not work.may_challenge(sender.normal):
        return Outcome("stranger-budget", judged=False)
    envelope = work.post.answer_envelope(To(sender.spelled))
    letter = letters.error(envelope, reason, turn=work.notice(reason_text(reason), reason=reason))
    return Outcome(reason, letter, work.house.settings.server.language)


# --- the challenge comes back ---------------------------------------------------------------------


def confirm(work: Work, found: Recovery, token: str) -> Outcome:
    """The challenge was read: the waiting time begins, and everybody concerned is told."""
    player = keys.player_of(work.db, found.player_id)
    right = hmac.compare_digest(token, _token(work.house, found.fingerprint, player))
    if not right or (found.due is None and work.now >= found.expires):
        return _refused(work, parse_address(player.address), "bad-token")
    if found.due is not None:
        return _waits(work, player, found)
    due = work.now + work.house.settings.keys.recovery_hours * HOUR
    _only(work.db, found)
    own = recoveries.c.fingerprint == found.fingerprint
    work.db.execute(update(recoveries).where(own).values(due=due))
    rows.set_timer(work.db, keys.RECOVERY, found.fingerprint, due)
    keys.tell_opponents(
        work.db,
        work.post,
        player,
        "recovery",
        say("keys.recover.subject", player=player.name),
        say("keys.recover.opponents", player=player.name, when=_when(player, due)),
    )
    return _waits(work, player, found._replace(due=due))


def _only(db: Connection, found: Recovery) -> None:
    """The newest proof counts: other keys for the same player wait no longer."""
    others = (
        recoveries.c.player_id == found.player_id,
        recoveries.c.fingerprint != found.fingerprint,
    )
    db.execute(delete(recoveries).where(*others))


def _when(player: rows.Player, moment: int) -> Msg:
    return shown.when(moment, shown.zone_of(player.zone))


def _waits(work: Work, player: rows.Player, found: Recovery) -> Outcome:
    assert found.due is not None
    said = say("keys.recover.waits", key=grouped(found.fingerprint), when=_when(player, found.due))
    letter = letters.receipt(
        work.post.answer_envelope(address_of(player)),
        notices=[said, say("keys.recover.object")],
        commands=[Command("sigil recover --cancel", say("keys.command.cancel"))],
        turn=work.notice(said, type="recovery", key=found.fingerprint, due=found.due),
    )
    return Outcome("ok", letter, player.language)


# --- the end --------------------------------------------------------------------------------------


def cancel(work: Work, player: rows.Player, wish: Request) -> Outcome:
    """``recovery cancel``, signed by the old key: it is not lost."""
    if tuple(word.casefold() for word in wish.args) != ("cancel",):
        return work.error(player, "unparseable", say("keys.recover.form"))
    if not keys.forget_recoveries(work.db, player.id):
        return work.error(player, "not-possible", say("keys.recover.none"))
    keys.tell_opponents(
        work.db,
        work.post,
        player,
        "recovery cancelled",
        say("keys.recover.subject", player=player.name),
        say("keys.recover.cancelled-opponents", player=player.name),
    )
    said = say("keys.recover.cancelled")
    letter = letters.receipt(
        work.post.answer_envelope(address_of(player)), notices=[said], turn=work.notice(said)
    )
    return Outcome("ok", letter, player.language)


def over(db: Connection, post: Post, fingerprint: str) -> None:
    """The waiting time is over, and the old key did not object."""
    found = rows.recovery(db, fingerprint)
    if found is None or found.due is None:
        return
    player = keys.player_of(db, found.player_id)
    keys.succeed(db, found, post.now)
    keys.forget_recoveries(db, player.id)
    keys.forget_standing(db, player.id)
    key = grouped(PublicKey(found.public).fingerprint)
    keys.tell(
        post,
        player,
        f"recovered {fingerprint}",
        say("keys.recovered.subject"),
        say("keys.recovered", key=key),
        type="registered",
        key=found.fingerprint,
    )
    tables.mail_again(db, post, player, f"recovered {fingerprint}")
    keys.tell_opponents(
        db,
        post,
        player,
        "recovered",
        say("keys.recover.subject", player=player.name),
        say("keys.recovered.opponents", player=player.name),
    )
