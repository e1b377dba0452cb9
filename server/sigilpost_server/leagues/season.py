"""A season, from entry to its end: what may happen to it, one function for each.

All functions change the :class:`~.state.Season` that they are given and nothing else; the moment
is always an argument. Done again, each finds its work done: a result counts once, a round is
drawn once. They return what somebody has to act on: games to end, news to tell.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from math import lcm
from typing import NamedTuple

from sigilpost_engine.core.messages import Msg, say
from sigilpost_server.leagues import divisions, standings
from sigilpost_server.leagues.draws import berger, knockout, ladder, swiss, tables, whist
from sigilpost_server.leagues.rules import Kind, LeagueRules, Teams, Withdrawal
from sigilpost_server.leagues.state import (
    Adjustment,
    Division,
    Entrant,
    Fixture,
    How,
    Phase,
    Season,
    Status,
    Wish,
)


class Refused(Exception):
    """It cannot be done; ``message`` says why, and what to do instead."""

    def __init__(self, message: Msg) -> None:
        super().__init__(message.id)
        self.message = message


class Told(StrEnum):
    """Kinds of news."""

    OPENED = "opened"
    BEGUN = "begun"
    EXTENDED = "extended"
    ROUND_ENDED = "round-ended"
    ROUND_DRAWN = "round-drawn"
    ENDED = "ended"


class News(NamedTuple):
    """Something that the players of a division (None: of all) are told."""

    kind: Told
    division: int | None = None
    round: int = 0


# --- entry ----------------------------------------------------------------------------------------


def opened(rules: LeagueRules, now: int, lots: str) -> Season:
    """The first season, entry open."""
    begin = max(now, rules.season.opens)
    return Season(1, begin, begin + rules.season.entry, lots)


def reopen(season: Season, rules: LeagueRules, created: int, now: int) -> None:
    """Other rules while entry is still to open: it opens, and closes, when they say."""
    if season.phase is not Phase.ENTRY or now >= season.opened:
        return
    if season.number == 1:
        season.opened = max(created, now, rules.season.opens)
    season.closes = season.opened + rules.season.entry


def following(season: Season, rules: LeagueRules) -> Season | None:
    """The season after one that has ended, entry open; None if it was the last."""
    if rules.season.seasons and season.number >= rules.season.seasons:
        return None
    begin = season.ended + rules.season.pause
    new = Season(season.number + 1, begin, begin + rules.season.entry, season.lots)
    if rules.season.again:
        for entrant in season.active():
            _add(new, entrant.name, entrant.players, begin)
    return new


def enter(
    season: Season, rules: LeagueRules, name: str, players: Sequence[int], now: int
) -> Entrant:
    """Take an entrant. Raises Refused."""
    late = season.phase is not Phase.ENTRY
    if now < season.opened:
        raise Refused(say("league.refused.not-open"))
    if season.phase is Phase.ENDED or (late and rules.format.kind is not Kind.LADDER):
        raise Refused(say("league.refused.closed"))
    if len(players) != rules.team_size:
        raise Refused(say("league.refused.team-size", n=rules.team_size))
    if len(set(players)) != len(players):
        raise Refused(say("league.refused.twice"))
    for player in players:
        if season.entrant_of(player):
            raise Refused(say("league.refused.entered"))
    if rules.season.maximum and len(season.active()) >= rules.season.maximum:
        raise Refused(say("league.refused.full", n=rules.season.maximum))
    entrant = _add(season, name, tuple(players), now)
    if late:
        entrant.seed = len(season.entrants)
        season.divisions[0].order.append(entrant.number)
    return entrant


def wish(
    season: Season, rules: LeagueRules, player: int, team: Sequence[int], name: str, now: int
) -> Entrant | None:
    """A player wants to enter with others; the team is in once all its members say the same.

    ``team`` has all members, ``name`` is what the team is to be called. Raises Refused.
    """
    members = tuple(sorted(set(team) | {player}))
    if len(members) != rules.team_size:
        raise Refused(say("league.refused.team-size", n=rules.team_size))
    for each in members:
        if season.entrant_of(each):
            raise Refused(say("league.refused.entered"))
    others = [each for each in season.wishes if each.player != player]
    agreed = {each.player for each in others if each.team == members} | {player}
    if agreed < set(members):
        season.wishes = [*others, Wish(player, members)]
        return None
    entrant = enter(season, rules, name, members, now)
    season.wishes = [each for each in others if each.player not in members]
    return entrant


def forget_wish(season: Season, player: int) -> bool:
    """A player no longer wants to enter with others; False if there was no such wish."""
    before = len(season.wishes)
    season.wishes = [each for each in season.wishes if each.player != player]
    return len(season.wishes) < before


def _add(season: Season, name: str, players: tuple[int, ...], now: int) -> Entrant:
    entrant = Entrant(len(season.entrants) + 1, name, players, now)
    season.entrants.append(entrant)
    return entrant


def close_entry(
    season: Season,
    rules: LeagueRules,
    now: int,
    previous: Season | None = None,
    rating: Callable[[Entrant], float] = lambda entrant: 0.0,
) -> list[News]:
    """At the end of the entry time, or once the league is full: divide, draw, begin.

    Before that, that entry is open is told. With too few entrants it stays open for as long again.
    """
    full = rules.season.maximum and len(season.active()) >= rules.season.maximum
    if season.phase is not Phase.ENTRY or now < season.opened:
        return []
    if not season.announced:
        season.announced = True
        return [News(Told.OPENED)]
    if not (full or now >= season.closes):
        return []
    if len(season.active()) < rules.minimum:
        season.closes = now + max(rules.season.entry, 1)
        return [News(Told.EXTENDED)] if season.active() else []
    return begin(season, rules, now, previous, rating)


def begin(
    season: Season,
    rules: LeagueRules,
    now: int,
    previous: Season | None = None,
    rating: Callable[[Entrant], float] = lambda entrant: 0.0,
) -> list[News]:
    """Divide the entrants, draw, begin. Raises Refused if too few have entered."""
    if season.phase is not Phase.ENTRY:
        raise Refused(say("league.refused.begun"))
    if len(season.active()) < rules.minimum:
        raise Refused(say("league.refused.too-few", n=rules.minimum, there=len(season.active())))
    order = _merit(season, rules, previous, rating)
    size = rules.divisions
    least = max(rules.entrants_a_game, 3 if rules.format.kind is Kind.SWISS else 2)
    for at, members in enumerate(divisions.cut(order, size.size, size.smallest, least)):
        name = size.names[at] if at < len(size.names) else str(at + 1)
        season.divisions.append(Division(name, order=[entrant.number for entrant in members]))
        for entrant in members:
            entrant.division = at
    for seed, entrant in enumerate(order, 1):
        entrant.seed = seed
    season.phase, season.started = Phase.PLAYING, now
    for at in range(len(season.divisions)):
        _draw(season, rules, at)
    return [News(Told.BEGUN)]


def _merit(
    season: Season,
    rules: LeagueRules,
    previous: Season | None,
    rating: Callable[[Entrant], float],
) -> list[Entrant]:
    """The entrants in the order in which they are divided and seeded."""
    by_rating = sorted(season.active(), key=lambda e: (-rating(e), e.entered, e.number))
    ladders = rules.format.kind is Kind.LADDER
    if previous is None or not previous.divisions or not (rules.divisions.size or ladders):
        return by_rating
    here = {entrant.players: entrant for entrant in season.active()}
    ranked = [
        [
            row.entrant.players
            for row in standings.ranking(rules, previous, at)
            if row.entrant.active
        ]
        for at in range(len(previous.divisions))
    ]
    known = {players for table in ranked for players in table}
    newcomers = [entrant.players for entrant in by_rating if entrant.players not in known]
    order = divisions.merit(ranked, rules.divisions.promoted, newcomers)
    return [here[players] for players in order if players in here]


# --- draws ----------------------------------------------------------------------------------------


def _draw(season: Season, rules: LeagueRules, at: int) -> None:
    """Draw all that can be drawn when a season begins."""
    kind = rules.format.kind
    if kind is Kind.ROUND_ROBIN:
        _draw_round_robin(season, rules, at)
    elif kind is Kind.TABLES:
        _draw_tables(season, rules, at)
    elif kind is Kind.SWISS:
        n = len(season.divisions[at].order)
        season.divisions[at].rounds = min(rules.format.rounds or swiss.rounds(n), n - 1 + n % 2)
        _draw_swiss(season, rules, at)
    elif kind is Kind.KNOCKOUT:
        _draw_bracket(season, at, knockout.first_round(season.divisions[at].order))


def _by_lot(season: Season, at: int) -> list[int]:
    order = season.divisions[at].order
    return sorted(order, key=lambda number: standings.lot(season, season.entrant(number)))


def _draw_round_robin(season: Season, rules: LeagueRules, at: int) -> None:
    order, division = _by_lot(season, at), season.divisions[at]
    rounds = berger.rounds(len(order), double=rules.format.double)
    for number, pairs in enumerate(rounds, 1):
        for a, b in pairs:
            season.add(at, number, (order[a], order[b]))
    division.round = division.rounds = len(rounds)


def _draw_tables(season: Season, rules: LeagueRules, at: int) -> None:
    order, division = _by_lot(season, at), season.divisions[at]
    games = rules.format.games or 2 * rules.seats
    if rules.teams is Teams.CHANGING:
        drawn = whist.draw(len(order), games)
    else:
        drawn = tables.draw(len(order), rules.entrants_a_game, games)
    rounds: list[set[int]] = []
    for table in drawn:
        # The first round in which nobody of them plays yet.
        free = (number for number, busy in enumerate(rounds) if not busy & set(table))
        number = next(free, len(rounds))
        if number == len(rounds):
            rounds.append(set())
        rounds[number] |= set(table)
        season.add(at, number + 1, tuple(order[place] for place in table))
    division.round = division.rounds = len(rounds)


def _draw_swiss(season: Season, rules: LeagueRules, at: int) -> None:
    """The next round, if two are still in."""
    division = season.divisions[at]
    table = standings.Table(rules, season, at)
    players = [
        _before_round(season, table, row.entrant.number) for row in _inside(season, rules, at)
    ]
    if len(players) < 2:
        division.rounds = division.round
        return
    division.round += 1
    pairs, bye = swiss.pair(players)
    for pair in pairs:
        season.add(at, division.round, pair)
    if bye is not None:
        _rest(season, at, division.round, bye)


def _inside(season: Season, rules: LeagueRules, at: int) -> list[standings.Row]:
    """The table without lots at the beginning: then seeds stand for it."""
    rows = [row for row in standings.ranking(rules, season, at) if row.entrant.active]
    if season.divisions[at].round == 0:
        rows.sort(key=lambda row: row.entrant.seed)
    return rows


def _before_round(season: Season, table: standings.Table, entrant: int) -> swiss.Player:
    mine = [f for f in season.fixtures if entrant in f.entrants and f.status is not Status.VOID]
    games = [f for f in mine if len(f.entrants) == 2]
    firsts = sum(1 if f.entrants[0] == entrant else -1 for f in games)
    met = Counter(other for f in games for other in f.entrants if other != entrant)
    unit = _unit(table)
    points = int(table.points[entrant] * unit)
    return swiss.Player(entrant, points, firsts, len(mine) - len(games), met)


def _unit(table: standings.Table) -> int:
    """What makes whole numbers of all points."""
    return lcm(*(points.denominator for points in table.points.values()))


def _draw_bracket(season: Season, at: int, pairs: Sequence[knockout.Pair]) -> None:
    division = season.divisions[at]
    division.round += 1
    for line, (a, b) in enumerate(pairs):
        inside = [e for e in (a, b) if e is not None and season.entrant(e).active]
        if len(inside) == 2:
            season.add(at, division.round, (inside[0], inside[1]), line)
        elif inside:
            _rest(season, at, division.round, inside[0], line)
        else:
            gone = tuple(e for e in (a, b) if e is not None)
            season.add(at, division.round, gone, line).status = Status.VOID


def _rest(season: Season, at: int, number: int, entrant: int, line: int = 0) -> None:
    fixture = season.add(at, number, (entrant,), line)
    fixture.status, fixture.how, fixture.places = Status.DONE, How.BYE, (1,)


# --- games ----------------------------------------------------------------------------------------


def startable(
    season: Season, rules: LeagueRules, running: Mapping[int, int], limit: int
) -> list[Fixture]:
    """The fixtures to start now, in order of their rounds.

    Nobody gets more than ``play.at_once`` games of this league, nor more than ``limit`` in all;
    ``running`` has each player's games in all that run or are proposed.
    """
    if season.phase is not Phase.PLAYING:
        return []
    here: Counter[int] = Counter()
    for fixture in season.fixtures:
        if fixture.status is Status.RUNNING:
            here.update(players_of(season, fixture))
    total = Counter(running)
    found = []
    waiting = [f for f in season.fixtures if f.status is Status.WAITING]
    for fixture in sorted(waiting, key=lambda f: (f.round, f.number)):
        players = players_of(season, fixture)
        if all(here[p] < rules.play.at_once and total[p] < limit for p in players):
            found.append(fixture)
            here.update(players)
            total.update(players)
    return found


def players_of(season: Season, fixture: Fixture) -> list[int]:
    """The players of a fixture in seat order; teams sit in turn."""
    teams = [season.entrant(number).players for number in fixture.entrants]
    return [player for seats in zip(*teams, strict=True) for player in seats]


def take_back(fixture: Fixture) -> None:
    """The game that was made for a fixture was called off; another one is to be made."""
    fixture.status, fixture.game, fixture.started = Status.WAITING, "", 0


def start(season: Season, number: int, game: str, now: int) -> None:
    """Note that a fixture's game was made."""
    fixture = season.fixture(number)
    if fixture.status is Status.WAITING:
        fixture.status, fixture.game, fixture.started = Status.RUNNING, game, now


