"""Standing orders: ``standing list|add|remove|test``; and what they can be about: ``facts``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sigilpost_client import config, orders, store
from sigilpost_client.commands import parameters as given
from sigilpost_client.commands.choose import begins_with_game, one_game
from sigilpost_client.commands.parcels import Parcel
from sigilpost_client.errors import NoGame, Refused, Unusable
from sigilpost_client.kinds import rules_of
from sigilpost_client.screen import plain
from sigilpost_client.spoken import Command, Group
from sigilpost_client.store import GameRecord, State
from sigilpost_client.words import render, text
from sigilpost_engine.core.messages import say
from sigilpost_engine.wire.payloads import STANDING_MAX, STANDING_NUMBER_MAX

if TYPE_CHECKING:
    from datetime import tzinfo

    from sigilpost_engine.core.standing import StandingOrder
    from sigilpost_engine.core.trials import Trial

app = typer.Typer(cls=Group, add_completion=False, no_args_is_help=True)

Words = Annotated[
    list[str],
    typer.Argument(
        metavar=text("client.metavar.standing"), help=text("client.help.standing.lines")
    ),
]


def _game_and(state: State, words: Sequence[str], named: str) -> tuple[GameRecord, list[str]]:
    """Part ``[GAME] WORD…``; the game must have a seat for this player, and not be over."""
    rest = list(words)
    if not named and rest and begins_with_game(state, rest[0]):
        named = rest.pop(0)
    record = one_game(state, named)
    if not record.seat or record.status not in store.GOING:
        raise NoGame(say("client.error.not-running", game=record.id), say("client.remedy.games"))
    return record, rest


def _read(record: GameRecord, line: str) -> StandingOrder:
    """The order that a line gives. Raises Refused with what is wrong with it."""
    from sigilpost_engine.core import standing
    from sigilpost_engine.core.errors import Unparseable

    rules = rules_of(record.kind)
    try:
        return standing.read(line, rules.topics, rules.fact_names)
    except Unparseable as refusal:
        raise Refused(
            say("client.error.standing", line=line, why=refusal.message),
            say("client.remedy.facts", kind=record.kind),
        ) from refusal


# --- changing -------------------------------------------------------------------------------------


@app.command("list", cls=Command, help=text("client.help.standing.list"))
def list_(game: given.Game = "", json: given.Json = False) -> None:
    """The orders that the server keeps, as its newest mail said."""
    record, _ = _game_and(store.read(), (), game)
    if json:
        plain.dump({"game": record.id, "standing": record.standing})
        return
    if not record.standing:
        plain.say("client.standing.none", game=record.id)
    for order in record.standing:
        plain.paragraph(str(order["line"]), f"{order['number']:>3}  ", "     ")
        if order.get("used"):
            plain.out("     " + text("client.standing.used", n=order["used"]), "dim")


@app.command(cls=Command, help=text("client.help.standing.add"))
def add(
    words: Words,
    game: given.GameOption = "",
    before: Annotated[
        int,
        typer.Option(
            "--before",
            min=0,
            max=STANDING_NUMBER_MAX,
            metavar=text("client.metavar.number"),
            help=text("client.help.standing.before"),
        ),
    ] = 0,
    eml: given.Eml = False,
    json: given.Json = False,
) -> None:
    """Have the server keep lines that answer for this player; checked before they are signed."""
    from sigilpost_engine.core.grammar import tidy

    with store.change() as state:
        record, lines = _game_and(state, words, game)
        lines = [line for line in map(tidy, lines) if line]
        if not lines:
            raise Unusable(
                say("client.error.no-lines"), say("client.remedy.facts", kind=record.kind)
            )
        if len(lines) > STANDING_MAX:
            raise Unusable(say("clock.standing.too-many", most=STANDING_MAX))
        today = _today()
        for line in lines:
            order = _read(record, line)
            if _expired(order, today):
                raise Refused(say("client.error.standing-over", line=line, until=order.until))
        said = [text("client.mail.standing-add", game=record.id)]
        said += ["", *(f"    {line}" for line in lines)]
        parcel = _change(state, record, said, eml, json, add=tuple(lines), before=before)
    parcel.finish("client.next.sync", game=record.id, added=lines)


@app.command(cls=Command, help=text("client.help.standing.remove"))
def remove(
    words: Annotated[
        list[str],
        typer.Argument(
            metavar=text("client.metavar.numbers"), help=text("client.help.standing.numbers")
        ),
    ],
    game: given.GameOption = "",
    eml: given.Eml = False,
    json: given.Json = False,
) -> None:
    """Have the server keep some orders no longer."""
    with store.change() as state:
        record, figures = _game_and(state, words, game)
        numbers = tuple(int(each) for each in figures if each.isascii() and each.isdigit())
        sound = all(1 <= number <= STANDING_NUMBER_MAX for number in numbers)
        if not figures or len(numbers) < len(figures) or not sound:
            raise Unusable(
                say("client.error.numbers"), say("client.remedy.standing", game=record.id)
            )
        said = [text("client.mail.standing-remove", game=record.id, numbers=list(figures))]
        parcel = _change(state, record, said, eml, json, remove=numbers)
    parcel.finish("client.next.sync", game=record.id, removed=list(numbers))


def _change(
    state: State, record: GameRecord, said: Sequence[str], eml: bool, json: bool, **values: Any
) -> Parcel:
    from sigilpost_engine.wire.payloads import Standing

    settings = config.load()
    signer = orders.Signer(settings)
    block = signer.sign(
        Standing,
        orders.server_of(settings, state),
        game=record.id,
        seat=record.seat,
        **values,
    )
    outgoing = orders.mail(
        settings, block, subject=text("client.mail.standing-subject"), words=said, game=record
    )
    parcel = Parcel(settings, block, outgoing, eml=eml, json=json)
    parcel.post(game=record.id)
    return parcel


# --- trying ---------------------------------------------------------------------------------------


@app.command("test", cls=Command, help=text("client.help.standing.test"))
def try_(
    words: Words = [],  # noqa: B006  # Typer copies it
    game: given.GameOption = "",
    json: given.Json = False,
) -> None:
    """What would happen if the open question were asked now: with the orders kept, or others."""
    record, lines = _game_and(store.read(), words, game)
    tried = lines or [str(order["line"]) for order in record.standing]
    outcomes = _tried(record, tried)
    if json:
        plain.dump({"game": record.id, "asked": record.prompt is not None, "orders": outcomes})
        return
    if not tried:
        plain.say("client.standing.none", game=record.id)
        return
    if record.prompt is None:
        plain.say("client.standing.not-asked", game=record.id)
    for outcome in outcomes:
        plain.paragraph(outcome["line"], "  ", "    ", "bold")
        plain.paragraph(_told(outcome), "    ", "    ", "good" if outcome["used"] else "")


def _tried(record: GameRecord, lines: Sequence[str]) -> list[dict[str, Any]]:
    """Each order with what comes of it: ``fits``, ``used``, the ``answer`` or ``why`` not."""
    from sigilpost_client.screen.position import newest

    rules, today = rules_of(record.kind), _today()
    parsed = [_read(record, line) for line in lines]
    view = dict(newest(record).view or {}) if record.turn else {}
    in_force = [place for place, order in enumerate(parsed) if not _expired(order, today)]
    tried = _trials(record, view, {place: parsed[place] for place in in_force})
    used = any(trial.answer for trial in tried.values())
    return [
        {
            "line": line,
            "holds": _holds(rules, view, order),
            "expired": place not in in_force,
            "later": used and place not in tried,
            **_as_json(rules, tried.get(place)),
        }
        for place, (line, order) in enumerate(zip(lines, parsed, strict=True))
    ]


def _trials(
    record: GameRecord, view: dict[str, Any], orders_: dict[int, StandingOrder]
) -> dict[int, Trial]:
    """The trials of orders, by the same numbers: none where nothing is asked."""
    from sigilpost_engine.core.prompts import Prompt
    from sigilpost_engine.core.trials import trials

    if record.prompt is None or not view:
        return {}
    prompt = Prompt.from_json(record.prompt)
    outcomes = trials(rules_of(record.kind), view, prompt, orders_.values())
    return dict(zip(orders_, outcomes, strict=False))  # those after the one that is used have none


def _as_json(rules: Any, trial: Trial | None) -> dict[str, Any]:
    return {
        "tried": trial is not None,
        "fits": bool(trial and trial.fits),
        "used": bool(trial and trial.answer),
        "answer": rules.phrase(trial.answer) if trial and trial.answer else "",
        "why": render(trial.refusal) if trial and trial.refusal else "",
    }


def _today() -> str:
    """The day (``YYYY-MM-DD``) in the zone that the server knows of this player, which counts."""
    from datetime import UTC, datetime
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

    try:
        zone: tzinfo = ZoneInfo(config.load().player.zone)
    except (ZoneInfoNotFoundError, ValueError):
        zone = UTC  # as the server has it
    return str(datetime.now(zone).date())


def _expired(order: StandingOrder, today: str) -> bool:
    return bool(order.until) and today > order.until


def _holds(rules: Any, view: dict[str, Any], order: StandingOrder) -> bool | None:
    """Whether the condition holds as things stand; None if nothing can be said."""
    if order.condition is None:
        return True
    return bool(order.condition.holds(rules.facts(view))) if "you" in view else None


def _told(outcome: dict[str, Any]) -> str:
    """What came of one order, in words."""
    if outcome["expired"]:
        return text("client.standing.expired")
    if outcome["used"]:
        return text("client.standing.would-answer", line=outcome["answer"])
    if outcome["why"]:
        return text("client.standing.would-be-refused", why=outcome["why"])
    if outcome["later"]:
        return text("client.standing.not-reached")
    if outcome["holds"] is False:
        return text("client.standing.does-not-hold")
    if outcome["tried"]:
        return text("client.standing.other-topic")
    return text("client.standing.holds")


# --- what there is --------------------------------------------------------------------------------


def facts(
    game: Annotated[
        str,
        typer.Argument(metavar=text("client.metavar.game"), help=text("client.help.facts.game")),
    ],
    json: given.Json = False,
) -> None:
    """The kinds of question and the facts of a game; of a game that goes on, as they are now."""
    from sigilpost_engine import games

    record = None if game in games.names() else one_game(store.read(), game)
    rules = rules_of(record.kind if record else game)
    now = _facts_now(rules, record)
    if json:
        topics = {topic: render(rules.about_topic(topic)) for topic in rules.topics}
        about = {fact: render(rules.about_fact(fact)) for fact in rules.fact_names}
        plain.dump({"kind": rules.name, "topics": topics, "facts": about, "now": now})
        return
    from sigilpost_client.screen.rich import print_heading, print_table

    print_heading(text("client.facts.topics"))
    headings = [text("client.facts.topic"), text("client.facts.about")]
    print_table(headings, [(t, render(rules.about_topic(t))) for t in rules.topics])
    plain.out()
    print_heading(text("client.facts.facts"))
    headings = [text("client.facts.fact"), text("client.facts.about")]
    if now:
        headings.insert(1, text("client.facts.now"))
    print_table(headings, [_row(rules, fact, now) for fact in rules.fact_names])


def _row(rules: Any, fact: str, now: dict[str, Any]) -> list[str]:
    """A fact, what it is now if that is known, and what it is about."""
    about = render(rules.about_fact(fact))
    return [fact, _shown(now[fact]), about] if now else [fact, about]


def _facts_now(rules: Any, record: GameRecord | None) -> dict[str, Any]:
    from sigilpost_client.screen.position import newest

    if record is None or not record.turn:
        return {}
    view = dict(newest(record).view or {})
    return dict(rules.facts(view)) if "you" in view else {}


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return text("client.facts.yes") if value else text("client.facts.no")
    return ", ".join(value) or "–" if isinstance(value, list) else str(value)
