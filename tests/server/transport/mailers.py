"""Real mail programs, driven by scripts: they answer a mail as a person does."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import time
from pathlib import Path

from tests.services.process import HOST

MUTTRC = """\
set folder = {box}
set mbox_type = Maildir
set from = "{sender}"
set realname = "{name}"
set use_from = yes
set smtp_url = "smtp://{host}:{port}"
set ssl_starttls = no
set ssl_force_tls = no
set copy = no
set record = ""
set editor = "{editor}"
set include = yes
set autoedit = yes
set fast_reply = yes
set abort_unmodified = no
set confirmappend = no
set delete = no
set move = no
set reply_to = yes
set header_cache = ""
set send_charset = "utf-8"
set wait_key = no
set sleep_time = 0
"""
# The editor of somebody who writes on top: the text goes before the quote.
EDITOR = """\
#!/bin/sh
cat {text} "$1" >"$1.new" && mv "$1.new" "$1"
"""
SECONDS = 30


def maildir_with(folder: Path, raw: bytes) -> Path:
    """A Maildir with one new mail in it."""
    box = folder / "box"
    for part in ("cur", "new", "tmp"):
        (box / part).mkdir(parents=True, exist_ok=True)
    (box / "new" / "1.mail.test").write_bytes(raw)
    return box


def reply_with_mutt(folder: Path, port: int, sender: str, raw: bytes, text: str) -> None:
    """Answer a mail with mutt, above the quote, over the SMTP server at ``port``."""
    folder.mkdir(parents=True)
    box = maildir_with(folder, raw)
    (folder / "text").write_text(text + "\n\n")
    editor = folder / "editor"
    editor.write_text(EDITOR.format(text=folder / "text"))
    editor.chmod(0o755)
    name = sender.partition("@")[0]
    values = {"box": box, "sender": sender, "name": name, "host": HOST, "port": port}
    (folder / "muttrc").write_text(MUTTRC.format(editor=editor, **values))
    keys = "push '<reply><send-message><quit>'"
    command = ["mutt", "-n", "-F", str(folder / "muttrc"), "-f", str(box), "-e", keys]
    at_terminal(command, folder)


def at_terminal(command: list[str], home: Path) -> None:
    """Run a program at a terminal of its own until it ends; fail with its screen if it does not."""
    child, terminal = pty.fork()
    if child == 0:
        environment = {**os.environ, "TERM": "xterm", "HOME": str(home), "LC_ALL": "C.UTF-8"}
        os.execvpe(command[0], command, environment)
    seen, deadline = b"", time.monotonic() + SECONDS
    while time.monotonic() < deadline:
        if not select.select([terminal], [], [], 0.5)[0]:
            continue
        try:
            seen += os.read(terminal, 65536)
        except OSError:
            break
    else:
        os.kill(child, 15)
    os.close(terminal)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0, seen.decode("utf-8", "replace")[-2000:]


def reply_with_s_nail(folder: Path, port: int, sender: str, raw: bytes, text: str) -> None:
    """Answer a mail with s-nail in batch mode, above the quote."""
    folder.mkdir(parents=True)
    box = maildir_with(folder, raw)
    settings = {
        "v15-compat": "",
        "mta": f"smtp://{HOST}:{port}",
        "smtp-auth": "none",
        "smtp-config": "-all,ehlo",
        "from": sender,
        "ttycharset": "utf-8",
        "sendcharsets": "utf-8",
        "indentprefix": "> ",
        "quote-as-attachment": None,
        "reply-to-honour": "",
        "sendwait": "",
        "folder": str(folder),
        "record": None,
    }
    chosen = []
    for name, value in settings.items():
        if value is not None:
            chosen.append(f"-S{name}={value}" if value else f"-S{name}")
    script = f"reply 1\n{text}\n\n~m 1\n~.\nxit\n"
    done = subprocess.run(
        ["s-nail", "-#", "-:/", *chosen, "-f", f"maildir://{box}"],
        input=script.encode(),
        capture_output=True,
        timeout=SECONDS,
        check=False,
        env={**os.environ, "HOME": str(folder), "LC_ALL": "C.UTF-8", "MAILRC": "/dev/null"},
    )
    assert done.returncode == 0, done.stderr.decode("utf-8", "replace")


def send_with_swaks(port: int, *options: str) -> None:
    """Send a mail with swaks, its options as given."""
    command = ["swaks", "--server", HOST, "--port", str(port), "--suppress-data", *options]
    subprocess.run(command, check=True, capture_output=True, timeout=SECONDS)
