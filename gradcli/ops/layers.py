"""Linear and bilinear layers."""

from __future__ import annotations

from gradcli.diagnostics import GradcliError
from gradcli.graph import Node
from gradcli.ops.axes import matrix_transpose, permute
from gradcli.ops.contractions import matmul
from gradcli.ops.group import Group
from gradcli.ops.shapes import show
from gradcli.ops.shaping import reshape, squeeze, unsqueeze
from gradcli.ops.table import Alike, Case

table = Group("layer")


@table.function(
    cases=[
        Case("linear(x, w)", {"x": (2, 3), "w": (4, 3)}),
        Case("linear(x, w, b)", {"x": (2, 2, 3), "w": (2, 3), "b": (2,)}),
        Case("linear(x, w, b)", {"x": (2, 3), "w": (3,), "b": ()}),
    ],
    formula="input @ weight.T + bias",
    gradients={
        "input": ["cotangent @ weight", "outer(cotangent, weight)"],
        "weight": [
            "cotangent @ input",
            "cotangent.T @ input",
            "outer(cotangent, input)",
            "sum(cotangent.mT @ input, dim=0)",
        ],
        "bias": [
            "sum(cotangent, dim=0)",
            "cotangent",
            "sum(cotangent)",
            "sum(cotangent, dim=(0, 1))",
        ],
    },
    autocast="lower",
)
def linear(input: Node, weight: Node, bias: Node | None = None) -> Node:
    """input (…, in) times weight (out, in), transposed, plus bias (out,)."""
    if not input.ndim or weight.ndim not in (1, 2) or input.shape[-1] != weight.shape[-1]:
        raise GradcliError(
            "shape",
            f"linear: input {show(input.shape)} and weight {show(weight.shape)} do not fit: "
            "(…, in) and (out, in) are expected",
        )
    product = matmul(input, weight if weight.ndim == 1 else matrix_transpose(weight))
    return product if bias is None else product + bias


@table.function(
    cases=[
        Case("bilinear(x, y, w, b)", {"x": (2, 3), "y": (2, 2), "w": (2, 3, 2), "b": (2,)}),
    ],
    formula="y[k] = input1 @ weight[k] @ input2 + bias[k]",
    demands={
        "input1, input2, weight, bias": Alike(
            "All tensors must have the same dtype, got input1: {type}, input2: "
            "{other}, weight: {type}, bias: {type}"
        )
    },
)
def bilinear(input1: Node, input2: Node, weight: Node, bias: Node | None = None) -> Node:
    """input1 (…, in1) and input2 (…, in2) through weight (out, in1, in2), plus bias (out,)."""
    fit = weight.ndim == 3 and input1.ndim == input2.ndim > 0
    if not fit or (*input1.shape[:-1], input1.shape[-1], input2.shape[-1]) != (
        *input2.shape[:-1],
        *weight.shape[1:],
    ):
        raise GradcliError(
            "shape",
            f"bilinear: inputs {show(input1.shape)} and {show(input2.shape)} and weight "
            f"{show(weight.shape)} do not fit: (…, in1), (…, in2) and (out, in1, in2) are expected",
        )
    out, first, second = weight.shape
    matrices = matmul(input1, reshape(permute(weight, (1, 0, 2)), (first, out * second)))
    by_output = reshape(matrices, (*input1.shape[:-1], out, second))
    product = squeeze(matmul(by_output, unsqueeze(input2, -1)), (-1,))
    return product if bias is None else product + bias
