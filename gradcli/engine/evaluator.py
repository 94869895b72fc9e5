"""Values that decide how a program goes on, computed while it is traced."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping

import numpy as np

from gradcli.diagnostics import GradcliError
from gradcli.engine.cpu import out_of_memory, placed
from gradcli.engine.kernels import kernel
from gradcli.engine.plan import nbytes, show_bytes
from gradcli.engine.regions import is_swept, reduction_alone
from gradcli.graph import CONSTANT, Array, Node


class Evaluator:
    """Values that the tracer looks at, one after another, each node computed once.

    Values are kept up to a number of bytes; what was dropped is computed again when needed.
    """

    def __init__(self, inputs: Mapping[Node, Array], memory: int) -> None:
        """`inputs` may give values of other nodes too, which are then not computed."""
        self._inputs = inputs
        self._memory = memory
        self._kept: OrderedDict[Node, Array] = OrderedDict()
        self._bytes = 0
        self._lowered: dict[Node, Node] = {}
        self.looked: list[Node] = []
        """The nodes that were asked for: a plan holds only while their values are the same."""

    def value(self, node: Node) -> Array:
        """The value of a node."""
        if node.op is not CONSTANT:
            self.looked.append(node)
        elif node.data is not None:
            return node.data
        known = self._known(node)
        if known is not None:
            return known
        pending = self._unknown(node)
        from gradcli.engine.blocks import RegionRunner  # most programs start sooner without
        from gradcli.engine.lowering import lower

        lower(pending, self._lowered)
        if node in self._lowered:
            node = self._lowered[node]
            pending = self._unknown(node)
        self._check_memory(pending)
        values: dict[Node, Array] = {}
        with np.errstate(all="ignore"):
            for current in pending:
                call, before, after, count = kernel(current)
                operands = []
                for operand in current.inputs[:count]:
                    value = values.get(operand)
                    operands.append(self._recall(operand) if value is None else value)
                if is_swept(current):  # in the order in which the plan sums
                    call = RegionRunner(reduction_alone(current), 1).reduced
                try:
                    values[current] = np.asarray(call(*before, *operands, *after))
                except GradcliError as error:
                    raise placed(error, current) from None
                except MemoryError:
                    raise out_of_memory(current) from None
        for current, value in values.items():
            self._keep(current, value)
        return values[node]

    def _known(self, node: Node) -> Array | None:
        if node.op is CONSTANT:
            return node.stored
        given = self._inputs.get(node)
        return self._kept.get(self._lowered.get(node, node)) if given is None else given

    def _recall(self, node: Node) -> Array:
        value = self._known(node)
        assert value is not None, "a pending node's operands are pending or known"
        return value

    def _unknown(self, node: Node) -> list[Node]:
        """The nodes to compute for `node`, operands first."""
        found = {node}
        stack = [node]
        while stack:
            for operand in stack.pop().inputs:
                if operand not in found and self._known(operand) is None:
                    found.add(operand)
                    stack.append(operand)
        return sorted(found, key=lambda each: each.index)

    def _check_memory(self, pending: list[Node]) -> None:
        needed = sum(nbytes(node) for node in pending if not node.op.view)
        if needed > self._memory:
            raise GradcliError(
                "limit-memory",
                f"a value that decides how the program goes on needs about {show_bytes(needed)}; "
                f"the limit is {show_bytes(self._memory)}",
                hint="--max-memory sets the limit",
                span=pending[-1].span,
            )

    def _keep(self, node: Node, value: Array) -> None:
        self._kept[node] = value
        self._bytes += value.nbytes
        while self._bytes > self._memory // 2:
            _, dropped = self._kept.popitem(last=False)
            self._bytes -= dropped.nbytes
