"""What PyTorch calls the node of its graph that a function leaves behind: `grad_fn=<…>`.

It is the function's name in capitals for most, as `MulBackward0`; the tables below have the others.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from gradcli.graph import EMPTY, Node
from gradcli.ops.control import BIND
from gradcli.ops.custom import Custom
from gradcli.ops.indexing import INDEX
from gradcli.ops.shaping import RESHAPE, SLICE


class CallOfFunction(NamedTuple):
    """The call of a function that made a node."""

    name: str
    arguments: Sequence[Any]
    keywords: Mapping[str, Any]


_NAMED = {
    "square": "PowBackward0", "logsigmoid": "LogSigmoidBackward0", "log_sigmoid":
    "LogSigmoidBackward0", "clamp": "ClampBackward1", "clip": "ClampBackward1",
    "nll_loss": "NllLossBackward0", "cross_entropy": "NllLossBackward0",
    "smooth_l1_loss": "SmoothL1LossBackward0", "l1_loss": "MeanBackward0",
    "kl_div": "DivBackward0", "reshape": "ViewBackward0", "flatten": "ViewBackward0",
    "view": "ViewBackward0", "view_as": "ViewBackward0", "T": "PermuteBackward0",
    "outer": "MulBackward0", "dropout": "MulBackward0", "normalize": "DivBackward0",
    "layer_norm": "NativeLayerNormBackward0", "batch_norm": "NativeBatchNormBackward0",
    "group_norm": "NativeGroupNormBackward0", "norm": "LinalgVectorNormBackward0",
    "vector_norm": "LinalgVectorNormBackward0", "inv": "LinalgInvExBackward0",
    "inverse": "LinalgInvExBackward0", "det": "LinalgDetBackward0", "cross":
    "LinalgCrossBackward0", "diag": "DiagEmbedBackward0", "einsum": "ViewBackward0",
    "max_pool2d": "MaxPool2DWithIndicesBackward0", "pad": "ConstantPadNdBackward0",
    "amax": "AmaxBackward0", "chunk": "SplitBackward0", "float": "ToCopyBackward0",
    "double": "ToCopyBackward0", "to": "ToCopyBackward0", "cosine_similarity": "SumBackward1",
    "softmin": "SoftmaxBackward0", "clone": "CloneBackward0", "cholesky":
    "LinalgCholeskyExBackward0", "overwritten": "CopySlices",
    **dict.fromkeys(("conv1d", "conv2d", "conv3d", "conv_transpose2d"), "ConvolutionBackward0"),
}  # fmt: skip
"""By function or op."""


def torch_node(node: Node, called: CallOfFunction | None) -> str:
    """The name of PyTorch's node for a node that `called` has made, or an operator."""
    if isinstance(node.op, Custom):
        return f"{node.op.name}Backward"
    name = (called.name if called else node.op.name).rpartition(".")[2]
    if called is None and name in _BY_OP:
        return _BY_OP[name](node)
    if called is not None and name in _BY_CALL:
        return _BY_CALL[name](called)
    return _NAMED.get(name) or f"{_capitals(name)}Backward0"


def as_called(node: Node) -> CallOfFunction:
    """The call of the function that a node's op has its name from."""
    return CallOfFunction(node.op.name, node.inputs, EMPTY)


def _capitals(name: str) -> str:
    words = "".join(word[:1].upper() + word[1:] for word in name.split("_"))
    return re.sub(r"\d[a-z]", lambda found: found[0].upper(), words)


# --- by the operands of an operator -------------------------------------------------------------


def _is_number(node: Node) -> bool:
    return not node.shape and node.known is not None


def _difference(node: Node) -> str:
    return "RsubBackward1" if _is_number(node.inputs[0]) else "SubBackward0"


def _quotient(node: Node) -> str:
    return "MulBackward0" if _is_number(node.inputs[0]) else "DivBackward0"


def _power(node: Node) -> str:
    base, exponent = node.inputs
    return f"PowBackward{0 if _is_number(exponent) else 2 if _is_number(base) else 1}"


def _product(node: Node) -> str:
    return _product_of(*(operand.ndim for operand in node.inputs[:2]))


def _product_of(left: int, right: int) -> str:
    names = {(1, 1): "Dot", (2, 1): "Mv", (2, 2): "Mm"}
    if (left, right) == (1, 2):
        return "SqueezeBackward4"
    return f"{names.get((left, right), 'UnsafeView')}Backward0"


def _view(node: Node) -> str:
    """Of a part of a tensor, by which it was chosen: untagged, it stood in brackets."""
    below = node.inputs[0]
    if below.op is SLICE or below.op is RESHAPE:
        return "SelectBackward0"
    return "UnsqueezeBackward0" if node.ndim > below.ndim else "ViewBackward0"


_BY_OP: dict[str, Callable[[Node], str]] = {
    "sub": _difference, "div": _quotient, "pow": _power, "matmul": _product,
    RESHAPE.name: _view, BIND.name: lambda _: "CloneBackward0",
    INDEX.name: lambda _: "IndexBackward0",
}  # fmt: skip


# --- by the arguments of a call -----------------------------------------------------------------


def _along(called: CallOfFunction) -> bool:
    """Whether an axis is given."""
    return len(called.arguments) > 1 or not {"dim", "axis"}.isdisjoint(called.keywords)


def _reduced(name: str) -> Callable[[CallOfFunction], str]:
    return lambda called: f"{name}Backward{int(_along(called))}"


def _extreme(name: str, elementwise: str) -> Callable[[CallOfFunction], str]:
    def of(called: CallOfFunction) -> str:
        if not _along(called) and "other" not in called.keywords:
            return f"{name}Backward1"
        other = called.keywords.get("other", None)
        second = called.arguments[1] if len(called.arguments) > 1 else other
        is_tensor = isinstance(second, Node) and not _is_number(second)
        return f"{elementwise}Backward0" if is_tensor else f"{name}Backward0"

    return of


def _rank(called: CallOfFunction, place: int, name: str) -> int:
    """The number of axes of an argument."""
    given = called.arguments[place] if len(called.arguments) > place else called.keywords.get(name)
    return given.ndim if isinstance(given, Node) else 0


def _linear(called: CallOfFunction) -> str:
    if _rank(called, 0, "input") != 2:
        return "ViewBackward0"
    has_bias = _rank(called, 2, "bias") > 0
    return "AddmmBackward0" if has_bias else "MmBackward0"


def _power_of(called: CallOfFunction) -> str:
    given = [*called.arguments, *called.keywords.values()]
    is_number = len(given) > 1 and (not isinstance(given[1], Node) or _is_number(given[1]))
    return f"PowBackward{0 if is_number else 1}"


def _difference_of(called: CallOfFunction) -> str:
    first = called.arguments[0] if called.arguments else None
    return "RsubBackward1" if isinstance(first, Node) and _is_number(first) else "SubBackward0"


_BY_CALL: dict[str, Callable[[CallOfFunction], str]] = {
    "sum": _reduced("Sum"), "mean": _reduced("Mean"), "prod": _reduced("Prod"),
    "max": _extreme("Max", "Maximum"), "min": _extreme("Min", "Minimum"),
    "squeeze": _reduced("Squeeze"), "linear": _linear, "pow": _power_of, "sub": _difference_of,
    "matmul": lambda called: _product_of(_rank(called, 0, "input"), _rank(called, 1, "other")),
    "mm": lambda _: "MmBackward0",
}  # fmt: skip
