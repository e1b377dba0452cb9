"""Mail hazards that concern the whole way of a mail, by their numbers.

Those of reading alone are in ``tests/mail/test_hazards.py``.
"""

from __future__ import annotations

import email
import email.policy
import itertools
import re
from collections.abc import Iterator
from contextlib import contextmanager
from email.message import EmailMessage
from html.parser import HTMLParser

import pytest
from sqlalchemy import Connection, event, select

from sigilpost_engine.wire import payloads
from sigilpost_engine.wire.blocks import armour
from sigilpost_server.models import outgoing
from sigilpost_server.prepared import Prepared
from tests.server.service.town import SERVER, Received, Table, Town

NO_GAME = ("Your hand", "weaver-", "ASHW", "OHIF", "ESBNER")


@pytest.fixture
def table(town: Town) -> Table:
    """A running game of three."""
    return town.begin("alice", "bob", "carol")


def order(table: Table, **headers: str) -> bytes:
    """A mail with a good order of whoever is asked."""
    name = table.asked
    return table.town.mail(name, table.order(name, table.line()), **headers)


# --- who says so ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "headers",
    [
        {"From": "alice@player.test <eve@else.test>"},
        {"From": "eve@else.test", "Reply_To": "alice@player.test"},
        {"From": "eve@else.test", "Subject": "[weaver-7k2q] I am alice"},
        {"From": '"alice via Cards" <cards@lists.test>'},
        {"From": "eve@else.test", "Authentication_Results": "server.test; dkim=pass"},
    ],
    ids=["two readings (1)", "reply-to (2)", "subject (2)", "list (4)", "results (3)"],
)
def test_hazard_01_to_05_no_header_decides_who_orders_or_who_is_answered(
    table: Table, headers: dict[str, str]
) -> None:
    mover = table.asked
    assert table.town.deliver(order(table, **headers)).reason == "ok"
    receivers = {mail.to for mail in table.read()}
    assert table.town.people[mover].address in receivers
    assert not receivers & {"eve@else.test", "cards@lists.test"}


def test_hazard_04_a_mail_through_a_list_without_a_block_gains_nothing(table: Table) -> None:
    raw = table.town.mail("cards@lists.test", "pass", From='"alice via Cards" <cards@lists.test>')
    assert table.town.deliver(raw).reason == "unregistered"
    answer = table.town.only()
    assert answer.to == "cards@lists.test"
    assert not any(words in answer.raw.decode() for words in NO_GAME)


# --- machines -------------------------------------------------------------------------------


def test_hazard_08_each_mail_of_ours_that_comes_back_does_nothing(table: Table) -> None:
    table.play()
    mails = [*table.mails, *table.read()]
    before = table.town.stored()
    for mail in mails:
        for raw in (mail.raw, b"Received: from a by b; today\r\n" + mail.raw):
            assert table.town.deliver(raw).verdict in ("ignored", "duplicate")
    assert table.town.post() == []
    assert table.town.stored() == before


@pytest.mark.parametrize("about", ["a game", "no game"])
def test_hazard_08_our_list_id_is_a_mark_and_another_list_of_our_domain_is_none(
    table: Table, about: str
) -> None:
    """A list or gateway that writes its own From leaves or drops what else marks our mail."""
    tag = table.tag if about == "a game" else "sigilpost"
    sender = {"From": "Cards via list <cards@lists.test>"}
    before = table.town.stored()
    returned = order(table, **sender, List_Id=f"Game <{tag.upper()}.server.test>")
    assert table.town.deliver(returned).reason == "own-mail"
    assert table.town.post() == []
    assert table.town.stored() == before
    for foreign in ("weaver-fans.server.test", f"{table.tag}.else.test", "x" * 300):
        mail = table.town.mail("zoe@else.test", "hello", List_Id=f"<{foreign}>")
        assert table.town.deliver(mail).reason in ("unregistered", "stranger-budget")
    assert table.town.deliver(order(table, List_Id="<weaver-fans.server.test>")).reason == "ok"


# --- twice, never, late ---------------------------------------------------------------------


@contextmanager
def breaks_at(town: Town, number: int) -> Iterator[None]:
    """The program dies before its ``number``-th statement, whichever way it takes."""
    count = [0]

    def step(*_: object) -> None:
        count[0] += 1
        if count[0] == number:
            raise KeyboardInterrupt

    def text(self: Prepared, db: Connection) -> object:
        step()
        return known(self, db)

    engine, known = town.service.database.engine, Prepared._text
    event.listen(engine, "before_cursor_execute", step)
    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Prepared, "_text", text)
            yield
    finally:
        event.remove(engine, "before_cursor_execute", step)


def test_hazard_11_a_death_anywhere_in_the_transaction_is_repeated_without_a_trace(
    table: Table,
) -> None:
    raw, before = order(table), table.town.stored()
    for number in itertools.count(1):
        try:
            with breaks_at(table.town, number):
                verdict = table.town.deliver(raw)
            break
        except KeyboardInterrupt:
            assert table.town.stored() == before
            assert table.town.post() == []
    assert number > 10, "it has died often enough"
    assert verdict.reason == "ok"
    ids = [str(mail.mail["Message-ID"]) for mail in table.town.post()]
    assert len(set(ids)) == len(ids) > 0


