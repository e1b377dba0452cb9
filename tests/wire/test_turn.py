"""The signed attachment of the server's mails."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sigilpost_engine.wire import canonical, turn
from sigilpost_engine.wire.chain import Head
from sigilpost_engine.wire.errors import BadFields, BadSignature, BadVersion, WireError, WrongServer
from sigilpost_engine.wire.turn import NotATurn, TurnDoc

from .samples import BOB, SERVER

DOC = TurnDoc(
    server=SERVER.fingerprint,
    address="games@good.example",
    made=1_750_000_000,
    kind="weaver",
    game="weaver-7k2q",
    title="Alice, Bob and Carol",
    seat=2,
    seats=("Alice", "Bob", "Carol"),
    number=12,
    status="running",
    view={"hand": ["ASHW 3"], "turn": "bob"},
    prompt={"id": "12-3fa9c1d2", "topic": "play"},
    events=(("weaver.event.claimed", {"seat": "Alice", "stone": 3}),),
    head=Head(11, "ab" * 32),
    options={"hidden_cards": "flat"},
)
NOTICE = TurnDoc(
    server=SERVER.fingerprint,
    address="games@good.example",
    made=1_750_000_000,
    notice={"type": "challenge", "token": "k3jd-92ks"},
)
PINNED = SERVER.public.raw


def resigned(**changes: Any) -> bytes:
    """The document with changed fields, rightly signed by the server."""
    values = {**DOC.to_json(), **changes}
    signature = SERVER.sign("turn", canonical.encode(values)).hex()
    return canonical.encode({"signed": values, "key": SERVER.public.hex, "signature": signature})


@pytest.mark.parametrize("document", [DOC, NOTICE], ids=["turn", "notice"])
def test_a_document_opens_as_it_was_sealed(document: TurnDoc) -> None:
    data = turn.seal(document, SERVER)
    assert turn.open_turn(data, PINNED) == document
    assert turn.open_turn(data) == document
    assert canonical.encode(json.loads(data)) == data


def test_the_signature_is_over_the_tag_and_the_signed_object() -> None:
    envelope = json.loads(turn.seal(DOC, SERVER))
    SERVER.public.verify(
        "turn", canonical.encode(envelope["signed"]), bytes.fromhex(envelope["signature"])
    )


def test_another_servers_key_is_refused_and_named() -> None:
    other = TurnDoc(server=BOB.fingerprint, address="games@evil.example", made=1)
    data = turn.seal(other, BOB)
    assert turn.open_turn(data) == other
    with pytest.raises(WrongServer) as caught:
        turn.open_turn(data, PINNED)
    assert caught.value.public == BOB.public.raw
    assert turn.signer(data) == BOB.public


def test_a_document_in_another_servers_name_is_refused() -> None:
    with pytest.raises(BadFields):
        turn.seal(DOC, BOB)
    values = DOC.to_json()
    signature = BOB.sign("turn", canonical.encode(values)).hex()
    data = canonical.encode({"signed": values, "key": BOB.public.hex, "signature": signature})
    with pytest.raises(BadFields):
        turn.open_turn(data)


SEALED = turn.seal(DOC, SERVER)


@given(st.integers(0, len(SEALED) - 1), st.integers(1, 255))
def test_any_change_of_a_byte_is_not_accepted(at: int, change: int) -> None:
    data = bytearray(SEALED)
    data[at] ^= change
    with pytest.raises(WireError):
        turn.open_turn(bytes(data), PINNED)


def test_fields_not_known_yet_are_kept_and_signed() -> None:
    data = resigned(weather="fine")
    document = turn.open_turn(data, PINNED)
    assert document.extra == {"weather": "fine"}
    assert turn.seal(document, SERVER) == data
    with pytest.raises(BadSignature):
        turn.open_turn(data.replace(b'"weather":"fine"', b'"weather":"foul"'), PINNED)


def test_another_version_is_refused_as_such() -> None:
    with pytest.raises(BadVersion):
        turn.open_turn(resigned(v=2), PINNED)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("address", 1),
        ("address", ""),
        ("address", "play@server.test\r\nBcc: eve@evil.test"),
        ("address", "play@server.test, eve@evil.test"),
        ("game", "../../../elsewhere"),
        ("game", "/tmp/elsewhere"),
        ("game", "weaver-7k2q\nX"),
        ("made", -1),
        ("seat", "1"),
        ("seats", "Alice"),
        ("seats", [1]),
        ("view", []),
        ("prompt", {}),
        ("prompt", {"id": "12"}),
        ("events", [["id"]]),
        ("events", ["id"]),
        ("events", [["id", []]]),
        ("head", {"number": 1}),
        ("head", {"number": 1, "hash": "AB" * 32}),
        ("notice", "challenge"),
        ("options", None),
    ],
)
def test_a_field_that_is_not_what_it_should_be(field: str, value: Any) -> None:
    with pytest.raises(BadFields):
        turn.open_turn(resigned(**{field: value}), PINNED)


@pytest.mark.parametrize(
    "data",
    [b"", b"{}", b"[]", b"hello", SEALED + b"\n", SEALED[:-1], b"\x00" * 10, b" " * (3 << 20)],
    ids=range(8),
)
def test_bytes_that_are_no_document(data: bytes) -> None:
    with pytest.raises(NotATurn):
        turn.open_turn(data)


@given(st.binary(max_size=200))
def test_no_bytes_raise_anything_else_than_a_wire_error(data: bytes) -> None:
    with pytest.raises(WireError):
        turn.open_turn(data)
