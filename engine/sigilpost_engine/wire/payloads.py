"""What a block says: one frozen dataclass for each kind, read strictly, built and signed.

A new kind is one class here, with one ``wire`` check for each field. Checks run for
payloads read and for payloads built alike, so that nothing can be signed that would be
refused. Times are Unix seconds, shown and never trusted.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, TypeVar

from . import canonical, checks
from .blocks import PAYLOAD_MAX, Block
from .checks import Check
from .errors import BadFields, BadSignature, BadVersion, BlockTooBig, UnknownKind
from .keys import PrivateKey, PublicKey, fingerprint

VERSION = 1
LINES_MAX = 50
LINE_MAX = 200
CHAT_MAX = 2000
NAME_MAX = 40
ADDRESS_MAX = 254
SEATS_MAX = 16
OPTIONS_MAX = 50
ARGUMENTS_MAX = 50
STANDING_MAX = 50
"""Orders that one STANDING can add, and remove; a server keeps no more for a seat."""
STANDING_NUMBER_MAX = 1_000_000
STANDING_LINE_MAX = 400


# ---- what several kinds hold ---------------------------------------------------------------


def _options(name: str, value: Any) -> Any:
    """A mapping of words to strings, integers, booleans or lists of strings."""
    if not isinstance(value, Mapping) or len(value) > OPTIONS_MAX:
        raise BadFields(name, f"at most {OPTIONS_MAX} options")
    return {_WORD("option", key): _option(f"{name}.{key}", item) for key, item in value.items()}


def _option(name: str, value: Any) -> Any:
    if isinstance(value, bool):
        return value
    if isinstance(value, int):
        return checks.integer(-canonical.INT_MAX, canonical.INT_MAX)(name, value)
    if isinstance(value, (list, tuple)):
        return list(checks.items(0, 200, checks.text(0, LINE_MAX))(name, value))
    return checks.text(0, LINE_MAX)(name, value)


def _public_key(name: str, value: Any) -> Any:
    """A raw public key in hexadecimal, fit for use."""
    checks.match(checks.HEX_64, "64 hexadecimal digits")(name, value)
    return PublicKey.from_hex(value).hex


_FINGERPRINT = checks.match(checks.FINGERPRINT, "a fingerprint of 24 letters and digits")
_FINGERPRINT_OR_NOT_YET = checks.match(checks.FINGERPRINT, "a fingerprint, or empty", empty=True)
_HEX_64_OR_EMPTY = checks.match(checks.HEX_64, "64 hexadecimal digits, or empty", empty=True)
_PROMPT = checks.match(checks.PROMPT, "a question's number, a dash, 8 hexadecimal digits")
_GAME = checks.match(checks.GAME, "a game's tag, such as weaver-7k2q")
_WORD = checks.match(checks.WORD, "a word of small letters")
_LINE = checks.text(1, LINE_MAX)
_SEAT = checks.integer(1, SEATS_MAX)
_SEAT_OR_NONE = checks.integer(0, SEATS_MAX)
# Plausible only; the server reads addresses with its own strict parser.
_ADDRESS = checks.match(
    re.compile(rf"(?=.{{3,{ADDRESS_MAX}}}\Z)[^\s@<>,;:\"()\[\]\\]+@[^\s@<>,;:\"()\[\]\\]+"),
    "an address",
)


def wire(check: Check, default: Any = ...) -> Any:
    """Declare a field with its check."""
    metadata = {"check": check}
    return field(metadata=metadata) if default is ... else field(default=default, metadata=metadata)


# ---- the kinds -----------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Payload:
    """What all kinds have: fingerprints of server and signer, a nonce of 128 bits, the time."""

    kind: ClassVar[str] = ""

    server: str = wire(_FINGERPRINT)
    key: str = wire(_FINGERPRINT)
    nonce: str = wire(checks.match(checks.HEX_32, "32 hexadecimal digits"))
    made: int = wire(checks.integer(0, canonical.INT_MAX))
    v: int = wire(checks.integer(VERSION, VERSION), VERSION)

    def __post_init__(self) -> None:
        for each in fields(self):
            value = each.metadata["check"](each.name, getattr(self, each.name))
            object.__setattr__(self, each.name, value)

    def to_json(self) -> dict[str, Any]:
        """Return the fields as JSON values."""
        return {each.name: getattr(self, each.name) for each in fields(self)}


P = TypeVar("P", bound=type[Payload])
KINDS: dict[str, type[Payload]] = {}


def kind(name: str) -> Callable[[P], P]:
    """Enter a payload class in the table of kinds."""

    def enter(cls: P) -> P:
        cls.kind = name
        KINDS[name] = cls
        return cls

    return enter


@kind("ORDERS")
@dataclass(frozen=True, kw_only=True)
class Orders(Payload):
    """Commands as typed, for one seat of one game, answering one open question."""

    game: str = wire(_GAME)
    seat: int = wire(_SEAT)
    prompt: str = wire(_PROMPT)
    lines: tuple[str, ...] = wire(checks.items(1, LINES_MAX, _LINE))


@kind("REGISTER")
@dataclass(frozen=True, kw_only=True)
class Register(Payload):
    """A new player: signed with the key that it brings. ``server`` is "" at first contact."""

    server: str = wire(_FINGERPRINT_OR_NOT_YET)
    public: str = wire(_public_key)
    name: str = wire(checks.text(1, NAME_MAX))
    address: str = wire(_ADDRESS)
    lang: str = wire(checks.match(checks.LANGUAGE, "a language tag"))
    zone: str = wire(checks.match(checks.ZONE, "an IANA time zone"))

    def __post_init__(self) -> None:
        super().__post_init__()
        _own_key(self.key, self.public)


@kind("CONFIRM")
@dataclass(frozen=True, kw_only=True)
class Confirm(Payload):
    """The answer to the challenge that was mailed to an address."""

    token: str = wire(checks.match(re.compile(r"[A-Za-z0-9_-]{8,128}"), "a token"))


@kind("CREATE")
@dataclass(frozen=True, kw_only=True)
class Create(Payload):
    """A new game of ``game`` (its kind) with opponents (addresses or names), options and rules.

    ``rules`` says how it is played rather than what: credentials, clock.
    """

    game: str = wire(_WORD)
    options: Mapping[str, Any] = wire(_options)
    opponents: tuple[str, ...] = wire(checks.items(0, SEATS_MAX - 1, checks.text(1, ADDRESS_MAX)))
    rules: Mapping[str, Any] = wire(_options)


@kind("JOIN")
@dataclass(frozen=True, kw_only=True)
class Join(Payload):
    """Takes an invitation; the nonce goes into the shuffles.

    ``commitment`` repeats the invitation's (64 hexadecimal digits, "" if the player has not
    seen it), so that the join itself proves which secret was fixed before the nonce was known.
    ``seat`` does the same for the order of the seats (from 1; 0 if the player was not told one).
    """

    game: str = wire(_GAME)
    seat: int = wire(_SEAT_OR_NONE, 0)
    commitment: str = wire(_HEX_64_OR_EMPTY, "")


@kind("DECLINE")
@dataclass(frozen=True, kw_only=True)
class Decline(Payload):
    """Refuses an invitation."""

    game: str = wire(_GAME)


@kind("RESIGN")
@dataclass(frozen=True, kw_only=True)
class Resign(Payload):
    """Gives up a seat in a running game."""

    game: str = wire(_GAME)
    seat: int = wire(_SEAT)


@kind("CHAT")
@dataclass(frozen=True, kw_only=True)
class Chat(Payload):
    """A text to all at the table ("all") or to one player by name."""

    game: str = wire(_GAME)
    to: str = wire(checks.text(1, NAME_MAX))
    text: str = wire(checks.text(1, CHAT_MAX, newlines=True))


@kind("STANDING")
@dataclass(frozen=True, kw_only=True)
class Standing(Payload):
    """Changes the standing orders of a seat: lines that answer for it (core/standing.py).

    Those with the numbers in ``remove`` are kept no longer; then the lines of ``add`` are kept,
    before the order with the number ``before``, or after all others if it is 0.
    """

    game: str = wire(_GAME)
    seat: int = wire(_SEAT)
    add: tuple[str, ...] = wire(
        checks.items(0, STANDING_MAX, checks.text(1, STANDING_LINE_MAX)), ()
    )
    before: int = wire(checks.integer(0, STANDING_NUMBER_MAX), 0)
    remove: tuple[int, ...] = wire(
        checks.items(0, STANDING_MAX, checks.integer(1, STANDING_NUMBER_MAX)), ()
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.add and not self.remove:
            raise BadFields("add", "an order to add, or one to remove")


@kind("ROTATE")
@dataclass(frozen=True, kw_only=True)
class Rotate(Payload):
    """A new public key, signed by the old one; ``proof`` is the new key's own signature.

    The proof is over the tag ``rotate-proof`` and the canonical payload without ``proof``.
    """

    public: str = wire(_public_key)
    proof: str = wire(checks.match(checks.HEX_128, "128 hexadecimal digits"))

    def __post_init__(self) -> None:
        super().__post_init__()
        try:
            message = _rotation(self.to_json())
            PublicKey.from_hex(self.public).verify(_PROOF, message, bytes.fromhex(self.proof))
        except BadSignature as error:
            raise BadFields("proof", "not signed by the new key") from error


@kind("RECOVER")
@dataclass(frozen=True, kw_only=True)
class Recover(Payload):
    """A lost key is to be replaced: signed with the new key that it brings."""

    server: str = wire(_FINGERPRINT_OR_NOT_YET)
    public: str = wire(_public_key)
    address: str = wire(_ADDRESS)
    name: str = wire(checks.text(1, NAME_MAX))

    def __post_init__(self) -> None:
        super().__post_init__()
        _own_key(self.key, self.public)


@kind("REVOKE")
@dataclass(frozen=True, kw_only=True)
class Revoke(Payload):
    """The signing key is never to be believed again."""

    reason: str = wire(checks.text(0, LINE_MAX))


@kind("SEAL")
@dataclass(frozen=True, kw_only=True)
class Seal(Payload):
    """What is hidden is to be mailed encrypted (``sealed.py``), to this X25519 public key in
    hexadecimal; "" if it is not, or no longer."""

    public: str = wire(_HEX_64_OR_EMPTY)


@kind("REQUEST")
@dataclass(frozen=True, kw_only=True)
class Request(Payload):
    """Any other signed command or query: a word (``games``, ``show``, …) and its arguments."""

    what: str = wire(_WORD)
    args: tuple[str, ...] = wire(checks.items(0, ARGUMENTS_MAX, _LINE), ())


# ---- signing and reading -------------------------------------------------------------------

_PROOF = "rotate-proof"


def _own_key(print_: str, public: str) -> None:
    if fingerprint(bytes.fromhex(public)) != print_:
        raise BadFields("key", "not the fingerprint of the public key beside it")


def _rotation(values: Mapping[str, Any]) -> bytes:
    return canonical.encode({name: values[name] for name in values if name != "proof"})


def rotation(new: PrivateKey, *, server: str, key: str, nonce: str, made: int) -> Rotate:
    """Return the payload by which ``key``, the old key's fingerprint, hands over to a new key."""
    values: dict[str, Any] = {
        "v": VERSION,
        "server": server,
        "key": key,
        "nonce": nonce,
        "made": made,
        "public": new.public.hex,
    }
    return Rotate(**values, proof=new.sign(_PROOF, _rotation(values)).hex())


