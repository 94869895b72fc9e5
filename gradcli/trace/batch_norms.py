"""`nn.BatchNorm1d` and the like: layers that keep statistics of what they have seen."""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from gradcli.diagnostics import GradcliError, RefusedError
from gradcli.graph import Node
from gradcli.ops import FUNCTIONS, f
from gradcli.ops.control import detach, leaf
from gradcli.ops.kinds import cast
from gradcli.ops.shapes import show
from gradcli.trace.arguments import bind_names
from gradcli.trace.layer import Layer
from gradcli.trace.layers import Layers, remaking
from gradcli.trace.modules import Method, Module
from gradcli.trace.objects import Given
from gradcli.trace.values import Value

_RANKS = {"BatchNorm1d": (2, 3), "BatchNorm2d": (4,), "BatchNorm3d": (5,),
          "SyncBatchNorm": (2, 3, 4, 5), "InstanceNorm1d": (2, 3), "InstanceNorm2d": (3, 4),
          "InstanceNorm3d": (4, 5)}  # fmt: skip
"""How many axes the input of each may have; an instance may come without a batch."""
_NAMES = ("num_features", "eps", "momentum", "affine", "track_running_stats", "process_group",
          "device", "dtype")  # fmt: skip


class BatchNorm(Layer):
    """A layer that normalises by its batch in training, and by what it has seen after that."""

    momentum: float | None
    """The weight of a batch; None where all that were seen weigh the same."""

    def begin_again(self) -> None:
        """Forget what was seen: the batches from now on weigh the same."""
        self._forget()
        self.momentum = None

    def set(self, name: str, value: Value) -> None:
        if name == "momentum":
            self.momentum = None if value is None else self.values.number(value, name)
            self.settings[name] = self.momentum
        elif name == "eps":
            self.settings[name] = self.values.number(value, name)
        else:
            super().set(name, value)

    def details(self) -> str:
        n = self.settings
        return (f"{n['num_features']}, eps={n['eps']}, momentum={n['momentum']}, "
                f"affine={n['affine']}, bias={n['affine']}, "
                f"track_running_stats={n['track_running_stats']}")  # fmt: skip

    def methods(self) -> dict[str, Method]:
        return super().methods() | {
            "reset_running_stats": lambda *_: self._forget(),
            "_check_input_dim": self._check_axes,
        }

    def _check_axes(self, arguments: list[Value], keywords: Given) -> Value:
        """Nothing of its own, where an input has as many axes as the layer takes."""
        (value,) = bind_names("_check_input_dim", ("input",), arguments, keywords).values()
        self.check_axes(self.values.tensor(value, f"the input of {self.title}"))
        return None

    def check_axes(self, x: Node) -> None:
        """Raise `shape` where an input has more or less axes than the layer takes."""
        if x.ndim not in _RANKS[self.title]:
            taken = " or ".join(f"{each}D" for each in _RANKS[self.title])
            said = "ValueError", f"expected {taken} input (got {x.ndim}D input)"
            raise self.misfit(said, x)

    def misfit(self, said: tuple[str, str], x: Node) -> RefusedError:
        """The error for an input of another shape, which PyTorch words as `said`."""
        size = self.settings["num_features"]
        told = f"{self.title} takes (batch, {size}, …); this is {show(x.shape)}"
        return RefusedError(said, "shape", told)

    def _forget(self) -> None:
        for name, node in self.buffers().items():
            value = node * 0.0 + float(name == "running_var")
            self.replace(node, leaf(detach(cast(value, node.kind)), marked=False))

    def become(self, other: Layer) -> None:
        super().become(other)
        assert isinstance(other, BatchNorm)
        self.momentum = other.momentum

    def end_again(self) -> None:
        """Weigh batches as it was made to."""
        self.momentum = self.settings.get("momentum")


