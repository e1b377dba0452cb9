"""What a dishonest server could do, and that each of it is caught and named."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from sigilpost_engine.audit import transcript
from sigilpost_engine.audit.transcript import Unreadable
from sigilpost_engine.audit.verify import Receipt, Report
from sigilpost_engine.core.messages import say
from sigilpost_engine.texts import Texts
from sigilpost_engine.wire.keys import PrivateKey
from sigilpost_engine.wire.payloads import Create, Join, Orders

from .dishonest import (
    KEYS,
    SERVER,
    Lines,
    Play,
    attacked,
    checked,
    common,
    places,
    signed,
    whole_game,
)


@pytest.fixture(params=["weaver", "wizards", "tome"])
def honest(request: pytest.FixtureRequest) -> Play:
    """An honest game of each kind in turn. Not to be changed."""
    return whole_game(request.param)


@pytest.fixture
def weaver() -> Play:
    """An honest game of Weaver. Not to be changed."""
    return whole_game("weaver")


def fault_of(report: Report) -> tuple[str, int]:
    assert report.fault is not None, "the attack was not caught"
    text = Texts("en").render(report.fault.message)
    assert Texts("en").knows(report.fault.message.id)
    assert "{" not in text
    return report.fault.message.id.removeprefix("audit.fault."), report.fault.line


def draws_of(play: Play) -> list[tuple[int, int, Any]]:
    """All events of answers that show what came off a deck: line, place, the event."""
    return [
        (place, number, event)
        for place in places(play.lines, "answer")
        for number, event in enumerate(play.lines[place]["events"])
        if event[0][0] in play.game.draws
    ]


def number_of(play: Play, line: int, place: int) -> int:
    """The number of a draw among all draws of a game."""
    return 1 + sum(
        (at, number) < (line, place)
        for at, each in enumerate(play.lines)
        for number, event in enumerate(each.get("events", ()))
        if event[0][0] in play.game.draws
    )


def test_an_honest_game_is_proved_with_all_receipts(honest: Play) -> None:
    report = checked(attacked(honest, lambda lines: None), honest.receipts)
    assert report.fault is None
    answers = len(places(honest.lines, "answer"))
    assert report.checked["answers"] == answers
    assert report.checked["receipts"] == answers + 1
    assert report.checked["signatures"] == len(places(honest.lines, "block"))
    assert report.result == honest.lines[-1]["result"]
    assert report.notes == []


def test_a_swapped_card_in_the_deck(honest: Play) -> None:
    """Two cards that were drawn change places, and the chain is made anew to fit."""
    drawn = draws_of(honest)
    first = drawn[0]
    other = next(each for each in drawn if each[2] != first[2] and each[2][0][0] == first[2][0][0])

    def swap(lines: Lines) -> None:
        lines[first[0]]["events"][first[1]] = copy.deepcopy(other[2])
        lines[other[0]]["events"][other[1]] = copy.deepcopy(first[2])

    report = checked(attacked(honest, swap))
    assert fault_of(report) == ("deck", first[0] + 1)
    assert report.fault is not None
    assert report.fault.message.values["draw"] == number_of(honest, first[0], first[1])


def test_a_deck_that_another_key_shuffled(honest: Play) -> None:
    loaded = Play(honest.game.name, deck_of=b"a deck of the server's liking").play(3)
    loaded.lines.append(whole_game(honest.game.name).lines[-1])
    what, line = fault_of(checked(attacked(loaded, lambda lines: None)))
    assert (what, line) == ("deck", places(loaded.lines, "start")[0] + 1)


def test_a_different_secret_than_the_one_committed_to(honest: Play) -> None:
    other = Play(honest.game.name, secret=b"x" * 32).play(3)
    what, line = fault_of(checked(attacked(other, lambda lines: None)))
    assert (what, line) == ("secret", places(other.lines, "secret")[0] + 1)


@pytest.mark.parametrize("with_block", [True, False])
def test_a_dropped_answer(honest: Play, with_block: bool) -> None:
    place = places(honest.lines, "answer")[5]

    def drop(lines: Lines) -> None:
        del lines[place]
        if with_block:
            del lines[place - 1]

    assert fault_of(checked(attacked(honest, drop, rechain=False)))[0] in ("number", "chain")
    what, line = fault_of(checked(attacked(honest, drop)))
    assert what in ("stale", "illegal")
    assert line <= place + 2


def test_an_altered_answer(honest: Play) -> None:
    place = places(honest.lines, "answer")[6]
    answer = honest.lines[place]["answer"]
    other = next(
        honest.lines[each]["answer"]
        for each in places(honest.lines, "answer")
        if honest.lines[each]["answer"] != answer
    )

    def alter(lines: Lines) -> None:
        lines[place]["answer"] = other

    assert fault_of(checked(attacked(honest, alter))) == ("other-answer", place + 1)


def test_a_duplicated_answer(honest: Play) -> None:
    place = places(honest.lines, "answer")[6]

    def double(lines: Lines) -> None:
        lines.insert(place + 1, copy.deepcopy(lines[place]))

    assert fault_of(checked(attacked(honest, double))) == ("answer-twice", place + 2)


def test_a_block_used_twice(honest: Play) -> None:
    place = places(honest.lines, "answer")[6]

    def double(lines: Lines) -> None:
        lines[place + 1 : place + 1] = copy.deepcopy(lines[place - 1 : place + 1])

    assert fault_of(checked(attacked(honest, double))) == ("block-twice", place + 2)


def test_reordered_answers(honest: Play) -> None:
    one, two = places(honest.lines, "answer")[6:8]

    def reorder(lines: Lines) -> None:
        lines[one - 1 : one + 1], lines[two - 1 : two + 1] = (
            lines[two - 1 : two + 1],
            lines[one - 1 : one + 1],
        )

    what, line = fault_of(checked(attacked(honest, reorder)))
    assert what in ("stale", "illegal")
    assert line == one + 1


def test_a_forged_signature(honest: Play) -> None:
    place = places(honest.lines, "block")[6]

    def forge(lines: Lines) -> None:
        stranger = PrivateKey.from_seed(b"?" * 32)
        payload = lines[place]["payload"].encode()
        lines[place]["signature"] = stranger.sign("ORDERS", payload).hex()

    assert fault_of(checked(attacked(honest, forge))) == ("signature", place + 1)


def test_another_player_s_signature(honest: Play) -> None:
    place = places(honest.lines, "block")[6]

    def blame(lines: Lines) -> None:
        lines[place]["seat"] = lines[place]["seat"] % len(honest.names) + 1

    assert fault_of(checked(attacked(honest, blame))) == ("signature", place + 1)


def test_a_nonce_changed_after_the_join(honest: Play) -> None:
    place = places(honest.lines, "block")[1]

    def change(lines: Lines) -> None:
        old = lines[place]["payload"]
        nonce = old.split('"nonce":"')[1][:32]
        lines[place]["payload"] = old.replace(nonce, "0" * 32)

    assert fault_of(checked(attacked(honest, change))) == ("signature", place + 1)


def test_a_second_join_with_another_nonce(honest: Play) -> None:
    place, seat = places(honest.lines, "block")[1], 0
    again = Join(game=honest.tag, commitment="", **common(seat, "again"))

    def rejoin(lines: Lines) -> None:
        lines.insert(place + 1, signed(seat, again))

    assert fault_of(checked(attacked(honest, rejoin))) == ("nonce-changed", place + 2)


def test_a_history_rewritten_from_the_middle(honest: Play) -> None:
    """The server replays the last third with other moves, and signs for a player itself."""
    place = places(honest.lines, "answer")[12]

    def rewrite(lines: Lines) -> None:
        lines[place]["block"] = ""
        lines[place]["by"] = "orders"

    assert fault_of(checked(attacked(honest, rewrite))) == ("unsigned", place + 1)


def test_a_move_of_the_server_s_own_is_not_hidden_from_who_was_told_otherwise(
    honest: Play,
) -> None:
    """Said to be a bot's, it passes the rules; but the head is another than the players hold."""
    place = places(honest.lines, "answer")[12]

    def rewrite(lines: Lines) -> None:
        lines[place] |= {"block": "", "by": "bot"}

    data = attacked(honest, rewrite)
    what, line = fault_of(checked(data, honest.receipts))
    assert what in ("receipt", "unused")
    assert line >= place


