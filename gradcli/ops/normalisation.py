"""Normalisation: centred on a mean and divided by a spread, then scaled and shifted."""

from __future__ import annotations

import math

import numpy as np

from gradcli.diagnostics import GradcliError
from gradcli.graph import Node, Shape
from gradcli.ops.axes import movedim
from gradcli.ops.group import Group
from gradcli.ops.powers import rsqrt
from gradcli.ops.reductions import mean
from gradcli.ops.shapes import Axes, show
from gradcli.ops.shaping import reshape
from gradcli.ops.table import Alike, Case, kernel
from gradcli.ops.windows import Window, padded, windows_in_rows

table = Group("layer")


def standardised(normal: str, change: str, axes: str, x: str = "input") -> str:
    """The gradient through (x - mean) / sqrt(var + eps) over axes, `normal` being the result: as
    in Ioffe and Szegedy, Batch Normalization (2015), section 3.
    """
    along = f"dim={axes}, keepdim=True"
    return (
        f"({change} - mean({change}, {along}) - {normal} * mean({change} * {normal}, {along}))"
        f" / sqrt(var({x}, {along}, correction=0) + eps)"
    )


def _grouped(x: str) -> str:
    return f"reshape({x}, input.shape[0], num_groups, -1)"


INPUT = _grouped("input")
LAYER = "layer_norm(input, normalized_shape, eps=eps)"
GROUP = "group_norm(input, num_groups, eps=eps)"
WEIGHED = "cotangent * reshape(weight, input.shape[1], 1)"
MIXED = Alike("mixed dtype (CPU): all inputs must share same datatype.")
BATCH = "batch_norm(input, None, None, training=True, eps=eps)"


@table.function(
    cases=[
        Case("layer_norm(x, 3)"),
        Case("layer_norm(x, (2, 3), w, b)", {"x": (2, 2, 3), "w": (2, 3), "b": (2, 3)}),
    ],
    formula="(input - mean) / sqrt(var + eps) * weight + bias",
    gradients={
        "input": (
            standardised("result", "cotangent", "-1"),
            standardised(LAYER, "cotangent * weight", "-1"),
            standardised(LAYER, "cotangent * weight", "(-2, -1)"),
        ),
        "weight": (
            f"sum(cotangent * {LAYER}, dim=0)",
            f"cotangent * {LAYER}",
        ),
        "bias": (
            "sum(cotangent, dim=0)",
            "cotangent",
        ),
    },
    demands={"input, weight, bias": MIXED, "input": kernel("LayerNormKernelImpl")},
)
def layer_norm(
    input: Node,
    normalized_shape: tuple[int, ...],
    weight: Node | None = None,
    bias: Node | None = None,
    eps: float = 1e-5,
) -> Node:
    """Mean 0 and variance 1 over the last axes, which have `normalized_shape`."""
    axes = _last_axes("layer_norm", input, normalized_shape)
    _check_parameters("layer_norm", normalized_shape, weight=weight, bias=bias)
    result = _standardised(input, axes, eps)
    return _scaled_and_shifted(result, weight, bias)


