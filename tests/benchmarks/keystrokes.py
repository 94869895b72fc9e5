"""How soon the language server answers while somebody types in a file of 500 lines.

    python -m tests.benchmarks.keystrokes [--strokes N] [--dense]

It speaks through pipes, as an editor does. A name is typed that has no value, a letter each 120 ms,
which is fast typing. For every letter a change is sent, and the names that it may begin are asked
for; the server offers them, and says that the name has no value once the program has run so far.
With `--dense` the digits of a number are typed, in a program that is right in each of its lines,
and the server says at its end what that number is now.
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

DIGITS = "23451"
"""They go on with a number."""


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


def dense_file() -> list[str]:
    """A program of 500 lines each of which computes with the one before; the last tells `typed`."""
    steps = (
        "h = tanh(h*0.9 + 0.1*x) - sigmoid(h)/(1 + h**2)",
        "h = softmax(h@w, dim=1)@transpose(w, 0, 1) + exp(-h**2)*sin(x)",
        "h = where(h > 0, h, 0.1*h) + log(1 + exp(h))*0.1",
        "h = h - mean(h, dim=0)/(std(h, dim=0) + 0.1) + clamp(h, -1, 1)",
        "h = cumsum(h, 0)*0.5 + 0.01*sum(h*x) + relu(h - 0.2)",
    )
    lines = ["x = [[0.5, 1, 2], [3, -1, 0.2]]", "w = [[1, 2], [0.1, 0.3], [0.2, -0.4]]", "h = x"]
    lines += [steps[place % len(steps)] for place in range(LINES - len(lines) - 2)]
    return [*lines, "mean(h**2)", "typed  #= 0"]


def typed_at(line: int, strokes: int, dense: bool) -> tuple[list[float], list[float], float]:
    """Seconds to the names that are offered, and to what is wrong, of the strokes for which they
    came before the next; and seconds of the processor for each stroke.
    """
    lines, before, typed = long_file(), "", TYPED
    if dense:
        lines, before, typed = dense_file(), "typed = 1", DIGITS
    lines.insert(line, before)
    server = Server()
    server.send("initialize", 1, processId=None, rootUri=None, capabilities={})
    server.send("initialized")
    document = {"uri": URI, "languageId": "gradcli", "version": 1, "text": "\n".join(lines)}
    server.send("textDocument/didOpen", textDocument=document)
    messages = server.until(time.perf_counter() + 60)
    next(each for _, each in messages if each.get("method") == "textDocument/publishDiagnostics")
    list(server.until(time.perf_counter() + 1))
    offered, told = [], []
    asked = {}
    used = server.processor_seconds()
    for stroke in range(strokes):
        count = stroke % len(typed)
        column = len(before) + count
        at = {"line": line, "character": column}
        end = at if count else {"line": line, "character": len(before) + len(typed)}
        change = {"range": {"start": at, "end": end}, "text": typed[count]}
        wanted = f"'{typed[: count + 1]}' has no value"
        if dense:
            wanted = f"got 1{typed[: count + 1]}.0:"
        began = asked[stroke + 9] = time.perf_counter()
        server.send("textDocument/didChange", textDocument={"uri": URI, "version": stroke + 2},
                    contentChanges=[change])  # fmt: skip
        behind = {"line": line, "character": column + 1}
        server.send("textDocument/completion", stroke + 9, textDocument={"uri": URI},
                    position=behind)  # fmt: skip
        for moment, message in server.until(began + PAUSE):
            if "id" in message:
                offered.append(moment - asked[message["id"]])
            elif wanted in str(message):
                told.append(moment - began)
    used = server.processor_seconds() - used
    server.end()
    return offered, told, used / strokes


def main() -> None:
    assert __doc__
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--strokes", type=int, default=120)
    parser.add_argument("--dense", action="store_true")
    asked = parser.parse_args()
    strokes = asked.strokes
    last = LINES - 1 if asked.dense else LINES  # the last line of a dense one tells what is typed
    for name, line in (("first line", 0), ("middle", LINES // 2), ("last line", last)):
        offered, told, used = typed_at(line, strokes, asked.dense)
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
