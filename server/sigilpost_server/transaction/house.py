"""What is the same for every mail: the settings, the server's key, and what follows from them."""

from __future__ import annotations

import hmac
import itertools
import re
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cache, cached_property

from sigilpost_engine.texts import Texts
from sigilpost_engine.wire import canonical
from sigilpost_engine.wire.handover import Handover
from sigilpost_engine.wire.keys import PrivateKey, PublicKey
from sigilpost_engine.wire.turn import TurnDoc, seal
from sigilpost_server import server_key
from sigilpost_server.errors import NotReady
from sigilpost_server.mail_in import reply
from sigilpost_server.mail_in.addresses import LOCAL_MAX, BadAddress, parse_address
from sigilpost_server.mail_in.addresses import Address as Parsed
from sigilpost_server.mail_in.machine import Ours
from sigilpost_server.mail_out.letter import Address
from sigilpost_server.server_key import Past
from sigilpost_server.settings import Settings

TOKEN_BYTES = 15
NO_GAME = "sigilpost"
"""What stands for a game's tag in the List-Id of mails about none."""
_RETURN_TOKEN = re.compile(rf"b([0-9a-f]{{{2 * TOKEN_BYTES}}})")

Chance = Callable[[int], bytes]


@dataclass(frozen=True)
class House:
    """The server as it was configured. Immutable, and shared between threads."""

    settings: Settings
    key: PrivateKey
    own: Parsed
    ours: Ours
    sender: Address
    _secret: bytes = field(repr=False)
    chance: Chance = field(default=secrets.token_bytes, repr=False)
    """So many bytes that nobody can foresee."""
    handovers: tuple[Handover, ...] = ()
    """How the key came to be, from the first one on."""
    stamp: int = 0
    """By this a house is told from the one with the key before; 0 where no file was read."""

    @classmethod
    def of(cls, settings: Settings) -> House:
        """The house of these settings; reads the key's files. Raises NotReady."""
        stamp = server_key.stamp(settings)
        key, past = server_key.read(settings)
        return replace(cls.with_key(settings, key, past=past), stamp=stamp)

    @classmethod
    def with_key(
        cls,
        settings: Settings,
        key: PrivateKey,
        chance: Chance = secrets.token_bytes,
        past: Past | None = None,
    ) -> House:
        """The house of these settings with a key already read. Raises NotReady."""
        try:
            own = parse_address(settings.server.address)
        except BadAddress as fault:
            raise NotReady(f"server.address: {fault}; write an address like sigil@host") from fault
        return cls(
            settings,
            key,
            own,
            Ours.of([own.spelled, *_bounce_address(settings)], [_list_id(own, NO_GAME)]),
            Address(own.spelled, settings.server.name),
            past.names if past else server_key.names(key),
            chance,
            past.handovers if past else (),
        )

    def renewed(self) -> House | None:
        """The house with the key that the host has rotated to meanwhile; None with the same."""
        known = self.stamp and server_key.stamp(self.settings) != self.stamp
        return House.of(self.settings) if known else None

    @property
    def domain(self) -> str:
        """The domain of the server's address, in ASCII."""
        return self.own.normal.rpartition("@")[2]

    @property
    def fingerprint(self) -> str:
        """The server key's fingerprint."""
        return self.key.fingerprint

    @cached_property
    def fingerprints(self) -> frozenset[str]:
        """Those of all keys that the server had: orders that are on their way name an old one."""
        former = (PublicKey.from_hex(each.old).fingerprint for each in self.handovers)
        return frozenset([self.fingerprint, *former])

    def seal(self, document: TurnDoc) -> bytes:
        """A document signed by the server, with all that leads to its key from an older one."""
        if self.handovers:
            path = [each.to_json() for each in self.handovers]
            document = replace(document, extra={**document.extra, "handovers": path})
        return seal(document, self.key)

    def message_id(self, *about: str | int) -> str:
        """The Message-ID of the mail about this (a digest or an event, and the recipient).

        Equal for equal words, different for others, and it tells nothing about them.
        """
        return f"<{self._keyed('message-id', about)}@{self.domain}>"

    def token(self, *about: str) -> str:
        """The token that proves that a challenge about this was read."""
        return self._keyed("token", about)

    def code(self, *about: str | int) -> str:
        """The reply code about this, in its normal form: as unguessable as a token."""
        for attempt in itertools.count():
            mac = self._mac("reply-code", (*about, attempt))
            code = "".join(reply.ALPHABET[byte % 32] for byte in mac[: reply.GROUPS * reply.GROUP])
            if any(map(str.isdigit, code)):  # words with dashes have none
                return code
        raise AssertionError

    def code_digest(self, code: str) -> bytes:
        """By what a code is known in the database: it says nothing about the code."""
        return self._mac("reply-code-digest", (code,))

    def reply_address(self, code: str) -> str:
        """Where a reply with a code goes; "" if addresses cannot carry it."""
        return self._tokened(self.sender.mail, code)

    def return_path(self, message_id: str) -> str:
        """The envelope's sender of a mail of ours: where reports about it go (VERP)."""
        address = self.settings.bounces.address or self.sender.mail
        local, domain = message_id.strip("<>").split("@")
        verp = self._tokened(address, f"b{local}") if domain == self.domain else ""
        return verp or address

    def returned(self, recipient: str) -> str:
        """The Message-ID of the mail that a report to this address is about; "" if it is none."""
        local = recipient.rpartition("@")[0]
        token = local.rpartition(self.settings.server.subaddress or "\0")[2].lower()
        known = _RETURN_TOKEN.fullmatch(token)
        return f"<{known[1]}@{self.domain}>" if known and local else ""

    def _tokened(self, address: str, token: str) -> str:
        """The address with a token in it; "" if there can be none."""
        local, _, domain = address.rpartition("@")
        mark = self.settings.server.subaddress
        longer = f"{local}{mark}{token}"
        return f"{longer}@{domain}" if mark and len(longer.encode()) <= LOCAL_MAX else ""

    def list_id(self, tag: str = NO_GAME) -> str:
        """The List-Id of a game's mails, or of those about no game."""
        return _list_id(self.own, tag)

    def _keyed(self, purpose: str, about: tuple[str | int, ...]) -> str:
        return self._mac(purpose, about)[:TOKEN_BYTES].hex()

    def _mac(self, purpose: str, about: tuple[str | int, ...]) -> bytes:
        return hmac.digest(self._secret, canonical.encode([purpose, *about]), "sha256")


def _list_id(own: Parsed, tag: str) -> str:
    return f"{tag}.{own.normal.rpartition('@')[2]}"


def _bounce_address(settings: Settings) -> list[str]:
    address = settings.bounces.address
    try:
        return [parse_address(address).spelled] if address else []
    except BadAddress as fault:
        raise NotReady(f"bounces.address: {fault}; write an address like bounce@host") from fault


@cache
def texts(language: str) -> Texts:
    """The catalogues of a language."""
    return Texts(language)
