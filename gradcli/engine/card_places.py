"""Elements at places that index arrays name, on the GPU: taken, or added there, by a kernel each.
cupy takes a dozen kernels for that, and looks at the card twice for each index array.
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from gradcli.engine.card import compiled
from gradcli.engine.layout import PARTS, THREADS
from gradcli.graph import Node
from gradcli.ops.indexing import INDEX, PUT_ADD, are_neighbours
from gradcli.ops.sums import rounded, wide

TEXT = """\
typedef {element} T;
typedef {total} S;
typedef long long I;

extern "C" __global__ void __launch_bounds__({threads}) sweep(
    const T* __restrict__ x, S* __restrict__ y, int* __restrict__ wrong, {parameters},
    const I places, const I inner, const I count, const I step
) {{
    for (I n = blockIdx.x * (I){threads} + threadIdx.x; n < count; n += step) {{
        const I k = n / inner % places;
        I at = n / inner / places;
        bool good = true;
{lines}
        if (good) {{
            at = at * inner + n % inner;
            {work}
        }} else {{
            *wrong = 1;
        }}
    }}
}}
"""
"""`x` and `y` have the axes outer, places, inner, of which the indexed one has `places` places and
the other, in its stead, an axis for each index array. Out of range nothing is read or written.
"""
AXIS = """\
        {{
            const I found = i{number}[k], i = found < 0 ? found + n{number} : found;
            good = good && 0 <= i && i < n{number};
            at = at * n{number} + i;
        }}"""
TYPES = {"f8": "double", "f4": "float", "i8": "long long", "b1": "bool"}


def has_kernel(node: Node) -> bool:
    """Whether a node is taken from places, or added at some, by a kernel of this module."""
    if node.op not in (INDEX, PUT_ADD) or node.size == 0 or node.inputs[0].size == 0:
        return False
    return are_neighbours(node.attributes[-1]) and (node.op is INDEX or node.kind == "float")


class PlaceRunner:
    """Takes elements from places, or adds some at places. What is wrong with an index is for the
    CPU to say, which is asked where the kernel has met one that is out of range.
    """

    def __init__(self, node: Node, xp: Any) -> None:
        x = node.inputs[0]
        axes = node.attributes[-1]
        whole = (x if node.op is INDEX else node).shape
        first = axes[0] + len(whole)
        self.operands = node.inputs
        self._xp = xp
        self._shape = node.shape
        self._dtype = np.dtype(node.graph.dtype(node.kind))
        self._adds = node.op is PUT_ADD
        self._lengths = whole[first : first + len(axes)]
        self._inner = prod(whole[first + len(axes) :])
        self._count = node.size if node.op is INDEX else x.size
        self._run = compiled(_text(len(axes), self._dtype, adds=self._adds))

    def __call__(self, x: Any, *indices: Any) -> list[Any] | None:
        """The node's value; None where an index is out of range."""
        xp = self._xp
        found = np.broadcast_shapes(*(index.shape for index in indices))
        total = wide(self._dtype)
        y = xp.zeros(self._shape, total) if self._adds else xp.empty(self._shape, self._dtype)
        wrong = xp.zeros(1, np.int32)
        named = [
            part
            for index, length in zip(indices, self._lengths, strict=True)
            for part in (xp.ascontiguousarray(xp.broadcast_to(index, found)), np.int64(length))
        ]
        blocks = min(-(-self._count // THREADS), PARTS)
        sizes = (prod(found), self._inner, self._count, blocks * THREADS)
        arguments = (xp.ascontiguousarray(x), y, wrong, *named, *map(np.int64, sizes))
        self._run((blocks,), (THREADS,), arguments)
        if wrong.get()[0]:
            return None
        return [rounded(y, self._dtype) if self._adds else y]


def _text(axes: int, dtype: np.dtype[Any], *, adds: bool) -> str:
    element = TYPES[dtype.str[1:]]
    return TEXT.format(
        element=element,
        total=TYPES[wide(dtype).str[1:]] if adds else element,
        threads=THREADS,
        parameters=", ".join(f"const I* __restrict__ i{i}, const I n{i}" for i in range(axes)),
        lines="\n".join(AXIS.format(number=i) for i in range(axes)),
        work="atomicAdd(y + at, (S)x[n]);" if adds else "y[n] = x[at];",
    )
