"""A real Postfix on the loopback, with configuration, queue and log of its own.

It knows the routes that a test gives it and nothing else: local parts of ``play.test`` that are
piped into a command, and domains handed on by LMTP or SMTP. Every other address is refused.
"""

from __future__ import annotations

import os
import smtplib
import socketserver
import struct
import subprocess
import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.services.process import HOST, Daemon, Peer, free_port, is_listening, run, wait_until
from tests.services.requirements import program
from tests.services.tls import TlsFiles, make_certificate

DOMAIN = "play.test"
HOSTNAME = "mx.play.test"

MAIN = """\
compatibility_level = 3.6
queue_directory = {folder}/spool
data_directory = {folder}/data
maillog_file = {folder}/postfix.log
maillog_file_prefixes = {folder}
multi_instance_name = postfix-sigilpost-test
syslog_name = postfix
mail_owner = postfix
setgid_group = postdrop
myhostname = {hostname}
myorigin = {domain}
mydestination = {domain}, localhost
mynetworks = 127.0.0.0/8
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
biff = no
append_dot_mydomain = no
recipient_delimiter = +
alias_maps = hash:{folder}/etc/aliases
alias_database = hash:{folder}/etc/aliases
local_recipient_maps = $alias_maps
virtual_alias_maps =
transport_maps = hash:{folder}/etc/transport
relay_domains = hash:{folder}/etc/relay_domains
smtpd_relay_restrictions = reject_unauth_destination
default_transport = error:5.1.2 no route in this test
relay_transport = error:5.1.2 no route in this test
disable_dns_lookups = yes
smtp_host_lookup = native
smtputf8_enable = yes
message_size_limit = 31457280
mailbox_size_limit = 0
smtpd_tls_cert_file = {cert}
smtpd_tls_key_file = {key}
smtpd_tls_security_level = may
smtp_tls_security_level = none
smtpd_client_connection_rate_limit = 0
smtpd_client_connection_count_limit = 0
in_flow_delay = 0
# A temporary failure is tried again while the test waits.
queue_run_delay = 2s
minimal_backoff_time = 2s
maximal_backoff_time = 4s
"""

MASTER = """\
{host}:{port} inet n - n - - smtpd
pickup unix n - n 60 1 pickup
cleanup unix n - n - 0 cleanup
qmgr unix n - n 2 1 qmgr
tlsmgr unix - - n 1000? 1 tlsmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
verify unix - - n - 1 verify
flush unix n - n 1000? 0 flush
proxymap unix - - n - - proxymap
proxywrite unix - - n - 1 proxymap
smtp unix - - n - - smtp
relay unix - - n - - smtp
showq unix n - n - - showq
error unix - - n - - error
retry unix - - n - - error
discard unix - - n - - discard
local unix - n n - - local
lmtp unix - - n - - lmtp
anvil unix - - n - 1 anvil
scache unix - - n - 1 scache
postlog unix-dgram n - n - 1 postlogd
"""

# Postfix runs an alias's command as `nobody`, and never as root, but the tests' interpreter and
# files may be root's alone. So the alias runs this few lines (perl-base is on every Debian), which
# hand mail and environment to the test run and give back the command's output and exit status.
BRIDGE = """\
use IO::Socket::UNIX;
my ($path, $name) = @ARGV;
my $peer = IO::Socket::UNIX->new(Peer => $path) or exit 75;
local $/;
binmode STDIN;
print $peer pack("N/a* N/a* N/a*", $name, join("\\0", map { "$_=$ENV{$_}" } keys %ENV), <STDIN>);
$peer->shutdown(1);
my $reply = <$peer>;
exit 75 if length($reply) == 0;
print substr($reply, 1);
exit ord($reply);
"""

PASSED_ON = ("CLIENT_", "DOMAIN", "EXTENSION", "LOCAL", "ORIGINAL_RECIPIENT", "RECIPIENT", "SENDER")
"""What local(8) exports to a command and this environment keeps; names or their beginnings."""


