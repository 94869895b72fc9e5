"""Pooling by p-norms."""

from __future__ import annotations

import math

from gradcli.diagnostics import GradcliError
from gradcli.graph import Node
from gradcli.ops.comparison import eq
from gradcli.ops.group import Group
from gradcli.ops.pooling import avg_pool1d, avg_pool2d, avg_pool3d
from gradcli.ops.selection import where
from gradcli.ops.table import Case, Function
from gradcli.ops.windows import Lengths, lengths_of

table = Group("layer")

FORMULA = "sum(x**norm_type)**(1 / norm_type) of each window"
KINK = "0 where the sum is 0"


@table.function(
    cases=[Case("lp_pool1d(x, 3, 2, stride=1)", {"x": (1, 4)}, (0.3, 2.0))],
    formula=FORMULA,
    kink=KINK,
)
def lp_pool1d(
    input: Node,
    norm_type: float,
    kernel_size: tuple[int, ...],
    stride: tuple[int, ...] | None = None,
    ceil_mode: bool = False,
) -> Node:
    """The p-norm of each window over the last axis, for p = `norm_type`; signs count in odd powers.

    `stride` is the kernel's size.
    """
    kernel = lengths_of("lp_pool1d", "kernel_size", kernel_size, 1, 1)
    return _lp_pool(avg_pool1d, input, norm_type, kernel, stride, ceil_mode)


@table.function(cases=[Case("lp_pool2d(x, 2, 2)", {"x": (1, 2, 4)})], formula=FORMULA, kink=KINK)
def lp_pool2d(
    input: Node,
    norm_type: float,
    kernel_size: tuple[int, ...],
    stride: tuple[int, ...] | None = None,
    ceil_mode: bool = False,
) -> Node:
    """The p-norm of each window over the last two axes, for p = `norm_type`."""
    kernel = lengths_of("lp_pool2d", "kernel_size", kernel_size, 2, 1)
    return _lp_pool(avg_pool2d, input, norm_type, kernel, stride, ceil_mode)


@table.function(
    cases=[Case("lp_pool3d(x, 2, (1, 2, 2))", {"x": (1, 2, 2, 3)})],
    formula=FORMULA,
    kink=KINK,
    autocast="float32",
)
def lp_pool3d(
    input: Node,
    norm_type: float,
    kernel_size: tuple[int, ...],
    stride: tuple[int, ...] | None = None,
    ceil_mode: bool = False,
) -> Node:
    """The p-norm of each window over the last three axes, for p = `norm_type`."""
    kernel = lengths_of("lp_pool3d", "kernel_size", kernel_size, 3, 1)
    return _lp_pool(avg_pool3d, input, norm_type, kernel, stride, ceil_mode)


def _lp_pool(
    average: Function,
    x: Node,
    p: float,
    kernel: Lengths,
    stride: Lengths | None,
    ceil_mode: bool,
) -> Node:
    if not 0 < abs(p) < math.inf:
        raise GradcliError("value", f"lp_pool: norm_type must be finite and not 0, but is {p:g}")
    means = average(x**p, kernel, stride, ceil_mode=ceil_mode)
    nonzero = where(eq(means, 0.0), 0.0, means)  # so that no gradient reaches the root of 0
    return (nonzero * float(math.prod(kernel))) ** (1 / p)
