"""Twenty leagues of every format, two hundred players, three seasons: the laws of leagues.

Every fixture has one result and every pair its games, nobody has more games than allowed, places
change as the rules say, and ratings computed anew are those reached step by step.
"""

from __future__ import annotations

import os
from collections import Counter
from itertools import combinations

from sigilpost_engine.core import codec
from sigilpost_engine.core.rng import Rng
from sigilpost_server.leagues import ratings
from sigilpost_server.leagues.divisions import moves
from sigilpost_server.leagues.file import parse
from sigilpost_server.leagues.ratings import Rated, Rating
from sigilpost_server.leagues.rules import Kind, Teams
from sigilpost_server.leagues.season import entry, leaving, results, rounds, starting
from sigilpost_server.leagues.standings import ranking, sides
from sigilpost_server.leagues.state import How, Phase, Season, Status

PLAYERS, LEAGUES, SEASONS = 200, 20, int(os.environ.get("SOAK_SEASONS", "3"))
LIMIT = 6
"""Games in all that one player has at once."""

HOUR, DAY = 3_600, 86_400

_FORMATS = (
    'game = "weaver"\n[format]\nkind = "round-robin"\n[divisions]\nsize = 8\npromoted = 2\n',
    'game = "wizards"\n[format]\nkind = "round-robin"\ndouble = true\n[divisions]\nsize = 6\n',
    'game = "weaver"\n[format]\nkind = "swiss"\n',
    'game = "wizards"\n[format]\nkind = "knockout"\n',
    'game = "weaver"\n[format]\nkind = "ladder"\nrest = "5d"\n[season]\nlength = "40d"\n',
    'game = "weaver"\nseats = 3\n[format]\nkind = "tables"\ngames = 6\n[divisions]\nsize = 9\n',
    'game = "weaver"\nseats = 4\n[format]\nkind = "tables"\ngames = 5\n',
    'game = "weaver"\nseats = 5\n[format]\nkind = "tables"\ngames = 5\npoints = [7, 4, 2, 1, 0]\n',
    'game = "tome"\nseats = 4\nteams = "changing"\n[format]\nkind = "tables"\ngames = 7\n',
    'game = "tome"\nseats = 4\nteams = "fixed"\n[format]\nkind = "round-robin"\n',
)


class World:
    """The players' running games and everybody's ratings, over all leagues."""

    def __init__(self) -> None:
        self.rng = Rng(b"soak leagues")
        self.running: Counter[int] = Counter()
        self.rated: list[Rated] = []
        self.ratings: ratings.Ratings = {}
        self.figures: Counter[str] = Counter()

    def rate(self, result: Rated) -> None:
        """Rate a result step by step, as the server does."""
        players = [player for side in result.sides for player in side]
        pool = result.pool
        before = {p: self.ratings[pool, p] for p in players if (pool, p) in self.ratings}
        self.ratings |= {(pool, p): r for p, r in ratings.rate(result, before).items()}
        self.rated.append(result)


