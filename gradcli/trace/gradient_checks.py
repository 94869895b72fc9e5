"""`torch.autograd.gradcheck` and `gradgradcheck`: gradients of functions against differences."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from gradcli.diagnostics import GradcliError, RefusedError
from gradcli.graph import Array, Node, Shape
from gradcli.ops import FUNCTIONS
from gradcli.ops.control import leaf
from gradcli.trace.arguments import bind_names
from gradcli.trace.autograd import Autograd
from gradcli.trace.objects import Object
from gradcli.trace.special import Special
from gradcli.trace.tensor_text import PLAIN, with_suffixes
from gradcli.trace.values import Value

_STEPS = {"eps": 1e-6, "atol": 1e-5, "rtol": 1e-3}
"""How far inputs are moved, and how far gradients may be apart."""
_BESIDES = (
    "nondet_tol", "check_undefined_grad", "check_grad_dtypes", "check_batched_grad",
    "check_batched_forward_grad", "check_forward_ad", "check_backward_ad", "fast_mode", "masked",
)  # fmt: skip
"""What PyTorch may look at besides: here gradients are compared, one by one."""
_NONE_FOLLOWED = (
    "gradcheck expects at least one input tensor to require gradient, but none of them have "
    "requires_grad=True."
)
"""PyTorch's words."""


class GradientOf(Object):
    """The gradient of a function's value, of which each element has a weight of its own."""

    what = "a function"

    def __init__(self, autograd: Autograd, function: Object) -> None:
        self._autograd = autograd
        self._function = function

    def call(self, arguments: list[Any], keywords: dict[str, Any]) -> Any:
        autograd, values = self._autograd, self._autograd.values
        inputs = [
            each
            if not isinstance(each, Node) or each.kind != "float" or autograd.requires_grad(each)
            else leaf(each, marked=True)
            for each in arguments
        ]
        result = yield self._function.call(inputs, keywords)
        outputs = list(map(values.tensor, result if isinstance(result, tuple) else (result,)))
        weights: list[Node | None] = [
            values.graph.constant(np.linspace(0.5, 1.5, each.size).reshape(each.shape))
            for each in outputs
        ]
        wanted = [each for each in inputs if isinstance(each, Node) and each.kind == "float"]
        grads = autograd.grad(outputs, wanted, weights, True, True)
        return FUNCTIONS["cat"].build([FUNCTIONS["reshape"].build(each, -1) for each in grads], 0)


