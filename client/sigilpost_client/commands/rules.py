"""The rules themselves: ``card`` explains one, ``scenario`` runs files of rulings."""

from __future__ import annotations

import tomllib
from typing import Annotated, Any

import typer

from sigilpost_client.commands import parameters as given
from sigilpost_client.errors import DOES_NOT_HOLD, Unusable
from sigilpost_client.files import named
from sigilpost_client.screen import plain
from sigilpost_client.words import render, text
from sigilpost_engine import games
from sigilpost_engine.core import grammar
from sigilpost_engine.core.errors import Ambiguous, BadDocument, Refusal
from sigilpost_engine.core.messages import Msg, say
from sigilpost_engine.core.scenario import Fault, Outcome, continuation, play
from sigilpost_engine.texts.layout import wrap

HOLDS, FAILS, UNUSABLE = 0, DOES_NOT_HOLD, Unusable.status
WORDS = {HOLDS: "holds", FAILS: "fails", UNUSABLE: "unusable"}
STYLES = {HOLDS: "good", FAILS: "alarm", UNUSABLE: "warn"}


def card(
    words: Annotated[
        list[str],
        typer.Argument(metavar=text("client.metavar.card"), help=text("client.help.card.name")),
    ],
    game: Annotated[
        str,
        typer.Option(
            "--game", "-g", metavar=text("client.metavar.kind"), help=text("client.help.kind")
        ),
    ] = "",
    json: given.Json = False,
) -> None:
    """Explain a card."""
    wanted = " ".join(words)
    kind, name = _find_card(wanted, [game] if game else games.names())
    told = [render(message) for message in games.find(kind).explain(name)]
    if json:
        plain.dump({"card": name, "kind": kind, "text": told})
        return
    plain.out(name, "bold")
    for paragraph in told:
        plain.out()
        for line in wrap(paragraph):
            plain.out(line)


def _find_card(wanted: str, kinds: list[str]) -> tuple[str, str]:
    """The kind of game and the whole name. Raises Unusable."""
    fits: list[tuple[str, str]] = []
    for kind in kinds:
        try:
            names = list(games.find(kind).cards)
        except (games.UnknownGame, ImportError):
            continue
        try:
            fits.append((kind, grammar.named(wanted, names, names)))
        except Ambiguous as fault:
            raise Unusable(fault.message) from fault
        except Refusal:
            continue
    # A whole name means no other card that begins with it, in another game either.
    whole = [(kind, name) for kind, name in fits if grammar.key(name) == grammar.key(wanted)]
    fits = whole or fits
    if len(fits) == 1:
        return fits[0]
    if fits:
        found = [f"{name} ({kind})" for kind, name in fits]
        raise Unusable(
            say("core.refusal.ambiguous", text=wanted, fits=found), say("client.remedy.card-game")
        )
    raise Unusable(say("client.error.card-unknown", card=wanted), say("client.remedy.card"))


def scenario(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar=text("client.metavar.file"), help=text("client.help.scenario.files")
        ),
    ],
    dump: Annotated[bool, typer.Option("--dump", help=text("client.help.scenario.dump"))] = False,
    json: given.Json = False,
) -> None:
    """Run scenario files: a line for each, and what did not hold."""
    results = [_run(name) for name in files]
    if json:
        plain.dump({"scenarios": [result.as_json(dump) for result in results]})
    else:
        for result in results:
            result.tell(dump)
    raise typer.Exit(max(result.status for result in results))


class _Result:
    """How one file went."""

    def __init__(self, name: str, status: int, why: str = "", outcome: Outcome | None = None):
        self.name = name
        self.status = status
        self.why = why
        self.outcome = outcome or Outcome()

    def tell(self, dump: bool) -> None:
        """Print the line, the faults, and the position if it is asked for."""
        # Standard output is one line a file; with --dump it is the dump, for a file again.
        stream = plain.aside if dump else plain.out
        said = text(f"client.scenario.{WORDS[self.status]}", file=self.name, why=self.why)
        stream(said, STYLES[self.status])
        for fault in self.outcome.faults:
            for line in _fault_lines(fault):
                stream(f"  {line}")
        if dump and self.outcome.match is not None:
            import tomli_w

            print(tomli_w.dumps(continuation(self.outcome.match)), end="")

    def as_json(self, dump: bool) -> dict[str, Any]:
        """``{"file", "status": "holds|fails|unusable", "why", "faults": […], "dump"}``."""
        found: dict[str, Any] = {
            "file": self.name,
            "status": WORDS[self.status],
            "why": self.why,
            "faults": [
                {
                    "step": fault.step,
                    "part": fault.part,
                    "expected": fault.expected,
                    "found": fault.found,
                }
                for fault in self.outcome.faults
            ],
        }
        if dump and self.outcome.match is not None:
            found["dump"] = continuation(self.outcome.match)
        return found


def _fault_lines(fault: Fault) -> list[str]:
    where = "client.scenario.step" if fault.step else "client.scenario.setup"
    return [
        text(where, step=fault.step, part=fault.part),
        text("client.scenario.expected", value=_value(fault.expected)),
        text("client.scenario.found", value=_value(fault.found)),
    ]


def _value(value: Any) -> str:
    """A value as a scenario file would have it."""
    import json as json_

    if value is None:
        return text("client.scenario.nothing")
    return json_.dumps(value, ensure_ascii=False)


def _run(name: str) -> _Result:
    try:
        doc = tomllib.loads(named(name).read_text(encoding="utf-8"))
    except OSError as fault:
        return _Result(name, UNUSABLE, fault.strerror or str(fault))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as fault:
        return _Result(name, UNUSABLE, str(fault))
    try:
        outcome = play(doc, games.find, render)
    except BadDocument as fault:
        why = say("client.scenario.at", key=fault.path, why=fault.message)
        return _Result(name, UNUSABLE, render(why))
    except (games.UnknownGame, ImportError):
        unknown = Msg("client.error.kind-unknown", {"kind": str(doc.get("game"))})
        return _Result(name, UNUSABLE, render(unknown))
    return _Result(name, FAILS if outcome.faults else HOLDS, "", outcome)
