"""Every address that is read can be written: a hostile one is refused at once, and never later."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sigilpost_server.mail_in.addresses import BadAddress, parse_address
from sigilpost_server.mail_out import headers

LETTERS = st.characters(min_codepoint=33, exclude_characters="@<>()")
TAILS = st.sampled_from(["", "-", ".x", ".test", "xn--a", "a" * 60])


@settings(max_examples=2_000, deadline=None)
@given(st.text(LETTERS, min_size=1, max_size=8), st.text(LETTERS, min_size=1, max_size=8), TAILS)
def test_what_is_taken_for_an_address_can_stand_in_a_header_and_be_read_again(
    local: str, domain: str, tail: str
) -> None:
    try:
        address = parse_address(f"{local}@{domain}{tail}")
    except BadAddress:
        return
    assert headers.address(address.spelled)
    assert parse_address(address.normal).normal == address.normal


@pytest.mark.parametrize("domain", ["¯.x", "ñ" + "a" * 62, "a\u06dd.test", "xn--\u00fc.test"])
def test_a_domain_without_a_form_for_mail_is_refused(domain: str) -> None:
    with pytest.raises(BadAddress):
        parse_address(f"zoe@{domain}")