def finish(
    season: Season,
    rules: LeagueRules,
    number: int,
    places: Sequence[int],
    how: How,
    now: int,
    scores: Sequence[int] = (),
    absent: Sequence[int] = (),
) -> bool:
    """Enter a result; False if the fixture waits for none (it has one, or does not count)."""
    fixture = season.fixture(number)
    if not fixture.open:
        return False
    _close(fixture, places, how, now, scores)
    fixture.absent = tuple(absent)
    _after_game(season, rules, fixture)
    return True


def never_came(
    season: Season, rules: LeagueRules, number: int, absent: Sequence[int], now: int
) -> bool:
    """A game did not begin, as some entrants did not come: they get nothing.

    A single opponent has won; several share the points. If nobody came it does not count.
    """
    fixture = season.fixture(number)
    if not fixture.open:
        return False
    there = [entrant not in absent for entrant in fixture.entrants]
    if not any(there):
        fixture.status, fixture.ended = Status.VOID, now
        return True
    if rules.teams is Teams.CHANGING:
        places, how = [1] * len(there), How.SHARED
    else:
        places = [1 if here else sum(there) + 1 for here in there]
        how = How.FORFEITED if sum(there) == 1 else How.SHARED
    return finish(season, rules, number, places, how, now, absent=absent)


