"""`nn.LazyLinear` and the like: layers that see at the first call how wide their input is."""

from __future__ import annotations

from functools import partial
from typing import Any

from gradcli.trace.arguments import bind_names
from gradcli.trace.batch_norms import BatchNorms
from gradcli.trace.layer import Layer
from gradcli.trace.layers import Layers
from gradcli.trace.objects import Given
from gradcli.trace.special import Special
from gradcli.trace.values import Value

_AXES = (1, 2, 3)
_PLACES = {
    "Linear": -1,
    **{f"{name}{axes}d": -axes - 1 for axes in _AXES
       for name in ("Conv", "ConvTranspose", "InstanceNorm")},
    **{f"BatchNorm{axes}d": 1 for axes in _AXES},
}  # fmt: skip
"""By layer, the axis whose length is its first argument."""


_OF_INSTANCES = ("eps", "momentum", "affine", "track_running_stats", "device", "dtype")


class LazyLayers:
    """The functions that make them, by the names of PyTorch's classes."""

    def __init__(self, layers: Layers, more: dict[str, Special]) -> None:
        """`more` are functions that make layers, besides those of `layers`."""
        self.layers = layers
        self.values = layers.values
        self._made = {**layers.functions, **BatchNorms(layers).functions, **more}
        self.functions: dict[str, Special] = {
            f"torch.nn.Lazy{name}": partial(self._lazy, name) for name in _PLACES
        }
        self.methods: dict[str, Special] = {}

    def _lazy(self, name: str, arguments: list[Value], keywords: Given) -> Layer:
        """A layer of no width, whose first call makes another of it."""
        if name.startswith("Instance"):
            given = bind_names(f"Lazy{name}", _OF_INSTANCES, arguments, keywords, _OF_INSTANCES)
            both = dict.fromkeys(("affine", "track_running_stats"), self.values.plain(True))
            arguments, keywords = [], {**both, **given}

        def of_width(width: int) -> Layer:
            made = self._made[f"torch.nn.{name}"]
            layer = made([self.values.plain(width), *arguments], keywords)
            assert isinstance(layer, Layer)
            return layer

        def compute(layer: Layer, inputs: list[Value], given: Given) -> Any:
            x = self.values.tensor(inputs[0], f"the input of {layer.title}")
            wide = of_width(x.shape[_PLACES[name]] if x.ndim else 0)
            for old, new in ((layer.own(), wide.own()), (layer.buffers(), wide.buffers())):
                for each, node in old.items():
                    self.layers.replace(node, new[each])
            layer.become(wide)
            return layer.forward(inputs, given)

        lazy = of_width(0)
        lazy.title = f"Lazy{name}"
        lazy.compute_by(compute)
        return lazy
