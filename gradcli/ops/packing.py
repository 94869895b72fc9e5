"""Several results of one node: the decompositions of matrices.

One LAPACK call makes several results and one node holds one array, so the op of a decomposition
packs its results side by side into a row, and the function takes them out with slices. What
flows back is packed in the same way, whichever of the results are used.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from gradcli.diagnostics import GradcliError
from gradcli.graph import Array, Node, Shape
from gradcli.ops.axes import matrix_transpose
from gradcli.ops.comparison import eq
from gradcli.ops.creation import eye
from gradcli.ops.joining import cat
from gradcli.ops.selection import where
from gradcli.ops.shaping import reshape, take_slices, unsqueeze

if TYPE_CHECKING:
    from gradcli.graph import ArrayNamespace

SIGNED = 1 << 16
"""Vectors of so many elements in all are LAPACK's on a GPU, too: its own have other signs, and take
longer."""


def pack(xp: ArrayNamespace, parts: Sequence[Array], batch: Shape) -> Array:
    """Arrays side by side in a row, behind the batch axes."""
    rows = [xp.reshape(part, (*batch, prod(part.shape[len(batch) :]))) for part in parts]
    return xp.concat(rows, axis=-1)


def packed_shape(batch: Shape, shapes: Sequence[Shape]) -> tuple[Shape, Any]:
    """Shape and kind of such a row."""
    return (*batch, sum(map(prod, shapes))), "float"


def packed(parts: Sequence[Node], shapes: Sequence[Shape]) -> Node:
    """Nodes side by side in a row, as `pack` does with arrays."""
    rows = []
    for part, shape in zip(parts, shapes, strict=True):
        batch = part.shape[: part.ndim - len(shape)]
        rows.append(reshape(part, (*batch, prod(shape))))
    return cat(rows, -1)


def unpack(row: Node, shapes: Sequence[Shape]) -> list[Node]:
    """The results of the given shapes, behind the batch axes."""
    batch = row.shape[:-1]
    lead = tuple((0, length, 1) for length in batch)
    parts = []
    first = 0
    for shape in shapes:
        part = take_slices(row, (*lead, (first, prod(shape), 1)))
        parts.append(reshape(part, (*batch, *shape)))
        first += prod(shape)
    return parts


def lapack(name: str, decompose: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
    """The result of a decomposition; the error `value` where it does not converge."""
    try:
        return decompose(*arguments, **options)
    except np.linalg.LinAlgError:
        raise _endless(name) from None


def lapack_svd(name: str, xp: ArrayNamespace, a: Array, **options: Any) -> Any:
    """`svd` for the op of that name: LAPACK's may not end where there is an infinity."""
    if xp is np and not np.isfinite(a).all():
        raise _endless(name)
    return lapack(name, xp.linalg.svd, a, **options)


def _endless(name: str) -> GradcliError:
    hint = "does the matrix hold nan or infinities?"
    return GradcliError("value", f"{name} did not converge", hint=hint)


def gaps(values: Node) -> Node:
    """1 / (values[j] - values[i]); 0 on the diagonal, nan where two values are the same."""
    same = eye(values.graph, values.shape[-1])
    between = unsqueeze(values, -2) - unsqueeze(values, -1) + same
    found = where(eq(between, 0.0), np.nan, 1.0 / between)
    return where(same, 0.0, found)


def skew(x: Node) -> Node:
    """x minus its transpose."""
    return x - matrix_transpose(x)
