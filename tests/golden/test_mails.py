"""The golden mails: any change of what a mail says, or of its bytes, shows in a diff."""

from __future__ import annotations

import pytest

from tests.server.mail_out.samples import every_kind

from .mail_texts import HERE, WHOLE, text_of, whole


@pytest.mark.parametrize("name", every_kind())
def test_mail_says_what_is_recorded(name: str) -> None:
    assert text_of(name) == (HERE / f"{name}.txt").read_text("utf-8")


def test_a_whole_mail_is_recorded_byte_for_byte() -> None:
    assert whole() == (HERE / f"{WHOLE}.eml").read_bytes()


def test_no_recorded_mail_is_left_over() -> None:
    recorded = {file.stem for file in HERE.iterdir() if file.suffix}
    assert recorded == set(every_kind())
