"""What a league's director can do. Every act is one transaction, and notes who did it and why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from sqlalchemy import Connection

from sigilpost_engine.core.messages import say
from sigilpost_server.commands import names
from sigilpost_server.leagues import file as files
from sigilpost_server.leagues import rating, store
from sigilpost_server.leagues.changes import Change, changes, refuse
from sigilpost_server.leagues.refused import Refused
from sigilpost_server.leagues.running import decisions, mails, members, steps, stopping
from sigilpost_server.leagues.running.league import Running
from sigilpost_server.leagues.season import ending, rulings
from sigilpost_server.leagues.state import Entrant, Phase
from sigilpost_server.leagues.store import LeagueStatus, Person
from sigilpost_server.service import Service
from sigilpost_server.transaction.post import Post


@dataclass(frozen=True)
class Director:
    """Somebody at the host's desk: ``who`` acts, ``why`` is kept."""

    service: Service
    who: str
    why: str = ""

    @contextmanager
    def _league(self, name: str, act: str, detail: str = "") -> Iterator[Running]:
        """A league to act on; then it moves on by itself, and all is written. Raises Refused."""
        with self.service.changing() as (db, post):
            running = _load(db, post, name)
            if running.row.status is LeagueStatus.ENDED:
                raise Refused(say("league.refused.over"))
            yield running
            running.audit(self.who, act, self.why, detail)
            steps.step(running)
            running.save()

    def create(self, path: Path) -> list[Change] | None:
        """Make the league of a file; None if it is new, else what of it changes.

        Raises BadLeague, also for a change that a running league does not allow, and Refused if
        the league has ended.
        """
        rules, text = files.read(path)
        with self.service.changing() as (db, post):
            running = Running.load(db, post, rules.name)
            if running is None:
                running = Running.create(db, post, rules, text)
                running.audit(self.who, "create", self.why, str(path.name))
                steps.step(running)
                running.save()
                return None
            if running.row.status is LeagueStatus.ENDED:
                raise Refused(say("league.refused.over"))
            found = changes(running.row.rules, rules)
            refuse(text, str(path), found)
            running.change(rules, text)
            running.audit(self.who, "change", self.why, ", ".join(each.key for each in found))
            steps.step(running)
            running.save()
            return found

    def start(self, name: str) -> None:
        """Let a paused league go on; open an entry that was to open later."""
        with self._league(name, "start") as running:
            running.row.status = LeagueStatus.RUNNING
            season = running.season
            if season.phase is Phase.ENTRY and season.opened > running.post.now:
                season.closes -= season.opened - running.post.now
                season.opened = running.post.now

    def pause(self, name: str) -> None:
        """Begin no games and draw no rounds for now; games that run go on and count."""
        with self._league(name, "pause") as running:
            running.row.status = LeagueStatus.PAUSED

    def pair(self, name: str) -> None:
        """Close entry and draw now."""
        with self._league(name, "pair") as running:
            mails.tell(running, steps.draw(running))

    def adjust(self, name: str, entrant: str, points: int) -> None:
        """Give an entrant points, or take some."""
        with self._league(name, "adjust", f"{entrant} {points:+d}") as running:
            found = entrant_named(running, entrant)
            rulings.adjust(running.season, running.rules, found.number, points, self.why)
            decisions.points_adjusted(running, found, points, self.why)

    def award(self, name: str, fixture: int, places: Sequence[int]) -> None:
        """Give a fixture this result, whatever it had; a game of it that is open ends, unrated."""
        detail = f"{fixture}: {','.join(map(str, places))}"
        with self._league(name, "award", detail) as running:
            season, now = running.season, running.post.now
            try:
                season.fixture(fixture)
            except KeyError:
                raise Refused(say("league.refused.no-fixture", n=fixture)) from None
            ruled = rulings.award(season, running.rules, fixture, places, now, self.why)
            stopped = stopping.halt(running, ruled, "ruling")
            decisions.ruled(running, ruled, self.why, stopped)

    def withdraw(self, name: str, entrant: str) -> None:
        """Take an entrant out."""
        with self._league(name, "withdraw", entrant) as running:
            found = entrant_named(running, entrant)
            members.withdraw(running, found)
            decisions.taken_out(running, found, self.why)

    def substitute(self, name: str, entrant: str, players: Sequence[str]) -> None:
        """Have others take an entrant's place from now on."""
        with self._league(name, "substitute", f"{entrant}: {', '.join(players)}") as running:
            found = [_person(running.db, player) for player in players]
            other = entrant_named(running, entrant)
            before = replace(other)
            title = " & ".join(person.name for person in found)
            ids = [person.id for person in found]
            rulings.substitute(running.season, other.number, title, ids, running.rules)
            stopping.take_back(running, other.number)
            decisions.substituted(running, other, before, self.why)

    def announce(self, name: str, words: str) -> int:
        """Write to everybody in the league; how many got it."""
        with self._league(name, "announce", words) as running:
            return mails.announce(running, words, self.who)

    def end(self, name: str, *, season_only: bool) -> None:
        """End the season now; what has not ended is shared. The league, too, unless said.

        Raises Refused for a season alone that has not begun.
        """
        with self._league(name, "end", "season" if season_only else "league") as running:
            if season_only and running.season.phase is Phase.ENTRY:
                raise Refused(say("league.refused.not-begun"))
            ending.end(running.season, running.rules, running.post.now)
            if not season_only:
                running.row.status = LeagueStatus.ENDED
            stopping.call_off(running)
            mails.tell_end(running, self.why)


def _load(db: Connection, post: Post, name: str) -> Running:
    running = Running.load(db, post, name)
    if running is None:
        known = [row.name for row in store.every(db)]
        raise Refused(say("league.unknown", name=name, known=known))
    return running


@contextmanager
def looking(service: Service, name: str) -> Iterator[Running]:
    """A league to look at; nothing is locked, nothing is written. Raises Refused."""
    post = Post(service.house, service.composer, service.clock())
    with service.database.read() as db:
        running = Running.load(db, post, name, lock=False)
        if running is None:
            raise Refused(say("league.unknown", name=name, known=[r.name for r in store.every(db)]))
        yield running


def entrant_named(running: Running, name: str) -> Entrant:
    """An entrant of the running season by name. Raises Refused."""
    wanted = names.key(name)
    active = running.season.active()
    for entrant in active:
        if names.key(entrant.name) == wanted:
            return entrant
    known = [entrant.name for entrant in active]
    raise Refused(say("league.refused.no-entrant", name=name, known=known))


def _person(db: Connection, name: str) -> Person:
    person = store.person_named(db, names.key(name))
    if person is None:
        raise Refused(say("league.refused.nobody", name=name))
    return person


def recompute(service: Service, *, repair: bool) -> int:
    """How many ratings are not those that the results give; with ``repair`` they are corrected."""
    if repair:
        with service.changing() as (db, _):
            return rating.repair(db)
    with service.database.read() as db:
        return len(rating.differences(db))
