"""What backward needs of tensors that were changed in place: each change is a version, as in
PyTorch, and the gradients may need none that is gone.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from gradcli.diagnostics import GradcliError
from gradcli.graph import Node
from gradcli.ops import FUNCTIONS
from gradcli.ops.elementwise import Elementwise
from gradcli.trace.autograd import OVERWRITTEN, Autograd
from gradcli.trace.graph_nodes import tensors_among
from gradcli.trace.suffixes import node_name
from gradcli.trace.values import Values

_DIV = FUNCTIONS["div"].op
_KEEP_RESULTS = frozenset((
    "Exp", "Exp2", "Expm1", "Sigmoid", "Tanh", "Sqrt", "Rsqrt", "Reciprocal", "Relu", "Softmax",
    "LogSoftmax", "Tan", "LinalgInvEx", "LinalgCholeskyEx", "LinalgEigh", "LinalgQr", "LinalgSvd",
))  # fmt: skip
"""Functions whose derivative PyTorch computes from their value alone."""
_KEEP_BOTH = frozenset((
    "Cumprod", "Prod", "Prod1", "Logsumexp", "Logcumsumexp", "LinalgVectorNorm", "Norm", "Norm1",
    "Std", "StdMean", "Amax", "Amin", "Aminmax", "Max1", "Min1", "Median", "Hypot", "Pow1", "Pow2",
    "Cdist", "Pdist", "Dist", "Copysign", "ScatterReduce", "SpecialI1", "SpecialLogNdtr",
    "SpecialErfcx", "LinalgSolveEx", "LinalgDet", "LinalgPinv",
))  # fmt: skip
"""Those for which it has the operands, too: along an axis, an extreme has the places alone."""
_KEEP_OPERANDS = frozenset((
    "LeakyRelu", "LogSigmoid", "Elu", "Celu", "Hardsigmoid", "Hardtanh", "Hardshrink", "Softshrink",
    "PreluKernel", "RreluWithNoise", "Threshold", "NanToNum", "Nansum", "MseLoss", "SmoothL1Loss",
    "HuberLoss", "nll_loss", "SoftMarginLoss", "MultiMarginLoss", "MultilabelMarginLoss",
    "BinaryCrossEntropyWithLogits", "NativeLayerNorm", "NativeGroupNorm", "NativeBatchNorm",
    "instance_norm", "Std", "StdMean", "Convolution", "MaxPool2DWithIndices",
    "MaxPool3DWithIndices", "AvgPool2D", "AvgPool3D", "max_pool1d", "avg_pool1d",
    "adaptive_max_pool1d", "adaptive_avg_pool1d", "Cummax", "Cummin", "Cdist", "Pdist", "Dist",
    "Gather", "Take", "MaskedSelect", "ScatterReduce", "GridSampler2D", "nanmean",
))  # fmt: skip
"""Nodes that keep their operands, where the gradients here need none of them; by the function
where the last of its nodes is another one.
"""
_KEEP_OTHERS = frozenset(("tanhshrink", "ndtr"))
"""Functions of several nodes: what these keep is in no program's hands."""


def _kind(values: Values, node: Node) -> str:
    """The name of PyTorch's node without what all have."""
    return re.sub(r"Backward0?(\d*)$", r"\1", node_name(values, node))


def _function(values: Values, node: Node) -> str:
    made = values.made_by.get(node)
    return made[0].rpartition(".")[2] if made else ""


def _keeps(values: Values, node: Node) -> str:
    """Whether PyTorch keeps what a function has given for backward: `alone`, or with others; or
    `others` only, which are no tensors of the program.
    """
    name = _kind(values, node)
    if (node.op is _DIV and name == "Mul") or _function(values, node) in _KEEP_OTHERS:
        return "others"
    return "alone" if name in _KEEP_RESULTS else "both" if name in _KEEP_BOTH else ""


def _keeps_nothing(_: Values, __: Node) -> str:
    return ""


def _kept_operands(values: Values, node: Node) -> list[Node]:
    """The operands that PyTorch keeps of the function that has made a tensor."""
    made = values.made_by.get(node)
    if made is None or _KEEP_OPERANDS.isdisjoint((_kind(values, node), _function(values, node))):
        return []
    return [each for each in tensors_among(made[1][:2]) if each.kind == "float"]


def check_versions(
    autograd: Autograd, grads: Iterable[Node | None], first: int, inside: Collection[Node]
) -> None:
    """No gradient may need a tensor that was changed in place since it was used. PyTorch needs
    the results of some functions, and of these not what they were computed from. The nodes of
    the gradients are those from the number `first` on, and `inside` are what they are walked
    back through.
    """
    values = autograd.values
    keeps = _keeps if values.is_pytorch else _keeps_nothing

    def is_overwritten(node: Node) -> bool:
        return values.storage(node)[0] in values.overwritten

    kept = [node for node in inside if keeps(values, node) in ("alone", "both")]
    if values.is_pytorch:
        kept += [each for node in inside for each in _kept_operands(values, node)]
    changed = set(filter(is_overwritten, kept))
    waiting = [(grad, grad) for grad in grads if grad is not None]
    seen: set[Node] = set()
    while waiting:
        node, user = waiting.pop()
        if user.origin is node and keeps(values, node) in ("", "others"):
            waiting += [(operand, operand) for operand in node.inputs]
            continue  # a quotient, whose operands PyTorch has instead
        if node.index < first and is_overwritten(node):
            users = [each for each in inside if node in each.inputs and not _is_sum(each)]
            if not users or any(keeps(values, each) in ("", "both") for each in users):
                changed.add(node)
        if node.index >= first and node not in seen:
            seen.add(node)
            waiting += [(operand, node) for operand in node.inputs]
    if changed:
        raise _needed_as_it_was(autograd, max(changed, key=lambda node: node.index))


def _is_sum(node: Node) -> bool:
    """Whether its gradient needs none of its operands."""
    op = node.op
    return isinstance(op, Elementwise) and not op.selects and not any(map(callable, op.partials))


def _needed_as_it_was(autograd: Autograd, node: Node) -> GradcliError:
    """Of a tensor that was changed in place, although its former values are needed."""
    values = autograd.values
    if values.storage(node)[0] not in values.unnoticed:
        text = _overwritten_text(autograd, node) if values.is_pytorch else ""
        return GradcliError("value", OVERWRITTEN + text, hint="compute with a copy: x.clone()")
    return GradcliError(
        "value",
        f"backward needs {autograd.title_of(node)} as it was before a change through .data: "
        "PyTorch does not notice that, and computes a wrong gradient with the new numbers",
        hint="change a copy, x.data.clone(), or change it after backward",
    )


def _overwritten_text(autograd: Autograd, node: Node) -> str:
    """PyTorch's words for a tensor that backward needs, and that has been changed in place."""
    values = autograd.values
    base, views = values.storage(node)
    now = values.current(base)
    name = {"float64": "Double", "float16": "Half"}.get(autograd.dtype_of(node), "Float")
    own, latest = (
        _kind(values, each) if autograd.requires_grad(each) and not autograd.is_leaf(each) else ""
        for each in (node, now)
    )
    title = "AsStrided" if views else own if own in _KEEP_RESULTS | _KEEP_BOTH else latest
    title = f"torch::autograd::{title}" if title == "CopySlices" else title
    shape = ", ".join(map(str, node.shape))
    place = f", which is output 0 of {title}," if title else ""
    return (
        f": [torch.{name}Tensor [{shape}]]{place} is at version {values.changes.get(now, 0)}; "
        f"expected version {values.changes.get(base, 0)} instead"
    )