def test_two_players_told_different_heads(honest: Play) -> None:
    told = [*honest.receipts[:4], Receipt(4, "00" * 32)]
    what, line = fault_of(checked(attacked(honest, lambda lines: None), told))
    assert what == "receipt"
    assert line == places(honest.lines, "answer")[3] + 1


def test_a_head_beyond_the_end(honest: Play) -> None:
    told = [Receipt(honest.receipts[-1].number + 1, "00" * 32)]
    assert fault_of(checked(attacked(honest, lambda lines: None), told))[0] == "receipt"


def test_a_result_changed(honest: Play) -> None:
    def change(lines: Lines) -> None:
        winners = lines[-1]["result"]["winners"]
        lines[-1]["result"]["winners"] = [name for name in honest.names if name not in winners]

    assert fault_of(checked(attacked(honest, change))) == ("result", len(honest.lines))


def test_a_transcript_cut_short(honest: Play) -> None:
    data = attacked(honest, lambda lines: None)
    lines = data.splitlines(keepends=True)
    assert fault_of(checked(b"".join(lines[:-1])))[0] == "cut-short"
    assert fault_of(checked(b"".join(lines[:-6])))[0] == "cut-short"

    def cut(lines: Lines) -> None:
        del lines[-5:-1]

    assert fault_of(checked(attacked(honest, cut)))[0] in ("not-over", "unused")


