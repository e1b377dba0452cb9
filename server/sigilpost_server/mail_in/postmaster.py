"""Mail to the postmaster, whom every host that takes mail by SMTP has (RFC 5321 section 4.5.1).

Such a mail is for the host, whatever is in it. What says so stands in the bytes that are kept, so
that it is known as long as the mail is, even where nothing else in it can be read.
"""

from __future__ import annotations

import re

NAME = "postmaster"
"""The local name, in lower case: it means the same in any."""

DELIVERED = b"Delivered-To: postmaster\r\n"
"""What the listener writes between the return path and the mail. Others write a whole address."""

_FOR_POSTMASTER = re.compile(rb"Return-Path: [^\r\n]*\r\n" + DELIVERED)


def is_for(raw: bytes) -> bool:
    """Whether a mail was delivered to the postmaster."""
    return _FOR_POSTMASTER.match(raw) is not None
