"""Random streams: their definition, their fairness, and that they resume."""

from __future__ import annotations

import hashlib
import hmac
from collections import Counter
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sigilpost_engine.core import codec
from sigilpost_engine.core.rng import Rng


def test_words_are_those_of_hmac_sha256_in_counter_mode() -> None:
    rng = Rng(b"key")
    expected = b"".join(
        hmac.new(b"key", number.to_bytes(8, "big"), hashlib.sha256).digest() for number in (0, 1)
    )
    words = b"".join(rng.word().to_bytes(4, "big") for _ in range(16))
    assert words == expected


def test_a_word_too_high_to_be_fair_is_drawn_again() -> None:
    class Loaded(Rng):
        def word(self) -> int:
            return next(words)

    words = iter([2**32 - 1, 2**32 - 2, 7])
    # The highest multiple of 3 is 2**32 - 1, so exactly one word is refused.
    assert Loaded(b"").below(3) == (2**32 - 2) % 3 == 2
    assert next(words) == 7


@pytest.mark.parametrize("bound", [0, -1, 2**32 + 1])
def test_bounds_that_no_word_can_serve_are_refused(bound: int) -> None:
    with pytest.raises(ValueError, match="bound"):
        Rng(b"").below(bound)


@given(st.binary(max_size=40), st.integers(0, 60), st.lists(st.integers(1, 2**32), max_size=20))
def test_a_stored_stream_goes_on_where_it_was(key: bytes, skip: int, bounds: list[int]) -> None:
    rng = Rng(key)
    for _ in range(skip):
        rng.word()
    other = codec.decode(Rng, codec.encode(rng))
    assert [other.below(bound) for bound in bounds] == [rng.below(bound) for bound in bounds]


def test_every_order_of_a_shuffle_is_as_likely_as_any_other() -> None:
    rng, orders = Rng(b"fair"), Counter[tuple[int, ...]]()
    for _ in range(6000):
        cards = [0, 1, 2]
        rng.shuffle(cards)
        orders[tuple(cards)] += 1
    assert set(orders) == set(permutations(range(3)))
    assert all(abs(count - 1000) < 130 for count in orders.values())
