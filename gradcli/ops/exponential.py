"""Exponentials and logarithms."""

from __future__ import annotations

import math

from gradcli.ops.table import elementwise

exp = elementwise(
    "exp",
    "e to the power x.",
    "exp",
    lambda y, x: y,
    group="exponential",
    cuda="exp({0})",
    latex="e^{{{0}}}",
    formula="e ** x",
)
exp2 = elementwise(
    "exp2",
    "2 to the power x.",
    "exp2",
    lambda y, x: y * math.log(2),
    group="exponential",
    cuda="exp2({0})",
    latex="2^{{{0}}}",
    formula="2 ** x",
)
expm1 = elementwise(
    "expm1",
    "exp(x) - 1, exact for small x.",
    "expm1",
    lambda y, x: exp(x),  # y + 1 has no digits left below -36
    group="exponential",
    cuda="expm1({0})",
    latex="e^{{{0}}} - 1",
    formula="exp(x) - 1",
)
log = elementwise(
    "log",
    "Natural logarithm.",
    "log",
    lambda y, x: 1 / x,
    group="exponential",
    cuda="log({0})",
    latex=r"\ln {0}",
    formula="log(x)",
    domain=(0.3, 3.0),
    kink="inf at 0",
)
log2 = elementwise(
    "log2",
    "Logarithm to base 2.",
    "log2",
    lambda y, x: 1 / (x * math.log(2)),
    group="exponential",
    cuda="log2({0})",
    latex=r"\log_2 {0}",
    formula="log(x) / log(2)",
    domain=(0.3, 3.0),
    kink="inf at 0",
)
log10 = elementwise(
    "log10",
    "Logarithm to base 10.",
    "log10",
    lambda y, x: 1 / (x * math.log(10)),
    group="exponential",
    cuda="log10({0})",
    latex=r"\log_{{10}} {0}",
    formula="log(x) / log(10)",
    domain=(0.3, 3.0),
    kink="inf at 0",
)
log1p = elementwise(
    "log1p",
    "log(1 + x), exact for small x.",
    "log1p",
    lambda y, x: 1 / (1 + x),
    group="exponential",
    cuda="log1p({0})",
    latex=r"\ln(1 + {0})",
    formula="log(1 + x)",
    domain=(-0.6, 3.0),
    kink="inf at -1",
)
