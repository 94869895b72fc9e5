"""Whether a program may hold grads: `g = w.grad` is changed by what backward adds later."""

from __future__ import annotations

from typing import Any

from gradcli.language import syntax
from gradcli.ops import FUNCTIONS
from gradcli.trace.callee import path_of
from gradcli.trace.names import all_parts

_OTHERS = frozenset((
    "astype", "clone", "copy", "dim", "item", "max", "min", "numel", "size", "std", "tolist", "var",
))  # fmt: skip
"""Methods that give what has memory of its own, or is no tensor, besides ops that are no views."""
_FACTS = frozenset(("dtype", "device", "is_leaf", "ndim", "requires_grad", "shape"))
_READERS = frozenset((
    "abs", "bool", "float", "format", "int", "len", "max", "min", "print", "repr", "round", "str",
    "sum", "type",
))  # fmt: skip
"""Functions of Python's that keep nothing of what they are given."""
_MODULES = frozenset(("torch", "F", "nn", "np", "numpy", "math", "plt"))
"""What the functions of modules are called by, which keep nothing either."""


def holds_grads(program: syntax.Program) -> bool:
    """Whether a grad, or a view of one, stands where it gets a name or is put into anything."""
    return any(map(_is_of_grad, _held(program)))


def _held(program: syntax.Program) -> list[Any]:
    """What stands in such places."""
    found: list[Any] = []
    for part in all_parts(program.statements):
        if isinstance(part, syntax.Call):
            if not _keeps_nothing(part.callee):
                found += [*part.arguments, *(each.value for each in part.keywords)]
        elif isinstance(part, syntax.Tuple | syntax.List):
            found += part.items
        elif isinstance(part, syntax.Conditional):
            found += [part.value, part.otherwise]
        elif isinstance(part, syntax.Comprehension):
            found.append(part.item)
        elif isinstance(
            part,
            syntax.Assign | syntax.ChainedAssign | syntax.Lambda | syntax.Pair | syntax.Return
            | syntax.Walrus | syntax.Yield,
        ):  # fmt: skip
            found.append(part.value)
    return found


def _keeps_nothing(callee: syntax.Expression) -> bool:
    path = path_of(callee) or [""]
    if path[0] in (_MODULES if len(path) > 1 else _READERS):
        return True
    if not isinstance(callee, syntax.Attribute) or callee.name == "add":  # which sets have, too
        return False
    return callee.name.endswith("_") or callee.name in FUNCTIONS


def _gives_others(name: str) -> bool:
    """Whether what a method gives never lies in the memory of what it is a method of."""
    function = FUNCTIONS.get(name)
    is_view = function is None or function.op is None or function.op.view
    return name in _OTHERS or not is_view


def _is_of_grad(part: Any) -> bool:
    """Whether it is `x.grad`, or what may be a view of one."""
    while True:
        if isinstance(part, syntax.Attribute):
            if part.name == "grad":
                return True
            if part.name in _FACTS:
                return False
            part = part.value
        elif isinstance(part, syntax.Index):
            part = part.value
        elif isinstance(part, syntax.Call) and isinstance(part.callee, syntax.Attribute):
            if _gives_others(part.callee.name):
                return False
            part = part.callee.value
        else:
            return False
