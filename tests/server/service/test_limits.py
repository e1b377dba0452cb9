"""How much one correspondent, one game and all strangers together can cause."""

from __future__ import annotations

import pytest

from sigilpost_engine.wire import payloads
from tests.server.service.town import Person, Table, Town

HOUR, DAY = 3_600, 86_400


def flood(table: Table, number: int) -> list[str]:
    """So many refused orders of whoever is asked; the reasons."""
    return [table.play(f"hide nothing {n}").reason for n in range(number)]


def test_mails_of_one_player_in_an_hour(database_url: str) -> None:
    with Town.on(database_url, limits={"mails_per_hour": 8}) as town:
        table = town.begin("alice", "bob", "carol")
        town.clock.advance(HOUR)
        found = flood(table, 12)
        assert found[:8] == ["unparseable"] * 8
        assert found[8:] == ["rate-limited"] * 4
        town.clock.advance(HOUR)
        assert table.play().reason == "ok"


def test_a_block_that_was_too_many_is_not_used_up(sqlite_url: str) -> None:
    with Town.on(sqlite_url, limits={"mails_per_hour": 5}) as town:
        table = town.begin("alice", "bob", "carol")
        town.clock.advance(HOUR)
        flood(table, 5)
        town.post()
        raw = town.mail(table.asked, table.order(table.asked, table.line()))
        assert town.deliver(raw).reason == "rate-limited"
        answer = town.only()
        assert "5 mails" in answer.words
        assert "Your hand" not in answer.words
        town.clock.advance(HOUR)
        again = town.mail(table.asked, table.order(table.asked, table.line()))
        assert town.deliver(again).reason == "ok"


def test_mails_about_one_game_in_an_hour_and_other_games_go_on(database_url: str) -> None:
    with Town.on(database_url, limits={"game_mails_per_hour": 6}) as town:
        table = town.begin("alice", "bob", "carol")
        other = town.again("alice", "bob", "carol")
        town.clock.advance(HOUR)
        assert flood(table, 8)[5:] == ["unparseable", "rate-limited", "rate-limited"]
        assert other.play().reason == "ok"


def test_who_does_not_sit_at_a_game_costs_it_nothing(sqlite_url: str) -> None:
    with Town.on(sqlite_url, limits={"game_mails_per_hour": 4}) as town:
        table = town.begin("alice", "bob", "carol")
        town.register("erin")
        town.clock.advance(HOUR)
        for _ in range(8):
            assert town.send("erin", payloads.Resign, game=table.tag, seat=1).verdict == "rejected"
        assert table.play().reason == "ok"


def test_replies_with_codes_are_counted_too(sqlite_url: str) -> None:
    from tests.server.service.test_reply_codes import begin

    with Town.on(sqlite_url, limits={"mails_per_hour": 5}) as town:
        game = begin(town)
        town.clock.advance(HOUR)
        name = game.asked
        found = [game.answer(name, f"hide nothing {n}").reason for n in range(7)]
        assert found == ["unparseable"] * 5 + ["rate-limited"] * 2


# --- strangers ------------------------------------------------------------------------------


def test_all_strangers_together_have_a_budget_of_a_day(sqlite_url: str) -> None:
    with Town.on(sqlite_url, limits={"strangers_per_day": 3}) as town:
        found = [town.deliver(town.mail(f"zoe{n}@else.test", "Hi")).reason for n in range(5)]
        assert found == ["unregistered"] * 3 + ["stranger-budget"] * 2
        assert len(town.post()) == 3
        town.clock.advance(DAY)
        assert town.deliver(town.mail("new@else.test", "Hi")).reason == "unregistered"


def test_one_stranger_cannot_use_up_the_budget_of_all(sqlite_url: str) -> None:
    with Town.on(sqlite_url, limits={"strangers_per_day": 3}) as town:
        for number in range(10):
            town.deliver(town.mail("zoe@else.test", f"Hi {number}"))
        assert len(town.post()) == 1
        assert town.deliver(town.mail("yan@else.test", "Hi")).reason == "unregistered"


def test_challenges_to_all_strangers_together_have_a_budget_of_a_day(sqlite_url: str) -> None:
    """Each has a key and a From of its own, so no other budget is touched."""
    with Town.on(sqlite_url, limits={"all_challenges_per_day": 4}) as town:
        for number in range(6):
            town.people["zoe"] = Person.called(f"zoe{number}")
            found = town.ask_to_register("zoe").reason
            assert found == ("ok" if number < 4 else "stranger-budget")
        assert len(town.post()) == 4
        for _ in range(5):
            town.ask_to_register("zoe")
        town.clock.advance(DAY)
        assert town.ask_to_register("zoe").reason == "ok"


def test_made_up_subaddresses_fill_nobody_s_mailbox(any_town: Town) -> None:
    """Help, challenges and invitations all go where a forged From or a player's wish says."""
    any_town.register("alice")
    for number in range(8):
        any_town.deliver(any_town.mail(f"zoe+{number}@else.test", "Hi"))
    assert [mail.to for mail in any_town.post()] == ["zoe+0@else.test"]
    known = any_town.people["zoe"] = Person.called("zoe")
    for number in range(8):
        known.address = f"yan+{number}@else.test"
        known.key = Person.called(f"zoe {number}").key
        any_town.ask_to_register("zoe")
    assert [mail.to for mail in any_town.post()] == [f"yan+{n}@else.test" for n in range(3)]
    invited = []
    for number in range(8):
        any_town.send(
            "alice",
            payloads.Create,
            game="weaver",
            options={},
            opponents=(f"xia+{number}@else.test",),
            rules={},
        )
        invited += [mail.to for mail in any_town.post() if mail.to.startswith("xia")]
    assert invited == [f"xia+{n}@else.test" for n in range(3)]


def test_hazard_07_a_robot_that_answers_our_mail_from_another_address_each_time(
    town: Town,
) -> None:
    """It goes on for ever unless what it answers is counted for whom our mail went to."""
    table = town.begin("alice", "bob", "carol")
    ours = [mail for mail in table.mails if mail.to == "alice@player.test"][-1]
    answered = 0
    for number in range(40):
        raw = town.mail(
            f"noreply-{number}@robots.test",
            "Your message has been received.",
            In_Reply_To=str(ours.mail["Message-ID"]),
        )
        town.deliver(raw)
        answers = town.post()
        answered += len(answers)
        ours = answers[-1] if answers else ours
    assert answered <= 10


def test_hazard_10_two_robots_stop(town: Town) -> None:
    """Each answers whatever the other sends, and neither has any mark of a machine."""
    town.register("alice")
    raw, answers = town.mail("alice", "Hello"), 0
    for _ in range(50):
        town.deliver(raw)
        found = town.post()
        if not found:
            break
        answers += len(found)
        raw = town.mail("alice", f"Re: {found[0].text}", In_Reply_To=found[0].mail["Message-ID"])
    assert answers == 10


@pytest.mark.parametrize(
    "headers",
    [
        {"Reply_To": "victim@else.test"},
        {"Sender": "victim@else.test"},
        {"Cc": "victim@else.test"},
        {"Return_Path": "<victim@else.test>"},
        {"Errors_To": "victim@else.test"},
        {"Disposition_Notification_To": "victim@else.test"},
    ],
)
def test_a_stranger_never_causes_a_mail_to_a_third_address(
    town: Town, headers: dict[str, str]
) -> None:
    town.deliver(town.mail("zoe@else.test", "Hello", **headers))
    mail = town.only()
    assert mail.to == "zoe@else.test"
    assert len(mail.raw) < 6_000
    assert "victim" not in mail.raw.decode()
