"""Products made of others: with a summand, of chains, of Kronecker, of vectors in space."""

from __future__ import annotations

from collections.abc import Sequence

from gradcli.diagnostics import GradcliError
from gradcli.graph import Node, Shape
from gradcli.ops.arithmetic import times
from gradcli.ops.axes import flip, roll
from gradcli.ops.contractions import bmm, mm, mv, outer
from gradcli.ops.creation import arange
from gradcli.ops.group import Group
from gradcli.ops.kinds import cast
from gradcli.ops.reductions import sum_
from gradcli.ops.shapes import broadcast, normalize_axis, show
from gradcli.ops.shaping import flatten, reshape, unsqueeze
from gradcli.ops.table import SCALAR, Alike, Case

table = Group("linear algebra")

_OF_PRODUCTS = Alike("self and mat2 must have the same dtype, but got {Type} and {Other}")

# --- with a summand ------------------------------------------------------------------------


@table.function(
    cases=[
        Case("addmm(x, y, z)", {"x": (2, 2), "y": (2, 3), "z": (3, 2)}),
        Case("addmm(x, y, z, beta=0.5, alpha=2)", {"x": (2,), "y": (2, 3), "z": (3, 2)}),
        Case("addmm(x, y, z, beta=0)", {"x": (), "y": (2, 3), "z": (3, 2)}, smooth=False),
    ],
    formula="beta*x + alpha*(mat1 @ mat2)",
    demands={"mat1, mat2": _OF_PRODUCTS, "x, mat2": _OF_PRODUCTS},
    overloaded=True,
    autocast="lower",
)
def addmm(x: Node, mat1: Node, mat2: Node, *, beta: float = 1.0, alpha: float = 1.0) -> Node:
    """A product of matrices plus x; with `beta=0` x is ignored, nan and all."""
    return _plus("addmm", x, mm(mat1, mat2), beta, alpha)


@table.function(
    cases=[Case("addmv(x, y, z, beta=0.5, alpha=2)", {"x": (2,), "y": (2, 3), "z": (3,)})],
    formula="beta*x + alpha*(mat @ vec)",
    overloaded=True,
)
def addmv(x: Node, mat: Node, vec: Node, *, beta: float = 1.0, alpha: float = 1.0) -> Node:
    """The product of a matrix and a vector plus x; with `beta=0` x is ignored, nan and all."""
    return _plus("addmv", x, mv(mat, vec), beta, alpha)


@table.function(
    cases=[
        Case("baddbmm(x, y, z)", {"x": (2, 2, 1), "y": (2, 2, 3), "z": (2, 3, 1)}),
        Case("baddbmm(x, y, z, alpha=-1)", {"x": (1,), "y": (2, 2, 3), "z": (2, 3, 1)}),
    ],
    formula="beta*x + alpha*bmm(batch1, batch2)",
    demands={
        "x, batch1": Alike(
            "Input dtypes must be the same, got: input {type}, batch1: {other}, batch2: {other}"
        )
    },
    overloaded=True,
    autocast="lower",
)
def baddbmm(x: Node, batch1: Node, batch2: Node, *, beta: float = 1.0, alpha: float = 1.0) -> Node:
    """Products of batches of matrices plus x; with `beta=0` x is ignored, nan and all."""
    return _plus("baddbmm", x, bmm(batch1, batch2), beta, alpha)


@table.function(
    cases=[Case("addbmm(x, y, z, alpha=2)", {"x": (2, 1), "y": (2, 2, 3), "z": (2, 3, 1)})],
    formula="beta*x + alpha*sum(bmm(batch1, batch2), 0)",
    demands={"x, batch2": _OF_PRODUCTS},
    overloaded=True,
    autocast="lower",
)
def addbmm(x: Node, batch1: Node, batch2: Node, *, beta: float = 1.0, alpha: float = 1.0) -> Node:
    """The sum of products of two batches of matrices plus x; with `beta=0` x is ignored."""
    return _plus("addbmm", x, sum_(bmm(batch1, batch2), 0), beta, alpha)


