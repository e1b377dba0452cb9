"""Mail of ours that comes back: whose it is, what it scores, and who is told of a mark."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import select

from sigilpost_engine.wire import payloads
from sigilpost_server.clocks.control import BadControl
from sigilpost_server.clocks.terms import read_policy
from sigilpost_server.mail_in import bounces as reports
from sigilpost_server.models import OutgoingStatus, bounces, outgoing
from sigilpost_server.service import Verdict
from sigilpost_server.settings import BounceSettings
from sigilpost_server.transaction.bounces import POINT, Score, unreachable_since
from tests.server.service.town import SERVER, Received, Table, Town

DAY = 86_400
HOST = "host@server.test"
HARD, FULL, POLICY = "5.1.1", "5.2.2", "5.7.1"


@pytest.fixture
def hosted(sqlite_url: str) -> Iterator[Town]:
    """A server whose host wants news."""
    with Town.on(sqlite_url, server={"address": SERVER, "host": HOST}) as town:
        yield town


@pytest.fixture
def table(hosted: Town) -> Table:
    """A running game of three."""
    return hosted.begin("alice", "bob", "carol")


class Sent(NamedTuple):
    """A mail of ours and the envelope that it left with."""

    mail: Received
    return_path: str


def sent(table: Table, name: str) -> Sent:
    """The last mail to somebody, as the outbox sends it."""
    address = table.town.people[name].address
    mail = [each for each in table.mails if each.to == address][-1]
    return Sent(mail, table.town.service.house.return_path(str(mail.mail["Message-ID"])))


def dsn(to: str, address: str, status: str, *, action: str = "failed", about: bytes = b"") -> bytes:
    """A delivery report (RFC 3464) as Postfix writes it."""
    return (
        (
            f"Return-Path: <>\r\nFrom: MAILER-DAEMON@relay.test\r\nTo: {to}\r\n"
            "Subject: Undelivered Mail\r\nMIME-Version: 1.0\r\nAuto-Submitted: auto-replied\r\n"
            'Content-Type: multipart/report; report-type=delivery-status; boundary="b"\r\n\r\n'
            "--b\r\nContent-Type: text/plain\r\n\r\nYour mail could not be delivered.\r\n"
            "--b\r\nContent-Type: message/delivery-status\r\n\r\n"
            "Reporting-MTA: dns; relay.test\r\n\r\n"
            f"Final-Recipient: rfc822; {address}\r\nAction: {action}\r\nStatus: {status}\r\n"
            f"Diagnostic-Code: smtp; 550 {status} no such mailbox\r\n\r\n"
            "--b\r\nContent-Type: message/rfc822\r\n\r\n"
        ).encode()
        + about
        + b"\r\n--b--\r\n"
    )


def comes_back(
    table: Table, name: str, status: str = HARD, *, action: str = "failed", verp: bool = True
) -> Verdict:
    """The last mail to somebody comes back."""
    mail, path = sent(table, name)
    to = path if verp else SERVER
    return table.town.deliver(dsn(to, mail.to, status, action=action, about=mail.raw))


def marked(town: Town, name: str) -> bool:
    """Whether somebody's address counts as unreachable."""
    with town.service.database.read() as db:
        return unreachable_since(db, town.people[name].address) is not None


def scores(town: Town) -> list[tuple[int, int]]:
    """The hard and soft scores of all addresses."""
    with town.service.database.read() as db:
        return [(row.hard, row.soft) for row in db.execute(select(bounces))]


# --- whose ----------------------------------------------------------------------------------


def test_every_mail_has_a_return_path_of_its_own(table: Table) -> None:
    claimed = table.town.service.outbox.claim(100)
    paths = {mail.envelope_from for mail in claimed}
    assert len(paths) == len(claimed) > 3
    for mail in claimed:
        assert mail.envelope_from.startswith("play+b")
        assert table.town.service.house.returned(mail.envelope_from) == mail.message_id
        assert table.town.service.house.returned(mail.envelope_from.upper()) == mail.message_id


