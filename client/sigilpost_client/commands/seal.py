"""``seal``: have hidden things mailed encrypted, to a key of the player's own."""

from __future__ import annotations

from typing import Annotated

import typer

from sigilpost_client import config, keys, orders, store
from sigilpost_client.commands import parameters as given
from sigilpost_client.commands.parcels import Parcel
from sigilpost_client.errors import Unusable
from sigilpost_client.words import text
from sigilpost_engine.core.messages import say

WORDS = ("on", "off")
NEXT = {"on": "client.next.seal-on", "off": "client.next.seal-off"}


def seal(
    word: Annotated[str, typer.Argument(metavar="on|off", help=text("client.help.seal.word"))],
    eml: given.Eml = False,
    json: given.Json = False,
) -> None:
    """Ask for sealed mail, or for open mail again."""
    from sigilpost_engine.wire.payloads import Seal

    if word not in WORDS:
        raise Unusable(say("client.error.word", given=word, words=list(WORDS)))
    settings = config.load()
    public = keys.seal_key().public.hex() if word == "on" else ""
    signer = orders.Signer(settings)
    with store.change() as state:
        block = signer.sign(Seal, orders.server_of(settings, state), public=public)
        outgoing = orders.mail(
            settings,
            block,
            subject=text("client.mail.seal-subject"),
            words=[text(f"client.mail.seal-{word}")],
        )
        parcel = Parcel(settings, block, outgoing, eml=eml, json=json)
        parcel.post()
    parcel.finish(NEXT[word], did="seal", seal=word)
