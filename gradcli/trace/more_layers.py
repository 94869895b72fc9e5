"""`torch.nn`: layers that few programs use."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

from gradcli.diagnostics import GradcliError, RefusedError
from gradcli.graph import Node
from gradcli.ops import FUNCTIONS
from gradcli.ops.control import leaf
from gradcli.trace.arguments import bind_names
from gradcli.trace.bounds import check_settings
from gradcli.trace.composite import Composite
from gradcli.trace.embeddings import check_rows
from gradcli.trace.families import all_families
from gradcli.trace.items import Items
from gradcli.trace.layer import BIAS, UNLESS_BIAS, Layer, LayerRule
from gradcli.trace.layers import Layers, remaking
from gradcli.trace.modules import Module, in_given_dtypes
from gradcli.trace.objects import BuiltIn, Given
from gradcli.trace.plain_layers import BAG, BILINEAR, GROUP_NORM, NEEDED, RMS_NORM, TRANSPOSED
from gradcli.trace.special import Special
from gradcli.trace.values import Value
from gradcli.trace.wrong_arguments import class_of

_PADS = {"ReflectionPad": "reflect", "ReplicationPad": "replicate", "CircularPad": "circular",
         "ConstantPad": "constant", "ZeroPad": "constant"}  # fmt: skip
_DROPOUTS = {"Dropout1d": "dropout1d", "Dropout2d": "dropout2d", "Dropout3d": "dropout3d",
             "AlphaDropout": "alpha_dropout",
             "FeatureAlphaDropout": "feature_alpha_dropout"}  # fmt: skip

_REPEATED = {"_single": 1, "_pair": 2, "_triple": 3, "_quadruple": 4}
"""Functions of `torch.nn.modules.utils`, and how often they repeat a number."""


def _not_called(name: str, *_: object) -> Value:
    raise GradcliError("type", f"{name} is made from, not called",
                       hint="isinstance(layer, …) asks for it")  # fmt: skip


def _no_forward(layer: Layer, *_: object) -> Value:
    raise GradcliError("name", f"{layer.title} computes nothing by itself",
                       hint="def forward(self, input, target): …")  # fmt: skip


class MoreLayers:
    """The functions that make them, by the names of PyTorch's classes."""

    def __init__(self, layers: Layers) -> None:
        self.layers = layers
        self.values = layers.values
        made: dict[str, Callable[[list[Value], Given], Module]] = {
            **{name: partial(layers.dropout, name, each) for name, each in _DROPOUTS.items()},
            **{
                f"{name}{axes}d": partial(self._pad, f"{name}{axes}d", mode, axes)
                for name, mode in _PADS.items()
                for axes in (1, 2, 3)
            },
            **{f"ConvTranspose{axes}d": partial(self._transposed, axes) for axes in (1, 2, 3)},
            "Conv3d": partial(layers.convolution, 3),
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
            "_Loss": partial(self._bare_loss, "_Loss", ("size_average", "reduce", "reduction")),
            "_WeightedLoss": partial(
                self._bare_loss,
                "_WeightedLoss",
                ("weight", "size_average", "reduce", "reduction"),
            ),
        }
        families: dict[str, Special] = {
            **{f"torch.nn.{name}": partial(_not_called, name) for name in all_families()},
            **{
                f"torch.nn.{name}": partial(self._repeated, count)
                for name, count in _REPEATED.items()
            },
            "torch.nn._ntuple": self._repeating,
        }
        layers_by_name = {f"torch.nn.{name}": make for name, make in made.items()}
        self.functions: dict[str, Special] = families | in_given_dtypes(remaking(layers_by_name))
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

    def _bare_loss(
        self, title: str, names: tuple[str, ...], arguments: list[Value], keywords: Given
    ) -> Layer:
        """What losses of the program's are made from: it has the settings of one."""
        given = bind_names(title, names, arguments, keywords, names)
        settings = {"weight": None, "reduction": "mean"} | given
        if title == "_Loss":
            del settings["weight"]
        made = self.layers.layer(title, _no_forward).made_with(settings)
        weight = settings.get("weight")
        if isinstance(weight, Node):
            made.statistics["weight"] = weight
        return made

    def _repeated(self, count: int, arguments: list[Value], keywords: Given) -> Value:
        """`_pair(3)`: a number so many times, or a row as a tuple."""
        (value,) = bind_names("_ntuple", ("x",), arguments, keywords).values()
        if isinstance(value, Items | tuple | range):
            return tuple(self.values.elements(value))
        return (value,) * count

    def _repeating(self, arguments: list[Value], keywords: Given) -> Value:
        given = bind_names("_ntuple", ("n", "name"), arguments, keywords, ("name",))
        count = self.values.integer(given["n"], "n")
        self.values.graph.check_room(max(0, count))
        return BuiltIn("_ntuple", lambda _, found, more: self._repeated(count, found, more))

    def _unflatten(self, arguments: list[Value], keywords: Given) -> Layer:
        """One axis as several."""
        names = ("dim", "unflattened_size")
        given = bind_names("Unflatten", names, arguments, keywords)
        kind = class_of(self.values, given["unflattened_size"])
        if kind in ("int", "float") and self.values.is_pytorch:
            said = f"unflattened_size must be a tuple of ints, but found type {kind}"
            raise RefusedError(("TypeError", said), "type", "Unflatten takes several lengths",
                               hint="(n,) is a tuple of one")  # fmt: skip

        def compute(_: Layer, inputs: list[Value], __: Given) -> Value:
            found: Value = self.layers.compute("unflatten", [*inputs, *given.values()], {})
            return found

        details = ", ".join(f"{name}={self.layers.shown(given[name])}" for name in names)
        return self.layers.layer("Unflatten", compute, details=details).made_with(given)

    def _bag(self, arguments: list[Value], keywords: Given) -> Layer:
        """Means, sums or maxima of rows of a table."""
        given = self.layers.options("EmbeddingBag", BAG, arguments, keywords)
        check_rows(self.layers, "EmbeddingBag", given)
        rows, width = (self.values.integer(given[name], name) for name in [*BAG][:2])
        table = given["_weight"]
        if table is None:
            table = FUNCTIONS["randn"].build(self.values.graph, rows, width)
        known = ("mode", "include_last_offset", "padding_idx")
        options = {name: given[name] for name in known if given[name] is not None}
        parameters = {"weight": leaf(self.values.tensor(table, "_weight"), marked=True)}
        details = f"{rows}, {width}, mode='{given['mode']}'"
        if given["padding_idx"] is not None:
            details += f", padding_idx={self.layers.shown(given['padding_idx'])}"

        def compute(layer: Layer, inputs: list[Value], named: Given) -> Any:
            row = [inputs[0], layer.own()["weight"], *inputs[1:]]
            return self.layers.compute("embedding_bag", row, {**options, **named})

        made = self.layers.layer("EmbeddingBag", compute, parameters, details)
        return made.made_with(given)

    def _filled(self, shape: tuple[int, ...], value: float) -> Node:
        full = FUNCTIONS["full"].build(self.values.graph, shape, self.values.graph.constant(value))
        return leaf(full, marked=True)

    def _rrelu(self, arguments: list[Value], keywords: Given) -> Layer:
        """Its slopes are random in training."""
        usual = {"lower": 1 / 8, "upper": 1 / 3, "inplace": False}
        given = self.layers.options("RReLU", usual, arguments, keywords)
        return self.layers.ruled("RReLU", self._rrelu_rule, given)

    def _rrelu_rule(self, given: Given) -> LayerRule:
        slopes = {name: given[name] for name in ("lower", "upper")}

        def compute(layer: Layer, inputs: list[Value], _: Given) -> Value:
            options = {**slopes, "training": self.values.graph.constant(layer.training)}
            found: Value = self.layers.compute("rrelu", inputs, options)
            return found

        details = ", ".join(f"{name}={self.layers.shown(each)}" for name, each in slopes.items())
        in_place = self.values.truth(given["inplace"])
        made = self.layers.in_place(compute) if in_place else compute
        return LayerRule(made, details + ", inplace=True" * in_place, given)

    def _pad(self, title: str, mode: str, axes: int, arguments: list[Value], keywords: Given
             ) -> Layer:  # fmt: skip
        usual = {"padding": NEEDED, **({"value": NEEDED} if title.startswith("Constant") else {})}
        given = self.layers.options(title, usual, arguments, keywords)
        return self.layers.ruled(title, partial(self._pad_rule, title, mode, axes), given)

    def _pad_rule(self, title: str, mode: str, axes: int, given: Given) -> LayerRule:
        widths = self.layers.row(given["padding"], "padding", 2 * axes)
        around = tuple(self.values.graph.constant(float(each)) for each in widths)
        value = given.get("value", self.values.setting(0.0))
        more = {"value": value} if mode == "constant" else {}

        def compute(_: Layer, inputs: list[Value], __: Given) -> Value:
            found: Value = self.layers.compute("pad", [*inputs, around, mode], more)
            return found

        shown = f"{widths}"
        if title.startswith("Constant"):
            shown = f"padding={widths}, value={self.layers.shown(value)}"
        return LayerRule(compute, shown, {"padding": widths, **more})

    def _transposed(self, axes: int, arguments: list[Value], keywords: Given) -> Layer:
        """A convolution's transpose: parameters begin as PyTorch's do, by the number of outputs."""
        title = f"ConvTranspose{axes}d"
        given = self.layers.options(title, TRANSPOSED, arguments, keywords)
        inputs, outputs, groups = self.layers.channels(title, given)
        if given["padding_mode"] != "zeros":
            raise GradcliError("value", f'Only "zeros" padding mode is supported for {title}')
        kernel = self.layers.row(given["kernel_size"], "kernel_size", axes)
        each = outputs // groups
        bound = 1 / math.sqrt(max(1, each * math.prod(kernel)))
        parameters = {"weight": self.layers.uniform((inputs, each, *kernel), bound)}
        if self.values.truth(given["bias"]):
            parameters["bias"] = self.layers.uniform((outputs,), bound)
        self.values.explicit = True
        rule = partial(self._transposed_rule, axes)
        return self.layers.ruled(title, rule, given, parameters)

    def _transposed_rule(self, axes: int, given: Given) -> LayerRule:
        names = ("kernel_size", "stride", "padding", "dilation", "output_padding")
        sizes = {name: self.layers.row(given[name], name, axes) for name in names}
        shown = [self.layers.shown(given[name]) for name in ("in_channels", "out_channels")]
        shown += [f"{name}={sizes[name]}" for name in names[:2]]
        shown += [f"{name}={sizes[name]}" for name, usual in (
            ("padding", 0), ("dilation", 1), ("output_padding", 0)
        ) if sizes[name] != (usual,) * axes]  # fmt: skip
        if (groups := self.layers.shown(given["groups"])) != "1":
            shown.append(f"groups={groups}")
        shown[-1] += UNLESS_BIAS
        options = {name: given[name] for name in (*names[1:], "groups")}
        compute = partial(self._spread, axes, options, sizes)
        return LayerRule(
            compute, ", ".join(shown), {**given, **sizes, "bias": None, "transposed": True}
        )

    def _spread(
        self,
        axes: int,
        options: Given,
        sizes: dict[str, tuple[int, ...]],
        layer: Layer,
        inputs: list[Value],
        named: Given,
    ) -> Value:
        """The transpose of an input, of the size that is wanted where one is."""
        title = layer.title
        given = bind_names(title, ("input", "output_size"), inputs, named, ("output_size",))
        x = self.values.tensor(given["input"], f"the input of {title}")
        if given.get("output_size") is not None:
            wanted = self.layers.row(given["output_size"], "output_size", axes)[-axes:]
            options = {
                **options,
                "output_padding": self._rest(title, x.shape[-axes:], wanted, sizes),
            }
        found: Value = self.layers.compute(
            f"conv_transpose{axes}d", [x], {**options, **layer.weights()}
        )
        return found

    def _rest(
        self, title: str, lengths: tuple[int, ...], wanted: tuple[int, ...],
        sizes: dict[str, tuple[int, ...]],
    ) -> Value:  # fmt: skip
        """How much longer than the least the wanted axes are. Raises `value`."""
        names = ("stride", "padding", "dilation", "kernel_size")
        least = tuple(
            (n - 1) * step - 2 * around + gap * (size - 1) + 1
            for n, step, around, gap, size in zip(
                lengths, *(sizes[name] for name in names), strict=True
            )
        )
        more = tuple(a - b for a, b in zip(wanted, least, strict=True))
        if any(not 0 <= each < step for each, step in zip(more, sizes["stride"], strict=True)):
            raise GradcliError("value", f"{title}: output_size is {least}, or less than a stride "
                               "more along each axis")  # fmt: skip
        return self.values.setting(more)

    def _group_norm(self, arguments: list[Value], keywords: Given) -> Layer:
        given = self.layers.options("GroupNorm", GROUP_NORM, arguments, keywords)
        groups, channels = (self.values.integer(given[name], name) for name in [*GROUP_NORM][:2])
        if groups < 1 or channels % groups:
            said = f"num_channels ({channels}) must be divisible by num_groups ({groups})"
            raise RefusedError(("ValueError", said), "value", said)
        affine = self.values.truth(given["affine"])
        parameters = {"weight": self._filled((channels,), 1.0),
                      "bias": self._filled((channels,), 0.0)} if affine else {}  # fmt: skip
        options: Given = {name: given[name] for name in ("num_groups", "eps")}
        eps = self.layers.shown(given["eps"])
        details = f"{groups}, {channels}, eps={eps}, affine={affine}, bias={affine}"
        made = self.layers.with_parameters("GroupNorm", "group_norm", parameters, options, details)
        return made.made_with({**given, "weight": None, "bias": None})

    def _rms_norm(self, arguments: list[Value], keywords: Given) -> Layer:
        given = self.layers.options("RMSNorm", RMS_NORM, arguments, keywords)
        shape = self.values.integers(given["normalized_shape"], "normalized_shape")
        affine = self.values.truth(given["elementwise_affine"])
        parameters = {"weight": self._filled(shape, 1.0)} if affine else {}
        options = {name: given[name] for name in ("normalized_shape", "eps")
                   if given[name] is not None}  # fmt: skip
        details = f"{shape}, eps={self.layers.shown(given['eps'])}, elementwise_affine={affine}"
        made = self.layers.with_parameters("RMSNorm", "rms_norm", parameters, options, details)
        return made.made_with({**given, "normalized_shape": shape, "weight": None})

    def _bilinear(self, arguments: list[Value], keywords: Given) -> Layer:
        given = self.layers.options("Bilinear", BILINEAR, arguments, keywords)
        check_settings(self.values, "Bilinear", given)
        sizes = {name: self.values.integer(given[name], name) for name in [*BILINEAR][:3]}
        first, second, outputs = sizes.values()
        bound = 1 / math.sqrt(max(1, first))
        parameters = {"weight": self.layers.uniform((outputs, first, second), bound)}
        if self.values.truth(given["bias"]):
            parameters["bias"] = self.layers.uniform((outputs,), bound)
        details = ", ".join((*(f"{name}={each}" for name, each in sizes.items()), BIAS))
        made = self.layers.with_parameters("Bilinear", "bilinear", parameters, {}, details)
        return made.made_with({**given, "bias": None})
