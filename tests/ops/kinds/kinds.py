"""What the script that makes kinds.json with PyTorch and the test that reads it both need."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from gradcli.graph import Kind
from tests.ops.goldens.golden import Array

PATH = Path(__file__).parent / "kinds.json"
KINDS: tuple[Kind, ...] = ("float", "int", "bool")
LETTERS: dict[str, Kind] = {"f": "float", "i": "int", "b": "bool"}
"""The kinds by NumPy's letters for them."""


def as_kind(array: Array, kind: Kind) -> Array:
    """Floats as they are, as integers of both signs, or as truth values of both sorts."""
    if kind == "float":
        return array
    if kind == "int":
        return np.round(2 * array).astype(np.int64)
    return array > np.median(array) if array.size > 1 else array > 0
