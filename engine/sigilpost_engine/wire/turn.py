"""The signed attachment ``turn.sigil`` of every mail from the server.

A canonical JSON object of ``signed`` (what is said), ``key`` (the server's raw public key)
and ``signature`` (over the tag ``turn`` and the canonical bytes of ``signed``), both in
hexadecimal. The same document carries turns and notices: challenges, invitations, answers.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

from . import canonical, checks
from .chain import Head
from .checks import HEX_128, PROMPT, Check
from .errors import BadFields, BadVersion, NotCanonical, WireError, WrongServer
from .keys import PrivateKey, PublicKey

VERSION = 1
FILE_NAME = "turn.sigil"
MEDIA_TYPE = "application/vnd.sigilpost.turn+json"
SIZE_MAX = 2 * 1024 * 1024
_KIND = "turn"


class NotATurn(WireError):
    """The bytes are no document of this kind at all."""


@dataclass(frozen=True, kw_only=True)
class TurnDoc:
    """What one mail from the server says, for a program to act on.

    ``server`` is the server key's fingerprint and ``address`` where orders go; it will stand in a
    header, and ``game``'s tag in a path. ``kind`` is
    the game's kind (``weaver``), or ``notice`` for what concerns no game. ``game``, ``title``,
    ``status`` are "" and ``seat``, ``number`` 0 where there is none. ``seats`` has the players'
    names in seat order. ``view`` is the seat's view, which names seats in that order, and
    ``prompt`` the open question with its ``id``; ``events`` are pairs of a message id and its
    values, since the last mail. ``head`` is the game's chain. ``notice`` says what else there
    is to act on, by its ``type``:
    ``challenge`` (``token``), ``invitation`` (``commitment``), ``answer`` (``reason``, …).
    ``extra`` keeps fields that this version does not know; they are signed as well.
    """

    server: str
    address: str
    made: int
    kind: str = "notice"
    game: str = ""
    title: str = ""
    seat: int = 0
    seats: tuple[str, ...] = ()
    number: int = 0
    status: str = ""
    view: Mapping[str, Any] | None = None
    prompt: Mapping[str, Any] | None = None
    events: tuple[tuple[str, Mapping[str, Any]], ...] = ()
    head: Head | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    notice: Mapping[str, Any] | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Return the ``signed`` object."""
        known = {name: getattr(self, name) for name in _FIELDS}
        known["v"] = VERSION
        known["head"] = self.head.to_json() if self.head else None
        return {**self.extra, **known}

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> "TurnDoc":
        """Read a ``signed`` object; raise `BadVersion` or `BadFields`."""
        if type(values.get("v")) is not int or values["v"] != VERSION:
            raise BadVersion(f"version {values.get('v')!r}")
        known: dict[str, Any] = {
            name: check(name, values.get(name)) for name, check in _FIELDS.items()
        }
        extra = {name: values[name] for name in values if name not in _FIELDS and name != "v"}
        return cls(**known, extra=extra)


REPEATED_RULES = ("clock", "timeout", "credentials", "rated")
"""The rules of a game that is over that its document tells (``rules`` of ``extra``), and that a
rematch asks for again: all but those that say who may take a free place."""


def seal(document: TurnDoc, key: PrivateKey) -> bytes:
    """Return the bytes of the attachment, signed.

    Raises `BadFields` if the document names another server key, or could not be read back.
    """
    values = document.to_json()
    TurnDoc.from_json(values)
    if document.server != key.fingerprint:
        raise BadFields("server", "not the fingerprint of the signing key")
    signed = canonical.encode(values)
    signature = key.sign(_KIND, signed).hex()
    # Canonical already: the three keys in their order around a canonical value.
    before = f'{{"key":"{key.public.hex}","signature":"{signature}","signed":'
    return before.encode("ascii") + signed + b"}"


def open_turn(data: bytes, pinned: bytes | None = None) -> TurnDoc:
    """Return what a document says, having checked who signed it.

    ``pinned`` is the raw public key known of the server; None at first contact, when any key
    is believed and the caller pins it. Raises `NotATurn`, `WrongServer` (with the key
    found), `BadSignature`, `BadVersion` or `BadFields`.
    """
    values, public, signature = _envelope(data)
    if pinned is not None and public.raw != pinned:
        raise WrongServer(public.raw)
    public.verify(_KIND, canonical.encode(values), signature)
    document = TurnDoc.from_json(values)
    if document.server != public.fingerprint:
        raise BadFields("server", "not the fingerprint of the key beside it")
    return replace(document, view=_seated(document.view, document.seats))


