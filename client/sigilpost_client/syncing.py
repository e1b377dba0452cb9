"""The way of the mail: fetch what is new, take it in, send what waits."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from sigilpost_client import send, store
from sigilpost_client.config import Config
from sigilpost_client.errors import ClientError
from sigilpost_client.inbox import open_inbox
from sigilpost_client.inbox.eml import read_letter
from sigilpost_client.orders import Signer
from sigilpost_client.receive import Received, Reception


@dataclass
class Report:
    """What one round did: mails looked at, what came of their documents, mails sent.

    ``fault`` is what kept the round from finishing: the rest is done by the next one.
    """

    mails: int = 0
    received: list[Received] = field(default_factory=list)
    sent: int = 0
    fault: ClientError | None = None

    @property
    def alarms(self) -> list[Received]:
        """What must not be overlooked: another server key, two histories."""
        return [each for each in self.received if each.alarm]


def sync(config: Config, signer: Signer | None = None) -> Report:
    """One round: fetch, take in, send. Raises NotSetUp without a mailbox; reports all else."""
    report = Report()
    inbox = open_inbox(config)
    reception = Reception(config, signer or Signer(config))
    try:
        _fetch(inbox.name, inbox.new(store.mailbox_memory(inbox.name)), reception, report)
        with store.change() as state:
            report.received += reception.catch_up(state)
    except ClientError as fault:
        report.fault = fault
    _send(config, report)
    return report


def _fetch(name: str, mails: Iterable[Any], reception: Reception, report: Report) -> None:
    memory = None
    try:
        for found in mails:
            letter = read_letter(found.raw)
            report.mails += bool(found.raw)
            if letter.documents:
                # Mail by mail: whatever happens to the next, this one is done.
                with store.change() as state:
                    report.received += reception.take(state, letter)
            memory = found.memory
    finally:
        # After a crash before this line the same mails are read again, to no effect.
        if memory is not None:
            store.keep_mailbox_memory(name, memory)


def read(config: Config, mails: Iterable[bytes]) -> Report:
    """As :func:`sync`, for mails that the player hands over."""
    report = Report()
    reception = Reception(config, Signer(config))
    for raw in mails:
        report.mails += 1
        letter = read_letter(raw)
        with store.change() as state:
            report.received += reception.take(state, letter)
    _send(config, report)
    return report


def _send(config: Config, report: Report) -> None:
    try:
        report.sent = send.flush(config)
    except ClientError as fault:
        report.fault = report.fault or fault