def test_a_byte_changed_after_the_seal(honest: Play) -> None:
    data = attacked(honest, lambda lines: None)
    other = data.replace(b'"made":1800000000', b'"made":1800000001', 1)
    assert other != data
    assert checked(other).fault is not None


def test_another_server_s_seal(honest: Play) -> None:
    stranger = PrivateKey.from_seed(b"?" * 32)
    data = transcript.write(honest.lines, stranger)
    assert fault_of(checked(data))[0] == "other-server"


def test_a_commitment_in_other_letters(weaver: Play) -> None:
    def write(lines: Lines) -> None:
        lines[0]["commitment"] = "é" * 64

    play = Play(blind=True)
    play.lines.append(weaver.lines[-1])
    what, line = fault_of(checked(attacked(play, write)))
    assert (what, line) == ("secret", places(play.lines, "secret")[0] + 1)


def test_who_joined_without_naming_the_commitment_is_named() -> None:
    play = Play("wizards", blind=True).to_the_end()
    report = checked(attacked(play, lambda lines: None))
    assert report.fault is None
    assert [note.message.id for note in report.notes] == ["audit.note.blind-join"] * 2


def test_whose_seat_rests_on_the_server_s_word_is_named() -> None:
    play = Play("weaver", blind=True).to_the_end()
    report = checked(attacked(play, lambda lines: None))
    untold = [note.message for note in report.notes if "seat" in note.message.id]
    assert untold == [say("audit.note.seat-untold", seat=name) for name in play.names[1:]]


def test_seats_in_another_order_than_the_joins_name() -> None:
    """The server could else choose among as many deals as there are orders."""
    play = Play("weaver", order=(1, 3, 2)).to_the_end()
    what, _ = fault_of(checked(attacked(play, lambda lines: None)))
    assert what == "other-seat"


@pytest.mark.parametrize(
    "options", [{}, {"hidden_cards": "Count", "space_match": "each"}, {"hidden_cards": 1}]
)
def test_options_in_another_spelling_are_another_shuffle(
    weaver: Play, options: dict[str, Any]
) -> None:
    """Where no proposal is signed, as in a league, the server could try spellings for a deck."""
    if 1 in options.values():
        play = copy.copy(weaver)
        play.lines = copy.deepcopy(weaver.lines)
        play.lines[0]["options"] = options
    else:
        play = Play(options=options).to_the_end()
    del play.lines[places(play.lines, "block")[0]]
    assert fault_of(checked(attacked(play, lambda lines: None))) == ("options", 1)


def test_a_proposal_by_another_seat_than_the_first(honest: Play) -> None:
    """Seats in another order are another shuffle."""
    place = places(honest.lines, "block")[0]

    def move(lines: Lines) -> None:
        payload = json.loads(lines[place]["payload"])
        create = Create(**{**payload, "key": KEYS[1].fingerprint})
        lines[place] = signed(1, create)

    assert fault_of(checked(attacked(honest, move))) == ("proposer", place + 1)


def test_two_proposals(honest: Play) -> None:
    place = places(honest.lines, "block")[0]

    def double(lines: Lines) -> None:
        payload = json.loads(lines[place]["payload"])
        lines.insert(place + 1, signed(0, Create(**{**payload, "nonce": "0" * 32})))

    assert fault_of(checked(attacked(honest, double))) == ("out-of-place", place + 2)