def test_the_return_path_can_be_another_address(sqlite_url: str) -> None:
    with Town.on(sqlite_url, bounces={"address": "bounce@server.test"}) as town:
        path = town.service.house.return_path("<" + "0a" * 15 + "@server.test>")
    assert path == "bounce+b" + "0a" * 15 + "@server.test"


def test_without_subaddresses_the_return_path_is_the_plain_one(sqlite_url: str) -> None:
    with Town.on(sqlite_url, server={"address": SERVER, "subaddress": ""}) as town:
        assert town.service.house.return_path("<" + "0a" * 15 + "@server.test>") == SERVER


@pytest.mark.parametrize("verp", [True, False])
def test_a_report_is_known_by_its_return_path_or_by_the_mail_that_it_returns(
    table: Table, verp: bool
) -> None:
    verdict = comes_back(table, "bob", verp=verp)
    assert (verdict.verdict, verdict.reason) == ("ignored", "delivery-report")
    assert marked(table.town, "bob")


def test_a_report_about_no_mail_of_ours_is_not_believed(table: Table) -> None:
    bob = table.town.people["bob"].address
    forged = b"Message-ID: <0123456789abcdef0123456789abcd@server.test>\r\nTo: bob\r\n"
    for to in (SERVER, "play+b" + "00" * 15 + "@server.test"):
        table.town.deliver(dsn(to, bob, HARD, about=forged))
    assert not marked(table.town, "bob")
    assert scores(table.town) == []


def test_hazard_09_a_forwarded_report_is_no_bounce(table: Table) -> None:
    mail, path = sent(table, "bob")
    report = dsn(path, mail.to, HARD, about=mail.raw).decode()
    body = f"--f\nContent-Type: message/rfc822\n\n{report}\n--f--\n"
    kind = "multipart/mixed; boundary=f"
    table.town.deliver(table.town.mail("carol", body, Content_Type=kind))
    assert not marked(table.town, "bob")


def test_hazard_09_a_report_that_holds_our_whole_mail_is_no_reply(table: Table) -> None:
    before = table.town.stored()
    comes_back(table, "bob")
    assert table.town.stored() == before
    assert {mail.to for mail in table.town.post()} == {
        HOST,
        "alice@player.test",
        "carol@player.test",
    }


def test_a_vacation_note_to_the_return_path_is_no_bounce(table: Table) -> None:
    """RFC 3834 section 4: automatic answers go there, too."""
    _, path = sent(table, "bob")
    note = table.town.mail("bob", "I am away.", To=path, Return_Path="<>")
    assert table.town.deliver(note).reason == "null-return-path"
    assert scores(table.town) == []


def test_a_bounce_without_a_report_in_it_is_understood(table: Table) -> None:
    """As qmail writes them."""
    mail, path = sent(table, "bob")
    text = (
        "Hi. This is the qmail-send program at relay.test.\n"
        "I'm afraid I wasn't able to deliver your message to the following addresses.\n"
        "This is a permanent error; I've given up. Sorry it didn't work out.\n\n"
        f"<{mail.to}>:\nSorry, no mailbox here by that name.\n\n"
        "--- Below this line is a copy of the message.\n\n"
    )
    headers = {"To": path, "Return_Path": "<>", "Subject": "failure notice"}
    table.town.deliver(table.town.mail("MAILER-DAEMON@relay.test", text, **headers))
    assert marked(table.town, "bob")


@pytest.mark.parametrize("body", ["", "Action: failed", "\x00" * 100, "=?", "Status: x\n" * 999])
def test_a_report_that_nobody_can_read_harms_nothing(table: Table, body: str) -> None:
    _, path = sent(table, "bob")
    kind = "multipart/report; report-type=delivery-status; boundary=b"
    raw = table.town.mail("MAILER-DAEMON@x.test", f"--b\n{body}\n--b--", To=path, Content_Type=kind)
    assert table.town.deliver(raw).verdict == "ignored"
    assert scores(table.town) == []


# --- what it scores -------------------------------------------------------------------------


def test_a_report_of_the_same_mail_counts_once(table: Table) -> None:
    mail, path = sent(table, "bob")
    for words in (b"", b"again"):
        table.town.deliver(dsn(path, mail.to, HARD, about=words))
    assert scores(table.town) == [(POINT, 0)]


