"""Running plans with NumPy."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import numpy as np

from gradcli.diagnostics import GradcliError
from gradcli.engine.plan import Plan, nbytes, show_bytes
from gradcli.graph import CONSTANT, INPUT, Array, Node
from gradcli.ops.table import Elementwise

Kernel: TypeAlias = Callable[..., Any]

SMALL = 1 << 16
"""Buffers below this many bytes are not worth freeing before the end of a run."""

POWERS: dict[float, Kernel] = {
    2.0: np.square,
    3.0: lambda x: x * x * x,
    4.0: lambda x: np.square(np.square(x)),
}
"""Exponents that are many times faster as products, and as exact."""


def kernel(node: Node) -> tuple[Kernel, tuple[Any, ...], tuple[Any, ...], int]:
    """How NumPy computes a node: the call, what goes before and after the operands, and how many
    of the operands it takes.
    """
    op = node.op
    if isinstance(op, Elementwise) and op.ufunc is not None:
        if op.ufunc == "power":
            exponent = node.inputs[1]
            if exponent.data is not None and exponent.shape == ():
                product = POWERS.get(float(exponent.data))
                if product is not None and len(node.inputs[0].shape) == len(node.shape):
                    return product, (), (), 1
        return getattr(np, op.ufunc), (), (), len(node.inputs)
    attributes = node.attributes
    if op.typed:
        attributes = (*attributes[:-1], node.graph.dtype(attributes[-1]))
    return op.forward, (np,), attributes, len(node.inputs)


class Engine:
    """A plan made ready for NumPy: a list of calls over numbered slots. It may run many times."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self._slots: dict[Node, int] = {}
        self._start: list[Any] = []
        self._inputs: list[tuple[int, Node]] = []
        for node in plan.sources:
            slot = self._slot(node.data)
            self._slots[node] = slot
            if node.op is INPUT:
                self._inputs.append((slot, node))
        constants: dict[int, int] = {}
        self._steps: list[tuple[Kernel, tuple[int, ...], int, tuple[int, ...]]] = []
        for node, dying in zip(plan.schedule, plan.dying, strict=True):
            call, before, after, count = kernel(node)
            arguments = [self._argument(value, constants) for value in before]
            arguments += [self._slots[operand] for operand in node.inputs[:count]]
            arguments += [self._argument(value, constants) for value in after]
            slot = self._slot(None)
            self._slots[node] = slot
            frees = tuple(
                self._slots[operand]
                for operand in dying
                if operand.op is not CONSTANT and nbytes(operand) > SMALL
            )
            self._steps.append((call, tuple(arguments), slot, frees))
        self._results = [self._slots[node] for node in plan.outputs]

    def _slot(self, value: Any) -> int:
        self._start.append(value)
        return len(self._start) - 1

    def _argument(self, value: Any, constants: dict[int, int]) -> int:
        """The slot of an attribute; the same object takes one slot."""
        key = id(value)
        if key not in constants:
            constants[key] = self._slot(value)
        return constants[key]

    def run(self, inputs: Mapping[Node, Array]) -> list[Array]:
        """The values of the plan's outputs, for given values of its inputs."""
        values = self._start.copy()
        for slot, node in self._inputs:
            values[slot] = inputs[node]
        slot = 0
        with np.errstate(all="ignore"):
            try:
                for call, arguments, slot, frees in self._steps:
                    values[slot] = call(*[values[i] for i in arguments])
                    for free in frees:
                        values[free] = None
            except GradcliError as error:
                raise _placed(error, self._node(slot)) from None
            except MemoryError:
                raise _out_of_memory(self._node(slot)) from None
        return [np.asarray(values[slot]) for slot in self._results]

    def _node(self, slot: int) -> Node:
        """The node whose value a slot holds."""
        return next(node for node, each in self._slots.items() if each == slot)


def run(plan: Plan, inputs: Mapping[Node, Array]) -> list[Array]:
    """Run a plan once."""
    return Engine(plan).run(inputs)


class Evaluator:
    """Values that the tracer looks at, one after another, each node computed once.

    Values are kept up to a number of bytes; what was dropped is computed again when needed.
    """

    def __init__(self, inputs: Mapping[Node, Array], memory: int) -> None:
        self._inputs = inputs
        self._memory = memory
        self._kept: OrderedDict[Node, Array] = OrderedDict()
        self._bytes = 0
        self.looked: list[Node] = []
        """The nodes that were asked for: a plan holds only while their values are the same."""

    def value(self, node: Node) -> Array:
        """The value of a node."""
        if node.op is not CONSTANT:
            self.looked.append(node)
        known = self._known(node)
        if known is not None:
            return known
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
                try:
                    values[current] = np.asarray(call(*before, *operands, *after))
                except GradcliError as error:
                    raise _placed(error, current) from None
                except MemoryError:
                    raise _out_of_memory(current) from None
        for current, value in values.items():
            self._keep(current, value)
        return values[node]

    def _known(self, node: Node) -> Array | None:
        if node.op is CONSTANT:
            return node.data
        if node.op is INPUT:
            return self._inputs[node]
        return self._kept.get(node)

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


def _placed(error: GradcliError, node: Node) -> GradcliError:
    """The error with the place in the program that the node comes from."""
    diagnostic = error.diagnostic
    if diagnostic.span is not None:
        return error
    return GradcliError(diagnostic.code, diagnostic.message, hint=diagnostic.hint, span=node.span)


def _out_of_memory(node: Node) -> GradcliError:
    return GradcliError(
        "limit-memory",
        f"there was no memory for {show_bytes(nbytes(node))}, the value of {node.op.name} "
        f"of shape {node.shape}",
        span=node.span,
    )
