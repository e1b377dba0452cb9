"""Time controls, calendars and clocks, tried with moments from everywhere."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sigilpost_server.clocks import reckon
from sigilpost_server.clocks.calendar import Calendar, NeverEnds, Span
from sigilpost_server.clocks.control import DAY, HOUR, BadControl, Control, Hours, read

BERLIN = ZoneInfo("Europe/Berlin")
ZONES = [
    "UTC",
    "Europe/Berlin",
    "America/New_York",
    "Asia/Kathmandu",
    "Australia/Lord_Howe",
    "Pacific/Apia",
    "Pacific/Chatham",
    "America/Sao_Paulo",
]


def at(text: str, zone: ZoneInfo = BERLIN) -> int:
    return int(datetime.fromisoformat(text).replace(tzinfo=zone).timestamp())


def wall(moment: int, zone: ZoneInfo = BERLIN) -> str:
    return datetime.fromtimestamp(moment, zone).strftime("%Y-%m-%d %H:%M")


# --- reading --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "control"),
    [
        ("3d per move", Control(per_move=3 * DAY)),
        (
            "bank 10d + 12h per move, cap 14d",
            Control(bank=10 * DAY, per_move=12 * HOUR, cap=14 * DAY),
        ),
        ("bank 30d", Control(bank=30 * DAY)),
        ("1d12h per move; weekends off", Control(per_move=36 * HOUR, weekends_off=True)),
        (
            "HOURS 8-22 Europe/Berlin, 1w per move",
            Control(per_move=7 * DAY, hours=Hours(480, 1320, "Europe/Berlin")),
        ),
        (
            "2d per move, hours 22:30-06, grace 2h, start delay 1d, minimum gap 4h",
            Control(
                per_move=2 * DAY,
                hours=Hours(1350, 360),
                grace=2 * HOUR,
                start_delay=DAY,
                minimum_gap=4 * HOUR,
            ),
        ),
        ("no limit", Control(limited=False)),
    ],
)
def test_a_control_is_one_line_and_is_written_back_as_one(line: str, control: Control) -> None:
    assert read(line) == control
    assert read(str(control)) == control


@pytest.mark.parametrize(
    "line",
    [
        "",
        "soon",
        "0d per move",
        "9999d per move",
        "3d per move, 2d per move",
        "weekends off",
        "bank 3d, cap 2d",
        "3d per move, cap 4d",
        "bank 3d, 2d per move",
        "no limit, weekends off",
        "3d per move, hours 8-8",
        "3d per move, hours 8-25",
        "3d per move, hours 8-9 Mars/Olympus",
        "3d per move, hours 8-9 ../../etc/passwd",
    ],
)
def test_what_is_no_control_is_refused(line: str) -> None:
    with pytest.raises(BadControl):
        read(line)


# --- when time runs -------------------------------------------------------------------------------


def test_without_hours_a_day_is_24_hours() -> None:
    calendar = Calendar(read("3d per move"), BERLIN)
    assert wall(calendar.after(at("2026-11-30 12:00"), 3 * DAY)) == "2026-12-03 12:00"


def test_weekends_do_not_count() -> None:
    calendar = Calendar(read("3d per move, weekends off"), BERLIN)
    assert wall(calendar.after(at("2026-12-04 12:00"), DAY)) == "2026-12-07 12:00"


def test_only_the_hours_of_the_player_s_zone_count() -> None:
    calendar = Calendar(read("3d per move, hours 08-22"), BERLIN)
    assert wall(calendar.after(at("2026-12-01 21:00"), 2 * HOUR)) == "2026-12-02 09:00"
    assert wall(calendar.after(at("2026-12-01 03:00"), HOUR)) == "2026-12-01 09:00"


def test_hours_over_midnight_belong_to_the_day_on_which_they_begin() -> None:
    calendar = Calendar(read("3d per move, hours 22-02, weekends off"), BERLIN)
    assert wall(calendar.after(at("2026-12-04 23:00"), 3 * HOUR)) == "2026-12-05 02:00"
    assert wall(calendar.after(at("2026-12-04 23:00"), 4 * HOUR)) == "2026-12-07 23:00"


def test_a_skipped_hour_is_no_time_and_a_doubled_one_is_two() -> None:
    """DST in Berlin: 02:00-03:00 is skipped on 2027-03-28 and comes twice on 2026-10-25."""
    calendar = Calendar(read("3d per move, hours 01-04"), BERLIN)
    assert calendar.elapsed(at("2027-03-28 00:00"), at("2027-03-28 12:00")) == 2 * HOUR
    assert calendar.elapsed(at("2026-10-25 00:00"), at("2026-10-25 12:00")) == 4 * HOUR


@pytest.mark.parametrize(
    ("hours", "minutes"),
    [("02:30-03:30", 30), ("01:30-02:30", 30), ("02:10-02:50", 0), ("02-03", 0), ("01-04", 120)],
)
def test_hours_that_begin_or_end_in_a_skipped_hour_begin_or_end_with_the_change(
    hours: str, minutes: int
) -> None:
    """At 2:00 on 29 March 2026 it is 3:00 in Berlin."""
    calendar = Calendar(read(f"1d per move, hours {hours}"), BERLIN)
    begin = at("2026-03-29 00:00")
    assert calendar.elapsed(begin, begin + 12 * HOUR) == minutes * 60


def test_a_day_that_a_zone_leaves_out_does_no_harm() -> None:
    """Samoa had no 30 December 2011."""
    apia = ZoneInfo("Pacific/Apia")
    calendar = Calendar(read("3d per move, hours 08-20"), apia)
    begin = at("2011-12-29 08:00", apia)
    assert wall(calendar.after(begin, 13 * HOUR), apia) == "2011-12-31 09:00"


def test_holidays_and_pauses_stand_still_and_may_overlap() -> None:
    begin = at("2026-12-01 00:00")
    off = [Span(begin + DAY, begin + 3 * DAY), Span(begin + 2 * DAY, begin + 4 * DAY)]
    calendar = Calendar(read("3d per move"), BERLIN, off)
    assert calendar.after(begin, 2 * DAY) == begin + 5 * DAY


def test_an_open_pause_has_no_deadline() -> None:
    begin = at("2026-12-01 00:00")
    calendar = Calendar(read("3d per move, hours 8-22"), BERLIN, [Span(begin + DAY, None)])
    with pytest.raises(NeverEnds):
        calendar.after(begin, 2 * DAY)
    assert calendar.elapsed(begin, begin + 9 * DAY) == 14 * HOUR


moments = st.integers(at("2020-01-01 00:00"), at("2035-01-01 00:00"))
lengths = st.integers(60, 30 * DAY)
spans = st.builds(lambda begin, size: Span(begin, begin + size), moments, st.integers(0, 60 * DAY))
hours = st.none() | st.builds(
    lambda begin, size: Hours(begin, (begin + size) % 1440 or 1440),
    st.integers(0, 1439),
    st.integers(15, 1425),
).filter(lambda hours: hours.begin != hours.end % 1440)
controls = st.builds(
    lambda per_move, weekends, hours: Control(
        per_move=per_move, weekends_off=weekends, hours=hours
    ),
    lengths,
    st.booleans(),
    hours,
)


@given(controls, st.sampled_from(ZONES), st.lists(spans, max_size=3), moments)
def test_every_control_ends_in_every_zone(
    control: Control, zone: str, off: list[Span], begin: int
) -> None:
    """The moment found is the first by which so much time has run."""
    calendar = Calendar(control, ZoneInfo(zone), off)
    end = calendar.after(begin, control.per_move)
    assert calendar.elapsed(begin, end) == control.per_move
    assert calendar.elapsed(begin, end - 1) == control.per_move - 1


@given(controls, st.sampled_from(ZONES), moments, st.lists(st.integers(0, 20 * DAY), max_size=4))
def test_elapsed_time_adds_up(control: Control, zone: str, begin: int, parts: list[int]) -> None:
    calendar, total, here = Calendar(control, ZoneInfo(zone)), 0, begin
    for part in parts:
        total += calendar.elapsed(here, here + part)
        here += part
    assert calendar.elapsed(begin, here) == total


# --- clocks ---------------------------------------------------------------------------------------

NOW = at("2026-12-01 00:00")


def ticking(line: str) -> tuple[Control, Calendar]:
    control = read(line)
    return control, Calendar(control, BERLIN)


def test_each_question_has_its_time() -> None:
    control, calendar = ticking("3d per move")
    clock = reckon.start(reckon.fresh(control), control, NOW)
    assert reckon.due(clock, calendar) == (NOW + 3 * DAY, NOW + 3 * DAY)
    clock = reckon.stop(clock, calendar, NOW + DAY)
    assert reckon.due(clock, calendar) is None
    clock = reckon.start(clock, control, NOW + 9 * DAY)
    assert reckon.due(clock, calendar) == (NOW + 12 * DAY, NOW + 12 * DAY)


def test_a_bank_is_used_up_and_refilled_to_its_cap() -> None:
    control, calendar = ticking("bank 10d + 12h per move, cap 10d6h")
    clock = reckon.start(reckon.fresh(control), control, NOW)
    assert clock.left == 10 * DAY + 6 * HOUR
    clock = reckon.stop(clock, calendar, NOW + 4 * DAY)
    assert clock.left == 6 * DAY + 6 * HOUR
    assert reckon.start(clock, control, NOW + 5 * DAY).left == 6 * DAY + 18 * HOUR


def test_the_start_delay_is_for_the_first_question_and_not_for_the_bank() -> None:
    control, calendar = ticking("bank 2d, start delay 1d")
    clock = reckon.start(reckon.fresh(control), control, NOW)
    assert reckon.due(clock, calendar) == (NOW + 3 * DAY, NOW + 3 * DAY)
    clock = reckon.stop(clock, calendar, NOW + DAY)
    assert clock.left == 2 * DAY
    clock = reckon.start(clock, control, NOW + DAY)
    assert reckon.due(clock, calendar) == (NOW + 3 * DAY, NOW + 3 * DAY)


def test_grace_and_gap() -> None:
    control, calendar = ticking("bank 1h, grace 2h, minimum gap 4h")
    clock = reckon.start(reckon.fresh(control), control, NOW)
    assert reckon.due(clock, calendar) == (NOW + 4 * HOUR, NOW + 6 * HOUR)


@pytest.mark.parametrize("ends", [NOW + 10 * DAY, None])
def test_a_pause_stops_the_grace_and_the_gap_as_well(ends: int | None) -> None:
    control = read("bank 1h, grace 2h, minimum gap 4h")
    clock = reckon.start(reckon.fresh(control), control, NOW)
    in_grace = Calendar(control, BERLIN, [Span(NOW + 5 * HOUR, ends)])
    in_gap = Calendar(control, BERLIN, [Span(NOW + 3 * HOUR, ends)])
    if ends is None:
        assert reckon.due(clock, in_grace) is None
        assert reckon.due(clock, in_gap) is None
        return
    assert reckon.due(clock, in_grace) == (NOW + 4 * HOUR, ends + HOUR)
    assert reckon.due(clock, in_gap) == (ends + HOUR, ends + 3 * HOUR)


def test_the_gap_and_the_grace_run_at_night() -> None:
    control, calendar = ticking("bank 1h, hours 08-22, grace 2h, minimum gap 4h")
    clock = reckon.start(reckon.fresh(control), control, NOW - 3 * HOUR)
    assert reckon.due(clock, calendar) == (NOW + HOUR, NOW + 3 * HOUR)


def test_reminders_of_a_deadline_that_the_gap_makes_are_spread_over_the_gap() -> None:
    """With a minute in the bank they would all come in the first minute of four hours."""
    control, calendar = ticking("bank 1m, minimum gap 4h")
    clock = reckon.start(reckon.fresh(control), control, NOW)
    assert reckon.reminder_due(clock, calendar, NOW + HOUR) is None
    assert reckon.next_reminder(clock, calendar) == NOW + 2 * HOUR
    assert reckon.reminder_due(clock, calendar, NOW + 2 * HOUR) == 50
    assert reckon.next_reminder(replace(clock, reminded=75), calendar) == NOW + 216 * 60


def test_asking_twice_does_not_wind_the_clock_up() -> None:
    control = read("3d per move")
    clock = reckon.start(reckon.fresh(control), control, NOW)
    assert reckon.start(clock, control, NOW + DAY) == clock


def test_reminders_at_50_75_and_90_percent_once_each() -> None:
    control, calendar = ticking("10d per move")
    clock = reckon.start(reckon.fresh(control), control, NOW)
    sent = []
    for hour in range(241):
        percent = reckon.reminder_due(clock, calendar, NOW + hour * HOUR)
        if percent is not None:
            sent.append((hour, percent))
            clock = replace(clock, reminded=percent)
    assert sent == [(120, 50), (180, 75), (216, 90)]


def test_after_an_outage_only_the_last_reminder_goes_out() -> None:
    control, calendar = ticking("10d per move")
    clock = reckon.start(reckon.fresh(control), control, NOW)
    assert reckon.reminder_due(clock, calendar, NOW + 8 * DAY) == 75


@given(controls, st.sampled_from(ZONES), moments, st.sampled_from([0, 50, 75]))
def test_the_next_reminder_is_due_when_it_comes_and_not_before(
    control: Control, zone: str, begin: int, reminded: int
) -> None:
    calendar = Calendar(control, ZoneInfo(zone))
    clock = replace(reckon.start(reckon.fresh(control), control, begin), reminded=reminded)
    moment = reckon.next_reminder(clock, calendar)
    assert moment is not None
    assert reckon.reminder_due(clock, calendar, moment) == {0: 50, 50: 75, 75: 90}[reminded]
    assert reckon.reminder_due(clock, calendar, moment - 1) is None
