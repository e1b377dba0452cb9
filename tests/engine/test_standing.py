"""Standing orders: how a line is read, and when it fits."""

from __future__ import annotations

import contextlib
import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sigilpost_engine.core.conditions import Fact
from sigilpost_engine.core.errors import Unparseable
from sigilpost_engine.core.standing import StandingOrder, over, read

TOPICS = ("turn", "battle vision", "mist of pain")
FACTS: dict[str, Fact] = {
    "health": 12,
    "hand": ["1", "1", "4"],
    "title": "Whirlpool",
    "exchanged": False,
    "opponent_health": 30,
}


def order(line: str) -> StandingOrder:
    return read(line, TOPICS, tuple(FACTS))


def holds(condition: str) -> bool:
    return order(f"when {condition} do end").fits("turn", FACTS)


def test_all_parts_of_a_line() -> None:
    read_ = order("on Battle Vision when health < 20 do choose 1; yes once until 2026-12-24")
    assert read_.topic == "battle vision"
    assert read_.commands == ("choose 1", "yes")
    assert read_.once
    assert read_.until == "2026-12-24"
    assert read_.fits("battle vision", FACTS)
    assert not read_.fits("turn", FACTS)
    assert not read_.fits("battle vision", {**FACTS, "health": 20})


def test_without_topic_and_condition_it_fits_every_question() -> None:
    assert order("do choose none").fits("mist of pain", FACTS)


@pytest.mark.parametrize(
    "condition",
    [
        "health = 12",
        "health != 13",
        "health <= 12 and health >= 12",
        "title = whirlpool",
        'title = "whirl pool"',
        "title in (Breeze, Whirlpool)",
        "title in Breeze, Whirlpool",
        "4 in hand",
        "not 3 in hand",
        "hand > 2",
        "exchanged = no",
        "not exchanged",
        "hand",
        "health < 5 or health > 10",
        "not (health < 5 or health > 15) and title = Whirlpool",
        "health > 5 or health < 5 and title = Breeze",
        "opponent_health = 30",
    ],
)
def test_conditions_that_hold(condition: str) -> None:
    assert holds(condition)
    assert not holds(f"not ({condition})")


@pytest.mark.parametrize(
    "condition", ["title < 5", "health = high", "exchanged", "1 in title", "title > Breeze"]
)
def test_conditions_that_do_not_hold(condition: str) -> None:
    assert not holds(condition)


@pytest.mark.parametrize(
    "line",
    [
        "",
        "choose 1",
        "do",
        "do ; end",
        "on nothing do end",
        "turn do end",
        "when do end",
        "when health do",
        "when health < do end",
        "when < 5 do end",
        "when (health < 5 do end",
        "when health < 5) do end",
        "when health health do end",
        "when 5 do end",
        "when nonsense do end",
        "when heath < 5 do end",
        "when 4 in (3, 4) do end",
        'when title = "open do end',
        "when " + "(" * 50 + "health" + ")" * 50 + " do end",
        "do " + "x" * 500,
    ],
)
def test_what_is_no_order_is_refused(line: str) -> None:
    with pytest.raises(Unparseable):
        order(line)


def test_words_in_quotes_are_no_keywords() -> None:
    assert order('when title = "do or die" do play x').commands == ("play x",)


@given(st.text(alphabet='onwhed()<>=!,"; abc159', max_size=60))
def test_no_line_does_anything_but_be_read_or_refused(text: str) -> None:
    with contextlib.suppress(Unparseable):
        order(text).fits("turn", FACTS)


# --- until ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "date", ["2026-02-29", "2026-13-01", "2026-00-10", "2026-04-31", "2100-02-29", "0000-01-01"]
)
def test_a_date_that_is_none_is_refused(date: str) -> None:
    with pytest.raises(Unparseable) as refusal:
        order(f"do end until {date}")
    assert refusal.value.message.id == "core.standing.no-date"


@pytest.mark.parametrize("date", ["2028-02-29", "2000-02-29"])
def test_a_leap_day_is_a_day(date: str) -> None:
    assert order(f"do end until {date}").until == date


@given(st.dates(min_value=datetime.date(1, 1, 2)))
def test_a_day_is_over_when_it_is_over_in_the_last_zone(date: datetime.date) -> None:
    last = datetime.timezone(-datetime.timedelta(hours=12))
    midnight = datetime.datetime.combine(date, datetime.time(), last)
    assert over(date.isoformat()) == int(midnight.timestamp()) + 86_400
