"""Arguments of NumPy's functions by names that PyTorch's do not have: `np.triu(a, k=1)`; results
in shapes of NumPy's own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradcli.diagnostics import GradcliError
from gradcli.ops.shaping import reshape
from gradcli.ops.table import Function
from gradcli.trace.arguments import parameters_of
from gradcli.trace.values import Value, Values

_FIRST = ("a", "m", "v", "A", "N", "ary", "arr", "array", "arrays", "tup", "object", "start")
"""What NumPy calls the first argument."""
_MEANT = {
    "k": ("diagonal",), "shift": ("shifts",), "stop": ("end",), "indices": ("index",),
    "axis1": ("dim0", "dim1"), "axis2": ("dim2", "dim1"), "reps": ("dims",), "M": ("m",),
}  # fmt: skip
"""NumPy's names: the parameters that they may mean, the most likely first."""
_WITHOUT_EFFECT: dict[str, tuple[Any, ...]] = {
    "kind": (None, "quicksort", "mergesort", "heapsort", "stable"),
    "order": ("K", "A", "C"),
    "method": ("linear",),
}
"""What changes nothing where it is one of these, of functions that have no such parameter."""


def place(
    function: Function, written: str, arguments: list[Any], keywords: dict[str, Any]
) -> str | None:
    """Put what is given by NumPy's names where it belongs, and leave out what has no effect. The
    name of another function is returned where that takes them.

    Raises `value` where a choice is given that has an effect.
    """
    known = {each.name: each for each in parameters_of(function)}
    if not keywords.keys() <= known.keys() or written == "trace":
        from gradcli.trace.arrays_of_numpy import rarely

        if (found := rarely(written, known.keys(), arguments, keywords)) is not None:
            return found
    for name in [*keywords]:
        if name in known:
            continue
        target = next((each for each in _MEANT.get(name, ()) if each in known), "")
        if name in _FIRST and not arguments:
            arguments.append(keywords.pop(name))
        elif target and known[target].variadic:
            if len(arguments) == [*known].index(target):
                arguments.append(keywords.pop(name))
        elif target:
            keywords[target] = keywords.pop(name)
        elif name in _WITHOUT_EFFECT:
            choices = _WITHOUT_EFFECT[name]
            if keywords.pop(name) not in choices:
                told = f"np.{function.name} has {name}={choices[-1]!r} alone here"
                hint = "a.T.reshape(shape[::-1]).T has order='F'" if name == "order" else None
                raise GradcliError("value", told, hint=hint)
    return None


def least_squares(
    values: Values, arguments: Sequence[Value], result: tuple[Any, ...]
) -> tuple[Any, ...]:
    """What `np.linalg.lstsq` gives: as many residuals as right sides, or none where the equations
    leave no rest to tell of.
    """
    solution, residuals, rank, singular = result
    rows, columns = values.tensor(arguments[0], "a").shape
    if rows <= columns or values.integer(rank, "a rank") < columns:
        residuals = residuals.graph.constant(np.zeros(0))
    elif not residuals.shape:
        residuals = reshape(residuals, (1,))
    return solution, residuals, rank, singular
