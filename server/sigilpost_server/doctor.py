"""What ``sigilpost doctor`` looks at: each check says how things are and what to do about it."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Callable, Iterator
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from sqlalchemy import func, select, text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import SQLAlchemyError

from sigilpost_engine.core.messages import Msg, say
from sigilpost_server.clock import Clock
from sigilpost_server.db import Database, check_schema, open_engine
from sigilpost_server.errors import NoDatabase, NotReady, TryLater
from sigilpost_server.mail_in import postmaster
from sigilpost_server.mail_in.machine import Ours
from sigilpost_server.models import OutgoingStatus, failures, mails, outgoing
from sigilpost_server.settings import BadConfig, Settings, read
from sigilpost_server.sources import build as sources
from sigilpost_server.sources.base import SourceError
from sigilpost_server.transaction.house import House
from sigilpost_server.ways_out import build as ways_out
from sigilpost_server.ways_out.base import NoWay

BUILT = 1_790_000_000
"""A time (September 2026) before which nobody can have run this program."""

ROOM = 200 * 1024 * 1024
"""Bytes that should be free where the database lies."""

_DRIFT = 60  # seconds that two clocks may differ
_LONG = 3_600  # seconds that mail may wait without a word


class State(StrEnum):
    """How a thing is."""

    GOOD = "good"
    CARE = "care"
    BAD = "bad"


class Finding(NamedTuple):
    """One line: what was looked at, how it is, and what to do (None: nothing)."""

    state: State
    what: Msg
    remedy: Msg | None = None


Findings = Iterator[Finding]


def examine(file: Path, clock: Clock) -> Findings:
    """All checks in order; those that need what is broken are left out."""
    try:
        settings = read(file)
    except BadConfig as fault:
        for problem in fault.problems:
            yield _bad("config", problem=problem)
        return
    yield _good("config", file=str(file))
    yield from _secrets(file, settings)
    yield from _key(settings)
    yield from _database(settings, clock)
    yield from _sources(settings)
    yield from _way_out(settings)


def _good(check: str, **values: str | int) -> Finding:
    return Finding(State.GOOD, say(f"host.doctor.{check}.good", **values))


def _care(check: str, **values: str | int) -> Finding:
    topic = f"host.doctor.{check}"
    return Finding(State.CARE, say(topic, **values), say(f"{topic}.remedy", **values))


def _bad(check: str, **values: str | int) -> Finding:
    topic = f"host.doctor.{check}"
    return Finding(State.BAD, say(topic, **values), say(f"{topic}.remedy", **values))


# --- files


def _secrets(file: Path, settings: Settings) -> Findings:
    url = make_url(settings.database_url)
    stored = [Path(url.database)] if url.drivername.startswith("sqlite") and url.database else []
    for path in (file, settings.path(settings.server.key), *stored):
        if path.exists() and stat.S_IMODE(path.stat().st_mode) & 0o077:
            yield _care("mode", file=str(path))


def _key(settings: Settings) -> Findings:
    try:
        house = House.of(settings)
    except NotReady as fault:
        yield _bad("key", why=str(fault))
    else:
        yield _good("key", address=house.sender.mail, fingerprint=house.fingerprint)
        if house.sender.mail.endswith("@localhost"):
            yield _care("local", address=house.sender.mail)


# --- database and clock


def _database(settings: Settings, clock: Clock) -> Findings:
    url = settings.database_url
    shown = make_url(url).render_as_string(hide_password=True)
    database = Database(open_engine(url, settings.database.busy_seconds))
    try:
        check_schema(database)
        with database.write() as connection:
            # Nothing is changed, but this fails where nothing can be.
            connection.execute(outgoing.delete().where(outgoing.c.id < 0))
        yield _good("database", url=shown)
        yield from _room(url)
        yield from _clock(database, clock())
        yield from _waiting(database, clock())
    except NoDatabase:
        yield _bad("no-database", url=shown)
    except NotReady as fault:
        yield _bad("schema", url=shown, why=str(fault))
    except (TryLater, SQLAlchemyError, ImportError) as fault:
        yield _bad("database", url=shown, why=str(fault).splitlines()[0])
    finally:
        database.close()


def _room(url: str) -> Findings:
    file = make_url(url).database
    if url.startswith("sqlite") and file:
        free = shutil.disk_usage(os.path.dirname(file) or ".").free
        if free < ROOM:
            yield _care("room", megabytes=free // 1024**2, folder=os.path.dirname(file))


def _clock(database: Database, now: int) -> Findings:
    with database.read() as connection:
        newest = connection.execute(select(func.max(mails.c.received))).scalar() or 0
        other = now
        if connection.dialect.name == "postgresql":
            other = int(connection.execute(text("SELECT extract(epoch FROM now())")).scalar_one())
    if now < BUILT:
        yield _bad("clock.past")
    elif newest > now + _DRIFT:
        yield _bad("clock.back", seconds=newest - now)
    elif abs(other - now) > _DRIFT:
        yield _bad("clock.database", seconds=abs(other - now))
    else:
        yield _good("clock")


def _waiting(database: Database, now: int) -> Findings:
    waiting = select(func.count(), func.min(outgoing.c.created)).where(
        outgoing.c.status == OutgoingStatus.WAITING
    )
    with database.read() as connection:
        count, oldest = connection.execute(waiting).one()
        aside = connection.execute(
            select(func.count()).select_from(failures).where(failures.c.aside)
        ).scalar_one()
    if count and now - oldest > _LONG:
        yield _care("outbox", n=count, hours=(now - oldest) // 3_600)
    else:
        yield _good("outbox", n=count)
    if aside:
        yield _care("aside", n=aside)


# --- mail in and out


def _sources(settings: Settings) -> Findings:
    built = sources.build(settings)
    if not built:
        yield _care("no-source")
    for source in built:
        yield _probed("source", source.name, source.probe, source.close)
    if settings.sources.listener:
        yield _postmaster(settings)


def _postmaster(settings: Settings) -> Finding:
    """Where mail goes that is for the host (RFC 5321 section 4.5.1)."""
    host, address = settings.server.host, settings.server.address
    if not host:
        return _good("postmaster.aside")
    ours = Ours.of([address, f"{postmaster.NAME}@{address.rpartition('@')[2]}"])
    if ours.include(host):
        return _care("postmaster.own", host=host)
    return _good("postmaster", host=host)


def _way_out(settings: Settings) -> Findings:
    way = ways_out.build(settings)
    if way is None:
        yield _care("no-way")
    else:
        yield _probed("way", way.name, way.open, way.close)


def _probed(check: str, name: str, probe: Callable[[], None], close: Callable[[], None]) -> Finding:
    try:
        probe()
    except (SourceError, NoWay, OSError) as fault:
        return _bad(check, name=name, why=str(fault))
    finally:
        close()
    return _good(check, name=name)
