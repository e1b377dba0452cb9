"""A finished game step by step, as a spectator may see it, from its verified transcript."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from sigilpost_engine import games
from sigilpost_engine.audit import transcript
from sigilpost_engine.audit.verify import ENDINGS, verify
from sigilpost_engine.core.errors import Held, Refusal
from sigilpost_engine.core.events import Event, told
from sigilpost_engine.core.match import Match
from sigilpost_engine.core.messages import Msg
from sigilpost_engine.core.prompts import Answer
from sigilpost_engine.core.sheet import Sheet
from sigilpost_engine.wire import canonical, fair


class Step(NamedTuple):
    """One step: whose answer it was and how it is typed ("" for the deal), who gave it if not
    the player's own order, what everybody learned, and the position after it."""

    number: int
    seat: str
    line: str
    by: str
    happened: tuple[Msg, ...]
    position: Sheet


class Replay(NamedTuple):
    """A whole game. ``fault`` is what the verification found wrong, None if nothing."""

    tag: str
    kind: str
    players: tuple[str, ...]
    options: Mapping[str, Any]
    result: Mapping[str, Any]
    steps: tuple[Step, ...]
    fault: Msg | None


def replay(data: bytes) -> Replay:
    """The game of a transcript. Raises Unreadable, or UnknownGame."""
    report = verify(data, games.find)
    lines = transcript.read(data)
    head = lines[0]
    names = tuple(str(entry["name"]) for entry in head["roster"])
    end = next(line for line in reversed(lines) if line.kind == "end")
    return Replay(
        head["game"],
        head["kind"],
        names,
        head["options"],
        end["result"],
        tuple(_steps(lines, names)),
        report.fault.message if report.fault else None,
    )


def _steps(lines: Sequence[transcript.Line], names: Sequence[str]) -> Iterator[Step]:
    head = lines[0]
    rules = games.find(head["kind"])
    match: Match[Any] | None = Match.begin(rules, names, head["options"], _key(lines))
    for line in lines:
        if line.kind not in ("start", "answer"):
            continue
        happened = tuple(told([Event.from_json(raw) for raw in line["events"]], None))
        if line.kind == "start":
            yield Step(0, "", "", "", happened, _sheet(rules, match))
            continue
        answer = Answer.from_json(line["answer"])
        seat = line["seat"] - 1
        played = answer.verb not in ENDINGS and answer.verb != "substitute"
        if match is not None and played:
            match = _apply(match, seat, answer)
        typed = rules.phrase(answer) if played else answer.verb
        by = "" if line["by"] in ("orders", "") else str(line["by"])
        yield Step(line["n"], names[seat], typed, by, happened, _sheet(rules, match))


def _apply(match: Match[Any], seat: int, answer: Answer) -> Match[Any] | None:
    """The match after an answer; None from where it cannot be played any more."""
    try:
        match.apply(seat, answer)
    except (Refusal, Held):
        return None
    return match


def _sheet(rules: Any, match: Match[Any] | None) -> Sheet:
    sheet: Sheet = () if match is None else rules.sheet(match.view(None))
    return sheet


def _key(lines: Sequence[transcript.Line]) -> bytes:
    """The key of the shuffles, as docs/transcript.md has it."""
    head = lines[0]
    secret = next(line for line in lines if line.kind == "secret")["secret"]
    nonces: dict[int, str] = {}
    for line in lines:
        if line.kind == "block" and line["kind"] in ("CREATE", "JOIN"):
            payload = canonical.decode(str(line["payload"]).encode())
            assert isinstance(payload, dict)
            nonces[line["seat"]] = str(payload["nonce"])
    for seat in range(1, len(head["roster"]) + 1):  # who joined by a reply code signed none
        nonces.setdefault(seat, fair.unsigned_nonce(head["game"], head["commitment"], seat - 1))
    ordered = [nonces[seat] for seat in sorted(nonces)]
    keys = [entry["key"] for entry in head["roster"]]
    return fair.game_key(bytes.fromhex(secret), head["game"], head["options"], keys, ordered)
