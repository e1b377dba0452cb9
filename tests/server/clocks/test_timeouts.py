"""What happens when time is out: forfeit, bot, claim, substitute, excuses."""

from __future__ import annotations

import json

import pytest
from sqlalchemy import select

from sigilpost_engine.core.events import Event
from sigilpost_engine.wire import payloads
from sigilpost_server.clocks import desk
from sigilpost_server.models import seat_clocks, seat_offers, substitutions
from tests.server.clocks.hours import (
    DAY,
    HOUR,
    STEADY,
    again,
    ask,
    begin,
    hourly,
    kept_entries,
    others,
    standing,
    to,
    wait,
)
from tests.server.service.town import Received, Table, Town


def ends(mails: list[Received]) -> list[Received]:
    """Those of the mails that tell how the game ended; not the transcripts that follow."""
    return [mail for mail in mails if mail.turn.notice and "winners" in mail.turn.notice]


def test_forfeit_the_others_have_won(any_town: Town) -> None:
    table = begin(any_town, "alice", "bob", "carol", clock="2d per move")
    late = table.asked
    mails = ends(wait(any_town, 2 * DAY))
    assert {mail.to for mail in mails} == {f"{name}@player.test" for name in table.names}
    winners = others(table, late)
    for mail in mails:
        assert mail.turn.status == "finished"
        assert mail.turn.notice is not None
        assert sorted(mail.turn.notice["winners"]) == sorted(winners)
        assert f"{late}’s time is out: {late} loses the game" in mail.words
        assert mail.turn.notice["secret"]
    entry = kept_entries(any_town, table.tag)[-1]
    assert (entry.actor, entry.block, json.loads(entry.answer)) == (
        "clock",
        None,
        ["forfeit", "", []],
    )
    assert [mail.subject for mail in wait(any_town, 30 * DAY)] == []


def test_one_second_before_the_deadline_nothing_happens(town: Town) -> None:
    begin(town, "alice", "bob", clock="2d per move", timeout="forfeit, no reminders")
    assert wait(town, 2 * DAY - 1) == []
    assert len(ends(wait(town, 1))) == 2


def test_within_the_grace_an_answer_still_counts(town: Town) -> None:
    table = begin(town, "alice", "bob", clock="2d per move, grace 3h")
    wait(town, 2 * DAY + 2 * HOUR)
    assert table.play().reason == "ok"


def test_after_it_the_game_is_over(town: Town) -> None:
    table = begin(town, "alice", "bob", clock="2d per move, grace 3h")
    wait(town, 2 * DAY + 3 * HOUR)
    assert table.play().reason == "not-running"


def test_an_answer_that_comes_before_the_next_look_at_the_clock_counts(town: Town) -> None:
    """Arrival counts: nothing was done about the seat when the mail was handled."""
    table = begin(town, "alice", "bob", clock="2d per move")
    town.clock.advance(2 * DAY + 5)
    assert table.play().reason == "ok"
    table.read()
    wait(town, 0)
    assert table.status == "running"


# --- bots -----------------------------------------------------------------------------------------


def test_a_bot_acts_and_everybody_is_told(any_town: Town) -> None:
    town = any_town
    table = begin(town, "alice", "bob", clock="2d per move", timeout="bot greedy, no reminders")
    away = table.asked
    (here,) = others(table, away)
    mails = wait(town, 2 * DAY)
    assert {mail.to for mail in mails} == {f"{name}@player.test" for name in table.names}
    (mine,), (theirs,) = to(mails, away), to(mails, here)
    assert "The bot greedy acts for you until you are back" in mine.words
    assert f"sigil back {table.tag}" in mine.text
    assert f"The bot greedy acts for {away} until {away} is back" in theirs.words
    assert f"* The bot greedy acts for {away}." in theirs.text
    assert theirs.turn.prompt is not None
    entry = kept_entries(town, table.tag)[-1]
    assert (entry.actor, entry.block) == ("bot greedy", None)


def test_every_act_of_a_bot_is_marked_and_waits_for_nobody(town: Town) -> None:
    table = begin(town, "alice", "bob", clock="2d per move", timeout="bot random")
    away = table.asked
    table.docs.update({mail.to.split("@")[0]: mail.turn for mail in wait(town, 2 * DAY)})
    before = len(kept_entries(town, table.tag))
    for _ in range(2):
        assert table.play().reason == "ok"
        (mail,) = table.read()
        assert mail.to.split("@")[0] != away
        assert f"The bot random acts for {away}" in mail.words
    fresh = kept_entries(town, table.tag)[before:]
    seat = table.docs[away].seat - 1
    for entry in fresh:
        assert entry.actor == ("bot random" if entry.seat == seat else "")
        assert (entry.block is None) == (entry.seat == seat)
    assert any(entry.actor for entry in fresh)


