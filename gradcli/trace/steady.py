"""Whether what a loop may use does in each of its passes what it does in the others.

Where a program has something that is not known to change nothing but tensors, loops that do not
reach it may still be one node, if all objects that they may use are of kinds that keep nothing from
pass to pass but tensors, modes, and what optimisers and schedulers tell of themselves.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Any

from gradcli.trace.autograd import Autograd
from gradcli.trace.classes import Class
from gradcli.trace.frames import Frame, UserFunction
from gradcli.trace.items import Items
from gradcli.trace.objects import Object
from gradcli.trace.series import Series

_STEADY = frozenset((
    "BuiltIn", "TypeHint", "ClassName", "Recording", "Inference", "UserFunction", "Bound", "Dots",
    "Dictionary", "NamesWithValues", "Namespace", "RecordClass", "Partial", "Absent", "Device",
    "Class", "Instance", "Enumeration", "Module", "Optimiser", "Scheduler", "Distribution",
    "TensorDataset", "DataLoader", "Subset", "DtypeLimits", "SliceOf", "FunctionContext",
))  # fmt: skip
"""Classes that keep nothing else, with those that are made from them."""
_KEEPING = frozenset((
    "Decorated", "DefaultDictionary", "SetOfValues", "HookTable", "OwnModules",
    "StateOfParameter", "States", "EmptyEnvironment", "AveragedModel", "LBFGS", "OwnOptimiser",
    "DerivedOptimiser", "OwnScheduler", "AverageRate", "PrintOptions", "DualLevel", "Autocast",
    "LookingForNan", "ForkedDraws", "Cached", "TransformedDistribution",
))  # fmt: skip
"""Those among the latter that do."""


def are_steady(frame: Frame, names: Collection[str], autograd: Autograd) -> bool:
    """Whether all that names stand for in a frame and around it is so, and all that this holds, and
    no tensor or module has functions that are called in backward, or attributes.
    """
    hooks = (autograd.hooks, autograd.node_hooks, autograd.after, autograd.of_modules)
    others = (autograd.together, autograd.retained, autograd.tangents, autograd.values.attributes)
    return not any((*hooks, *others)) and all(map(_is_steady, _reached(frame, names)))


def _is_steady(value: object) -> bool:
    names = (each.__name__ for each in type(value).__mro__)
    first = next((name for name in names if name in _STEADY or name in _KEEPING), "")
    return first in _STEADY and not getattr(value, "remembered", None)


def _reached(frame: Frame, names: Collection[str]) -> Iterator[object]:
    """The objects that names stand for, and those inside."""
    seen, frames = set[int](), set[Frame]()
    waiting = _values(frame, names, frames)
    while waiting:
        value = waiting.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        if isinstance(value, Object | Series):
            yield value
        waiting += filter(_may_hold, _inside(value))
        if isinstance(value, UserFunction):
            waiting += _values(value.frame, names, frames)


def _inside(value: Any) -> Iterable[Any]:
    """What a value holds."""
    if isinstance(value, Items):
        return value.entries() if type(value) is Items else ()
    if isinstance(value, dict):
        return value.values()
    if isinstance(value, Class):
        frames = [each.frame for each in value.order]
        return [*vars(value).values(), *(each for of in frames for each in _held_by(of))]
    return value if isinstance(value, list | tuple | set) else vars(value).values()


def _held_by(frame: Frame) -> Iterable[Any]:
    return (*frame.values.values(), *frame.functions.values())


def _may_hold(value: Any) -> bool:
    return isinstance(value, Object | list | tuple | Items | dict | set)


def _values(frame: Frame, names: Collection[str], seen: set[Frame]) -> list[Any]:
    """What names stand for in a frame and around it, where these were not seen before."""
    found = list[Any]()
    for each in frame:
        if each not in seen:
            seen.add(each)
            found += [each.values[name] for name in names if _may_hold(each.values.get(name))]
            found += [each.functions[name] for name in names if name in each.functions]
    return found
