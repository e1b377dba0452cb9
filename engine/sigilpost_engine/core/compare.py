"""What a scenario expects, compared with what is there (``docs/scenarios.md``)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

from sigilpost_engine.core.game import Document
from sigilpost_engine.core.grammar import key

Report = Callable[[str, Any, Any], None]
"""Takes the dotted path of what differs, what was expected there, and what was found."""

AND_SO_ON = ("…", "...")


def compare(report: Report, path: str, expected: Any, found: Any) -> None:
    """Report what of ``expected`` is not in ``found``; ``path`` is where they stand.

    Only what is named is compared; hands as multisets, other lists exactly, ``…`` as "begins
    with" (of a hand, which has no order: "holds at least"), names without case.
    """
    if isinstance(expected, dict):
        _compare_table(report, path, expected, found)
    elif isinstance(expected, list) and _last(path) == "hand":
        _compare_hand(report, path, expected, found or [])
    elif isinstance(expected, list):
        _compare_list(report, path, expected, found)
    elif not _same(expected, found):
        report(path, expected, found)


def _compare_table(report: Report, path: str, expected: Document, found: Any) -> None:
    if found is not None and not isinstance(found, dict):
        if set(expected) == {"spell"} or set(expected) == {"name"}:
            compare(report, path, next(iter(expected.values())), found)
        else:
            report(path, expected, found)
        return
    table = found or {}
    for name, value in expected.items():
        here = f"{path}.{name}" if path else name
        actual = _entry(table, name)
        if value == "absent":
            if not _as_if_absent(actual):
                report(here, value, actual)
        elif name.endswith("_count") and actual is None:
            compare(report, here, value, _length(_entry(table, name.removesuffix("_count"))))
        else:
            compare(report, here, value, actual)


def _length(pile: Any) -> int | None:
    """The length of a list, which may be left out; None of what is no list."""
    if pile is None:
        return 0
    return len(pile) if isinstance(pile, list) else None


def _as_if_absent(found: Any) -> bool:
    """What a dump may leave out, as it is equal to its default, counts as left out."""
    if isinstance(found, dict):
        return all(map(_as_if_absent, found.values()))
    return found in (None, 0, False, "", [])


def _compare_hand(report: Report, path: str, expected: list[Any], found: list[Any]) -> None:
    goes_on = bool(expected) and expected[-1] in AND_SO_ON
    wanted, actual = _multiset(expected[:-1] if goes_on else expected), _multiset(found)
    if not (wanted <= actual if goes_on else wanted == actual):
        report(path, expected, found)


def _entry(table: Document, name: str) -> Any:
    if name in table:
        return table[name]
    for other, value in table.items():
        if other.casefold() == name.casefold():
            return value
    return None


def _compare_list(report: Report, path: str, expected: list[Any], found: Any) -> None:
    actual = found if isinstance(found, list) else [] if found is None else None
    if actual is None:
        report(path, expected, found)
        return
    wanted = expected
    if wanted and wanted[-1] in AND_SO_ON:
        wanted = wanted[:-1]
        actual = actual[: len(wanted)]
    if len(wanted) != len(actual):
        report(path, expected, found)
        return
    for place, (want, have) in enumerate(zip(wanted, actual, strict=True), start=1):
        compare(report, f"{path}.{place}", want, have)


def _same(expected: Any, found: Any) -> bool:
    if found is None:
        return expected in (0, "", False) or expected is None
    if isinstance(expected, bool) or isinstance(found, bool):
        return bool(expected is found)
    if isinstance(expected, str) and isinstance(found, str):
        return expected.casefold() == found.casefold() or (key(expected) == key(found) != "")
    return bool(expected == found)


def _multiset(items: Any) -> Counter[str]:
    return Counter(str(item).casefold() for item in items)


def _last(path: str) -> str:
    return path.rsplit(".", 1)[-1]
