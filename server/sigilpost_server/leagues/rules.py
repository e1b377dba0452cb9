"""What a league file says, as a typed model: see ``docs/leagues.md`` for every key.

Equal files give equal models. ``file`` reads them and names what is wrong.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, date, datetime, time
from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, ValidationInfo

from sigilpost_server.leagues import durations
from sigilpost_server.section import Section


class Kind(StrEnum):
    """The formats."""

    ROUND_ROBIN = "round-robin"
    SWISS = "swiss"
    KNOCKOUT = "knockout"
    LADDER = "ladder"
    TABLES = "tables"


class Teams(StrEnum):
    """Who plays together in a game with partners."""

    NONE = "none"
    FIXED = "fixed"
    """An entrant is a team, for the whole season."""
    CHANGING = "changing"
    """Everybody enters alone and has another partner in every game."""


class TieBreak(StrEnum):
    """What tells entrants of equal points apart; see ``standings``."""

    HEAD_TO_HEAD = "head-to-head"
    WINS = "wins"
    SONNEBORN_BERGER = "sonneborn-berger"
    BUCHHOLZ = "buchholz"
    BUCHHOLZ_CUT = "buchholz-cut-1"
    SCORE = "score"
    SEED = "seed"
    LOTS = "lots"


class Withdrawal(StrEnum):
    """What becomes of the games of somebody who withdraws while a season runs."""

    ANNUL_EARLY = "annul-early"
    """All are annulled if fewer than half were played, else the rest are forfeited."""
    ANNUL = "annul"
    FORFEIT = "forfeit"


def _seconds(text: Any, info: ValidationInfo) -> int:
    # As stored, a length is a number of seconds; in a file it needs its unit.
    if isinstance(text, int) and not isinstance(text, bool) and info.mode == "json":
        return text
    if not isinstance(text, str):
        raise ValueError("duration")
    try:
        return durations.seconds(text)
    except ValueError:
        raise ValueError("duration") from None


def _moment(value: Any, info: ValidationInfo) -> int:
    """A date or an aware time of TOML as Unix time; a local time is UTC."""
    if isinstance(value, datetime):
        return int(value.replace(tzinfo=value.tzinfo or UTC).timestamp())
    if isinstance(value, date):
        return int(datetime.combine(value, time(), UTC).timestamp())
    if isinstance(value, int) and not isinstance(value, bool) and info.mode == "json":
        return value
    raise ValueError("date")


def _time_control(line: str) -> str:
    from sigilpost_server.clocks.control import BadControl, read

    try:
        return str(read(line)) if line else ""
    except BadControl:
        raise ValueError("time-control") from None


def _timeout(line: str) -> str:
    from sigilpost_server.clocks.control import BadControl
    from sigilpost_server.clocks.terms import read_policy

    try:
        return str(read_policy(line)) if line else ""
    except BadControl:
        raise ValueError("timeout") from None


def _one_line(text: str) -> str:
    if not text.strip() or not text.isprintable():
        raise ValueError("one-line")
    return text


_LONGEST = 100 * 366 * 86_400
_LATEST = int(datetime(2200, 1, 1, tzinfo=UTC).timestamp())
"""Beyond these nobody plays any more, and calendars and clocks end."""

Duration = Annotated[int, BeforeValidator(_seconds), Field(ge=0, le=_LONGEST)]
Wait = Annotated[int, BeforeValidator(_seconds), Field(ge=60, le=_LONGEST)]
"""A length of time in which people are to do something: a minute at least."""
Moment = Annotated[int, BeforeValidator(_moment), Field(ge=0, le=_LATEST)]
TimeControl = Annotated[str, AfterValidator(_time_control)]
Timeout = Annotated[str, AfterValidator(_timeout)]
Word = Annotated[str, Field(pattern=r"^[a-z][a-z0-9]*(-[a-z0-9]+)*$", max_length=24)]
Title = Annotated[str, Field(max_length=60), AfterValidator(_one_line)]
Flag = Annotated[bool, Field(strict=True)]
Whole = Annotated[int, Field(strict=True, ge=0, le=100_000)]
"""A number as small as everything that can be counted in a league."""
AtLeastOne = Annotated[int, Field(strict=True, ge=1, le=100_000)]


class PlayRules(Section):
    """``[play]``: how the games are played."""

    time: TimeControl = ""
    timeout: Timeout = ""
    """What happens when somebody's time is out; "" is the server's default."""
    credentials: Literal["signed", "code"] = "signed"
    at_once: AtLeastOne = 2
    """Games of this league that one player plays at once."""
    join: Wait = 7 * 86_400
    """Time to join a game; whoever has not joined by then has forfeited it."""


class FormatRules(Section):
    """``[format]``: who meets whom, and what a place is worth."""

    kind: Kind
    double: Flag = False
    """round-robin: everybody meets everybody twice, with seats changed."""
    rounds: Whole = 0
    """swiss: how many rounds; 0: as many as tell a winner apart."""
    games: Annotated[Whole, Field(le=200)] = 0
    """tables: the games of each entrant; 0: twice as many as a table has seats."""
    reach: AtLeastOne = 3
    """ladder: up to so many places above can be challenged."""
    rest: Duration = 30 * 86_400
    """ladder: a pair meets again after so long at the earliest."""
    challenges: Literal["automatic", "players"] = "automatic"
    """ladder: whether games are arranged for whoever is free, or by the players' challenges."""
    replays: Whole = 2
    """knockout: so many replays of a tied game, then the better seed goes through."""
    points: tuple[Whole, ...] = ()
    """For the first place, the second, …; those who tie share. Default: 2 for each one beaten."""
    tiebreaks: tuple[TieBreak, ...] = ()


