"""Names of mails in a Maildir tell the order of delivery, though they do not sort (maildir(5))."""

from __future__ import annotations

from sigilpost_engine.wire.maildir import delivery


def in_order(*names: str) -> list[str]:
    return sorted(names, key=lambda name: delivery(name, 0))


def test_by_the_seconds_as_a_number() -> None:
    names = ["999999999.1_0.host", "1700000002.1_0.host", "1700000010.1_0.host"]
    assert in_order(*names) == names


def test_by_the_microseconds_within_a_second() -> None:
    names = ["1700000000.M99999P7.host", "1700000000.M100000P7.host,S=4:2,S"]
    assert in_order(*names) == names


def test_by_the_number_within_a_process() -> None:
    names = ["1700000000.P7Q9.host", "1700000000.P7Q10.host"]
    assert in_order(*names) == names


def test_figures_in_the_name_of_the_host_do_not_count() -> None:
    names = ["1700000000.M5P7.M9.host", "1700000000.M6P7.M1.host"]
    assert in_order(*names) == names


def test_a_name_without_a_time_counts_by_when_it_was_written() -> None:
    second = 1_700_000_000 * 10**9
    assert (
        delivery("1699999999.a", 0)
        < delivery("cafe.sigilpost", second)
        < delivery("beef.sigilpost", second + 1_000)
        < delivery("1700000001.a", 0)
    )


def test_without_microseconds_by_when_it_was_written_within_the_second() -> None:
    """qmail names a delivery by its process: the next one has the number 10000, or 300."""
    second = 1_700_000_000 * 10**9
    at = {"1700000000.9999.host": second + 5, "1700000000.10000.host": second + 70}
    assert sorted(at, key=lambda name: delivery(name, at[name])) == list(at)
    copied = {"1700000000.P7Q9.host": second * 2, "1700000000.P7Q10.host": second + 10**9}
    assert sorted(copied, key=lambda name: delivery(name, copied[name])) == list(copied)
    assert delivery("1700000000.9999.host", 2 * second) < delivery("1700000001.a", 0)