def _close(
    fixture: Fixture, places: Sequence[int], how: How, now: int, scores: Sequence[int] = ()
) -> None:
    if len(places) != len(fixture.entrants):
        raise ValueError(f"{len(places)} places for {len(fixture.entrants)} entrants")
    fixture.status, fixture.how, fixture.ended = Status.DONE, how, now
    fixture.places, fixture.scores = tuple(places), tuple(scores)


def _after_game(season: Season, rules: LeagueRules, fixture: Fixture) -> None:
    kind = rules.format.kind
    if kind is Kind.LADDER:
        division = season.divisions[fixture.division]
        challenger, other = fixture.entrants
        won = fixture.places[0] < fixture.places[1]
        division.order = ladder.after(division.order, challenger, other, won=won)
    elif kind is Kind.KNOCKOUT and _replayed(season, rules, fixture):
        a, b = fixture.entrants
        season.add(fixture.division, fixture.round, (b, a), fixture.line)


def _replayed(season: Season, rules: LeagueRules, fixture: Fixture) -> bool:
    """Whether a game of a knockout is to be played again: it was tied, and both are still in."""
    inside = all(season.entrant(e).active for e in fixture.entrants)
    left = len(_line(season, fixture)) <= rules.format.replays
    return fixture.how is How.PLAYED and _tied(fixture) and inside and left


