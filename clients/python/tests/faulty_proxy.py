"""A proxy in front of the server, which breaks connections when a test says so."""

from __future__ import annotations

import contextlib
import socket
import threading
from types import TracebackType
from urllib.parse import urlsplit

from typing_extensions import Self


class FaultyProxy:
    def __init__(self, target: str) -> None:
        parts = urlsplit(target)
        self._target = (parts.hostname or "127.0.0.1", parts.port or 80)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self.lost_answers = 0
        """How many of the next answers don't arrive. The server gets the request."""
        self.is_silent = False
        """Whether bytes of answers are swallowed. The connections stay."""
        self.cut_after_bytes: int | None = None
        """Cuts the next connection that sends more bytes than this."""
        self.cuts = 0
        self._sockets: set[socket.socket] = set()
        self._lock = threading.Lock()

    def __enter__(self) -> Self:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._listener.close()
        self.cut_all()

    def cut_all(self) -> None:
        with self._lock:
            sockets, self._sockets = self._sockets, set()
        for each in sockets:
            _cut(each)
        self.cuts += 1

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                server = socket.create_connection(self._target)
                with self._lock:
                    self._sockets |= {client, server}
                threading.Thread(target=self._send, args=(client, server), daemon=True).start()
                threading.Thread(target=self._answer, args=(client, server), daemon=True).start()

    def _send(self, client: socket.socket, server: socket.socket) -> None:
        sent = 0
        with contextlib.suppress(OSError):
            while data := client.recv(65_536):
                sent += len(data)
                if self.cut_after_bytes is not None and sent > self.cut_after_bytes:
                    self.cut_after_bytes = None
                    break
                server.sendall(data)
        self._end(client, server)

    def _answer(self, client: socket.socket, server: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := server.recv(65_536):
                if self.lost_answers > 0:
                    self.lost_answers -= 1
                    break
                if not self.is_silent:
                    client.sendall(data)
        self._end(client, server)

    def _end(self, *sockets: socket.socket) -> None:
        self.cuts += 1
        with self._lock:
            self._sockets -= set(sockets)
        for each in sockets:
            _cut(each)


def _cut(each: socket.socket) -> None:
    with contextlib.suppress(OSError):
        each.shutdown(socket.SHUT_RDWR)
    each.close()
