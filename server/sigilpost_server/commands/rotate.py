"""ROTATE: the old key names a new one, which agrees. It counts at once, in running games too."""

from __future__ import annotations

from sigilpost_engine.core.messages import say
from sigilpost_engine.wire.keys import PublicKey, grouped
from sigilpost_engine.wire.payloads import Rotate
from sigilpost_server.mail_out import letters
from sigilpost_server.transaction import keys
from sigilpost_server.transaction.work import Outcome, Signed, Work, address_of


def run(work: Work, signed: Signed) -> Outcome:
    """Put the new key in the old one's place."""
    wish, player = signed.payload, signed.player
    assert isinstance(wish, Rotate)
    assert player is not None
    new = PublicKey.from_hex(wish.public)
    if keys.is_known(work.db, new.fingerprint):
        return work.error(player, "not-possible", say("keys.known"))
    digest = signed.block.digest
    keys.end(work.db, wish.key, keys.ROTATED, digest, work.now, new.fingerprint)
    keys.add(work.db, player.id, new, work.now)
    keys.forget_recoveries(work.db, player.id)
    said = say("keys.rotated", old=grouped(wish.key), new=grouped(new.fingerprint))
    letter = letters.receipt(
        work.post.answer_envelope(address_of(player)),
        notices=[said],
        turn=work.notice(said, type="rotated", key=new.fingerprint),
    )
    return Outcome("ok", letter, player.language)
