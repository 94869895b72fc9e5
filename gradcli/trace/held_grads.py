"""Whether a program may hold grads: `g = w.grad` is changed by what backward adds later.

A name that is read before anything can change its grad, and never again, holds none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from gradcli.language import syntax
from gradcli.ops import FUNCTIONS
from gradcli.trace.callee import path_of
from gradcli.trace.names import all_parts

_OTHERS = frozenset((
    "astype", "clone", "copy", "dim", "item", "max", "min", "numel", "size", "std", "tolist", "var",
))  # fmt: skip
"""Methods that give what has memory of its own, or is no tensor, besides ops that are no views."""
_KEEPING = frozenset(("append", "detach", "no_grad", "step"))
"""Other methods that change no grad."""
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
    parts = all_parts(program.statements)
    held = _held(parts)
    grads = [each for each in held if _is_of_grad(each)]
    if not grads:
        return False
    passing = _passing(program, parts, {_root(each) for each in held})
    return any(id(each) not in passing for each in grads)


def _held(parts: Sequence[Any]) -> list[Any]:
    """What stands in such places."""
    found: list[Any] = []
    targets = {id(each.target) for each in parts if isinstance(each, syntax.Assign)}
    for part in parts:
        if isinstance(part, syntax.Call):
            if not _keeps_nothing(part.callee):
                found += [*part.arguments, *(each.value for each in part.keywords)]
        elif isinstance(part, syntax.Tuple | syntax.List):
            found += () if id(part) in targets else part.items
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
    return _root(part) == "grad"


def _root(part: Any) -> str:
    """What a value may be a view of: "grad" for a grad, or a name; empty for a value of its own."""
    while True:
        if isinstance(part, syntax.Attribute):
            if part.name == "grad":
                return part.name
            if part.name in _FACTS:
                return ""
            part = part.value
        elif isinstance(part, syntax.Index):
            part = part.value
        elif isinstance(part, syntax.Call) and isinstance(part.callee, syntax.Attribute):
            if _gives_others(part.callee.name):
                return ""
            part = part.callee.value
        else:
            return part.id if isinstance(part, syntax.Name) else ""


# --- names that are read at once ---


def _passing(program: syntax.Program, parts: Sequence[Any], kept: set[str]) -> set[int]:
    """The grads that are given to names which are read only before a grad may change, by their
    identities; `kept` are the roots of what is held.
    """
    changed = {_root(each.target) for each in parts if isinstance(each, syntax.AugmentedAssign)}
    wanted = Counter(each.id for each in parts if isinstance(each, syntax.Name))
    met: Counter[str] = Counter()
    given: dict[str, list[int]] = {}
    for block in _blocks(program, parts):
        fresh: set[str] = set()  # names whose grads nothing can have changed so far
        for statement in block:
            bound = [*_bindings(statement)]
            fresh.difference_update(name for name, _ in bound)
            if fresh:
                met.update(_reads(fresh, all_parts([statement])))
            for name, value in bound:
                met[name] += 1
                if _is_of_grad(value):
                    given.setdefault(name, []).append(id(value))
                    fresh.add(name)
    return {
        each
        for name, values in given.items()
        if met[name] == wanted[name] and name not in kept | changed
        for each in values
    }


def _blocks(program: syntax.Program, parts: Sequence[Any]) -> Iterator[Sequence[Any]]:
    """The statements of the program, and of each body in it."""
    yield program.statements
    for part in parts:
        if isinstance(part, syntax.If):
            yield from (body for _, body in part.branches)
        for field in ("body", "otherwise", "last"):
            body = getattr(part, field, None)
            if isinstance(body, tuple):
                yield body


def _bindings(statement: Any) -> Iterator[tuple[str, Any]]:
    """The names that an assignment binds, with their values: `a, b = x, y` binds two."""
    if not isinstance(statement, syntax.Assign):
        return
    targets: Sequence[Any] = (statement.target,)
    values: Sequence[Any] = (statement.value,)
    if isinstance(statement.target, syntax.Tuple) and isinstance(statement.value, syntax.Tuple):
        targets, values = statement.target.items, statement.value.items
    for target, value in zip(targets, values, strict=False):  # others are no program
        if isinstance(target, syntax.Name):
            yield target.id, value


def _reads(names: set[str], parts: Sequence[Any]) -> Counter[str]:
    """How often a statement of these parts reads names; those whose grads it may change go."""
    if any(map(_may_change, parts)):
        names.clear()
    names.difference_update(map(_changed_in_place, parts))
    return Counter(each.id for each in parts if isinstance(each, syntax.Name) and each.id in names)


def _changed_in_place(part: Any) -> str:
    """The name whose tensor a method changes, `g.mul_(2)`; empty for other parts."""
    is_method = isinstance(part, syntax.Call) and isinstance(part.callee, syntax.Attribute)
    return _root(part.callee.value) if is_method and part.callee.name.endswith("_") else ""


def _may_change(part: Any) -> bool:
    """Whether it changes a grad, calls what may, or reads later."""
    if isinstance(part, syntax.Assign | syntax.AugmentedAssign):
        return _root(part.target) == "grad"
    if isinstance(part, syntax.FunctionDefinition | syntax.Lambda | syntax.Yield):
        return True
    if not isinstance(part, syntax.Call):
        return False
    if not isinstance(part.callee, syntax.Attribute):
        known = path_of(part.callee) or [""]
        return known[0] not in _READERS and known[0] not in FUNCTIONS
    method = part.callee.name
    if not method.endswith("_"):
        return method not in FUNCTIONS and method not in _OTHERS | _KEEPING
    in_module = (path_of(part.callee) or [""])[0] in _MODULES
    return in_module or _root(part.callee.value) == "grad"
