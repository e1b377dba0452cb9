"""Registration: the key proves itself, a challenge proves the address, nobody else gets mail."""

from __future__ import annotations

import pytest
from sqlalchemy import select

from sigilpost_engine.wire import payloads
from sigilpost_engine.wire.keys import grouped
from sigilpost_server.models import player_keys, players
from tests.server.service.town import Person, Received, Town

DAY = 86_400


def token(mail: Received) -> str:
    """The token in a challenge."""
    assert mail.turn.notice is not None
    return str(mail.turn.notice["token"])


def registered(town: Town) -> dict[str, str]:
    """Names and addresses of the players."""
    with town.service.database.read() as db:
        return {row.name: row.address for row in db.execute(select(players)).all()}


def test_a_challenge_goes_to_the_address_and_its_answer_registers(any_town: Town) -> None:
    town = any_town
    assert town.ask_to_register("alice").reason == "ok"
    challenge = town.only()
    assert challenge.to == "alice@player.test"
    assert registered(town) == {}
    assert town.send("alice", payloads.Confirm, token=token(challenge)).reason == "ok"
    welcome = town.only()
    assert welcome.to == "alice@player.test"
    assert grouped(town.service.house.fingerprint) in welcome.words
    assert registered(town) == {"alice": "alice@player.test"}


def test_the_challenge_carries_the_server_s_key_for_the_client_to_pin(town: Town) -> None:
    town.ask_to_register("alice", server="")
    assert town.only().turn.server == town.service.house.fingerprint


def test_language_and_zone_are_kept(town: Town) -> None:
    town.ask_to_register("alice", lang="ko", zone="Asia/Seoul")
    town.send("alice", payloads.Confirm, token=token(town.only()))
    with town.service.database.read() as db:
        row = db.execute(select(players)).one()
    assert (row.language, row.zone) == ("ko", "Asia/Seoul")


def test_a_mail_from_another_address_than_it_registers_gets_no_mail_there(town: Town) -> None:
    block = town.block(
        "alice",
        payloads.Register,
        public=town.people["alice"].key.public.hex,
        name="alice",
        address="victim@else.test",
        lang="en",
        zone="UTC",
    )
    verdict = town.deliver(town.mail("alice", block))
    assert (verdict.verdict, verdict.reason) == ("rejected", "other-address")
    assert town.only().to == "alice@player.test"


def test_the_address_is_compared_whatever_its_case(town: Town) -> None:
    assert town.ask_to_register("alice", address="Alice@Player.Test").reason == "ok"
    assert town.only().to == "Alice@Player.Test"


def test_a_wrong_token_registers_nobody(town: Town) -> None:
    town.ask_to_register("alice")
    town.post()
    assert town.send("alice", payloads.Confirm, token="x" * 24).reason == "bad-token"
    assert town.only().to == "alice@player.test"
    assert registered(town) == {}


def test_another_s_token_registers_nobody(town: Town) -> None:
    town.ask_to_register("alice")
    theirs = token(town.only())
    town.ask_to_register("bob")
    town.post()
    assert town.send("bob", payloads.Confirm, token=theirs).reason == "bad-token"
    assert registered(town) == {}


def test_a_challenge_does_not_run_out_while_the_server_is_away(town: Town) -> None:
    """Its answer may lie unread in the server's mailbox all the time."""
    town.ask_to_register("alice")
    answer = token(town.only())
    town.service.tick()
    town.clock.advance(30 * DAY)
    town.service.tick()
    assert town.send("alice", payloads.Confirm, token=answer).reason == "ok"


def test_a_challenge_runs_out(town: Town) -> None:
    town.ask_to_register("alice")
    challenge = town.only()
    town.clock.advance(73 * 3600)
    assert town.send("alice", payloads.Confirm, token=token(challenge)).reason == "bad-token"
    town.service.tick()
    assert town.send("alice", payloads.Confirm, token=token(challenge)).reason == "unknown-key"


def test_confirming_twice_is_as_good_as_once(town: Town) -> None:
    town.ask_to_register("alice")
    mine = token(town.only())
    for _ in range(2):
        assert town.send("alice", payloads.Confirm, token=mine).reason == "ok"
        assert "Welcome, alice" in town.only().words
    assert len(registered(town)) == 1


def test_registering_again_says_that_it_is_done_already(town: Town) -> None:
    town.register("alice")
    assert town.ask_to_register("alice", lang="de").reason == "ok"
    assert "registered already" in town.only().words
    with town.service.database.read() as db:
        assert db.execute(select(players.c.language)).scalar_one() == "de"
        assert len(db.execute(select(player_keys)).all()) == 1


def test_asking_twice_before_confirming_sends_the_same_token(town: Town) -> None:
    town.ask_to_register("alice")
    first = token(town.only())
    town.ask_to_register("alice")
    assert token(town.only()) == first


def test_a_known_key_cannot_take_another_address(town: Town) -> None:
    town.register("alice")
    verdict = town.ask_to_register("alice", address="else@where.test")
    assert verdict.reason == "other-address"
    assert town.only().to == "alice@player.test"


def test_a_known_address_cannot_take_another_key(town: Town) -> None:
    town.register("alice")
    town.people["alice"] = Person.called("alice the second", "alice@player.test")
    assert town.ask_to_register("alice", name="alys").reason == "address-taken"
    assert town.only().to == "alice@player.test"


def test_names_are_unique_whatever_their_case(town: Town) -> None:
    town.register("alice")
    assert town.ask_to_register("bob", name="ALICE").reason == "name-taken"
    assert town.only().to == "bob@player.test"


def test_a_name_taken_between_challenge_and_answer_is_refused_then(town: Town) -> None:
    town.ask_to_register("alice")
    mine = token(town.only())
    town.ask_to_register("bob", name="Alice")
    town.send("bob", payloads.Confirm, token=token(town.only()))
    town.post()
    assert town.send("alice", payloads.Confirm, token=mine).reason == "name-taken"
    assert registered(town) == {"Alice": "bob@player.test"}


@pytest.mark.parametrize(
    "name",
    [
        "all",
        "1st",
        "a b",
        "x@y",
        "-dash",
        "ａｌｉｃｅ",
        "a" * 25,
        "turn",
        "Phase",
        "sees",
        "http://x",
    ],
)
def test_names_that_cannot_stand_in_a_position_or_a_command_are_refused(
    town: Town, name: str
) -> None:
    assert town.ask_to_register("alice", name=name).reason == "bad-name"


@pytest.mark.parametrize("name", ["Ana-María", "김철수", "o_x", "Zoë"])
def test_names_of_any_script_are_taken(town: Town, name: str) -> None:
    assert town.ask_to_register("alice", name=name).reason == "ok"


def test_before_the_challenge_is_answered_other_blocks_do_not_count(town: Town) -> None:
    town.ask_to_register("alice")
    town.post()
    verdict = town.send("alice", payloads.Request, what="games")
    assert verdict.reason == "unconfirmed"
    assert "not confirmed yet" in town.only().words


def test_a_mail_without_a_block_is_told_so_too(town: Town) -> None:
    town.ask_to_register("alice")
    town.post()
    assert town.deliver(town.mail("alice", "Hello?")).reason == "unconfirmed"


def test_an_address_is_challenged_three_times_a_day_at_most(town: Town) -> None:
    for _ in range(5):
        town.ask_to_register("alice")
    assert len(town.post()) == 3
    town.clock.advance(DAY)
    town.ask_to_register("alice")
    assert len(town.post()) == 1