@pytest.mark.parametrize(
    ("status", "action", "score"),
    [
        (HARD, "failed", (POINT, 0)),
        ("5.2.1", "failed", (POINT, 0)),
        ("5.0.0", "failed", (POINT, 0)),
        (FULL, "failed", (0, POINT)),
        (POLICY, "failed", (0, POINT)),
        ("5.6.0", "failed", (0, POINT)),
        ("4.4.1", "delayed", (0, POINT)),
    ],
)
def test_rfc_3463_lasting_and_passing_failures(
    table: Table, status: str, action: str, score: tuple[int, int]
) -> None:
    comes_back(table, "bob", status, action=action)
    assert scores(table.town) == [score]


@pytest.mark.parametrize(
    ("status", "said", "score"),
    [
        ("5.0.0", "552-5.2.2 The account that you tried to reach is over quota", (0, POINT)),
        ("5.0.0", "550 5.7.1 Message rejected as spam", (0, POINT)),
        ("5.0.0", "550 5.1.1 no such user", (POINT, 0)),
        ("5.0.0", "552 sorry", (0, POINT)),
        ("5.0.0", "550 Mailbox is full", (0, POINT)),
        ("5.0.0", "550 user unknown, full details follow", (POINT, 0)),
        ("5.1.1", "552 user unknown", (POINT, 0)),
        ("5.1.8", "550 5.1.8 bad outbound sender", (0, POINT)),
        ("5.2.122", "550 5.2.122 too many messages in this hour", (0, POINT)),
        ("5.1.10", "550 5.1.10 RecipientNotFound", (POINT, 0)),
    ],
)
def test_rfc_3463_a_status_that_tells_nothing_gives_way_to_what_the_other_server_said(
    table: Table, status: str, said: str, score: tuple[int, int]
) -> None:
    """Exim writes 5.0.0 whatever it was told."""
    mail, path = sent(table, "bob")
    report = dsn(path, mail.to, status).decode()
    report = report.replace(f"550 {status} no such mailbox", said)
    table.town.deliver(report.encode())
    assert scores(table.town) == [score]


@pytest.mark.parametrize(
    ("first", "second", "score"),
    [
        (("delivered", "2.0.0"), ("failed", HARD), (0, POINT)),
        (("failed", HARD), ("relayed", "2.0.0"), (0, POINT)),
        (("failed", FULL), ("failed", HARD), (POINT, 0)),
        (("failed", FULL), ("failed", POLICY), (0, POINT)),
    ],
)
def test_an_address_that_stands_for_two_is_lost_when_it_reaches_neither(
    table: Table, first: tuple[str, str], second: tuple[str, str], score: tuple[int, int]
) -> None:
    mail, path = sent(table, "bob")
    report = dsn(path, mail.to, first[1], action=first[0]).decode()
    another = (
        f"Final-Recipient: rfc822; bob@else.test\r\nAction: {second[0]}\r\nStatus: {second[1]}\r\n"
    )
    end = "no such mailbox\r\n\r\n"
    table.town.deliver(report.replace(end, f"{end}{another}\r\n").encode())
    assert scores(table.town) == [score]


@pytest.mark.parametrize(
    ("said", "score"),
    [
        ("Remote host said: 552 5.2.2 mailbox full", (0, POINT)),
        ("mailbox is full: retry timeout exceeded", (0, POINT)),
        ("Remote host said: 554 5.7.1 no spam here", (0, POINT)),
        ("Remote host said: 550 5.1.1 unknown user", (POINT, 0)),
        ("Sorry, no mailbox here by that name.", (POINT, 0)),
    ],
)
def test_the_reason_of_a_bounce_in_plain_text_is_read(
    table: Table, said: str, score: tuple[int, int]
) -> None:
    """As qmail and old Exim write them; the returned mail below says nothing of it."""
    mail, path = sent(table, "bob")
    text = (
        "Hi. This is the qmail-send program at relay.test.\n"
        "This is a permanent error; I've given up. Sorry it didn't work out.\n\n"
        f"<{mail.to}>:\n{said}\n\n"
        "--- Below this line is a copy of the message.\n\n550 5.7.1 mailbox full\n"
    )
    headers = {"To": path, "Return_Path": "<>", "Subject": "failure notice"}
    table.town.deliver(table.town.mail("MAILER-DAEMON@relay.test", text, **headers))
    assert scores(table.town) == [score]


