"""Whether what a loop may use does in each of its passes what it does in the others.

Where a program has something that is not known to change nothing but tensors, loops that do not
reach it may still be one node, if all objects that they may use are of kinds that keep nothing from
pass to pass but tensors, modes, and what optimisers and schedulers tell of themselves.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from gradcli.graph import Node
from gradcli.trace.autograd import Autograd
from gradcli.trace.frames import Frame
from gradcli.trace.holding import held

STEADY = frozenset((
    "BuiltIn", "TypeHint", "ClassName", "Recording", "Inference", "UserFunction", "Bound", "Dots",
    "Dictionary", "NamesWithValues", "Namespace", "RecordClass", "Partial", "Absent",
    "Class", "Instance", "Enumeration", "Module", "Optimiser", "Scheduler", "Distribution",
    "TensorDataset", "DataLoader", "Subset", "DtypeLimits", "SliceOf", "FunctionContext",
))  # fmt: skip
"""Classes that keep nothing else, with those that are made from them."""
KEEPING = frozenset((
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

    def named(frame: Frame) -> Iterator[Any]:
        for name in names:
            yield frame.values.get(name)
            yield frame.functions.get(name)

    hooks = (autograd.hooks, autograd.node_hooks, autograd.after, autograd.of_modules)
    others = (autograd.together, autograd.retained, autograd.tangents, autograd.values.attributes)
    return not any((*hooks, *others)) and all(map(_is_steady, held([frame], named)))


def _is_steady(value: object) -> bool:
    if isinstance(value, Node):
        return True
    names = (each.__name__ for each in type(value).__mro__)
    first = next((name for name in names if name in STEADY or name in KEEPING), "")
    return first in STEADY and not getattr(value, "remembered", None)
