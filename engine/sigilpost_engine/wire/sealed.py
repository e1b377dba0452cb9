"""A signed document encrypted to one player's own key: HPKE (RFC 9180), single shot.

DHKEM(X25519, HKDF-SHA256), HKDF-SHA256, ChaCha20-Poly1305. The key is one of its own, apart from
the Ed25519 key that signs: a block of kind ``SEAL`` announces it. Signed first, then encrypted:
what is opened is checked as if it had never been sealed.
"""

import base64
import binascii
from collections.abc import Iterable

from cryptography.exceptions import InvalidTag, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.hpke import AEAD, KDF, KEM, Suite
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)

from . import canonical
from .errors import BadFields, WireError
from .keys import KeyFileError, fingerprint

_SUITE = Suite(KEM.X25519, KDF.HKDF_SHA256, AEAD.CHACHA20_POLY1305)
_INFO = b"sigilpost sealed v1\n"
_MARK = b'{"sealed":'


class CannotOpen(WireError):
    """A sealed document that none of the keys at hand opens; ``key`` is the one that would."""

    def __init__(self, key: str) -> None:
        super().__init__("sealed to a key that is not here")
        self.key = key


class SealKey:
    """The private key that opens what is sealed; its representation never shows the secret."""

    __slots__ = ("_key", "public")

    def __init__(self, key: X25519PrivateKey) -> None:
        self._key = key
        self.public = key.public_key().public_bytes_raw()

    def __repr__(self) -> str:
        return f"SealKey({self.fingerprint})"

    @classmethod
    def generate(cls) -> "SealKey":
        """Make a new key from the operating system's randomness."""
        return cls(X25519PrivateKey.generate())

    @classmethod
    def from_pem(cls, data: bytes) -> "SealKey":
        """Read a PKCS#8 PEM file; raise `KeyFileError` for anything else."""
        try:
            key = load_pem_private_key(data, None)
        except (ValueError, TypeError, UnsupportedAlgorithm) as error:
            raise KeyFileError("not a PKCS#8 key file") from error
        if not isinstance(key, X25519PrivateKey):
            raise KeyFileError("a key of another algorithm than X25519")
        return cls(key)

    def to_pem(self) -> bytes:
        """Return the PKCS#8 PEM bytes, not encrypted."""
        return self._key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())

    @property
    def fingerprint(self) -> str:
        return fingerprint(self.public)

    def decrypt(self, ciphertext: bytes) -> bytes:
        """Return what was sealed to this key; raise `CannotOpen`."""
        try:
            return _SUITE.decrypt(ciphertext, self._key, _INFO)
        except (InvalidTag, ValueError) as error:
            raise CannotOpen(self.fingerprint) from error


def check(public: bytes) -> None:
    """Raise `BadFields` for a public key that nothing can be sealed to."""
    try:
        close(b"", public)
    except ValueError as error:
        raise BadFields("public", "no X25519 key that can be sealed to") from error


def close(document: bytes, public: bytes) -> bytes:
    """Return a signed document sealed to a raw X25519 public key.

    A canonical JSON object of ``sealed``, the key's fingerprint, and ``text``, base64 of HPKE's
    encapsulated key and ciphertext. It is another one each time.
    """
    ciphertext = _SUITE.encrypt(document, X25519PublicKey.from_public_bytes(public), _INFO)
    text = base64.b64encode(ciphertext).decode("ascii")
    return canonical.encode({"sealed": fingerprint(public), "text": text})


def is_sealed(data: bytes) -> bool:
    """Whether bytes are a sealed document, and not one that is open."""
    return data.startswith(_MARK)


def open_sealed(data: bytes, keys: Iterable[SealKey]) -> bytes:
    """Return the signed document that was sealed.

    Raises `CannotOpen` without the right key, `NotCanonical` or `BadFields` for what is no sealed
    document. Who sealed it is not known before its signature is checked.
    """
    values = canonical.decode(data)
    if not isinstance(values, dict) or values.keys() != {"sealed", "text"}:
        raise BadFields("sealed", "an object of sealed and text")
    to, text = values["sealed"], values["text"]
    if not isinstance(to, str) or not isinstance(text, str):
        raise BadFields("sealed", "two texts")
    try:
        ciphertext = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise BadFields("text", "base64") from error
    for key in keys:
        if key.fingerprint == to:
            return key.decrypt(ciphertext)
    raise CannotOpen(to)


__all__ = [
    "CannotOpen",
    "SealKey",
    "check",
    "close",
    "is_sealed",
    "open_sealed",
]
