"""A real HTTP server that speaks chat completions, and answers each call as a test says."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = tuple[int, dict[str, str], bytes]


@dataclass
class Chat:
    """What was asked, in order, and what answers: a function of the call's body and its number, from 1."""

    answer: Callable[[dict[str, Any], int], Answer]
    url: str = ""
    calls: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)


def mark_in(body: dict[str, Any]) -> str:
    """The mark that a call bears."""
    found = re.search(r"The mark of this request is ([0-9a-f]+)\.", body["messages"][1]["content"])
    assert found
    return found[1]


def said(content: str | None, finish: str = "stop", **message: Any) -> Answer:
    """A completion with that text."""
    choice = {"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": content, **message}}
    return 200, {}, json.dumps({"choices": [choice]}).encode()


def verdict(body: dict[str, Any], **members: Any) -> str:
    """A right answer to a call, with members changed."""
    right = {"request": mark_in(body), "verdict": "supported", "score": 0.9, "reason": "Passage 1 says so."}
    return json.dumps({**right, **members})


@contextmanager
def serving(answer: Callable[[dict[str, Any], int], Answer]) -> Iterator[Chat]:
    """Serves on a free port of this machine until it is left."""
    chat = Chat(answer)
    lock = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            with lock:
                chat.calls.append(body)
                chat.headers.append(dict(self.headers))
                number = len(chat.calls)
            state, headers, content = chat.answer(body, number)
            try:
                self.send_response(state)
                for name, value in {"Content-Length": str(len(content)), **headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(content)
            except ConnectionError:
                pass  # a client that waited long enough
            self.close_connection = True

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    chat.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    try:
        yield chat
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
