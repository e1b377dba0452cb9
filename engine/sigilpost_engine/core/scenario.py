"""Scenario files (format 1): a position, lines of commands, and what must then hold.

Works on the parsed TOML document; reading files is the caller's. The format is a contract:
``docs/scenarios.md``.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sigilpost_engine.core.errors import BadDocument, BadSetup, Refusal
from sigilpost_engine.core.events import Event, told
from sigilpost_engine.core.game import Document, Game
from sigilpost_engine.core.grammar import key as name_key
from sigilpost_engine.core.match import Match
from sigilpost_engine.core.messages import Msg, say

Render = Callable[[Msg], str]
"""Turns a message into a sentence of the reader's language."""

FORMAT = 1
KEYS = frozenset(
    ["format", "game", "title", "about", "seats", "seed", "options", "setup", "steps", "refuse"]
)
STEP_KEYS = frozenset(["seat", "do", "reject", "expect", "about"])
LOOKS = frozenset(["waiting", "asks", "events", "as", "hidden", "sees", "result", "you"])
"""Keys of ``expect`` that are not parts of the position document."""

AND_SO_ON = ("…", "...")


class BadScenario(BadDocument):
    """The file itself is not a scenario; ``path`` is the key at fault."""


@dataclass(frozen=True)
class Fault:
    """One thing that did not hold. ``step`` counts from 1; 0 is the setup."""

    step: int
    part: str
    expected: Any
    found: Any


@dataclass
class Outcome:
    """How a scenario went: the faults found (none: it holds), and the match at its end."""

    faults: list[Fault] = field(default_factory=list)
    match: Match[Any] | None = None


@dataclass
class _Play:
    match: Match[Any]
    seats: list[str]
    render: Render
    events: list[Event]
    faults: list[Fault]
    step: int = 0

    def fault(self, part: str, expected: Any, found: Any) -> None:
        self.faults.append(Fault(self.step, part, expected, found))

    def seat(self, name: Any, path: str) -> int:
        for number, seat in enumerate(self.seats):
            if isinstance(name, str) and seat.casefold() == name.casefold():
                return number
        raise BadScenario(path, say("core.scenario.no-seat", name=str(name)))


def play(doc: Document, find_game: Callable[[str], Game[Any]], render: Render) -> Outcome:
    """Run a scenario to its end or its first fault.

    Raises BadScenario for a file that is none, BadSetup or BadOption for a position that cannot
    be (unless the file says ``refuse``).
    """
    _check_shape(doc)
    game = find_game(doc["game"])
    if "refuse" in doc:
        return _refused(doc, game)
    match = _begin(doc, game)
    play = _Play(match, list(doc["seats"]), render, match.take_events(), [])
    for number, step in enumerate(doc.get("steps", []), start=1):
        play.step = number
        _take_step(play, step, f"steps.{number}")
        if play.faults:
            break
    return Outcome(play.faults, match)


def continuation(match: Match[Any]) -> Document:
    """The match's position as ``setup``: that of the open step's start, and the answers since as
    ``steps``. What the step did before its first question, it does again."""
    if match.result is not None:
        return {"setup": match.dump()}
    given = match.given_since_start()
    if not given:
        return {"setup": match.start_dump()}
    names = match.state.seats
    steps = [{"seat": names[seat], "do": match.game.phrase(answer)} for seat, answer in given]
    return {"setup": match.start_dump(), "steps": steps}


def _check_shape(doc: Document) -> None:
    def bad(path: str, id: str, **values: Any) -> BadScenario:
        return BadScenario(path, say(id, **values))

    if doc.get("format") != FORMAT:
        raise bad("format", "core.scenario.format", known=FORMAT)
    for unknown in sorted(set(doc) - KEYS):
        raise bad(unknown, "core.scenario.unknown-key")
    if not isinstance(doc.get("game"), str):
        raise bad("game", "core.scenario.missing")
    seats = doc.get("seats")
    if not isinstance(seats, list) or not all(isinstance(name, str) for name in seats):
        raise bad("seats", "core.scenario.missing")
    for name in ("options", "setup"):
        if not isinstance(doc.get(name, {}), dict):
            raise bad(name, "core.scenario.table")
    steps = doc.get("steps", [])
    if not isinstance(steps, list) or not all(isinstance(step, dict) for step in steps):
        raise bad("steps", "core.scenario.table")
    for number, step in enumerate(steps, start=1):
        for unknown in sorted(set(step) - STEP_KEYS):
            raise bad(f"steps.{number}.{unknown}", "core.scenario.unknown-key")
    _check_seed(doc)