def test_any_signed_command_for_the_game_brings_the_player_back(town: Town) -> None:
    table = begin(town, "alice", "bob", clock="2d per move", timeout="bot greedy")
    away = table.asked
    (here,) = others(table, away)
    for mail in wait(town, 2 * DAY):
        table.docs[mail.to.split("@")[0]] = mail.turn
    stale = town.block(
        away,
        payloads.Orders,
        game=table.tag,
        seat=table.docs[away].seat,
        prompt="1-00000000",
        lines=("hide a1",),
    )
    town.deliver(town.mail(away, stale))
    mails = town.post()
    assert "Welcome back: the bot greedy no longer acts for you" in to(mails, away)[0].words
    assert f"{away} is back" in to(mails, here)[0].words
    table.play()
    table.read()
    assert table.asked == away
    assert not kept_entries(town, table.tag)[-1].actor


@pytest.mark.parametrize("what", ["pause", "chat"])
def test_a_vote_and_chat_bring_the_player_back_too(town: Town, what: str) -> None:
    table = begin(town, "alice", "bob", clock="2d per move", timeout="bot greedy, no reminders")
    away = table.asked
    (here,) = others(table, away)
    wait(town, 2 * DAY)
    if what == "pause":
        assert ask(town, away, "pause", table.tag, "5").reason == "ok"
    else:
        assert town.send(away, payloads.Chat, game=table.tag, to="all", text="hello").reason == "ok"
    mails = town.post()
    assert "Welcome back: the bot greedy no longer acts for you" in to(mails, away)[-1].words
    assert f"{away} is back" in to(mails, here)[0].words
    assert ask(town, away, "back", table.tag).reason == "not-possible"


def test_who_is_back_by_a_vote_is_needed_for_the_pause(town: Town) -> None:
    """Bots have no vote; so before, the other one's wish alone would have been enough."""
    table = begin(town, "alice", "bob", clock="2d per move", timeout="bot greedy, no reminders")
    away = table.asked
    wait(town, 2 * DAY)
    ask(town, away, "pause", table.tag, "5")
    assert not any("stand still. They run again" in mail.words for mail in town.post())


def test_back_is_a_command_of_its_own(town: Town) -> None:
    table = begin(town, "alice", "bob", clock="2d per move", timeout="bot greedy")
    away = table.asked
    assert ask(town, away, "back", table.tag).reason == "not-possible"
    town.post()
    wait(town, 2 * DAY)
    assert ask(town, away, "back", table.tag).reason == "ok"
    assert len(town.post()) == 2
    assert ask(town, away, "back", table.tag).reason == "not-possible"


def test_nobody_gains_time_by_a_bot(town: Town) -> None:
    """With a bank: what the bot answers refills nothing, and coming back finds it used up."""
    table = begin(
        town, "alice", "bob", clock="bank 2d + 1h per move", timeout="bot greedy, no reminders"
    )
    away = table.asked
    (here,) = others(table, away)
    seat = table.docs[away].seat - 1
    for mail in wait(town, 2 * DAY + HOUR):
        table.docs[mail.to.split("@")[0]] = mail.turn
    for _ in range(3):
        table.play()
        table.read()
    with town.service.database.read() as db:
        row = db.execute(select(seat_clocks).where(seat_clocks.c.number == seat)).one()
    assert (row.left, row.question, row.asked) == (0, "", None)
    ask(town, away, "back", table.tag)
    town.post()
    assert table.asked == here
    table.play()
    table.read()
    assert table.docs[away].extra["deadline"] == town.clock() + HOUR


def test_bots_alone_play_on_in_steps_that_end(town: Town) -> None:
    """With everybody away, each transaction has an end, and so has the game."""
    table = begin(town, "alice", "bob", clock="2d per move", timeout="bot greedy, no reminders")
    wait(town, 2 * DAY)
    mails = wait(town, 2 * DAY)
    assert [mail.turn.status for mail in mails if mail.turn.notice][:1] == ["finished"]
    assert {entry.actor for entry in kept_entries(town, table.tag)[1:]} == {"bot greedy"}


