"""Every word of the client comes from a catalogue: shown with a catalogue that marks its texts."""

from __future__ import annotations

import ast
import io
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo

import hatch_build
from sigilpost_client.cli import COMMANDS
from tests.client.conftest import Player
from tests.client.host import ADDRESS, Host, Table, drop

ROOT = Path(__file__).resolve().parents[2]
CLIENT = ROOT / "client" / "sigilpost_client"

# Marks that no text, name or card has; words between them are a catalogue's.
OPEN, CLOSE = "⟦", "⟧"


@pytest.fixture(scope="session")
def marked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Catalogues of a language in which every text stands between marks."""
    folder = tmp_path_factory.mktemp("locale")
    for path in hatch_build.catalogues(ROOT, "en"):
        for language in ("en", "xx"):
            source = hatch_build.read(path)
            target = Catalog(locale="en")
            for message in hatch_build.entries(source):
                texts = hatch_build.texts(message)
                if language == "xx":
                    texts = [mark(each) for each in texts]
                target.add(message.id, texts[0] if len(texts) == 1 else tuple(texts))
            buffer = io.BytesIO()
            write_mo(buffer, target)
            place = folder / language / "LC_MESSAGES" / f"{path.stem}.mo"
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(buffer.getvalue())
    return folder


def mark(text: str) -> str:
    return f"{OPEN}{text}{CLOSE}"


PROGRAM = """
import json, sys
from pathlib import Path
from sigilpost_engine import texts
texts._HERE = Path(sys.argv[1])
from sigilpost_client.cli import run
sys.exit(run(json.loads(sys.argv[2])))
"""


def run(player: Player, marked: Path, *arguments: str, stdin: bytes = b"") -> str:
    """Output and errors of ``sigil`` in the marked language."""
    command = ["--home", str(player.home), *arguments]
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(marked), json.dumps(command)],
        input=stdin,
        capture_output=True,
        env=player.environment({"LANG": "xx", "LC_ALL": "xx", "PYTHONIOENCODING": "utf-8"}),
        cwd=player.folder,
        check=False,
    )
    assert done.returncode in range(9), done.stderr.decode()
    return done.stdout.decode() + done.stderr.decode()


def unmarked(shown: str) -> str:
    """What stands outside all marks."""
    depth, left = 0, []
    for char in shown:
        if char == OPEN:
            depth += 1
        elif char == CLOSE:
            depth -= 1
        elif depth == 0:
            left.append(char)
    assert depth == 0, shown
    return "".join(left)


@pytest.fixture
def speaker(alice: Player, table: Table, host: Host) -> Player:
    """Alice with a question, an invitation, and a game that waits for others."""
    alice.ok("init", "--again", "--language", "xx")
    alice.receive(table.document(0))
    other = Table(host, "weaver-8bbb", seats=("bob", "alice"))
    while other.turn != 0:
        other.play(other.some_line())
    alice.receive(other.document(1))
    alice.receive(
        host.document(
            game="weaver-9ccc",
            kind="weaver",
            seats=("alice", "bob"),
            status="proposed",
            notice={"type": "invitation", "commitment": "cd" * 32},
        )
    )
    alice.ok("sync")
    return alice


CARDS = r"(?:ASHW|ESBNER|OHIF|UKELELE)(?: \d)*"
DATA = re.compile(
    rf"{'|'.join(sorted(COMMANDS, key=len, reverse=True))}|"
    rf"{CARDS}|alice|bob|carol|weaver(?:-\w+)?|play@server\.test|sigil|\d+|[A-E]\b"
    r"|exchange|claim|hide|with|--?[\w-]+|[-─│╭╮╰╯•*/.,:()\[\]{}<>|◂–…]+|\s+"
    r"|export|rotate|revoke|tls|starttls|none|random|greedy|search|str"
)


def words_outside(shown: str) -> str:
    """What is left of a text outside marks without data: names, cards, commands, lines."""
    return DATA.sub("", unmarked(shown)).strip()


@pytest.mark.parametrize(
    "command",
    [
        ("next",),
        ("next", "--all"),
        ("games",),
        ("show", "weaver-7k2q"),
        ("sync",),
        ("show", "weaver-9ccc"),
        ("move", "weaver-7k2q", "dance"),
        ("move", "hide z9"),
        ("move", "x-1", "y"),
        ("join", "weaver-7k2q"),
        ("resign", "weaver-7k2q"),
        ("frob",),
        ("nxt",),
        ("move",),
        ("sync", "a"),
        ("--help",),
        ("move", "--help"),
        ("init", "--help"),
        ("key", "--help"),
        ("bot", "--help"),
        ("create", "weaver"),
        ("create", "weaver", "bob", "--option", "x=y"),
        ("card", "ashw 3"),
        ("read", "nowhere"),
        ("bot", "chess"),
        ("init",),
    ],
)
def test_no_word_is_written_into_the_code(
    speaker: Player, marked: Path, command: tuple[str, ...]
) -> None:
    shown = run(speaker, marked, *command)
    assert OPEN in shown
    left = words_outside(shown)
    for given in (*command, str(speaker.home), "No such file or directory"):
        left = left.replace(given, "")
    assert left == "", shown


def test_a_mail_s_own_words_are_of_the_catalogue(speaker: Player, marked: Path) -> None:
    line = json.loads(speaker.ok("next", "--json"))["asked"][0]["menu"][-1].partition(" / ")[0]
    shown = run(speaker, marked, "move", "weaver-7k2q", line)
    assert words_outside(shown) == ""
    (raw,) = speaker.sent
    import email

    payload = email.message_from_bytes(raw).get_payload(decode=True)
    assert isinstance(payload, bytes)
    before = payload.decode().partition("-----BEGIN")[0]
    assert words_outside(before) == ""


def test_the_marked_language_is_used_for_help_too(alice: Player, marked: Path) -> None:
    assert OPEN in run(alice, marked, "--help")


# --- texts and their values -----------------------------------------------------------------------


def calls_in_code() -> Iterator[tuple[str, str, set[str]]]:
    """File, id and names of values, wherever a text is asked for by an id in full."""
    for path in CLIENT.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not isinstance(node, ast.Call) or not node.args:
                continue
            id = node.args[0]
            if isinstance(id, ast.Constant) and str(id.value).startswith("client."):
                names = {each.arg for each in node.keywords if each.arg}
                if not any(each.arg is None for each in node.keywords) and len(node.args) == 1:
                    yield path.name, str(id.value), names


def test_every_text_gets_the_values_that_it_names() -> None:
    path = ROOT / hatch_build.LOCALES / "en" / "LC_MESSAGES" / "client.po"
    named = {
        message.id if isinstance(message.id, str) else message.id[0]: set().union(
            *map(hatch_build.fields, hatch_build.texts(message))
        )
        for message in hatch_build.entries(hatch_build.read(path))
    }
    short = [
        (file, id, named[id] - names)
        for file, id, names in calls_in_code()
        if id in named and named[id] - names
    ]
    assert short == []


def test_the_language_of_mails_is_the_environment_s_at_first(alice: Player) -> None:
    player = Player(alice.folder / "other", "otto", alice.host)
    for environment, language in (
        ({"LANG": "de_CH.UTF-8"}, "de_CH"),
        ({"LC_ALL": "C", "LANG": "de_CH"}, "en"),
        ({"LC_MESSAGES": "ko_KR.UTF-8", "LANG": "de_CH"}, "ko_KR"),
    ):
        done = player.sigil(
            *("init", "--server", ADDRESS, "--address", "o@b.test", "--name", "otto"),
            *("--no-mailbox", "--eml", "--no-passphrase"),
            **environment,
        )
        assert done.status == 0
        assert f'language = "{language}"' in (player.home / "config.toml").read_text()
        for path in player.home.iterdir():
            path.unlink()


def test_a_language_without_a_catalogue_is_english(alice: Player, table: Table) -> None:
    alice.ok("init", "--again", "--language", "tlh")
    drop(alice.box, alice.host.mail(table.document(0)))
    assert "came in" in alice.ok("sync")
