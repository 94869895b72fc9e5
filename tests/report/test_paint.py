"""Colour of errors, programs and guides: the same text, with what matters set apart."""

from __future__ import annotations

import re

import pytest

from gradcli.diagnostics import Diagnostic, Source
from gradcli.report import paint
from gradcli.report.error import render

COLOURS = re.compile(r"\x1b\[[0-9;]*m")
ERROR = render(
    Diagnostic("name", "no 'maen'", "try mean", Source("program", "y = 1\nmaen(x)"), (6, 10))
)


@pytest.mark.parametrize(
    ("painter", "text"),
    [
        (paint.error, ERROR),
        (paint.error, "error[usage]: no program"),
        (paint.program, "# for x ()\nx = 2\nx_grad = 3 * x**2\n"),
        (paint.guide, "Heading\n  words | words\n\n    gradcli eval 'x' -s x=1\n"),
    ],
)
def test_nothing_but_colour_is_added(painter: object, text: str) -> None:
    assert callable(painter)
    painted = painter(text)
    assert painted != text
    assert COLOURS.sub("", painted) == text


def coloured(text: str) -> list[str]:
    """The pieces that have a colour."""
    return re.findall(r"\x1b\[[0-9;]+m(.*?)\x1b\[0m", text)


def test_what_stands_out() -> None:
    shown = coloured(paint.error(ERROR))
    assert shown[0] == "error[name]: "
    assert "^^^^" in shown
    assert "= help: " in shown
    assert coloured(paint.program("x = 2\nx_grad = x\n")) == ["x_grad"]
    assert coloured(paint.guide("Heading\n  words\n    gradcli\n")) == ["Heading", "    gradcli"]
