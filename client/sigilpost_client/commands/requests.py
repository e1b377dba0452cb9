"""Requests: what is asked of the server by a word and its arguments; the answer comes by mail."""

from __future__ import annotations

from collections.abc import Sequence

from sigilpost_client import config, orders, store
from sigilpost_client.commands.parcels import Parcel
from sigilpost_client.store import GameRecord


def request(
    what: str,
    args: Sequence[str],
    *,
    subject: str,
    words: str,
    game: GameRecord | None = None,
    eml: bool,
    json: bool,
) -> Parcel:
    """Sign a request and put its mail, in which ``words`` say what it is, into the outbox.

    Raises NotSetUp, KeyLocked, Unusable.
    """
    from sigilpost_engine.wire.payloads import Request

    settings = config.load()
    signer = orders.Signer(settings)
    with store.change() as state:
        block = signer.sign(Request, orders.server_of(settings, state), what=what, args=tuple(args))
        outgoing = orders.mail(settings, block, subject=subject, words=[words], game=game)
        parcel = Parcel(settings, block, outgoing, eml=eml, json=json)
        parcel.post(request=what, args=list(args))
    return parcel