@pytest.mark.parametrize("kind", ["key", "secret", "start", "end"])
def test_no_line_stands_twice(honest: Play, kind: str) -> None:
    place = places(honest.lines, kind)[0]

    def double(lines: Lines) -> None:
        lines.insert(place + 1, copy.deepcopy(lines[place]))

    what, line = fault_of(checked(attacked(honest, double, rechain=False)))
    assert what in ("key", "out-of-place", "after-end")
    assert line == place + 2


@pytest.mark.parametrize(("kind", "field"), [("secret", "secret"), ("block", "signature")])
def test_hexadecimal_digits_are_small(honest: Play, kind: str, field: str) -> None:
    place = places(honest.lines, kind)[-1]

    def enlarge(lines: Lines) -> None:
        lines[place][field] = lines[place][field].upper()

    assert fault_of(checked(attacked(honest, enlarge))) == (field, place + 1)


@pytest.mark.parametrize(
    "answer", [["claim", "", []], ["exchange", "", []], ["", "", []], ["\x1b[2J", "x", ["é"] * 9]]
)
def test_an_answer_that_no_rules_know_is_named(honest: Play, answer: list[Any]) -> None:
    place = places(honest.lines, "answer")[3]

    def alter(lines: Lines) -> None:
        lines[place] |= {"answer": answer, "block": "", "by": "bot"}

    assert fault_of(checked(attacked(honest, alter))) == ("illegal", place + 1)


@pytest.mark.parametrize(
    "answer", [["hide", "", "A3"], ["hide", "", {"A": 3}], ["hide", 1, []], []]
)
def test_what_is_no_answer_is_named(honest: Play, answer: list[Any]) -> None:
    place = places(honest.lines, "answer")[3]

    def alter(lines: Lines) -> None:
        lines[place]["answer"] = answer

    assert fault_of(checked(attacked(honest, alter))) == ("answer", place + 1)


def test_true_is_not_one_in_an_event() -> None:
    play = whole_game("wizards")
    place, number, path = next(
        (place, number, (seat, name))
        for place in places(play.lines, "answer")
        for number, event in enumerate(play.lines[place]["events"])
        for seat, values in event[1].items()
        for name, value in values.items()
        if value in ([1], [0])
    )

    def alter(lines: Lines) -> None:
        values = lines[place]["events"][number][1][path[0]]
        values[path[1]] = [bool(values[path[1]][0])]

    assert fault_of(checked(attacked(play, alter)))[1] == place + 1


def test_another_roster(honest: Play) -> None:
    def swap(lines: Lines) -> None:
        lines[1], lines[2] = lines[2] | {"seat": 1}, lines[1] | {"seat": 2}

    assert fault_of(checked(attacked(honest, swap)))[0] == "key"


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"not json\n",
        b"{}\n",
        b'{"line":"seal"}\n',
        b'{"line":"game","v":1}\n',
        b"[1]\n",
        b"\xff\xfe\n",
    ],
)
def test_what_is_no_transcript_is_unreadable(data: bytes) -> None:
    with pytest.raises(Unreadable):
        checked(data)


def test_every_single_line_counts(weaver: Play) -> None:
    """Whatever single line is missing, even of a transcript sealed again, it is noticed."""
    for place in range(1, len(weaver.lines)):

        def drop(lines: Lines, place: int = place) -> None:
            del lines[place]

        report = checked(attacked(weaver, drop))
        if weaver.lines[place].get("kind") == "CREATE":  # as in a league's game: not proved, then
            assert [note.message.id for note in report.notes] == ["audit.note.no-proposal"]
            continue
        assert report.fault is not None, weaver.lines[place]


def test_a_block_for_another_server(honest: Play) -> None:
    """A server cannot have played what was signed for another one."""
    stranger = PrivateKey.from_seed(b"?" * 32)
    other = Play(honest.game.name)
    named = {**other.common(other.asked), "server": stranger.fingerprint}
    orders = Orders(
        game=other.tag, seat=other.asked + 1, prompt="1-00000000", lines=("x",), **named
    )
    other.block(other.asked, orders)
    place = len(other.lines)
    other.lines.append(honest.lines[-1])
    assert fault_of(checked(attacked(other, lambda lines: None))) == ("block-server", place)


def test_keys_of_the_test_are_no_server_s() -> None:
    assert SERVER.public not in [key.public for key in KEYS]
