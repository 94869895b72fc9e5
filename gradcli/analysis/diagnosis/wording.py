"""The text for a node in a sentence: its name, a short formula, or the program's text."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from gradcli.analysis.diagnosis.claim import Claim
from gradcli.diagnostics import Source, Span
from gradcli.graph import CONSTANT, Array, Node
from gradcli.language.construct import NOWHERE, WHOLE, literal, name, number, subscript
from gradcli.language.printer import print_expression
from gradcli.language.syntax import Binary, Constant, Expression
from gradcli.ops.arithmetic import scale
from gradcli.ops.control import DETACH, LEAF
from gradcli.ops.selection import where
from gradcli.ops.shaping import EXPAND, RESHAPE
from gradcli.simplify import number_of, rebuilt, simplify
from gradcli.spelling.spell import spell
from gradcli.walks import ancestors

PI = "pi"
WIDEST = 60
STEPS = 16
"""The most steps of a formula in a sentence."""
SMALL = 4
"""The most elements of a constant that is written in full."""


class Wording:
    """Texts for the nodes of one program and of its gradient."""

    def __init__(
        self,
        names: Mapping[Node, str],
        source: Source,
        outputs: Sequence[Node],
        value: Callable[[Node], Array | None],
    ) -> None:
        """`names` are those of the program; `outputs` are its results; `value` folds constants."""
        self._value = value
        self._names = names
        self._source = source
        self._whole: dict[Span, Node] = {
            node.span: node for node in ancestors(outputs) if node.span is not None
        }
        """By place in the program: the node with the value of the expression there."""

    def of(self, node: Node) -> str:
        """The name of a node, or the formula that it stands for."""
        return self._names.get(node) or self.formula(node)

    def defined(self, node: Node) -> str:
        """`h = tanh(y)`, or only the formula if the node has no name."""
        name = self._names.get(node)
        return f"{name} = {self.formula(node)}" if name else self.formula(node)

    def is_named(self, node: Node) -> bool:
        """Whether the program has a name for it."""
        return node in self._names

    def is_written(self, node: Node) -> bool:
        """Whether it is the value of an expression of the program, not a step inside of one."""
        return node.span is not None and self._whole.get(node.span) is node

    def formula(self, node: Node) -> str:
        """What a node computes: as the program writes it, or over names."""
        if self.is_written(node):
            text = self._text(node)
            if 0 < len(text) <= WIDEST and not text.isidentifier():  # `T` alone says nothing
                return text
        return self.spelled(node) or self._part(node)

    def spelled(self, node: Node, steps: int = STEPS, widest: int = WIDEST) -> str | None:
        """A short formula over names; None where it would be long, or there are no words for it."""
        written: dict[Node, Expression] = {}
        for each in self._steps(node, steps):
            if each in self._names and each is not node:
                written[each] = name(self._names[each])
                continue
            made = self._expression(each, written)
            if made is None:
                return None
            written[each] = made
        text = print_expression(written[node]) if node in written else ""
        return text if 0 < len(text) <= widest else None

    def plain(self, node: Node) -> Node:
        """The node without arithmetic on constants."""
        return _plain(node, self._value)

    def _steps(self, node: Node, most: int) -> list[Node]:
        """The node and what it is computed from, down to names; nothing where that is much."""
        found = {node}
        stack = [node]
        while stack:
            current = stack.pop()
            if current in self._names and current is not node:
                continue
            for operand in current.inputs:
                if operand not in found:
                    found.add(operand)
                    stack.append(operand)
            if len(found) > most:
                return []
        return sorted(found, key=lambda each: each.index)

    def _expression(self, node: Node, written: Mapping[Node, Expression]) -> Expression | None:
        if node.op is CONSTANT:
            value = number_of(node)
            if value is not None:
                is_pi = value == math.pi and PI not in self._names.values()
                return name(PI) if is_pi else number(value)
            assert node.known is not None
            return literal(node.known) if node.size <= SMALL else None
        if any(each not in written for each in node.inputs):
            return None
        operands = [written[each] for each in node.inputs]
        if node.op in (DETACH, LEAF, EXPAND):
            return operands[0]
        if node.op is RESHAPE and node.inputs[0].ndim == 1 and node.ndim == 2 and 1 in node.shape:
            new = Constant(None, NOWHERE)
            return subscript(operands[0], [WHOLE, new] if node.shape[1] == 1 else [new, WHOLE])
        if node.op is scale.op:  # a product, with another rule for 0
            return Binary("*", operands[0], operands[1], NOWHERE, NOWHERE)
        return spell(node, operands)

    def _part(self, node: Node) -> str:
        """The expression that a node is part of, if it has no text of its own."""
        text = self._text(node)
        shown = text if len(text) <= WIDEST else f"{text[: WIDEST - 1]}…"
        of = "" if node.origin is None else "the derivative of "
        return f"(a part of {of}{shown})" if shown else "(a part of the gradient)"

    def place(self, node: Node) -> str:
        """The program's text that a node comes from, even if it is only a part of that."""
        return self._text(node) or self.formula(node)

    def _text(self, node: Node) -> str:
        """The program's text that the node, or the one it is a derivative of, comes from."""
        return " ".join(self._source.text[slice(*node.span)].split()) if node.span else ""


def wording(claim: Claim) -> Wording:
    """Texts for the nodes of a claim's program."""
    problem = claim.walk.problem
    names = {node: title for title, node in problem.names.items() if title in problem.program.names}
    names |= {node: title for title, node in problem.leaves.items()}
    names |= {node: title for title, node in claim.walk.vectors.items()}
    return Wording(names, problem.program.source, claim.walk.outputs, claim.points[0].value)


def _plain(node: Node, value: Callable[[Node], Array | None]) -> Node:
    """The node without arithmetic on numbers and without cases that constants decide."""
    done = simplify([node])[node]
    folded: dict[Node, Node] = {}
    known: set[Node] = set()
    for each in ancestors([done]):
        if each.op is CONSTANT:
            known.add(each)
        elif each.inputs and all(operand in known for operand in each.inputs):
            known.add(each)
            number = value(each) if each.size == 1 else None
            if number is not None:
                constant = number.astype(each.graph.dtype(each.kind)).reshape(each.shape)
                folded[each] = each.graph.constant(constant)
    (done,) = rebuilt([done], folded)
    decided = {}
    for each in ancestors([done]):
        condition = each.inputs[0] if each.op is where.op else None
        if condition is not None and condition.known is not None and not condition.shape:
            chosen = each.inputs[1 if condition.known else 2]
            if chosen.shape == each.shape:
                decided[each] = chosen
    (done,) = rebuilt([done], decided)
    return done
