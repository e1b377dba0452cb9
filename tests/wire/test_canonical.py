"""RFC 8785: one value has exactly one sequence of bytes."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sigilpost_engine.wire import canonical
from sigilpost_engine.wire.canonical import INT_MAX
from sigilpost_engine.wire.errors import NotCanonical

TEXT = st.text(st.characters(codec="utf-8"))
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-INT_MAX, INT_MAX) | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=12,
)


def test_rfc_8785_3_2_2_2_strings_are_escaped_as_ecmascript_does() -> None:
    value = "\u20ac$\u000f\nA'\u0042\u0022\u005c\\\"/\x7f\b\t\f\r"
    assert canonical.encode(value) == (
        b'"\xe2\x82\xac$\\u000f\\nA\'B\\"\\\\\\\\\\"/\x7f\\b\\t\\f\\r"'
    )


def test_rfc_8785_3_2_3_keys_sort_by_utf_16_code_units() -> None:
    # The page's own example; by code points the smiley would come after U+FB33.
    keys = ["\u20ac", "\r", "\ufb33", "1", "\U0001f600", "\u0080", "\u00f6"]
    wanted = ["\r", "1", "\u0080", "\u00f6", "\u20ac", "\U0001f600", "\ufb33"]
    assert list(json.loads(canonical.encode(dict.fromkeys(keys, 0)))) == wanted


def test_no_white_space_and_literals_as_json_has_them() -> None:
    assert (
        canonical.encode({"b": [True, False, None], "a": -3}) == b'{"a":-3,"b":[true,false,null]}'
    )


@given(VALUES)
def test_what_was_encoded_decodes_to_the_same(value: Any) -> None:
    assert canonical.decode(canonical.encode(value)) == value


@given(st.dictionaries(TEXT, VALUES, min_size=2, max_size=5), st.randoms())
def test_the_order_of_insertion_does_not_matter(value: dict[str, Any], chance: Any) -> None:
    keys = list(value)
    chance.shuffle(keys)
    assert canonical.encode({key: value[key] for key in keys}) == canonical.encode(value)


@given(VALUES, st.data())
def test_any_other_spelling_of_a_value_is_refused(value: Any, data: st.DataObject) -> None:
    mine = canonical.encode(value)
    other = data.draw(
        st.sampled_from(
            [
                json.dumps(value, indent=1).encode(),
                json.dumps(value, ensure_ascii=True, separators=(",", ":")).encode(),
                mine + b"\n",
                b" " + mine,
                b"\xef\xbb\xbf" + mine,
                mine.decode().encode("utf-16"),
            ]
        )
    )
    if other != mine:
        with pytest.raises(NotCanonical):
            canonical.decode(other)


@pytest.mark.parametrize(
    "data",
    [
        b'{"a":1,"a":1}',
        b'{"b":1,"a":1}',
        b'{"a":1,}',
        b'{"a": 1}',
        b"1.0",
        b"1e2",
        b"-0",
        b"01",
        b"NaN",
        b"Infinity",
        b"9007199254740992",
        b"1" * 5000,
        b'"\\u0041"',
        b'"\\/"',
        b'"\\ud83d\\ude00"',
        b'"\\ud800"',
        b'"\xed\xa0\x80"',
        b'"\xff"',
        b'"\n"',
        b"",
        b"[" * 100_000,
        b"[" * 65 + b"]" * 65,
    ],
    ids=lambda data: repr(data[:20]),
)
def test_bytes_that_are_not_their_own_canonical_form(data: bytes) -> None:
    with pytest.raises(NotCanonical):
        canonical.decode(data)


@pytest.mark.parametrize(
    "value", [1.0, float("nan"), "\ud800", 2**53, -(2**53), {1: 2}, {"\udfff": 1}, b"", {1, 2}]
)
def test_values_without_a_canonical_form(value: Any) -> None:
    with pytest.raises(NotCanonical):
        canonical.encode(value)


def test_the_largest_integers_pass() -> None:
    assert canonical.decode(canonical.encode([INT_MAX, -INT_MAX])) == [INT_MAX, -INT_MAX]