@table.function(
    cases=[
        Case(
            "batch_norm(x, m, s, w, b)",
            {"x": (2, 3), "m": (3,), "s": (3,), "w": (3,), "b": (3,)},
            (0.3, 2.0),
        ),
        Case("batch_norm(x, None, None, training=True)", {"x": (2, 2, 3)}),
        Case("batch_norm(x, m, s, training=True)", {"x": (3, 2), "m": (2,), "s": (2,)}, (0.3, 2.0)),
    ],
    formula="(input - mean) / sqrt(var + eps) * weight + bias",
    unlike={"torch.batch_norm": "F.batch_norm(…): the other has its arguments in another order"},
    gradients={
        "input": (
            "cotangent * weight / sqrt(running_var + eps)",
            "cotangent / sqrt(running_var + eps)",
            standardised("result", "cotangent", "0"),
            standardised("result", "cotangent", "(0, 2)"),
            standardised(BATCH, "cotangent * weight", "0"),
        ),
        "weight": (
            "sum(cotangent * (input - running_mean) / sqrt(running_var + eps), dim=0)",
            f"sum(cotangent * {BATCH}, dim=0)",
        ),
        "bias": "sum(cotangent, dim=0)",
    },
    demands={
        "input": kernel("batch_norm"),
        "input, weight, bias, running_mean, running_var": MIXED,
    },
    order="channels",
)
def batch_norm(
    input: Node,
    running_mean: Node | None,
    running_var: Node | None,
    weight: Node | None = None,
    bias: Node | None = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Node:
    """Normalised for each channel (axis 1): by the running statistics, or in training by its own.

    The running statistics are not updated, as values never change in place here.
    """
    if input.shape == (0,):
        return input
    if input.ndim < 2:
        raise GradcliError(
            "shape", f"batch_norm takes (batch, channels, …); this is {show(input.shape)}"
        )
    channels = (input.shape[1],)
    _check_parameters(
        "batch_norm", channels,
        running_mean=running_mean, running_var=running_var, weight=weight, bias=bias,
    )  # fmt: skip
    along = (*channels, *[1] * (input.ndim - 2))
    if training:
        if input.size // max(channels[0], 1) == 1:
            raise GradcliError(
                "value",
                f"batch_norm: training needs more than one value a channel; this is "
                f"{show(input.shape)}",
            )
        axes = tuple(axis - input.ndim for axis in range(input.ndim) if axis != 1)
        result = _standardised(input, axes, eps)
    elif running_mean is None or running_var is None:
        raise GradcliError(
            "value",
            "batch_norm needs running_mean and running_var",
            hint="training=True takes the statistics of the batch",
        )
    else:
        result = (input - reshape(running_mean, along)) * rsqrt(reshape(running_var, along) + eps)
    return _scaled_and_shifted(
        result,
        None if weight is None else reshape(weight, along),
        None if bias is None else reshape(bias, along),
    )


@table.function(
    cases=[
        Case("instance_norm(x)", {"x": (2, 2, 3)}),
        Case(
            "instance_norm(x, m, s, w, b, False)",
            {"x": (1, 2, 2), "m": (2,), "s": (2,), "w": (2,), "b": (2,)},
            (0.3, 2.0),
        ),
    ],
    formula="(input - mean) / sqrt(var + eps) * weight + bias",
    unlike={"torch.instance_norm": "F.instance_norm(…): the other has another order of arguments"},
    demands={
        "input": kernel("batch_norm"),
        "input, weight, bias, running_mean, running_var": MIXED,
    },
)
def instance_norm(
    input: Node,
    running_mean: Node | None = None,
    running_var: Node | None = None,
    weight: Node | None = None,
    bias: Node | None = None,
    use_input_stats: bool = True,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Node:
    """Mean 0 and variance 1 for each channel (axis 1) of each sample; or by running statistics."""
    if input.ndim < 3:
        raise GradcliError(
            "shape", f"instance_norm takes (batch, channels, …); this is {show(input.shape)}"
        )
    if not use_input_stats:
        return batch_norm(input, running_mean, running_var, weight, bias, eps=eps)
    channels = (input.shape[1],)
    _check_parameters(
        "instance_norm", channels,
        running_mean=running_mean, running_var=running_var, weight=weight, bias=bias,
    )  # fmt: skip
    if math.prod(input.shape[2:]) == 1:
        raise GradcliError(
            "value",
            f"instance_norm needs more than one value a channel; this is {show(input.shape)}",
        )
    result = _standardised(input, tuple(range(2 - input.ndim, 0)), eps)
    along = (*channels, *[1] * (input.ndim - 2))
    return _scaled_and_shifted(
        result,
        None if weight is None else reshape(weight, along),
        None if bias is None else reshape(bias, along),
    )


@table.function(
    cases=[
        Case("group_norm(x, 2)", {"x": (2, 4, 2)}),
        Case("group_norm(x, 1, w, b)", {"x": (1, 2, 3), "w": (2,), "b": (2,)}),
    ],
    formula="(input - mean) / sqrt(var + eps) * weight + bias",
    gradients={
        "input": [
            f"reshape({standardised(_grouped(normal), _grouped(change), '-1', INPUT)}, input.shape)"
            for normal, change in (("result", "cotangent"), (GROUP, WEIGHED))
        ],
        "weight": f"sum(cotangent * {GROUP}, dim=(0, 2))",
        "bias": "sum(cotangent, dim=(0, 2))",
    },
    demands={"input, weight, bias": MIXED, "input": kernel("GroupNormKernelImpl")},
)
def group_norm(
    input: Node,
    num_groups: int,
    weight: Node | None = None,
    bias: Node | None = None,
    eps: float = 1e-5,
) -> Node:
    """Mean 0 and variance 1 for each sample over groups of channels (axis 1)."""
    if input.ndim < 2:
        raise GradcliError(
            "shape", f"group_norm takes (batch, channels, …); this is {show(input.shape)}"
        )
    batch, channels, *rest = input.shape
    if num_groups < 1 or channels % num_groups:
        raise GradcliError(
            "value",
            f"group_norm: {num_groups} groups do not divide the {channels} channels of "
            f"{show(input.shape)}",
        )
    _check_parameters("group_norm", (channels,), weight=weight, bias=bias)
    grouped = reshape(input, (batch, num_groups, channels // num_groups * math.prod(rest)))
    result = reshape(_standardised(grouped, (-1,), eps), input.shape)
    along = (channels, *[1] * len(rest))
    return _scaled_and_shifted(
        result,
        None if weight is None else reshape(weight, along),
        None if bias is None else reshape(bias, along),
    )


@table.function(
    cases=[Case("rms_norm(x, 3)"), Case("rms_norm(x, (2, 3), w, 0.1)", {"x": (2, 3), "w": (2, 3)})],
    formula="input / sqrt(mean(input**2) + eps) * weight",
)
def rms_norm(
    input: Node,
    normalized_shape: tuple[int, ...],
    weight: Node | None = None,
    eps: float | None = None,
) -> Node:
    """A mean square of 1 over the last axes, which have `normalized_shape`.

    `eps` is the precision of floats by default.
    """
    axes = _last_axes("rms_norm", input, normalized_shape)
    _check_parameters("rms_norm", normalized_shape, weight=weight)
    least = float(np.finfo(input.graph.dtype("float")).eps) if eps is None else eps
    result = input * rsqrt(mean(input * input, axes, True) + least)
    return _scaled_and_shifted(result, weight, None)


@table.function(
    cases=[Case("local_response_norm(x, 2, 0.5, k=0.7)", {"x": (1, 3, 2)})],
    formula="input / (k + alpha * mean(input**2))**beta, over size channels",
)
def local_response_norm(
    input: Node, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0
) -> Node:
    """Each value over a power of the mean square of `size` channels (axis 1) around its own."""
    if input.ndim < 3 or size < 1:
        raise GradcliError(
            "shape",
            f"local_response_norm takes (batch, channels, …) and a size of 1 or more; this is "
            f"{show(input.shape)} and {size}",
        )
    if not input.size:
        return input
    squares = padded(movedim(input * input, (1,), (-1,)), ((size // 2, (size - 1) // 2),))
    around = windows_in_rows(squares, Window((size,), (1,), (1,)))
    means = movedim(mean(around, (-2,)), (-1,), (1,))
    return input / (means * alpha + k) ** beta


def _last_axes(name: str, input: Node, normalized_shape: Shape) -> Axes:
    """The axes of `normalized_shape`. Raises `shape` unless the input ends in it."""
    count = len(normalized_shape)
    if not count or input.shape[-count:] != normalized_shape:
        raise GradcliError(
            "shape",
            f"{name}: input {show(input.shape)} does not end in normalized_shape "
            f"{show(normalized_shape)}",
        )
    return tuple(range(-count, 0))


def _standardised(x: Node, axes: Axes, eps: float) -> Node:
    centred = x - mean(x, axes, True)
    return centred * rsqrt(mean(centred * centred, axes, True) + eps)


def _scaled_and_shifted(x: Node, weight: Node | None, bias: Node | None) -> Node:
    if weight is not None:
        x = x * weight
    return x if bias is None else x + bias


def _check_parameters(name: str, shape: Shape, **parameters: Node | None) -> None:
    """Raise `shape` for a parameter that has another one."""
    for what, node in parameters.items():
        if node is not None and node.shape != shape:
            raise GradcliError(
                "shape", f"{name}: {what} has shape {show(node.shape)}; {show(shape)} is expected"
            )
