"""The published reasons: one row for each outcome that an incoming mail can have.

``docs/reasons.md`` shows this table; a test keeps both equal. Running this module prints it.
"""

from enum import StrEnum
from typing import NamedTuple


class Verdict(StrEnum):
    """What became of a mail."""

    ACCEPTED = "accepted"
    REJECTED = "rejected"
    IGNORED = "ignored"
    DUPLICATE = "duplicate"
    FAILED = "failed"


class Reason(NamedTuple):
    """A reason: its verdict, the message id of the answer ("" for none), a note for hosts."""

    slug: str
    verdict: Verdict
    answer: str
    note: str


def _answered(slug: str, verdict: Verdict, note: str) -> Reason:
    return Reason(slug, verdict, f"mail.reason.{slug}", note)


def _silent(slug: str, verdict: Verdict, note: str) -> Reason:
    return Reason(slug, verdict, "", note)


_A, _R, _I, _D, _F = Verdict

_TABLE = (
    # Accepted.
    _answered("ok", _A, "Everything asked for was done."),
    _answered("partial", _A, "The first lines stood, a later one was refused."),
    # The player or the block.
    _answered("no-block", _R, "There is no signed block in the mail."),
    _answered("empty", _R, "There is no text in the mail."),
    _answered("damaged-block", _R, "A block is there, but it was cut or garbled on the way."),
    _answered("not-canonical", _R, "The block's payload is not canonical JSON."),
    _answered("bad-version", _R, "The block is of a protocol version not spoken here."),
    _answered("bad-fields", _R, "A field of the block is missing, unknown or out of its limits."),
    _answered("unknown-kind", _R, "The block is of a kind not known here."),
    _answered("block-too-big", _R, "The block's payload is over 16 KB."),
    _answered("bad-signature", _R, "The signature does not fit the payload and its key."),
    _answered("unknown-key", _R, "No player is registered with the key that signed."),
    _answered("revoked-key", _R, "The key that signed was revoked or replaced."),
    _answered("recovery-waits", _R, "The key replaces a lost one, and its waiting time goes on."),
    _answered("wrong-key", _R, "The key that signed belongs to another player than the seat."),
    _answered("unregistered", _R, "The sender is not registered here."),
    _answered("unconfirmed", _R, "The sender's address has not been proven yet."),
    _answered("other-server", _R, "The block is addressed to another server."),
    _answered("conflicting-blocks", _R, "Two different fresh blocks are in one mail."),
    _answered("bad-token", _R, "The challenge's token is wrong, used or out of date."),
    _answered("name-taken", _R, "Another player has this name."),
    _answered("address-taken", _R, "Another player is registered with this address."),
    _answered("bad-name", _R, "Nobody can be called so, or not at this game."),
    _answered("other-address", _R, "The mail is from another address than it registers."),
    # The game.
    _answered("unknown-game", _R, "There is no game with this tag, or not for this player."),
    _answered("unknown-player", _R, "A player named in the mail is not known here."),
    _answered("not-your-seat", _R, "The signer does not sit in the seat that the block names."),
    _answered("not-running", _R, "The game has not begun, or is over."),
    _answered("not-invited", _R, "The signer has no open invitation to this game."),
    _answered("other-commitment", _R, "The join names another commitment than the invitation's."),
    _answered("held", _R, "The game is held for the host to look at."),
    _answered("stale", _R, "The question that was answered is no longer open."),
    _answered("unparseable", _R, "The first line is no command known here."),
    _answered("ambiguous", _R, "The first line can mean several things."),
    _answered("illegal", _R, "The first line is against the rules or not on offer."),
    _answered("not-possible", _R, "What was asked for cannot be done, or not now."),
    _answered("bad-option", _R, "An option of the new game does not exist or cannot be so."),
    _answered("unknown-league", _R, "There is no league with this name."),
    _answered("league-rules", _R, "The league does not allow it, or not now."),
    _answered("rate-limited", _R, "Too much mail from this correspondent, or about this game."),
    # Codes.
    _answered("bad-code", _R, "The reply code is wrong, or was sent to another address."),
    _answered("used-code", _R, "The reply code was used before, or its question is closed."),
    _answered("no-line", _R, "The reply code is good, but there is no line above the quote."),
    _answered("no-codes", _R, "Reply codes do not count in this game."),
    # The mail itself, at the door.
    _answered("bad-from", _R, "The sender's address is missing, doubled or ambiguous."),
    _answered("too-big", _R, "The mail is over the limit of size."),
    _silent("too-many-headers", _R, "The mail's headers are over the limit in all."),
    _silent("header-too-long", _R, "One header of the mail is over the limit."),
    _answered("too-many-lines", _R, "The mail has more lines than the limit."),
    _answered("too-many-parts", _R, "The mail has more parts than the limit."),
    _answered("too-deep", _R, "The mail's parts are nested deeper than the limit."),
    _answered("too-much-text", _R, "The mail's texts are over the limit in all."),
    _answered("too-slow", _R, "Reading the mail took longer than the limit."),
    _answered("unparsable-mail", _R, "The bytes are no mail that can be read."),
    # Machines: no answer.
    _silent("auto-submitted", _I, "The mail says that a machine made it (RFC 3834)."),
    _silent("null-return-path", _I, "The mail has the null return path of machines."),
    _silent("delivery-report", _I, "The mail is a report about a delivery."),
    _silent("read-receipt", _I, "The mail is a receipt for reading."),
    _silent("machine-report", _I, "The mail is a report of another kind."),
    _silent("robot-sender", _I, "The mail is from a mail system's own address, or from nobody."),
    _silent("bulk", _I, "The mail is marked as bulk, junk or list mail."),
    _silent("auto-reply", _I, "The mail is marked as an automatic reply."),
    _silent("out-of-office", _I, "The subject is that of an out-of-office note."),
    _silent("own-mail", _I, "The mail is our own, come back."),
    _silent("loop-budget", _I, "This address has had all the answers it gets for now."),
    _silent("stranger-budget", _I, "This stranger has had a help mail today."),
    # For the host: no answer.
    _silent("to-postmaster", _I, "The mail is for the postmaster: passed on to the host, or kept."),
    # Again.
    _silent("duplicate", _D, "The same mail was handled before."),
    _answered("replayed", _D, "The block was judged before; nothing new was done."),
    _silent("replayed-often", _D, "The block's answer was repeated as often as it is."),
    # Our own fault: the mail is kept and can be handled again.
    _silent("internal-error", _F, "A fault of this program; the mail is set aside."),
    _silent("disk", _F, "The disk is full or cannot be written; the mail stays at its source."),
    _silent("database", _F, "The database cannot be reached or written."),
    _silent("diverged", _F, "The game does not replay as it was stored; it is held."),
)

REASONS: dict[str, Reason] = {reason.slug: reason for reason in _TABLE}
assert len(REASONS) == len(_TABLE)


def as_markdown() -> str:
    """Return the text of ``docs/reasons.md``."""
    lines = [
        "# Reasons",
        "",
        "`sigilpost log` gives each incoming mail a verdict and one of these reasons.",
        "The slugs are stable. *Answered* says whether the sender gets an answer that explains",
        "it; the answer's text is the message `mail.reason.SLUG` of the catalogues. A mail from",
        "a machine, or without one clear sender, is never answered, whatever the reason.",
        "",
        "| reason | verdict | answered | meaning |",
        "|---|---|---|---|",
    ]
    lines += (
        f"| `{reason.slug}` | {reason.verdict} | {'yes' if reason.answer else 'no'} "
        f"| {reason.note} |"
        for reason in _TABLE
    )
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(as_markdown(), end="")
