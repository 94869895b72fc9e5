"""Convolutions (cross-correlations, as in PyTorch): windows in columns, times the kernels."""

from __future__ import annotations

import math

from gradcli.diagnostics import GradcliError
from gradcli.graph import Node
from gradcli.ops.contractions import matmul
from gradcli.ops.group import Group
from gradcli.ops.shapes import show
from gradcli.ops.shaping import reshape
from gradcli.ops.table import SCALAR, Alike, Case
from gradcli.ops.windows import (
    Lengths,
    Paddings,
    Window,
    check_fits,
    lengths_of,
    padded,
    windows,
)

table = Group("layer")

BIASED = Alike("Input type ({type}) and bias type ({other}) should be the same")


def _gradients(axes: int) -> dict[str, tuple[str, ...]]:
    """Those of a convolution over some axes: the input's is the transposed convolution, the
    weight's the convolution of the input with the cotangent, where channels are the batch.
    """
    name = f"conv{axes}d"
    spread = f"conv_transpose{axes}d(cotangent, weight"
    among = f"{name}(transpose(input, 0, 1), transpose(cotangent, 0, 1)"
    single = f"{name}(unsqueeze(input, 1), unsqueeze(cotangent, 1)"
    strided = "padding=padding, dilation=stride, stride=dilation"
    return {
        "input": (
            f"{spread})",
            f"{spread}, padding=padding)",
            f"{spread}, stride=stride, padding=padding, groups=groups, dilation=dilation)",
        ),
        "weight": tuple(
            f"transpose({pair}{more}), 0, 1)"
            for pair in (among, single)
            for more in ("", ", padding=padding", f", {strided}")
        ),
        "bias": (
            f"sum(cotangent, dim={(0, *range(2, axes + 2))})",
            f"sum(cotangent, dim={tuple(range(1, axes + 1)) if axes > 1 else 1})",
        ),
    }


@table.function(
    cases=[
        Case("conv1d(x, w)", {"x": (2, 2, 5), "w": (3, 2, 2)}),
        Case("conv1d(x, w, b, padding=1)", {"x": (2, 4), "w": (3, 2, 3), "b": (3,)}),
        Case("conv1d(x, w, stride=2, dilation=2, groups=2)", {"x": (1, 4, 7), "w": (2, 2, 2)}),
        Case("conv1d(x, w, stride=2, dilation=2)", {"x": (1, 2, 7), "w": (2, 2, 2)}),
        Case("conv1d(x, w, padding='same')", {"x": (1, 1, 4), "w": (1, 1, 2)}),
    ],
    formula="bias + sum of weight * window, over channels and places of the kernel",
    gradients=_gradients(1),
    demands={"input, bias": BIASED, "input, weight": SCALAR},
    overloaded=True,
    autocast="lower",
)
def conv1d(
    input: Node,
    weight: Node,
    bias: Node | None = None,
    stride: tuple[int, ...] = (1,),
    padding: tuple[int, ...] | str = (0,),
    dilation: tuple[int, ...] = (1,),
    groups: int = 1,
) -> Node:
    """Weights (out, in / groups, k) slid over input ([batch,] in, length)."""
    return _convolution("conv1d", 1, input, weight, bias, stride, padding, dilation, groups)


@table.function(
    cases=[
        Case("conv2d(x, w)", {"x": (1, 2, 3, 4), "w": (2, 2, 2, 3)}),
        Case("conv2d(x, w, b, padding=1)", {"x": (2, 3, 3), "w": (1, 2, 2, 2), "b": (1,)}),
        Case(
            "conv2d(x, w, stride=(2, 1), padding=(1, 0), dilation=(1, 2), groups=2)",
            {"x": (2, 2, 3, 4), "w": (2, 1, 2, 2)},
        ),
        Case("conv2d(x, w, padding='same')", {"x": (1, 1, 3, 3), "w": (1, 1, 2, 3)}),
    ],
    formula="bias + sum of weight * window, over channels and places of the kernel",
    gradients=_gradients(2),
    demands={"input, bias": BIASED, "input, weight": SCALAR},
    overloaded=True,
    autocast="lower",
    order="channels",
)
def conv2d(
    input: Node,
    weight: Node,
    bias: Node | None = None,
    stride: tuple[int, ...] = (1,),
    padding: tuple[int, ...] | str = (0,),
    dilation: tuple[int, ...] = (1,),
    groups: int = 1,
) -> Node:
    """Weights (out, in / groups, kh, kw) slid over input ([batch,] in, height, width)."""
    return _convolution("conv2d", 2, input, weight, bias, stride, padding, dilation, groups)