@table.function(
    cases=[Case("addr(x, y, z, beta=0.5, alpha=2)", {"x": (3,), "y": (2,), "z": (3,)})],
    formula="beta*x + alpha*outer(vec1, vec2)",
    overloaded=True,
)
def addr(x: Node, vec1: Node, vec2: Node, *, beta: float = 1.0, alpha: float = 1.0) -> Node:
    """All products of two vectors' elements plus x; with `beta=0` x is ignored, nan and all."""
    return _plus("addr", x, outer(vec1, vec2), beta, alpha)


def _plus(name: str, x: Node, product: Node, beta: float, alpha: float) -> Node:
    if broadcast(name, [x.shape, product.shape]) != product.shape:
        raise GradcliError(
            "shape", f"{name}: {show(x.shape)} does not fit the product, {show(product.shape)}"
        )
    product = times(alpha, product)
    return product if beta == 0 else times(beta, x) + product


# --- chains --------------------------------------------------------------------------------


@table.function(
    cases=[
        Case("multi_dot([x, y, x])", {"x": (2, 3), "y": (3, 2)}),
        Case("multi_dot([x, y, z, x])", {"x": (3,), "y": (3, 2), "z": (2, 3)}),
    ],
    autocast="lower",
)
def multi_dot(tensors: Sequence[Node]) -> Node:
    """The product of a chain of matrices, in the order that takes the fewest multiplications.

    The first and the last may be vectors. Cormen et al., Introduction to Algorithms, 15.2.
    """
    if len(tensors) < 2:
        raise GradcliError("value", "multi_dot needs at least 2 tensors")
    for place, x in enumerate(tensors):
        if x.ndim != 2 and (x.ndim != 1 or 0 < place < len(tensors) - 1):
            raise GradcliError(
                "shape",
                f"multi_dot: tensor {place} is {show(x.shape)}; all must be matrices; only the "
                "first and the last may be vectors",
            )
    row = tensors[0].shape[0] if tensors[0].ndim == 2 else 1
    lengths = [row, *(x.shape[0] for x in tensors[1:]), tensors[-1].shape[-1]]
    if tensors[-1].ndim == 1:
        lengths[-1] = 1
    return _product(tensors, _splits(lengths), 0, len(tensors))


def _splits(lengths: Sequence[int]) -> dict[tuple[int, int], int]:
    """Where the best product of the matrices from i up to j is cut in two."""
    count = len(lengths) - 1
    cost = {(i, i + 1): 0 for i in range(count)}
    splits: dict[tuple[int, int], int] = {}
    for width in range(2, count + 1):
        for i in range(count - width + 1):
            j = i + width

            def total(cut: int, i: int = i, j: int = j) -> int:
                return cost[i, cut] + cost[cut, j] + lengths[i] * lengths[cut] * lengths[j]

            splits[i, j] = min(range(i + 1, j), key=total)
            cost[i, j] = total(splits[i, j])
    return splits


def _product(tensors: Sequence[Node], splits: dict[tuple[int, int], int], i: int, j: int) -> Node:
    """The product of the matrices from i up to j, cut as `splits` says; without recursion."""
    done: dict[tuple[int, int], Node] = {(k, k + 1): x for k, x in enumerate(tensors)}
    order = [(i, j)]
    for first, last in order:
        if last - first > 1:
            cut = splits[first, last]
            order += [(first, cut), (cut, last)]
    for first, last in reversed(order):
        if last - first > 1:
            cut = splits[first, last]
            done[first, last] = done[first, cut] @ done[cut, last]
    return done[i, j]


# --- other products ------------------------------------------------------------------------


@table.function(
    cases=[
        Case("kron(x, y)", {"x": (2, 3), "y": (2, 2)}),
        Case("kron(x, y)", {"x": (2,), "y": (2, 1, 2)}),
    ]
)
def kron(a: Node, b: Node) -> Node:
    """The Kronecker product: every element of a times all of b, in blocks."""
    ndim = max(a.ndim, b.ndim)
    left: Shape = (1,) * (ndim - a.ndim) + a.shape
    right: Shape = (1,) * (ndim - b.ndim) + b.shape
    blocks = reshape(a, tuple(n for length in left for n in (length, 1))) * reshape(
        b, tuple(n for length in right for n in (1, length))
    )
    return reshape(blocks, tuple(m * n for m, n in zip(left, right, strict=True)))


