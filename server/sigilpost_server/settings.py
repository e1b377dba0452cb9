"""The host's settings: ``config.toml`` as a typed model, every setting with its default.

``config.example.toml`` documents each of them. Relative paths start at the folder of the
configuration file.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, ValidationError

from sigilpost_server.clocks.settings import ClockSettings
from sigilpost_server.section import Count, Points, Positive, Seconds, Section
from sigilpost_server.sources.settings import SourcesSettings
from sigilpost_server.ways_out.settings import OutSettings


class BadConfig(Exception):
    """A configuration that cannot be used; each problem names the key and what is wrong."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


class ServerSettings(Section):
    """``[server]``: who the server is."""

    address: str = "sigil@localhost"
    """Where players send their mail; the From of everything the server sends."""
    name: str = "Sigilpost"
    """The name shown beside the address."""
    host: str = ""
    """The host's own address, for news of held games and mail to the postmaster; "" for none."""
    language: str = "en"
    """The language of answers to people who are not registered."""
    key: Path = Path("server.pem")
    """The server's private key (PKCS#8 PEM, mode 0600)."""
    subaddress: Literal["+", "-", ""] = "+"
    """What leads a token in addresses that arrive here as well, as in sigil+TOKEN@localhost; ""
    where none does."""


class DatabaseSettings(Section):
    """``[database]``: where everything is stored."""

    url: str = "sqlite:///sigilpost.db"
    """SQLAlchemy's URL: ``sqlite:///file`` or ``postgresql+psycopg://user@host/name``."""
    busy_seconds: Positive = 10
    """How long to wait for another process that is writing (SQLite)."""


class LimitSettings(Section):
    """``[limits]``: what one correspondent can cause."""

    answers: Positive = 10
    """Answers to one address since its last accepted order."""
    helps_per_day: Count = 1
    """Help mails to one unregistered address in a day."""
    challenges_per_day: Count = 3
    """Challenges to one address in a day."""
    all_challenges_per_day: Count = 1000
    """Challenges to all unregistered addresses together in a day."""
    repeats: Count = 3
    """How often the first answer to a block is sent again."""
    running_games: Positive = 50
    """Games, running or proposed, that one player may sit in."""
    proposals_per_day: Count = 20
    """Games that one player may propose in a day."""
    invitations_per_day: Count = 3
    """Invitations to one unregistered address in a day."""
    chats_per_day: Count = 50
    """Chat mails that one player may cause in a day."""
    mails_per_hour: Positive = 1000
    """Mails of one player that count in an hour."""
    game_mails_per_hour: Positive = 3000
    """Mails about one game that count in an hour."""
    strangers_per_day: Count = 200
    """Help mails to all unregistered addresses together in a day."""
    postmaster_per_day: Count = 200
    """Mails to the postmaster that are passed on to the host in a day; others are set aside."""
    failures: Positive = 3
    """Failures of our own after which a mail is set aside."""
    set_aside: Count = 100
    """Unreadable mails that are kept for the host to look at, the newest of them; and as many that
    are for the postmaster."""


class GameSettings(Section):
    """``[games]``: how games begin."""

    invitation_days: Positive = 14
    """Days after which a proposed game that not everybody has joined is cancelled."""
    challenge_hours: Positive = 72
    """Hours for which a registration's challenge can be answered."""


class KeySettings(Section):
    """``[keys]``: players' keys that change."""

    recovery_hours: Count = 72
    """Hours for which a lost key can still object, after its replacement was confirmed."""


class BounceSettings(Section):
    """``[bounces]``: mails of ours that come back, and when an address counts as unreachable."""

    address: str = ""
    """Where reports go, a token added, as in bounce+TOKEN@localhost; "" for the server's own."""
    hard_limit: Points = 1
    """Lasting failures after which an address is marked."""
    soft_limit: Points = 5
    """Passing failures (a full mailbox, a policy) after which an address is marked."""
    half_life_days: Positive = 14
    """After so many days a failure counts half."""


class RetentionSettings(Section):
    """``[retention]``: how long copies are kept. The games themselves stay for ever."""

    sent_days: Positive = 60
    """Days for which sent mails are kept, to send an answer again."""


class DaemonSettings(Section):
    """``[daemon]``: how ``sigilpost serve`` works."""

    tick_seconds: Seconds = 30
    """How often to look for what is due by the clock."""
    log: Literal["text", "json"] = "text"
    """How the log on standard error is written: "text" or "json", a line for each event."""
    level: Literal["debug", "info", "warning", "error"] = "info"
    """From which level on events are logged."""
    keep_incoming: Path | None = None
    """A folder in which a Maildir keeps a copy of every incoming mail."""


class Settings(Section):
    """The whole file."""

    server: ServerSettings = ServerSettings()
    database: DatabaseSettings = DatabaseSettings()
    limits: LimitSettings = LimitSettings()
    games: GameSettings = GameSettings()
    keys: KeySettings = KeySettings()
    clocks: ClockSettings = ClockSettings()
    bounces: BounceSettings = BounceSettings()
    retention: RetentionSettings = RetentionSettings()
    sources: SourcesSettings = SourcesSettings()
    out: OutSettings = OutSettings()
    daemon: DaemonSettings = DaemonSettings()
    folder: Path = Field(default=Path(), exclude=True)
    """The folder of the configuration file (not a key of it)."""

    def path(self, path: Path) -> Path:
        """A path of the file, made absolute or relative to the current folder."""
        return self.folder / path.expanduser()

    @property
    def database_url(self) -> str:
        """The database's URL; a relative SQLite file is looked for beside the configuration."""
        scheme, mark, file = self.database.url.partition(":///")
        named = file and not file.startswith((":memory:", "file:"))
        if mark and scheme.startswith("sqlite") and named:
            return f"{scheme}:///{self.path(Path(file)).absolute()}"
        return self.database.url


def parse(text: str, folder: Path = Path()) -> Settings:
    """The settings of a TOML text. Raises BadConfig."""
    try:
        raw = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadConfig([f"not TOML: {error}"]) from error
    if "folder" in raw:
        raise BadConfig(["folder: no such setting"])
    try:
        return Settings.model_validate({**raw, "folder": folder})
    except ValidationError as error:
        raise BadConfig([_problem(each) for each in error.errors()]) from error


def read(file: Path) -> Settings:
    """The settings of a configuration file. Raises BadConfig, also if it cannot be read."""
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BadConfig([f"{file}: {error}"]) from error
    return parse(text, file.parent)


def _problem(error: Any) -> str:
    """One line for one of pydantic's errors. The value stays out: it may be a password."""
    key = ".".join(map(str, error["loc"]))
    if error["type"] == "extra_forbidden":
        return f"{key}: no such setting"
    return f"{key}: {error['msg']}"
