"""The door: mails a second through it, and what hostile mail costs."""

from __future__ import annotations

from email.parser import BytesParser
from email.policy import compat32

from sigilpost_server.mail_in import addresses, door, extract, machine
from sigilpost_server.mail_in.door import Refused
from tests.mail.hostile import HOSTILE, measure
from tests.mail.samples import FRESH, OURS, TEXT, fixture, mail

from .rows import Row, median_seconds

MAILS = 100
SECONDS_GOAL = 2
MEGABYTES_GOAL = 200


def run() -> list[Row]:
    """Mails a second for good, quoted, HTML-only and hostile mail; the worst of the hostile."""
    kinds = {
        "good mail of 4 KB": _good(),
        "client's own mail": fixture("sigil_plain"),
        "quoted reply, text and HTML": fixture("gmail_web_reply"),
        "HTML only": fixture("yahoo_html_only"),
        "winmail.dat": fixture("winmail_rtf_only"),
        "a block that needs another reading": fixture("quoted_printable_header_lost"),
        "without a block, 20 KB of HTML": _newsletter(),
    }
    return [*(_good_row(name, raw) for name, raw in kinds.items()), *_hostile_rows()]


def _good() -> bytes:
    filler = "And so the long game goes on, card after card, letter after letter.\r\n"
    return mail(TEXT + filler * ((4096 - len(mail(TEXT))) // len(filler)))


def _newsletter() -> bytes:
    row = '<tr><td style="color:#333">News &amp; views&nbsp;of the week</td><td>more</td></tr>\n'
    return mail("<html><table>" + row * (20_000 // len(row)) + "</table></html>", kind="text/html")


def _read(raw: bytes) -> int:
    """All that a server does with a mail's bytes before it looks at games."""
    it = door.admit(raw)
    assert not isinstance(it, Refused)
    machine.machine_made(it, OURS)
    addresses.sender(it.headers("From"))
    said = extract.extract(it)
    assert not isinstance(said, Refused)
    return sum(candidate.block == FRESH for candidate in said.blocks)


def _good_row(name: str, raw: bytes) -> Row:
    def through() -> None:
        for _ in range(MAILS):
            _read(raw)

    def parsed() -> None:
        for _ in range(MAILS):
            BytesParser(policy=compat32).parsebytes(raw)

    milliseconds = median_seconds(through) / MAILS * 1000
    floor = median_seconds(parsed) / MAILS * 1000
    rate = 1000 / milliseconds
    return Row(f"door: {name} ({rate:,.0f} mails/s)", milliseconds, "ms a mail", floor)


def _hostile_rows() -> list[Row]:
    costs = {name: measure(name) for name in HOSTILE}
    seconds = sum(cost.seconds for cost in costs.values())
    slowest = max(costs, key=lambda name: costs[name].seconds)
    biggest = max(costs, key=lambda name: costs[name].megabytes)
    return [
        Row(f"door: hostile mail, {len(costs)} kinds", len(costs) / seconds, "mails/s"),
        Row(
            f"door: slowest: {slowest}",
            costs[slowest].seconds,
            "s",
            goal=f"under {SECONDS_GOAL}",
        ),
        Row(
            f"door: biggest: {biggest}",
            costs[biggest].megabytes,
            "MB",
            goal=f"under {MEGABYTES_GOAL}",
        ),
    ]
