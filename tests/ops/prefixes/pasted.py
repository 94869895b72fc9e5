"""Calls as people paste them, with a library's prefix: shared by the script that stores what the
libraries give and by the test that compares.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.ops import FUNCTIONS
from tests.ops.goldens.golden import Array

PREFIXES = {
    "torch": "torch",
    "F": "torch.nn.functional",
    "torch.linalg": "torch.linalg",
    "torch.special": "torch.special",
    "np": "numpy",
    "np.linalg": "numpy.linalg",
    "scipy.special": "scipy.special",
    "scipy.linalg": "scipy.linalg",
    "jnp": "jax.numpy",
    "jnp.linalg": "jax.numpy.linalg",
    "jax.nn": "jax.nn",
    "jax.scipy.special": "jax.scipy.special",
    "jax.scipy.linalg": "jax.scipy.linalg",
    "math": "math",
}
"""What people paste, and the module behind it."""

INPUTS: dict[str, Array] = {
    "s": np.array(0.4),
    "v": np.array([0.3, 0.8, 0.55]),
    "w": np.array([0.6, 0.25, 0.7]),
    "x": np.array([[0.2, 0.75, 0.45], [0.9, 0.35, 0.6]]),
    "y": np.array([[0.5, 0.15, 0.8], [0.3, 0.65, 0.4]]),
    "A": np.array([[2.0, 0.5, 0.3], [0.5, 1.5, 0.2], [0.3, 0.2, 1.0]]),
    "B": np.array([[0.1, 0.7, 0.4], [0.9, 0.2, 0.6], [0.35, 0.85, 0.5]]),
    "z": np.linspace(0.05, 0.95, 18).reshape(2, 3, 3)[:, ::-1] ** 2,
}
"""Between 0 and 1, where nearly all functions are defined; A is positive definite."""

ARGUMENTS = (
    # one operand, two, three
    "s", "v", "x", "A", "z", "[v, w]", "'ij,jk->ik', x, A", "s, s", "v, w", "x, y", "A, v",
    "B, A", "A, B", "x > 0.4, x, y", "v, v, w", "x, y, y", "x, y, 0.5", "2, x",
    # numbers by place
    "x, 0", "x, 1", "x, -1", "x, 2", "v, 2", "v, 3", "A, 1", "A, -1", "s, 2", "x, 0.2, 0.6",
    "v, 0.5", "x, 1, 0", "x, 2, 1", "z, 0", "z, 1", "z, 1, 0", "v, w, 0", "B, A, 0", "x, y, 1",
    "[x, y], 1", "x, 0.5, 1", "x, y, -1",
    # truth values, None, tuples, strings
    "x, 0, True", "v, True", "A, True", "x, (3, 2)", "x, (1, 0)", "x, (1, 1)",
    "v, [2, 0]", "v, [1, 2]", "x, [0, 1], 1", "x, 'fro'", "x, 'nuc'", "B, 'r'",
    # by name
    "x, axis=1", "x, axis=None", "x, axis=1, keepdims=True", "x, dim=0", "x, dim=None",
    "x, dim=1, keepdim=True", "x, axis=(0, 1)", "x, ddof=1", "x, correction=0", "v, [1, 2], axis=0",
    "[x, y], axis=1", "[x, y], dim=1", "x, 2, axis=1", "x, 0.5, axis=1", "x, 2, dim=1",
    "v, increasing=True", "v, w, indexing='ij'", "A, B, lower=True", "A, lower=True",
    "A, B, upper=False", "A, upper=True", "B, A, axis=0", "B, A, dim=0", "x, full_matrices=False",
    "B, mode='r'", "x, decimals=1", "x, axis=1, b=y",
)  # fmt: skip
"""What stands in the parentheses: the same text in Python and in gradcli."""
COUNTS = ("2", "3", "(2, 3)", "2, 3", "2, 3, 1", "0, 1, 5", "1, 7, 2", "(2, 3), 7")
"""For functions that make tensors: elsewhere, NumPy's results are whole numbers."""
RANDOM = ("rand", "randn", "dropout", "dropout1d", "dropout2d", "dropout3d")


def arguments_of(module: str, name: str) -> tuple[str, ...]:
    """What a function is tried with."""
    if name.removesuffix("_like") in RANDOM:
        return ()
    entry = FUNCTIONS.get(name)
    makes = entry is not None and entry.group == "creation"
    return COUNTS + ARGUMENTS if makes else ARGUMENTS


def flat(result: Any) -> list[Array] | None:
    """The arrays of a result, a tuple's in order; None for what is no tensor."""
    items = result if isinstance(result, tuple | list) else [result]
    arrays = []
    for item in items:
        if isinstance(item, tuple | list | str | type(None)):
            return None
        array = np.asarray(item)
        if array.dtype.kind not in "fib":
            return None
        arrays.append(array)
    return arrays
