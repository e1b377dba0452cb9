"""A proxy before a real server that makes it behave as some other servers do."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Callable, Iterator

from tests.services.process import HOST

Change = Callable[[bytes], bytes]


def same(data: bytes) -> bytes:
    """Change nothing."""
    return data


@contextlib.contextmanager
def between(
    target: int, *, asked: Change = same, answered: Change = same, lag: float = 0.0
) -> Iterator[int]:
    """Yield a port that leads to ``target``, through the two changes.

    With ``lag`` seconds, what the server says within that time arrives in one piece.
    """

    def forward(giver: socket.socket, taker: socket.socket, change: Change, lag: float) -> None:
        with contextlib.suppress(OSError):
            while data := giver.recv(65536):
                if lag:
                    time.sleep(lag)
                    with contextlib.suppress(BlockingIOError):
                        data += giver.recv(65536, socket.MSG_DONTWAIT)
                taker.sendall(change(data))
        for end in (giver, taker):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def serve() -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = listener.accept()
                server = socket.create_connection((HOST, target))
                for ends in ((client, server, asked, 0.0), (server, client, answered, lag)):
                    threading.Thread(target=forward, args=ends, daemon=True).start()

    listener = socket.create_server((HOST, 0))
    threading.Thread(target=serve, daemon=True).start()
    try:
        yield listener.getsockname()[1]
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
