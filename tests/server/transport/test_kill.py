"""``kill -9`` of the daemon at any moment loses nothing and doubles nothing."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from sqlalchemy import select

from sigilpost_server.models import OutgoingStatus, entries, games, outgoing
from sigilpost_server.service import Service
from sigilpost_server.ways_out.base import Post
from sigilpost_server.ways_out.maildir import MaildirOut
from tests.server.transport import zygote
from tests.server.transport.circle import NAMES, Circle, by_smtp, message_id
from tests.server.transport.host import Host
from tests.server.transport.relays import relay_peer
from tests.services.process import free_port, is_listening, wait_until

KILLS = 60
GAMES = 3


def final_state(service: Service) -> dict[str, object]:
    """All that is to be the same at the end, whatever happened on the way."""
    game = [games.c[name] for name in ("tag", "status", "match", "head_hash", "result", "seq")]
    entry = [entries.c[name] for name in ("game_id", "number", "seat", "answer", "events", "hash")]
    with service.database.read() as db:
        return {
            "games": sorted(map(tuple, db.execute(select(*game)))),
            "entries": sorted(map(tuple, db.execute(select(*entry)))),
            "mails": Counter(db.execute(select(outgoing.c.message_id)).scalars()),
        }


class Lives:
    """The daemon's lives, one after the other."""

    def __init__(self, host: Host, seed: int) -> None:
        self.host = host
        self.kills = 0
        self._dice = random.Random(seed)
        self._log = (host.folder / "serve.log").open("ab")
        self._zygote = subprocess.Popen(
            [sys.executable, zygote.__file__, str(host.config)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            text=True,
        )

    def live(self) -> None:
        """Start the daemon and kill it at some moment: while it starts or while it works."""
        pid = self._start()
        if self._dice.random() < 0.8:
            wait_until(lambda: is_listening(self.host.port), "listening")
            time.sleep(self._dice.uniform(0, self._longest))
        else:
            time.sleep(self._dice.uniform(0, 0.06))
        os.kill(pid, signal.SIGKILL)
        self.kills += 1
        wait_until(lambda: not Path(f"/proc/{pid}").exists(), "dead")

    @property
    def _longest(self) -> float:
        """Seconds of a working life; more and more later on, so that the games come to an end."""
        return 0.03 * 1.06 ** max(0, self.kills - KILLS)

    def _start(self) -> int:
        assert self._zygote.stdin is not None
        assert self._zygote.stdout is not None
        print(file=self._zygote.stdin, flush=True)
        return int(self._zygote.stdout.readline())

    def last(self) -> None:
        """Let the real command finish what is left, and end it as an init system does."""
        with self.host.serving(), self.host.service() as service:
            service.tick()  # what is mailed some time after a game's end
            wait_until(lambda: not waiting(service), "an empty outbox", 60)

    def close(self) -> None:
        """End the forking process."""
        self._zygote.communicate()
        self._log.close()


@contextlib.contextmanager
def lives(host: Host, seed: int) -> Iterator[Lives]:
    """The lives of a host's daemon."""
    them = Lives(host, seed)
    try:
        yield them
    finally:
        them.close()


def waiting(service: Service) -> int:
    """How many mails wait in the outbox."""
    statement = select(outgoing.c.id).where(outgoing.c.status != OutgoingStatus.SENT)
    with service.database.read() as db:
        return len(db.execute(statement).all())


def received(host: Host) -> Counter[str]:
    """How often each Message-ID arrived at anybody."""
    return Counter(message_id(raw) for name in NAMES for raw in host.mails(f"{name}@mail.test"))


def begun(host: Host) -> Circle:
    """Players in running games, whose first mails wait in the outbox."""
    with host.service() as service:
        circle = Circle(service)
        circle.begin(service, GAMES)
    return circle


def play_among_kills(circle: Circle, host: Host) -> None:
    """Play all games to their ends, with a daemon that is killed again and again."""
    seed = random.randrange(1 << 30)
    with lives(host, seed) as daemon:
        threads = circle.play_by_mail(host, [by_smtp(host.port)])
        while not circle.over:
            daemon.live()
            assert daemon.kills < 10 * KILLS, f"the games stand still; seed {seed}"
        for thread in threads:
            thread.join(10)
        daemon.last()
    print("seed", seed, "kills", daemon.kills)
    assert daemon.kills >= KILLS, "the games were too short"


def undisturbed(circle: Circle, copy: Host) -> dict[str, object]:
    """The final state of the same games, played by the same players without a kill."""
    with copy.service() as service:
        same = Circle(service)
        same.games = circle.games
        same.play_straight(service)
        service.tick()
        return final_state(service)


def test_killed_again_and_again_a_game_ends_as_if_undisturbed(host: Host, tmp_path: Path) -> None:
    circle = begun(host)
    copy = host.copy(tmp_path / "copy")
    play_among_kills(circle, host)
    expected = undisturbed(circle, copy)
    with host.service() as service:
        assert final_state(service) == expected
    assert received(host) == expected["mails"], "each mail arrived, and once"


def test_killed_again_and_again_every_mail_reaches_the_relay(schema: Path, tmp_path: Path) -> None:
    # Between the relay's 250 and our commit of it a kill makes us send the mail again: RFC 5321
    # section 4.5.3.2.6 knows no better. It must then be the same mail, to the byte.
    with relay_peer() as peer:
        port = free_port()
        host = Host(
            tmp_path / "host",
            schema,
            sources__listener__port=port,
            out__relay__port=peer.port,
            out__first_retry_seconds=1,
        )
        host.port = port
        mailboxes = MaildirOut(host.mail)
        peer.deliver = lambda mail: mailboxes.send(
            Post(message_id(mail.raw), mail.sender, mail.recipient, mail.raw)
        )
        circle = begun(host)
        copy = host.copy(tmp_path / "copy")
        play_among_kills(circle, host)
        taken = Counter(message_id(mail.raw) for mail in peer.taken)
        assert len({mail.raw for mail in peer.taken}) == len(taken)
    expected = undisturbed(circle, copy)
    with host.service() as service:
        assert final_state(service) == expected
    assert set(taken) == set(expected["mails"])  # type: ignore[call-overload]
    assert received(host) == expected["mails"]