class BatchNorms:
    """The functions that make them, by the names of PyTorch's classes."""

    def __init__(self, layers: Layers) -> None:
        self.layers = layers
        self.values = layers.values
        self.functions = remaking(
            {
                **{f"torch.nn.{name}": partial(self._layer, name) for name in _RANKS},
                "torch.nn.SyncBatchNorm.convert_sync_batchnorm": self._synchronised,
            }
        )

    def _filled(self, size: int, value: float) -> Node:
        graph = self.values.graph
        return f("full", graph, (size,), graph.constant(value))

    def _layer(self, title: str, arguments: list[Value], keywords: Given) -> BatchNorm:
        given = bind_names(title, _NAMES, arguments, keywords, _NAMES[1:])
        of_instances = title.startswith("Instance")
        size = self.values.integer(given["num_features"], "num_features")
        eps = self.layers.number(given["eps"], "eps") if "eps" in given else 1e-5
        momentum: float | None = 0.1
        if "momentum" in given:
            weight = given["momentum"]
            momentum = None if weight is None else self.layers.number(weight, "momentum")
        affine, tracks = (
            self.values.truth(given[name]) if name in given else not of_instances
            for name in _NAMES[3:5]
        )
        self.values.explicit = True
        found = self._by_instance if of_instances else self._by_batch
        layer = BatchNorm(
            self.layers.autograd,
            title,
            self.layers.replace,
            found,
            {name: leaf(self._filled(size, value), marked=True)
             for name, value in (("weight", 1.0), ("bias", 0.0)) if affine},
        )  # fmt: skip
        empty = {} if tracks else dict.fromkeys(("running_mean", "running_var"))
        layer.settings = {"num_features": size, "eps": eps, "momentum": momentum,
                          "affine": affine, "track_running_stats": tracks, "weight": None,
                          "bias": None, **empty}  # fmt: skip
        layer.momentum = momentum
        if tracks:
            count = self.values.graph.constant(np.zeros((), np.int64))
            zeros, ones = self._filled(size, 0.0), self._filled(size, 1.0)
            start = {"running_mean": zeros, "running_var": ones, "num_batches_tracked": count}
            layer.statistics = {name: leaf(each, marked=False) for name, each in start.items()}
        return layer

    def _synchronised(self, arguments: list[Value], keywords: Given) -> Value:
        """A model whose layers would share statistics between processes: there is one here."""
        names = ("module", "process_group")
        given = bind_names("convert_sync_batchnorm", names, arguments, keywords, names[1:])
        if not isinstance(given["module"], Module):
            raise GradcliError("type", "convert_sync_batchnorm takes a model", hint="net")
        for _, module in given["module"].named_modules():
            if isinstance(module, BatchNorm) and module.title.startswith("BatchNorm"):
                module.title = "SyncBatchNorm"
        return given["module"]

    def _input(self, layer: BatchNorm, inputs: list[Value]) -> Node:
        (value,) = inputs
        title, size = layer.title, layer.settings["num_features"]
        x = self.values.tensor(value, f"the input of {title}")
        layer.check_axes(x)
        is_single = title.startswith("Instance") and x.ndim == _RANKS[title][0]
        channels = x.shape[0 if is_single else 1]
        is_counted = layer.own() or layer.statistics or title.startswith("Batch")
        if channels != size and is_counted:
            said = f"running_mean should contain {channels} elements not {size}"
            raise layer.misfit(("RuntimeError", said), x)
        return x

    def _by_batch(self, layer: Layer, inputs: list[Value], _: Given) -> Value:
        """Normalised by the statistics of the batch, or by those of what was seen."""
        assert isinstance(layer, BatchNorm)
        x, found = self._input(layer, inputs), layer.buffers()
        tracks = bool(found)
        if layer.training and tracks:
            counted = found["num_batches_tracked"]
            momentum = layer.momentum
            if momentum is None:
                momentum = 1 / (self.values.number(counted, "num_batches_tracked") + 1)
            self._track(x, found, momentum, (0, *range(2, x.ndim)))
            self.layers.replace(counted, leaf(cast(counted + 1.0, "int"), marked=False))
        return self._normalised(layer, x, found, own=layer.training or not tracks)

    def _by_instance(self, layer: Layer, inputs: list[Value], _: Given) -> Value:
        """The same of each sample by itself."""
        assert isinstance(layer, BatchNorm)
        x, found = self._input(layer, inputs), layer.buffers()
        is_single = x.ndim == _RANKS[layer.title][0]
        batch = f("unsqueeze", x, 0) if is_single else x
        result: Value
        if found and not layer.training:
            result = self._normalised(layer, batch, found, own=False)
        else:
            axes = (*range(2, batch.ndim),)
            if math.prod(batch.shape[2:]) == 1:
                told = "Expected more than 1 spatial element when training, got"
                said = f"{told} input size torch.Size({[*batch.shape]})"
                raise RefusedError(("ValueError", said), "value", f"{told} {show(batch.shape)}")
            if found:
                self._track(batch, found, layer.momentum or 0.0, axes)
            options = {"eps": self.values.setting(layer.settings["eps"]), **layer.weights()}
            result = self.layers.compute("instance_norm", [batch], options)
        return FUNCTIONS["squeeze"].build(result, 0) if is_single else result

    def _normalised(self, layer: Layer, x: Node, found: dict[str, Node], *, own: bool) -> Value:
        options = {"eps": self.values.setting(layer.settings["eps"]), **layer.weights(),
                   "training": self.values.graph.constant(own)}  # fmt: skip
        stats: list[Value] = [found.get("running_mean"), found.get("running_var")]
        result: Value = self.layers.compute("batch_norm", [x, *stats], options)
        return result

    def _track(
        self, x: Node, found: dict[str, Node], momentum: float, axes: tuple[int, ...]
    ) -> None:
        """Move the statistics towards those of a batch: the variance is the unbiased one. Where
        `axes` are of one sample, their means over the batch.
        """
        count = math.prod(x.shape[axis] for axis in axes)
        if count < 2:
            raise GradcliError(
                "value",
                f"Expected more than 1 value per channel when training, got {show(x.shape)}",
            )
        held = detach(x)
        mean = f("mean", held, axes)
        centred = held - FUNCTIONS["mean"].build(held, axes, keepdim=True)
        variance = f("sum", centred * centred, axes) / (count - 1.0)
        for name, new in (("running_mean", mean), ("running_var", variance)):
            old = found[name]
            seen = new if new.ndim == 1 else FUNCTIONS["mean"].build(new, (0,))
            after = old * (1.0 - momentum) + seen * momentum
            self.layers.replace(old, leaf(detach(after), marked=False))
