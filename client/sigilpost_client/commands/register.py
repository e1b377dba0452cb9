"""Becoming known to the server: ``register``, and ``confirm`` for a challenge typed by hand."""

from __future__ import annotations

from typing import Annotated

import typer

from sigilpost_client import config, orders, store
from sigilpost_client.commands import parameters as given
from sigilpost_client.commands.parcels import Parcel
from sigilpost_client.words import text


def register(
    eml: given.Eml = False,
    json: given.Json = False,
) -> None:
    """Ask the server to know this player: address, name and key."""
    from sigilpost_engine.wire.payloads import Register

    settings = config.load()
    signer = orders.Signer(settings)
    player = settings.player
    with store.change() as state:
        block = signer.sign(
            Register,
            state.server.fingerprint,
            public=signer.key.public.hex,
            name=player.name,
            address=player.address,
            lang=player.language or "en",
            zone=player.zone,
        )
        outgoing = orders.mail(
            settings,
            block,
            subject=text("client.mail.register-subject"),
            words=[text("client.mail.register", name=player.name, address=player.address)],
        )
        state.registration.ask(signer.key.fingerprint)
        parcel = Parcel(settings, block, outgoing, eml=eml, json=json)
        parcel.post()
    parcel.finish("client.next.challenge", did="register")


def confirm(
    token: Annotated[
        str, typer.Argument(metavar=text("client.metavar.token"), help=text("client.help.token"))
    ],
    eml: given.Eml = False,
    json: given.Json = False,
) -> None:
    """Answer a challenge by hand."""
    settings = config.load()
    signer = orders.Signer(settings)
    with store.change() as state:
        block, outgoing = orders.confirmation(signer, state, token)
        parcel = Parcel(settings, block, outgoing, eml=eml, json=json)
        parcel.post()
    parcel.finish("client.next.sync", did="confirm")
