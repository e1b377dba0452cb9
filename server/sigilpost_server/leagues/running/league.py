"""A league and its running season within a transaction: read and locked, changed, written.

Whatever a league waits for by the clock is a timer of the kind ``league``; whatever it waits for
from a game comes by a timer of the kind ``ended``, which every game sets in the transaction in
which it ends.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection, func, select

from sigilpost_engine.games import find
from sigilpost_server.leagues import ratings, store
from sigilpost_server.leagues.changes import applied
from sigilpost_server.leagues.rules import Kind, LeagueRules
from sigilpost_server.leagues.season import entry
from sigilpost_server.leagues.state import Phase, Season, Status
from sigilpost_server.leagues.store import Act, LeagueStatus, Person
from sigilpost_server.models import outages
from sigilpost_server.transaction import rows
from sigilpost_server.transaction.post import Post

LEAGUE = "league"
"""The kind of timer for a league's next step; the subject is its name."""

READING = 3600
"""So many seconds after an outage the mails that came meanwhile have been read."""

RETRY = 900
"""After so many seconds it is looked again whether somebody busy is free now."""


@dataclass
class Running:
    """A league and its running season, as read; :meth:`save` writes them.

    ``rules`` are those that the season is played by: before the draw the league's own.
    """

    db: Connection
    post: Post
    row: store.Row
    season: Season
    rules: LeagueRules
    _people: dict[int, Person] = field(default_factory=dict)

    @classmethod
    def load(cls, db: Connection, post: Post, name: str, *, lock: bool = True) -> Running | None:
        """A league by its name; None if there is none."""
        row = store.find(db, name, lock=lock)
        if row is None:
            return None
        found = store.season(db, row.id, row.season)
        assert found is not None
        season, rules = found
        return cls(db, post, row, season, row.rules if season.phase is Phase.ENTRY else rules)

    @classmethod
    def create(cls, db: Connection, post: Post, rules: LeagueRules, text: str) -> Running:
        """A new league, entry to its first season open."""
        row = store.add(db, rules, text, secrets.token_hex(16), post.now)
        season = entry.opened(rules, post.now, row.lots)
        return cls(db, post, row, season, rules)

    def change(self, rules: LeagueRules, text: str) -> None:
        """Another file: what may change now does, the rest with the next season."""
        self.row.rules, self.row.file = rules, text
        if self.season.phase is not Phase.ENTRY:
            self.rules = applied(self.rules, rules)
            return
        self.rules = rules
        entry.reopen(self.season, rules, self.row.created, self.post.now)

    def save(self) -> None:
        """Write all, and set the timer for what is next. Raises SomebodyWasQuicker."""
        store.save_season(self.db, self.row.id, self.season, self.rules)
        store.save(self.db, self.row)
        due = self._due()
        if due is None:
            rows.clear_timer(self.db, LEAGUE, self.row.name)
        else:
            rows.set_timer(self.db, LEAGUE, self.row.name, due)

    def _due(self) -> int | None:
        season, rules = self.season, self.rules
        if self.row.status is not LeagueStatus.RUNNING:
            return None
        if season.phase is Phase.ENTRY:
            return self.settled(season.closes) if season.announced else season.opened
        moments = []
        if self.ends is not None:
            moments.append(self.settled(self.ends))
        if any(f.status is Status.WAITING for f in season.fixtures):
            moments.append(self.post.now + RETRY)
        if rules.format.kind is Kind.LADDER:
            moments.append(self.post.now + min(max(rules.format.rest, 60), 86_400))
        return min(moments, default=None)

    def settled(self, moment: int) -> int:
        """When what a league does at a moment is done: if the server was away at that moment, a
        while after it was back. First the mails are read that came in time."""
        away = (outages.c.begin < moment, outages.c.end >= moment)
        back = self.db.execute(select(func.max(outages.c.end)).where(*away)).scalar()
        return moment if back is None else int(back) + READING

    def unsettled(self, moment: int) -> bool:
        """Whether a moment has come, and what a league does then is not done yet."""
        return moment <= self.post.now < self.settled(moment)

    @property
    def ends(self) -> int | None:
        """When the season ends at the latest; None: when all games have."""
        length = self.rules.season.length
        return self.season.started + length if length else None

    def audit(self, who: str, act: str, why: str = "", detail: str = "") -> None:
        """Note who did what, and why."""
        store.audit(self.db, self.row.id, Act(self.post.now, who, act, why, detail))

    def person(self, player: int) -> Person:
        """A player."""
        if player not in self._people:
            self._people |= store.people(self.db, [player])
        return self._people[player]

    @property
    def pool(self) -> str:
        """The pool in which the league's games are rated."""
        return ratings.pool_of(self.rules.game, self.options)

    @property
    def options(self) -> dict[str, Any]:
        """The options of the league's games, complete."""
        return find(self.rules.game).read_options(self.rules.options)

    @property
    def thread(self) -> str:
        """What all mails of a league have in common."""
        return f"league-{self.row.name}"