def _check_seed(doc: Document) -> None:
    try:
        bytes.fromhex(doc.get("seed", "00"))
    except (TypeError, ValueError):
        raise BadScenario("seed", say("core.scenario.hex")) from None


def _begin(doc: Document, game: Game[Any]) -> Match[Any]:
    seats: Sequence[str] = doc["seats"]
    options: Mapping[str, Any] = doc.get("options", {})
    key = bytes.fromhex(doc.get("seed", "00"))
    if "setup" not in doc:
        return Match.begin(game, seats, options, key)
    for name in seats:
        if name in game.reserved or name in LOOKS:
            raise BadSetup(name, say("core.setup.seat-name", name=name))
    return Match.from_setup(game, doc["setup"], seats, options, key)


def _refused(doc: Document, game: Game[Any]) -> Outcome:
    try:
        match = _begin(doc, game)
    except BadDocument as fault:
        if doc["refuse"] in (fault.path, *fault.others):
            return Outcome()
        return Outcome([Fault(0, "refuse", doc["refuse"], fault.path)])
    return Outcome([Fault(0, "refuse", doc["refuse"], None)], match)


def _take_step(play: _Play, step: Document, path: str) -> None:
    if "do" in step:
        play.events = []
        _do(play, step, path)
    if not play.faults and "expect" in step:
        _expect(play, step["expect"], f"{path}.expect")


def _do(play: _Play, step: Document, path: str) -> None:
    lines = [step["do"]] if isinstance(step["do"], str) else list(step["do"])
    seat = play.seat(step.get("seat"), f"{path}.seat")
    reject = step.get("reject")
    for place, line in enumerate(lines, start=1):
        last = place == len(lines)
        try:
            play.match.submit(seat, line)
        except Refusal as refusal:
            # The first line refused stops the rest (common.md 8).
            if reject != refusal.kind:
                play.fault(
                    line, reject or "accepted", f"{refusal.kind}: {play.render(refusal.message)}"
                )
            return
        play.events += play.match.take_events()
        if last and reject is not None:
            play.fault(line, reject, "accepted")


def _expect(play: _Play, expect: Document, path: str) -> None:
    looks = {
        "waiting": _look_waiting,
        "asks": _look_asks,
        "hidden": _look_hidden,
        "sees": _look_sees,
        "result": _look_result,
    }
    for part, expected in expect.items():
        if part in looks:
            looks[part](play, expected, path)
    if "events" in expect:
        _look_events(play, expect["events"], expect.get("as"), path)
    position = {part: value for part, value in expect.items() if part not in LOOKS}
    compare(play.fault, "", position, play.match.dump())


def _look_waiting(play: _Play, expected: Any, path: str) -> None:
    waiting = [play.seats[prompt.seat] for prompt in play.match.open]
    if [str(name).casefold() for name in expected] != [name.casefold() for name in waiting]:
        play.fault("waiting", expected, waiting)


def _look_asks(play: _Play, expected: Any, path: str) -> None:
    for name, word in expected.items():
        prompt = play.match.prompt(play.seat(name, f"{path}.asks"))
        words = sorted({move.verb for move in prompt.moves}) if prompt else []
        if word == "absent" and not words:
            continue
        if str(word).casefold() not in words:
            play.fault(f"asks.{name}", word, words)


def _look_events(play: _Play, expected: Any, reader: Any, path: str) -> None:
    seat = None if reader is None else play.seat(reader, f"{path}.as")
    texts = [play.render(message) for message in told(play.events, seat)]
    for part in [expected] if isinstance(expected, str) else expected:
        if not any(part.casefold() in text.casefold() for text in texts):
            play.fault("events", part, texts)


def _look_hidden(play: _Play, expected: Any, path: str) -> None:
    reader = expected.get("as")
    seat = None if reader is None else play.seat(reader, f"{path}.hidden.as")
    seen = all_that_is_seen(play.match, seat, play.events, play.render)
    for text in expected.get("not_in_view", []):
        if text in seen:
            play.fault("hidden.not_in_view", f"nowhere: {text}", text)


