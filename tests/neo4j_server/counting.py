"""A way to a server that counts the bytes that come back."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from urllib.parse import urlsplit


@dataclass
class Way:
    """A port of this machine that leads to the server; ``received`` are the bytes that the server sent through it."""

    port: int
    received: int = 0


@contextmanager
def counted(uri: str) -> Iterator[Way]:
    """Opens a way to the server at ``uri`` (``bolt://host:port``), until the block ends."""
    to = urlsplit(uri)
    assert to.hostname is not None
    assert to.port is not None
    address = to.hostname, to.port
    with socket.create_server(("127.0.0.1", 0)) as listening:
        way = Way(listening.getsockname()[1])

        def serve() -> None:
            # Closing the listening socket ends it.
            with suppress(OSError):
                while True:
                    client, _ = listening.accept()
                    server = socket.create_connection(address)
                    threading.Thread(target=_pump, args=(client, server, None), daemon=True).start()
                    threading.Thread(target=_pump, args=(server, client, way), daemon=True).start()

        threading.Thread(target=serve, daemon=True).start()
        yield way
        listening.shutdown(socket.SHUT_RDWR)


def _pump(source: socket.socket, target: socket.socket, way: Way | None) -> None:
    """Hands on what comes until one side ends."""
    with suppress(OSError), source, target:
        while some := source.recv(65536):
            if way is not None:
                way.received += len(some)
            target.sendall(some)
