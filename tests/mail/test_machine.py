"""Mail from machines: every mark of the protocol, and what is no mark."""

from __future__ import annotations

import pytest

from sigilpost_server.mail_in import machine
from sigilpost_server.mail_in.machine import Effect, Mark, Ours, absent, machine_made

from .samples import OURS, admitted, mail

NOTHING = Effect.NOTHING_COUNTS


def mark(extra: str = "", **parts: str) -> Mark | None:
    """The mark of a mail with these headers."""
    return machine_made(admitted(mail("hi", extra=extra, **parts)), OURS)


@pytest.mark.parametrize(
    ("header", "reason"),
    [
        ("Auto-Submitted: auto-generated", "auto-submitted"),
        ("Auto-Submitted: auto-replied", "auto-submitted"),
        ("auto-submitted: AUTO-NOTIFIED; owner-email=x@y", "auto-submitted"),
        ("Auto-Submitted: (RFC 3834) auto-replied (vacation)", "auto-submitted"),
        ("Auto-Submitted: yes", "auto-submitted"),
        ("Return-Path: <>", "null-return-path"),
        ("Return-Path:", "null-return-path"),
        ("Precedence: junk", "bulk"),
        ("Precedence: auto_reply", "auto-reply"),
        ("Precedence: Auto_Reply", "auto-reply"),
        ("X-Autoreply: yes", "auto-reply"),
        ("X-Autorespond: vacation", "auto-reply"),
        ("X-Loop: games@games.example", "own-mail"),
        ("X-Loop: <Games@GAMES.example>", "own-mail"),
        ("List-Id: Weaver <weaver-7k2q.games.example>", "own-mail"),
    ],
)
def test_marks_for_which_nothing_counts(header: str, reason: str) -> None:
    assert mark(header + "\n") == Mark(reason, NOTHING)


@pytest.mark.parametrize(
    ("sender", "reason"),
    [
        ("MAILER-DAEMON@mx.example", "robot-sender"),
        ("Mail Delivery System <Mailer-Daemon@mx.example>", "robot-sender"),
        ("MAILER-DAEMON (Mail Delivery System)", "robot-sender"),
        ("postmaster@mx.example", "robot-sender"),
        ("<>", "robot-sender"),
        ("", "robot-sender"),
        ('"Alice" <>', "robot-sender"),
        ("alice@good.example <mailer-daemon@mx.example>", "robot-sender"),
        ("Sigilpost <games@games.example>", "own-mail"),
        ("GAMES@Games.Example", "own-mail"),
        ("games+k7q29fmd3xwa@games.example", "own-mail"),
    ],
)
def test_senders_for_which_nothing_counts(sender: str, reason: str) -> None:
    assert mark(sender=sender) == Mark(reason, NOTHING)


@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        ("multipart/report; report-type=delivery-status; boundary=b", "delivery-report"),
        ("multipart/report; report-type=disposition-notification; boundary=b", "read-receipt"),
        ("multipart/report; report-type=feedback-report; boundary=b", "machine-report"),
        ("multipart/report; boundary=b", "machine-report"),
        ("Multipart/Report; Report-Type=Delivery-Status; boundary=b", "delivery-report"),
        ("message/delivery-status", "delivery-report"),
        ("message/disposition-notification", "read-receipt"),
    ],
)
def test_reports_for_which_nothing_counts(kind: str, reason: str) -> None:
    assert mark(kind=kind) == Mark(reason, NOTHING)


@pytest.mark.parametrize("word", ["bulk", "list", "Bulk", "LIST (of cards)"])
def test_bulk_and_list_mail_only_gets_no_answer(word: str) -> None:
    assert mark(f"Precedence: {word}\n") == Mark("bulk", Effect.NO_ANSWER)


@pytest.mark.parametrize(
    "header",
    [
        "Auto-Submitted: no",
        "Auto-Submitted: No (a person)",
        "Auto-Submitted: no; x=y",
        "X-Auto-Response-Suppress: All",
        "X-Auto-Response-Suppress: DR, OOF, AutoReply",
        "List-Id: Card games <cards.lists.example>",
        "List-Unsubscribe: <mailto:leave@lists.example>",
        "Precedence: first-class",
        "X-Autoreply: no",
        "X-Loop: someone@else.example",
        "Return-Path: <alice@good.example>",
        "X-Mailer: Robot 3000",
        "Sender: mailer-daemon@good.example",
        "Reply-To: games@games.example",
    ],
)
def test_what_is_no_mark(header: str) -> None:
    assert mark(header + "\n") is None


