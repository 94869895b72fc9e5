"""What is computed for many passes of a loop in one call, over columns: the values that a node has
in these passes, along a first axis.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Container, Iterable, Iterator, Sequence
from typing import NamedTuple

from gradcli.engine.products import is_large
from gradcli.graph import Node
from gradcli.ops.arithmetic import add
from gradcli.ops.axes import PERMUTE
from gradcli.ops.contractions import MATMUL
from gradcli.ops.elementwise import Elementwise
from gradcli.ops.loops import Carried

WORTH = 1 << 16
"""From this many multiplications of a pass on, a product is worth a column."""
FEWEST = 64
"""Of so many elements at least are terms that are added up row by row: NumPy adds single numbers up
in another order.
"""


def is_elementwise(node: Node, columns: Container[Node], inside: Container[Node]) -> bool:
    """Whether a step is elementwise, of columns with as many axes as it has, and of what is not
    `inside` the body.
    """
    if not isinstance(node.op, Elementwise):
        return False
    found = [operand in columns for operand in node.inputs]
    return any(found) and all(
        operand.ndim == node.ndim if column else operand not in inside
        for operand, column in zip(node.inputs, found, strict=True)
    )


def is_product(node: Node, columns: Container[Node], inside: Container[Node]) -> bool:
    """Whether a step is a large product of matrices, of columns and of what is not inside."""
    return (
        node.op is MATMUL
        and is_large(node, WORTH)
        and all(each.ndim == 2 and (each in columns or each not in inside) for each in node.inputs)
        and any(each in columns for each in node.inputs)
    )


class Sum(NamedTuple):
    """A large product that each pass adds to a value that is carried, and that no pass reads: the
    gradient of a weight is one. Many passes are added up at once, in the same order.
    """

    carried: Carried
    term: Node
    steps: list[Node]
    """What leads to the term alone, and the term."""

    @property
    def reads(self) -> list[Node]:
        """What the steps are computed from."""
        read = dict.fromkeys(each for node in self.steps for each in node.inputs)
        return [each for each in read if each not in self.steps]

    def is_of_columns(self, inside: Container[Node]) -> bool:
        """Whether each step is computed for many passes at once."""
        columns = {node for node in self.reads if node in inside}
        for node in self.steps:
            kinds = (
                node.op is PERMUTE,
                is_elementwise(node, columns, inside),
                is_product(node, columns, inside),
            )
            if not any(kinds):
                return False
            columns.add(node)
        return True


def sums(
    steps: Sequence[Node],
    carried: Iterable[Carried],
    asked: Collection[Node],
    inside: Collection[Node],
) -> Iterator[Sum]:
    """The sums among the steps of a body. What is `asked` for pass by pass is in none."""
    if not any(node.op is MATMUL and is_large(node, WORTH) for node in steps):
        return
    readers: dict[Node, list[Node]] = {}
    for node in steps:
        for operand in node.inputs:
            readers.setdefault(operand, []).append(node)
    carried = list(carried)
    nexts = Counter(each.next for each in carried)
    for each in carried:
        last = each.next
        if last.op is not add.op or nexts[last] > 1 or readers.get(each.node) != [last]:
            continue
        if last in readers or last in asked or each.node in asked or each.node in nexts:
            continue
        a, b = last.inputs
        term = b if a is each.node else a
        is_plain = term.op is MATMUL and term.shape == last.shape and term.size >= FEWEST
        if not is_plain or readers[term] != [last] or term in asked:
            continue
        found = Sum(each, term, _leading_to(term, steps, readers, {*asked, *nexts}))
        if found.is_of_columns(inside):
            yield found


def _leading_to(
    term: Node,
    steps: Sequence[Node],
    readers: dict[Node, list[Node]],
    asked: Collection[Node],
) -> list[Node]:
    """The term and the steps that lead to nothing else."""
    found = {term}
    for node in reversed(steps):
        if node in readers and node not in asked and found.issuperset(readers[node]):
            found.add(node)
    return [node for node in steps if node in found]