def all_that_is_seen(
    match: Match[Any], seat: int | None, events: list[Event], render: Render
) -> str:
    """Every word that ``seat`` gets to see: its view, its open question and the events."""
    prompt = None if seat is None else match.prompt(seat)
    messages = told(events, seat)
    return "\n".join(
        [
            json.dumps(match.view(seat), ensure_ascii=False),
            json.dumps(prompt.to_json(), ensure_ascii=False) if prompt else "",
            *(json.dumps(message.to_json(), ensure_ascii=False) for message in messages),
            *(render(message) for message in messages),
        ]
    )


def _look_sees(play: _Play, expected: Any, path: str) -> None:
    for name, part in expected.items():
        view = play.match.view(play.seat(name, f"{path}.sees"))
        compare(play.fault, f"sees.{name}", part, view)


def _look_result(play: _Play, expected: Any, path: str) -> None:
    result = play.match.result
    if expected == "absent" and result is None:
        return
    compare(play.fault, "result", expected, {} if result is None else result.document())


# --- comparing ------------------------------------------------------------------------------------


def compare(fault: Callable[[str, Any, Any], None], path: str, expected: Any, found: Any) -> None:
    """Report through ``fault(path, expected, found)`` what of ``expected`` is not in ``found``.

    Only what is named is compared; hands as multisets, other lists exactly, ``…`` as "begins
    with" (of a hand, which has no order: "holds at least"), names without case.
    """
    if isinstance(expected, dict):
        _compare_table(fault, path, expected, found)
    elif isinstance(expected, list) and _last(path) == "hand":
        _compare_hand(fault, path, expected, found or [])
    elif isinstance(expected, list):
        _compare_list(fault, path, expected, found)
    elif not _same(expected, found):
        fault(path, expected, found)


def _compare_table(
    fault: Callable[[str, Any, Any], None], path: str, expected: Document, found: Any
) -> None:
    if found is not None and not isinstance(found, dict):
        if set(expected) == {"spell"} or set(expected) == {"name"}:
            compare(fault, path, next(iter(expected.values())), found)
        else:
            fault(path, expected, found)
        return
    table = found or {}
    for name, value in expected.items():
        here = f"{path}.{name}" if path else name
        actual = _entry(table, name)
        if value == "absent":
            if not _as_if_absent(actual):
                fault(here, value, actual)
        elif name.endswith("_count") and actual is None:
            cards = _entry(table, name.removesuffix("_count"))
            compare(fault, here, value, len(cards or []))
        else:
            compare(fault, here, value, actual)


def _as_if_absent(found: Any) -> bool:
    """What a dump may leave out, as it is equal to its default, counts as left out."""
    if isinstance(found, dict):
        return all(map(_as_if_absent, found.values()))
    return found in (None, 0, False, "", [])


def _compare_hand(
    fault: Callable[[str, Any, Any], None], path: str, expected: list[Any], found: list[Any]
) -> None:
    begins = bool(expected) and expected[-1] in AND_SO_ON
    wanted, actual = _multiset(expected[:-1] if begins else expected), _multiset(found)
    if not (wanted <= actual if begins else wanted == actual):
        fault(path, expected, found)


def _entry(table: Document, name: str) -> Any:
    if name in table:
        return table[name]
    for other, value in table.items():
        if other.casefold() == name.casefold():
            return value
    return None


def _compare_list(
    fault: Callable[[str, Any, Any], None], path: str, expected: list[Any], found: Any
) -> None:
    actual = found if isinstance(found, list) else [] if found is None else None
    if actual is None:
        fault(path, expected, found)
        return
    wanted = expected
    if wanted and wanted[-1] in AND_SO_ON:
        wanted = wanted[:-1]
        actual = actual[: len(wanted)]
    if len(wanted) != len(actual):
        fault(path, expected, found)
        return
    for place, (want, have) in enumerate(zip(wanted, actual, strict=True), start=1):
        compare(fault, f"{path}.{place}", want, have)


def _same(expected: Any, found: Any) -> bool:
    if found is None:
        return expected in (0, "", False) or expected is None
    if isinstance(expected, bool) or isinstance(found, bool):
        return bool(expected is found)
    if isinstance(expected, str) and isinstance(found, str):
        return expected.casefold() == found.casefold() or (
            name_key(expected) == name_key(found) != ""
        )
    return bool(expected == found)


def _multiset(items: Any) -> Counter[str]:
    return Counter(str(item).casefold() for item in items)


def _last(path: str) -> str:
    return path.rsplit(".", 1)[-1]