class DivisionRules(Section):
    """``[divisions]``: how entrants are divided. Without it there is one division."""

    size: Whole = 0
    """Entrants of a division; 0: all are in one."""
    smallest: Whole = 0
    """The last division has at least so many, else it is joined to the one above; 0: half."""
    promoted: Whole = 2
    """So many go up from each division, and as many go down from the one above."""
    names: tuple[Title, ...] = ()


class SeasonRules(Section):
    """``[season]``: when seasons begin and end."""

    opens: Moment = 0
    """When entry to the first season opens; 0: at once."""
    entry: Wait = 14 * 86_400
    """How long entry is open; again and again, while too few have entered."""
    minimum: Whole = 0
    """So many entrants are needed; 0: as few as the format can be played by."""
    maximum: Whole = 0
    """With so many entrants the season begins at once; 0: no limit."""
    length: Duration = 0
    """After so long, games that have not ended are scored as shared; 0: no limit."""
    pause: Duration = 0
    """From the end of a season to the entry of the next."""
    seasons: Whole = 0
    """So many seasons are played; 0: for ever."""
    again: Flag = True
    """Whether the entrants of a season are entered for the next one, unless they withdraw."""


class EntryRules(Section):
    """``[entry]``: who may enter."""

    rating: Whole = 0
    """The rating needed; provisional players have none."""
    reliability: Annotated[int, Field(strict=True, ge=0, le=100)] = 0
    """The reliability needed, 0 to 100."""


class LeagueRules(Section):
    """The whole file."""

    name: Word
    title: Title
    game: str
    seats: Annotated[int, Field(strict=True, ge=2, le=16)] = 2
    teams: Teams = Teams.NONE
    options: Mapping[str, Any] = {}
    play: PlayRules = PlayRules()
    format: FormatRules
    divisions: DivisionRules = DivisionRules()
    season: SeasonRules = SeasonRules()
    entry: EntryRules = EntryRules()
    withdrawal: Withdrawal = Withdrawal.ANNUL_EARLY

    @property
    def places(self) -> int:
        """How many entrants, or sides of changing partners, a game ranks."""
        return 2 if self.teams is not Teams.NONE else self.seats

    @property
    def entrants_a_game(self) -> int:
        """How many entrants meet in a game."""
        return 2 if self.teams is Teams.FIXED else self.seats

    @property
    def team_size(self) -> int:
        """Players of an entrant."""
        return self.seats // 2 if self.teams is Teams.FIXED else 1

    @property
    def points(self) -> tuple[int, ...]:
        """What the first place is worth, the second, …"""
        if self.format.points:
            return self.format.points
        return tuple(2 * (self.places - 1 - place) for place in range(self.places))

    @property
    def by_points(self) -> bool:
        """Whether points rank anybody: on a ladder the places do, in a knockout the rounds."""
        return self.format.kind not in (Kind.KNOCKOUT, Kind.LADDER)

    @property
    def drawable(self) -> int:
        """The fewest entrants for whom a division can be drawn."""
        return max(self.entrants_a_game, 3 if self.format.kind is Kind.SWISS else 2)

    @property
    def minimum(self) -> int:
        """Entrants without whom no season begins."""
        return max(self.drawable, self.season.minimum)

    @property
    def tiebreaks(self) -> tuple[TieBreak, ...]:
        """The tie-breaks in their order; lots decide at last, so that there are no ties."""
        chosen = self.format.tiebreaks or _TIEBREAKS[self.format.kind]
        return chosen if TieBreak.LOTS in chosen else (*chosen, TieBreak.LOTS)


_TIEBREAKS = {
    Kind.ROUND_ROBIN: (TieBreak.HEAD_TO_HEAD, TieBreak.WINS, TieBreak.SONNEBORN_BERGER),
    Kind.SWISS: (TieBreak.BUCHHOLZ_CUT, TieBreak.BUCHHOLZ, TieBreak.SONNEBORN_BERGER),
    Kind.KNOCKOUT: (TieBreak.SEED,),
    Kind.LADDER: (TieBreak.SEED,),
    Kind.TABLES: (TieBreak.WINS, TieBreak.HEAD_TO_HEAD, TieBreak.SCORE),
}
