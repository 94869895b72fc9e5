"""Derivatives of functions as textbooks write them, and as they are wrongly remembered."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from gradcli.algebra.rules import value_of
from gradcli.analysis.diagnosis.wording import Wording
from gradcli.graph import Node

SHIFTED = re.compile(r"\*\*\(n ([+-]) (\d)\)")
"""A power whose exponent is one less than n, or the like."""


def textbook(local: Node, node: Node, words: Wording) -> str:
    """A local derivative as textbooks write it."""
    if len(node.op.textbook) == 1:
        texts = {name: words.of(each) for name, each in _names(node).items()}
        return _over(node.op.textbook[0], texts)
    written = [words.spelled(each) for each in (words.plain(local), local)]  # names may be lost
    return min((each for each in written if each), key=len, default="") or words.of(local)


def misremembered(node: Node, position: int, words: Wording) -> Iterator[tuple[str, Node]]:
    """Wrong derivatives of a node by an operand of its shape, as text and as nodes."""
    if not node.op.misremembered:
        return
    texts = {name: _atom(words.of(each)) for name, each in _names(node).items()}
    for text in node.op.misremembered[position]:
        formula, comma, remark = text.partition(",")
        yield _over(formula, texts) + comma + remark, value_of(formula, _names(node))


def _names(node: Node) -> dict[str, Node]:
    return {"x": node.inputs[0], "n": node.inputs[-1], "y": node}


def _over(formula: str, texts: Mapping[str, str]) -> str:
    """A formula of the op table over what a program calls its operands."""
    if texts["n"].isdecimal():
        formula = SHIFTED.sub(
            lambda power: _power(int(texts["n"]) + int(power[1] + power[2])), formula
        )
    return re.sub(r"\b[xny]\b", lambda name: texts[name[0]], formula)


def _power(exponent: int) -> str:
    return "" if exponent == 1 else f"**{exponent}" if exponent >= 0 else f"**({exponent})"


def _atom(text: str) -> str:
    """The text in parentheses, unless it is a name, a number or a call."""
    return text if re.fullmatch(r"[\w.]+(\([^()]*\))?", text) else f"({text})"
