"""`vars(module)` and `module.__dict__`: what PyTorch's modules have, then what is their own."""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import Any

from gradcli.diagnostics import GradcliError
from gradcli.trace.classes import Instance
from gradcli.trace.dictionaries import Fields, OrderedDictionary, SetOfValues
from gradcli.trace.modules import Module
from gradcli.trace.objects import Given
from gradcli.trace.values import Value

_PARTS = ("training", "_parameters", "_buffers", "_non_persistent_buffers_set",
          "_backward_pre_hooks", "_backward_hooks", "_is_full_backward_hook", "_forward_hooks",
          "_forward_hooks_with_kwargs", "_forward_hooks_always_called", "_forward_pre_hooks",
          "_forward_pre_hooks_with_kwargs", "_state_dict_hooks", "_state_dict_pre_hooks",
          "_load_state_dict_pre_hooks", "_load_state_dict_post_hooks", "_modules")  # fmt: skip
"""What PyTorch's modules have, in its order."""
_ASKED = ("training", "_parameters", "_buffers", "_backward_hooks", "_forward_hooks",
          "_forward_pre_hooks", "_modules")  # fmt: skip
"""Those of them that a module knows; the others are empty here."""
_WEIGHTS = ("weight", "bias")
_STATISTICS = ("running_mean", "running_var", "num_batches_tracked")
_NORMS = ("BatchNorm", "InstanceNorm", "SyncBatchNorm")
_WITH_BIAS = ("Linear", "Bilinear", "Conv", "LayerNorm", "GroupNorm", *_NORMS)
_ATTENTION = ("in_proj_weight", "q_proj_weight", "k_proj_weight", "v_proj_weight", "in_proj_bias")
_WEIGHTED = ("NLLLoss", "CrossEntropyLoss", "BCELoss", "BCEWithLogitsLoss", "MultiMarginLoss",
             "MultiLabelSoftMarginLoss")  # fmt: skip


def with_empty(module: Module, part: str, found: Mapping[Any, Any]) -> Mapping[Any, Any]:
    """The parameters or buffers of a module by name, also of those that it does without: None."""
    base = getattr(module, "base", module)  # of a class that is made from a layer
    usual = () if isinstance(base, Instance) else _names(base.title, part)
    names = [each for each in usual if each not in module.computed]
    names += [each for each in module.empty.get(part, ()) if each not in found]
    every = {**{each: found.get(each) for each in names}, **found}
    order = module.fields if isinstance(module, Instance) else every
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


class ModuleFields(Fields):
    """The attributes of a module."""

    def __init__(
        self, module: Module, own: Given, hidden: Container[str] = (), *, is_read: bool = False
    ) -> None:
        """What is `hidden` of its own is in one of the parts; what is only read is not set."""
        values = module.values
        parts: Given = {name: OrderedDictionary(values) for name in _PARTS}
        parts |= {name: module.attribute(name) for name in _ASKED}
        parts["_non_persistent_buffers_set"] = SetOfValues(values, module.not_saved)
        parts["_is_full_backward_hook"] = None
        super().__init__(values, parts | {n: e for n, e in own.items() if n not in hidden})
        self._own, self._is_read = own, is_read

    def put(self, key: Value, value: Value) -> None:
        if not hasattr(self, "_own"):
            super().put(key, value)
            return
        if key in _PARTS or self._is_read:
            raise GradcliError("type", "this part of a module is not set by vars or __dict__",
                               hint="module.name = value")  # fmt: skip
        super().put(key, value)
        self._own[str(key)] = value
