"""`torch.nn`: layers that few programs use."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

from gradcli.diagnostics import GradcliError
from gradcli.graph import Node
from gradcli.ops import FUNCTIONS
from gradcli.ops.control import leaf
from gradcli.trace.arguments import bind_names
from gradcli.trace.layers import Layer, Layers
from gradcli.trace.modules import Composite, Module
from gradcli.trace.objects import Given
from gradcli.trace.special import Special
from gradcli.trace.values import Value

_PADS = {"ReflectionPad": "reflect", "ReplicationPad": "replicate", "CircularPad": "circular",
         "ConstantPad": "constant", "ZeroPad": "constant"}  # fmt: skip
_DROPOUTS = {"Dropout1d": "dropout1d", "Dropout2d": "dropout2d", "Dropout3d": "dropout3d",
             "AlphaDropout": "alpha_dropout",
             "FeatureAlphaDropout": "feature_alpha_dropout"}  # fmt: skip


class MoreLayers:
    """The functions that make them, by the names of PyTorch's classes."""

    def __init__(self, layers: Layers) -> None:
        self.layers = layers
        self.values = layers.values
        made: dict[str, Callable[[list[Value], Given], Module]] = {
            **{name: partial(self._dropout, name) for name in _DROPOUTS},
            **{
                f"{name}{axes}d": partial(self._pad, f"{name}{axes}d", mode, axes)
                for name, mode in _PADS.items()
                for axes in (1, 2, 3)
            },
            **{f"ConvTranspose{axes}d": partial(self._transposed, axes) for axes in (1, 2, 3)},
            "Conv3d": partial(layers.convolution, 3),
            **{f"InstanceNorm{axes}d": partial(self._instance_norm, axes) for axes in (1, 2, 3)},
            "GroupNorm": self._group_norm,
            "EmbeddingBag": self._bag,
            **dict.fromkeys(
                ("DataParallel", "parallel.DataParallel"), partial(self._parallel, "DataParallel")
            ),
            "parallel.DistributedDataParallel": partial(self._parallel, "DistributedDataParallel"),
            "RMSNorm": self._rms_norm,
            "RReLU": self._rrelu,
            "Unflatten": self._unflatten,
            "Bilinear": self._bilinear,
        }
        self.functions: dict[str, Special] = {
            f"torch.nn.{name}": make for name, make in made.items()
        }
        self.methods: dict[str, Special] = {}

    def _parallel(self, title: str, arguments: list[Value], keywords: Given) -> Module:
        """A model that would be computed on several GPUs: there are none, and it is called."""
        names = ("module", "device_ids", "output_device", "dim", "broadcast_buffers",
                 "find_unused_parameters")  # fmt: skip
        given = bind_names(title, names, arguments, keywords, names[1:])
        module = given["module"]
        if not isinstance(module, Module):
            raise GradcliError("type", f"{title} takes a model", hint="DataParallel(net)")

        def compute(layer: Composite, inputs: list[Value], named: Given) -> Any:
            return layer.fields["module"].call(inputs, named)

        layers = self.layers
        return Composite(layers.autograd, title, layers.replace, {"module": module}, compute)

    def _unflatten(self, arguments: list[Value], keywords: Given) -> Layer:
        """One axis as several."""
        names = ("dim", "unflattened_size")
        given = bind_names("Unflatten", names, arguments, keywords)

        def compute(_: Layer, inputs: list[Value], __: Given) -> Value:
            found: Value = self.layers.compute("unflatten", [*inputs, *given.values()], {})
            return found

        details = ", ".join(f"{name}={self.layers.shown(given[name])}" for name in names)
        return self.layers.layer("Unflatten", compute, details=details).made_with(given)

    def _bag(self, arguments: list[Value], keywords: Given) -> Layer:
        """Means, sums or maxima of rows of a table."""
        names = ("num_embeddings", "embedding_dim", "max_norm", "norm_type", "scale_grad_by_freq",
                 "mode", "sparse", "_weight", "include_last_offset", "padding_idx")  # fmt: skip
        given = bind_names("EmbeddingBag", names, arguments, keywords, names[2:])
        rows, width = (self.values.integer(given[name], name) for name in names[:2])
        drawn = FUNCTIONS["randn"].build(self.values.graph, rows, width)
        known = ("mode", "include_last_offset", "padding_idx")
        options = {name: given[name] for name in known if given.get(name) is not None}
        parameters = {"weight": leaf(drawn, marked=True)}
        details = f"{rows}, {width}, mode='{options.get('mode', 'mean')}'"

        def compute(layer: Layer, inputs: list[Value], named: Given) -> Any:
            row = [inputs[0], layer.own()["weight"], *inputs[1:]]
            return self.layers.compute("embedding_bag", row, {**options, **named})

        return self.layers.layer("EmbeddingBag", compute, parameters, details)

    def _filled(self, shape: tuple[int, ...], value: float) -> Node:
        full = FUNCTIONS["full"].build(self.values.graph, shape, self.values.graph.constant(value))
        return leaf(full, marked=True)

    def _flag(self, given: Given, name: str, default: bool) -> bool:
        return self.values.truth(given[name]) if name in given else default

    def _number(self, given: Given, name: str, default: float) -> float:
        return self.values.number(given[name], name) if given.get(name) is not None else default

    def _dropout(self, title: str, arguments: list[Value], keywords: Given) -> Layer:
        given = bind_names(title, ("p", "inplace"), arguments, keywords, ("p", "inplace"))
        p = self._number(given, "p", 0.5)

        def compute(layer: Layer, inputs: list[Value], _: Given) -> Value:
            constant = self.values.graph.constant
            options = {"p": constant(p), "training": constant(True)}
            if not layer.training or not p:
                return inputs[0]
            found: Value = self.layers.compute(_DROPOUTS[title], inputs, options)
            return found

        return self.layers.layer(title, compute, details=f"p={p}, inplace=False")

    def _rrelu(self, arguments: list[Value], keywords: Given) -> Layer:
        """Its slopes are random in training."""
        names = ("lower", "upper", "inplace")
        given = bind_names("RReLU", names, arguments, keywords, names)
        lower, upper = self._number(given, "lower", 1 / 8), self._number(given, "upper", 1 / 3)
        slopes = {name: self.values.plain(e) for name, e in (("lower", lower), ("upper", upper))}

        def compute(layer: Layer, inputs: list[Value], _: Given) -> Value:
            options = {**slopes, "training": self.values.graph.constant(layer.training)}
            found: Value = self.layers.compute("rrelu", inputs, options)
            return found

        details = f"lower={lower}, upper={upper}"
        if "inplace" in given and self.values.truth(given["inplace"]):
            details += ", inplace=True"
        return self.layers.layer("RReLU", compute, details=details).made_with(slopes)

    def _pad(self, title: str, mode: str, axes: int, arguments: list[Value], keywords: Given
             ) -> Layer:  # fmt: skip
        names = ("padding", "value")
        given = bind_names(title, names, arguments, keywords, names[1:])
        widths = self.values.integers(given["padding"], "padding")
        widths = widths * 2 * axes if len(widths) == 1 else widths
        value = self._number(given, "value", 0.0)

        def compute(_: Layer, inputs: list[Value], __: Given) -> Value:
            around = tuple(self.values.graph.constant(float(each)) for each in widths)
            more = {"value": self.values.graph.constant(value)} if mode == "constant" else {}
            found: Value = self.layers.compute("pad", [*inputs, around, mode], more)
            return found

        fill = self.layers.shown(given["value"]) if "value" in given else str(value)
        shown = f"padding={widths}, value={fill}" if title.startswith("Constant") else str(widths)
        return self.layers.layer(title, compute, details=shown)

    def _transposed(self, axes: int, arguments: list[Value], keywords: Given) -> Layer:
        """A convolution's transpose: parameters begin as PyTorch's do, by the number of outputs."""
        names = ("in_channels", "out_channels", "kernel_size", "stride", "padding",
                 "output_padding", "groups", "bias", "dilation")  # fmt: skip
        title = f"ConvTranspose{axes}d"
        given = bind_names(title, names, arguments, keywords, names[3:])
        inputs, outputs = (self.values.integer(given[name], name) for name in names[:2])
        groups = self.values.integer(given["groups"], "groups") if "groups" in given else 1
        size = self.values.integers(given["kernel_size"], "kernel_size")
        kernel = size * axes if len(size) == 1 else size
        each = outputs // max(1, groups)
        bound = 1 / math.sqrt(max(1, each * math.prod(kernel)))
        parameters = {"weight": self.layers.uniform((inputs, each, *kernel), bound)}
        if self._flag(given, "bias", True):
            parameters["bias"] = self.layers.uniform((outputs,), bound)
        options = {name: given[name] for name in (*names[3:7], "dilation") if name in given}
        steps = self.values.integers(given["stride"], "stride") if "stride" in given else (1,)
        steps = steps * axes if len(steps) == 1 else steps
        details = f"{inputs}, {outputs}, kernel_size={kernel}, stride={steps}"
        for name, usual in (("padding", 0), ("dilation", 1), ("output_padding", 0)):
            widths = self.values.integers(given[name], name) if name in given else (usual,)
            if any(each != usual for each in widths):
                details += f", {name}={widths * axes if len(widths) == 1 else widths}"
        details += f", groups={groups}" if groups != 1 else ""
        details += "" if "bias" in parameters else ", bias=False"
        return self.layers.with_parameters(
            title, f"conv_transpose{axes}d", parameters, options, details
        )

    def _group_norm(self, arguments: list[Value], keywords: Given) -> Layer:
        names = ("num_groups", "num_channels", "eps", "affine")
        given = bind_names("GroupNorm", names, arguments, keywords, names[2:])
        groups, channels = (self.values.integer(given[name], name) for name in names[:2])
        if groups < 1 or channels % groups:
            raise GradcliError("value", "num_channels must be divisible by num_groups")
        affine = self._flag(given, "affine", True)
        parameters = {"weight": self._filled((channels,), 1.0),
                      "bias": self._filled((channels,), 0.0)} if affine else {}  # fmt: skip
        options: Given = {name: given[name] for name in ("num_groups", "eps") if name in given}
        eps = self._number(given, "eps", 1e-5)
        details = f"{groups}, {channels}, eps={eps}, affine={affine}, bias={affine}"
        return self.layers.with_parameters("GroupNorm", "group_norm", parameters, options, details)

    def _instance_norm(self, axes: int, arguments: list[Value], keywords: Given) -> Layer:
        names = ("num_features", "eps", "momentum", "affine", "track_running_stats")
        title = f"InstanceNorm{axes}d"
        given = bind_names(title, names, arguments, keywords, names[1:])
        if self._flag(given, "track_running_stats", False):
            raise GradcliError("value", f"{title}: running statistics are not known here")
        channels = self.values.integer(given["num_features"], "num_features")
        affine = self._flag(given, "affine", False)
        parameters = {"weight": self._filled((channels,), 1.0),
                      "bias": self._filled((channels,), 0.0)} if affine else {}  # fmt: skip
        options = {"eps": given["eps"]} if "eps" in given else {}
        eps, momentum = self._number(given, "eps", 1e-5), self._number(given, "momentum", 0.1)
        details = (f"{channels}, eps={eps}, momentum={momentum}, affine={affine}, bias={affine}, "
                   "track_running_stats=False")  # fmt: skip
        return self.layers.with_parameters(title, "instance_norm", parameters, options, details)

    def _rms_norm(self, arguments: list[Value], keywords: Given) -> Layer:
        names = ("normalized_shape", "eps", "elementwise_affine")
        given = bind_names("RMSNorm", names, arguments, keywords, names[1:])
        shape = self.values.integers(given["normalized_shape"], "normalized_shape")
        affine = self._flag(given, "elementwise_affine", True)
        parameters = {"weight": self._filled(shape, 1.0)} if affine else {}
        options = {name: given[name] for name in names[:2] if given.get(name) is not None}
        eps = self._number(given, "eps", 0.0) if given.get("eps") is not None else None
        details = f"{shape}, eps={eps}, elementwise_affine={affine}"
        return self.layers.with_parameters("RMSNorm", "rms_norm", parameters, options, details)

    def _bilinear(self, arguments: list[Value], keywords: Given) -> Layer:
        names = ("in1_features", "in2_features", "out_features", "bias")
        given = bind_names("Bilinear", names, arguments, keywords, names[3:])
        first, second, outputs = (self.values.integer(given[name], name) for name in names[:3])
        bound = 1 / math.sqrt(max(1, first))
        parameters = {"weight": self.layers.uniform((outputs, first, second), bound)}
        has_bias = self._flag(given, "bias", True)
        if has_bias:
            parameters["bias"] = self.layers.uniform((outputs,), bound)
        details = (f"in1_features={first}, in2_features={second}, out_features={outputs}, "
                   f"bias={has_bias}")  # fmt: skip
        return self.layers.with_parameters("Bilinear", "bilinear", parameters, {}, details)
