"""`vars(module)` and `module.__dict__`: what PyTorch's modules have, then what is their own."""

from __future__ import annotations

from collections.abc import Container

from gradcli.diagnostics import GradcliError
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
