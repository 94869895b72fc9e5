"""Arrays of NumPy's that run backwards in memory, of which PyTorch makes no tensors."""

from __future__ import annotations

from gradcli.diagnostics import RefusedError
from gradcli.graph import Node
from gradcli.trace.strides import layout
from gradcli.trace.values import Values


def check_forward(values: Values, array: Node) -> None:
    """Raise PyTorch's error for an array of NumPy's that runs backwards: `a[::-1]`."""
    base, views = values.lie(array)
    if views and any(step < 0 for step in layout(values.places(base, views))[1]):
        said = (
            "At least one stride in the given numpy array is negative, and tensors with negative "
            "strides are not currently supported. (You can probably work around this by making a "
            "copy of your array  with array.copy().) "
        )
        raise RefusedError(
            ("ValueError", said), "value", "PyTorch has no tensors that run backwards",
            hint="a[::-1].copy() runs forwards",
        )  # fmt: skip
