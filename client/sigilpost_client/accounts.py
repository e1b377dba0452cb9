"""Accounts at mail servers, as people name them."""

from __future__ import annotations

from typing import Any

from sigilpost_client import config
from sigilpost_client.errors import Unusable
from sigilpost_engine.core.messages import say

LOOPBACK = ("localhost", "127.0.0.1", "::1")
IMPLICIT_TLS = (993, 465)
PLAIN_PORTS = (143, 587, 25)


def host_and_port(given: str) -> tuple[str, int]:
    """Read ``HOST[:PORT]``, port 0 where none is named; an IPv6 address with a port stands in
    brackets (RFC 3986). Raises Unusable."""
    host, colon, figures = given.rpartition(":")
    if not colon or (host.count(":") and not host.endswith("]")):
        return given.strip("[]"), 0
    if not figures.isascii() or not figures.isdigit() or not 0 < int(figures) < 65536:
        raise Unusable(say("client.error.port", given=given), say("client.remedy.port"))
    return host.strip("[]"), int(figures)


def account(given: str, security: str, user: str) -> dict[str, Any]:
    """The settings of an account at ``given``, ``security`` "" for what is usual. Raises
    Unusable."""
    host, port = host_and_port(given)
    if security and security not in config.SECURITIES:
        raise Unusable(config.no_such_word("--…-security", security, config.SECURITIES))
    security = security or usual_security(host, port)
    return {"host": host, "port": port, "security": security, "user": user}


def usual_security(host: str, port: int) -> str:
    """What is safe and usual (RFC 8314); nothing only towards this very machine."""
    if port in IMPLICIT_TLS:
        return "tls"
    if port in PLAIN_PORTS:
        return "starttls"
    if host in LOOPBACK:
        return "none"
    return "starttls" if port else "tls"


def is_here(given: str) -> bool:
    """Whether a server runs on this very machine. Raises Unusable."""
    return host_and_port(given)[0] in LOOPBACK
