"""Keys that change: rotated, revoked, lost and recovered; and games that go on across it."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from sigilpost_engine.audit.verify import Report, verify
from sigilpost_engine.games import find
from sigilpost_engine.wire import payloads
from sigilpost_engine.wire.keys import PrivateKey
from sigilpost_server.service import Verdict
from tests.audit.independent import Verifier
from tests.server.service.test_reply_codes import ByCode, propose
from tests.server.service.test_transcripts import transcript_of
from tests.server.service.town import Person, Received, Table, Town

HOUR = 3600
WAIT = 72 * HOUR


def new_key(seed: str) -> PrivateKey:
    return PrivateKey.from_seed(seed.encode().ljust(32, b"."))


def rotate(town: Town, name: str, new: PrivateKey) -> Verdict:
    """Somebody hands over to a new key, and signs with it from then on."""
    person = town.people[name]
    made = payloads.rotation(
        new,
        server=town.service.house.fingerprint,
        key=person.key.fingerprint,
        nonce=f"{town.clock():032x}",
        made=1_700_000_000,
    )
    verdict = town.deliver(town.mail(name, payloads.sign(made, person.key)))
    if verdict.reason == "ok":
        town.people[name] = replace(person, key=new)
    return verdict


def ask_to_recover(town: Town, name: str, new: PrivateKey, /, **values: str) -> Verdict:
    """Somebody says that their key is lost; they sign with the new one from then on."""
    person = town.people[name]
    town.people[name] = replace(person, key=new)
    known = {"public": new.public.hex, "address": person.address, "name": person.name}
    return town.send(name, payloads.Recover, **{**known, **values})


def answer_challenge(town: Town, name: str) -> Verdict:
    (challenge,) = mails_to(town, name)
    assert challenge.turn.notice is not None
    return town.send(name, payloads.Confirm, token=challenge.turn.notice["token"])


def mails_to(town: Town, name: str) -> list[Received]:
    address = town.people[name].address
    return [mail for mail in town.post() if mail.to == address]


def proved(table: Table) -> Report:
    known = [table.town.service.house.key.public.raw]
    report = verify(transcript_of(table), find, (), known)
    assert report.fault is None, report.fault
    Verifier(transcript_of(table), find)
    return report


# --- rotation -------------------------------------------------------------------------------------


def test_a_game_goes_on_across_a_rotation_and_still_verifies(town: Town) -> None:
    table = town.begin("alice", "bob")
    while table.asked != "alice":
        table.play()
        table.read()
    table.play()
    table.read()
    assert rotate(town, "alice", new_key("alice's second")).reason == "ok"
    assert "is replaced" in town.only().words
    table.play_to_end()
    report = proved(table)
    assert report.checked["rotations"] == 1
    assert report.notes == []


def test_two_rotations_between_two_moves_are_both_in_the_transcript(town: Town) -> None:
    table = town.begin("alice", "bob")
    rotate(town, "bob", new_key("one"))
    rotate(town, "bob", new_key("two"))
    town.post()
    table.play_to_end()
    assert proved(table).checked["rotations"] == 2


def test_the_old_key_is_not_believed_after_a_rotation(town: Town) -> None:
    table = town.begin("alice", "bob")
    name = table.asked
    old = town.people[name]
    rotate(town, name, new_key("new"))
    new = town.people[name]
    town.post()
    town.people[name] = old
    before = town.stored()
    assert table.play().reason == "revoked-key"
    assert town.stored() == before
    town.people[name] = new
    town.post()
    assert table.play().reason == "ok"


@pytest.mark.parametrize("whose", ["bob", "carol"])
def test_nobody_rotates_to_a_key_that_is_known_already(town: Town, whose: str) -> None:
    town.register("alice", "bob")
    town.ask_to_register("carol")
    town.post()
    assert rotate(town, "alice", town.people[whose].key).reason == "not-possible"


def test_a_rotation_back_to_a_former_key_is_refused(town: Town) -> None:
    town.register("alice")
    first = town.people["alice"].key
    rotate(town, "alice", new_key("second"))
    assert rotate(town, "alice", first).reason == "not-possible"


def test_a_rotation_sent_twice_is_done_once(town: Town) -> None:
    town.register("alice")
    person, new = town.people["alice"], new_key("new")
    made = payloads.rotation(
        new,
        server=town.service.house.fingerprint,
        key=person.key.fingerprint,
        nonce="0" * 32,
        made=1,
    )
    block = payloads.sign(made, person.key)
    assert town.deliver(town.mail("alice", block)).reason == "ok"
    assert town.deliver(town.mail("alice", block)).reason == "replayed"


# --- revocation -----------------------------------------------------------------------------------


def test_a_revoked_key_counts_no_more_and_the_opponents_are_told(town: Town) -> None:
    table = town.begin("alice", "bob")
    name = table.asked
    assert town.send(name, payloads.Revoke, reason="stolen").reason == "ok"
    told = {mail.to: mail.words for mail in town.post()}
    assert len(told) == 2
    assert all("revoked" in words for words in told.values())
    assert table.play().reason == "revoked-key"


def test_after_a_revocation_the_player_comes_back_by_recovery(town: Town) -> None:
    table = town.begin("alice", "bob")
    name = table.asked
    town.send(name, payloads.Revoke, reason="stolen")
    town.post()
    ask_to_recover(town, name, new_key("fresh"))
    answer_challenge(town, name)
    town.clock.advance(WAIT)
    town.service.tick(town.clock())
    town.post()
    table.play_to_end()
    report = proved(table)
    assert [note.message.id for note in report.notes] == ["audit.note.recovered"]


# --- recovery -------------------------------------------------------------------------------------


def test_a_lost_key_is_replaced_after_challenge_and_waiting_time(town: Town) -> None:
    table = town.begin("alice", "bob")
    name = table.asked
    other = next(each for each in table.names if each != name)
    assert ask_to_recover(town, name, new_key("found")).reason == "ok"
    assert answer_challenge(town, name).reason == "ok"
    told = {mail.to: mail.words for mail in town.post()}
    assert "unless the old key objects" in told[town.people[name].address]
    assert "sigil recover --cancel" in told[town.people[name].address]
    assert f"{name} says that their key is lost" in told[town.people[other].address]
    assert table.play().reason == "recovery-waits"
    town.clock.advance(WAIT - 1)
    town.service.tick(town.clock())
    town.post()
    assert table.play().reason == "recovery-waits"
    town.clock.advance(1)
    town.service.tick(town.clock())
    mails = town.post()
    news = [mail for mail in mails if "key" in mail.subject]
    assert sorted(mail.to for mail in news) == sorted(p.address for p in pair(town, table))
    (again,) = [mail for mail in mails if mail.turn.game == table.tag]
    assert (again.to, again.turn.prompt) == (town.people[name].address, table.docs[name].prompt)
    assert table.play().reason == "ok"


def pair(town: Town, table: Table) -> list[Person]:
    return [town.people[name] for name in table.names]


def test_the_old_key_plays_on_while_the_new_one_waits_and_can_cancel_it(town: Town) -> None:
    table = town.begin("alice", "bob")
    name = table.asked
    old = town.people[name]
    ask_to_recover(town, name, new_key("a thief's"))
    answer_challenge(town, name)
    thief, town.people[name] = town.people[name], old
    town.post()
    assert table.play().reason == "ok"
    table.read()
    assert town.send(name, payloads.Request, what="recovery", args=("cancel",)).reason == "ok"
    told = " ".join(mail.words for mail in town.post())
    assert "the recovery is cancelled" in told
    assert "was not lost" in told
    town.clock.advance(2 * WAIT)
    town.service.tick(town.clock())
    town.post()
    town.people[name] = thief
    assert town.send(name, payloads.Request, what="games").reason == "unknown-key"


def test_the_waiting_time_stands_still_while_the_server_is_away(town: Town) -> None:
    """Else a thief would only have to wait for an outage: the old key's objection lies unread."""
    table = town.begin("alice", "bob")
    name = table.asked
    old = town.people[name]
    ask_to_recover(town, name, new_key("a thief's"))
    answer_challenge(town, name)
    town.service.tick()
    town.clock.advance(10 * WAIT)
    town.service.tick()
    town.people[name] = old
    assert town.send(name, payloads.Request, what="recovery", args=("cancel",)).reason == "ok"
    town.post()
    assert table.play().reason == "ok"


