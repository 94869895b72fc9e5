"""The cells of `samples/cells`, and how what they print is compared with what PyTorch printed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from _pytest.mark.structures import ParameterSet

CELLS = sorted((Path(__file__).parents[2] / "samples" / "cells").glob("*.py"))
RELATIVE, ABSOLUTE = 1e-4, 2e-4
"""PyTorch computes in float32 and prints four digits."""

_NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+\.?\d*(?:e[-+]?\d+)?|\.\d+)")
_NODE = re.compile(r"grad_fn=<[^>]*>")
"""Compositions may end on another node than PyTorch's."""


def titled(text: str) -> list[ParameterSet]:
    """Cells of a text, each below a line `### what it shows`, as parameters of a test. What stands
    before the first belongs to each of them.
    """
    before, *parts = re.split(r"^### (.+)\n", text, flags=re.MULTILINE)
    return [
        pytest.param(f"{before.lstrip()}{cell}", id=title)
        for title, cell in zip(parts[::2], parts[1::2], strict=True)
    ]


def difference(found: str, wanted: str) -> str:
    """How two outputs differ in their words or numbers; empty where they agree."""
    plain = (_NODE.sub("grad_fn", text) for text in (found, wanted))
    texts = [" ".join(text.split()) for text in plain]
    ours, theirs = (re.sub(r"\s", "", _NUMBER.sub(_kind, text)) for text in texts)
    if ours != theirs:
        return f"{texts[0]}\n  instead of\n{texts[1]}"
    for a, b in zip(*(map(float, _NUMBER.findall(text)) for text in texts), strict=True):
        if abs(a - b) > RELATIVE * max(abs(a), abs(b)) + ABSOLUTE:
            return f"{a} instead of {b} in {texts[0]}"
    return ""


def _kind(number: re.Match[str]) -> str:
    """Whether a number is written as an integer or a float."""
    return "1." if re.search("[.e]", number[0]) else "1"