def _tied(fixture: Fixture) -> bool:
    return len(fixture.places) == 2 and fixture.places[0] == fixture.places[1]


def challenge(season: Season, rules: LeagueRules, challenger: int, other: int, now: int) -> Fixture:
    """A ladder's challenge. Raises Refused."""
    if season.phase is not Phase.PLAYING or rules.format.kind is not Kind.LADDER:
        raise Refused(say("league.refused.no-ladder"))
    order = season.divisions[0].order
    if not ladder.may_challenge(order, challenger, other, rules.format.reach):
        raise Refused(say("league.refused.reach", n=rules.format.reach))
    free = _free(season, rules)
    if challenger not in free or other not in free:
        raise Refused(say("league.refused.busy", n=rules.play.at_once))
    if (min(challenger, other), max(challenger, other)) in _recent(season, rules, now):
        raise Refused(say("league.refused.recent"))
    return season.add(0, 1, (challenger, other))


def _free(season: Season, rules: LeagueRules) -> set[int]:
    busy: Counter[int] = Counter()
    for fixture in season.fixtures:
        if fixture.open:
            busy.update(fixture.entrants)
    return {e.number for e in season.active() if busy[e.number] < rules.play.at_once}


def _recent(season: Season, rules: LeagueRules, now: int) -> set[tuple[int, int]]:
    return {
        (min(f.entrants), max(f.entrants))
        for f in season.fixtures
        if f.open or (f.status is Status.DONE and now - f.ended < rules.format.rest)
    }


