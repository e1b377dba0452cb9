"""Whose signature counts: the server's keys and the players', followed through every change."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sigilpost_engine.audit.faults import Wrong
from sigilpost_engine.audit.transcript import Line, unhex
from sigilpost_engine.wire import payloads
from sigilpost_engine.wire.blocks import Block
from sigilpost_engine.wire.errors import BadFields, BadSignature, WireError
from sigilpost_engine.wire.handover import Handover
from sigilpost_engine.wire.keys import PublicKey
from sigilpost_engine.wire.payloads import Payload, Recover, Request, Rotate, Standing


class ServerKeys:
    """The server's key, and those it had before it."""

    def __init__(self, line: Line) -> None:
        try:
            self.now = PublicKey.from_hex(line["server"])
        except WireError:
            raise Wrong(line.number, "server-key") from None
        self._path: list[Handover] = []

    def hand_over(self, line: Line) -> None:
        """A line ``handover``: from the key before it to the next, signed by both."""
        try:
            step = Handover.from_json({k: v for k, v in line.fields.items() if k != "line"})
        except (BadFields, BadSignature):
            raise Wrong(line.number, "handover") from None
        if self._path and self._path[-1].new != step.old:
            raise Wrong(line.number, "handover")
        self._path.append(step)

    def settle(self, line: int, known: Collection[bytes]) -> None:
        """All handovers are read: they lead to the key that seals, from one that is known."""
        if self._path and self._path[-1].new != self.now.hex:
            raise Wrong(line, "handover")
        if known and not {key.hex() for key in known} & {*self._all}:
            raise Wrong(1, "other-server")

    @property
    def _all(self) -> list[str]:
        return [*(step.old for step in self._path), self.now.hex]

    @property
    def fingerprints(self) -> frozenset[str]:
        """What blocks may name as their server."""
        return frozenset(PublicKey.from_hex(key).fingerprint for key in self._all)


@dataclass
class Seat:
    """Who sits in a seat: a name, the key that signs now, and those it replaced."""

    name: str
    key: PublicKey | None = None
    former: list[PublicKey] = field(default_factory=list)
    taking: tuple[str, PublicKey] | None = None
    """A substitute whose key is known, before the seat is taken."""


class Signers:
    """Who may sign for each seat, as the lines so far have established."""

    def __init__(self, roster: Sequence[Mapping[str, Any]]) -> None:
        self.roster = roster
        self.seats = [Seat(str(entry["name"])) for entry in roster]

    def number(self, line: Line) -> int:
        """The seat of a line, from 0."""
        seat: int = line["seat"] - 1
        if not 0 <= seat < len(self.seats):
            raise Wrong(line.number, "no-seat", seat=line["seat"])
        return seat

    def name(self, seat: int) -> str:
        """What a seat is called at the table, whoever sits there."""
        return str(self.roster[seat]["name"])

    def key(self, line: Line) -> bool:
        """A line ``key``: the one that the roster names. False if it names none for the seat."""
        seat = self.number(line)
        key, named = self._public(line, seat), str(self.roster[seat]["key"])
        if self.seats[seat].key is not None or named not in ("", key.fingerprint):
            raise Wrong(line.number, "key", seat=self.name(seat))
        self.seats[seat].key = key
        return bool(named)

    def substitute(self, line: Line) -> None:
        """A line ``substitute``: the key of somebody who is about to take a seat."""
        seat = self.number(line)
        self.seats[seat].taking = (line["name"], self._public(line, seat))

    def take(self, line: int, seat: int) -> str:
        """The substitute sits in the seat from here on; returns their name."""
        sitting = self.seats[seat]
        if sitting.taking is None:
            raise Wrong(line, "key-missing", seat=self.name(seat))
        name, key = sitting.taking
        self.seats[seat] = Seat(name, key)
        return name

    def _public(self, line: Line, seat: int) -> PublicKey:
        try:
            return PublicKey.from_hex(line["public"])
        except WireError:
            raise Wrong(line.number, "key", seat=self.name(seat)) from None

    # --- blocks -------------------------------------------------------------------------------

    def verify(self, line: Line, seat: int) -> tuple[Block, Payload]:
        """The block of a line, signed by a key that counts for its seat."""
        block = _block_of(line)
        name = self.name(seat)
        try:
            payload = payloads.read(block)
        except WireError:
            raise Wrong(line.number, "block", seat=name) from None
        keys = self._keys(seat, payload)
        if not keys:
            raise Wrong(line.number, "key-missing", seat=name)
        key = next((each for each in keys if each.fingerprint == payload.key), keys[0])
        try:
            payloads.verify(block, key)
        except BadSignature:
            raise Wrong(line.number, "signature", seat=name) from None
        return block, payload

    def _keys(self, seat: int, payload: Payload) -> list[PublicKey]:
        """The keys that may have signed this."""
        sitting = self.seats[seat]
        if isinstance(payload, Recover):
            own = payloads.own_key(payload)
            return [own] if own is not None else []
        if isinstance(payload, Request):
            return [sitting.taking[1]] if sitting.taking else []
        now = [sitting.key] if sitting.key is not None else []
        # Standing orders outlive the key that set them.
        return [*now, *sitting.former] if isinstance(payload, Standing) else now

    def rotate(self, seat: int, payload: Rotate) -> None:
        """The old key has named the new one."""
        sitting = self.seats[seat]
        assert sitting.key is not None
        sitting.former.append(sitting.key)
        sitting.key = PublicKey.from_hex(payload.public)

    def recover(self, seat: int, payload: Recover) -> None:
        """A lost key is replaced; what it had set is void."""
        sitting = self.seats[seat]
        sitting.former.clear()
        sitting.key = PublicKey.from_hex(payload.public)


def _block_of(line: Line) -> Block:
    try:
        signature = unhex(line["signature"])
    except ValueError:
        signature = b""
    return Block(line["kind"], line["payload"].encode("utf-8", "surrogatepass"), signature)
