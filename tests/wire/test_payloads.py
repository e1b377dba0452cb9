"""What a block says: every kind, exact fields, types and limits."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sigilpost_engine.wire import canonical, payloads
from sigilpost_engine.wire.blocks import Block
from sigilpost_engine.wire.errors import (
    BadFields,
    BadSignature,
    BadVersion,
    BlockTooBig,
    NotCanonical,
    UnknownKind,
    WireError,
)
from sigilpost_engine.wire.payloads import KINDS, Orders, Payload

from .samples import ALICE, BOB, COMMON, SERVER, block, one_of_each, orders

ALL = one_of_each()


def signed(values: Any, kind: str = "ORDERS") -> Block:
    """A block with any values, rightly signed by Alice."""
    data = canonical.encode(values)
    return Block(kind, data, ALICE.sign(kind, data))


def with_(payload: Payload, **changes: Any) -> Block:
    """The payload's block with some fields changed to what could not be built."""
    return signed({**payload.to_json(), **changes}, payload.kind)


def test_the_samples_have_every_kind() -> None:
    assert sorted(each.kind for each in ALL) == sorted(KINDS)


@pytest.mark.parametrize("payload", ALL, ids=lambda each: each.kind)
def test_every_kind_is_read_as_it_was_signed(payload: Payload) -> None:
    it = block(payload)
    assert payloads.read(it) == payload
    assert payloads.verify(it, ALICE.public) == payload


def test_orders_have_exactly_the_protocols_fields() -> None:
    assert set(orders().to_json()) == {
        "v",
        "server",
        "key",
        "game",
        "seat",
        "prompt",
        "lines",
        "nonce",
        "made",
    }


@pytest.mark.parametrize("payload", ALL, ids=lambda each: each.kind)
def test_a_missing_or_unknown_field_is_refused(payload: Payload) -> None:
    values = payload.to_json()
    for name in set(values) - {"v"}:
        without = {other: values[other] for other in values if other != name}
        with pytest.raises(BadFields) as caught:
            payloads.read(signed(without, payload.kind))
        assert caught.value.field == name
    with pytest.raises(BadFields):
        payloads.read(with_(payload, extra=1))


@pytest.mark.parametrize("payload", ALL, ids=lambda each: each.kind)
def test_a_field_of_another_type_is_refused(payload: Payload) -> None:
    for name, value in payload.to_json().items():
        wrong: Any = 7 if not isinstance(value, int) else "7"
        with pytest.raises((BadFields, BadVersion)):
            payloads.read(with_(payload, **{name: wrong}))


@pytest.mark.parametrize("version", [0, 2, "1", True, None, [1]])
def test_another_version_is_refused_as_such(version: Any) -> None:
    with pytest.raises(BadVersion):
        payloads.read(with_(orders(), v=version))


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("server", ""),
        ("server", "a" * 24),
        ("key", ALICE.fingerprint + "A"),
        ("game", "weaver"),
        ("game", "Weaver-7k2q"),
        ("game", "weaver-7k2q\n"),
        ("seat", 0),
        ("seat", 17),
        ("seat", True),
        ("prompt", "12"),
        ("prompt", "12-3FA9C1D2"),
        ("prompt", "12-3fa9c1d2 "),
        ("lines", []),
        ("lines", ["pass"] * 51),
        ("lines", ["x" * 201]),
        ("lines", [""]),
        ("lines", ["claim\x07"]),
        ("lines", ["claim\nstone"]),
        ("lines", ["claim\u202estone"]),
        ("lines", ["claim\x85"]),
        ("lines", "pass"),
        ("lines", [7]),
        ("nonce", "00"),
        ("nonce", "0" * 31 + "G"),
        ("made", -1),
        ("made", "now"),
    ],
)
def test_orders_out_of_their_limits(field: str, value: Any) -> None:
    with pytest.raises(BadFields) as caught:
        payloads.read(with_(orders(), **{field: value}))
    assert caught.value.field.startswith(field)
    with pytest.raises(BadFields):
        dataclasses.replace(orders(), **{field: value})


def test_orders_at_their_limits() -> None:
    it = dataclasses.replace(orders(), seat=16, lines=("é" * 200,) * 20, prompt="0-00000000")
    assert payloads.read(block(it)) == it


def test_fifty_long_lines_are_too_big_for_a_block() -> None:
    with pytest.raises(BlockTooBig):
        block(dataclasses.replace(orders(), lines=("好" * 200,) * 50))


def test_a_block_over_16_kb_is_not_even_parsed() -> None:
    with pytest.raises(BlockTooBig):
        payloads.read(Block("ORDERS", b"{" + b" " * 17_000 + b"}", bytes(64)))


