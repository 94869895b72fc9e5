"""Parameters and buffers that a module does without: it has None by their names, as in PyTorch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_WEIGHTS = ("weight", "bias")
_STATISTICS = ("running_mean", "running_var", "num_batches_tracked")
_NORMS = ("BatchNorm", "InstanceNorm", "SyncBatchNorm")
_WITH_BIAS = ("Linear", "Bilinear", "Conv", "LayerNorm", "GroupNorm", *_NORMS)
_ATTENTION = ("in_proj_weight", "q_proj_weight", "k_proj_weight", "v_proj_weight", "in_proj_bias")
_WEIGHTED = ("NLLLoss", "CrossEntropyLoss", "BCELoss", "BCEWithLogitsLoss", "MultiMarginLoss",
             "MultiLabelSoftMarginLoss")  # fmt: skip


def with_empty(module: Any, part: str, found: Mapping[Any, Any]) -> Mapping[Any, Any]:
    """The parameters or buffers of a module by name, also of those that it does without: None."""
    base = getattr(module, "base", module)  # of what is made from a layer
    is_own = hasattr(base, "made_by")  # of a class of the program's
    usual = () if is_own else _names(base.title, part)
    names = [each for each in usual if each not in module.computed]
    names += [each for each in module.empty.get(part, ()) if each not in found]
    every = {**{each: found.get(each) for each in names}, **found}
    order = module.fields if is_own else every
    return {each: every[each] for each in [*order, *every] if each in every}


def _names(title: str, part: str) -> tuple[str, ...]:
    """What PyTorch's layers of a class register, also where it is None."""
    if part == "_parameters":
        if title == "MultiheadAttention":
            return _ATTENTION
        return _WEIGHTS if title.startswith(_WITH_BIAS) else _WEIGHTS[: title == "RMSNorm"]
    if part != "_buffers":
        return ()
    if title.startswith(_NORMS):
        return _STATISTICS
    return ("weight", "pos_weight")[: 1 + title.startswith("BCEW")] if title in _WEIGHTED else ()
