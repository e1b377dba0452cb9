"""The hash chain over a game's accepted answers (protocol.md, *Fair shuffles*).

Every accepted answer extends it; each mail states its head, signed, as the player's receipt.
"""

import hashlib
import hmac
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from . import canonical

_TAG = b"sigilpost chain v1\n"
_SALT_TAG = b"sigilpost salt v1\n"


class Head(NamedTuple):
    """The chain after ``number`` answers; ``hash`` is 64 hexadecimal digits."""

    number: int
    hash: str

    def to_json(self) -> dict[str, int | str]:
        return {"number": self.number, "hash": self.hash}


def start(
    game: str, kind: str, options: Mapping[str, object], roster: Sequence[object], commitment: str
) -> Head:
    """Return head 0: SHA-256 of the tag and the canonical JSON of what the game was agreed to be.

    ``roster`` has one entry for each seat, in seat order; ``commitment`` is hexadecimal.
    """
    agreed = {
        "game": game,
        "kind": kind,
        "options": options,
        "roster": roster,
        "commitment": commitment,
    }
    return Head(0, hashlib.sha256(_TAG + canonical.encode(agreed)).hexdigest())


def extend(head: Head, seat: int, block: str, line: int, outcome: str) -> Head:
    """Return the next head, after one more accepted answer.

    ``block`` is the signed block's digest in hexadecimal ("" for what no player signed: a
    clock, a host's forced action), ``line`` the index of the answer's line in it from 0,
    ``outcome`` the digest of what it said and caused (see `outcome_digest`).
    """
    link = [head.number + 1, head.hash, seat, block, line, outcome]
    return Head(head.number + 1, hashlib.sha256(canonical.encode(link)).hexdigest())


def salt(key: bytes, number: int) -> str:
    """Return what keeps the outcome of answer ``number`` from being guessed from its hash.

    HMAC-SHA256 of the game's key over a tag and the number, in hexadecimal. There are so few
    cards that whoever knows the rest of a link could try them all against the head that a mail
    states; the key is secret until the game is over.
    """
    return hmac.digest(key, _SALT_TAG + str(number).encode("ascii"), "sha256").hex()


def outcome_digest(salt: str, answer: object, events: Sequence[object]) -> str:
    """Return SHA-256 of the canonical JSON of salt, answer and events, in hexadecimal."""
    return hashlib.sha256(canonical.encode([salt, answer, events])).hexdigest()
