"""``recover``: come back with a new key after the old one was lost, or object to it."""

from __future__ import annotations

from typing import Annotated

import typer

from sigilpost_client import config, keys, orders, store
from sigilpost_client.commands import parameters as given
from sigilpost_client.commands.parcels import Parcel
from sigilpost_client.commands.requests import request
from sigilpost_client.config import Config
from sigilpost_client.words import text


def recover(
    new_key: Annotated[
        bool, typer.Option("--new-key", help=text("client.help.recover.new-key"))
    ] = False,
    no_passphrase: given.NoPassphrase = False,
    cancel: Annotated[
        bool, typer.Option("--cancel", help=text("client.help.recover.cancel"))
    ] = False,
    eml: given.Eml = False,
    json: given.Json = False,
) -> None:
    """Ask the server to believe this key instead of the one that was lost."""
    if cancel:
        _cancel(eml, json)
        return
    settings = config.load()
    if new_key:
        _make(settings, no_passphrase)
    _ask(settings, eml, json)


def _make(settings: Config, no_passphrase: bool) -> None:
    """A new key, protected as the old one was as far as that can be."""
    if settings.key.protection == "keyring":
        keys.set_aside()
        keys.make(keys.new_in_keyring(settings.player.address))
        return
    passphrase = keys.new_passphrase(none=no_passphrase)
    keys.set_aside()
    keys.make(passphrase)
    settings.key.protection = "passphrase" if passphrase else "none"
    config.save(settings)


def _ask(settings: Config, eml: bool, json: bool) -> None:
    from sigilpost_engine.wire.payloads import Recover

    signer = orders.Signer(settings)
    player = settings.player
    with store.change() as state:
        block = signer.sign(
            Recover,
            state.server.fingerprint,
            public=signer.key.public.hex,
            name=player.name,
            address=player.address,
        )
        outgoing = orders.mail(
            settings,
            block,
            subject=text("client.mail.recover-subject"),
            words=[text("client.mail.recover", name=player.name)],
        )
        state.registration.ask(signer.key.fingerprint)
        parcel = Parcel(settings, block, outgoing, eml=eml, json=json)
        parcel.post()
    parcel.finish("client.next.recover", did="recover")


def _cancel(eml: bool, json: bool) -> None:
    parcel = request(
        "recovery",
        ("cancel",),
        subject=text("client.mail.recover-cancel-subject"),
        words=text("client.mail.recover-cancel"),
        eml=eml,
        json=json,
    )
    parcel.finish("client.next.sync", did="cancel")
