"""Whose word counts: the server key that is pinned, at first contact and when it is handed over."""

from __future__ import annotations

from sigilpost_client.config import Config
from sigilpost_client.store import ServerRecord, State
from sigilpost_engine.wire import handover
from sigilpost_engine.wire.errors import WrongServer
from sigilpost_engine.wire.keys import PublicKey, ungrouped
from sigilpost_engine.wire.turn import TurnDoc, open_turn, signer

LATE = 86_400
"""Seconds after a handover for which mails signed with the old key may still come."""


class OtherServer(Exception):
    """Signed by another key than the one that is known (fingerprints)."""

    def __init__(self, known: str, found: str) -> None:
        super().__init__(found)
        self.known = known
        self.found = found


def verified(config: Config, state: State, data: bytes) -> TurnDoc | None:
    """The document if the pinned key signed it, or if it may pin its own; else None.

    Raises OtherServer, WireError.
    """
    if state.server.public:
        return _by_pinned(state, data)
    document = open_turn(data)
    expected = ungrouped(config.server.fingerprint)
    if expected and document.server != expected and not _leads_from(expected, document, data):
        raise OtherServer(expected, document.server)
    # Anybody can sign something with a key of their own: first contact is only the answer
    # to a registration that is under way.
    if not expected and not state.registration.under_way:
        return None
    state.server.public = signer(data).hex
    state.server.fingerprint = document.server
    state.server.address = document.address
    return document


def _by_pinned(state: State, data: bytes) -> TurnDoc:
    try:
        return open_turn(data, bytes.fromhex(state.server.public))
    except WrongServer as fault:
        document = open_turn(data)
        if _follow(state.server, document, fault.public.hex()):
            return document
        found = PublicKey(fault.public).fingerprint
        raise OtherServer(state.server.fingerprint, found) from fault


def _follow(server: ServerRecord, document: TurnDoc, public: str) -> bool:
    """Whether a document by another key than the pinned one counts: the pinned key has named the
    other, which is pinned from now on; or it is late, by a key that was handed over."""
    steps = handover.follow(server.public, public, handover.read(document.extra.get("handovers")))
    if steps is None:
        return public in server.left and document.made <= server.left[public] + LATE
    for step in steps:
        server.former.append(step.old)
        server.left[step.old] = step.made
    server.public, server.fingerprint = public, document.server
    return True


def _leads_from(expected: str, document: TurnDoc, data: bytes) -> bool:
    """Whether the key of this fingerprint, known beforehand, was handed over to the signer's."""
    steps = handover.read(document.extra.get("handovers"))
    known = [each.old for each in steps if PublicKey.from_hex(each.old).fingerprint == expected]
    return bool(known) and handover.follow(known[0], signer(data).hex, steps) is not None
