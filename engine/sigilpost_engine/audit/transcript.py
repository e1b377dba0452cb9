"""The transcript of a game that is over: canonical JSON lines, sealed by the server.

``docs/transcript.md`` is the format's page. This module knows the shape of the lines and the
seal; what the lines must say is :mod:`sigilpost_engine.audit.verify`'s.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from sigilpost_engine.core.messages import Msg, Value, say
from sigilpost_engine.wire import canonical
from sigilpost_engine.wire.blocks import Block
from sigilpost_engine.wire.errors import NotCanonical
from sigilpost_engine.wire.keys import PrivateKey

VERSION = 1
SEAL_KIND = "transcript"
STOPPED_IN_LEAGUE = ("left", "ruling")
STOPPED = ("abandoned", *STOPPED_IN_LEAGUE)
"""Why a game can have been stopped before its end, as its result says; and of these what can be
only where a league set the game up."""

SIZE_MAX = 64 * 1024 * 1024

SHAPES: dict[str, dict[str, type | tuple[type, ...]]] = {
    "game": {
        "v": int,
        "game": str,
        "kind": str,
        "schema": int,
        "program": str,
        "options": dict,
        "roster": list,
        "commitment": str,
        "server": str,
    },
    "handover": {"old": str, "new": str, "made": int, "by_old": str, "by_new": str},
    "key": {"seat": int, "public": str},
    "substitute": {"seat": int, "name": str, "public": str},
    "block": {"seat": int, "kind": str, "payload": str, "signature": str},
    "secret": {"secret": str},
    "start": {"events": list, "hash": str, "made": int},
    "answer": {
        "n": int,
        "seat": int,
        "by": str,
        "block": str,
        "index": int,
        "answer": list,
        "events": list,
        "hash": str,
        "made": int,
    },
    "end": {"n": int, "hash": str, "result": dict},
    "seal": {"digest": str, "key": str, "signature": str},
}
"""The kinds of line and the type of each of their fields; every line also has its ``line``."""


class Unreadable(Exception):
    """Not a transcript at all: ``line`` (from 1) is the first that cannot be read."""

    def __init__(self, line: int, message: Msg) -> None:
        super().__init__(f"line {line}: {message.id}")
        self.line = line
        self.message = message


@dataclass(frozen=True, slots=True)
class Line:
    """One line: its number from 1, its kind, and its fields."""

    number: int
    kind: str
    fields: Mapping[str, Any]

    def __getitem__(self, name: str) -> Any:
        return self.fields[name]


def line(kind: str, /, **fields: Any) -> dict[str, Any]:
    """The fields of a line to be written."""
    return {"line": kind, **fields}


def block_line(seat: int, block: Block) -> dict[str, Any]:
    """The line of a signed block; ``seat`` counts from 1."""
    return line(
        "block",
        seat=seat,
        kind=block.kind,
        payload=block.payload.decode("utf-8"),
        signature=block.signature.hex(),
    )


def write(lines: Iterable[Mapping[str, Any]], key: PrivateKey) -> bytes:
    """The file: a line each, and the server's seal over all that stands before it."""
    body = b"".join(canonical.encode(each) + b"\n" for each in lines)
    digest = hashlib.sha256(body).hexdigest()
    signature = key.sign(SEAL_KIND, digest.encode("ascii")).hex()
    seal = line("seal", digest=digest, key=key.public.hex, signature=signature)
    return body + canonical.encode(seal) + b"\n"


def read(data: bytes) -> list[Line]:
    """The lines of a file. Raises Unreadable; whether they are true is not looked at."""
    if len(data) > SIZE_MAX:
        raise _unreadable(1, "too-big")
    lines = [
        _line(number, raw) for number, raw in enumerate(data.rstrip(b"\n").split(b"\n"), start=1)
    ]
    if not lines or lines[0].kind != "game" or lines[0]["v"] != VERSION:
        raise _unreadable(1, "version", known=VERSION)
    return lines


def body_digest(data: bytes) -> str:
    """SHA-256 of all lines before the last, in hexadecimal: what the seal signs."""
    body = data.rstrip(b"\n").rpartition(b"\n")[0] + b"\n"
    return hashlib.sha256(body).hexdigest()


def unhex(text: str) -> bytes:
    """The bytes of lower-case hexadecimal digits. Raises ValueError for any other spelling."""
    data = bytes.fromhex(text)
    if data.hex() != text:
        raise ValueError("not lower-case hexadecimal")
    return data


def same(one: Any, other: Any) -> bool:
    """Whether two values are one in canonical JSON, where true is not 1."""
    return canonical.encode(one) == canonical.encode(other)


def _line(number: int, raw: bytes) -> Line:
    try:
        fields = canonical.decode(raw)
    except NotCanonical:
        raise _unreadable(number, "not-canonical") from None
    if not isinstance(fields, dict):
        raise _unreadable(number, "not-object")
    kind = fields.get("line")
    shape = SHAPES.get(kind) if isinstance(kind, str) else None
    if shape is None:
        raise _unreadable(number, "kind", kind=str(kind))
    for name in sorted(shape.keys() ^ (fields.keys() - {"line"})):
        raise _unreadable(number, "field", field=name)
    for name, expected in shape.items():
        if not isinstance(fields[name], expected) or isinstance(fields[name], bool):
            raise _unreadable(number, "field", field=name)
    return Line(number, str(kind), fields)


def _unreadable(number: int, what: str, **values: Value) -> Unreadable:
    return Unreadable(number, say(f"audit.unreadable.{what}", **values))
