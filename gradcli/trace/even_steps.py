"""`np.linspace` without its end, or with its step."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.diagnostics import GradcliError
from gradcli.graph import Node
from gradcli.ops.control import leaf
from gradcli.trace.arguments import bind_names
from gradcli.trace.autograd import Autograd
from gradcli.trace.constructors import as_dtype
from gradcli.trace.special import Special
from gradcli.trace.values import Value

MOST = 2**24
"""The most elements."""
_NAMES = ("start", "stop", "num", "endpoint", "retstep", "dtype")


class EvenSteps:
    """The function by its name."""

    def __init__(self, autograd: Autograd) -> None:
        self._autograd = autograd
        self._values = autograd.values
        self.functions: dict[str, Special] = {"np.linspace": self._linspace}
        self.methods: dict[str, Special] = {}

    def _linspace(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        given = bind_names("np.linspace", _NAMES, arguments, keywords, _NAMES[2:])
        start, stop = (self._values.number(given[name], name) for name in _NAMES[:2])
        count = self._values.integer(given["num"], "num") if "num" in given else 50
        if not 0 <= count <= MOST:
            raise GradcliError("value", f"np.linspace: num is from 0 to {MOST:,}")
        has_end = "endpoint" not in given or self._values.truth(given["endpoint"])
        found, step = np.linspace(start, stop, count, has_end, retstep=True)
        row = self._array(found)
        if given.get("dtype") is not None:
            row = as_dtype(self._autograd, row, given["dtype"])
            self._values.arrays.add(row)
        tells_step = "retstep" in given and self._values.truth(given["retstep"])
        return (row, self._array(step)) if tells_step else row

    def _array(self, found: Any) -> Node:
        node = leaf(self._values.graph.constant(np.asarray(found)), marked=False)
        self._values.arrays.add(node)
        return node
