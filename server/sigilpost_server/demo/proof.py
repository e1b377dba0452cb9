"""The end of a demo: every player checks the whole game, from the transcript in their mailbox."""

from __future__ import annotations

import subprocess

from sigilpost_server.demo.party import Party, Player, mails_in

MARK = b".transcript.jsonl"


def prove(party: Party) -> str:
    """Have everybody check the game; what the first player's client says. Raises DemoFailed."""
    party.wait("transcript", lambda: all(_mail(player) for player in party.players))
    party.run(*(player.sigil("sync") for player in party.players))
    commands = [player.sigil("verify", _mail(player), "--receipts") for player in party.players]
    party.run(*commands)
    said = subprocess.run(commands[0], capture_output=True, text=True, check=True)  # noqa: S603
    return said.stdout


def _mail(player: Player) -> str:
    """The mail that a transcript came with; "" before it has come."""
    found = (path for path in mails_in(player.mailbox) if MARK in path.read_bytes())
    return str(next(found, ""))
