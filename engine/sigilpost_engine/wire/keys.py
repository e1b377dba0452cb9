"""Ed25519 keys (RFC 8032): fingerprints, signatures with a domain tag, PKCS#8 files.

Every function here is pure: bytes in, bytes out; reading and writing files is the caller's.
"""

import base64
import hashlib
from dataclasses import dataclass
from functools import lru_cache

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import (
    Ed25519PrivateKey,
    Ed25519PublicKey,
)
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    KeySerializationEncryption,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)

from .errors import BadFields, BadSignature

SIGNATURE_SIZE = 64
PUBLIC_SIZE = 32

# The y coordinates of the eight points of small order, and of their spellings beyond the
# field's prime. Under such a key one signature fits many messages, so a signature proves
# nothing. The sign bit of x (the top bit) is left out of the comparison.
_SMALL_ORDER = frozenset(
    bytes.fromhex(text)
    for text in (
        "0000000000000000000000000000000000000000000000000000000000000000",
        "0100000000000000000000000000000000000000000000000000000000000000",
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    )
)


class KeyFileError(ValueError):
    """The bytes are no PKCS#8 PEM file of an Ed25519 key."""


class PassphraseNeeded(KeyFileError):
    """The key file is encrypted and no passphrase was given."""


class WrongPassphrase(KeyFileError):
    """The passphrase does not open the key file."""


def domain(kind: str) -> bytes:
    """Return the tag that keeps signatures of one kind from counting as another."""
    return f"sigilpost {kind.lower()} v1\n".encode("ascii")


@lru_cache(maxsize=256)
def fingerprint(raw_public: bytes) -> str:
    """Return base32 of the first 15 bytes of SHA-256 of a raw public key: 24 characters."""
    return base64.b32encode(hashlib.sha256(raw_public).digest()[:15]).decode("ascii")


def grouped(print_: str) -> str:
    """Return a fingerprint as people compare it, in groups of four."""
    return " ".join(print_[at : at + 4] for at in range(0, len(print_), 4))


def ungrouped(shown: str) -> str:
    """Return the plain form of a fingerprint typed in any case and grouping."""
    return "".join(shown.split()).replace("-", "").upper()


@dataclass(frozen=True, slots=True)
class PublicKey:
    """A raw Ed25519 public key of 32 bytes; raises `BadFields` for one that cannot be used."""

    raw: bytes

    def __post_init__(self) -> None:
        if len(self.raw) != PUBLIC_SIZE:
            raise BadFields("public", "a public key has 32 bytes")
        if self.raw[:31] + bytes([self.raw[31] & 0x7F]) in _SMALL_ORDER:
            raise BadFields("public", "a key of small order proves nothing")

    @classmethod
    def from_hex(cls, text: str) -> "PublicKey":
        """Read 64 lower-case hexadecimal digits."""
        try:
            raw = bytes.fromhex(text)
        except ValueError as error:
            raise BadFields("public", "not hexadecimal") from error
        if raw.hex() != text:
            raise BadFields("public", "not lower-case hexadecimal")
        return cls(raw)

    @property
    def hex(self) -> str:
        return self.raw.hex()

    @property
    def fingerprint(self) -> str:
        return fingerprint(self.raw)

    def verify(self, kind: str, message: bytes, signature: bytes) -> None:
        """Check a signature over the kind's tag and the message; raise `BadSignature`."""
        try:
            key = Ed25519PublicKey.from_public_bytes(self.raw)
            key.verify(signature, domain(kind) + message)
        except (InvalidSignature, ValueError) as error:
            raise BadSignature("the signature does not fit") from error


class PrivateKey:
    """An Ed25519 private key; its representation never shows the secret."""

    __slots__ = ("_key", "public")

    def __init__(self, key: Ed25519PrivateKey) -> None:
        self._key = key
        self.public = PublicKey(key.public_key().public_bytes_raw())

    def __repr__(self) -> str:
        return f"PrivateKey({self.fingerprint})"

    @classmethod
    def generate(cls) -> "PrivateKey":
        """Make a new key from the operating system's randomness."""
        return cls(Ed25519PrivateKey.generate())

    @classmethod
    def from_seed(cls, seed: bytes) -> "PrivateKey":
        """Make the key of a 32-byte seed (RFC 8032 section 5.1.5)."""
        return cls(Ed25519PrivateKey.from_private_bytes(seed))

    @classmethod
    def from_pem(cls, data: bytes, passphrase: str | None = None) -> "PrivateKey":
        """Read a PKCS#8 PEM file.

        Raises `PassphraseNeeded`, `WrongPassphrase` or, for anything else, `KeyFileError`.
        A passphrase given for a file that is not encrypted is ignored.
        """
        encrypted = b"BEGIN ENCRYPTED PRIVATE KEY" in data
        if encrypted and not passphrase:
            raise PassphraseNeeded("this key file needs its passphrase")
        secret = passphrase.encode("utf-8") if encrypted and passphrase else None
        try:
            key = load_pem_private_key(data, secret)
        except (ValueError, TypeError, UnsupportedAlgorithm) as error:
            if encrypted:
                raise WrongPassphrase("the passphrase does not open this key file") from error
            raise KeyFileError("not a PKCS#8 key file") from error
        if not isinstance(key, Ed25519PrivateKey):
            raise KeyFileError("a key of another algorithm than Ed25519")
        return cls(key)

    def to_pem(self, passphrase: str | None = None) -> bytes:
        """Return the PKCS#8 PEM bytes, encrypted if there is a passphrase."""
        encryption: KeySerializationEncryption = NoEncryption()
        if passphrase:
            encryption = BestAvailableEncryption(passphrase.encode("utf-8"))
        return self._key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, encryption)

    @property
    def fingerprint(self) -> str:
        return self.public.fingerprint

    def sign(self, kind: str, message: bytes) -> bytes:
        """Return the 64-byte signature over the kind's tag and the message."""
        return self._key.sign(domain(kind) + message)