# --- time goes on ---------------------------------------------------------------------------------


def advance(season: Season, rules: LeagueRules, now: int) -> list[News]:
    """Everything that follows from what has happened: rounds end, are drawn, the season ends."""
    news: list[News] = []
    if season.phase is not Phase.PLAYING:
        return news
    late = bool(rules.season.length) and now >= season.started + rules.season.length
    for at, division in enumerate(season.divisions):
        while not division.over:
            if late:
                _adjudicate(season, rules, at, now)
            told = _step(season, rules, at, now, late)
            if not told:
                break
            news += told
    if all(division.over for division in season.divisions):
        season.phase, season.ended = Phase.ENDED, now
        news.append(News(Told.ENDED))
    return news


def _adjudicate(season: Season, rules: LeagueRules, at: int, now: int) -> None:
    """The season's time is out: what has not ended is shared; on a ladder it does not count."""
    for fixture in season.of_division(at):
        if fixture.open and rules.format.kind is Kind.LADDER:
            fixture.status = Status.VOID
        elif fixture.open:
            _close(fixture, [1] * len(fixture.entrants), How.SHARED, now)


def _step(season: Season, rules: LeagueRules, at: int, now: int, late: bool) -> list[News]:
    """One step of a division; no news: it waits for games."""
    division = season.divisions[at]
    if rules.format.kind is Kind.LADDER:
        return _step_ladder(season, rules, at, now, late)
    ended = _last_round_over(season, at)
    if ended > division.ended:
        division.ended += 1
        news = [News(Told.ROUND_ENDED, at, division.ended)]
        if division.ended < division.round:
            return news
        return news + _after_round(season, rules, at)
    if division.round == 0 or (division.rounds and division.ended >= division.rounds):
        division.over = True
    return []


