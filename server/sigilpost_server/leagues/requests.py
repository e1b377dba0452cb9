"""What players ask of leagues and the lobby, each by a signed REQUEST.

``offers``; ``leagues``; ``enter LEAGUE [PARTNER…]``; ``withdraw LEAGUE``; ``standings LEAGUE``;
``challenge LEAGUE NAME``; ``ratings [NAME]``.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from sigilpost_engine.core.messages import Msg, say
from sigilpost_engine.core.sheet import Cell, Column, Grid, Section, Sheet
from sigilpost_engine.wire.payloads import Request
from sigilpost_server.commands import names
from sigilpost_server.leagues import letters as sheets
from sigilpost_server.leagues import lobby, ratings, reliability, store
from sigilpost_server.leagues.ratings import Rating
from sigilpost_server.leagues.refused import Refused
from sigilpost_server.leagues.rules import Kind
from sigilpost_server.leagues.running import mails, members, steps
from sigilpost_server.leagues.running.league import Running
from sigilpost_server.leagues.running.moments import when
from sigilpost_server.leagues.season import challenges, entry
from sigilpost_server.leagues.state import Entrant, Phase, Season
from sigilpost_server.leagues.store import LeagueStatus
from sigilpost_server.mail_out import letters
from sigilpost_server.mail_out.letter import Command
from sigilpost_server.transaction import rows
from sigilpost_server.transaction.work import Outcome, Work, address_of

_UNKNOWN, _REFUSED = "unknown-league", "league-rules"


def _answer(
    work: Work,
    player: rows.Player,
    *notices: Msg,
    league: str = "",
    sheet: Sheet = (),
    commands: Sequence[Command] = (),
    **more: Any,
) -> Outcome:
    if league:
        turn = mails.notice(work.post, league, *notices, sheet=sheet)
    else:
        turn = work.notice(*notices, sheet=mails.plain(sheet), **more)
    letter = letters.receipt(
        work.post.answer_envelope(address_of(player)),
        notices=notices,
        commands=commands,
        turn=turn,
    )
    return Outcome("ok", replace(letter, sheet=sheet), player.language)


# --- the lobby ------------------------------------------------------------------------------------


def _offers(work: Work, player: rows.Player, wish: Request) -> Outcome:
    """All offers with a free place, and what each needs."""
    found = lobby.listed(work.db)
    if not found:
        return _answer(work, player, say("league.offers.none"), type="offers", offers=[])
    columns = ("game", "taken", "options", "time", "needed")
    grid = Grid(
        tuple(Column(say(f"league.column.{name}")) for name in columns),
        tuple(_offer_row(offer) for offer in found),
    )
    offers = [{"game": offer.tag, "commitment": offer.commitment} for offer in found]
    return _answer(
        work,
        player,
        say("league.offers.some", n=len(found)),
        sheet=(Section(say("league.heading.offers"), (grid,)),),
        commands=[Command(f"sigil accept {found[0].tag}", say("league.command.accept"))],
        type="offers",
        offers=offers,
    )


def _offer_row(offer: lobby.Listed) -> tuple[Cell, ...]:
    options = ", ".join(
        f"{name}={_text(value)}" for name, value in json.loads(offer.options).items()
    )
    needed = []
    if offer.rating:
        needed.append(say("league.cell.rating", n=offer.rating))
    if offer.reliability:
        needed.append(say("league.cell.reliability", n=offer.reliability))
    cell: Cell = say("league.cell.list", items=needed) if needed else "-"
    return offer.tag, f"{offer.taken}/{offer.seats}", options or "-", offer.time or "-", cell


def _text(value: Any) -> str:
    if isinstance(value, list):
        return "+".join(map(str, value)) or "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "none" if value is None else str(value)


# --- leagues --------------------------------------------------------------------------------------


def _leagues(work: Work, player: rows.Player, wish: Request) -> Outcome:
    """All leagues, and where each stands."""
    found = store.every(work.db)
    if not found:
        return _answer(work, player, say("league.list.none"))
    columns = ("league", "title", "what", "state")
    lines: list[tuple[Cell, ...]] = []
    commands: list[Command] = []
    for row in found:
        kept = store.season(work.db, row.id, row.season)
        assert kept is not None
        state = sheets.phase(row.status, kept[0], work.now, partial(when, player.zone))
        lines.append((row.name, row.rules.title, row.rules.game, state))
        if _enterable(row, kept[0], work.now, player):
            line = f"sigil enter {row.name}"
            commands.append(
                Command(line, say("league.command.enter-named", league=row.rules.title))
            )
    grid = Grid(tuple(Column(say(f"league.column.{name}")) for name in columns), tuple(lines))
    section = Section(say("league.heading.leagues"), (grid,))
    told = say("league.list.some", n=len(found))
    return _answer(work, player, told, sheet=(section,), commands=commands)


def _enterable(row: store.Row, state: Season, now: int, player: rows.Player) -> bool:
    """Whether a player who is not in a league can enter it now."""
    late = row.rules.format.kind is Kind.LADDER and state.phase is Phase.PLAYING
    entry_open = state.phase is Phase.ENTRY and now >= state.opened
    inside = state.entrant_of(player.id) is not None
    return row.status is not LeagueStatus.ENDED and (late or entry_open) and not inside


_Act = Callable[[Work, rows.Player, Running, Sequence[str]], Outcome]


def _of_league(act: _Act, lock: bool, work: Work, player: rows.Player, wish: Request) -> Outcome:
    """Do something with the league that the first argument names."""
    name = wish.args[0].casefold() if wish.args else ""
    running = Running.load(work.db, work.post, name, lock=lock)
    if running is None:
        known = [row.name for row in store.every(work.db)]
        return work.error(player, _UNKNOWN, say("league.unknown", name=name, known=known))
    try:
        return act(work, player, running, wish.args[1:])
    except Refused as refused:
        return work.error(player, _REFUSED, refused.message)


def _enter(work: Work, player: rows.Player, running: Running, args: Sequence[str]) -> Outcome:
    team = [_named(work, name).id for name in args]
    entrant = members.enter(running, player.id, team)
    rules = running.rules
    if entrant is None:
        partners = [running.person(each).name for each in sorted({*team} - {player.id})]
        running.save()
        waits = say("league.entered.waits", league=rules.title, partners=partners)
        return _answer(work, player, waits, league=rules.name)
    running.audit(player.name, "enter", detail=entrant.name)
    steps.step(running)
    running.save()
    done = say(
        "league.entered.done",
        league=rules.title,
        name=entrant.name,
        closes=when(player.zone, running.season.closes),
    )
    return _answer(work, player, done, league=rules.name, sheet=(sheets.entrants(running.season),))


def _withdraw(work: Work, player: rows.Player, running: Running, args: Sequence[str]) -> Outcome:
    if entry.forget_wish(running.season, player.id):
        running.save()
        return _withdrawn(work, player, running, "early")
    entrant = _own(running, player)
    members.withdraw(running, entrant)
    running.audit(player.name, "withdraw", detail=entrant.name)
    steps.step(running)
    running.save()
    early = running.season.phase is Phase.ENTRY
    word = "early" if early else "annulled" if entrant.annulled else "done"
    return _withdrawn(work, player, running, word)


def _withdrawn(work: Work, player: rows.Player, running: Running, word: str) -> Outcome:
    done = say(f"league.withdrawn.{word}", league=running.rules.title)
    return _answer(work, player, done, league=running.rules.name)


def _own(running: Running, player: rows.Player) -> Entrant:
    entrant = running.season.entrant_of(player.id)
    if entrant is None:
        raise Refused(say("league.refused.not-in"))
    return entrant


def _challenge(work: Work, player: rows.Player, running: Running, args: Sequence[str]) -> Outcome:
    if not args:
        raise Refused(say("league.refused.whom"))
    other = running.season.entrant_of(_named(work, args[0]).id)
    if other is None:
        raise Refused(say("league.refused.other-not-in", name=args[0]))
    mine = _own(running, player)
    challenges.challenge(running.season, running.rules, mine.number, other.number, work.now)
    steps.step(running)
    running.save()
    return _answer(
        work, player, say("league.challenged", name=other.name), league=running.rules.name
    )


def _standings(work: Work, player: rows.Player, running: Running, args: Sequence[str]) -> Outcome:
    rules, state = running.rules, running.season
    sheet = sheets.tables(rules, state)
    mine = state.entrant_of(player.id)
    if mine is not None and state.phase is Phase.PLAYING:
        sheet = (*sheet, sheets.fixtures_of(rules, state, mine.number))
    told = sheets.phase(running.row.status, state, work.now, partial(when, player.zone))
    ladder = rules.format.kind is Kind.LADDER and state.phase is Phase.PLAYING
    commands = []
    if _enterable(running.row, state, work.now, player):
        commands.append(Command(f"sigil enter {rules.name}", say("league.command.enter")))
    if ladder and mine is not None:
        line = f"sigil challenge {rules.name} NAME"
        commands.append(Command(line, say("league.command.challenge")))
    return _answer(work, player, told, league=rules.name, sheet=sheet, commands=commands)


def _named(work: Work, name: str) -> store.Person:
    person = store.person_named(work.db, names.key(name))
    if person is None:
        raise Refused(say("league.refused.nobody", name=name))
    return person


# --- ratings --------------------------------------------------------------------------------------


def _ratings(work: Work, player: rows.Player, wish: Request) -> Outcome:
    """A player's ratings and reliability; one's own without a name."""
    try:
        who = _named(work, wish.args[0] if wish.args else player.name)
    except Refused as refused:
        return work.error(player, _REFUSED, refused.message)
    mine = {pool: r for (pool, p), r in store.all_ratings(work.db).items() if p == who.id}
    columns = ("pool", "rating", "margin", "games")
    grid = Grid(
        tuple(Column(say(f"league.column.{name}"), name != "pool") for name in columns),
        tuple(_rating_row(pool, ratings.now(r, work.now)) for pool, r in sorted(mine.items())),
    )
    score = reliability.score(store.marks(work.db, [who.id])[who.id], work.now)
    told = [say("league.reliability", name=who.name, score=score)]
    sheet: Sheet = ()
    if mine:
        sheet = (Section(say("league.heading.ratings", name=who.name), (grid,)),)
    else:
        told.append(say("league.ratings.none", name=who.name))
    return _answer(work, player, *told, sheet=sheet)


def _rating_row(pool: str, rating: Rating) -> tuple[Cell, ...]:
    shown: Cell = rating.shown
    if rating.provisional:
        shown = say("league.cell.provisional", rating=rating.shown)
    return pool, shown, f"±{rating.margin}", rating.games


REQUESTS: dict[str, Callable[[Work, rows.Player, Request], Outcome]] = {
    "offers": _offers,
    "leagues": _leagues,
    "enter": partial(_of_league, _enter, True),
    "withdraw": partial(_of_league, _withdraw, True),
    "standings": partial(_of_league, _standings, False),
    "challenge": partial(_of_league, _challenge, True),
    "ratings": _ratings,
}
"""By the word that a REQUEST begins with."""
