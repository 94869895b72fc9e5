"""What commands print at a terminal of 60 columns keeps to them, and breaks no word."""

from __future__ import annotations

import re
import subprocess

import pytest

from gradcli.analysis.messages import MESSAGES, Explained, Message
from gradcli.cli.app import COMMANDS as COMMANDS_OF_GRADCLI
from gradcli.cli.help import TOPICS
from gradcli.ops import FUNCTIONS
from gradcli.report.layout import Layout
from gradcli.report.messages import write_text
from gradcli.report.prose import narrowed
from gradcli.report.typed import command_lines, quoted
from tests.cli.conftest import Runner
from tests.cli.terminal import Terminal

X = ("-s", "x=[[1.123456,2],[3,4]]")
COMMANDS = (
    (0, "eval", "y = exp(x); out = mean(y)", *X),
    (3, "eval", "y = exp(x)", *X),
    (3, "eval", f"y = {'tanh(x) + ' * 9}foo(x) + {'tanh(x) + ' * 9}x", *X),
    (3, "eval", "sum(x @ w)", *X, "-s", "w=1,2,3"),
    (2, "derive", "sum(x)", *X, "--shape", "x=n"),
    (0, "derive", "sum(tanh(x)**2)", *X),
    (0, "derive", "x.T @ A @ x", "--shape", "A=n,n", "--shape", "x=n"),
    (0, "check", "out = mean(exp(x)) * sum(x**2) / 1e9", *X),
    (1, "check", "a_long_name = sum(x**3)", *X, "--mine", "x=3*x"),
    (0, "check", "sum(a_long_name_of_a_leaf**2) * 1e-30", "-s", "a_long_name_of_a_leaf=1e-5,2"),
    (0, "jacobian", "tanh(x)", *X),
    (0, "hessian", "sum(tanh(x) * x[0])", *X),
    (0, "explain", "sum(tanh(x) * sinh(x)**2 / cosh(x))", *X),
    (0, "ops", "interpolate"),
    (0, "ops", "scaled_dot_product_attention"),
)
WIPED = re.compile(r"\r\x1b\[K[^\r\n]*(?=\r\x1b\[K)|\r\x1b\[K")
"""How much is done, which the answer takes the place of."""


def long_lines(text: str) -> list[str]:
    plain = WIPED.sub("", re.sub(r"\x1b\[[0-9;]*m", "", text)).replace("\r\n", "\n")
    lines = [line.rstrip() for line in plain.split("\n")]
    return [line for line in lines if len(line) > 60]


@pytest.mark.one_in(3)
@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: " ".join(command[1:])[:40])
def test_commands_fit_60_columns(command: tuple[int, *tuple[str, ...]]) -> None:
    code, *arguments = command
    shown = Terminal(*arguments, streams=("stdout", "stderr"), columns=60, TERM="dumb").rest(code)
    assert len(shown.split("\n")) > 2
    assert long_lines(shown) == []


@pytest.mark.one_in(4)
@pytest.mark.parametrize("topic", [each for each in TOPICS if each != "man"])
def test_guides_fit_60_columns(topic: str, gradcli: Runner) -> None:
    """No word is lost, and commands that go on in further lines are the same for a shell."""
    text = gradcli("help", topic).out
    assert max(map(len, text.split("\n"))) <= 80
    narrow = narrowed(text, 60)
    assert long_lines(narrow) == []
    assert _words(narrow) == _words(text)
    assert narrowed(text, max(map(len, text.split("\n")))) == text


def _words(text: str) -> list[str]:
    """A backslash at the end of a line joins it with the next for a shell."""
    return text.replace("\\\n", " ").split()


@pytest.mark.one_in(3)
@pytest.mark.parametrize("command", ["", *COMMANDS_OF_GRADCLI])
def test_help_fits_60_columns(command: str) -> None:
    arguments = [command, "--help"] if command else ["--help"]
    assert long_lines(Terminal(*arguments, streams=("stdout",), columns=60).rest()) == []


@pytest.mark.parametrize("words", [("echo", "a b", "-s", 'x="1"', "--flag", "c d  e", "#", "z")])
@pytest.mark.parametrize("width", [12, 20, 30, 60])
def test_commands_in_several_lines_are_one_for_a_shell(words: tuple[str, ...], width: int) -> None:
    text = " ".join(map(quoted, words))
    script = "\n".join(command_lines([text], width)).replace("echo", "printf '%s|'", 1)
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True)
    assert [" ".join(each.split()) for each in done.stdout.split("|")[:-1]] == [
        " ".join(each.split()) for each in words[1:]
    ]


@pytest.mark.parametrize("message", MESSAGES, ids=lambda message: message.meaning[:30])
def test_messages_of_pytorch_fit_60_columns(message: Message) -> None:
    text = re.sub(r"\\[dwS][+*]?", "1", message.pattern)
    code = "loss = criterion(model(inputs.to(device)), targets.to(device).long())"
    told = Explained(f"{text} and more words " * 2, message.meaning, message.remedy, 3, code)
    narrow, wide = ("".join(write_text(told, Layout(width))) for width in (60, 80))
    assert [each for each in narrow.split("\n") if len(each) > 60 and " " in each.strip()] == []
    assert sorted(narrow.split()) == sorted(wide.split())


def test_pages_of_functions_fit_60_columns() -> None:
    from gradcli.analysis.catalogue import describe
    from gradcli.report.text_catalogue import render_page

    for name in [*FUNCTIONS][::25]:
        assert long_lines(render_page(describe(name), width=60, colour=False)) == []