@dataclass
class Pipe:
    """A command behind an alias."""

    command: list[str]
    env: dict[str, str]
    runs: list[subprocess.CompletedProcess[bytes]] = field(default_factory=list)
    """Every run so far, in order: exit status and output."""


class _BridgeServer(socketserver.ThreadingUnixStreamServer):
    daemon_threads = True
    pipes: dict[str, Pipe]


class _BridgeHandler(socketserver.StreamRequestHandler):
    def _field(self) -> bytes:
        (length,) = struct.unpack("!I", self.rfile.read(4))
        return self.rfile.read(length)

    def handle(self) -> None:
        assert isinstance(self.server, _BridgeServer)
        name, environment, mail = self._field().decode(), self._field(), self._field()
        pipe = self.server.pipes[name]
        given = dict(part.split("=", 1) for part in os.fsdecode(environment).split("\0"))
        kept = {key: value for key, value in given.items() if key.startswith(PASSED_ON)}
        done = subprocess.run(
            pipe.command,
            input=mail,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env={**os.environ, **kept, **pipe.env},
            check=False,
        )
        pipe.runs.append(done)
        self.wfile.write(bytes([done.returncode % 256]) + done.stdout)


class Postfix(Peer):
    """The running server."""

    host = HOST
    domain = DOMAIN

    def __init__(self, folder: Path) -> None:
        """Write configuration and queue folders into ``folder`` (passable for other users)."""
        self.folder = folder
        self.port = free_port()
        self.tls: TlsFiles = make_certificate(folder, "localhost")
        self._etc = folder / "etc"
        self._routes: dict[str, str] = {}
        self._forgotten = 0  # so many characters of the log
        for name in ("etc", "spool", "data"):
            (folder / name).mkdir(mode=0o755)
        values = {
            "folder": folder,
            "domain": DOMAIN,
            "hostname": HOSTNAME,
            "host": HOST,
            "port": self.port,
            "cert": self.tls.cert,
            "key": self.tls.key,
        }
        (self._etc / "main.cf").write_text(MAIN.format(**values))
        (self._etc / "master.cf").write_text(MASTER.format(**values))
        (folder / "bridge.pl").write_text(BRIDGE)
        run(["chown", "postfix", folder / "data"])
        self._bridge = _BridgeServer(str(folder / "bridge"), _BridgeHandler)
        self._bridge.pipes = {}
        (folder / "bridge").chmod(0o777)
        self._write_maps()
        self._postfix("check")  # makes the queue's folders, with owners and modes as they must be
        threading.Thread(target=self._bridge.serve_forever, daemon=True).start()

    def _postfix(self, command: str) -> str:
        return run([program("postfix") or "postfix", "-c", self._etc, command])

    # --- the server

    def start(self) -> None:
        """Start, and return when the port answers."""
        master = Path("/usr/lib/postfix/sbin/master")
        self._daemon = Daemon([master, "-c", self._etc, "-d"], log=self.folder / "console.log")
        self._daemon.wait_ready(lambda: is_listening(self.port))

    def reset(self) -> None:
        """Forget all routes, all queued mail and what was logged so far."""
        self._bridge.pipes.clear()
        self._routes.clear()
        self._write_maps()
        run([program("postsuper") or "postsuper", "-c", self._etc, "-d", "ALL"])
        self._forgotten = len(self._logged())

    def log(self) -> str:
        """Return what the server has logged since the last ``reset``."""
        return self._logged()[self._forgotten :]

    def _logged(self) -> str:
        path = self.folder / "postfix.log"
        return path.read_text(errors="replace") if path.exists() else ""

    def wait_logged(self, text: str, seconds: float = 20.0) -> None:
        """Return as soon as the log has this text."""
        wait_until(lambda: text in self.log(), f"log has {text!r}", seconds)

    # --- routes

    def pipe(
        self, name: str, command: Sequence[str | Path], env: Mapping[str, str] | None = None
    ) -> str:
        """Pipe mail for ``name`` into a command (alias ``|command``); return the address.

        ``name+anything`` arrives too. The command runs as the user who runs the tests and sees
        the variables that local(8) exports (SENDER, EXTENSION, ...). Exit status 75 makes Postfix
        try again, another one but 0 makes it bounce.
        """
        self._bridge.pipes[name] = Pipe([os.fspath(part) for part in command], dict(env or {}))
        self._write_maps()
        return f"{name}@{DOMAIN}"

    def pipe_runs(self, name: str) -> list[subprocess.CompletedProcess[bytes]]:
        """Return the finished runs of a pipe's command, in order."""
        return list(self._bridge.pipes[name].runs)

    def wait_runs(
        self, name: str, count: int = 1, seconds: float = 20.0
    ) -> list[subprocess.CompletedProcess[bytes]]:
        """Return the runs of a pipe's command as soon as there are so many."""
        wait_until(lambda: len(self.pipe_runs(name)) >= count, f"{count} runs of {name}", seconds)
        return self.pipe_runs(name)

    def route_lmtp(self, domain: str, port: int) -> None:
        """Hand mail for a domain to an LMTP server on the loopback."""
        self._routes[domain] = f"lmtp:inet:[{HOST}]:{port}"
        self._write_maps()

    def route_smtp(self, domain: str, port: int) -> None:
        """Hand mail for a domain to an SMTP server on the loopback."""
        self._routes[domain] = f"smtp:[{HOST}]:{port}"
        self._write_maps()

    def _write_maps(self) -> None:
        bridge = f"/usr/bin/perl {self.folder}/bridge.pl {self.folder}/bridge"
        pipes = [f'{name}: "|{bridge} {name}"' for name in self._bridge.pipes]
        aliases = ["postmaster: /dev/null", *pipes]
        self._write_map("aliases", aliases, "postalias")
        self._write_map("transport", (f"{d} {t}" for d, t in self._routes.items()), "postmap")
        self._write_map("relay_domains", (f"{d} OK" for d in self._routes), "postmap")
        if self._daemon and self._daemon.running():
            self._reload()

    def _reload(self) -> None:
        # Without it the daemons would notice a changed table up to ten seconds later. They end
        # one by one, each when it has noticed the reload; one of them would still know old routes.
        old = self._children()
        self._postfix("reload")
        wait_until(lambda: not old & self._children(), "Postfix reloaded")

    def _children(self) -> set[int]:
        """Return the process ids of the daemons that the master has started."""
        assert self._daemon
        master = self._daemon.process.pid
        return set(map(int, Path(f"/proc/{master}/task/{master}/children").read_text().split()))

    def _write_map(self, name: str, lines: Iterable[str], compiler: str) -> None:
        path = self._etc / name
        path.write_text("".join(f"{line}\n" for line in lines))
        run([program(compiler) or compiler, "-c", self._etc, f"hash:{path}"])

    # --- mail

    def send(self, sender: str, recipients: str | Sequence[str], raw: bytes) -> None:
        """Send these bytes in by SMTP; raise ``smtplib.SMTPException`` if they are refused."""
        with smtplib.SMTP(HOST, self.port, local_hostname="client.test", timeout=20) as client:
            client.sendmail(sender, recipients, raw)

    def queue(self) -> str:
        """Return the queue as ``postqueue -j`` prints it: a JSON object a mail, a line each."""
        return run([program("postqueue") or "postqueue", "-c", self._etc, "-j"])

    def wait_empty(self, seconds: float = 20.0) -> None:
        """Return as soon as every mail has left the queue."""
        time.sleep(0.05)
        wait_until(lambda: not self.queue().strip(), "queue empty", seconds)

    def flush(self) -> None:
        """Try all queued mail again now."""
        run([program("postqueue") or "postqueue", "-c", self._etc, "-f"])
