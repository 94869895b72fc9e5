"""How soon the language server answers while somebody types in a file of 500 lines.

    python -m tests.benchmarks.keystrokes [--strokes N]

It speaks through pipes, as an editor does. A name is typed that has no value, a letter each 120 ms,
which is fast typing. For every letter a change is sent, and the names that it may begin are asked
for; the server offers them, and says that the name has no value once the program has run so far.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from queue import Empty, Queue
from threading import Thread
from typing import Any

LINES = 500
PAUSE = 0.12
"""Seconds between one stroke and the next."""
URI = "file:///typed.grad"
TYPED = "weighted_sums_of_all_the_hidden_layers"
"""No name of the program: what is wrong with it names the letters that are there."""


class Server:
    """A language server behind pipes."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "gradcli", "lsp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self.messages: Queue[tuple[float, dict[str, Any]]] = Queue()
        Thread(target=self._listen, daemon=True).start()

    def send(self, method: str, number: int | None = None, **params: Any) -> None:
        message = {"jsonrpc": "2.0", "method": method, "params": params}
        body = json.dumps(message if number is None else message | {"id": number}).encode()
        assert self._process.stdin
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self._process.stdin.flush()

    def _listen(self) -> None:
        stream = self._process.stdout
        assert stream
        length = 0
        while line := stream.readline():
            name, _, value = line.strip().partition(b":")
            if name == b"Content-Length":
                length = int(value)
            elif not name:
                self.messages.put((time.perf_counter(), json.loads(stream.read(length))))

    def until(self, last: float) -> Iterator[tuple[float, dict[str, Any]]]:
        """The messages that come up to a moment."""
        while (left := last - time.perf_counter()) > 0:
            try:
                yield self.messages.get(timeout=left)
            except Empty:
                return

    def processor_seconds(self) -> float:
        """What it has used of the processor; 0 where the system does not tell."""
        try:
            told = Path(f"/proc/{self._process.pid}/stat").read_text()
        except OSError:
            return 0.0
        user, system = told.rpartition(")")[2].split()[11:13]
        return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")

    def end(self) -> None:
        self._process.kill()
        self._process.wait()


def long_file() -> list[str]:
    """The scripts among the samples that train nothing, one after another, up to 500 lines."""
    scripts = [path.read_text() for path in sorted(Path("samples/seeds").glob("*.grad"))]
    lines = "".join(scripts).splitlines()
    return (lines * (LINES // len(lines) + 1))[:LINES]


def typed_at(line: int, strokes: int) -> tuple[list[float], list[float], float]:
    """Seconds to the names that are offered, and to what is wrong, of the strokes for which they
    came before the next; and seconds of the processor for each stroke.
    """
    lines = long_file()
    lines.insert(line, "")
    server = Server()
    server.send("initialize", 1, processId=None, rootUri=None, capabilities={})
    server.send("initialized")
    document = {"uri": URI, "languageId": "gradcli", "version": 1, "text": "\n".join(lines)}
    server.send("textDocument/didOpen", textDocument=document)
    list(server.until(time.perf_counter() + 4))
    offered, told = [], []
    asked = {}
    used = server.processor_seconds()
    for stroke in range(strokes):
        column = stroke % len(TYPED)
        at = {"line": line, "character": column}
        end = at if column else {"line": line, "character": len(TYPED)}
        change = {"range": {"start": at, "end": end}, "text": TYPED[column]}
        began = asked[stroke + 9] = time.perf_counter()
        server.send("textDocument/didChange", textDocument={"uri": URI, "version": stroke + 2},
                    contentChanges=[change])  # fmt: skip
        behind = {"line": line, "character": column + 1}
        server.send("textDocument/completion", stroke + 9, textDocument={"uri": URI},
                    position=behind)  # fmt: skip
        for moment, message in server.until(began + PAUSE):
            if "id" in message:
                offered.append(moment - asked[message["id"]])
            elif f"'{TYPED[: column + 1]}' has no value" in str(message):
                told.append(moment - began)
    used = server.processor_seconds() - used
    server.end()
    return offered, told, used / strokes


def main() -> None:
    assert __doc__
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--strokes", type=int, default=120)
    strokes = parser.parse_args().strokes
    for name, line in (("first line", 0), ("middle", LINES // 2), ("last line", LINES)):
        offered, told, used = typed_at(line, strokes)
        print(f"{name}: {1e3 * used:.0f} ms of the processor for each stroke")
        for what, seconds in (("names offered", offered), ("what is wrong", told)):
            print(f"  {what}: {len(seconds)} of {strokes} in time{_ranks(seconds)}")


def _ranks(seconds: list[float]) -> str:
    """How long most took, in milliseconds."""
    ranked = sorted(1e3 * each for each in seconds)
    shares = (50, 90, 95, 99, 100) if ranked else ()
    return "".join(
        f", {share} of 100 within {ranked[(len(ranked) * share - 1) // 100]:.0f} ms"
        for share in shares
    )


if __name__ == "__main__":
    main()