def signer(data: bytes) -> PublicKey:
    """Return the key that a document claims to be signed with, unchecked."""
    return _envelope(data)[1]


def _envelope(data: bytes) -> tuple[Mapping[str, Any], PublicKey, bytes]:
    if len(data) > SIZE_MAX:
        raise NotATurn("over 2 MB")
    try:
        envelope = canonical.decode(data)
    except NotCanonical as error:
        raise NotATurn(str(error)) from error
    if not isinstance(envelope, dict) or envelope.keys() != {"signed", "key", "signature"}:
        raise NotATurn("not an object of signed, key and signature")
    values, key, signature = (envelope[name] for name in ("signed", "key", "signature"))
    if not isinstance(values, dict) or not isinstance(key, str):
        raise NotATurn("not a signed object")
    if not isinstance(signature, str) or not HEX_128.fullmatch(signature):
        raise NotATurn("no signature")
    return values, PublicKey.from_hex(key), bytes.fromhex(signature)


def _seated(value: Any, seats: Sequence[str]) -> Any:
    """Return a view with the seats' names, where they are keys, last and in seat order.

    Canonical JSON sorts keys, but who sits where is a part of what a view says.
    """
    if not isinstance(value, dict):
        return value
    named = [name for name in seats if name in value]
    order = [*(name for name in value if name not in named), *named]
    return {name: _seated(value[name], seats) for name in order}


# ---- fields --------------------------------------------------------------------------------


def _string(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise BadFields(name, "a string")
    return value


def _number(name: str, value: Any) -> int:
    if type(value) is not int or value < 0:
        raise BadFields(name, "a number from 0")
    return value


def _names(name: str, value: Any) -> tuple[str, ...]:
    if not isinstance(value, Sequence) or isinstance(value, str):
        raise BadFields(name, "a list of names")
    return tuple(_string(name, item) for item in value)


def _object(name: str, value: Any) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise BadFields(name, "an object")
    return value


def _object_or_none(name: str, value: Any) -> Mapping[str, Any] | None:
    return None if value is None else _object(name, value)


def _prompt(name: str, value: Any) -> Mapping[str, Any] | None:
    prompt = _object_or_none(name, value)
    if prompt is not None:
        found = prompt.get("id")
        if not isinstance(found, str) or not PROMPT.fullmatch(found):
            raise BadFields(name, "a question with its id")
    return prompt


def _events(name: str, value: Any) -> tuple[tuple[str, Mapping[str, Any]], ...]:
    if not isinstance(value, Sequence) or isinstance(value, str):
        raise BadFields(name, "a list of events")
    for event in value:
        if not isinstance(event, Sequence) or isinstance(event, str) or len(event) != 2:
            raise BadFields(name, "pairs of a message id and its values")
    return tuple((_string(name, event[0]), _object(name, event[1])) for event in value)


def _head(name: str, value: Any) -> Head | None:
    if value is None:
        return None
    head = _object(name, value)
    if head.keys() != {"number", "hash"}:
        raise BadFields(name, "a number and a hash")
    return Head(_number(name, head["number"]), _hash(name, head["hash"]))


# What may stand in a header as it is: nothing in it ends the field or begins another address.
_ADDRESS = re.compile(r"(?=.{3,254}\Z)[^\s\x00-\x1f\x7f<>,;@]+@[^\s\x00-\x1f\x7f<>,;@]+")
_hash = checks.match(checks.HEX_64, "a hash of 64 hexadecimal digits")

_FIELDS: dict[str, Check] = {
    "server": checks.match(checks.FINGERPRINT, "a fingerprint"),
    "address": checks.match(_ADDRESS, "an address"),
    "made": _number,
    "kind": _string,
    "game": checks.match(checks.GAME, "a game's tag, or empty", empty=True),
    "title": _string,
    "seat": _number,
    "seats": _names,
    "number": _number,
    "status": _string,
    "view": _object_or_none,
    "prompt": _prompt,
    "events": _events,
    "head": _head,
    "options": _object,
    "notice": _object_or_none,
}
assert set(_FIELDS) | {"extra"} == {each.name for each in fields(TurnDoc)}
