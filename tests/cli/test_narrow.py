"""What commands print at a terminal of 60 columns keeps to them, and breaks no word."""

from __future__ import annotations

import re

import pytest

from gradcli.cli.help import TOPICS
from gradcli.ops import FUNCTIONS
from gradcli.report.prose import narrowed
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
KEPT = re.compile(r"example  gradcli eval '.*|(         )?--(set|gradient) \S+( \\)?")
"""Commands to copy."""
WIPED = re.compile(r"\r\x1b\[K[^\r\n]*(?=\r\x1b\[K)|\r\x1b\[K")
"""How much is done, which the answer takes the place of."""


def long_lines(text: str) -> list[str]:
    plain = WIPED.sub("", re.sub(r"\x1b\[[0-9;]*m", "", text)).replace("\r\n", "\n")
    lines = [line.rstrip() for line in plain.split("\n")]
    return [line for line in lines if len(line) > 60 and not KEPT.match(line)]


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
    """All lines except those to be typed, which fit 80; no word is lost."""
    text = gradcli("help", topic).out
    assert max(map(len, text.split("\n"))) <= 80
    narrow = narrowed(text, 60)
    prose = "\n".join(line for line in narrow.split("\n") if not line.startswith("    "))
    assert long_lines(prose) == []
    assert narrow.split() == text.split()
    assert narrowed(text, max(map(len, text.split("\n")))) == text


def test_pages_of_functions_fit_60_columns() -> None:
    from gradcli.analysis.catalogue import describe
    from gradcli.report.text_catalogue import render_page

    for name in [*FUNCTIONS][::25]:
        assert long_lines(render_page(describe(name), width=60, colour=False)) == []
