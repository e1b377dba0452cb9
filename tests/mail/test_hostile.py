"""Hostile mails cost little, and never raise (mail-hazards 30 and 31)."""

from __future__ import annotations

import pytest

from .hostile import HOSTILE, measure
from .samples import FRESH, TEXT, found, mail, refusal

# The figures to reach are 2 s and 200 MB; a slow or busy machine may take somewhat longer.
SECONDS = 4
MEGABYTES = 200

REFUSED = {
    "500 nested multiparts": "too-deep",
    "200 nested messages": "too-deep",
    "200,000 empty parts": "too-many-lines",
    "200,000 empty parts, short lines": "too-many-parts",
    "149,000 blocks of delivery status": "too-many-parts",
    "subject of 140 KB in encoded words": "header-too-long",
    "subject of 140 KB, folded": "header-too-long",
    "a header of a megabyte": "header-too-long",
    "12 MB of empty lines": "too-many-lines",
    "one line of 12 MB": "too-much-text",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hazard_30_a_hostile_mail_costs_little_and_never_raises(name: str) -> None:
    cost = measure(name)
    assert cost.seconds < SECONDS
    assert cost.megabytes < MEGABYTES
    if name in REFUSED:
        assert cost.reason == REFUSED[name]


def test_hazard_30_a_message_id_that_breaks_parsers_does_not_matter() -> None:
    assert found(mail(extra="Message-ID: <[abc@x>\n")) == [FRESH]


def test_hazard_31_nul_bytes_do_not_matter() -> None:
    nuls = "\0".join(TEXT)
    assert found(mail(nuls)) == [FRESH]


def test_hazard_31_raw_8_bit_headers_do_not_matter() -> None:
    assert found(mail(extra="X-Bad: \udcff\udcfe\udc80\n", subject="\udcff")) == [FRESH]


def test_hazard_31_a_boundary_that_is_a_prefix_of_another_does_not_matter() -> None:
    inner = "--bb\r\nContent-Type: text/plain\r\n\r\n" + TEXT + "\r\n--bb--\r\n"
    body = f"--b\r\nContent-Type: multipart/mixed; boundary=bb\r\n\r\n{inner}\r\n--b--\r\n"
    assert found(mail(body, kind="multipart/mixed; boundary=b")) == [FRESH]


def test_a_hostile_mail_is_refused_before_the_parser_has_read_it_all() -> None:
    assert refusal(mail(extra="X: y\n" * 60_000)) == "too-many-headers"