def _last_round_over(season: Season, at: int) -> int:
    waiting = [f.round for f in season.of_division(at) if f.open]
    return min(waiting) - 1 if waiting else season.divisions[at].round


def _after_round(season: Season, rules: LeagueRules, at: int) -> list[News]:
    """The last round drawn so far is over: draw another one, or it was the last of all."""
    division = season.divisions[at]
    kind, drawn = rules.format.kind, division.round
    if kind is Kind.SWISS and division.round < division.rounds:
        _draw_swiss(season, rules, at)
    elif kind is Kind.KNOCKOUT:
        through = _through(season, at)
        if len(through) > 1:
            _draw_bracket(season, at, knockout.next_round(through))
        else:
            division.winner = through[0]
    if division.round > drawn:
        return [News(Told.ROUND_DRAWN, at, division.round)]
    division.over = True
    return []


def _through(season: Season, at: int) -> list[int | None]:
    """Who came through the last round of a knockout, line after line."""
    division = season.divisions[at]
    last = [f for f in season.of_division(at) if f.round == division.round]
    lines: dict[int, Fixture] = {f.line: f for f in last}  # the last game of each line
    return [_winner(season, lines[line]) for line in sorted(lines)]


def _winner(season: Season, fixture: Fixture) -> int | None:
    if fixture.status is not Status.DONE:
        return None
    seeded = sorted(
        zip(fixture.places, fixture.entrants, strict=True),
        key=lambda pair: (pair[0], season.entrant(pair[1]).seed),
    )
    return seeded[0][1]


def _step_ladder(season: Season, rules: LeagueRules, at: int, now: int, late: bool) -> list[News]:
    division = season.divisions[at]
    division.round = 1
    if late:
        division.over = True
    elif rules.format.challenges == "automatic":
        while pairs := ladder.challenges(
            division.order, _free(season, rules), _recent(season, rules, now), rules.format.reach
        ):
            for pair in pairs:
                season.add(at, 1, pair)
    return []


# --- who leaves, who comes ------------------------------------------------------------------------


def withdraw(season: Season, rules: LeagueRules, number: int, now: int) -> list[Fixture]:
    """An entrant leaves. Returns the fixtures whose games still run, to be given up for it.

    Before the draw it is as if it had never entered. After it, by the rule of the file: its
    results are annulled, or stand and the rest is forfeited (see ``docs/leagues.md``).
    """
    entrant = season.entrant(number)
    if not entrant.active or season.phase is Phase.ENDED:
        return []
    entrant.left = now
    if season.phase is Phase.ENTRY:
        return []
    mine = [f for f in season.fixtures if number in f.entrants]
    running = [f for f in mine if f.status is Status.RUNNING]
    entrant.annulled = _annulled(rules, mine)
    for fixture in mine:
        if entrant.annulled:
            fixture.status = Status.VOID
        elif fixture.status is Status.WAITING:
            _give_up(season, rules, fixture, now)
    division = season.divisions[entrant.division]
    if rules.format.kind is Kind.LADDER:
        division.order = [e for e in division.order if e != number]
    return running


def _annulled(rules: LeagueRules, mine: list[Fixture]) -> bool:
    """Whether results are annulled: only where all are drawn at the beginning, and of two."""
    if rules.format.kind is not Kind.ROUND_ROBIN or rules.withdrawal is Withdrawal.FORFEIT:
        return False
    played = sum(f.status is Status.DONE for f in mine)
    return rules.withdrawal is Withdrawal.ANNUL or 2 * played < len(mine)


def _give_up(season: Season, rules: LeagueRules, fixture: Fixture, now: int) -> None:
    """A fixture that will not be played, as somebody of it left."""
    inside = [season.entrant(e).active for e in fixture.entrants]
    if not any(inside):
        fixture.status = Status.VOID
    elif rules.teams is Teams.CHANGING:
        _close(fixture, [1] * len(inside), How.SHARED, now)
    else:
        last = sum(inside) + 1
        how = How.FORFEITED if sum(inside) == 1 else How.SHARED
        _close(fixture, [1 if here else last for here in inside], how, now)


