"""What in a league file cannot go together: each as key, reason and remedy."""

from __future__ import annotations

from collections.abc import Iterator

from sigilpost_engine import games
from sigilpost_engine.core.errors import BadOption
from sigilpost_engine.core.messages import Msg, say
from sigilpost_server.leagues.rules import Kind, LeagueRules, Teams

Fault = tuple[str, Msg, Msg]


def faults(rules: LeagueRules) -> Iterator[Fault]:
    """What does not go together, as key, reason and remedy."""
    yield from _game_faults(rules)
    yield from _format_faults(rules)
    yield from _points_faults(rules)
    yield from _division_faults(rules)
    season = rules.season
    if season.maximum and season.maximum < rules.minimum:
        yield (
            "season.maximum",
            say("league.file.maximum"),
            say("league.remedy.at-least", limit=rules.minimum),
        )


def _game_faults(rules: LeagueRules) -> Iterator[Fault]:
    if rules.game not in games.names():
        remedy = say("league.remedy.one-of", words=", ".join(games.names()))
        yield "game", say("league.file.game"), remedy
        return
    game = games.find(rules.game)
    try:
        options = game.read_options(rules.options)
    except BadOption as fault:
        key = f"options.{fault.path}"
        known = [option.name for option in game.options]
        yield key, fault.message, say("league.remedy.options", options=known)
        return
    counts = list(game.seat_counts(options))
    if rules.seats not in counts:
        words = ", ".join(map(str, counts))
        yield "seats", say("league.file.seats"), say("league.remedy.one-of", words=words)
    elif rules.teams is not Teams.NONE and not has_partners(rules):
        yield "teams", say("league.file.teams"), say("league.remedy.teams")
    elif rules.teams is Teams.NONE and has_partners(rules):
        yield "teams", say("league.file.partners"), say("league.remedy.partners")


def has_partners(rules: LeagueRules) -> bool:
    """Whether the game is played by two sides of partners, seated in turn."""
    game = games.find(rules.game)
    sides = game.sides(rules.seats, game.read_options(rules.options))
    return len(sides) == 2 and len(sides[0]) > 1


_ONLY = {
    "double": (Kind.ROUND_ROBIN,),
    "rounds": (Kind.SWISS,),
    "games": (Kind.TABLES,),
    "reach": (Kind.LADDER,),
    "rest": (Kind.LADDER,),
    "challenges": (Kind.LADDER,),
    "replays": (Kind.KNOCKOUT,),
}


def _format_faults(rules: LeagueRules) -> Iterator[Fault]:
    kind = rules.format.kind
    for key, kinds in _ONLY.items():
        if key in rules.format.model_fields_set and kind not in kinds:
            remedy = say("league.remedy.only-for", formats=", ".join(kinds))
            yield f"format.{key}", say("league.file.not-this-format", format=kind), remedy
    if kind is not Kind.TABLES and rules.entrants_a_game != 2:
        yield "format.kind", say("league.file.two-sided", format=kind), say("league.remedy.tables")
    if kind is Kind.LADDER and not rules.season.length:
        yield "season.length", say("league.file.ladder-length"), say("league.remedy.ladder-length")
    if kind is Kind.LADDER and rules.divisions.size:
        yield (
            "divisions.size",
            say("league.file.ladder-divisions"),
            say("league.remedy.no-divisions"),
        )
    if kind is Kind.TABLES and rules.teams is Teams.CHANGING and rules.seats != 4:
        yield "seats", say("league.file.whist"), say("league.remedy.one-of", words="4")


def _points_faults(rules: LeagueRules) -> Iterator[Fault]:
    points = rules.format.points
    if points and (len(points) != rules.places or list(points) != sorted(points, reverse=True)):
        remedy = say("league.remedy.points", n=rules.places)
        yield "format.points", say("league.file.points"), remedy
    for key, words in (
        ("format.tiebreaks", rules.format.tiebreaks),
        ("divisions.names", rules.divisions.names),
    ):
        if len(set(words)) != len(words):
            yield key, say("league.file.twice"), say("league.remedy.once")


def _division_faults(rules: LeagueRules) -> Iterator[Fault]:
    divisions = rules.divisions
    if divisions.size and divisions.size < rules.drawable:
        remedy = say("league.remedy.at-least", limit=rules.drawable)
        yield "divisions.size", say("league.file.division-size"), remedy
    elif divisions.size and divisions.smallest > divisions.size:
        remedy = say("league.remedy.at-most", limit=divisions.size)
        yield "divisions.smallest", say("league.file.smallest"), remedy
    elif divisions.size and 2 * divisions.promoted > divisions.size:
        remedy = say("league.remedy.at-most", limit=divisions.size // 2)
        yield "divisions.promoted", say("league.file.promoted"), remedy