@table.function(
    cases=[
        Case("conv3d(x, w, b)", {"x": (1, 2, 2, 3, 2), "w": (1, 2, 2, 2, 1), "b": (1,)}),
        Case(
            "conv3d(x, w, stride=(1, 2, 1), padding=1, dilation=(2, 1, 1), groups=2)",
            {"x": (2, 2, 2, 2), "w": (2, 1, 2, 2, 2)},
        ),
    ],
    formula="bias + sum of weight * window, over channels and places of the kernel",
    gradients=_gradients(3),
    demands={"input, bias": BIASED, "input, weight": SCALAR},
    overloaded=True,
    autocast="lower",
)
def conv3d(
    input: Node,
    weight: Node,
    bias: Node | None = None,
    stride: tuple[int, ...] = (1,),
    padding: tuple[int, ...] | str = (0,),
    dilation: tuple[int, ...] = (1,),
    groups: int = 1,
) -> Node:
    """Weights (out, in / groups, kd, kh, kw) slid over input ([batch,] in, *lengths)."""
    return _convolution("conv3d", 3, input, weight, bias, stride, padding, dilation, groups)


def _convolution(
    name: str,
    axes: int,
    x: Node,
    weight: Node,
    bias: Node | None,
    stride: Lengths,
    padding: Lengths | str,
    dilation: Lengths,
    groups: int,
) -> Node:
    _check_shapes(name, axes, x, weight, bias, groups)
    kernel = weight.shape[2:]
    window = Window(
        kernel,
        lengths_of(name, "stride", stride, axes, 1),
        lengths_of(name, "dilation", dilation, axes, 1),
    )
    paddings = _paddings(name, window, padding)
    check_fits(name, window, x.shape[-axes:], paddings)
    columns = windows(padded(x, paddings), window)
    batch, counts = x.shape[: -axes - 1], columns.shape[-axes:]
    out = weight.shape[0]
    per_group = math.prod(weight.shape[1:])
    rows = reshape(columns, (*batch, groups, per_group, math.prod(counts)))
    kernels = reshape(weight, (groups, out // groups, per_group))
    result = reshape(matmul(kernels, rows), (*batch, out, *counts))
    return result if bias is None else result + reshape(bias, (out, *[1] * axes))


def check_dimensions(name: str, axes: int, x: Node, weight: Node) -> str:
    """What the shapes of both are, in words. Raises `shape` for other numbers of axes."""
    both = f"input {show(x.shape)} and weight {show(weight.shape)}"
    if x.ndim not in (axes + 1, axes + 2) or weight.ndim != axes + 2:
        raise GradcliError(
            "shape",
            f"{name} takes an input of {axes + 1} or {axes + 2} dimensions and a weight of "
            f"{axes + 2}; these are {both}",
        )
    return both


def check_bias(name: str, bias: Node | None, out: int, both: str) -> None:
    """Raise `shape` where a bias has not one number for each output."""
    if bias is not None and bias.shape != (out,):
        raise GradcliError(
            "shape", f"{name}: the bias has shape {show(bias.shape)}; {both} need {show((out,))}"
        )


def _check_shapes(
    name: str, axes: int, x: Node, weight: Node, bias: Node | None, groups: int
) -> None:
    """Raise `shape` or `value` where input, weight and bias do not belong together."""
    both = check_dimensions(name, axes, x, weight)
    if 0 in weight.shape:
        raise GradcliError("shape", f"{name}: the weight is empty: {both}")
    channels, out = x.shape[-axes - 1], weight.shape[0]
    if groups < 1 or out % groups:
        raise GradcliError(
            "value", f"{name}: {groups} groups do not divide the {out} outputs of {both}"
        )
    if channels != weight.shape[1] * groups:
        raise GradcliError(
            "shape",
            f"{name}: the input has {channels} channels, the weight needs "
            f"{weight.shape[1] * groups} (its axis 1 times groups={groups}): {both}",
        )
    check_bias(name, bias, out, both)


def _paddings(name: str, window: Window, padding: Lengths | str) -> Paddings:
    axes = len(window.kernel)
    if not isinstance(padding, str):
        return tuple((n, n) for n in lengths_of(name, "padding", padding, axes, 0))
    if padding == "valid":
        return ((0, 0),) * axes
    if padding != "same":
        raise GradcliError(
            "value", f"{name}: padding is numbers, 'valid' or 'same', not {padding!r}"
        )
    if any(step != 1 for step in window.stride):
        raise GradcliError("value", f"{name}: padding='same' needs a stride of 1")
    return tuple(((span - 1) // 2, span // 2) for span in window.span)
