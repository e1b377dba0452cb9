"""RFC 5321 section 4.5.1: mail to the postmaster is the host's; it is not lost, orders nothing, and
nobody is answered."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from sigilpost_server import host
from sigilpost_server.mail_in import postmaster
from tests.server.service.test_host import Run, lines, sigilpost  # noqa: F401
from tests.server.service.town import Table, Town

HOST = "host@home.test"


@pytest.fixture
def hosted(sqlite_url: str) -> Iterator[Town]:
    """A town whose host has an address."""
    with Town.on(sqlite_url, server={"host": HOST}, limits={"postmaster_per_day": 3}) as town:
        yield town


def to_postmaster(raw: bytes, sender: str = "zoe@else.test") -> bytes:
    """A mail as the listener hands it over."""
    return b"Return-Path: <%s>\r\n%s%s" % (sender.encode(), postmaster.DELIVERED, raw)


def aside(town: Town) -> list[str]:
    """Why each mail is set aside."""
    return [kept.why for kept in host.set_aside(town.service.database)]


def test_it_is_passed_on_as_it_came_and_nobody_is_answered(hosted: Town) -> None:
    raw = to_postmaster(hosted.mail("Zoe <zoe@else.test>", "Stop it!", Subject="Your mail"))
    verdict = hosted.deliver(raw)
    assert (verdict.verdict, verdict.reason) == ("ignored", "to-postmaster")
    [mail] = hosted.post()
    assert mail.to == HOST
    assert "zoe@else.test" in mail.text
    assert "Your mail" in mail.text
    [attached] = mail.mail.iter_attachments()
    assert attached.get_content() == raw
    assert hosted.deliver(raw).reason == "duplicate"
    assert hosted.post() == []


def test_a_report_or_a_robot_s_mail_is_passed_on_too(hosted: Town) -> None:
    robot = hosted.mail("MAILER-DAEMON@relay.test", "Undelivered", Auto_Submitted="auto-replied")
    assert hosted.deliver(to_postmaster(robot, "")).reason == "to-postmaster"
    assert [mail.to for mail in hosted.post()] == [HOST]


def test_a_move_that_is_sent_there_is_none(table: Table) -> None:
    town, asked = table.town, table.asked
    order = town.mail(asked, table.order(asked, table.line()))
    before = town.stored()
    assert town.deliver(to_postmaster(order)).reason == "to-postmaster"
    assert town.stored() == before
    assert town.post() == []
    assert town.deliver(order).reason == "ok"


def test_without_an_address_of_the_host_it_is_set_aside(
    town: Town,
    sigilpost: Run,  # noqa: F811
) -> None:
    raw = to_postmaster(town.mail("zoe@else.test", "Stop it!"))
    digest = town.deliver(raw).digest
    assert town.post() == []
    _, out, _ = sigilpost("mail", "list", "--json")
    [line] = lines(out)
    assert (line["digest"], line["why"]) == (digest, "to postmaster")
    assert "Stop it!" in sigilpost("mail", "show", digest)[1]


def test_what_cannot_be_read_is_not_lost(hosted: Town) -> None:
    raw = to_postmaster(b"X: " + b"x" * 300_000 + b"\r\n\r\nhello\r\n")
    assert hosted.deliver(raw).reason == "to-postmaster"
    [mail] = hosted.post()
    [attached] = mail.mail.iter_attachments()
    assert attached.get_content() == raw


def test_hazard_08_our_own_mail_come_back_is_set_aside_and_goes_no_further_round(
    hosted: Town,
) -> None:
    hosted.deliver(to_postmaster(hosted.mail("zoe@else.test", "Stop it!")))
    [passed_on] = hosted.post()
    hosted.deliver(to_postmaster(passed_on.raw, "play+b0a1b2c3@server.test"))
    assert hosted.post() == []
    assert aside(hosted) == ["to postmaster"]


def test_a_host_whose_address_is_the_server_s_own_loses_none(sqlite_url: str) -> None:
    """It would come back as our own mail, of which nothing is kept."""
    own = {"address": "play@server.test", "host": "Play+host@server.test"}
    with Town.on(sqlite_url, server=own) as town:
        town.deliver(to_postmaster(town.mail("zoe@else.test", "Stop it!")))
        assert town.post() == []
        assert aside(town) == ["to postmaster"]


def test_hazard_10_more_in_a_day_than_the_limit_is_set_aside(hosted: Town) -> None:
    for number in range(5):
        hosted.deliver(to_postmaster(hosted.mail("zoe@else.test", f"Number {number}")))
    assert len(hosted.post()) == 3
    assert len(aside(hosted)) == 2


def test_what_is_too_long_for_most_relays_is_set_aside(hosted: Town) -> None:
    long = hosted.mail("zoe@else.test", "0123456789 " * 6 * 70_000)
    hosted.deliver(to_postmaster(long))
    assert hosted.post() == []
    assert len(aside(hosted)) == 1
