"""Transposed convolutions: the adjoints of convolutions as functions of their own."""

from __future__ import annotations

import math

from gradcli.diagnostics import GradcliError
from gradcli.graph import Node
from gradcli.ops.axes import matrix_transpose
from gradcli.ops.contractions import matmul
from gradcli.ops.convolutions import check_bias, check_dimensions
from gradcli.ops.group import Group
from gradcli.ops.shapes import show
from gradcli.ops.shaping import reshape
from gradcli.ops.table import SCALAR, Case
from gradcli.ops.windows import Lengths, Window, lengths_of, overlap_add, padded

table = Group("layer")

FORMULA = "bias + sum of input * weight, each at the places of the kernel, overlapping"


def _gradients(axes: int) -> dict[str, tuple[str, ...]]:
    """Those of a transposed convolution: the input's is the convolution."""
    name = f"conv{axes}d"
    back = f"{name}(cotangent, weight"
    strided = "padding=padding, dilation=stride, stride=dilation"
    return {
        "input": (
            f"{back})",
            f"{back}, stride=stride, padding=padding)",
            f"{back}, stride=stride, padding=padding, groups=groups, dilation=dilation)",
        ),
        "weight": tuple(
            f"transpose({name}(transpose(cotangent, 0, 1), transpose(input, 0, 1){more}), 0, 1)"
            for more in ("", f", {strided}")
        ),
        "bias": (
            f"sum(cotangent, dim={(0, *range(2, axes + 2))})",
            f"sum(cotangent, dim={tuple(range(1, axes + 1)) if axes > 1 else 1})",
        ),
    }


@table.function(
    cases=[
        Case("conv_transpose1d(x, w)", {"x": (2, 2, 3), "w": (2, 3, 2)}),
        Case(
            "conv_transpose1d(x, w, b, 2, 1, output_padding=1, groups=2, dilation=2)",
            {"x": (2, 3), "w": (2, 1, 2), "b": (2,)},
        ),
    ],
    formula=FORMULA,
    gradients=_gradients(1),
    demands={"input, weight": SCALAR},
    autocast="lower",
)
def conv_transpose1d(
    input: Node,
    weight: Node,
    bias: Node | None = None,
    stride: tuple[int, ...] = (1,),
    padding: tuple[int, ...] = (0,),
    output_padding: tuple[int, ...] = (0,),
    groups: int = 1,
    dilation: tuple[int, ...] = (1,),
) -> Node:
    """Input ([batch,] in, length) spread by weights (in, out / groups, k)."""
    return _transposed(
        "conv_transpose1d", 1, input, weight, bias, stride, padding, output_padding, groups,
        dilation,
    )  # fmt: skip


@table.function(
    cases=[
        Case(
            "conv_transpose2d(x, w, b, stride=(2, 1), padding=(1, 0))",
            {"x": (1, 2, 2, 3), "w": (2, 2, 2, 2), "b": (2,)},
        ),
    ],
    formula=FORMULA,
    gradients=_gradients(2),
    demands={"input, weight": SCALAR},
    autocast="lower",
    order="channels",
)
def conv_transpose2d(
    input: Node,
    weight: Node,
    bias: Node | None = None,
    stride: tuple[int, ...] = (1,),
    padding: tuple[int, ...] = (0,),
    output_padding: tuple[int, ...] = (0,),
    groups: int = 1,
    dilation: tuple[int, ...] = (1,),
) -> Node:
    """Input ([batch,] in, height, width) spread by weights (in, out / groups, kh, kw)."""
    return _transposed(
        "conv_transpose2d", 2, input, weight, bias, stride, padding, output_padding, groups,
        dilation,
    )  # fmt: skip


@table.function(
    cases=[
        Case("conv_transpose3d(x, w)", {"x": (1, 2, 1, 2, 1), "w": (2, 1, 2, 1, 2)}),
        Case(
            "conv_transpose3d(x, w, stride=(1, 2, 1), output_padding=(0, 1, 0))",
            {"x": (2, 2, 1, 2), "w": (2, 1, 2, 2, 1)},
        ),
    ],
    formula=FORMULA,
    gradients=_gradients(3),
    demands={"input, weight": SCALAR},
    autocast="lower",
)
def conv_transpose3d(
    input: Node,
    weight: Node,
    bias: Node | None = None,
    stride: tuple[int, ...] = (1,),
    padding: tuple[int, ...] = (0,),
    output_padding: tuple[int, ...] = (0,),
    groups: int = 1,
    dilation: tuple[int, ...] = (1,),
) -> Node:
    """Input ([batch,] in, *lengths) spread by weights (in, out / groups, kd, kh, kw)."""
    return _transposed(
        "conv_transpose3d", 3, input, weight, bias, stride, padding, output_padding, groups,
        dilation,
    )  # fmt: skip


def _transposed(
    name: str,
    axes: int,
    x: Node,
    weight: Node,
    bias: Node | None,
    stride: Lengths,
    padding: Lengths,
    output_padding: Lengths,
    groups: int,
    dilation: Lengths,
) -> Node:
    _check_shapes(name, axes, x, weight, bias, groups)
    window = Window(
        weight.shape[2:],
        lengths_of(name, "stride", stride, axes, 1),
        lengths_of(name, "dilation", dilation, axes, 1),
    )
    cut = lengths_of(name, "padding", padding, axes, 0)
    more = lengths_of(name, "output_padding", output_padding, axes, 0)
    _check_output_padding(name, window, more)
    counts, batch = x.shape[-axes:], x.shape[: -axes - 1]
    kept, made = weight.shape[0] // groups, math.prod(weight.shape[1:])
    kernels = matrix_transpose(reshape(weight, (groups, kept, made)))
    columns = matmul(kernels, reshape(x, (*batch, groups, kept, math.prod(counts))))
    out = groups * weight.shape[1]
    spread = overlap_add(reshape(columns, (*batch, out, *window.kernel, *counts)), window)
    result = padded(spread, tuple((-n, m - n) for n, m in zip(cut, more, strict=True)))
    return result if bias is None else result + reshape(bias, (out, *[1] * axes))


def _check_shapes(
    name: str, axes: int, x: Node, weight: Node, bias: Node | None, groups: int
) -> None:
    """Raise `shape` or `value` where input, weight and bias do not belong together."""
    both = check_dimensions(name, axes, x, weight)
    if 0 in weight.shape or 0 in x.shape[-axes:]:
        raise GradcliError("shape", f"{name} of nothing: {both}")
    channels = x.shape[-axes - 1]
    if groups < 1 or channels % groups:
        raise GradcliError(
            "value", f"{name}: {groups} groups do not divide the {channels} channels of {both}"
        )
    if channels != weight.shape[0]:
        raise GradcliError(
            "shape",
            f"{name}: the input has {channels} channels, the weight needs {weight.shape[0]} "
            f"(its axis 0): {both}",
        )
    check_bias(name, bias, groups * weight.shape[1], both)


def _check_output_padding(name: str, window: Window, more: Lengths) -> None:
    """Raise `value` unless it is less than a step of the windows or of their places."""
    sides = zip(more, window.stride, window.dilation, strict=True)
    if any(n >= max(step, between) for n, step, between in sides):
        raise GradcliError(
            "value",
            f"{name}: output_padding {show(more)} must be less than stride "
            f"{show(window.stride)} or dilation {show(window.dilation)}",
        )
