"""Games with a clock, and time that passes in them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from sqlalchemy import select

from sigilpost_engine.wire import payloads
from sigilpost_server.models import entries, games
from sigilpost_server.service import Verdict
from tests.server.service.town import Received, Table, Town

MINUTE, HOUR, DAY = 60, 3600, 86_400
STEADY = {"outage_minutes": 10_000_000}
"""Settings with which the server never counts as gone, however far a test moves the clock."""
BERLIN = ZoneInfo("Europe/Berlin")


def at(text: str, zone: ZoneInfo = BERLIN) -> int:
    """The moment of a wall-clock time."""
    return int(datetime.fromisoformat(text).replace(tzinfo=zone).timestamp())


def begin(town: Town, *names: str, clock: str, kind: str = "weaver", **rules: str) -> Table:
    """Register people and start a game with a time control between them."""
    town.register(*names)
    return again(town, *names, clock=clock, kind=kind, **rules)


def again(town: Town, *names: str, clock: str, kind: str = "weaver", **rules: str) -> Table:
    """Start a game with a time control between registered people."""
    host, *opponents = names
    verdict = town.send(
        host,
        payloads.Create,
        game=kind,
        options={},
        opponents=tuple(opponents),
        rules={"clock": clock, **rules},
    )
    assert verdict.reason == "ok", verdict
    for name in names:
        assert town.send(name, payloads.Join, game=verdict.game).reason == "ok"
    table = Table(town, verdict.game, list(names))
    table.read()
    return table


def wait(town: Town, seconds: int) -> list[Received]:
    """Let time pass, look at the clocks once at its end, and read the mails that came of it."""
    town.clock.advance(seconds)
    town.service.tick()
    return town.post()


def hourly(town: Town, hours: int, step: int = 5) -> list[tuple[int, Received]]:
    """Let time pass, with a look at the clocks every few hours; the mails, each with its hour."""
    found = []
    for hour in range(step, hours + 1, step):
        found += [(hour, mail) for mail in wait(town, step * HOUR)]
    return found


def ask(town: Town, name: str, what: str, *args: str) -> Verdict:
    """Somebody sends a request."""
    return town.send(name, payloads.Request, what=what, args=args)


def standing(town: Town, table: Table, name: str, *lines: str, **values: Any) -> Verdict:
    """Somebody adds standing orders for their seat."""
    seat = table.docs[name].seat
    known: dict[str, Any] = {"game": table.tag, "seat": seat, "add": lines}
    return town.send(name, payloads.Standing, **{**known, **values})


def kept_entries(town: Town, tag: str) -> list[Any]:
    """The rows of a game's chain."""
    with town.service.database.read() as db:
        game = select(games.c.id).where(games.c.tag == tag).scalar_subquery()
        found = select(entries).where(entries.c.game_id == game).order_by(entries.c.number)
        return list(db.execute(found))


def to(mails: list[Received], name: str) -> list[Received]:
    """Those of the mails that went to somebody."""
    return [mail for mail in mails if mail.to.startswith(f"{name}@")]


def others(table: Table, name: str) -> list[str]:
    """Everybody at a table but one."""
    return [each for each in table.names if each != name]


Check = Callable[[Received], bool]
