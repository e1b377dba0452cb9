"""A TCP proxy on the loopback with which a test breaks connections as networks do."""

from __future__ import annotations

import contextlib
import select
import socket
import struct
import threading
from types import TracebackType

from tests.services.process import HOST

CHUNK = 65536


class TcpProxy:
    """Listens on ``port`` and passes each connection on to ``target``.

    ``freeze`` holds all bytes back with the connections open (a silent peer, as behind a router
    that forgot them); ``cut`` resets the open connections; ``refuse`` closes every new one at
    once. ``thaw`` and ``accept`` undo.
    """

    host = HOST

    def __init__(self) -> None:
        """Listen on a free port; without a target, connections are closed at once."""
        self.target: int | None = None
        self.connections = 0
        self._flowing = threading.Event()
        self._flowing.set()
        self._refusing = False
        self._pairs: set[tuple[socket.socket, socket.socket]] = set()
        self._lock = threading.Lock()
        self._server = socket.create_server((HOST, 0))
        self.port = int(self._server.getsockname()[1])

    def __enter__(self) -> TcpProxy:
        threading.Thread(target=self._serve, daemon=True).start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        # A close alone would not wake the thread in accept().
        with contextlib.suppress(OSError):
            self._server.shutdown(socket.SHUT_RDWR)
        self._server.close()
        self._flowing.set()
        self.cut()

    def freeze(self) -> None:
        """Pass no byte on in either direction, and tell nobody."""
        self._flowing.clear()

    def thaw(self) -> None:
        """Pass bytes on again, those held back first."""
        self._flowing.set()

    def refuse(self) -> None:
        """Reset new connections."""
        self._refusing = True

    def accept(self) -> None:
        """Take new connections again."""
        self._refusing = False

    def cut(self) -> None:
        """Reset all open connections (RST, no goodbye)."""
        with self._lock:
            pairs, self._pairs = self._pairs, set()
        for pair in pairs:
            for end in pair:
                _reset(end)

    def _serve(self) -> None:
        while True:
            try:
                client, _ = self._server.accept()
            except OSError:
                return
            self.connections += 1
            try:
                if self._refusing or self.target is None:
                    raise ConnectionRefusedError
                server = socket.create_connection((HOST, self.target), timeout=10)
                server.settimeout(None)
            except OSError:
                _reset(client)
                continue
            pair = (client, server)
            with self._lock:
                self._pairs.add(pair)
            threading.Thread(target=self._pass_on, args=pair, daemon=True).start()

    def _pass_on(self, client: socket.socket, server: socket.socket) -> None:
        other = {client: server, server: client}
        readable = {client, server}
        with contextlib.suppress(OSError, ValueError):
            while readable:
                # A time limit, so that a reset from another thread is noticed.
                ready, _, _ = select.select(list(readable), [], [], 0.2)
                self._flowing.wait()
                for end in ready:
                    if data := end.recv(CHUNK):
                        other[end].sendall(data)
                    else:
                        readable.discard(end)
                        other[end].shutdown(socket.SHUT_WR)
        with self._lock:
            self._pairs.discard((client, server))
        client.close()
        server.close()


def _reset(end: socket.socket) -> None:
    with contextlib.suppress(OSError):
        end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        # Wakes the thread that waits on it; the close that follows sends RST.
        end.close()