def test_a_failure_after_a_delay_counts_as_well(table: Table) -> None:
    comes_back(table, "bob", "4.4.1", action="delayed")
    comes_back(table, "bob", HARD)
    assert scores(table.town) == [(POINT, POINT)]


def test_a_success_report_is_no_bounce(table: Table) -> None:
    comes_back(table, "bob", "2.1.5", action="relayed")
    assert scores(table.town) == []


@given(
    st.lists(st.tuples(st.integers(0, 40 * DAY), st.booleans()), max_size=30),
    st.integers(DAY, 30 * DAY),
)
def test_scores_only_fall_with_time_and_rise_with_failures(
    failures: list[tuple[int, bool]], half_life: int
) -> None:
    score, now = Score(), 0
    for pause, lasting in failures:
        now += pause
        faded = score.at(now, half_life)
        assert 0 <= faded.hard <= score.hard
        assert 0 <= faded.soft <= score.soft
        score = faded.plus(lasting=lasting)
        assert score.hard + score.soft == faded.hard + faded.soft + POINT
    half = score.at(now + half_life, half_life)
    assert abs(half.hard - score.hard / 2) <= 1


def test_five_passing_failures_mark_and_they_fade(hosted: Town) -> None:
    settings = BounceSettings()
    week = Score()
    for day in range(5):
        week = week.at(day * DAY, settings.half_life_days * DAY).plus(lasting=False)
    assert not week.over(settings), "five failures over five days are a little less"
    assert week.plus(lasting=False).over(settings)
    assert not week.at(60 * DAY, 14 * DAY).plus(lasting=False).over(settings)


# --- who is told ----------------------------------------------------------------------------


def test_the_host_and_the_opponents_are_told_once(table: Table) -> None:
    comes_back(table, "bob")
    told = {mail.to: mail for mail in table.town.post()}
    assert set(told) == {HOST, "alice@player.test", "carol@player.test"}
    assert "bob cannot be reached" in told["alice@player.test"].subject
    assert table.tag in told["alice@player.test"].words
    assert "bob@player.test" not in told["alice@player.test"].raw.decode()
    assert "bob@player.test" in told[HOST].words
    assert HARD in told[HOST].words
    first = next(mail for mail in table.mails if mail.to == "bob@player.test")
    about = table.town.service.house.return_path(str(first.mail["Message-ID"]))
    table.town.deliver(dsn(about, "bob@player.test", HARD))
    assert table.town.post() == []


def test_whoever_is_marked_again_is_told_of_again(table: Table) -> None:
    comes_back(table, "bob")
    table.town.post()
    table.play_to_end()
    comes_back(table, "bob")
    assert {mail.to for mail in table.town.post()} == {HOST}, "nobody plays with bob any more"


def test_an_order_that_counts_takes_the_mark_away(table: Table) -> None:
    name = table.asked
    comes_back(table, name)
    assert marked(table.town, name)
    table.town.post()
    assert table.play().reason == "ok"
    assert not marked(table.town, name)
    assert scores(table.town) == []


def test_a_mark_fades_when_nothing_more_comes_back(table: Table) -> None:
    comes_back(table, "bob")
    table.town.clock.advance(13 * DAY)
    table.town.service.tick()
    assert marked(table.town, "bob")
    table.town.clock.advance(2 * DAY)
    table.town.service.tick()
    assert not marked(table.town, "bob")


def test_an_invitation_that_comes_back_is_told_to_those_at_the_table(hosted: Town) -> None:
    hosted.register("alice")
    hosted.post()
    tag = hosted.propose("alice", "zoe@else.test", "yan@else.test")
    mail = next(each for each in hosted.post() if each.to == "zoe@else.test")
    path = hosted.service.house.return_path(str(mail.mail["Message-ID"]))
    hosted.deliver(dsn(path, "zoe@else.test", HARD))
    told = {each.to: each for each in hosted.post()}
    assert set(told) == {HOST, "alice@player.test"}
    assert tag in told["alice@player.test"].words


