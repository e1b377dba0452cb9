"""Documents sealed to one player's key (HPKE, RFC 9180)."""

from __future__ import annotations

import base64
import json

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from hypothesis import given
from hypothesis import strategies as st

from sigilpost_engine.wire import canonical, sealed, turn
from sigilpost_engine.wire.errors import BadFields, NotCanonical, WireError
from sigilpost_engine.wire.keys import KeyFileError, PrivateKey
from sigilpost_engine.wire.sealed import CannotOpen, SealKey
from sigilpost_engine.wire.turn import TurnDoc

KEY, OTHER = SealKey.generate(), SealKey.generate()
DOCUMENT = b'{"key":"...","signature":"...","signed":{}}'


@given(st.binary(max_size=2000))
def test_what_is_sealed_opens_again_with_its_key(document: bytes) -> None:
    assert sealed.open_sealed(sealed.close(document, KEY.public), [OTHER, KEY]) == document


def test_nobody_else_opens_it_and_is_told_which_key_would() -> None:
    data = sealed.close(DOCUMENT, KEY.public)
    with pytest.raises(CannotOpen) as fault:
        sealed.open_sealed(data, [OTHER])
    assert fault.value.key == KEY.fingerprint
    with pytest.raises(CannotOpen):
        sealed.open_sealed(data, [])


def test_sealing_twice_gives_different_bytes_of_the_same_length() -> None:
    one, two = (sealed.close(DOCUMENT, KEY.public) for _ in range(2))
    assert one != two
    assert len(one) == len(two)
    assert DOCUMENT not in one


@given(st.integers(min_value=0), st.integers(min_value=1, max_value=255))
def test_a_changed_byte_of_the_ciphertext_opens_nothing(place: int, change: int) -> None:
    values = json.loads(sealed.close(DOCUMENT, KEY.public))
    ciphertext = bytearray(base64.b64decode(values["text"]))
    ciphertext[place % len(ciphertext)] ^= change
    values["text"] = base64.b64encode(bytes(ciphertext)).decode()
    with pytest.raises(WireError):
        sealed.open_sealed(canonical.encode(values), [KEY])


@pytest.mark.parametrize(
    "data",
    [
        b'{"sealed":',
        b'{"sealed":"x"}',
        b'{"sealed":1,"text":"AAAA"}',
        b'{"sealed":"x","text":1}',
        b'{"sealed":"x","text":"*"}',
        b'{"sealed":"x", "text":""}',
        b"[]",
    ],
)
def test_what_is_no_sealed_document_is_refused(data: bytes) -> None:
    with pytest.raises((BadFields, NotCanonical)):
        sealed.open_sealed(data, [KEY])


def test_a_cut_ciphertext_opens_nothing() -> None:
    values = {"sealed": KEY.fingerprint, "text": "AAAA"}
    with pytest.raises(CannotOpen):
        sealed.open_sealed(canonical.encode(values), [KEY])


def test_sealed_and_open_documents_are_told_apart_by_their_beginning() -> None:
    server = PrivateKey.from_seed(b"s" * 32)
    document = TurnDoc(server=server.fingerprint, address="a@b.test", made=1)
    plain = turn.seal(document, server)
    assert not sealed.is_sealed(plain)
    assert sealed.is_sealed(sealed.close(plain, KEY.public))
    assert turn.open_turn(sealed.open_sealed(sealed.close(plain, KEY.public), [KEY])) == document


@pytest.mark.parametrize("public", [bytes(32), b"\x01" + bytes(31), b"", bytes(31)])
def test_a_key_that_gives_no_secret_is_refused(public: bytes) -> None:
    """Small-order points give an all-zero shared secret (RFC 7748, section 6.1)."""
    with pytest.raises(BadFields):
        sealed.check(public)


def test_a_good_key_is_none_of_those() -> None:
    sealed.check(KEY.public)


def test_the_key_file_reads_back_and_shows_nothing() -> None:
    again = SealKey.from_pem(KEY.to_pem())
    assert again.public == KEY.public
    assert repr(again) == f"SealKey({KEY.fingerprint})"


def test_a_signing_key_is_no_key_to_seal_to() -> None:
    pem = Ed25519PrivateKey.generate().private_bytes(
        Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()
    )
    for data in (pem, b"", b"-----BEGIN PRIVATE KEY-----\n"):
        with pytest.raises(KeyFileError):
            SealKey.from_pem(data)
