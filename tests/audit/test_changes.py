"""Answers and keys of every origin, in transcripts of the honest and of the other kind."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from sigilpost_engine.audit import transcript
from sigilpost_engine.audit.transcript import STOPPED, STOPPED_IN_LEAGUE
from sigilpost_engine.audit.verify import Receipt, Report, verify
from sigilpost_engine.core.errors import Refusal
from sigilpost_engine.core.prompts import Answer
from sigilpost_engine.games import find
from sigilpost_engine.texts import Texts
from sigilpost_engine.wire import payloads
from sigilpost_engine.wire.handover import Handover
from sigilpost_engine.wire.keys import PrivateKey
from sigilpost_engine.wire.payloads import Orders, Recover, Request, Resign, Standing

from .dishonest import KEYS, MADE, NAMES, SERVER, Lines, Play, attacked, checked, places, whole_game
from .independent import Verifier

NEW = PrivateKey.from_seed(b"new".ljust(32, b"."))
DAN = PrivateKey.from_seed(b"dan".ljust(32, b"."))


def untouched(lines: Lines) -> None:
    """What an honest server does to its lines."""


def fault_of(play: Play, attack: Callable[[Lines], None] = untouched) -> str:
    report = checked(attacked(play, attack))
    assert report.fault is not None, "the attack was not caught"
    text = Texts("en").render(report.fault.message)
    assert Texts("en").knows(report.fault.message.id)
    assert "{" not in text
    return report.fault.message.id.removeprefix("audit.fault.")


def proved(play: Play) -> Report:
    report = checked(attacked(play, untouched), play.receipts)
    assert report.fault is None, report.fault
    for note in report.notes:
        assert Texts("en").knows(note.message.id)
        assert "{" not in Texts("en").render(note.message)
    return report


def notes(report: Report) -> list[str]:
    return [note.message.id.removeprefix("audit.note.") for note in report.notes]


def resigned(play: Play, seat: int) -> Play:
    """A seat gives up by a signed block."""
    wish = Resign(game=play.tag, seat=seat + 1, **play.common(seat))
    play.link(seat, Answer("resign"), "orders", play.block(seat, wish))
    return play.gives_up("resigned", seat)


# --- standing orders ------------------------------------------------------------------------------


def keep(play: Play, seat: int, *lines: str) -> str:
    """A seat's standing orders are received; the block's digest."""
    wish = Standing(game=play.tag, seat=seat + 1, add=lines, **play.common(seat, lines))
    return play.block(seat, wish)


def fitting(play: Play, command: str = "", condition: str = "") -> str:
    """A standing order about what is asked now, which gives this command."""
    prompt = play.match.open[0]
    topic = play.game.topics_of(prompt)[0]
    when = f" when {condition}" if condition else ""
    return f"on {topic}{when} do {command or play.game.phrase(play.choose())}"


def by_order(play: Play, block: str, index: int, command: str) -> None:
    seat = play.asked
    play.answer(seat, play.match.read(seat, command), "standing", block, index)


@pytest.mark.parametrize("kind", ["weaver", "wizards", "tome"])
def test_a_standing_order_answers_as_it_was_signed(kind: str) -> None:
    play = Play(kind).play(2)
    command = play.game.phrase(play.choose())
    block = keep(play, play.asked, fitting(play, command))
    by_order(play, block, 0, command)
    play.play(2)
    report = proved(resigned(play, 0))
    assert report.checked["standing"] == 1
    assert notes(report) == []


def test_orders_count_their_commands_through_all_lines_of_their_block() -> None:
    play = Play()
    command = play.game.phrase(play.choose())
    block = keep(play, play.asked, "do hide nothing; hide nothing", fitting(play, command))
    by_order(play, block, 2, command)
    assert proved(resigned(play, 0)).checked["standing"] == 1


def test_several_commands_of_an_order_follow_each_other() -> None:
    play = Play()
    seat, pick = play.asked, play.match.open[0].moves[0].pick
    assert pick is not None
    commands = f"exchange {pick.items[0]}", f"hide {pick.items[1]}"
    block = keep(play, seat, fitting(play, "; ".join(commands)))
    by_order(play, block, 0, commands[0])
    assert play.asked == seat
    by_order(play, block, 1, commands[1])
    assert proved(resigned(play, 0)).checked["standing"] == 2


def test_the_second_command_of_an_order_does_not_come_alone() -> None:
    play = Play()
    command = play.game.phrase(play.choose())
    block = keep(play, play.asked, fitting(play, f"exchange nothing; {command}"))
    by_order(play, block, 1, command)
    assert fault_of(resigned(play, 0)) == "dropped"


def test_a_standing_order_about_another_question_does_not_answer_this_one() -> None:
    play = Play()
    prompt, command = play.match.open[0], play.game.phrase(play.choose())
    other = next(t for t in play.game.topics if t not in play.game.topics_of(prompt))
    block = keep(play, play.asked, f"on {other} do {command}")
    by_order(play, block, 0, command)
    assert fault_of(resigned(play, 0)) == "standing-unfit"


def a_number(play: Play) -> tuple[str, int]:
    """A fact that is a number now, and the number."""
    facts = play.game.facts(play.match.view(play.asked))
    return next((name, value) for name, value in facts.items() if type(value) is int)


def test_a_standing_order_counts_while_its_condition_holds() -> None:
    play = Play()
    command, (fact, value) = play.game.phrase(play.choose()), a_number(play)
    block = keep(play, play.asked, fitting(play, command, f"{fact} = {value}"))
    by_order(play, block, 0, command)
    assert proved(resigned(play, 0)).checked["standing"] == 1


def test_a_standing_order_whose_condition_did_not_hold_is_no_answer() -> None:
    play = Play()
    command, (fact, value) = play.game.phrase(play.choose()), a_number(play)
    block = keep(play, play.asked, fitting(play, command, f"{fact} > {value}"))
    by_order(play, block, 0, command)
    assert fault_of(resigned(play, 0)) == "standing-unfit"


def twice_by_order(tail: str) -> Play:
    """A game in which one standing order, "end turn", has answered twice."""
    play = Play("wizards").play(2)
    seat, used = play.asked, 0
    block = keep(play, seat, f"do end turn{tail}")
    while used < 2:
        if play.asked == seat and _can(play, "end turn"):
            by_order(play, block, 0, "end turn")
            used += 1
        else:
            play.play(1)
    return resigned(play, 0)


def _can(play: Play, command: str) -> bool:
    try:
        play.match.read(play.asked, command)
    except Refusal:
        return False
    return True


def test_an_order_may_be_used_again_and_again() -> None:
    assert proved(twice_by_order("")).checked["standing"] == 2


def test_an_order_for_once_is_used_once() -> None:
    assert fault_of(twice_by_order(" once")) == "standing-once"


def test_a_standing_order_does_not_give_another_answer_than_it_says() -> None:
    play = Play()
    seat = play.asked
    moves = list(play.match.open[0].answers())
    block = keep(play, seat, fitting(play, play.game.phrase(moves[0])))
    play.answer(seat, moves[1], "standing", block)
    assert fault_of(resigned(play, 0)) == "other-answer"


def test_a_command_that_stands_in_no_order_is_no_answer() -> None:
    play = Play()
    command = play.game.phrase(play.choose())
    block = keep(play, play.asked, fitting(play, command))
    by_order(play, block, 1, command)
    assert fault_of(resigned(play, 0)) == "no-such-line"


def test_standing_orders_of_another_seat_do_not_count() -> None:
    play = Play()
    seat, command = play.asked, play.game.phrase(play.choose())
    other = (seat + 1) % 3
    block = keep(play, other, fitting(play, command))
    by_order(play, block, 0, command)
    assert fault_of(resigned(play, 0)) == "other-seat"


def test_orders_do_not_pass_for_standing_orders() -> None:
    play = Play().play(1)

    def mark(lines: Lines) -> None:
        lines[places(lines, "answer")[0]]["by"] = "standing"

    assert fault_of(resigned(play, 0), mark) == "other-answer"


@pytest.mark.parametrize(("until", "late"), [("2027-01-13", True), ("2027-01-14", False)])
def test_an_order_is_over_with_the_last_hour_of_its_day_anywhere(until: str, late: bool) -> None:
    """The answer was given on 2027-01-15 at 8:00 UTC, when it was still the 14th in Hawaii."""
    play = Play()
    command = play.game.phrase(play.choose())
    block = keep(play, play.asked, f"do {command} until {until}")
    by_order(play, block, 0, command)
    if late:
        assert fault_of(resigned(play, 0)) == "standing-late"
    else:
        proved(resigned(play, 0))


def test_the_next_command_of_an_order_is_not_left_out() -> None:
    play = Play()
    pick = play.match.open[0].moves[0].pick
    assert pick is not None
    commands = f"exchange {pick.items[0]}", f"hide {pick.items[1]}"
    block = keep(play, play.asked, fitting(play, "; ".join(commands)))
    by_order(play, block, 0, commands[0])
    play.play(1)
    assert fault_of(resigned(play, 0)) == "left-out"


def test_standing_orders_that_nothing_came_of_have_no_place_in_a_transcript() -> None:
    play = Play().play(1)
    keep(play, 0, "do hide nothing")
    assert fault_of(resigned(play, 1)) == "unused"


# --- several lines in one mail --------------------------------------------------------------------


def first_of_two(play: Play, second: str) -> None:
    """Somebody sends two lines, and the server takes the first."""
    seat, pick = play.asked, play.match.open[0].moves[0].pick
    assert pick is not None
    first = f"exchange {pick.items[0]}"
    lines = first, second or f"hide {pick.items[1]}"
    prompt = play.match.prompt_id(seat)
    wish = Orders(game=play.tag, seat=seat + 1, prompt=prompt, lines=lines, **play.common(seat))
    play.answer(seat, play.match.read(seat, first), "orders", play.block(seat, wish))
    assert play.asked == seat


@pytest.mark.parametrize("by", ["orders", "bot", "clock", "resign"])
def test_a_line_that_was_possible_is_not_left_out(by: str) -> None:
    play = Play()
    seat = play.asked
    first_of_two(play, "")
    if by == "orders":
        play.play(1)
    elif by == "bot":
        play.answer(seat, play.choose(), "bot")
    elif by == "clock":
        play.link(seat, Answer("forfeit"), "clock")
        assert fault_of(play.gives_up("forfeited", seat)) == "left-out"
        return
    assert fault_of(resigned(play, seat)) == "left-out"


def test_a_line_that_was_refused_ends_a_mail() -> None:
    play = Play()
    first_of_two(play, "hide nothing at all")
    proved(resigned(play.play(3), 0))


# --- what nobody signed ---------------------------------------------------------------------------


def test_a_bot_answers_by_the_rules_and_is_named_as_one() -> None:
    play = Play().play(2)
    away = {play.asked}
    play.answer(play.asked, play.choose(), "bot")
    while play.asked not in away:
        play.play(1)
    play.answer(play.asked, play.choose(), "bot")
    report = proved(resigned(play.play(1), 0))
    assert report.checked["bot"] == 2
    assert notes(report) == ["bot"]


def test_every_seat_that_a_bot_answered_for_is_named() -> None:
    """Else a server could play for one seat in the shadow of another."""
    play = Play().play(2)
    away: list[int] = []
    while len(set(away)) < 2:
        away.append(play.asked)
        play.answer(play.asked, play.choose(), "bot")
    report = proved(resigned(play, 0))
    assert {note.message.values["seat"] for note in report.notes} == {NAMES[seat] for seat in away}


def test_the_clock_ends_a_game_and_is_named() -> None:
    play = Play().play(2)
    play.link(1, Answer("forfeit"), "clock")
    report = proved(play.gives_up("forfeited", 1))
    assert notes(report) == ["clock"]
    assert report.result["forfeited"] == NAMES[1]


def test_several_who_were_late_together_are_proved_to_have_lost() -> None:
    play = Play().play(2)
    for seat in (0, 2):
        play.link(seat, Answer("forfeit"), "clock")
    report = proved(play.gives_up("forfeited", 0, 2))
    assert report.result == {"forfeited": [NAMES[0], NAMES[2]], "winners": [NAMES[1]]}


@pytest.mark.parametrize("seats", [(0, 0), (2, 0)])
def test_each_of_those_who_were_late_together_forfeits_once_in_the_order_of_seats(
    seats: tuple[int, int],
) -> None:
    play = Play().play(2)
    for seat in seats:
        play.link(seat, Answer("forfeit"), "clock")
    assert fault_of(play.gives_up("forfeited", *seats)) == "after-result"


def test_nothing_but_another_forfeit_follows_a_forfeit() -> None:
    play = Play().play(2)
    play.link(1, Answer("forfeit"), "clock")
    play.answer(play.asked, play.choose(), "bot")
    assert fault_of(play.gives_up("forfeited", 1)) == "after-result"


def test_nobody_forfeits_after_a_resignation() -> None:
    play = Play().play(2)
    wish = Resign(game=play.tag, seat=1, **play.common(0))
    play.link(0, Answer("resign"), "orders", play.block(0, wish))
    play.link(1, Answer("forfeit"), "clock")
    assert fault_of(play.gives_up("resigned", 0)) == "after-result"


def test_who_left_a_league_has_given_up_and_is_named() -> None:
    play = Play(league=True).play(2)
    play.link(1, Answer("forfeit"), "host")
    report = proved(play.gives_up("forfeited", 1))
    assert notes(report) == ["no-proposal", "host"]


def test_nobody_leaves_a_league_in_a_game_that_a_player_proposed() -> None:
    """Else a server could end any game so, against whom it likes."""
    play = Play().play(2)
    play.link(1, Answer("forfeit"), "host")
    assert fault_of(play.gives_up("forfeited", 1)) == "no-league"


@pytest.mark.parametrize("why", STOPPED_IN_LEAGUE)
def test_no_league_stops_a_game_that_a_player_proposed(why: str) -> None:
    play = Play().play(3)
    play.ended = {"stopped": why, "winners": []}
    assert fault_of(play.over()) == "no-league"


def test_nobody_is_late_together_with_somebody_who_left_a_league() -> None:
    play = Play(league=True).play(2)
    play.link(0, Answer("forfeit"), "host")
    play.link(1, Answer("forfeit"), "clock")
    assert fault_of(play.gives_up("forfeited", 0, 1)) == "after-result"


@pytest.mark.parametrize("why", STOPPED)
def test_a_game_is_proved_up_to_where_it_was_stopped_and_that_it_was_is_named(why: str) -> None:
    play = Play(league=why in STOPPED_IN_LEAGUE).play(3)
    play.ended = {"stopped": why, "winners": []}
    report = proved(play.over())
    assert notes(report)[-1] == f"stopped.{why}"
    assert report.result == play.ended
    Verifier(transcript.write(play.lines, SERVER), find)


@pytest.mark.parametrize(
    "result",
    [
        {"stopped": "bored", "winners": []},
        {"stopped": "ruling", "winners": ["alice"]},
        {"stopped": ["ruling"], "winners": []},
        {"stopped": "ruling"},
        {"winners": []},
    ],
)
def test_a_game_that_was_not_over_and_not_stopped_either_is_cut_short(
    result: dict[str, Any],
) -> None:
    play = Play().play(3)
    play.ended = result
    assert fault_of(play.over()) == "not-over"


def test_a_game_that_had_a_result_was_not_stopped() -> None:
    play = whole_game()

    def stop(lines: Lines) -> None:
        lines[-1]["result"] = {"stopped": "ruling", "winners": []}

    assert fault_of(play, stop) == "result"


def test_who_knows_a_later_head_notices_that_a_game_was_stopped_before_it() -> None:
    """A server cannot call a game stopped to take back what was played."""
    play = Play(league=True).play(4)
    last = play.head
    play.ended = {"stopped": "ruling", "winners": []}
    play.over()

    def back(lines: Lines) -> None:
        del lines[places(lines, "answer")[-1]], lines[places(lines, "block")[-1]]

    report = checked(attacked(play, back), [Receipt(last.number, last.hash)])
    assert report.fault is not None
    assert report.fault.message.id == "audit.fault.receipt"


@pytest.mark.parametrize("by", ["orders", "bot", "code", "standing", "substitute", ""])
def test_nothing_but_the_clock_or_the_host_makes_a_seat_forfeit(by: str) -> None:
    play = Play().play(2)
    play.link(1, Answer("forfeit"), by)
    assert fault_of(play.gives_up("forfeited", 1)) == "unsigned"


@pytest.mark.parametrize("by", ["orders", "bot", "clock", "host", "code"])
def test_nobody_resigns_without_having_signed_it(by: str) -> None:
    play = Play().play(2)
    play.link(1, Answer("resign"), by)
    assert fault_of(play.gives_up("resigned", 1)) == "unsigned"


@pytest.mark.parametrize("by", ["orders", "clock", "host", "code", "standing"])
def test_a_move_that_nobody_signed_is_a_bot_s_or_wrong(by: str) -> None:
    play = Play().play(2)
    play.answer(play.asked, play.choose(), by)
    assert fault_of(resigned(play, 0)) == "unsigned"


def test_a_signed_resignation_is_proved() -> None:
    report = proved(resigned(Play("tome").play(3), 1))
    assert report.result == {"resigned": "bob", "winners": ["alice"]}


def test_the_winners_after_a_resignation_are_checked() -> None:
    play = resigned(Play().play(3), 1)

    def claim(lines: Lines) -> None:
        lines[-1]["result"]["winners"] = ["alice"]

    assert fault_of(play, claim) == "result"


def test_a_resignation_of_one_seat_does_not_end_the_game_for_another() -> None:
    play = Play().play(2)
    wish = Resign(game=play.tag, seat=2, **play.common(1))
    digest = play.block(1, wish)
    play.link(2, Answer("resign"), "orders", digest)
    assert fault_of(play.gives_up("resigned", 2)) == "other-seat"


def test_events_cannot_be_added_to_an_end_from_outside() -> None:
    play = resigned(Play().play(2), 0)

    def add(lines: Lines) -> None:
        last = places(lines, "answer")[-1]
        lines[last]["events"] = lines[places(lines, "start")[0]]["events"][:1]

    assert fault_of(play, add) == "events"


# --- keys of players ------------------------------------------------------------------------------


def rotate(play: Play, seat: int, new: PrivateKey) -> None:
    old = play.keys[seat]
    made = payloads.rotation(
        new, server=SERVER.fingerprint, key=old.fingerprint, nonce="0" * 32, made=MADE
    )
    play.block(seat, made)
    play.keys[seat] = new


def test_a_game_goes_on_across_a_rotation_and_is_proved() -> None:
    play = Play().play(3)
    rotate(play, play.asked, NEW)
    report = proved(resigned(play.play(5), 0))
    assert report.checked["rotations"] == 1
    assert notes(report) == []


def test_after_a_rotation_the_old_key_signs_nothing() -> None:
    play = Play().play(3)
    seat = play.asked
    old = play.keys[seat]
    rotate(play, seat, NEW)
    play.keys[seat] = old
    assert fault_of(resigned(play.play(1), 0)) == "signature"


def test_a_server_cannot_put_a_key_of_its_own_in_a_seat() -> None:
    play = Play().play(3)
    seat = play.asked
    made = payloads.rotation(
        NEW, server=SERVER.fingerprint, key=NEW.fingerprint, nonce="0" * 32, made=MADE
    )
    play.block(seat, made, NEW)
    play.keys[seat] = NEW
    assert fault_of(resigned(play.play(1), 0)) == "signature"


def test_a_rotation_left_out_is_noticed() -> None:
    play = Play().play(3)
    rotate(play, play.asked, NEW)

    def hide(lines: Lines) -> None:
        del lines[next(p for p in places(lines, "block") if lines[p]["kind"] == "ROTATE")]

    assert fault_of(resigned(play.play(1), 0), hide) == "signature"


def by_order_of_the_key_before(change: Callable[[Play, int, PrivateKey], None]) -> Play:
    """A game in which a key is changed, and an order counts that the one before had signed."""
    play = Play()
    seat, command = play.asked, play.game.phrase(play.choose())
    old = play.keys[seat]
    change(play, seat, NEW)
    add = (fitting(play, command),)
    wish = Standing(
        **{**play.common(seat), "key": old.fingerprint}, game=play.tag, seat=seat + 1, add=add
    )
    by_order(play, play.block(seat, wish, old), 0, command)
    return play


def test_standing_orders_outlive_a_rotation() -> None:
    play = by_order_of_the_key_before(rotate)
    assert proved(resigned(play, 0)).checked["standing"] == 1


def recover(play: Play, seat: int, new: PrivateKey) -> None:
    play.keys[seat] = new
    values = {"public": new.public.hex, "address": "a@b.test", "name": NAMES[seat]}
    play.block(seat, Recover(**{**play.common(seat), **values}))


def test_a_recovered_key_counts_and_is_named_as_the_server_s_word() -> None:
    play = Play().play(3)
    recover(play, play.asked, NEW)
    assert notes(proved(resigned(play.play(4), 0))) == ["recovered"]


def test_standing_orders_do_not_outlive_a_lost_key() -> None:
    play = by_order_of_the_key_before(recover)
    assert fault_of(resigned(play, 0)) == "signature"


# --- substitutes ----------------------------------------------------------------------------------


def substitute(
    play: Play, seat: int, *, game: str = "", word: str = "take", tell: bool = True
) -> None:
    """Dan takes a seat."""
    if tell:
        play.lines.append(
            transcript.line("substitute", seat=seat + 1, name="dan", public=DAN.public.hex)
        )
    values = {**play.common(seat), "key": DAN.fingerprint}
    wish = Request(**values, what="substitute", args=(word, game or play.tag))
    play.link(seat, Answer("substitute"), "substitute", play.block(seat, wish, DAN))
    play.keys[seat] = DAN


def test_a_substitute_plays_on_with_a_key_of_their_own() -> None:
    play = Play().play(3)
    substitute(play, play.asked)
    report = proved(resigned(play.play(4), 0))
    assert report.checked["substitutes"] == 1
    assert notes(report) == ["substitute"]


def test_after_a_substitution_the_former_player_signs_nothing() -> None:
    play = Play().play(3)
    seat = play.asked
    substitute(play, seat)
    play.keys[seat] = KEYS[seat]
    assert fault_of(resigned(play.play(1), 0)) == "signature"


@pytest.mark.parametrize(
    ("values", "fault"),
    [
        ({"game": "weaver-aaaa"}, "other-game"),
        ({"word": "refuse"}, "other-answer"),
        ({"tell": False}, "key-missing"),
    ],
)
def test_a_seat_is_taken_by_nobody_who_did_not_sign_just_that(
    values: dict[str, Any], fault: str
) -> None:
    play = Play().play(3)
    substitute(play, play.asked, **values)
    assert fault_of(resigned(play, 0)) == fault


def test_the_key_of_a_substitute_who_takes_no_seat_has_no_place() -> None:
    play = Play().play(3)
    play.lines.append(transcript.line("substitute", seat=1, name="dan", public=DAN.public.hex))
    assert fault_of(resigned(play.play(1), 0)) == "key-unused"


def test_a_seat_does_not_change_hands_without_a_signature() -> None:
    play = Play().play(3)
    play.link(play.asked, Answer("substitute"), "bot")
    assert fault_of(resigned(play, 0)) == "unsigned"


# --- reply codes ----------------------------------------------------------------------------------


def test_reply_codes_count_only_in_games_that_were_agreed_to_take_them() -> None:
    play = resigned(Play().play(2), 0)

    def allow(lines: Lines) -> None:
        for entry in lines[0]["roster"]:
            entry["credentials"] = "code"

    assert fault_of(play, allow) in ("options", "deck")


def test_a_seat_that_joined_by_a_code_has_the_nonce_that_follows_from_the_commitment() -> None:
    report = proved(resigned(Play(by_code=True), 0))
    assert notes(report) == ["no-nonce"]


def test_a_server_cannot_choose_the_nonce_of_a_seat_that_joined_by_a_code() -> None:
    """With a key that nothing binds to the seat it could sign any nonce, and so choose a deck."""
    assert fault_of(resigned(Play(by_code=True, chosen=True), 0)) == "nonce-unbound"


# --- the server's key -----------------------------------------------------------------------------

FIRST = PrivateKey.from_seed(b"first".ljust(32, b"."))
MIDDLE = PrivateKey.from_seed(b"middle".ljust(32, b"."))


def with_path(play: Play, *steps: Handover) -> bytes:
    lines = [transcript.line("handover", **step.to_json()) for step in steps]
    return transcript.write([play.lines[0], *lines, *play.lines[1:]], SERVER)


def what(data: bytes, *known: PrivateKey) -> str:
    report = verify(data, find, (), [key.public.raw for key in known])
    return report.fault.message.id.removeprefix("audit.fault.") if report.fault else ""


def test_whoever_knows_an_old_key_of_the_server_follows_its_handovers() -> None:
    play = resigned(Play().play(2), 0)
    steps = Handover.sign(FIRST, MIDDLE, 1), Handover.sign(MIDDLE, SERVER, 2)
    data = with_path(play, *steps)
    for known in (FIRST, MIDDLE, SERVER):
        assert what(data, known) == ""
    assert what(data) == ""
    assert what(data, NEW) == "other-server"
    assert what(with_path(play), FIRST) == "other-server"


def test_handovers_that_do_not_lead_from_key_to_key_are_named() -> None:
    play = resigned(Play().play(2), 0)
    whole = Handover.sign(FIRST, MIDDLE, 1), Handover.sign(MIDDLE, SERVER, 2)
    assert what(with_path(play, whole[0]), FIRST) == "handover"
    assert what(with_path(play, whole[1], whole[0]), FIRST) == "handover"
    forged = Handover.from_json(whole[0].to_json())
    unsigned = Handover(SERVER.public.hex, forged.new, 1, forged.by_old, forged.by_new)
    assert what(with_path(play, unsigned, whole[1]), SERVER) == "handover"


def test_blocks_that_name_an_old_key_of_the_server_count() -> None:
    play = Play()
    for seat in (0, 1, 2):
        assert f'"server":"{SERVER.fingerprint}"' in play.lines[4 + seat]["payload"]
    resigned(play.play(1), 0)
    newer = Handover.sign(SERVER, NEW, 1)
    play.lines[0]["server"] = NEW.public.hex
    lines = [play.lines[0], transcript.line("handover", **newer.to_json()), *play.lines[1:]]
    assert what(transcript.write(lines, NEW), SERVER) == ""
    assert what(transcript.write([play.lines[0], *play.lines[1:]], NEW), NEW) == "block-server"