# --- the relay's own refusals ---------------------------------------------------------------


def bounced(table: Table, name: str, why: str) -> None:
    """The relay refuses the last mail to somebody for good."""
    message_id = str(sent(table, name).mail.mail["Message-ID"])
    outbox = table.town.service.outbox
    [mail] = [each for each in outbox.claim(100) if each.message_id == message_id]
    outbox.bounced(mail.id, why)
    table.town.service.tick()


@pytest.mark.parametrize(
    ("why", "score"),
    [
        ("550 5.1.1 no such user", (POINT, 0)),
        ("550 no such user", (POINT, 0)),
        ("552 5.2.2 mailbox full", (0, POINT)),
        ("554 5.7.1 spam", (0, POINT)),
        ("451 4.3.0 later, for five days", (POINT, 0)),
    ],
)
def test_what_the_relay_refuses_for_good_counts_too(
    table: Table, why: str, score: tuple[int, int]
) -> None:
    bounced(table, "bob", why)
    assert scores(table.town) == [score]
    assert marked(table.town, "bob") is bool(score[0])


def test_a_refused_mail_that_is_reported_as_well_counts_once(table: Table) -> None:
    bounced(table, "bob", "550 5.1.1 no such user")
    comes_back(table, "bob")
    assert scores(table.town) == [(POINT, 0)]
    with table.town.service.database.read() as db:
        failed = db.execute(
            select(outgoing.c.recipient).where(outgoing.c.status == OutgoingStatus.FAILED)
        )
        assert set(failed.scalars()) == {"bob@player.test"}


def test_reports_are_read_in_any_state_of_the_game(any_town: Town) -> None:
    table = any_town.begin("alice", "bob", "carol")
    table.play_to_end()
    assert any_town.send("alice", payloads.Request, what="games").reason == "ok"
    comes_back(table, "bob")
    assert marked(any_town, "bob")
    assert [mail.to for mail in any_town.post()] == ["alice@player.test"]


def test_what_a_status_means() -> None:
    assert reports.lasts("")
    assert reports.lasts("5.1.1 x")
    assert not reports.lasts("5.2.2 full")
    assert reports.lasts("10.5.2.2 is an address")


# --- the clock ------------------------------------------------------------------------------


def timed(town: Town, timeout: str) -> Table:
    """A game of alice, bob and carol with a day for each move."""
    town.register("alice", "bob", "carol")
    verdict = town.send(
        "alice",
        payloads.Create,
        game="weaver",
        options={},
        opponents=("bob", "carol"),
        rules={"clock": "1d per move", "timeout": timeout},
    )
    assert verdict.reason == "ok", verdict
    for name in ("alice", "bob", "carol"):
        assert town.send(name, payloads.Join, game=verdict.game).reason == "ok"
    table = Table(town, verdict.game, ["alice", "bob", "carol"])
    table.read()
    return table


@pytest.mark.parametrize("unreachable", [True, False])
def test_the_clock_s_policy_can_be_another_for_who_cannot_be_reached(
    hosted: Town, unreachable: bool
) -> None:
    table = timed(hosted, "forfeit, unreachable claim")
    late = table.asked
    if unreachable:
        comes_back(table, late)
    hosted.clock.advance(3 * DAY)
    hosted.service.tick()
    other = next(name for name in table.names if name != late)
    status = "running" if unreachable else "finished"
    mail = [each for each in hosted.post() if each.to == hosted.people[other].address][-1]
    assert mail.turn.status == status
    assert ("sigil claim" in mail.words) is unreachable


@pytest.mark.parametrize(
    "line", ["forfeit, unreachable bot greedy", "claim, excuses 2, unreachable substitute"]
)
def test_the_policy_line_reads_back(line: str) -> None:
    assert str(read_policy(line)) == line
    assert read_policy(line).for_unreachable.excuses == 0


@pytest.mark.parametrize("line", ["forfeit, unreachable", "forfeit, unreachable excuses 2"])
def test_a_policy_for_the_unreachable_is_one_of_the_acts(line: str) -> None:
    with pytest.raises(BadControl):
        read_policy(line)
