"""The order in which mails were delivered into a Maildir, as the names of their files tell it.

A name is ``TIME.UNIQUE.HOST`` (maildir(5) of qmail, https://cr.yp.to/proto/maildir.html). TIME is
in seconds; UNIQUE may have ``M`` and the microseconds, ``Q`` and the number of the delivery within
its process. None of the figures is padded, so names do not sort as they stand.
"""

from __future__ import annotations

import re

SECOND = 10**9
"""Nanoseconds."""

_FIGURE = re.compile(r"([MQ])([0-9]+)")


def delivery(name: str, written: int) -> tuple[int, int, int, str]:
    """When a mail was delivered: seconds, nanoseconds, number of the delivery, and the name.

    A name that does not begin with a time is no MTA's: then the time of writing counts. So it does
    within the second where a name has no microseconds, as qmail's and procmail's.

    Parameters: ``name`` of the file; ``written`` when that file was written, in nanoseconds.
    """
    seconds, _, rest = name.partition(".")
    if not (seconds.isascii() and seconds.isdigit()):
        return (*divmod(written, SECOND), 0, name)
    figures = {key: int(figure) for key, figure in _FIGURE.findall(rest.partition(".")[0])}
    # Copied files may be of any time: that tells nothing of the second, and so all are alike.
    later = min(max(written - int(seconds) * SECOND, 0), SECOND - 1)
    within = figures["M"] * 1000 if "M" in figures else later
    return (int(seconds), within, figures.get("Q", 0), name)
