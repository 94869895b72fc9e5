"""Errors as Python's exceptions: what `except` catches, and what PyTorch says."""

from __future__ import annotations

from gradcli.diagnostics import Code, Diagnostic
from gradcli.language import syntax

_ALL = frozenset(("Exception", "BaseException"))
_CLASSES: dict[Code, frozenset[str]] = {
    **dict.fromkeys(
        ("gradient-required", "gradient-shape", "no-grad", "graph-freed", "not-differentiable"),
        frozenset(("RuntimeError", "AttributeError")),
    ),
    "shape": frozenset(("RuntimeError", "ValueError", "IndexError")),
    "singular": frozenset(("RuntimeError", "LinAlgError", "ValueError")),
    "index": frozenset(("IndexError", "RuntimeError")),
    "axis": frozenset(("IndexError", "RuntimeError")),
    "assertion": frozenset(("AssertionError",)),
    "name": frozenset(("NameError", "AttributeError", "ImportError", "TypeError")),
    "type": frozenset(("TypeError", "RuntimeError", "ValueError", "AttributeError")),
    "value": frozenset(("ValueError", "RuntimeError", "TypeError", "IndexError")),
}
"""The classes that Python and PyTorch may raise where gradcli has an error of that code."""

_MESSAGES: dict[Code, str] = {
    "gradient-required": "grad can be implicitly created only for scalar outputs",
    "no-grad": "element 0 of tensors does not require grad and does not have a grad_fn",
    "graph-freed": "Trying to backward through the graph a second time (or directly access saved "
    "tensors after they have already been freed). Saved intermediate values of the graph are freed "
    "when you call .backward() or autograd.grad(). Specify retain_graph=True if you need to "
    "backward through the graph a second time or if you need to access saved tensors after calling "
    "backward.",
}
"""PyTorch's words for errors that have only one."""


def catches(handler: syntax.Expression | None, code: Code) -> bool:
    """Whether `except …` is for errors of that code; limits are never caught."""
    found = _CLASSES.get(code)
    if found is None or handler is None:
        return found is not None
    names = handler.items if isinstance(handler, syntax.Tuple) else (handler,)
    for each in names:
        name = each.name if isinstance(each, syntax.Attribute) else getattr(each, "id", "")
        if name in _ALL or name in found:
            return True
    return False


def message_of(diagnostic: Diagnostic) -> str:
    """What `print(e)` prints: PyTorch's words where they are known."""
    return _MESSAGES.get(diagnostic.code, diagnostic.message)
