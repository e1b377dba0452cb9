"""Keys: fingerprints, domain tags, files, and keys under which a signature proves nothing."""

from __future__ import annotations

import re

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from sigilpost_engine.wire import keys
from sigilpost_engine.wire.errors import BadFields, BadSignature
from sigilpost_engine.wire.keys import (
    KeyFileError,
    PassphraseNeeded,
    PrivateKey,
    PublicKey,
    WrongPassphrase,
)

from .samples import ALICE, BOB


def test_rfc_8032_7_1_the_public_key_of_the_first_test_vector() -> None:
    seed = bytes.fromhex("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60")
    public = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"
    assert PrivateKey.from_seed(seed).public.hex == public


def test_a_fingerprint_is_base32_of_the_beginning_of_sha_256() -> None:
    # As other tools have it: head -c 32 /dev/zero | sha256sum | head -c 30 | xxd -r -p | base32
    assert keys.fingerprint(bytes(32)) == "MZUHVLPYMK6XO3EPYGFY5H4O"


def test_a_fingerprint_is_24_letters_shown_in_groups_of_four() -> None:
    assert re.fullmatch("[A-Z2-7]{24}", ALICE.fingerprint)
    shown = keys.grouped(ALICE.fingerprint)
    assert [len(group) for group in shown.split(" ")] == [4] * 6
    assert keys.ungrouped(shown.lower()) == ALICE.fingerprint


def test_a_signature_counts_for_its_kind_its_message_and_its_key_alone() -> None:
    signature = ALICE.sign("ORDERS", b"claim stone 3")
    ALICE.public.verify("orders", b"claim stone 3", signature)
    for public, kind, message, sealed in [
        (ALICE.public, "join", b"claim stone 3", signature),
        (ALICE.public, "orders", b"claim stone 4", signature),
        (BOB.public, "orders", b"claim stone 3", signature),
        (ALICE.public, "orders", b"claim stone 3", signature[:-1]),
        (ALICE.public, "orders", b"claim stone 3", b""),
    ]:
        with pytest.raises(BadSignature):
            public.verify(kind, message, sealed)


def test_the_domain_tag_is_the_protocols() -> None:
    assert keys.domain("ORDERS") == b"sigilpost orders v1\n"


@pytest.mark.parametrize("passphrase", [None, "", "correct horse", "pässwörd 好"])
def test_a_key_file_gives_the_key_back(passphrase: str | None) -> None:
    data = ALICE.to_pem(passphrase)
    assert (b"ENCRYPTED" in data) == bool(passphrase)
    assert PrivateKey.from_pem(data, passphrase).public == ALICE.public


def test_a_passphrase_for_a_file_that_needs_none_is_ignored() -> None:
    assert PrivateKey.from_pem(ALICE.to_pem(), "anything").public == ALICE.public


def test_an_encrypted_key_file_opens_with_its_passphrase_only() -> None:
    data = ALICE.to_pem("correct horse")
    with pytest.raises(PassphraseNeeded):
        PrivateKey.from_pem(data)
    with pytest.raises(WrongPassphrase):
        PrivateKey.from_pem(data, "battery staple")


def test_other_files_are_no_key_files() -> None:
    other = X25519PrivateKey.generate().private_bytes(
        Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()
    )
    for data in [b"", b"hello", ALICE.to_pem()[:-60], other]:
        with pytest.raises(KeyFileError):
            PrivateKey.from_pem(data)


def test_a_secret_never_shows_in_a_representation() -> None:
    assert repr(ALICE) == f"PrivateKey({ALICE.fingerprint})"
    assert b"alice".hex() not in repr(ALICE)


@pytest.mark.parametrize("text", ["", "zz" * 32, "00" * 31, "AB" * 32, " " * 64])
def test_hexadecimal_that_is_no_public_key(text: str) -> None:
    with pytest.raises(BadFields):
        PublicKey.from_hex(text)


# ---- points of small order -----------------------------------------------------------------

_P = 2**255 - 19
_D = -121665 * pow(121666, -1, _P) % _P


def _square_root(value: int) -> int | None:
    root = pow(value, (_P + 3) // 8, _P)
    if root * root % _P != value % _P:
        root = root * pow(2, (_P - 1) // 4, _P) % _P
    return root if root * root % _P == value % _P else None


def _point(raw: bytes) -> tuple[int, int] | None:
    y = (int.from_bytes(raw, "little") & (2**255 - 1)) % _P
    x = _square_root((y * y - 1) * pow(_D * y * y + 1, -1, _P))
    return None if x is None else (x, y)


def _add(a: tuple[int, int], b: tuple[int, int]) -> tuple[int, int]:
    cross = _D * a[0] * b[0] * a[1] * b[1]
    x = (a[0] * b[1] + b[0] * a[1]) * pow(1 + cross, -1, _P)
    y = (a[1] * b[1] + a[0] * b[0]) * pow(1 - cross, -1, _P)
    return x % _P, y % _P


def test_every_refused_key_is_a_point_of_order_eight_or_less() -> None:
    for raw in keys._SMALL_ORDER:
        point = _point(raw)
        assert point is not None
        for _ in range(3):
            point = _add(point, point)
        assert point == (0, 1)


def test_a_key_of_small_order_is_refused_as_anybody_could_sign_for_it() -> None:
    identity = b"\x01" + bytes(31)
    # The forgery that the refusal prevents: R is the identity, S is zero, any message fits.
    forged = identity + bytes(32)
    Ed25519PublicKey.from_public_bytes(identity).verify(forged, b"whatever")
    with pytest.raises(BadFields):
        PublicKey(identity)
    with pytest.raises(BadFields):
        PublicKey(b"\x01" + bytes(30) + b"\x80")
