"""Nodes as short formulas over named values: `2 * x`, `mean(z, dim=0)`, `w[0:2, :]`.

Nodes that a formula leaves out have a name in it, and formulas of their own elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from itertools import count

import numpy as np

from gradcli.graph import Node
from gradcli.language.construct import name, unary
from gradcli.language.printer import print_expression
from gradcli.language.syntax import Expression
from gradcli.ops.control import BIND, LEAF
from gradcli.ops.elementwise import Elementwise
from gradcli.ops.kinds import CAST, is_promotion
from gradcli.ops.shaping import is_item
from gradcli.spelling.spell import spell

LONGEST = 120
"""No formula is longer than this if all of its operands are named: it would be hard to read."""


class Formulas:
    """Formulas of the nodes of one graph."""

    def __init__(
        self,
        names: Mapping[Node, str],
        constant: Callable[[Node], str | None],
        levels: int,
        taken: Collection[str] = (),
    ) -> None:
        """`constant` gives the text of constants that are written where they are used; formulas
        show `levels` ops below their node. New names are different from those that are `taken`.
        """
        self.names = dict(names)
        """All names, including those that formulas made for nodes that they leave out."""
        self._constant = constant
        self._levels = levels
        self._fresh = fresh_names({*self.names.values(), *taken})
        self._unused: list[str] = []

    def of(self, node: Node, width: int) -> str:
        """The op on its operands, these in turn as formulas where they have no name and that is
        not wider than `width`; empty where the language has no words for it.
        """
        text = ""
        for levels in range(self._levels, -1, -1):
            new: dict[Node, str] = {}
            expression = self._expression(node, levels, new)
            if expression is None:
                return ""
            text = print_expression(expression)
            if len(text) <= width:
                break
        if len(text) > max(width, LONGEST):
            return ""
        self.names |= new
        del self._unused[: len(new)]
        return text

    def title(self, node: Node) -> str:
        """The name of a node, a new one if it has none."""
        if node not in self.names:
            self.names[node] = self._unused.pop(0) if self._unused else next(self._fresh)
        return self.names[node]

    def _expression(self, node: Node, levels: int, new: dict[Node, str]) -> Expression | None:
        """The formula of a node; recurses `levels` deep at most, not counting ops without a
        text. Numbers that were drawn have none: another call draws others. Nor have ops of more
        operands than a formula has characters.
        """
        if (node.op.unique and not node.inputs) or len(node.inputs) > LONGEST:
            return None
        return spell(node, [self._operand(node, i, levels, new) for i in range(len(node.inputs))])

    def _operand(self, user: Node, place: int, levels: int, new: dict[Node, str]) -> Expression:
        node = user.inputs[place]
        if node not in self.names and _is_implied(user, place):
            node = node.inputs[0]
        while node.op in (LEAF, BIND) and node not in self.names:
            node = node.inputs[0]
        text = self._constant(node.inputs[0] if _is_exact(node) else node)
        if text is not None:
            return unary("-", name(text[1:])) if text.startswith("-") else name(text)
        if node in self.names:
            return name(self.names[node])
        free = is_item(user) or (node.op is CAST and node.inputs[0].op is not CAST)
        if levels or free:
            expression = self._expression(node, levels if free else levels - 1, new)
            if expression is not None:
                return expression
        if node not in new:
            if len(new) == len(self._unused):
                self._unused.append(next(self._fresh))
            new[node] = self._unused[len(new)]
        return name(new[node])


def _is_implied(user: Node, place: int) -> bool:
    """Whether an op casts an operand by itself: a condition, or to the kind of another operand."""
    cast = user.inputs[place]
    if not isinstance(user.op, Elementwise) or cast.op is not CAST:
        return False
    if place < user.op.conditions:
        return True
    return is_promotion(cast) and any(
        each.kind == cast.kind and each.op is not CAST for each in user.inputs
    )


def _is_exact(cast: Node) -> bool:
    """Whether a constant is cast to the very same numbers: `[0, 2]` as an index."""
    known = cast.inputs[0].known if cast.op is CAST else None
    if known is None:
        return False
    return np.array_equal(known.astype(cast.graph.dtype(cast.kind)), known, equal_nan=True)


def fresh_names(taken: Collection[str]) -> Iterator[str]:
    """`t1`, `t2`, … without those that are taken."""
    return (title for number in count(1) if (title := f"t{number}") not in taken)


def operands(node: Node, names: Mapping[Node, str]) -> list[Node]:
    """The nodes whose texts the formula of a node contains, each once."""
    below = node.inputs[0] if is_item(node) and node.inputs[0] not in names else node
    places = range(len(below.inputs))
    return list(dict.fromkeys(_operand(below, place, names) for place in places))


def _operand(node: Node, place: int, names: Mapping[Node, str]) -> Node:
    """What the text of an operand is about."""
    below = node.inputs[place]
    if below not in names and _is_implied(node, place):
        below = below.inputs[0]
    return _seen_through(below, names)


def defined_by(node: Node, names: Mapping[Node, str]) -> Node:
    """The nameless node that a node gives a name to, or else the node itself."""
    if node.op is not LEAF and node.op is not BIND:
        return node
    below = _seen_through(node.inputs[0], names)
    return node if below in names else below


def unsigned(node: Node) -> Node:
    """A constant below a change of kind or a minus, which are written with it."""
    while is_promotion(node) or _is_exact(node) or (node.op.infix == "-" and len(node.inputs) == 1):
        node = node.inputs[0]
    return node


def _seen_through(node: Node, names: Mapping[Node, str]) -> Node:
    """The node below nodes without a name that change no value: these need no line."""
    while node not in names and (node.op in (LEAF, BIND) or is_promotion(node)):
        node = node.inputs[0]
    return node
