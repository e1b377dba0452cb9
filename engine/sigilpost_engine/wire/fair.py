"""Commitment and game key (protocol.md, *Fair shuffles*): a deal that nobody chose.

The server fixes a secret and shows its hash before the players' nonces are known; the key
of all shuffles needs both.
"""

import hashlib
import hmac
from collections.abc import Mapping, Sequence

from . import canonical

SECRET_SIZE = 32


def commitment(secret: bytes) -> str:
    """Return SHA-256 of the server's secret for one game, in hexadecimal."""
    return hashlib.sha256(secret).hexdigest()


def opens(secret: bytes, committed: str) -> bool:
    """Tell whether this secret is the one that was committed to."""
    return commitment(secret) == committed  # both are told: there is nothing to time


def game_key(
    secret: bytes,
    game: str,
    options: Mapping[str, object],
    keys: Sequence[str],
    nonces: Sequence[str],
) -> bytes:
    """Return the 32-byte key that all shuffles of a game follow from.

    HMAC-SHA256 with the secret over the canonical JSON object of ``game`` (its tag), ``options``,
    ``keys`` (fingerprints) and ``nonces`` (hexadecimal), both in seat order. Names are not in it:
    nobody signs them, so another spelling would be another deal for the server to try.
    """
    agreed = {"game": game, "options": options, "keys": keys, "nonces": nonces}
    return hmac.digest(secret, canonical.encode(agreed), "sha256")


def unsigned_nonce(game: str, committed: str, seat: int) -> str:
    """Return the nonce of a seat (from 0) whose player has no key and so brings none.

    It follows from the commitment: once that is told, the server has no choice left in it. 32
    hexadecimal digits.
    """
    told = canonical.encode([game, committed, seat])
    return hashlib.sha256(b"sigilpost nonce v1\n" + told).hexdigest()[:32]
