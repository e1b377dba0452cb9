"""The facts of a mail that the acceptance table asks for, found out only as far as needed."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from sigilpost_engine.wire import payloads
from sigilpost_engine.wire.blocks import Block, Candidate
from sigilpost_engine.wire.errors import BadSignature, WireError
from sigilpost_engine.wire.keys import PublicKey
from sigilpost_engine.wire.payloads import Confirm, Orders, Payload
from sigilpost_server.commands import COMMANDS
from sigilpost_server.mail_in.machine import OWN_MAIL, Mark
from sigilpost_server.transaction import codes, rows
from sigilpost_server.transaction.codes import Code
from sigilpost_server.transaction.work import Signed, Work

_TAG = r"[a-z0-9]+(?:-[a-z0-9]+){1,3}"
TAG = re.compile(rf"\[({_TAG})\]")
"""A game's tag in a subject."""

LISTS_MAX = 5
"""List-Ids of a mail that are looked up."""


class _Fault(Exception):
    """A block that does not count; the argument is the reason's slug."""


class _Readings(NamedTuple):
    """The blocks of a mail by what they are worth."""

    good: list[Signed]
    seen: list[rows.Seen]
    faults: list[str]


@dataclass
class Case:
    """The facts of the mail that is worked on. See :class:`sigilpost_server.acceptance.Facts`."""

    work: Work

    @property
    def same_bytes(self) -> bool:
        """Whether these bytes were handled before."""
        return self._known[0]

    @property
    def same_message_id(self) -> bool:
        """Whether another mail with its Message-ID was handled before."""
        return self._known[1]

    @property
    def to_postmaster(self) -> bool:
        """Whether it was delivered to the postmaster."""
        return self.work.incoming.to_postmaster

    @property
    def refused(self) -> str:
        """Why the door refused it."""
        return self.work.incoming.refused

    @property
    def mark(self) -> Mark | None:
        """What tells a machine."""
        return OWN_MAIL if self._of_our_list else self.work.incoming.mark

    @cached_property
    def _of_our_list(self) -> bool:
        """Whether it bears the List-Id of a game here: our mail, come back under another From."""
        ours = f".{self.work.house.domain}"
        lists = self.work.incoming.lists[:LISTS_MAX]
        tags = (each.removesuffix(ours) for each in lists if each.endswith(ours))
        known = (tag for tag in tags if re.fullmatch(_TAG, tag))
        return any(rows.game(self.work.db, tag, lock=False) for tag in known)

    @property
    def fresh(self) -> int:
        """How many different fresh blocks it holds."""
        return len(self.signed)

    @property
    def seen(self) -> bool:
        """Whether it holds a block that was judged before."""
        return bool(self.readings.seen)

    @cached_property
    def code(self) -> Code | None:
        """The reply code in it that was mailed once."""
        return codes.find(self.work.db, self.work.house, self.work.incoming.reply.codes)

    @property
    def coded(self) -> bool:
        """Whether it is a reply with a code that was not used yet, and no copy of one judged."""
        code, incoming = self.code, self.work.incoming
        if code is None or self.code_fault:
            return False
        copy = self.same_message_id and code.judged == codes.digest_of(incoming.reply.lines)
        return not copy

    @cached_property
    def code_fault(self) -> str:
        """Why its reply code does not count."""
        incoming = self.work.incoming
        if self.code is None:
            return self._unknown_code() if incoming.reply.codes and self.sender else ""
        if self.code.address_key != incoming.sender_key:
            return "bad-code"
        return "used-code" if self.code.used is not None else ""

    def _unknown_code(self) -> str:
        """What to say of a code that nobody was sent: is it about a game that takes none?"""
        player, tag = self.sender, TAG.search(self.work.incoming.subject)
        assert player is not None
        game = rows.game(self.work.db, tag[1], lock=False) if tag else None
        if game is None or '"code"' in game.rules:
            return "bad-code"
        seated = any(s.player_id == player.id for s in rows.seats_of(self.work.db, game.id))
        return "no-codes" if seated else "bad-code"

    @property
    def sender_known(self) -> bool:
        """Whether its From is one address."""
        return self.work.incoming.sender is not None

    @property
    def fault(self) -> str:
        """Why its first block does not count."""
        return next(iter(self.readings.faults), "")

    @property
    def blank(self) -> bool:
        """Whether there is no text in it."""
        said = self.work.incoming.said
        return said is None or said.blank

    @property
    def standing(self) -> str:
        """What its sender is to us."""
        if self.sender:
            return "registered"
        key = self.work.incoming.sender_key
        return "unconfirmed" if rows.is_challenged(self.work.db, key) else "unregistered"

    @cached_property
    def sender(self) -> rows.Player | None:
        """The player who is registered with the mail's From. Proves nothing."""
        key = self.work.incoming.sender_key
        return rows.player_by_address(self.work.db, key) if key else None

    @cached_property
    def signed(self) -> list[Signed]:
        """The fresh blocks. Of several, stale orders do not count beside others."""
        good = self.readings.good
        if len(good) < 2:
            return good
        return [each for each in good if not self._stale(each)] or good[:1]

    @cached_property
    def readings(self) -> _Readings:
        """All blocks of the mail: signatures checked, those judged before set apart."""
        found = self.work.incoming.candidates
        readings = _Readings([], [], [])
        for candidate in found:
            _sort(self.work, candidate, readings)
        return readings

    @cached_property
    def _known(self) -> tuple[bool, bool]:
        incoming = self.work.incoming
        return rows.known_mail(self.work.db, incoming.digest, incoming.message_id)

    def _stale(self, signed: Signed) -> bool:
        orders = signed.payload
        if not isinstance(orders, Orders):
            return False
        game = rows.game(self.work.db, orders.game, lock=False)
        if game is None:
            return True
        asked = {seat.number: seat.asked for seat in rows.seats_of(self.work.db, game.id)}
        return asked.get(orders.seat - 1) != orders.prompt