def test_there_is_nothing_to_cancel_without_a_recovery(town: Town) -> None:
    town.register("alice")
    verdict = town.send("alice", payloads.Request, what="recovery", args=("cancel",))
    assert verdict.reason == "not-possible"


def test_the_challenge_of_a_recovery_goes_to_the_registered_address_alone(town: Town) -> None:
    town.register("alice")
    alice = town.people["alice"]
    town.people["mallory"] = replace(alice, name="mallory", address="mallory@player.test")
    verdict = ask_to_recover(
        town, "mallory", new_key("mallory's"), address=alice.address, name="alice"
    )
    assert verdict.reason == "other-address"
    assert town.only().to == "mallory@player.test"


def test_a_wrong_token_recovers_nothing(town: Town) -> None:
    town.register("alice")
    ask_to_recover(town, "alice", new_key("new"))
    town.post()
    assert town.send("alice", payloads.Confirm, token="0" * 30).reason == "bad-token"
    town.clock.advance(2 * WAIT)
    town.service.tick(town.clock())
    assert town.send("alice", payloads.Request, what="games").reason == "unknown-key"


def test_the_token_of_a_registration_recovers_nothing(town: Town) -> None:
    town.ask_to_register("alice")
    (mail,) = town.post()
    assert mail.turn.notice is not None
    token = mail.turn.notice["token"]
    town.send("alice", payloads.Confirm, token=token)
    town.post()
    ask_to_recover(town, "alice", new_key("new"))
    town.post()
    assert town.send("alice", payloads.Confirm, token=token).reason == "bad-token"