def test_the_bot_s_own_chance_is_the_same_if_the_work_is_done_again(town: Town) -> None:
    """Two looks at equal games give equal answers: a crash changes no move."""
    from sigilpost_server.db import Database
    from sigilpost_server.transaction import automatic
    from sigilpost_server.transaction.play import Play

    table = begin(town, "alice", "bob", clock="2d per move", timeout="bot random")
    seat = table.docs[table.asked].seat - 1
    answers = []
    database: Database = town.service.database
    for _ in range(2):
        with database.engine.connect() as db:
            transaction = db.begin()
            play = Play.load(db, table.tag)
            assert play is not None
            play.change_seat(seat, acting="random")
            automatic.run(play, town.clock())
            answers.append([entry["answer"] for entry in play._entries])
            transaction.rollback()
    assert answers[0] == answers[1] != []


# --- claims ---------------------------------------------------------------------------------------


def claimable(town: Town) -> tuple[Table, str, str, str]:
    """A game in which somebody's time is out: the table, who is late, and two others."""
    table = begin(town, "alice", "bob", "carol", clock="2d per move", timeout="claim, no reminders")
    late = table.asked
    one, two = others(table, late)
    mails = wait(town, 2 * DAY)
    assert f"sigil claim {table.tag}" in to(mails, one)[0].text
    assert f"sigil claim {table.tag}" not in to(mails, late)[0].text
    assert "you can still answer" in to(mails, late)[0].words
    return table, late, one, two


def test_an_opponent_claims_the_end(any_town: Town) -> None:
    table, late, one, two = claimable(any_town)
    assert ask(any_town, one, "claim", table.tag).reason == "ok"
    mails = any_town.post()
    assert len(mails) == 3
    for mail in mails:
        assert mail.turn.notice is not None
        assert sorted(mail.turn.notice["winners"]) == sorted([one, two])
        assert f"{late}’s time is out, and {one} ends the game" in mail.words
    assert kept_entries(any_town, table.tag)[-1].actor == f"claim {one}"


def test_or_waits_and_the_answer_counts(town: Town) -> None:
    table, _late, one, _ = claimable(town)
    assert wait(town, 30 * DAY) == []
    assert table.play().reason == "ok"
    table.read()
    assert ask(town, one, "claim", table.tag).reason == "not-possible"


def test_who_is_late_claims_nothing(town: Town) -> None:
    table, late, *_ = claimable(town)
    assert ask(town, late, "claim", table.tag).reason == "not-possible"
    assert "Your own time is out" in town.only().words


def test_nobody_claims_before_time_is_out(town: Town) -> None:
    table = begin(town, "alice", "bob", clock="2d per move", timeout="claim")
    assert ask(town, table.idle, "claim", table.tag).reason == "not-possible"


def test_a_stranger_claims_nothing(town: Town) -> None:
    table, *_ = claimable(town)
    town.register("dan")
    assert ask(town, "dan", "claim", table.tag).reason == "unknown-game"


# --- excuses --------------------------------------------------------------------------------------


def test_excuses_let_so_many_misses_pass(any_town: Town) -> None:
    table = begin(
        any_town, "alice", "bob", clock="2d per move", timeout="forfeit, excuses 2, no reminders"
    )
    late = table.asked
    (other,) = others(table, late)
    for left in (1, 0):
        mails = wait(any_town, 2 * DAY)
        assert f"After that {left} more miss" in to(mails, late)[0].words.replace(
            "After that one more", "After that 1 more"
        )
        assert f"{late}’s time was out. This is excused" in to(mails, other)[0].words
        deadline = to(mails, late)[0].turn.extra["deadline"]
        assert deadline == any_town.clock() + 2 * DAY
    mails = wait(any_town, 2 * DAY)
    assert {mail.turn.status for mail in mails} == {"finished"}


def test_an_excused_player_answers_and_plays_on(town: Town) -> None:
    table = begin(town, "alice", "bob", clock="2d per move", timeout="forfeit, excuses 1")
    late = table.asked
    hourly(town, 50)
    assert table.play().reason == "ok"
    table.read()
    assert table.asked != late


def test_the_last_reminder_says_that_there_is_an_excuse(town: Town) -> None:
    begin(town, "alice", "bob", clock="100h per move", timeout="forfeit, excuses 1, reminders 90")
    words = [mail.words for _, mail in hourly(town, 195)]
    assert "one of your excuses is used up" in words[0]
    assert "and you have lost it" in words[-1]


# --- substitutes ----------------------------------------------------------------------------------