def _sort(work: Work, candidate: Candidate, into: _Readings) -> None:
    """Put one block of a mail where it belongs."""
    block = candidate.block
    if block is None:
        into.faults.append("block-too-big" if candidate.problem == "too-big" else "damaged-block")
        return
    seen = rows.seen_block(work.db, block.digest)
    try:
        if seen is None:
            into.good.append(_signed(work, candidate, block))
        elif seen.signature == block.signature:
            into.seen.append(seen)
        else:
            raise _Fault("bad-signature")
    except _Fault as fault:
        into.faults.append(str(fault))


def _signed(work: Work, candidate: Candidate, block: Block) -> Signed:
    """A block not seen before, its signature checked; raises _Fault."""
    payload = _payload(work, block)
    signer = rows.signer(work.db, payload.key)
    if signer is None and rows.has_ended(work.db, payload.key):
        raise _Fault("revoked-key")
    registration = None if signer else rows.registration(work.db, payload.key)
    recovery = None if signer or registration else rows.recovery(work.db, payload.key)
    public = _public(payload, signer, registration, recovery)
    try:
        public.verify(block.kind, block.payload, block.signature)
    except BadSignature:
        raise _Fault("bad-signature") from None
    player = signer.player if signer else None
    return Signed(candidate, block, payload, player, registration, recovery)


def _payload(work: Work, block: Block) -> Payload:
    try:
        payload = payloads.read(block)
    except WireError as error:
        raise _Fault(error.slug) from None
    if payload.server and payload.server not in work.house.fingerprints:
        raise _Fault("other-server")
    if block.kind not in COMMANDS:
        raise _Fault("unknown-kind")
    return payload


def _public(
    payload: Payload,
    signer: rows.Signer | None,
    registration: rows.Registration | None,
    recovery: rows.Recovery | None,
) -> PublicKey:
    """The key to check a payload's signature with; raises _Fault if nobody is known by it."""
    if signer is not None:
        return PublicKey(signer.public)
    own = payloads.own_key(payload)
    if own is not None:
        return own
    waiting = registration or recovery
    if waiting is None:
        raise _Fault("unknown-key")
    if not isinstance(payload, Confirm):
        raise _Fault("unconfirmed" if registration else "recovery-waits")
    return PublicKey(waiting.public)
