"""Keys and payloads for the tests of the wire and of the mails."""

from __future__ import annotations

from typing import Any

from sigilpost_engine.wire import payloads
from sigilpost_engine.wire.blocks import Block
from sigilpost_engine.wire.keys import PrivateKey
from sigilpost_engine.wire.payloads import Orders, Payload

SERVER = PrivateKey.from_seed(b"server".ljust(32, b"."))
ALICE = PrivateKey.from_seed(b"alice".ljust(32, b"."))
BOB = PrivateKey.from_seed(b"bob".ljust(32, b"."))

COMMON: dict[str, Any] = {
    "server": SERVER.fingerprint,
    "key": ALICE.fingerprint,
    "nonce": "00112233445566778899aabbccddeeff",
    "made": 1_750_000_000,
}


def orders(
    *lines: str, key: PrivateKey = ALICE, nonce: str = "00112233445566778899aabbccddeeff"
) -> Orders:
    """Orders for seat 1 of one game."""
    return Orders(
        server=SERVER.fingerprint,
        key=key.fingerprint,
        nonce=nonce,
        made=1_750_000_000,
        game="weaver-7k2q",
        seat=1,
        prompt="12-3fa9c1d2",
        lines=lines or ("claim stone 3",),
    )


def one_of_each() -> list[Payload]:
    """A payload of every kind."""
    public = ALICE.public.hex
    return [
        orders(),
        payloads.Register(
            **COMMON,
            public=public,
            name="Alice Ångström",
            address="alice@good.example",
            lang="en",
            zone="Europe/Vienna",
        ),
        payloads.Confirm(**COMMON, token="k3jd-92ks-uu2m"),
        payloads.Create(
            **COMMON,
            game="weaver",
            options={"hidden_cards": "flat", "rounds": 2, "open": True, "sets": ["base"]},
            opponents=("bob@good.example", "Carol"),
            rules={"credentials": "signed", "clock": "3 days"},
        ),
        payloads.Join(**COMMON, game="weaver-7k2q", commitment="ab" * 32),
        payloads.Decline(**COMMON, game="weaver-7k2q"),
        payloads.Resign(**COMMON, game="weaver-7k2q", seat=2),
        payloads.Chat(**COMMON, game="weaver-7k2q", to="all", text="Well played!\nTruly: 好"),
        payloads.Standing(
            **COMMON, game="weaver-7k2q", seat=2, add=("on turn do hide a3",), before=1, remove=(4,)
        ),
        payloads.rotation(BOB, **COMMON),
        payloads.Recover(**COMMON, public=public, address="alice@good.example", name="Alice"),
        payloads.Revoke(**COMMON, reason="the laptop was stolen"),
        payloads.Seal(**COMMON, public="ab" * 32),
        payloads.Request(**COMMON, what="games", args=("open",)),
    ]


def block(payload: Payload | None = None, key: PrivateKey = ALICE) -> Block:
    """The signed block of a payload."""
    return payloads.sign(payload or orders(), key)
