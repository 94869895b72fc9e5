"""`torch`: functions that those of `torch.nn.functional` call, and windows of signals."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial, reduce
from typing import Any

import numpy as np

from gradcli.diagnostics import GradcliError, RefusedError
from gradcli.differentiate import vjp
from gradcli.graph import Array, Node
from gradcli.ops import FUNCTIONS, f
from gradcli.ops.control import bind, detach
from gradcli.ops.shapes import show
from gradcli.trace.arguments import bind_names
from gradcli.trace.autograd import Autograd
from gradcli.trace.constructors import as_dtype
from gradcli.trace.objects import Given
from gradcli.trace.special import Special
from gradcli.trace.values import Value

Call = Callable[[str, list[Value], Given], Any]
_GRID = ("input", "grid", "interpolation_mode", "padding_mode", "align_corners")
_MODES = {"interpolation_mode": ("bilinear", "nearest", "bicubic"),
          "padding_mode": ("zeros", "border", "reflection")}  # fmt: skip
"""What the numbers stand for."""
_PLACES = ("dtype", "layout", "device", "pin_memory", "requires_grad")
_WINDOWS: dict[str, tuple[tuple[str, ...], Callable[..., Array]]] = {
    "hann": ((), lambda x: 0.5 - 0.5 * np.cos(2 * np.pi * x)),
    "hamming": (("alpha", "beta"),
                lambda x, alpha=0.54, beta=0.46: alpha - beta * np.cos(2 * np.pi * x)),
    "blackman": ((), lambda x: (
        0.42 - 0.5 * np.cos(2 * np.pi * x) + 0.08 * np.cos(4 * np.pi * x))),
    "bartlett": ((), lambda x: 1 - np.abs(2 * x - 1)),
    "kaiser": (("beta",), lambda x, beta=12.0: (
        np.i0(beta * np.sqrt(np.maximum(1 - (2 * x - 1) ** 2, 0))) / np.i0(beta))),
}  # fmt: skip
"""The options of each besides its length, and its values from 0 to 1."""


def _cosines(x: Array, a: Sequence[float]) -> Array:
    """The sum of (-1)ᵏ aₖ cos 2πkx."""
    waves = ((-1) ** k * each * np.cos(2 * np.pi * k * x) for k, each in enumerate(a))
    return np.asarray(sum(waves, np.zeros_like(x)))


_NUTTALL = (0.3635819, 0.4891775, 0.1365995, 0.0106411)
_OF_SIGNALS: dict[str, tuple[dict[str, Any], Callable[..., Array]]] = {
    "hann": ({}, lambda x, n: _cosines(x, (0.5, 0.5))),
    "hamming": ({}, lambda x, n: _cosines(x, (0.54, 0.46))),
    "blackman": ({}, lambda x, n: _cosines(x, (0.42, 0.5, 0.08))),
    "nuttall": ({}, lambda x, n: _cosines(x, _NUTTALL)),
    "bartlett": ({}, lambda x, n: 1 - np.abs(2 * x - 1)),
    "cosine": ({}, lambda x, n: np.sin(np.pi / (n + 1) * (n * x + 0.5))),
    "general_cosine": ({"a": None}, lambda x, n, a: _cosines(x, a)),
    "general_hamming": ({"alpha": 0.54}, lambda x, n, alpha: _cosines(x, (alpha, 1 - alpha))),
    "exponential": ({"center": None, "tau": 1.0}, lambda x, n, center, tau: (
        np.exp(-np.abs(n * x - (n / 2 if center is None else center)) / tau))),
    "gaussian": ({"std": 1.0}, lambda x, n, std: np.exp(-0.5 * (n * (x - 0.5) / std) ** 2)),
    "kaiser": ({"beta": 12.0}, lambda x, n, beta: (
        np.i0(beta * np.sqrt(np.maximum(1 - (2 * x - 1) ** 2, 0))) / np.i0(beta))),
}  # fmt: skip
"""`torch.signal.windows`: the options of each, and its values at x from 0 to 1 in n steps."""
_PLAIN = ("bartlett", "cosine", "exponential", "gaussian", "kaiser")
"""Those that are no sums of cosines."""


class LowerFunctions:
    """The functions by name."""

    def __init__(self, autograd: Autograd, call: Call) -> None:
        self._autograd = autograd
        self.values = autograd.values
        self._call = call
        self.functions: dict[str, Special] = {
            **{f"torch.{name}": partial(self._sampled, name)
               for name in ("grid_sampler", "grid_sampler_2d", "grid_sampler_3d")},
            "torch.native_layer_norm": self._layer_norm,
            "torch.native_group_norm": self._group_norm,
            "torch.native_batch_norm": self._batch_norm,
            **{f"torch.{name}_window": partial(self._window, name) for name in _WINDOWS},
            **{f"torch.signal.windows.{name}": partial(self._of_signal, name)
               for name in _OF_SIGNALS},
            "torch.unravel_index": self._unravelled,
            "torch.chain_matmul": self._chain,
            **{f"torch.nn.grad.conv{axes}d_{operand}": partial(self._of_convolution, axes, operand)
               for axes in (1, 2, 3) for operand in ("input", "weight")},
        }  # fmt: skip
        self.methods: dict[str, Special] = {}

    def _sampled(self, name: str, arguments: list[Value], keywords: Given) -> Value:
        given = bind_names(name, _GRID, arguments, keywords)
        options = {}
        for option, modes in _MODES.items():
            number = self.values.integer(given[option], option)
            if not 0 <= number < len(modes):
                raise GradcliError("value", f"{name}: {option} is a number below {len(modes)}")
            options[option.replace("interpolation_", "")] = modes[number]
        aligned = {"align_corners": given["align_corners"]}
        found: Value = self._call(
            "grid_sample", [given["input"], given["grid"]], {**options, **aligned}
        )
        return found

    # --- normalisations, with the mean and the inverse deviation that they found ---

    def _moments(self, x: Node, axes: tuple[int, ...], eps: float) -> tuple[Node, Node]:
        """The mean and the inverse deviation; of these only those of groups have a gradient."""
        mean = f("mean", x, axes, keepdim=True)
        spread = x - mean
        return mean, f("rsqrt", f("mean", spread * spread, axes, keepdim=True) + eps)

    def _layer_norm(self, arguments: list[Value], keywords: Given) -> Value:
        names = ("input", "normalized_shape", "weight", "bias", "eps")
        given = bind_names("native_layer_norm", names, arguments, keywords)
        x = self.values.tensor(given["input"], "the input")
        count = len(self.values.integers(given["normalized_shape"], "normalized_shape"))
        result = self._call("layer_norm", list(given.values()), {})
        axes = tuple(range(x.ndim - count, x.ndim))
        eps = self.values.number(given["eps"], "eps")
        return (result, *self._moments(detach(x), axes, eps))

    def _group_norm(self, arguments: list[Value], keywords: Given) -> Value:
        names = ("input", "weight", "bias", "N", "C", "HxW", "group", "eps")
        given = bind_names("native_group_norm", names, arguments, keywords)
        x = self.values.tensor(given["input"], "the input")
        groups = self.values.integer(given["group"], "group")
        result = self._call(
            "group_norm", [given[name] for name in ("input", "group", "weight", "bias", "eps")], {}
        )
        if groups < 1 or not x.ndim:
            raise GradcliError("value", "native_group_norm: group is 1 or more")
        row = f("reshape", x, x.shape[0], groups, math.prod(x.shape[1:]) // groups)
        found = self._moments(row, (2,), self.values.number(given["eps"], "eps"))
        return (result, *(f("squeeze", each, 2) for each in found))

    def _batch_norm(self, arguments: list[Value], keywords: Given) -> Value:
        names = ("input", "weight", "bias", "running_mean", "running_var", "training", "momentum",
                 "eps")  # fmt: skip
        given = bind_names("native_batch_norm", names, arguments, keywords)
        x = self.values.tensor(given["input"], "the input")
        order = ("input", "running_mean", "running_var", *names[1:3], *names[5:])
        result = self._call("batch_norm", [given[name] for name in order], {})
        if not self.values.truth(given["training"]):
            empty = self.values.graph.constant(np.zeros(0))
            return result, empty, empty
        axes = (0, *range(2, x.ndim))
        found = self._moments(detach(x), axes, self.values.number(given["eps"], "eps"))
        return (result, *(f("reshape", each, -1) for each in found))

    def _of_convolution(
        self, axes: int, operand: str, arguments: list[Value], keywords: Given
    ) -> Value:
        """The gradient of a convolution's operand, of which the size alone is given."""
        name = f"conv{axes}d"
        own = {"input": ("input_size", "weight"), "weight": ("input", "weight_size")}[operand]
        options = ("stride", "padding", "dilation", "groups")
        names = (*own, "grad_output", *options)
        given = bind_names(f"{name}_{operand}", names, arguments, keywords, options)
        size = self.values.integers(given[f"{operand}_size"], f"{operand}_size")
        self.values.graph.ledger.require(8 * math.prod(size), name, self.values.graph.span)
        wanted = bind(self.values.graph.constant(np.zeros(size)))
        operands: list[Value] = [
            wanted if each.endswith("_size") else self.values.tensor(given[each], each)
            for each in own
        ]
        output = self._call(name, operands, {key: given[key] for key in options if key in given})
        change = self.values.tensor(given["grad_output"], "grad_output")
        if change.shape != output.shape:
            raise GradcliError(
                "shape", f"{name}_{operand}: grad_output is {show(change.shape)}, and the output "
                f"of these sizes {show(output.shape)}",
            )  # fmt: skip
        (found,) = vjp([output], [change], [wanted])
        return found

    # --- windows, places, products ---

    def _window(self, name: str, arguments: list[Value], keywords: Given) -> Value:
        """So many values of a window: of one more, without the last, where it is periodic."""
        options, of = _WINDOWS[name]
        names = ("window_length", "periodic", *options)
        given = bind_names(f"{name}_window", names, arguments,
                           {key: each for key, each in keywords.items() if key not in _PLACES},
                           names[1:])  # fmt: skip
        length = self.values.integer(given["window_length"], "window_length")
        if length < 0:
            raise GradcliError("value", f"{name}_window requires non-negative window_length")
        self.values.graph.ledger.require(8 * length, "a window", self.values.graph.span)
        whole = "periodic" not in given or self.values.truth(given["periodic"])
        last = length - 1 + whole
        at = np.arange(length) / last if last > 0 else np.full(length, 0.5)
        numbers = {key: self.values.number(given[key], key) for key in options if key in given}
        row = of(at, **numbers) if length > 1 else np.ones(length)
        return self.values.own(self.values.graph.constant(row))

    def _of_signal(self, name: str, arguments: list[Value], keywords: Given) -> Value:
        """`torch.signal.windows.hann(5, sym=False)`: the options are given by name."""
        options, of = _OF_SIGNALS[name]
        names = ("M", "sym", *options, *_PLACES)
        given = bind_names(name, names, arguments, keywords, names[1:])
        length = self.values.integer(given["M"], "M")
        if length < 0:
            title = name if name in _PLAIN else "general_cosine"
            said = f"{title} requires non-negative window length, got M={length}"
            raise RefusedError(("ValueError", said), "value", said)
        self.values.graph.ledger.require(8 * length, "a window", self.values.graph.span)
        steps = length - ("sym" not in given or self.values.truth(given["sym"]))
        found: dict[str, Any] = dict(options)
        for key in options.keys() & given.keys():
            value = given[key]
            if key == "a":
                found[key] = [self.values.number(e, "a") for e in self.values.elements(value)]
            elif value is not None:
                found[key] = self.values.number(value, key)
        if found.get("a", found) is None:
            raise GradcliError("type", f"{name} takes the weights a of its cosines", hint="a=[…]")
        if found.get("center") is not None and steps < length:
            said = "Center must be None for symmetric windows"
            raise RefusedError(("ValueError", said), "value", said, hint="sym=False")
        if any(not found.get(key, 1.0) > 0 for key in ("tau", "std")):
            raise GradcliError("value", f"{name}: {' and '.join(found)} are more than 0")
        dtype = given.get("dtype")
        precision = "float64" if dtype is not None else self.values.graph.precision
        at = (np.arange(length) / max(steps, 1)).astype(precision)
        row = of(at, steps, **found) if length > 1 else np.ones(length)
        made = self.values.own(self.values.graph.constant(row))
        return made if dtype is None else as_dtype(self._autograd, made, dtype)

    def _unravelled(self, arguments: list[Value], keywords: Given) -> Value:
        """The places along each axis of elements that are counted through."""
        given = bind_names("unravel_index", ("indices", "shape"), arguments, keywords)
        shape = self.values.integers(given["shape"], "shape")
        node = self.values.tensor(given["indices"], "indices")
        places = self.values.evaluator.value(node).astype(np.int64)
        if places.size and not -1 < places.min() <= places.max() < math.prod(shape):
            raise GradcliError("index", f"unravel_index: a place is outside of {shape}")
        constant = self.values.graph.constant
        return tuple(self.values.own(constant(np.asarray(each)))
                     for each in np.unravel_index(places, shape))  # fmt: skip

    def _chain(self, arguments: list[Value], keywords: Given) -> Value:
        bind_names("chain_matmul", (), (), keywords)
        factors = [self.values.tensor(each, "chain_matmul") for each in arguments]
        if not factors:
            raise GradcliError("type", "chain_matmul(): Expected one or more matrices")
        found: Value = reduce(FUNCTIONS["matmul"].build, factors)
        return found