class GradientChecks:
    """The functions by name."""

    def __init__(self, autograd: Autograd) -> None:
        self._autograd = autograd
        self._values = autograd.values
        self.functions: dict[str, Special] = {
            "gradcheck": self._first_order,
            "gradgradcheck": self._second_order,
            "torch.autograd.gradgradcheck": self._second_order,
        }
        self.methods: dict[str, Special] = {}

    def _first_order(self, arguments: list[Value], keywords: dict[str, Value]) -> Any:
        names = ("func", "inputs", *_STEPS, "raise_exception", *_BESIDES)
        given = bind_names("gradcheck", names, arguments, keywords, names[2:])
        return self._checked(_function(given["func"], "gradcheck"), given)

    def _second_order(self, arguments: list[Value], keywords: dict[str, Value]) -> Any:
        names = ("func", "inputs", "grad_outputs", *_STEPS, "gen_non_contig_grad_outputs",
                 "raise_exception", *_BESIDES)  # fmt: skip
        given = bind_names("gradgradcheck", names, arguments, keywords, names[2:])
        function = _function(given["func"], "gradgradcheck")
        return self._checked(GradientOf(self._autograd, function), given)

    def _checked(self, function: Object, given: dict[str, Value]) -> Any:
        """Whether the gradients of a function agree with central differences."""
        listed, values = given["inputs"], self._values
        inputs = [listed] if isinstance(listed, Node) else list(values.elements(listed))
        if not self._followed(inputs):
            raise GradcliError("value", _NONE_FOLLOWED, hint="x.requires_grad_() before")
        eps, atol, rtol = (
            values.number(given[name], name) if name in given else usual
            for name, usual in _STEPS.items()
        )
        unlike = yield self._unlike(function, inputs, eps, (atol, rtol))
        raises = "raise_exception" not in given or values.truth(given["raise_exception"])
        if unlike and raises:
            raise RefusedError(
                ("GradcheckError", unlike), "assertion", unlike.rstrip(),
                hint="gradcli check compares them element by element",
            )  # fmt: skip
        return values.graph.constant(not unlike)

    def _unlike(
        self, function: Object, inputs: Sequence[Value], eps: float, within: tuple[float, float]
    ) -> Any:
        """What PyTorch says of the first Jacobian that is not like its differences; else nothing.

        As there, Jacobians have a row for each element of the input.
        """
        requires_grad = self._autograd.requires_grad
        outputs = yield self._outputs(function, inputs)
        followed = [each for each in enumerate(outputs) if requires_grad(each[1])]
        inspected = self._followed(inputs)
        found = []
        for node in inspected:
            found += [(yield self._differences(function, inputs, outputs, node, eps))]
        if not followed and any(each.any() for of_one in found for each in of_one):
            return "Numerical gradient for function expected to be zero"
        for number, (at, output) in enumerate(followed):
            for order, node in enumerate(inspected):
                exact, near = self._jacobian(output, node), found[order][at]
                if not np.allclose(exact, near, rtol=within[1], atol=within[0]):
                    return (
                        f"Jacobian mismatch for output {number} with respect to input {order},\n"
                        f"numerical:{self._shown(near, node)}\n"
                        f"analytical:{self._shown(exact, node)}\n"
                    )
        return ""

    def _followed(self, inputs: Sequence[Value]) -> list[Node]:
        """The inputs that require grad; the others may be anything."""
        requires_grad = self._autograd.requires_grad
        return [each for each in inputs if isinstance(each, Node) and requires_grad(each)]

    def _outputs(self, function: Object, inputs: Sequence[Value]) -> Any:
        """The results of a function that are floats."""
        result = yield function.call([*inputs], {})
        found = result if isinstance(result, tuple) else (result,)
        tensors = [self._values.tensor(each, "what the function returns") for each in found]
        return [each for each in tensors if each.kind == "float"]

    def _jacobian(self, output: Node, node: Node) -> Array:
        """The gradients of the elements of an output by a tensor, one in each column."""
        found = self._matrix(node.size, output.size)
        for column, weights in enumerate(_units(output.shape)):
            v = self._like(weights, output)
            (grad,) = self._autograd.grad([output], [node], [v], True, False)
            found[:, column] = self._values.evaluator.value(grad).ravel()
        return found

    def _differences(
        self, function: Object, inputs: Sequence[Value], outputs: Sequence[Node], node: Node,
        eps: float,
    ) -> Any:  # fmt: skip
        """How the elements of each result change with those of one input, one in each row."""
        start = self._values.evaluator.value(node)
        found = [self._matrix(start.size, each.size) for each in outputs]
        for row, unit in enumerate(_units(start.shape)):
            sides = []
            for moved in (start + eps * unit, start - eps * unit):
                new = leaf(self._like(moved, node), marked=True)
                given = [new if each is node else each for each in inputs]
                results = yield self._outputs(function, given)
                if [each.shape for each in results] != [each.shape for each in outputs]:
                    raise GradcliError(
                        "shape", "the function's results have other shapes for other inputs"
                    )
                sides.append(results)
            for matrix, *pair in zip(found, *sides, strict=True):
                up, down = map(self._values.evaluator.value, pair)
                matrix[row] = (up - down).ravel() / (2 * eps)
        return found

    def _matrix(self, rows: int, columns: int) -> Array:
        """Room for a Jacobian. Raises `limit-memory` where there is none."""
        graph = self._values.graph
        graph.ledger.require(3 * 8 * rows * columns, "a Jacobian", graph.span)
        return np.zeros((rows, columns))

    def _like(self, array: Array, node: Node) -> Node:
        """An array as a constant of the dtype of a tensor."""
        constant = self._values.graph.constant(array)
        dtypes = self._autograd.dtypes
        return constant if dtypes is None else dtypes.like(constant, node)

    def _shown(self, jacobian: Array, node: Node) -> str:
        """A Jacobian as PyTorch prints it, in the dtype of a tensor."""
        suffixes = self._values.suffixes(self._like(jacobian, node))
        return with_suffixes(jacobian, suffixes, self._values.style or PLAIN)


def _units(shape: Shape) -> Iterator[Array]:
    """Arrays with one element that is 1, each of them in turn."""
    for place in range(math.prod(shape)):
        unit = np.zeros(shape)
        unit.flat[place] = 1.0
        yield unit


def _function(value: Value, name: str) -> Object:
    if not isinstance(value, Object):
        raise GradcliError("type", f"{name} takes a function", hint=f"{name}(f, (x,))")
    return value