def on_offer(town: Town, *pool: str) -> tuple[Table, str]:
    """A game whose late seat is offered to the first of these players: the table, who is late."""
    table = begin(town, "alice", "bob", clock="2d per move", timeout="substitute, no reminders")
    town.register(*pool)
    for name in pool:
        town.clock.advance(1)
        assert ask(town, name, "substitute", "on").reason == "ok"
    town.post()
    return table, table.asked


def test_a_player_of_the_pool_takes_the_seat(any_town: Town) -> None:
    town = any_town
    table, late = on_offer(town, "carol", "dan")
    (other,) = others(table, late)
    mails = wait(town, 2 * DAY)
    offer = to(mails, "carol")[0]
    assert to(mails, "dan") == []
    assert f"sigil substitute take {table.tag}" in offer.text
    assert ask(town, "carol", "substitute", "take", table.tag).reason == "ok"
    mails = town.post()
    mine = to(mails, "carol")[0]
    assert mine.turn.prompt == table.docs[late].prompt
    assert mine.turn.view == table.docs[late].view
    assert "carol has taken your seat" in to(mails, late)[0].words
    assert to(mails, late)[0].turn.view is None
    assert f"carol plays for {late} from here on" in to(mails, other)[0].words
    line = table.line()
    block = town.block(
        "carol",
        payloads.Orders,
        game=table.tag,
        seat=mine.turn.seat,
        prompt=mine.turn.prompt["id"],  # type: ignore[index]
        lines=(line,),
    )
    assert town.deliver(town.mail("carol", block)).reason == "ok"
    assert table.play().reason == "wrong-key"
    with town.service.database.read() as db:
        row = db.execute(select(substitutions)).one()
    assert row.rated == "substitute"


def test_an_offer_tells_nothing_of_the_hand(town: Town) -> None:
    table, late = on_offer(town, "carol")
    offer = to(wait(town, 2 * DAY), "carol")[0]
    view = table.docs[late].view
    assert view is not None
    for card in view[late]["hand"]:
        assert card.encode() not in offer.raw
    assert offer.turn.view is None


def test_an_offer_refused_or_lapsed_goes_to_the_next_and_then_the_seat_forfeits(
    town: Town,
) -> None:
    table, _late = on_offer(town, "carol", "dan")
    wait(town, 2 * DAY)
    assert ask(town, "carol", "substitute", "refuse", table.tag).reason == "ok"
    mails = town.post()
    assert len(to(mails, "dan")) == 1
    assert ask(town, "carol", "substitute", "take", table.tag).reason == "not-possible"
    town.post()
    mails = wait(town, 2 * DAY)
    assert {mail.turn.status for mail in mails} == {"finished"}
    with town.service.database.read() as db:
        states = [row.state for row in db.execute(select(seat_offers))]
    assert states == ["refused", "expired"]


def test_with_an_empty_pool_the_seat_forfeits_at_once(town: Town) -> None:
    on_offer(town)
    assert {mail.turn.status for mail in wait(town, 2 * DAY)} == {"finished"}


def test_a_seat_that_was_taken_or_refused_is_not_to_be_had_again(town: Town) -> None:
    """Who was offered it is told so, and not that there is no such game."""
    table, _ = on_offer(town, "carol", "dan")
    wait(town, 2 * DAY)
    assert ask(town, "carol", "substitute", "take", table.tag).reason == "ok"
    town.post()
    for word in ("take", "refuse"):
        assert ask(town, "carol", "substitute", word, table.tag).reason == "not-possible"
        assert f"{table.tag} is not on offer to you now" in town.only().words
    assert ask(town, "dan", "substitute", "take", table.tag).reason == "unknown-game"


@pytest.mark.parametrize("ended", [True, False])
def test_the_time_to_think_about_an_offer_stands_still_in_a_pause(town: Town, ended: bool) -> None:
    table, late = on_offer(town, "carol")
    wait(town, 2 * DAY)
    town.clock.advance(DAY)
    assert desk.pause(town.service, table.tag)
    wait(town, 10 * DAY)
    assert desk.resume(town.service, table.tag) is True
    town.post()
    if ended:
        wait(town, DAY - 1)
        assert ask(town, "carol", "substitute", "take", table.tag).reason == "ok"
    else:
        mails = wait(town, DAY + HOUR)
        assert {mail.turn.status for mail in to(mails, late)} == {"finished"}


