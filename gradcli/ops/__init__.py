"""The op table. Importing this package fills it; `gradcli.ops.table` says what an entry is."""

from gradcli.graph import OPERATORS
from gradcli.ops import (
    activation,
    arithmetic,
    axes,
    comparison,
    contractions,
    control,
    creation,
    diagonals,
    einsum,
    exponential,
    extremes,
    hyperbolic,
    indexing,
    joining,
    logistic,
    norms,
    placing,
    powers,
    products,
    reductions,
    rounding,
    scans,
    scattering,
    selection,
    shaping,
    softmax,
    special,
    statistics,
    tiling,
    trigonometric,
)
from gradcli.ops.table import FUNCTIONS, Case, Function, Parameter

OPERATORS.update(
    {
        name: FUNCTIONS[name].build
        for name in (
            "add", "sub", "mul", "div", "pow", "neg", "matmul", "lt", "le", "gt", "ge",
            "scale", "sum", "reshape", "expand", "sum_to",
        )
    }
)  # fmt: skip

__all__ = [
    "FUNCTIONS",
    "Case",
    "Function",
    "Parameter",
    "activation",
    "arithmetic",
    "axes",
    "comparison",
    "contractions",
    "control",
    "creation",
    "diagonals",
    "einsum",
    "exponential",
    "extremes",
    "hyperbolic",
    "indexing",
    "joining",
    "logistic",
    "norms",
    "placing",
    "powers",
    "products",
    "reductions",
    "rounding",
    "scans",
    "scattering",
    "selection",
    "shaping",
    "softmax",
    "special",
    "statistics",
    "tiling",
    "trigonometric",
]
