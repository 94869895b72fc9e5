"""The language server: what it tells, and that no text makes it fail."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pygls", reason="the language server needs the extra lsp")

from lsprotocol import types
from pygls.workspace import Workspace

from gradcli.integrations.lsp import Editor, offset, place
from gradcli.language.parser import ParseLimits, parse_program

URI = "file:///a.grad"


class Heard(Editor):
    """A server whose answers are kept rather than sent."""

    def __init__(self) -> None:
        super().__init__()
        self.protocol._workspace = Workspace(None)
        self.heard: list[list[types.Diagnostic]] = []

    def tell(self, uri: str, diagnostics: list[types.Diagnostic]) -> None:
        self.heard.append(diagnostics)

    def type(self, text: str) -> list[types.Diagnostic]:
        """What is wrong with a text, once it has run."""
        self.workspace.put_text_document(types.TextDocumentItem(URI, "gradcli", 1, text))
        run = self.changed(URI).result(60)
        if run is not None:
            run.result(60)
        return self.heard[-1]


@pytest.fixture(scope="module")
def editor() -> Heard:
    return Heard()


def test_errors_stand_where_they_are(editor: Heard) -> None:
    assert editor.type("x = [1, 2]\nsum(x)  #= 3\n") == []
    (syntax,) = editor.type("x = 3\ny = (x\n")
    assert (syntax.code, syntax.range.start) == ("syntax", types.Position(1, 4))
    (name,) = editor.type("x = 3\n  # ∂𝛼\r\ny = maen(x)\n")
    assert (name.code, name.range.start) == ("name", types.Position(2, 4))
    assert "did you mean 'mean'?" in name.message
    (missing,) = editor.type("y = 2 * x")
    assert missing.message.endswith("give it a value: x = …")  # a program has no flags
    (shape,) = editor.type("𝛼 = [1, 2]; 𝛼 @ ones(3)")  # each 𝛼 is two units of UTF-16
    assert shape.range.start.character == len("𝛼 = [1, 2]; ") + 1
    first, second = editor.type("x = [1, 2]\nx #= [1, 3]\nx * 2 #= [2, 4]\nx #! shape\n")
    assert "2 instead of 3 at [1]" in first.message
    assert second.range.start.line == 3
    (endless,) = editor.type("while True { x = 1 }")
    assert endless.code in ("limit-steps", "limit-time")
    assert endless.severity == types.DiagnosticSeverity.Warning


def test_what_is_told_last_is_of_the_last_text(editor: Heard) -> None:
    """Changes come faster than they are parsed, and than programs run."""
    for number in range(40):
        text = f"for i in range(300) {{ y = i }}\ny #= {number}\n" + "(" * (number % 2)
        editor.workspace.put_text_document(types.TextDocumentItem(URI, "gradcli", 1, text))
        asked = editor.changed(URI)
    run = asked.result(60)
    assert run is None  # its last bracket is open
    assert [each.code for each in editor.heard[-1]] == ["syntax"]
    (wrong,) = editor.type("y = 299\ny #= 38")
    assert wrong.message.startswith("expected 38, got 299")


def test_hover_tells_shape_value_and_derivative(editor: Heard) -> None:
    editor.type("x = [1, 2, 3]\ny = x**2\nx = y * 2\nz = sum(x)\n")

    def told(line: int, character: int) -> str:
        hover = editor.hover(URI, types.Position(line, character))
        return "" if hover is None else hover.contents.value

    # z = Σ 2·x², so dz/dx = 4·x for the first x, and 1 for the second.
    assert told(0, 0).split("\n")[1:4] == [
        "x: shape (3,)", "value       [1, 2, 3]", "derivative  [4, 8, 12]  of z",
    ]  # fmt: skip
    assert "derivative  [1, 1, 1]  of z" in told(2, 0)
    assert "derivative  [2, 2, 2]  of z" in told(1, 0)
    assert "a single value" in told(3, 0)
    assert told(3, 5).startswith("```text\nsum(x, dim=None")
    assert told(1, 7) == ""
    assert told(99, 99) == ""


def test_completion(editor: Heard) -> None:
    def offered(text: str) -> dict[str, types.CompletionItemKind | None]:
        editor.type(text)
        end = place(text, len(text))
        return {item.label: item.kind for item in editor.complete(URI, end).items}

    assert offered("weight = 3\nwe") == {"weight": types.CompletionItemKind.Variable}
    assert offered("soft")["softmax"] == types.CompletionItemKind.Function
    assert offered("x = 3\nx.requires_g") == {
        "requires_grad": types.CompletionItemKind.Property,
        "requires_grad_": types.CompletionItemKind.Method,
    }
    assert "while" in offered("wh")
    assert offered("x = 3 ") == {}


def test_layout(editor: Heard) -> None:
    editor.type("x=[1.,-2 ]# kept\ny =f( x,dim = 0 )**-2")
    edits = editor.layout(URI)
    assert edits is not None
    assert edits[0].new_text == "x = [1., -2]  # kept\ny = f(x, dim=0)**-2\n"
    editor.type("x = (")
    assert editor.layout(URI) is None


@pytest.mark.parametrize("text", ["", "a\nb", "a\r\nb𝛼c\rd", "∂\n\n"])
def test_places_and_back(text: str) -> None:
    for at in range(len(text) + 1):
        inside_line_end = text[at - 1 : at + 1] == "\r\n"
        assert inside_line_end or offset(text, place(text, at)) == at


# --- any text --------------------------------------------------------------------------------

PIECES = [
    "x", "y = ", "(", ")", "[", "]", "{", "}", "\n", "\r\n", "  ", "#= ", "#! ", "'", '"""', "1e9",
    "while True:", "for i in range(9999999):", "zeros(99999, 99999)", "𝛼", "\x00", "\ud800", ".",
    "x.T", "@", "**", "f(x) = f(x)", "f(1)", "if", "else", "def g(a):", "return", "backward()",
    "svd(rand(9, 9))", "\\", ";", ",", "=", "-", "±", "\u2028", "x.grad", "f'{x", "lambda: ",
]  # fmt: skip


