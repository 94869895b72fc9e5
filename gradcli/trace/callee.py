"""Which function a call names: `mean`, `torch.mean`, `np.linalg.norm`."""

from __future__ import annotations

from collections.abc import Container

from gradcli.diagnostics import GradcliError, nearest
from gradcli.language import syntax
from gradcli.ops import FUNCTIONS
from gradcli.ops.table import Function
from gradcli.trace.values import Value

MODULES = frozenset((
    "torch", "torch.nn.functional", "torch.linalg", "torch.special", "torch.autograd",
    "torch.testing", "nn.functional", "F", "T", "autograd", "linalg", "numpy", "numpy.linalg",
    "np", "np.linalg", "scipy.special", "math",
))  # fmt: skip
"""What people paste, with a dot, in front of a function's name."""
STRANGERS = frozenset(("nn", "os", "sys", "subprocess", "scipy", "jax", "jnp", "tf", "random"))
"""Modules that have nothing of what is here."""
AUTOGRAD_GRAD = "autograd.grad"
"""The function that gives a tuple, as PyTorch's does; `grad` gives the tensor of a single input."""
ROOTS = frozenset(module.partition(".")[0] for module in MODULES) | STRANGERS


def function_name(callee: syntax.Expression, bound: Container[str]) -> str | None:
    """The function's name, without the module in front of it; None for a method of a value.

    `linalg.norm` is not `norm`, nor `autograd.grad` `grad`: there the module's last name stays.
    `bound` are the names that have a value. Raises `name` for a module that is not known.
    """
    if isinstance(callee, syntax.Name):
        return callee.id
    path = _path(callee)
    if path is None or path[0] not in ROOTS or path[0] in bound:
        return None
    *rooms, name = path
    if ".".join(rooms) not in MODULES:
        raise _no_function(".".join(path), name, callee)
    own = f"{rooms[-1]}.{name}"
    return own if own in FUNCTIONS or own == AUTOGRAD_GRAD else name


def is_module(owner: syntax.Expression, bound: Container[str]) -> bool:
    """Whether what stands before a dot is a module that constants are pasted with: `np.pi`."""
    return isinstance(owner, syntax.Name) and owner.id in MODULES and owner.id not in bound


def place_receiver(function: Function, arguments: list[Value], keywords: dict[str, Value]) -> None:
    """Put what a method is called on, the first argument, where the function wants it."""
    place = function.receiver
    if not place:
        return
    receiver = arguments.pop(0)
    if len(arguments) < place:
        keywords[function.operands[place]] = receiver
    else:
        arguments.insert(place, receiver)


def _no_function(written: str, name: str, callee: syntax.Expression) -> GradcliError:
    guess = nearest(name, FUNCTIONS)
    if name in FUNCTIONS:
        hint = f"functions need no module: write {name}(…)"
    elif guess:
        hint = f"did you mean {guess!r}?"
    else:
        hint = "there are no modules: gradcli ops lists all functions"
    return GradcliError("name", f"there is no function {written!r}", hint=hint, span=callee.span)


def _path(expression: syntax.Expression) -> list[str] | None:
    """The names in `a.b.c`, None for anything else."""
    names: list[str] = []
    while isinstance(expression, syntax.Attribute):
        names.append(expression.name)
        expression = expression.value
    return [expression.id, *reversed(names)] if isinstance(expression, syntax.Name) else None
