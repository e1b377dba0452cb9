"""Machine-made mail: no effect and no answer; and budgets for what no header tells."""

from __future__ import annotations

import pytest

from sigilpost_engine.wire import payloads
from tests.server.service.town import SERVER, Table, Town

DAY = 86_400


@pytest.mark.parametrize(
    ("headers", "reason"),
    [
        ({"Auto_Submitted": "auto-replied"}, "auto-submitted"),
        ({"Return_Path": "<>"}, "null-return-path"),
        ({"Precedence": "junk"}, "bulk"),
        ({"Precedence": "auto_reply"}, "auto-reply"),
        ({"X_Autoreply": "yes"}, "auto-reply"),
        ({"X_Loop": SERVER}, "own-mail"),
        ({"From": SERVER}, "own-mail"),
        ({"From": "MAILER-DAEMON@relay.test"}, "robot-sender"),
    ],
)
def test_a_machine_s_mail_has_no_effect_even_with_a_good_block(
    table: Table, headers: dict[str, str], reason: str
) -> None:
    before = table.town.stored()
    verdict = table.play(**headers)
    assert (verdict.verdict, verdict.reason) == ("ignored", reason)
    assert table.town.post() == []
    assert table.town.stored() == before


def test_what_a_machine_sent_is_not_used_up(table: Table) -> None:
    asked = table.asked
    block = table.order(asked, table.line())
    table.town.deliver(table.town.mail(asked, block, Auto_Submitted="auto-replied"))
    assert table.town.deliver(table.town.mail(asked, block)).reason == "ok"


def test_bulk_mail_with_a_fresh_block_counts_and_only_the_answer_is_withheld(
    table: Table,
) -> None:
    mover = table.asked
    assert table.play(f"hide {table.hand[0]}", Precedence="bulk").reason == "ok"
    mail = table.town.only()
    assert mail.to != table.town.people[mover].address
    assert mail.turn.prompt is not None
    assert mail.mail["Auto-Submitted"] == "auto-generated"


def test_bulk_mail_that_leaves_its_sender_asked_gets_the_question_as_a_turn_mail(
    table: Table,
) -> None:
    mover = table.asked
    assert table.play(f"exchange {table.hand[0]}", Precedence="list").reason == "ok"
    (mail,) = table.read()
    assert mail.to == table.town.people[mover].address
    assert mail.mail["Auto-Submitted"] == "auto-generated"
    assert mail.turn.prompt is not None


def test_bulk_mail_without_a_block_is_ignored(table: Table) -> None:
    verdict = table.town.deliver(table.town.mail("alice", "News!", Precedence="bulk"))
    assert (verdict.verdict, verdict.reason) == ("ignored", "bulk")


def test_an_out_of_office_note_is_ignored_and_an_order_under_such_a_subject_is_not(
    table: Table,
) -> None:
    note = table.town.mail("alice", "I am away.", Subject="Out of office: hello")
    assert table.town.deliver(note).reason == "out-of-office"
    assert table.town.post() == []
    assert table.play(Subject="Out of office").reason == "ok"
    assert table.town.post() != []


def test_a_stranger_gets_one_help_mail_a_day(any_town: Town) -> None:
    found = [any_town.deliver(any_town.mail("zoe@else.test", f"Hi {n}")) for n in range(3)]
    assert [verdict.verdict for verdict in found] == ["rejected", "ignored", "ignored"]
    assert found[1].reason == "stranger-budget"
    assert any_town.only().to == "zoe@else.test"
    any_town.clock.advance(DAY)
    any_town.deliver(any_town.mail("zoe@else.test", "Hi again"))
    assert any_town.only().to == "zoe@else.test"


def test_a_stranger_s_blocks_share_the_one_help_mail_of_a_day(table: Table) -> None:
    town = table.town
    town.deliver(town.mail("zoe@else.test", "Hi"))
    town.post()
    verdict = town.send("dan", payloads.Request, what="games")
    assert verdict.reason == "unknown-key"
    town.post()
    town.people["dan"].address = "zoe@else.test"
    assert town.send("dan", payloads.Request, what="games").reason == "stranger-budget"
    assert town.post() == []


def test_two_robots_stop_after_ten_answers(any_town: Town) -> None:
    """Hazard 10: only a budget stops them; each answer comes from another address's spelling."""
    any_town.register("alice")
    found = [any_town.deliver(any_town.mail("alice", f"Re: {n}")).reason for n in range(15)]
    assert found == ["no-block"] * 10 + ["loop-budget"] * 5
    assert len(any_town.post()) == 10


def test_an_accepted_order_begins_the_count_anew(table: Table) -> None:
    asked = table.asked
    for number in range(12):
        table.town.deliver(table.town.mail(asked, f"No block {number}"))
    table.town.post()
    assert table.play().reason == "ok"
    table.read()
    assert table.town.deliver(table.town.mail(asked, "No block")).reason == "no-block"
    assert len(table.town.post()) == 1


def test_refused_orders_are_answered_ten_times_and_an_accepted_one_always(table: Table) -> None:
    asked = table.asked
    for number in range(12):
        assert table.play(f"hide nothing {number}").verdict == "rejected"
    assert len(table.town.post()) == 10
    block = table.order(asked, table.line())
    assert table.town.deliver(table.town.mail(asked, block)).reason == "ok"
    assert table.town.people[asked].address in [mail.to for mail in table.town.post()]
