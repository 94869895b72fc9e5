"""Rounding in float32 where it shows: `torch.tensor(1e8) + 1 - 1e8` is 0 in PyTorch.

A run computes in float64. What a cell prints or looks at is computed once more as PyTorch computes
it, each tensor in its own dtype, while that is little work; where the two are far apart, PyTorch's
counts.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gradcli.diagnostics import GradcliError, Note
from gradcli.engine.evaluator import Evaluator
from gradcli.engine.kernels import kernel
from gradcli.graph import INPUT, LITERAL, Array, Node
from gradcli.ops.elementwise import Elementwise
from gradcli.ops.loops import Loop
from gradcli.trace.dtypes import Dtypes
from gradcli.trace.values import Values

_MOST = 500
"""So many nodes of a run are computed once more."""
_LARGEST = 10_000
"""Of at most so many elements each."""
_FAR = 1e-4
"""From this part of the largest element on, a difference shows."""
ROUNDS = Note(
    "dtype",
    "PyTorch computes in float32, whose rounding shows here: what is printed is rounded as there, "
    "values and grads of the answer are those of float64",
)


class _TooMuchError(Exception):
    """It would take too long, or depends on what is given at each run, or is LAPACK's, whose
    tolerances are of another precision, and the like.
    """


class SinglePrecision(Evaluator):
    """Values as PyTorch computes them."""

    def __init__(self, values: Values, dtypes: Dtypes) -> None:
        super().__init__({}, values.graph.ledger)
        self._dtypes = dtypes
        self._values = values
        self._left = _MOST

    def seen(self, node: Node, value: Array) -> Array:
        """The value of a node, which is `value` in float64, as PyTorch has it."""
        if node.kind == "int" or node.known is not None or node.size > _LARGEST or not self._left:
            return value
        values = self._values
        if values.any_pass is not None or values.mapped or values.of_complex is not None:
            return value
        if self._is_number(node) or node in values.arrays:  # NumPy computes in float64
            return value
        try:
            found = self.computed(node)
        except (_TooMuchError, GradcliError, np.linalg.LinAlgError):
            return value
        if not _is_far(found, value):
            return value
        if ROUNDS not in self._values.evaluator.remarks:
            self._values.evaluator.remarks.append(ROUNDS)
        return found.astype(value.dtype)

    def _unknown(self, node: Node) -> list[Node]:
        pending = {node}
        stack = [node]
        while stack:
            current = stack.pop()
            if self._is_barred(current) or len(pending) > self._left:
                self._left //= 2
                raise _TooMuchError
            for operand in current.inputs:
                if operand not in pending and self._known(operand) is None:
                    pending.add(operand)
                    stack.append(operand)
        self._left -= len(pending)
        return sorted(pending, key=lambda each: each.index)

    def _is_barred(self, node: Node) -> bool:
        """Whether it is large, given at each run, a loop, or LAPACK's."""
        op = node.op
        is_lapacks = op.work is not None and not isinstance(op, Elementwise)
        is_fed = op is INPUT or op is LITERAL or isinstance(op, Loop)
        return is_fed or is_lapacks or node.size > _LARGEST

    def _compute(self, node: Node, operands: Sequence[Array]) -> Array:
        floats = node.inputs if node.kind == "bool" else [node]
        precision = np.float32 if any(map(self._is_single, floats)) else np.float64
        given = [
            each.astype(precision, copy=False) if each.dtype.kind == "f" else each
            for each in operands
        ]
        call, before, after, count = kernel(node)
        value = np.asarray(call(*before, *given[:count], *after))
        return value.astype(precision, copy=False) if node.kind == "float" else value

    def _is_single(self, node: Node) -> bool:
        """Whether it is a tensor of float32: numbers of Python's have 64 bits."""
        is_single = node.kind == "float" and self._dtypes.known(node) == "float32"
        return is_single and not self._is_number(node)

    def _is_number(self, node: Node) -> bool:
        numbers = self._values.plain_numbers
        return numbers is not None and not node.shape and node in numbers


def _is_far(found: Array, value: Array) -> bool:
    """Whether a difference shows."""
    if value.dtype.kind != "f":
        return not np.array_equal(found, value)
    finite = np.isfinite(value)
    if not np.array_equal(np.where(finite, 0, value), np.where(np.isfinite(found), 0, found),
                          equal_nan=True):  # fmt: skip
        return True
    values, others = value[finite], found[finite]
    largest = np.abs(values).max(initial=0)
    return bool((np.abs(others - values) > _FAR * largest).any())
