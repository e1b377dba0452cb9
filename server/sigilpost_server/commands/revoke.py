"""REVOKE: a key is never to be believed again. Its player comes back by RECOVER."""

from __future__ import annotations

from sigilpost_engine.core.messages import say
from sigilpost_engine.wire.keys import grouped
from sigilpost_engine.wire.payloads import Revoke
from sigilpost_server.mail_out import letters
from sigilpost_server.transaction import keys
from sigilpost_server.transaction.work import Outcome, Signed, Work, address_of


def run(work: Work, signed: Signed) -> Outcome:
    """End the key that signed, drop the standing orders, and tell the opponents."""
    wish, player = signed.payload, signed.player
    assert isinstance(wish, Revoke)
    assert player is not None
    keys.end(work.db, wish.key, keys.REVOKED, signed.block.digest, work.now)
    keys.forget_standing(work.db, player.id)
    keys.tell_opponents(
        work.db,
        work.post,
        player,
        "revoked",
        say("keys.revoked.subject", player=player.name),
        say("keys.revoked.opponents", player=player.name),
    )
    said = say("keys.revoked", key=grouped(wish.key))
    letter = letters.receipt(
        work.post.answer_envelope(address_of(player)),
        notices=[said, say("keys.revoked.next")],
        turn=work.notice(said, say("keys.revoked.next"), type="revoked", key=wish.key),
    )
    return Outcome("ok", letter, player.language)