def test_a_former_player_s_vote_is_not_the_substitute_s(town: Town) -> None:
    town.register("dan")
    ask(town, "dan", "substitute", "on")
    town.post()
    terms = {"clock": "2d per move", "timeout": "substitute, no reminders"}
    table = begin(town, "alice", "bob", "carol", **terms)
    late = table.asked
    ask(town, late, "pause", table.tag, "5")
    wait(town, 2 * DAY)
    assert ask(town, "dan", "substitute", "take", table.tag).reason == "ok"
    for name in others(table, late):
        ask(town, name, "pause", table.tag, "5")
    assert not any("stand still. They run again" in mail.words for mail in town.post())
    ask(town, "dan", "pause", table.tag, "5")
    assert "stand still. They run again" in town.post()[-1].words.replace("* ", "")


def test_an_answer_after_all_ends_the_offer(town: Town) -> None:
    table, _late = on_offer(town, "carol")
    wait(town, 2 * DAY)
    assert table.play().reason == "ok"
    table.town.post()
    assert ask(town, "carol", "substitute", "take", table.tag).reason == "not-possible"
    assert "no longer free" in to(town.post(), "carol")[0].words


def test_nobody_is_offered_a_seat_where_they_sit_or_sat(town: Town) -> None:
    """Nobody can take over their own seat to gain time, nor see a second hand."""
    table, _late = on_offer(town, "carol")
    for name in table.names:
        assert ask(town, name, "substitute", "on", "weaver").reason == "ok"
    town.post()
    assert len(to(wait(town, 2 * DAY), "carol")) == 1
    ask(town, "carol", "substitute", "take", table.tag)
    town.post()
    mails = wait(town, 2 * DAY)
    assert {mail.turn.status for mail in mails} == {"finished"}
    assert not any("substitute take" in mail.text for mail in mails)


def test_a_substitute_begins_with_everybody_s_time_and_without_the_old_orders(town: Town) -> None:
    table = begin(
        town, "alice", "bob", clock="bank 2d + 1h per move", timeout="substitute, no reminders"
    )
    late = table.asked
    standing(town, table, late, "on turn do hide nothing")
    town.post()
    town.register("carol")
    ask(town, "carol", "substitute", "on")
    town.post()
    wait(town, 2 * DAY + HOUR)
    ask(town, "carol", "substitute", "take", table.tag)
    mine = to(town.post(), "carol")[0].turn
    assert mine.extra["deadline"] == town.clock() + 2 * DAY + HOUR
    assert mine.extra["standing"] == []


def test_the_pool_can_be_left(town: Town) -> None:
    _table, _ = on_offer(town, "carol")
    assert ask(town, "carol", "substitute", "off").reason == "ok"
    town.post()
    assert {mail.turn.status for mail in wait(town, 2 * DAY)} == {"finished"}
    assert ask(town, "carol", "substitute", "dance").reason == "unparseable"
    assert ask(town, "carol", "substitute", "on", "chess").reason == "unparseable"


# --- what is agreed -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "rules",
    [
        {"clock": "soon"},
        {"clock": "3d per move", "timeout": "explode"},
        {"clock": "3d per move", "timeout": "bot deep-thought"},
        {"clock": ["3d per move"]},
        {"clock": 3},
    ],
)
def test_terms_that_cannot_be_read_are_refused_with_the_reason(
    town: Town, rules: dict[str, object]
) -> None:
    town.register("alice", "bob")
    verdict = town.send(
        "alice", payloads.Create, game="weaver", options={}, opponents=("bob",), rules=rules
    )
    assert verdict.reason == "bad-option"
    assert "clock." not in town.only().words


def test_the_host_s_terms_count_where_a_game_says_nothing(sqlite_url: str) -> None:
    clocks = {**STEADY, "control": "2d per move", "timeout": "bot random"}
    with Town.on(sqlite_url, clocks=clocks) as town:
        table = town.begin("alice", "bob")
        assert table.docs[table.asked].extra["deadline"] == town.clock() + 2 * DAY
        own = again(town, "alice", "bob", clock="no limit")
        assert own.docs[own.asked].extra["deadline"] is None


def test_marks_are_told_and_are_no_part_of_the_chain_s_events(town: Town) -> None:
    table = begin(town, "alice", "bob", clock="2d per move", timeout="bot greedy")
    wait(town, 2 * DAY)
    entry = kept_entries(town, table.tag)[-1]
    events = [Event.from_json(raw) for raw in json.loads(entry.events)]
    assert not any(event.name.startswith("clock.") for event in events)