def test_a_payload_that_is_not_canonical_is_refused() -> None:
    data = block().payload.replace(b'"seat":1', b'"seat": 1')
    with pytest.raises(NotCanonical):
        payloads.read(Block("ORDERS", data, ALICE.sign("ORDERS", data)))


def test_a_payload_that_is_no_object_is_refused() -> None:
    with pytest.raises(BadFields):
        payloads.read(signed([1]))


def test_a_kind_not_known_is_refused_as_such() -> None:
    with pytest.raises(UnknownKind):
        payloads.read(Block("BRIBE", block().payload, block().signature))


def test_another_players_key_does_not_verify() -> None:
    with pytest.raises(BadSignature):
        payloads.verify(block(), BOB.public)


def test_a_payload_that_names_another_key_does_not_verify() -> None:
    # Signed by Alice, but in Bob's name.
    data = canonical.encode(orders(key=BOB).to_json())
    it = Block("ORDERS", data, ALICE.sign("ORDERS", data))
    for public in (ALICE.public, BOB.public):
        with pytest.raises(BadSignature):
            payloads.verify(it, public)


def test_nobody_signs_in_anothers_name_by_mistake() -> None:
    with pytest.raises(BadFields):
        payloads.sign(orders(key=BOB), ALICE)


@pytest.mark.parametrize("kind", ["REGISTER", "RECOVER"])
def test_a_new_key_must_be_the_one_that_signs(kind: str) -> None:
    payload = next(each for each in ALL if each.kind == kind)
    assert payloads.own_key(payload) == ALICE.public
    with pytest.raises(BadFields):
        payloads.read(with_(payload, public=BOB.public.hex))


def test_only_new_keys_are_brought_along() -> None:
    assert payloads.own_key(orders()) is None


def test_a_first_contact_may_leave_the_server_open() -> None:
    for payload in ALL:
        if payload.kind in ("REGISTER", "RECOVER"):
            assert payloads.read(with_(payload, server="")).server == ""
        else:
            with pytest.raises(BadFields):
                payloads.read(with_(payload, server=""))


def test_a_rotation_needs_the_new_keys_own_signature() -> None:
    good = payloads.rotation(BOB, **COMMON)
    assert payloads.read(block(good)) == good
    third = SERVER.public.hex
    for changes in ({"public": third}, {"proof": "00" * 64}, {"nonce": "f" * 32}):
        with pytest.raises(BadFields):
            payloads.read(with_(good, **changes))


@pytest.mark.parametrize(
    "options",
    [
        {"Upper": 1},
        {"a": None},
        {"a": {}},
        {"a": [1]},
        {"a": "x" * 201},
        {"a": "\x00"},
        {f"o{number}": 1 for number in range(51)},
        [],
    ],
)
def test_options_are_words_with_plain_values(options: Any) -> None:
    create = next(each for each in ALL if each.kind == "CREATE")
    with pytest.raises(BadFields):
        payloads.read(with_(create, options=options))


@pytest.mark.parametrize(
    "address",
    ["", "alice", "alice@", "@x", "a b@x", "a@b@c", "a@x\n", "<a@x>", "a@x,b@y", "a@" + "x" * 260],
)
def test_an_address_is_one_address(address: str) -> None:
    register = next(each for each in ALL if each.kind == "REGISTER")
    with pytest.raises(BadFields):
        payloads.read(with_(register, address=address))


def test_chat_may_have_lines_and_no_other_control_character() -> None:
    chat = next(each for each in ALL if each.kind == "CHAT")
    assert payloads.read(with_(chat, text="a\nb"))
    for text in ("a\r\nb", "a\tb", "\x1b[31m", "", "x" * 2001):
        with pytest.raises(BadFields):
            payloads.read(with_(chat, text=text))


def test_a_read_payload_cannot_be_changed() -> None:
    payload = payloads.read(block())
    with pytest.raises(dataclasses.FrozenInstanceError):
        payload.nonce = "f" * 32  # type: ignore[misc]
    assert isinstance(payload, Orders)
    assert isinstance(payload.lines, tuple)


@given(st.binary(max_size=300))
def test_no_bytes_raise_anything_else_than_a_wire_error(data: bytes) -> None:
    for kind in KINDS:
        with pytest.raises(WireError):
            payloads.read(Block(kind, data, bytes(64)))


def test_standing_orders_add_or_remove_something() -> None:
    with pytest.raises(BadFields):
        payloads.Standing(**COMMON, game="weaver-7k2q", seat=1)
