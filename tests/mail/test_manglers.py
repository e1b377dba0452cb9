"""Whatever mailers do, in up to five steps: the block is found, and nothing else is believed."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sigilpost_engine.wire import payloads
from sigilpost_engine.wire.blocks import Block, armour
from sigilpost_engine.wire.errors import WireError
from sigilpost_server.mail_in import door, extract
from tests.wire.samples import ALICE

from .manglers import MAIL_MANGLERS, PACKERS, TEXT_MANGLERS
from .samples import FRESH, TEXT, found

STEPS = 5
CASES = 1500


@st.composite
def ways(draw: st.DrawFn) -> tuple[list[Any], Any, list[Any], int]:
    """Manglings of the text, a packing, manglings of the mail: five in all at most."""
    texts = draw(st.lists(st.sampled_from(TEXT_MANGLERS), max_size=STEPS - 1))
    room = STEPS - 1 - len(texts)
    packer = draw(st.sampled_from(PACKERS))
    mails = draw(st.lists(st.sampled_from(MAIL_MANGLERS), max_size=room))
    # An mbox line is put on last or not at all.
    mails.sort(key=lambda each: each.__name__ == "unix_lines")
    return texts, packer, mails[:room], draw(st.integers(0, 2**32))


def mangled(text: str, way: tuple[list[Any], Any, list[Any], int]) -> bytes:
    """The mail that comes out."""
    texts, packer, mails, seed = way
    chance = random.Random(seed)
    for mangle in texts:
        text = mangle(text, chance)
    raw: bytes = packer(text, chance)
    for mangle in mails:
        raw = mangle(raw, chance)
    return raw


@settings(max_examples=CASES)
@given(ways())
def test_any_five_manglings_still_yield_exactly_the_block(way: Any) -> None:
    assert found(mangled(TEXT, way)) == [FRESH]


@settings(max_examples=CASES)
@given(ways(), st.integers(0, len(FRESH.payload) + 63), st.integers(1, 255))
def test_no_change_of_a_signed_byte_is_accepted_however_it_comes(
    way: Any, at: int, change: int
) -> None:
    data = bytearray(FRESH.payload + FRESH.signature)
    data[at] ^= change
    size = len(FRESH.payload)
    forged = armour(Block("ORDERS", bytes(data[:size]), bytes(data[size:])))
    for block in found(mangled(forged, way)):
        with pytest.raises(WireError):
            payloads.verify(block, ALICE.public)


@settings(max_examples=CASES)
@given(ways(), st.data())
def test_a_mail_damaged_anywhere_yields_the_block_or_nothing_that_verifies(
    way: Any, data: st.DataObject
) -> None:
    raw = bytearray(mangled(TEXT, way))
    for _ in range(data.draw(st.integers(1, 8))):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    it = door.admit(bytes(raw))
    said = extract.extract(it) if isinstance(it, door.Mail) else it
    if isinstance(said, door.Refused):
        return
    for candidate in said.blocks:
        if candidate.block not in (None, FRESH):
            with pytest.raises(WireError):
                payloads.verify(candidate.block, ALICE.public)


@pytest.mark.parametrize("mangle", TEXT_MANGLERS, ids=lambda each: each.__name__)
@pytest.mark.parametrize("pack", PACKERS, ids=lambda each: each.__name__)
def test_each_mangling_with_each_packing(mangle: Any, pack: Any) -> None:
    for seed in range(5):
        assert found(mangled(TEXT, ([mangle], pack, [], seed))) == [FRESH]


@pytest.mark.parametrize("mangle", MAIL_MANGLERS, ids=lambda each: each.__name__)
@pytest.mark.parametrize("pack", PACKERS, ids=lambda each: each.__name__)
def test_each_packing_through_each_way(mangle: Any, pack: Any) -> None:
    for seed in range(5):
        assert found(mangled(TEXT, ([], pack, [mangle], seed))) == [FRESH]
