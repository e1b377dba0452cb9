"""SEAL: what is hidden is mailed to a player encrypted from now on, or no longer.

Where their games stand is mailed at once, sealed.
"""

from __future__ import annotations

from sqlalchemy import update

from sigilpost_engine.core.messages import say
from sigilpost_engine.wire import sealed
from sigilpost_engine.wire.errors import BadFields
from sigilpost_engine.wire.keys import fingerprint, grouped
from sigilpost_engine.wire.payloads import Seal
from sigilpost_server.mail_out import letters
from sigilpost_server.models import players
from sigilpost_server.transaction import tables
from sigilpost_server.transaction.work import Outcome, Signed, Work, address_of


def run(work: Work, signed: Signed) -> Outcome:
    """Keep the key that mails are sealed to; the answer is sealed to it already."""
    wish, player = signed.payload, signed.player
    assert isinstance(wish, Seal)
    assert player is not None
    public = bytes.fromhex(wish.public) or None
    if public is not None:
        try:
            sealed.check(public)
        except BadFields:
            return work.error(player, "bad-fields", say("keys.seal.bad"))
    work.db.execute(update(players).where(players.c.id == player.id).values(seal=public))
    said = say("keys.seal.off")
    if public is not None:
        said = say("keys.seal.on", key=grouped(fingerprint(public)))
        # What was sealed to another key may be beyond reading.
        tables.mail_again(work.db, work.post, player, f"sealed {signed.block.digest.hex()}")
    letter = letters.receipt(
        work.post.answer_envelope(address_of(player)),
        notices=[said],
        turn=work.notice(said, type="seal", key=wish.public),
    )
    return Outcome("ok", letter, player.language)