def sign(payload: Payload, key: PrivateKey) -> Block:
    """Return the signed block of a payload.

    Raises `BadFields` if the key is not the one the payload names, `BlockTooBig` over 16 KB.
    """
    if payload.key != key.fingerprint:
        raise BadFields("key", "not the fingerprint of the signing key")
    data = canonical.encode(payload.to_json())
    if len(data) > PAYLOAD_MAX:
        raise BlockTooBig(f"a payload of {len(data)} bytes")
    return Block(payload.kind, data, key.sign(payload.kind, data))


def read(block: Block) -> Payload:
    """Return what a block says. The signature is not checked: see `verify`.

    Raises `UnknownKind`, `BlockTooBig`, `NotCanonical`, `BadVersion` or `BadFields`.
    """
    cls = KINDS.get(block.kind)
    if cls is None:
        raise UnknownKind(block.kind)
    if len(block.payload) > PAYLOAD_MAX:
        raise BlockTooBig(f"a payload of {len(block.payload)} bytes")
    values = canonical.decode(block.payload)
    if not isinstance(values, dict):
        raise BadFields("payload", "not an object")
    if type(values.get("v")) is not int or values["v"] != VERSION:
        raise BadVersion(f"version {values.get('v')!r}")
    names = {each.name for each in fields(cls)}
    for name in sorted(names ^ values.keys()):
        raise BadFields(name, "missing" if name in names else "unknown")
    return cls(**values)


def verify(block: Block, public: PublicKey) -> Payload:
    """Return what a block says if this key signed it and the payload names this key.

    Raises `BadSignature`, or what `read` raises.
    """
    payload = read(block)
    if payload.key != public.fingerprint:
        raise BadSignature("the payload names another key")
    public.verify(block.kind, block.payload, block.signature)
    return payload


def own_key(payload: Payload) -> PublicKey | None:
    """Return the key that a payload brings for itself (`Register`, `Recover`), if it does."""
    if isinstance(payload, (Register, Recover)):
        return PublicKey.from_hex(payload.public)
    return None


__all__ = [
    "KINDS",
    "Chat",
    "Confirm",
    "Create",
    "Decline",
    "Join",
    "Orders",
    "Payload",
    "Recover",
    "Register",
    "Request",
    "Resign",
    "Revoke",
    "Rotate",
    "Seal",
    "Standing",
    "own_key",
    "read",
    "rotation",
    "sign",
    "verify",
]