def substitute(
    season: Season, number: int, name: str, players: Sequence[int], rules: LeagueRules
) -> None:
    """Others take an entrant's place: its results and the games that have not begun.

    Games that run stay with those who began them. Raises Refused.
    """
    entrant = season.entrant(number)
    if season.phase is not Phase.PLAYING:
        raise Refused(say("league.refused.not-playing"))
    if len(set(players)) != len(players):
        raise Refused(say("league.refused.twice"))
    if len(players) != rules.team_size:
        raise Refused(say("league.refused.team-size", n=rules.team_size))
    for player in players:
        other = season.entrant_of(player)
        if other is not None and other is not entrant:
            raise Refused(say("league.refused.entered"))
    if not entrant.active:
        raise Refused(say("league.refused.gone", name=entrant.name))
    entrant.name, entrant.players = name, tuple(players)


def award(
    season: Season, rules: LeagueRules, number: int, places: Sequence[int], now: int, why: str
) -> Fixture | None:
    """The director's result, also in place of another. Returns the fixture if its game runs."""
    fixture = season.fixture(number)
    if len(places) != len(fixture.entrants) or min(places) != 1:
        raise Refused(say("league.refused.places", n=len(fixture.entrants)))
    if season.phase is not Phase.PLAYING:
        raise Refused(say("league.refused.not-playing"))
    _check_award(season, rules, fixture, places)
    running = fixture.status is Status.RUNNING
    was_open = fixture.open
    _close(fixture, places, How.AWARDED, now)
    fixture.note = why
    if was_open:
        _after_game(season, rules, fixture)
    return fixture if running else None


def _check_award(
    season: Season, rules: LeagueRules, fixture: Fixture, places: Sequence[int]
) -> None:
    """Refuse a result that could not count, or that others have already been built on."""
    place = dict(zip(fixture.entrants, places, strict=True))
    if any(len({place[e] for e in side}) > 1 for side in standings.sides(rules, fixture)):
        raise Refused(say("league.refused.partners"))
    for number in fixture.entrants:
        if season.entrant(number).annulled:
            raise Refused(say("league.refused.annulled", name=season.entrant(number).name))
    division = season.divisions[fixture.division]
    if rules.format.kind is Kind.LADDER and not fixture.open:
        raise Refused(say("league.refused.moved"))
    if rules.format.kind is Kind.KNOCKOUT:
        if fixture.round < division.round:
            raise Refused(say("league.refused.drawn"))
        last = _line(season, fixture)[-1]
        if last is not fixture:
            raise Refused(say("league.refused.replayed", n=last.number))


def _line(season: Season, fixture: Fixture) -> list[Fixture]:
    """The fixtures of a knockout's pair: the first game, then its replays."""
    return [
        f
        for f in season.of_division(fixture.division)
        if (f.round, f.line) == (fixture.round, fixture.line)
    ]


def adjust(season: Season, rules: LeagueRules, number: int, points: int, why: str) -> None:
    """The director gives or takes points. Raises Refused where points rank nobody."""
    if not rules.by_points:
        raise Refused(say("league.refused.no-points", format=rules.format.kind))
    season.entrant(number)
    season.adjustments.append(Adjustment(number, points, why))


def end(season: Season, rules: LeagueRules, now: int) -> list[News]:
    """The director ends the season now: what has not ended is shared. In a season that has not
    begun there is nothing to share."""
    if season.phase is Phase.ENTRY:
        season.phase, season.ended = Phase.ENDED, now
        return [News(Told.ENDED)]
    for at, division in enumerate(season.divisions):
        _adjudicate(season, rules, at, now)
        division.over = True
        if rules.format.kind is Kind.KNOCKOUT and division.winner is None:
            rows = standings.ranking(rules, season, at)
            division.winner = rows[0].entrant.number
    if season.phase is Phase.PLAYING:
        season.phase, season.ended = Phase.ENDED, now
        return [News(Told.ENDED)]
    return []