def edits(editor: Heard, count: int, seed: int) -> None:
    """Random edits of a program, with questions at random places in between."""
    chance = random.Random(seed)
    start = Path("samples/recurrent_network.grad").read_text()
    text = start
    for number in range(count):
        at = chance.randrange(len(text) + 1)
        if chance.random() < 0.4:
            text = text[:at] + text[at + chance.randrange(1, 30) :]
        else:
            text = text[:at] + chance.choice(PIECES) + text[at:]
        if len(text) > 2000 or number % 50 == 0:
            text = start
        told = editor.type(text)
        assert not any("a bug of gradcli" in each.message for each in told), text
        position = types.Position(chance.randrange(30), chance.randrange(40))
        editor.hover(URI, position)
        editor.complete(URI, position)
        for edit in editor.layout(URI) or []:
            parse_program(editor.live[URI].program.source._replace(text=edit.new_text),
                          ParseLimits())  # fmt: skip


def test_random_edits(editor: Heard) -> None:
    edits(editor, 150, 1)


@pytest.mark.slow
def test_many_random_edits(editor: Heard) -> None:
    edits(editor, 10_000, 2)


# --- as an editor speaks ---------------------------------------------------------------------


def test_through_pipes() -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "gradcli", "lsp"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert process.stdin is not None
    assert process.stdout is not None

    def send(method: str, number: int | None = None, **params: Any) -> None:
        assert process.stdin is not None
        message = {"jsonrpc": "2.0", "method": method, "params": params}
        body = json.dumps(message if number is None else message | {"id": number}).encode()
        process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        process.stdin.flush()

    def receive() -> dict[str, Any]:
        assert process.stdout is not None
        length = 0
        while line := process.stdout.readline().strip():
            name, _, value = line.partition(b":")
            length = int(value) if name == b"Content-Length" else length
        answer: dict[str, Any] = json.loads(process.stdout.read(length))
        return answer

    send("initialize", 1, processId=None, rootUri=None, capabilities={})
    able = receive()["result"]["capabilities"]
    assert {"hoverProvider", "completionProvider", "documentFormattingProvider"} <= able.keys()
    send("initialized")
    document = {"uri": URI, "languageId": "gradcli", "version": 1, "text": "x = 3\nx**2 #= 9\n"}
    send("textDocument/didOpen", textDocument=document)
    assert receive()["params"]["diagnostics"] == []
    at = {"line": 1, "character": 8}
    change = {"range": {"start": at, "end": {"line": 1, "character": 9}}, "text": "8"}
    send("textDocument/didChange", textDocument={"uri": URI, "version": 2}, contentChanges=[change])
    (wrong,) = receive()["params"]["diagnostics"]
    assert wrong["message"].startswith("expected 8, got 9")
    place_of_x = {"line": 0, "character": 0}
    send("textDocument/hover", 2, textDocument={"uri": URI}, position=place_of_x)
    assert "derivative  6 " in receive()["result"]["contents"]["value"]
    send("shutdown", 3)
    assert receive()["result"] is None
    send("exit")
    assert process.wait(20) == 0
    assert process.communicate()[1] == b""
