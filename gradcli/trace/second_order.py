"""`torch.autograd.gradgradcheck`: gradients of gradients against differences."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.diagnostics import GradcliError
from gradcli.graph import Node
from gradcli.ops import FUNCTIONS
from gradcli.ops.control import leaf
from gradcli.trace.arguments import bind_names
from gradcli.trace.autograd import Autograd
from gradcli.trace.autograd_calls import AutogradCalls
from gradcli.trace.objects import Object
from gradcli.trace.special import Special
from gradcli.trace.values import Value


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


class SecondOrder:
    """The function by its name."""

    def __init__(self, autograd: Autograd) -> None:
        self._autograd = autograd
        self._calls = AutogradCalls(autograd)
        self.functions: dict[str, Special] = {
            "gradgradcheck": self._check,
            "torch.autograd.gradgradcheck": self._check,
        }
        self.methods: dict[str, Special] = {}

    def _check(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        names = ("func", "inputs", "grad_outputs", "eps", "atol", "rtol")
        given = bind_names("gradgradcheck", names, arguments, keywords, names[2:])
        function = given.pop("func")
        given.pop("grad_outputs", None)
        if not isinstance(function, Object):
            raise GradcliError("type", "gradgradcheck takes a function")
        gradient = GradientOf(self._autograd, function)
        return self._calls.functions["gradcheck"]([gradient, given.pop("inputs")], given)
