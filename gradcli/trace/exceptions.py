"""Errors as Python's exceptions: what `except` catches, and what PyTorch says."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from gradcli.diagnostics import Code, Diagnostic, GradcliError, RefusedError
from gradcli.trace.autograd import OVERWRITTEN
from gradcli.trace.autograd_calls import UNFOLLOWED_INPUT, UNUSED_INPUT
from gradcli.trace.caught import Caught, RaisedError
from gradcli.trace.conversions import NUMPY_OF_GRAD
from gradcli.trace.elements import LEAF_IN_PLACE, VIEW_IN_PLACE
from gradcli.trace.kinds_of_values import is_class
from gradcli.trace.own_errors import kinds_of
from gradcli.trace.wordings import worded

_ALL = frozenset(("Exception", "BaseException"))
_CLASSES: dict[Code, frozenset[str]] = {
    **dict.fromkeys(
        ("gradient-required", "gradient-shape", "no-grad", "graph-freed", "not-differentiable"),
        frozenset(("RuntimeError", "AttributeError")),
    ),
    "shape": frozenset(("RuntimeError", "ValueError", "IndexError")),
    "singular": frozenset(("RuntimeError", "LinAlgError", "ValueError")),
    "index": frozenset(("IndexError", "RuntimeError", "KeyError", "LookupError")),
    "axis": frozenset(("IndexError", "RuntimeError")),
    "assertion": frozenset(("AssertionError",)),
    "name": frozenset(("NameError", "AttributeError", "ImportError", "TypeError")),
    "type": frozenset(("TypeError", "RuntimeError", "ValueError", "AttributeError")),
    "value": frozenset(
        ("ZeroDivisionError", "ValueError", "RuntimeError", "TypeError", "IndexError")
    ),
}
"""The classes that Python and PyTorch may raise where gradcli has an error of that code."""

_FIRST: dict[Code, str] = {
    "index": "IndexError", "axis": "IndexError", "assertion": "AssertionError",
    "name": "AttributeError", "type": "TypeError", "value": "ValueError",
}  # fmt: skip
"""The most likely class of each; RuntimeError for the others."""
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
_UNUSED = (
    "The differentiated Tensor at index {} appears to not have been used in the graph. Set "
    "allow_unused=True if this is the desired behavior."
)
_ANOMALY = (
    ". Hint: enable anomaly detection to find the operation that failed to compute its gradient, "
    "with torch.autograd.set_detect_anomaly(True, check_nan=False)."
)
_OWN_MESSAGES = {
    NUMPY_OF_GRAD: "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() "
    "instead.",
    LEAF_IN_PLACE: "a leaf Variable that requires grad is being used in an in-place operation.",
    VIEW_IN_PLACE: "a view of a leaf Variable that requires grad is being used in an in-place "
    "operation.",
}
"""By what gradcli says."""


def catches(names: Collection[str] | None, error: GradcliError) -> bool:
    """Whether `except …` of classes is for an error, or one of all; limits are never caught."""
    own = None
    if isinstance(error, RaisedError):
        own = kinds_of(error.name) if error.value is None else error.value.kinds()
    elif (known := _elsewhere(error)) is not None:
        own = kinds_of(known[0])
    found = own or _CLASSES.get(error.diagnostic.code)
    if found is None or names is None:
        return found is not None
    return any(each in _ALL or each in found for each in names)


def classes_in(value: Any) -> set[str]:
    """The names of a class, or of those in a tuple."""
    found, waiting = set[str](), [value]
    while waiting:
        each = waiting.pop()
        if isinstance(each, tuple):
            waiting += each
        elif is_class(each):
            found.add(each.name.rpartition(".")[2])
    return found


def caught(error: GradcliError) -> Any:
    """The error as the program sees it."""
    if isinstance(error, RaisedError) and error.value is not None:
        return error.value
    if isinstance(error, RaisedError):
        raised = Caught(error.said) if error.made is None else error.made
        raised.kind, raised.cause = error.name, error.cause
        return raised
    known = _elsewhere(error)
    if known is not None:
        found = Caught(known[1])
        found.kind = known[0]
        return found
    found = Caught(message_of(error.diagnostic))
    message = error.diagnostic.message
    is_change = "in place" in message or "inplace" in message or "returned nan" in message
    usual = "RuntimeError" if is_change else _FIRST.get(error.diagnostic.code, "RuntimeError")
    found.kind = error.kind or usual
    return found


def _elsewhere(error: GradcliError) -> tuple[str, str] | None:
    """The class and the message of an error in Python or PyTorch, where they are known."""
    if isinstance(error, RefusedError):
        return error.elsewhere
    return worded(error.diagnostic.message)


def message_of(diagnostic: Diagnostic) -> str:
    """What `print(e)` prints: PyTorch's words where they are known."""
    message = diagnostic.message
    if message == UNFOLLOWED_INPUT:
        return message
    if message.startswith(UNUSED_INPUT):
        return _UNUSED.format(message.removeprefix(UNUSED_INPUT).strip())
    if message.startswith(OVERWRITTEN):
        return message + _ANOMALY
    known = worded(message)
    if known is not None:
        return known[1]
    own = _OWN_MESSAGES.get(message)
    return own or _MESSAGES.get(diagnostic.code, message)