@table.function(
    cases=[
        Case("cross(x, y)", {"x": (2, 3), "y": (2, 3)}),
        Case("cross(x, y, dim=0)", {"x": (3, 2), "y": (3, 1)}),
    ],
    demands={"a, b": SCALAR},
    keeps_integers=True,
)
def cross(a: Node, b: Node, dim: int | None = None) -> Node:
    """The vector product in space along `dim`; without it, along the first axis of length 3."""
    shape = broadcast("cross", [a.shape, b.shape])
    if dim is None:
        if 3 not in shape:
            raise GradcliError(
                "shape", f"cross: neither {show(a.shape)} nor {show(b.shape)} has an axis of 3"
            )
        dim = shape.index(3)
    axis = normalize_axis("cross", dim, len(shape))
    if any(not x.shape or x.ndim < -axis or x.shape[axis] != 3 for x in (a, b)):
        raise GradcliError(
            "shape",
            f"cross: axis {dim} of {show(a.shape)} and {show(b.shape)} must have length 3",
        )
    return roll(a * roll(b, (-1,), (axis,)) - roll(a, (-1,), (axis,)) * b, (-1,), (axis,))


@table.function(
    "linalg.cross",
    aliases=("torch.linalg.cross", "np.linalg.cross", "np.cross"),
    cases=[
        Case("linalg.cross(x, y)", {"x": (3, 3), "y": (3, 3)}),
        Case("torch.linalg.cross(x, y, dim=0)", {"x": (3, 2), "y": (3, 1)}),
    ],
    demands={"a, b": SCALAR},
)
def linalg_cross(a: Node, b: Node, *, dim: int = -1) -> Node:
    """The vector product as torch.linalg and NumPy have it: along the last axis without `dim`."""
    return cross(a, b, dim)


@table.function(
    cases=[
        Case("vecdot(x, y)", {"x": (2, 3), "y": (3,)}),
        Case("vecdot(x, y, dim=0)", {"x": (2, 3), "y": (2, 3)}),
    ],
    formula="sum(x * y, dim)",
    torch="torch.linalg.vecdot",
    autocast="lower",
)
def vecdot(x: Node, y: Node, *, dim: int = -1) -> Node:
    """Sums of products along one axis of two tensors that are broadcast together."""
    shape = broadcast("vecdot", [x.shape, y.shape])
    return sum_(x * y, (normalize_axis("vecdot", dim, len(shape)),))


@table.function(
    cases=[
        Case("vander(x)", {"x": (3,)}),
        Case("vander(x, 4, increasing=True)", {"x": (2,)}),
    ]
)
def vander(x: Node, N: int | None = None, increasing: bool = False) -> Node:  # noqa: N803 — PyTorch's name
    """The powers of a vector's elements, one row each, falling unless `increasing`."""
    if x.ndim != 1:
        raise GradcliError("shape", f"vander takes a vector; this is {show(x.shape)}")
    powers = _powers(x, N)
    return powers if increasing else flip(powers, -1)


@table.function(
    "linalg.vander",
    aliases=("torch.linalg.vander",),
    cases=[
        Case("torch.linalg.vander(x)", {"x": (3,)}),
        Case("torch.linalg.vander(x, N=4)", {"x": (2, 2)}),
    ],
)
def linalg_vander(x: Node, *, N: int | None = None) -> Node:  # noqa: N803 — PyTorch's name
    """Rising powers of the elements along the last axis, a row for each element."""
    if not x.ndim and N is None:
        raise GradcliError("shape", "linalg.vander of a single value needs N")
    return _powers(x if x.ndim else flatten(x), N)


def _powers(x: Node, count: int | None) -> Node:
    """Powers of each element from 0, along a new last axis; as many as elements without count."""
    count = x.shape[-1] if count is None else count
    if count < 0:
        raise GradcliError("value", f"vander: N is {count}; it cannot be negative")
    exponents = arange(x.graph, count)
    return unsqueeze(x, -1) ** (exponents if x.kind == "float" else cast(exponents, "int"))