@pytest.mark.parametrize("name", ["bob", "nobody"])
def test_a_recovery_of_somebody_else_is_refused(town: Town, name: str) -> None:
    town.register("alice", "bob")
    assert ask_to_recover(town, "alice", new_key("new"), name=name).reason == "unknown-player"


def test_a_key_that_counts_is_not_recovered(town: Town) -> None:
    town.register("alice")
    key = town.people["alice"].key
    assert ask_to_recover(town, "alice", key).reason == "not-possible"


def test_the_newest_proof_counts_and_an_older_new_key_waits_no_longer(town: Town) -> None:
    town.register("alice")
    ask_to_recover(town, "alice", new_key("first"))
    answer_challenge(town, "alice")
    town.post()
    town.clock.advance(HOUR)
    ask_to_recover(town, "alice", new_key("second"))
    answer_challenge(town, "alice")
    town.clock.advance(WAIT)
    town.service.tick(town.clock())
    town.post()
    assert town.send("alice", payloads.Request, what="games").reason == "ok"
    town.people["alice"] = replace(town.people["alice"], key=new_key("first"))
    assert town.send("alice", payloads.Request, what="games").reason == "unknown-key"


def test_a_recovery_asked_for_too_often_is_not_answered(town: Town) -> None:
    town.register("alice")
    reasons = [ask_to_recover(town, "alice", new_key(f"key {n}")).reason for n in range(4)]
    assert reasons.count("stranger-budget") >= 1


