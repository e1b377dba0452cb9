"""The line that says what happens when time is out; moments and lengths as people read them."""

from __future__ import annotations

from dataclasses import replace
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sigilpost_engine.texts import Texts
from sigilpost_server.clocks import reckon, shown, terms
from sigilpost_server.clocks.calendar import Calendar, Span
from sigilpost_server.clocks.control import DAY, HOUR, MINUTE, BadControl, Control, Hours
from sigilpost_server.clocks.settings import ClockSettings
from sigilpost_server.clocks.terms import Policy, read_policy
from tests.server.clocks.hours import BERLIN, at
from tests.server.clocks.test_clocks import ZONES

TEXTS = Texts()


@pytest.mark.parametrize(
    ("line", "policy"),
    [
        ("forfeit", Policy()),
        ("bot", Policy("bot", "greedy")),
        ("Bot Random, excuses 2", Policy("bot", "random", 2)),
        ("claim; 1 excuse; reminders 80% 20", Policy("claim", "", 1, (20, 80))),
        ("substitute, 3 free misses", Policy("substitute", "", 3)),
        ("no reminders", Policy(reminders=())),
        ("claim, abandoned 2w", Policy("claim", abandoned=14 * DAY)),
        ("claim, Abandoned 90d", Policy("claim")),
    ],
)
def test_a_policy_is_one_line_and_is_written_back_as_one(line: str, policy: Policy) -> None:
    assert read_policy(line) == policy
    assert read_policy(str(policy)) == policy


@pytest.mark.parametrize(
    "line",
    [
        "",
        "wait",
        "forfeit, claim",
        "bot nobody",
        "excuses 21",
        "excuses 1, 2 excuses",
        "reminders 0",
        "reminders 100",
        "reminders 1 2 3 4 5 6 7 8 9 10",
        "forfeit; drop table",
        "claim, abandoned",
        "claim, abandoned 23h",
        "claim, abandoned 400d",
        "claim, abandoned 3dx",
    ],
)
def test_what_is_no_policy_is_refused_in_words(line: str) -> None:
    with pytest.raises(BadControl) as refused:
        read_policy(line)
    assert TEXTS.knows(refused.value.message.id)
    assert "{" not in TEXTS.render(refused.value.message)


def test_terms_go_into_a_game_s_rules_and_come_back() -> None:
    rules = {"clock": "bank 10d + 12h per move, cap 14d", "timeout": "bot greedy, excuses 1"}
    assert terms.read(rules).rules() == rules
    assert terms.read({}).rules() == {"clock": "no limit"}
    assert not terms.read({}).timed


def test_the_host_s_defaults_are_checked_when_the_configuration_is_read() -> None:
    assert ClockSettings(control="3d per move").terms.timed
    with pytest.raises(ValueError, match="is no part of a time control"):
        ClockSettings(control="soonish")
    with pytest.raises(ValueError, match="no bot called"):
        ClockSettings(timeout="bot hal")


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (2 * DAY + 5 * HOUR + 59 * MINUTE, "2 days 5 hours"),
        (DAY, "1 day"),
        (DAY + 59 * MINUTE, "1 day"),
        (5 * HOUR + 7 * MINUTE, "5 hours 7 minutes"),
        (HOUR, "1 hour"),
        (61, "1 minute"),
        (59, "0 minutes"),
        (-5, "0 minutes"),
    ],
)
def test_lengths_as_people_read_them(seconds: int, words: str) -> None:
    assert TEXTS.render(shown.length(seconds)) == words


def test_a_moment_in_the_reader_s_zone() -> None:
    moment = at("2026-12-03 12:05", BERLIN)
    told = TEXTS.render(shown.deadline(moment, moment - 3 * HOUR, ZoneInfo("Asia/Kathmandu")))
    assert told == "Thu 3 December 2026, 16:50 (Asia/Kathmandu): 3 hours left"
    assert TEXTS.render(shown.deadline(moment, moment, BERLIN)).endswith(": over")


def test_a_zone_that_is_none_counts_as_utc() -> None:
    for name in ("", "Mars/Olympus", "../../etc/passwd", "Europe/"):
        assert shown.zone_of(name).key == "UTC"


def test_all_weekdays_and_months_have_names() -> None:
    for day in range(366):
        text = TEXTS.render(shown.when(at("2024-01-01 12:00") + day * DAY, BERLIN))
        assert "clock." not in text


# --- every control ends ---------------------------------------------------------------------------

lengths = st.integers(1, 400).map(lambda hours: hours * HOUR)
nothing_or = st.just(0) | lengths
hours = st.builds(
    lambda begin, size, zone: Hours(begin, (begin + size) % 1440 or 1440, zone),
    st.integers(0, 1439),
    st.integers(15, 1425),
    st.sampled_from(["", *ZONES]),
).filter(lambda hours: hours.begin != hours.end % 1440)
controls = st.builds(
    lambda bank, per_move, cap, weekends, hours, grace, delay, gap: Control(
        per_move=per_move or (0 if bank else HOUR),
        bank=bank,
        cap=None if bank is None or not cap else bank + cap,
        weekends_off=weekends,
        hours=hours,
        grace=grace,
        start_delay=delay,
        minimum_gap=gap,
    ),
    st.none() | lengths,
    nothing_or,
    nothing_or,
    st.booleans(),
    st.none() | hours,
    nothing_or,
    nothing_or,
    nothing_or,
)
moments = st.integers(at("2020-01-01 00:00"), at("2030-01-01 00:00"))
stops = st.lists(
    st.builds(lambda begin, size: Span(begin, begin + size), moments, st.integers(0, 90 * DAY)),
    max_size=4,
)


@given(controls, st.sampled_from(ZONES), stops, moments, st.integers(0, 20))
def test_every_question_has_a_deadline_under_every_control(
    control: Control, zone: str, off: list[Span], begin: int, answered: int
) -> None:
    """Random controls, zones, DST changes, holidays and pauses: there always is a moment at which
    the policy acts, never before the question, and reminders come between."""
    calendar = Calendar(control, ZoneInfo(zone), off)
    clock = replace(reckon.fresh(control), moves=answered)
    clock = reckon.start(clock, control, begin)
    due = reckon.due(clock, calendar)
    assert due is not None
    round_the_clock = Calendar(Control(limited=False), ZoneInfo(zone), off)
    assert round_the_clock.elapsed(begin, due.deadline) >= control.minimum_gap
    assert round_the_clock.elapsed(due.deadline, due.acts) == control.grace
    reminder = reckon.next_reminder(clock, calendar)
    if clock.given or control.minimum_gap:
        assert reminder is not None
        assert begin <= reminder <= due.deadline
    else:
        assert reminder is None


@given(controls, st.sampled_from(ZONES), moments, st.lists(st.integers(0, 30 * DAY), max_size=12))
def test_a_bank_never_grows_beyond_its_cap_nor_falls_below_nothing(
    control: Control, zone: str, begin: int, thinking: list[int]
) -> None:
    calendar = Calendar(control, ZoneInfo(zone))
    clock, now = reckon.fresh(control), begin
    for seconds in thinking:
        clock = reckon.start(clock, control, now)
        now += seconds
        clock = reckon.stop(clock, calendar, now)
        if control.bank is None:
            assert clock.left is None
        else:
            assert clock.left is not None
            assert clock.left >= 0
            if control.cap is not None:
                assert clock.left <= control.cap
