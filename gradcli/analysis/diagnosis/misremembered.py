"""Derivatives of functions as textbooks write them, and as they are wrongly remembered."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import accumulate

from gradcli.algebra.rules import value_of
from gradcli.analysis.diagnosis.wording import Wording
from gradcli.graph import Node

SHIFTED = re.compile(r"\*\*\(n ([+-]) (\d)\)")
"""A power whose exponent is one less than n, or the like."""


def textbook(local: Node, node: Node, position: int, words: Wording) -> str:
    """The derivative of a node by the operand at a position, as textbooks write it, or as the
    shortest formula over names.
    """
    known = node.op.textbook
    own = _over(known[position], node, words) if position < len(known) else ""
    if len(known) == 1:
        return own
    nodes = (words.plain(local), local)  # the plain one may have lost the names
    written = [words.of(each) for each in nodes if words.spelled(each)]
    return min([*written, *([own] if own else [])], key=_length, default="") or words.of(local)


def _length(text: str) -> int:
    return len(text.replace(" ", ""))


def misremembered(node: Node, position: int, words: Wording) -> Iterator[tuple[str, Node]]:
    """Wrong derivatives of a node by an operand of its shape, as text and as nodes."""
    for text in node.op.misremembered[position] if node.op.misremembered else ():
        formula, comma, remark = text.partition(",")
        yield _over(formula, node, words) + comma + remark, value_of(formula, _names(node))


def _names(node: Node) -> dict[str, Node]:
    return {"x": node.inputs[0], "n": node.inputs[-1], "y": node}


def _over(formula: str, node: Node, words: Wording) -> str:
    """A formula of the op table over what a program calls its operands."""
    texts = {name: words.of(each) for name, each in _names(node).items()}
    if texts["n"].isdecimal():
        formula = SHIFTED.sub(
            lambda power: _power(int(texts["n"]) + int(power[1] + power[2])), formula
        ).replace("*x**0", "")
    put = str if re.search("[<>]", formula) else _atom  # nothing binds less than a comparison
    return re.sub(r"\b[xny]\b", lambda name: put(texts[name[0]]), formula)


def _power(exponent: int) -> str:
    return "" if exponent == 1 else f"**{exponent}" if exponent >= 0 else f"**({exponent})"


def _atom(text: str) -> str:
    """The text in parentheses, unless it is a name, a number or a call."""
    name, _, inside = text.partition("(")
    steps = ((each == "(") - (each == ")") for each in inside[:-1])
    is_call = text.endswith(")") and min(accumulate(steps), default=0) >= 0
    is_one = re.fullmatch(r"[\w.]+", name) and (name == text or is_call)
    return text if is_one else f"({text})"
