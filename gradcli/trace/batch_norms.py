"""`nn.BatchNorm1d` and the like: layers that keep statistics of what they have seen."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from gradcli.diagnostics import GradcliError
from gradcli.graph import Node
from gradcli.ops import FUNCTIONS
from gradcli.ops.control import detach, leaf
from gradcli.ops.kinds import cast
from gradcli.ops.shapes import show
from gradcli.trace.arguments import bind_names
from gradcli.trace.layers import Layer, Layers
from gradcli.trace.modules import Method
from gradcli.trace.objects import Given
from gradcli.trace.values import Value

_RANKS = {1: (2, 3), 2: (4,), 3: (5,)}


class BatchNorm(Layer):
    """A layer that normalises by its batch in training, and by what it has seen after that."""

    statistics: dict[str, Node]
    settings: dict[str, float]
    """What it was made with."""
    momentum: float | None
    """The weight of a batch; None where all that were seen weigh the same."""

    def hold_copies(self, copied: Callable[[Node], Node]) -> None:
        super().hold_copies(copied)
        self.statistics = {name: copied(node) for name, node in self.statistics.items()}

    def begin_again(self) -> None:
        """Forget what was seen: the batches from now on weigh the same."""
        for name, node in self.buffers().items():
            value = node * 0.0 + float(name == "running_var")
            self._replace(node, leaf(detach(cast(value, node.kind)), marked=False))
        self.momentum = None

    def end_again(self) -> None:
        """Weigh batches as it was made to."""
        self.momentum = self.settings.get("momentum")

    def buffers(self) -> dict[str, Node]:
        return {name: self.values.current(node) for name, node in self.statistics.items()}

    def attribute(self, name: str) -> Value:
        if name in self.statistics:
            return self.buffers()[name]
        if name in self.settings:
            return self.values.plain(self.settings[name])
        return super().attribute(name)


class BatchNorms:
    """The functions that make them, by the names of PyTorch's classes."""

    def __init__(self, layers: Layers) -> None:
        self.layers = layers
        self.values = layers.values
        self.functions: dict[str, Method] = {
            f"torch.nn.BatchNorm{axes}d": self._maker(axes) for axes in _RANKS
        }

    def _maker(self, axes: int) -> Method:
        return lambda arguments, keywords: self._layer(axes, arguments, keywords)

    def _filled(self, size: int, value: float) -> Node:
        graph = self.values.graph
        node: Node = FUNCTIONS["full"].build(graph, (size,), graph.constant(value))
        return node

    def _layer(self, axes: int, arguments: list[Value], keywords: Given) -> BatchNorm:
        title = f"BatchNorm{axes}d"
        names = ("num_features", "eps", "momentum", "affine", "track_running_stats")
        given = bind_names(title, names, arguments, keywords, names[1:])
        size = self.values.integer(given["num_features"], "num_features")
        eps = self.values.number(given["eps"], "eps") if "eps" in given else 1e-5
        momentum: float | None = 0.1
        if "momentum" in given:
            weight = given["momentum"]
            momentum = None if weight is None else self.values.number(weight, "momentum")
        affine = "affine" not in given or self.values.truth(given["affine"])
        tracks = "track_running_stats" not in given or self.values.truth(
            given["track_running_stats"]
        )
        parameters = {"weight": 1.0, "bias": 0.0} if affine else {}
        self.values.explicit = True

        def compute(layer: Layer, inputs: list[Value], _: Given) -> Value:
            (value,) = inputs
            x = self.values.tensor(value, f"the input of {title}")
            if x.ndim not in _RANKS[axes] or x.shape[1] != size:
                raise GradcliError(
                    "shape", f"{title} takes (batch, {size}, …); this is {show(x.shape)}"
                )
            found = layer.buffers()
            if layer.training and tracks:
                assert isinstance(layer, BatchNorm)
                self._track(x, found, layer.momentum)
            options = {"eps": self.values.graph.constant(eps), **layer.own()}
            options["training"] = self.values.graph.constant(layer.training or not tracks)
            stats: list[Value] = [found.get("running_mean"), found.get("running_var")]
            result: Value = self.layers.compute("batch_norm", [x, *stats], options)
            return result

        layer = BatchNorm(
            self.layers.autograd,
            title,
            self.layers.replace,
            compute,
            {name: leaf(self._filled(size, value), marked=True)
             for name, value in parameters.items()},
            f"{size}, eps={eps}, momentum={momentum}, affine={affine}, bias={affine}, "
            f"track_running_stats={tracks}",
        )  # fmt: skip
        layer.settings = {"num_features": size, "eps": eps}
        if momentum is not None:
            layer.settings["momentum"] = momentum
        layer.momentum = momentum
        start = {"running_mean": 0.0, "running_var": 1.0} if tracks else {}
        layer.statistics = {
            name: leaf(self._filled(size, value), marked=False) for name, value in start.items()
        }
        if tracks:
            count = self.values.graph.constant(np.zeros((), np.int64))
            layer.statistics["num_batches_tracked"] = leaf(count, marked=False)
        return layer

    def _track(self, x: Node, found: dict[str, Node], momentum: float | None) -> None:
        """Move the statistics towards those of a batch: the variance is the unbiased one."""
        axes = (0, *range(2, x.ndim))
        count = math.prod(x.shape[axis] for axis in axes)
        if count < 2:
            raise GradcliError(
                "value",
                f"Expected more than 1 value per channel when training, got {show(x.shape)}",
            )
        held = detach(x)
        mean: Node = FUNCTIONS["mean"].build(held, axes)
        centred = held - FUNCTIONS["mean"].build(held, axes, keepdim=True)
        variance: Node = FUNCTIONS["sum"].build(centred * centred, axes) / (count - 1.0)
        tracked = self.values.number(found["num_batches_tracked"], "num_batches_tracked")
        momentum = 1 / (tracked + 1) if momentum is None else momentum
        for name, new in (("running_mean", mean), ("running_var", variance)):
            old = found[name]
            after = old * (1.0 - momentum) + new * momentum
            self.layers.replace(old, leaf(detach(after), marked=False))
        count = found["num_batches_tracked"]
        self.layers.replace(count, leaf(cast(count + 1.0, "int"), marked=False))
