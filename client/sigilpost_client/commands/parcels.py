"""The last steps of every command that signs: into the outbox, out, and a word about it."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any

from sigilpost_client import orders, send
from sigilpost_client.compose import Outgoing
from sigilpost_client.config import Config
from sigilpost_client.errors import Unreachable
from sigilpost_client.screen import plain
from sigilpost_client.words import text
from sigilpost_engine.core.messages import say
from sigilpost_engine.wire.blocks import Block


@dataclass(frozen=True)
class Parcel:
    """A signed block in its mail, and how the player wants it: printed (``eml``), as JSON."""

    config: Config
    block: Block
    mail: Outgoing
    eml: bool = False
    json: bool = False

    def post(self, **about: Any) -> None:
        """Remember the block, and put the mail into the outbox unless it is to be printed.

        To be called while the state is locked, before it is written.
        """
        if self.eml:
            orders.remember(self.block, self.mail, **about)
        else:
            orders.post(self.block, self.mail, **about)

    def finish(self, following: str, **data: Any) -> None:
        """Send, and say so; ``following`` is the id of what to do next. Raises Unreachable."""
        printed = self.eml or self.config.submission.kind == "eml"
        if not printed:
            self._send()
        if self.json:
            self._dump(printed, data)
            return
        if self.eml:
            send.print_mail(self.mail)
        elif printed:
            send.flush(self.config)
        stream = sys.stderr if printed else sys.stdout
        done = "client.done.printed" if printed else "client.done.sent"
        print(text(done, to=self.mail.recipient), file=stream)
        print(text(following, game=data.get("game", "")), file=stream)

    def _send(self) -> None:
        try:
            send.flush(self.config)
        except Unreachable as fault:
            raise Unreachable(
                say("client.error.kept", why=fault.what), say("client.remedy.kept")
            ) from fault

    def _dump(self, printed: bool, data: dict[str, Any]) -> None:
        found = {
            **data,
            "to": self.mail.recipient,
            "message_id": self.mail.message_id,
            "sent": not printed,
        }
        if printed:
            found["mail"] = self.mail.raw.decode("utf-8").replace("\r\n", "\n")
        plain.dump(found)