def test_standing_orders_of_a_lost_key_answer_nothing_more(town: Town) -> None:
    table = town.begin("alice", "bob")
    name = table.asked
    seat = table.names.index(name) + 1
    add = ("do hide nothing at all",)
    assert town.send(name, payloads.Standing, game=table.tag, seat=seat, add=add).reason == "ok"
    town.send(name, payloads.Revoke, reason="")
    with town.service.database.read() as db:
        gone = db.exec_driver_sql("SELECT gone FROM standing_order").scalars().all()
        kept = db.exec_driver_sql("SELECT sum(standing) FROM seat").scalar()
    assert (list(map(bool, gone)), kept) == ([True], 0)


def test_the_new_key_s_recovery_is_in_the_transcript(town: Town) -> None:
    table = town.begin("alice", "bob")
    ask_to_recover(town, "alice", new_key("found"))
    answer_challenge(town, "alice")
    town.clock.advance(WAIT)
    town.service.tick(town.clock())
    town.post()
    table.play_to_end()
    kinds = [json.loads(line).get("kind") for line in transcript_of(table).splitlines()]
    assert kinds.count("RECOVER") == 1
    assert [note.message.id for note in proved(table).notes] == ["audit.note.recovered"]


# --- standing orders and keys ---------------------------------------------------------------------


def keep_everything(town: Town, tag: str, *names: str) -> None:
    """Standing orders with which a game of Weaver plays itself."""
    everything = [f"on turn do hide {card}" for card in find("weaver").cards]
    for seat, name in enumerate(names, start=1):
        for add in (everything[:18], everything[18:]):
            verdict = town.send(name, payloads.Standing, game=tag, seat=seat, add=tuple(add))
            assert verdict.reason == "ok"


def test_orders_set_before_joining_count_if_the_joining_key_signed_them(town: Town) -> None:
    """A game's roster knows the key that joined; nothing proves that an older one was the same
    player's."""
    town.register("alice", "bob")
    tag = town.propose("alice", "bob")
    keep_everything(town, tag, "alice", "bob")
    rotate(town, "alice", new_key("second"))
    town.post()
    town.send("alice", payloads.Join, game=tag)
    (answer,) = mails_to(town, "alice")
    assert "with another key than the one you join with are not kept" in answer.words
    assert answer.turn.extra["standing"] == []
    town.send("bob", payloads.Join, game=tag)
    table = Table(town, tag, ["alice", "bob"])
    table.read()
    assert table.asked == "alice"
    table.play_to_end()
    assert proved(table).checked["standing"] >= 1


def test_orders_set_before_joining_outlive_a_rotation_after_it(town: Town) -> None:
    town.register("alice", "bob")
    tag = town.propose("alice", "bob")
    keep_everything(town, tag, "alice", "bob")
    town.send("alice", payloads.Join, game=tag)
    rotate(town, "alice", new_key("second"))
    town.send("bob", payloads.Join, game=tag)
    assert proved(Table(town, tag, ["alice", "bob"])).result["winners"]


def test_orders_of_a_seat_that_joined_by_a_code_outlive_a_rotation(town: Town) -> None:
    """Its key is first told by a block of the new key, and the order by the old one comes after."""
    town.register("alice", "bob")
    by_code = ByCode(town, propose(town, "alice", "bob"), ["alice", "bob"])
    by_code.read()
    by_code.answer("bob", "join")
    town.send("alice", payloads.Join, game=by_code.tag)
    table = Table(town, by_code.tag, by_code.names)
    table.read()
    while table.asked != "bob":
        assert table.play().reason == "ok"
        table.read()
    everything = [f"on turn do hide {card}" for card in find("weaver").cards]
    for add in (everything[:18], everything[18:]):
        town.send("bob", payloads.Standing, game=table.tag, seat=2, add=tuple(add))
    town.post()
    rotate(town, "bob", new_key("second"))
    town.post()
    table.play_to_end()
    report = proved(table)
    assert report.checked["standing"] >= 1
    assert report.checked["rotations"] == 1