def test_hazard_13_to_and_cc_and_a_scanner_between_give_one_answer(table: Table) -> None:
    block = table.order(table.asked, table.line())
    copies = [
        table.town.mail(table.asked, block, Message_ID="<a@player.test>"),
        table.town.mail(table.asked, block, Message_ID="<a@player.test>", X_Scanned="yes"),
        table.town.mail(table.asked, block, Message_ID="<scanner@player.test>"),
        table.town.mail(table.asked, block, Message_ID="-"),
    ]
    name = table.asked
    found = [table.town.deliver(raw).verdict for raw in copies]
    assert found == ["accepted", "duplicate", "duplicate", "duplicate"]
    answers = [m for m in table.town.post() if m.mail["Auto-Submitted"] == "auto-replied"]
    assert {mail.to for mail in answers} == {table.town.people[name].address}


@pytest.mark.parametrize("date", ["Thu, 1 Jan 1970 00:00:00 +0000", "31 Dec 99999", "soon", ""])
def test_hazard_15_the_date_of_a_mail_decides_nothing(table: Table, date: str) -> None:
    assert table.town.deliver(order(table, Date=date)).reason == "ok"


def test_hazard_16_a_mail_tried_again_is_the_same_mail(table: Table) -> None:
    outbox = table.town.service.outbox
    first = outbox.claim(100)
    for mail in first:
        outbox.retry(mail.id, "451 later", table.town.clock())
    again = outbox.claim(100)
    assert [(m.message_id, m.raw, m.envelope_from) for m in first] == [
        (m.message_id, m.raw, m.envelope_from) for m in again
    ]


# --- what clients do ------------------------------------------------------------------------


@pytest.mark.parametrize("subject", ["RE: AW: SV: Antw:x", "回复：", "", "=?utf-8?q?=0A?="])
def test_hazard_24_a_game_threads_whatever_the_answers_headers_became(
    table: Table, subject: str
) -> None:
    """References dropped by phones, Message-IDs rewritten by relays: the thread is of our own."""
    root = {str(mail.mail["References"]).split()[0] for mail in table.mails}
    assert len(root) == 1
    assert table.town.deliver(order(table, Subject=subject)).reason == "ok"
    for mail in table.read():
        assert str(mail.mail["References"]).split()[0] in root
        assert f"[{table.tag}]" in mail.subject


# --- what we may do to mail -----------------------------------------------------------------


def test_hazard_25_a_long_message_id_is_answered_as_it_is(table: Table) -> None:
    long = f"<{'x' * 90}@player.test>"
    assert table.town.deliver(order(table, Message_ID=long)).reason == "ok"
    [answer] = [m for m in table.read() if m.mail["Auto-Submitted"] == "auto-replied"]
    assert long.encode() in answer.raw
    assert answer.mail["In-Reply-To"] == long
    assert max(map(len, answer.raw.splitlines())) <= 998


POISON = [
    "=?UTF-8?Q?=0A?=Bcc: eve@evil.test",
    "=?utf-8?b?CkJjYzogZXZlQGV2aWwudGVzdA==?=",
    "x" * 7_000,
    "\udcff\udcfe",
    "=?utf-8?q?=E2=80=A8Bcc:_x?=",
]


@pytest.mark.parametrize("poison", POISON, ids=range(len(POISON)))
def test_hazard_26_no_subject_or_name_becomes_a_header_or_stops_the_answer(
    table: Table, poison: str
) -> None:
    name = table.asked
    person = table.town.people[name]
    raw = order(table, Subject="SUBJECT", From=f"NAME <{person.address}>")
    for where in (b"SUBJECT", b"NAME"):
        data = raw.replace(where, poison.encode("utf-8", "surrogateescape"))
        table.town.deliver(data.replace(b"Message-ID: <", b"Message-ID: <" + where))
    for mail in table.town.post():
        assert mail.mail["Bcc"] is None
        assert b"evil.test" not in mail.raw.partition(b"\r\n\r\n")[0]
    assert table.town.stored()["entry"]


def test_hazard_27_nothing_hidden_stands_in_any_header_or_file_name(table: Table) -> None:
    table.play_to_end()
    for mail in table.mails:
        view = mail.turn.view
        hand = view.get(mail.turn.seats[mail.turn.seat - 1], {}).get("hand", []) if view else []
        heads = mail.raw.partition(b"\r\n\r\n")[0].decode()
        names = " ".join(str(part.get_filename()) for part in mail.mail.walk())
        marks = " ".join(str(part.get_boundary()) for part in mail.mail.walk())
        for card in hand:
            assert card not in heads + names + marks
        assert mail.mail["Message-ID"].count("@") == 1
        assert re.fullmatch(r"<[0-9a-f]{30}@server\.test>", mail.mail["Message-ID"])