@pytest.mark.parametrize("sender", ["Postmaster <joe@good.example>", "postmaster-fan@good.example"])
def test_a_name_like_a_robots_is_no_mark(sender: str) -> None:
    assert mark(sender=sender) is None


def test_the_envelope_counts_before_the_header() -> None:
    it = admitted(mail("hi", extra="Return-Path: <alice@good.example>\n"))
    assert machine_made(it, OURS, "alice@good.example") is None
    for null in ("", "<>"):
        assert machine_made(it, OURS, null) == Mark("null-return-path", NOTHING)


def test_only_the_topmost_return_path_counts() -> None:
    # What lies below was written before the mail reached us: by anybody.
    assert mark("Return-Path: <alice@good.example>\nReturn-Path: <>\n") is None


def test_the_strongest_mark_wins() -> None:
    assert mark("Precedence: bulk\nAuto-Submitted: auto-replied\n") == Mark(
        "auto-submitted", NOTHING
    )
    assert mark("Precedence: list\nPrecedence: junk\n") == Mark("bulk", NOTHING)


# ---- out of office -------------------------------------------------------------------------


def test_out_of_office_is_known_in_many_languages() -> None:
    assert len(machine.LANGUAGES) >= 15


@pytest.mark.parametrize(
    "subject",
    [
        "Automatic reply: [weaver-7k2q] Your move",
        "AUTOMATIC REPLY",
        "Out of Office: until Monday",
        "[Out of office] Re: Your move",
        "[EXTERNAL] Automatic reply: [weaver-7k2q] Your move",
        "[EXT] Out of office",
        "[Extern] Abwesenheitsnotiz: Your move",
        "Autoreply",
        "Automatische Antwort: [weaver-7k2q]",
        "Abwesenheitsnotiz: Your move",
        "Réponse automatique : [weaver-7k2q]",
        "Re\u0301ponse automatique",
        "Respuesta automática: x",
        "Resposta automática: x",
        "Risposta automatica: x",
        "Automatisch antwoord: x",
        "Autosvar: x",
        "Automatisk svar: x",
        "Automaattinen vastaus: x",
        "Automatyczna odpowiedź: x",
        "Automatická odpověď: x",
        "Automatikus válasz: x",
        "Otomatik yanıt: x",
        "Αυτόματη απάντηση: x",
        "Автоматический ответ: x",
        "Автоматична відповідь: x",
        "自動応答: x",
        "自动回复: x",
        "자동 회신: x",
        "부재중입니다",
        "תשובה אוטומטית: x",
        "رد تلقائي: x",
    ],
)
def test_out_of_office_subjects_count_only_without_a_fresh_block(subject: str) -> None:
    assert mark(subject=subject) == Mark("out-of-office", Effect.UNLESS_FRESH)


@pytest.mark.parametrize(
    "subject",
    [
        "",
        "Re: Automatic reply: [weaver-7k2q] Your move",
        "I was out of office, here is my move",
        "Automatic replyx",
        "Autosvartes move",
        "[weaver-7k2q] Your move",
        "AW: Abwesenheit",
        "[EXTERNAL] Re: Automatic reply: [weaver-7k2q] Your move",
        "[EXTERNAL] Your move",
    ],
)
def test_a_persons_subject_is_no_mark(subject: str) -> None:
    assert mark(subject=subject) is None


def test_an_encoded_subject_is_decoded_first() -> None:
    assert mark(subject="=?utf-8?b?6Ieq5YuV5b+c562U?= x") is not None
    assert mark(subject="=?iso-8859-1?q?R=E9ponse?= =?utf-8?q?_automatique?=") is not None


def test_absent_takes_any_text() -> None:
    assert not absent("\x00" * 1000)
    assert not absent("=?" * 1000)


def test_our_own_address_may_be_a_subaddress_of_somebody_s() -> None:
    ours = Ours.of(["alice+games@good.example"])
    for sender, found in (
        ("alice+games@good.example", Mark("own-mail", NOTHING)),
        ("alice@good.example", None),
        ("alice+other@good.example", None),
    ):
        assert machine_made(admitted(mail("hi", sender=sender)), ours) == found


# ---- ours ----------------------------------------------------------------------------------


def test_without_an_identity_nothing_is_ours() -> None:
    it = admitted(mail("hi", sender="games@games.example", extra="X-Loop: games@games.example\n"))
    assert machine_made(it, Ours()) is None


def test_another_games_list_id_is_not_ours() -> None:
    assert mark("List-Id: <weaver-7k2q.games.example.evil.org>\n") is None
