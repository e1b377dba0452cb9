"""What a dishonest server could do, and that each of it is caught and named."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from sigilpost_engine.audit import transcript
from sigilpost_engine.audit.transcript import Unreadable
from sigilpost_engine.audit.verify import Receipt, Report
from sigilpost_engine.games import find
from sigilpost_engine.texts import Texts
from sigilpost_engine.wire.keys import PrivateKey

from .dishonest import KEYS, SERVER, Lines, Play, attacked, checked, places, whole_game


@pytest.fixture(scope="module")
def honest() -> Play:
    return whole_game()


def fault_of(report: Report) -> tuple[str, int]:
    assert report.fault is not None, "the attack was not caught"
    text = Texts("en").render(report.fault.message)
    assert Texts("en").knows(report.fault.message.id)
    assert "{" not in text
    return report.fault.message.id.removeprefix("audit.fault."), report.fault.line


def draw_lines(lines: Lines) -> list[int]:
    return [
        place
        for place in places(lines, "answer")
        if any(event[0][0] == "weaver.event.draws" for event in lines[place]["events"])
    ]


def test_an_honest_game_is_proved_with_all_receipts(honest: Play) -> None:
    report = checked(attacked(honest, lambda lines: None), honest.receipts)
    assert report.fault is None
    answers = len(places(honest.lines, "answer"))
    assert report.checked["answers"] == answers
    assert report.checked["receipts"] == answers + 1
    assert report.checked["signatures"] == 3 + answers - 1  # two lines came in one mail
    assert report.result == honest.lines[-1]["result"]


def test_a_swapped_card_in_the_deck(honest: Play) -> None:
    def swap(lines: Lines) -> None:
        first, second = draw_lines(lines)[:2]
        one, two = (lines[place]["events"] for place in (first, second))
        swapped = copy.deepcopy(one), copy.deepcopy(two)
        for events, other in zip((one, two), reversed(swapped), strict=True):
            drawn = next(e for e in events if e[0][0] == "weaver.event.draws")
            taken = next(e for e in other if e[0][0] == "weaver.event.draws")
            drawn[1] = {next(iter(drawn[1])): next(iter(taken[1].values()))}

    report = checked(attacked(honest, swap))
    what, line = fault_of(report)
    assert what == "deck"
    assert line == draw_lines(honest.lines)[0] + 1
    assert report.fault is not None
    # Two public draws for the start at the least, the deal, then the first exchange's card.
    starts = sum(e[0][0] == "weaver.event.start-draw" for e in start_events(honest))
    assert report.fault.message.values["draw"] == starts + 2


def start_events(play: Play) -> list[Any]:
    events: list[Any] = play.lines[places(play.lines, "start")[0]]["events"]
    return events


def test_a_deck_that_another_key_shuffled() -> None:
    loaded = Play(deck_of=b"a deck of the server's liking").to_the_end()
    assert fault_of(checked(attacked(loaded, lambda lines: None)))[0] == "deck"


def test_a_different_secret_than_the_one_committed_to() -> None:
    other = Play(secret=b"x" * 32).to_the_end()
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

    def alter(lines: Lines) -> None:
        lines[place]["answer"] = [
            "hide",
            "",
            [next(c for c in find("weaver").cards if c not in answer[2])],
        ]

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
        lines[place]["seat"] = lines[place]["seat"] % 3 + 1

    assert fault_of(checked(attacked(honest, blame))) == ("signature", place + 1)


def test_a_nonce_changed_after_the_join(honest: Play) -> None:
    place = places(honest.lines, "block")[1]

    def change(lines: Lines) -> None:
        old = lines[place]["payload"]
        nonce = old.split('"nonce":"')[1][:32]
        lines[place]["payload"] = old.replace(nonce, "0" * 32)

    assert fault_of(checked(attacked(honest, change))) == ("signature", place + 1)


def test_a_second_join_with_another_nonce(honest: Play) -> None:
    other = Play()
    place = places(honest.lines, "block")[2]

    def rejoin(lines: Lines) -> None:
        from sigilpost_engine.wire.payloads import Join

        from .dishonest import TAG, common, signed

        lines.insert(place + 1, signed(2, Join(game=TAG, commitment="", **common(2, "again"))))

    assert other.lines[0] == honest.lines[0]
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
        lines[-1]["result"]["winners"] = ["bob"] * (lines[-1]["result"]["winners"] != ["bob"])

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


def test_every_single_line_counts(honest: Play) -> None:
    """Whatever single line is missing, even of a transcript sealed again, it is noticed."""
    for place in range(1, len(honest.lines)):

        def drop(lines: Lines, place: int = place) -> None:
            del lines[place]

        assert checked(attacked(honest, drop)).fault is not None, honest.lines[place]


def test_keys_of_the_test_are_no_server_s() -> None:
    assert SERVER.public not in [key.public for key in KEYS]
