"""The player's key: ``key show``, ``export``, ``rotate``, ``revoke``."""

from __future__ import annotations

from typing import Annotated

import typer

from sigilpost_client import config, files, keys, orders, store
from sigilpost_client.commands import parameters as given
from sigilpost_client.commands.consent import be_sure
from sigilpost_client.commands.parcels import Parcel
from sigilpost_client.errors import Unusable
from sigilpost_client.screen import plain
from sigilpost_client.spoken import Command, Group
from sigilpost_client.words import text
from sigilpost_engine.core.messages import say
from sigilpost_engine.wire.keys import grouped

app = typer.Typer(cls=Group, add_completion=False, no_args_is_help=True)


@app.command(cls=Command, help=text("client.help.key.show"))
def show(json: given.Json = False) -> None:
    """The fingerprints of the own key and of the server's."""
    key = keys.load(config.load())
    server = store.read().server
    if json:
        plain.dump(
            {
                "key": key.fingerprint,
                "public": key.public.hex,
                "server": server.fingerprint,
                "file": str(keys.path()),
            }
        )
        return
    plain.say("client.key.own", fingerprint=grouped(key.fingerprint))
    if server.fingerprint:
        plain.say("client.key.server", fingerprint=grouped(server.fingerprint))
    else:
        plain.say("client.key.no-server")


@app.command(cls=Command, help=text("client.help.key.export"))
def export(
    file: Annotated[
        str,
        typer.Argument(
            metavar=text("client.metavar.file"), help=text("client.help.key.export.file")
        ),
    ],
    no_passphrase: given.NoPassphrase = False,
) -> None:
    """A copy of the private key, for another machine or a safe place."""
    key = keys.load(config.load())
    target = files.named(file)
    if target.exists():
        raise Unusable(say("client.error.file-exists", path=file), say("client.remedy.file-exists"))
    passphrase = keys.new_passphrase(none=no_passphrase)
    try:
        files.write(target, key.to_pem(passphrase))
    except OSError as fault:
        raise Unusable(
            say("client.error.file", path=file, why=fault.strerror or str(fault)),
            say("client.remedy.file"),
        ) from fault
    plain.say("client.done.exported", path=str(target))


@app.command(cls=Command, help=text("client.help.key.rotate"))
def rotate(eml: given.Eml = False, json: given.Json = False) -> None:
    """Put a new key in the old one's place, signed by both. It counts once the server says so."""
    import secrets
    import time

    from sigilpost_engine.wire import payloads

    settings = config.load()
    old, passphrase = keys.load_with_passphrase(settings)
    with store.change() as state:
        server = orders.server_of(settings, state)
        new = keys.next_key(passphrase)
        payload = payloads.rotation(
            new,
            server=server,
            key=old.fingerprint,
            nonce=secrets.token_hex(orders.NONCE_BYTES),
            made=int(time.time()),
        )
        block = payloads.sign(payload, old)
        state.next_key = new.fingerprint
        outgoing = orders.mail(
            settings,
            block,
            subject=text("client.mail.rotate-subject"),
            words=[text("client.mail.rotate", key=grouped(new.fingerprint))],
        )
        parcel = Parcel(settings, block, outgoing, eml=eml, json=json)
        parcel.post()
    parcel.finish("client.next.rotated", did="rotate", key=new.fingerprint)


@app.command(cls=Command, help=text("client.help.key.revoke"))
def revoke(
    reason: Annotated[
        str,
        typer.Option(
            "--reason", metavar=text("client.metavar.text"), help=text("client.help.key.reason")
        ),
    ] = "",
    yes: given.Yes = False,
    eml: given.Eml = False,
    json: given.Json = False,
) -> None:
    """Have the key never believed again: it was stolen, or seen."""
    from sigilpost_engine.wire.payloads import Revoke

    settings = config.load()
    be_sure(text("client.ask.revoke"), yes=yes)
    signer = orders.Signer(settings)
    with store.change() as state:
        server = orders.server_of(settings, state)
        block = signer.sign(Revoke, server, reason=reason)
        outgoing = orders.mail(
            settings,
            block,
            subject=text("client.mail.revoke-subject"),
            words=[text("client.mail.revoke", key=grouped(signer.key.fingerprint))],
        )
        parcel = Parcel(settings, block, outgoing, eml=eml, json=json)
        parcel.post()
    parcel.finish("client.next.revoked", did="revoke", key=signer.key.fingerprint)
