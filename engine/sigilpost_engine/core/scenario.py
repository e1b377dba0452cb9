"""Scenario files (format 1): a position, lines of commands, and what must then hold.

Works on the parsed TOML document; reading files is the caller's. The format is a contract:
``docs/scenarios.md``.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sigilpost_engine.core.compare import compare
from sigilpost_engine.core.errors import BadDocument, BadSetup, Refusal
from sigilpost_engine.core.events import Event, told
from sigilpost_engine.core.game import Document, Game
from sigilpost_engine.core.match import Match
from sigilpost_engine.core.messages import Msg, Value, say

Render = Callable[[Msg], str]
"""Turns a message into a sentence of the reader's language."""

FORMAT = 1
KEYS = frozenset(
    ["format", "game", "title", "about", "seats", "seed", "options", "setup", "steps", "refuse"]
)
STEP_KEYS = frozenset(["seat", "do", "reject", "expect", "about"])
HIDDEN_KEYS = frozenset(["as", "not_in_view"])


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
        raise _bad(path, "core.scenario.no-seat", name=str(name))


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
    if doc.get("format") != FORMAT:
        raise _bad("format", "core.scenario.format", known=FORMAT)
    _only_keys(doc, KEYS)
    if not isinstance(doc.get("game"), str):
        raise _bad("game", "core.scenario.missing")
    seats = doc.get("seats")
    if not isinstance(seats, list) or not all(isinstance(name, str) for name in seats):
        raise _bad("seats", "core.scenario.missing")
    for name in ("options", "setup"):
        _table(doc.get(name, {}), name)
    steps = doc.get("steps", [])
    if not isinstance(steps, list) or not all(isinstance(step, dict) for step in steps):
        raise _bad("steps", "core.scenario.table")
    for number, step in enumerate(steps, start=1):
        _only_keys(step, STEP_KEYS, f"steps.{number}.")
    _seed(doc)


def _bad(path: str, id: str, **values: Value) -> BadScenario:
    return BadScenario(path, say(id, **values))


def _only_keys(table: Document, known: frozenset[str], prefix: str = "") -> None:
    for unknown in sorted(set(table) - known):
        raise _bad(prefix + unknown, "core.scenario.unknown-key")


def _table(value: Any, path: str) -> Document:
    if not isinstance(value, dict):
        raise _bad(path, "core.scenario.table")
    return value


def _texts(value: Any, path: str) -> list[str]:
    """A list of texts; one may stand alone."""
    texts = [value] if isinstance(value, str) else value
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise _bad(path, "core.scenario.texts")
    return texts


def _seed(doc: Document) -> bytes:
    try:
        return bytes.fromhex(doc.get("seed", "00"))
    except (TypeError, ValueError):
        raise _bad("seed", "core.scenario.hex") from None


def _begin(doc: Document, game: Game[Any]) -> Match[Any]:
    seats: Sequence[str] = doc["seats"]
    options: Mapping[str, Any] = doc.get("options", {})
    key = _seed(doc)
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
        at = f"{path}.expect"
        _expect(play, _table(step["expect"], at), at)


def _do(play: _Play, step: Document, path: str) -> None:
    lines = _texts(step["do"], f"{path}.do")
    seat = play.seat(step.get("seat"), f"{path}.seat")
    reject = step.get("reject")
    for line in lines:
        try:
            play.match.submit(seat, line)
        except Refusal as refusal:
            # The first line refused stops the rest (common.md 8).
            if reject != refusal.kind:
                why = f"{refusal.kind}: {play.render(refusal.message)}"
                play.fault(line, reject or "accepted", why)
            return
        play.events += play.match.take_events()
    if reject is not None:
        play.fault(lines[-1] if lines else "do", reject, "accepted")


def _expect(play: _Play, expect: Document, path: str) -> None:
    for part, look in _LOOKS.items():
        if part in expect:
            look(play, expect[part], f"{path}.{part}")
    if "events" in expect:
        reader = None if "as" not in expect else play.seat(expect["as"], f"{path}.as")
        _look_events(play, _texts(expect["events"], f"{path}.events"), reader)
    position = {part: value for part, value in expect.items() if part not in LOOKS}
    compare(play.fault, "", position, play.match.dump())


def _look_waiting(play: _Play, expected: Any, path: str) -> None:
    waiting = [play.seats[prompt.seat] for prompt in play.match.open]
    names = _texts(expected, path)
    if [name.casefold() for name in names] != [name.casefold() for name in waiting]:
        play.fault("waiting", expected, waiting)


def _look_asks(play: _Play, expected: Any, path: str) -> None:
    for name, word in _table(expected, path).items():
        prompt = play.match.prompt(play.seat(name, path))
        words = sorted({move.verb for move in prompt.moves}) if prompt else []
        if word == "absent" and not words:
            continue
        if str(word).casefold() not in words:
            play.fault(f"asks.{name}", word, words)


def _look_events(play: _Play, expected: list[str], reader: int | None) -> None:
    texts = [play.render(message) for message in told(play.events, reader)]
    for part in expected:
        if not any(part.casefold() in text.casefold() for text in texts):
            play.fault("events", part, texts)


def _look_hidden(play: _Play, expected: Any, path: str) -> None:
    _only_keys(_table(expected, path), HIDDEN_KEYS, f"{path}.")
    reader = None if "as" not in expected else play.seat(expected["as"], f"{path}.as")
    seen = _all_that_is_seen(play, reader)
    for text in _texts(expected.get("not_in_view"), f"{path}.not_in_view"):
        if text in seen:
            play.fault("hidden.not_in_view", f"nowhere: {text}", text)


def _all_that_is_seen(play: _Play, seat: int | None) -> str:
    """Every word that ``seat`` gets to see: its view, its open question and the events."""
    prompt = None if seat is None else play.match.prompt(seat)
    messages = told(play.events, seat)
    return "\n".join(
        [
            json.dumps(play.match.view(seat), ensure_ascii=False),
            json.dumps(prompt.to_json(), ensure_ascii=False) if prompt else "",
            *(json.dumps(message.to_json(), ensure_ascii=False) for message in messages),
            *(play.render(message) for message in messages),
        ]
    )


def _look_sees(play: _Play, expected: Any, path: str) -> None:
    for name, part in _table(expected, path).items():
        view = play.match.view(play.seat(name, path))
        compare(play.fault, f"sees.{name}", part, view)


def _look_result(play: _Play, expected: Any, path: str) -> None:
    result = play.match.result
    if expected == "absent" and result is None:
        return
    compare(play.fault, "result", expected, {} if result is None else result.document())


_LOOKS: dict[str, Callable[[_Play, Any, str], None]] = {
    "waiting": _look_waiting,
    "asks": _look_asks,
    "hidden": _look_hidden,
    "sees": _look_sees,
    "result": _look_result,
}

LOOKS = frozenset([*_LOOKS, "events", "as", "you"])
"""Keys of ``expect`` and of views that are not parts of the position document."""