def test_hazard_27_a_new_player_of_a_seat_gets_no_quoted_history(table: Table) -> None:
    """Each mail says what is now and what happened since the last; none quotes another."""
    table.play_to_end()
    for mail in table.mails:
        assert not re.search(r"^>", mail.text, re.MULTILINE)
        assert b"message/rfc822" not in mail.raw


class _Tags(HTMLParser):
    """The tags of a page with their attributes, and what it says in tables."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def pages(mails: list[Received]) -> Iterator[_Tags]:
    """The HTML parts."""
    for mail in mails:
        body = mail.mail.get_body(("html",))
        assert isinstance(body, EmailMessage)
        yield _Tags(body.get_content())


def test_hazard_28_tables_are_real_tables_in_html(table: Table) -> None:
    for page in pages(table.mails):
        tags = {tag for tag, _ in page.found}
        assert {"table", "th", "td"} <= tags
        assert "pre" not in tags


def test_hazard_29_there_is_no_link_to_press_and_nothing_is_fetched(table: Table) -> None:
    """So no scanner that presses all links can do or learn anything."""
    town = table.town
    table.play_to_end()
    town.propose("alice", "zoe@else.test")
    for page in pages([*table.mails, *town.post()]):
        for tag, attributes in page.found:
            assert tag not in {"a", "img", "link", "script", "form", "iframe", "object", "base"}
            assert not {"href", "src", "background", "action"} & attributes.keys()


# --- hostile --------------------------------------------------------------------------------

AWKWARD = ["\x00", "\udcff\udcfe", "\ufffe", "\u2028", "\x1b[2J", "\U0001f600" * 99, "\ud7ff'\"\\%"]


@pytest.mark.parametrize("awkward", AWKWARD, ids=map(ascii, AWKWARD))
def test_hazard_31_no_character_anywhere_stops_a_database(any_town: Town, awkward: str) -> None:
    """PostgreSQL takes no NUL in a text, and neither database a broken character."""
    any_town.register("alice")
    forms = {
        "From": f"A{awkward} <alice@player.test>",
        "To": f"play+{awkward}123456789abc@server.test",
        "Subject": f"[weaver-{awkward}7k2q]",
        "Message-ID": f"<{awkward}@player.test>",
        "In-Reply-To": f"<{awkward}@server.test>",
        "References": f"<a@b.test> <{awkward}@server.test>",
        "List-Id": f"<weaver-{awkward}.server.test>",
        "Return-Path": f"<{awkward}@player.test>",
        "Content-Type": f"text/plain; charset={awkward}; name={awkward}",
    }
    for name, value in forms.items():
        headers = {"From": "alice@player.test", "To": SERVER, name: value}
        head = "".join(f"{each}: {text}\r\n" for each, text in headers.items())
        body = f"{awkward}claim A{awkward}\r\n> 1111-2222-3333\r\n"
        verdict = any_town.deliver(f"{head}\r\n{body}".encode("utf-8", "surrogateescape"))
        assert verdict.verdict == "rejected", name
    for mail in any_town.post():
        assert mail.to == "alice@player.test"
        assert mail.text


# --- hidden cards leak beside the table -----------------------------------------------------


def test_hazard_cards_the_answer_to_a_refused_guess_tells_no_hand(table: Table) -> None:
    """A card that another holds is refused in the same words as one that nobody holds."""
    asked = table.asked
    others = {
        name: set(table.docs[name].view[name]["hand"])  # type: ignore[index]
        for name in table.names
        if name != asked
    }
    held = sorted(set().union(*others.values()))
    own = set(table.hand)
    every = {f"{e} {n}" for e in ("ASHW", "OHIF", "ESBNER") for n in range(1, 10)}
    space = table.docs[asked].view["spaces"]  # type: ignore[index]
    nobody = sorted(every - own - set(held) - set(map(str, space.values())))
    found = set()
    for card in (held[0], nobody[0]):
        assert table.play(f"hide {card}").verdict == "rejected"
        answer = table.town.only()
        found.add(answer.words.replace(card, "CARD").partition("Receipt")[0])
    assert len(found) == 1


def test_hazard_cards_the_log_and_the_exports_of_a_running_game_tell_none(table: Table) -> None:
    table.play()
    with table.town.service.database.read() as db:
        log = str(table.town.log())
        assert db.execute(select(outgoing.c.why)).scalars().all()
    for name in table.names:
        view = table.docs[name].view
        assert view is not None
        for card in view[name]["hand"]:
            assert card not in log
    assert table.town.send("alice", payloads.Request, what="transcript").verdict == "rejected"


def test_hazard_cards_an_order_in_clear_text_is_never_passed_on(table: Table) -> None:
    """What somebody writes above a block is seen by nobody else."""
    name = table.asked
    block = table.order(name, table.line())
    words = f"I hold {', '.join(table.hand)}, by the way."
    table.town.deliver(table.town.mail(name, f"{words}\n\n{armour(block)}"))
    for mail in table.read():
        assert "by the way" not in mail.text
        raw = email.message_from_bytes(mail.raw, policy=email.policy.default)
        assert "by the way" not in raw.as_string()