class League:
    """One league, played by chance."""

    def __init__(self, world: World, number: int, now: int) -> None:
        head = f'name = "l{number}"\ntitle = "L"\n'
        self.world, self.number = world, number
        self.rules = parse(head + _FORMATS[number % len(_FORMATS)])
        self.season = entry.opened(self.rules, now, f"lots {number}")
        self.previous: Season | None = None
        self.games: dict[int, tuple[int, list[int]]] = {}  # fixture → its end, its players
        self._enter(now)

    def _enter(self, now: int) -> None:
        size = self.rules.team_size
        taken = {p for e in self.season.active() for p in e.players}
        wanted = 8 + self.world.rng.below(14)
        while len(self.season.active()) < wanted:
            fresh = [1 + self.world.rng.below(PLAYERS) for _ in range(size)]
            if len(set(fresh)) == size and not set(fresh) & taken:
                entry.enter(self.season, self.rules, f"{fresh}", fresh, now)
                taken |= set(fresh)

    def tick(self, now: int) -> None:
        """What a server does from time to time."""
        if self.season.phase is Phase.ENTRY:
            entry.close_entry(self.season, self.rules, now, self.previous)
            if self.season.divisions:
                self._check_draw()
            return
        rounds.advance(self.season, self.rules, now)
        self._end_games(now)
        rounds.advance(self.season, self.rules, now)
        self._start_games(now)
        if self.season.phase is Phase.PLAYING and self.world.rng.below(150) == 0:
            self._somebody_leaves(now)
        if self.season.phase is Phase.ENDED:
            self._check_end()
            self._next(now)

    def _start_games(self, now: int) -> None:
        for fixture in starting.startable(self.season, self.rules, self.world.running, LIMIT):
            players = starting.players_of(self.season, fixture)
            self.world.running.update(players)
            assert all(self.world.running[p] <= LIMIT for p in players)
            starting.start(self.season, fixture.number, f"g-{fixture.number}", now)
            length = DAY + self.world.rng.below(5 * 24) * HOUR
            self.games[fixture.number] = now + length, players
            here = Counter(p for _, each in self.games.values() for p in each)
            assert max(here.values()) <= self.rules.play.at_once

    def _end_games(self, now: int) -> None:
        for number in [n for n, (end, _) in self.games.items() if end <= now]:
            parties = sides(self.rules, self.season.fixture(number))
            order = list(range(1, len(parties) + 1))
            self.world.rng.shuffle(order)
            if self.world.rng.below(10) == 0:
                order = [1] * len(order)
            self._end(number, order, How.PLAYED, now)

    def _end(self, number: int, order: list[int], how: How, now: int) -> None:
        _, players = self.games.pop(number)
        self.world.running.subtract(players)
        fixture = self.season.fixture(number)
        parties = sides(self.rules, fixture)
        place = {e: p for side, p in zip(parties, order, strict=True) for e in side}
        places = [place[e] for e in fixture.entrants]
        results.finish(self.season, self.rules, number, places, how, now)
        assert not results.finish(self.season, self.rules, number, places, how, now)
        self.world.figures["games"] += 1
        pool = ratings.pool_of(self.rules.game, {})
        teams = tuple(
            tuple(p for e in side for p in self.season.entrant(e).players) for side in parties
        )
        self.world.rate(Rated(pool, len(self.world.rated), now, teams, tuple(order)))

    def _somebody_leaves(self, now: int) -> None:
        inside = self.season.active()
        gone = inside[self.world.rng.below(len(inside))]
        self.world.figures["withdrawals"] += 1
        for fixture in leaving.withdraw(self.season, self.rules, gone.number, now):
            parties = sides(self.rules, fixture)
            order = [2 if gone.number in side else 1 for side in parties]
            self._end(fixture.number, order, How.FORFEITED, now)

    def _next(self, now: int) -> None:
        self.world.figures["seasons"] += 1
        following = entry.following(self.season, self.rules)
        assert following is not None
        self.previous, self.season = self.season, following
        for end, players in self.games.values():  # a ladder's last games go on as friendly ones
            assert end > now
            self.world.running.subtract(players)
        self.games.clear()
        self._enter(now)

    # --- laws -----------------------------------------------------------------------------------

    def _check_draw(self) -> None:
        """Every pair of a division has its games; places changed as the rules say."""
        season, fmt = self.season, self.rules.format
        for at, division in enumerate(season.divisions):
            drawn = season.of_division(at)
            games = Counter(e for f in drawn for e in f.entrants)
            if fmt.kind is Kind.ROUND_ROBIN:
                met = Counter(tuple(sorted(f.entrants)) for f in drawn)
                pairs = combinations(sorted(division.order), 2)
                assert met == dict.fromkeys(pairs, 1 + fmt.double)
            elif fmt.kind is Kind.TABLES:
                assert set(games) == set(division.order)
                assert len(set(games.values())) == 1
                seats = 4 if self.rules.teams is Teams.CHANGING else self.rules.seats
                assert all(len(f.entrants) == seats for f in drawn)
        if self.previous is not None and self.rules.divisions.size:
            self._check_promotion(self.previous)

    def _check_promotion(self, before: Season) -> None:
        now = {e.players: e.division for e in self.season.active()}
        tables = [
            [row.entrant.players for row in ranking(self.rules, before, at) if row.entrant.active]
            for at in range(len(before.divisions))
        ]
        size, last = self.rules.divisions.size, len(self.season.divisions) - 1
        for at, (up, stay, down) in enumerate(moves(tables, self.rules.divisions.promoted)):
            if any(len(table) > size for table in tables[: at + 1]):
                break  # the rest had joined this division, and has a division of its own again
            whole = all(len(table) == size for table in tables[: at + 1])
            for players in up:
                assert now[players] <= at - 1, "a promoted entrant did not go up"
            for players in stay:
                assert now[players] <= at, "somebody fell who was to stay"
            for players in down:
                # Places that somebody left are filled by those who would have gone down.
                below = min(at + 1, last)
                assert now[players] == below if whole else now[players] <= below
            self.world.figures["promotions and relegations"] += len(up) + len(down)

    def _check_end(self) -> None:
        season = codec.decode(Season, codec.encode(self.season))
        assert season == self.season
        for fixture in season.fixtures:
            assert not fixture.open
            assert fixture.status is Status.VOID or len(fixture.places) == len(fixture.entrants)
        for at in range(len(season.divisions)):
            rows = ranking(self.rules, season, at)
            assert [row.rank for row in rows] == list(range(1, len(rows) + 1))
            self.world.figures["fixtures"] += len(season.of_division(at))


def run() -> str:
    """Play all leagues side by side until each has played its seasons."""
    world, now = World(), 1_700_000_000
    leagues = [League(world, number, now) for number in range(LEAGUES)]
    while any(league.season.number <= SEASONS for league in leagues):
        now += 6 * HOUR
        for league in leagues:
            if league.season.number <= SEASONS:
                league.tick(now)
    again = ratings.recompute(reversed(world.rated))
    assert again == world.ratings
    provisional = sum(isinstance(r, Rating) and r.provisional for r in again.values())
    days = (now - 1_700_000_000) // DAY
    told = ", ".join(f"{number} {what}" for what, number in sorted(world.figures.items()))
    return (
        f"{LEAGUES} leagues, {days} days: {told}; {len(again)} ratings ({provisional} provisional)"
    )
