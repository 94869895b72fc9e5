"""`torch.nn.init` and `torch.nn.utils`: new values for parameters, and limits for their grads."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from gradcli.diagnostics import GradcliError, RefusedError
from gradcli.graph import Node
from gradcli.ops import FUNCTIONS, f
from gradcli.ops.control import DETACH, detach, leaf
from gradcli.ops.kinds import zeros_like
from gradcli.ops.shapes import show
from gradcli.trace.arguments import bind_names
from gradcli.trace.autograd import Autograd
from gradcli.trace.dtypes import kept
from gradcli.trace.items import Items
from gradcli.trace.objects import Given, Object, is_row
from gradcli.trace.special import Special
from gradcli.trace.values import Value

_FANS = "Fan in and fan out can not be computed for tensor with fewer than 2 dimensions"
"""What PyTorch says of those."""


class ParameterCalls:
    """The functions by name."""

    def __init__(
        self,
        autograd: Autograd,
        call: Callable[[str, list[Value], Given], Any],
        replace: Callable[[Node, Node], None],
        write: Callable[[Node, Node], Any],
    ) -> None:
        """`replace` puts a leaf in the place of another, `write` writes into any tensor."""
        self.autograd = autograd
        self.values = autograd.values
        self._call = call
        self._replace = replace
        self._write = write
        of_number = {"zeros_": 0.0, "ones_": 1.0, "constant_": None}
        self.functions: dict[str, Special] = {
            **{
                f"torch.nn.init.{name}": partial(self._filled, value)
                for name, value in of_number.items()
            },
            "torch.nn.init.uniform_": self._uniform,
            "torch.nn.init.normal_": self._normal,
            "torch.nn.init.eye_": self._eye,
            "torch.nn.init.kaiming_uniform_": partial(self._kaiming, "rand"),
            "torch.nn.init.kaiming_normal_": partial(self._kaiming, "randn"),
            "torch.nn.init.xavier_uniform_": partial(self._by_fans, "rand", 6.0),
            "torch.nn.init.xavier_normal_": partial(self._by_fans, "randn", 2.0),
        }
        self.functions |= {name.removesuffix("_"): own for name, own in self.functions.items()}
        self.functions |= {
            "torch.nn.utils.parameters_to_vector": self._to_vector,
            "torch.nn.utils.clip_grad_norm_": self._clip_norm,
            "torch.nn.utils.clip_grad_norm": self._clip_norm,  # its name of old
            "torch.nn.utils.clip_grad_value_": self._clip_value,
            "torch.nn.utils.get_total_norm": self._total_norm,
            "torch.nn.utils.clip_grads_with_norm_": self._clip_with_norm,
        }

    def _numbers(
        self, names: Sequence[str], defaults: Sequence[float], arguments: list[Value], given: Given
    ) -> tuple[Node, list[float]]:
        """The tensor, and the numbers behind it."""
        found = bind_names("init", ("tensor", *names), arguments, given, names)
        pairs = zip(names, defaults, strict=True)
        numbers = [
            self.values.number(found[name], name) if name in found else value
            for name, value in pairs
        ]
        return self.values.tensor(found["tensor"], "the parameter"), numbers

    def put(self, node: Node, value: Node) -> Node:
        """Give a parameter, or another tensor, a new value, which is not recorded."""
        if node.op is DETACH and node not in self.values.copies:  # layer.weight.data
            node = node.inputs[0]
        if not self.autograd.is_leaf(node):
            records = self.autograd.records()
            self.autograd.set_records(False)
            self._write(node, detach(value))
            self.autograd.set_records(records)
            return self.values.current(node)
        new = leaf(detach(kept(self.autograd.dtypes, value, node)), marked=True)
        self._replace(node, new)
        return new

    def _filled(self, value: float | None, arguments: list[Value], keywords: Given) -> Value:
        names = ("val",) if value is None else ()
        node, numbers = self._numbers(names, [0.0] * len(names), arguments, keywords)
        number = numbers[0] if value is None else value
        return self.put(node, zeros_like(node) + number)

    def drawn(self, name: str, node: Node) -> Node:
        """Random numbers in the shape of a tensor."""
        lengths: list[Value] = [self.values.graph.constant(float(each)) for each in node.shape]
        return self.values.tensor(self._call(name, lengths, {}))

    def _uniform(self, arguments: list[Value], keywords: Given) -> Value:
        node, (a, b) = self._numbers(("a", "b"), (0.0, 1.0), arguments, keywords)
        return self.put(node, self.drawn("rand", node) * (b - a) + a)

    def _normal(self, arguments: list[Value], keywords: Given) -> Value:
        node, (mean, std) = self._numbers(("mean", "std"), (0.0, 1.0), arguments, keywords)
        return self.put(node, self.drawn("randn", node) * std + mean)

    def _by_fans(self, draw: str, weight: float, arguments: list[Value], keywords: Given) -> Value:
        """Glorot and Bengio (2010): by the numbers of what goes in and out."""
        node, (gain,) = self._numbers(("gain",), (1.0,), arguments, keywords)
        if node.ndim < 2:
            raise RefusedError(
                ("ValueError", _FANS), "shape",
                f"this needs two axes or more; it has {show(node.shape)}",
            )  # fmt: skip
        field = math.prod(node.shape[2:])
        size = gain * math.sqrt(weight / ((node.shape[0] + node.shape[1]) * field))
        drawn = self.drawn(draw, node)
        return self.put(node, (drawn * 2.0 - 1.0) * size if draw == "rand" else drawn * size)

    def _eye(self, arguments: list[Value], keywords: Given) -> Value:
        node, _ = self._numbers((), (), arguments, keywords)
        if node.ndim != 2:
            raise GradcliError("shape", f"eye_ is for matrices; this is {show(node.shape)}")
        lengths: list[Value] = [self.values.graph.constant(float(each)) for each in node.shape]
        return self.put(node, self.values.tensor(self._call("eye", lengths, {})))

    def _kaiming(self, draw: str, arguments: list[Value], keywords: Given) -> Value:
        """He et al. (2015): by the numbers of what goes in, or out."""
        names = ("tensor", "a", "mode", "nonlinearity")
        given = bind_names("kaiming", names, arguments, keywords, names[1:])
        node = self.values.tensor(given["tensor"], "the parameter")
        if node.ndim < 2:
            raise RefusedError(
                ("ValueError", _FANS), "shape",
                f"this needs two axes or more; it has {show(node.shape)}",
            )  # fmt: skip
        slope = self.values.number(given["a"], "a") if "a" in given else 0.0
        kind = given.get("nonlinearity", "leaky_relu")
        gains = {"relu": math.sqrt(2), "leaky_relu": math.sqrt(2 / (1 + slope**2)), "tanh": 5 / 3,
                 "selu": 0.75}  # fmt: skip
        fan = math.prod(node.shape[2:]) * node.shape[given.get("mode", "fan_in") == "fan_in"]
        size = gains.get(str(kind), 1.0) / math.sqrt(max(1, fan))
        drawn = self.drawn(draw, node)
        if draw == "randn":
            return self.put(node, drawn * size)
        return self.put(node, (drawn * 2.0 - 1.0) * (math.sqrt(3) * size))

    def _to_vector(self, arguments: list[Value], keywords: Given) -> Value:
        """The elements of parameters one behind the other."""
        (given,) = bind_names("parameters_to_vector", ("parameters",), arguments, keywords).values()
        from gradcli.trace.given_tensors import check_row

        check_row(self.values, given)
        nodes = [self.values.tensor(each, "a parameter") for each in self.values.elements(given)]
        rows = [FUNCTIONS["reshape"].build(node, -1) for node in nodes]
        return f("cat", rows, 0)

    # --- grads ---

    def _grads(self, parameters: Value) -> list[tuple[Node, Node]]:
        """The parameters that have a grad, and their grads."""
        is_list = not isinstance(parameters, Node) or parameters in self.values.listed
        found = self.values.elements(parameters) if is_list else [parameters]
        nodes = [self.values.tensor(each, "a parameter") for each in found]
        grads = self.autograd.grads
        return [(node, grads[node]) for node in nodes if node in grads]

    def _in_parts(self, tensors: Value, given: Given) -> Value:
        """Tensors, complex ones as their parts: the norm of all elements is that of all parts."""
        is_euclidean = self.values.number(given.get("norm_type", self.values.plain(2)), "") == 2
        if self.values.of_complex is None or not is_euclidean:
            return tensors
        from gradcli.trace.complex_parameters import leaves_of  # few programs have any

        is_one = isinstance(tensors, Object) and not is_row(tensors)
        return Items(leaves_of([tensors] if is_one else self.values.elements(tensors)))

    def _norm(self, nodes: Sequence[Node], given: Given) -> Node:
        """The norm of all elements of tensors, as of one vector."""
        order = self.values.number(given["norm_type"], "norm_type") if "norm_type" in given else 2
        flat = [FUNCTIONS["reshape"].build(node, -1) for node in nodes]
        row = FUNCTIONS["cat"].build(flat, 0) if flat else self.values.graph.constant(0.0)
        norm = f("norm", row, order)
        is_checked = "error_if_nonfinite" in given and self.values.truth(
            given["error_if_nonfinite"]
        )
        if is_checked and not math.isfinite(self.values.number(norm, "the norm")):
            said = (
                f"The total norm of order {float(order)} for gradients from `parameters` is "
                "non-finite, so it cannot be clipped. To disable this error and scale the "
                "gradients by the non-finite norm anyway, set `error_if_nonfinite=False`"
            )
            raise RefusedError(("RuntimeError", said), "value", said)
        return detach(norm)

    def _clip(self, pairs: Sequence[tuple[Node, Node]], most: Value, norm: Node) -> None:
        """Make gradients whose norm is that so small that it is `most`."""
        factor = self.values.number(most, "max_norm") / (norm + 1e-6)
        factor = FUNCTIONS["minimum"](factor, self.values.graph.constant(1.0))
        for node, grad in pairs:
            self.autograd.grads.change(node, detach(grad * factor))

    def _clip_norm(self, arguments: list[Value], keywords: Given) -> Value:
        names = ("parameters", "max_norm", "norm_type", "error_if_nonfinite", "foreach")
        given = bind_names("clip_grad_norm_", names, arguments, keywords, names[2:])
        pairs = self._grads(self._in_parts(given["parameters"], given))
        norm = self._norm([grad for _, grad in pairs], given)
        self._clip(pairs, given["max_norm"], norm)
        return norm

    def _total_norm(self, arguments: list[Value], keywords: Given) -> Value:
        names = ("tensors", "norm_type", "error_if_nonfinite", "foreach")
        given = bind_names("get_total_norm", names, arguments, keywords, names[1:])
        tensors = self._in_parts(given["tensors"], given)
        nodes = [self.values.tensor(each) for each in self.values.elements(tensors)]
        return self._norm(nodes, given)

    def _clip_with_norm(self, arguments: list[Value], keywords: Given) -> Value:
        names = ("parameters", "max_norm", "total_norm", "foreach")
        given = bind_names("clip_grads_with_norm_", names, arguments, keywords, names[3:])
        norm = self.values.tensor(given["total_norm"], "total_norm")
        parameters = self._in_parts(given["parameters"], {})
        self._clip(self._grads(parameters), given["max_norm"], norm)
        return None

    def _clip_value(self, arguments: list[Value], keywords: Given) -> Value:
        names = ("parameters", "clip_value")
        given = bind_names("clip_grad_value_", names, arguments, keywords)
        most = self.values.graph.constant(self.values.number(given["clip_value"], "clip_value"))
        for node, grad in self._grads(given["parameters"]):
            clipped = FUNCTIONS["maximum"](FUNCTIONS["minimum"](grad, most), -most)
            self.autograd.grads.change(node, detach(clipped))
        return None
