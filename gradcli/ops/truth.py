"""Reductions to truth values and counts: whether all elements are nonzero, or any, or how many."""

from __future__ import annotations

from gradcli.graph import Node
from gradcli.ops.cells import over_axes, ranges
from gradcli.ops.comparison import eq
from gradcli.ops.group import Group
from gradcli.ops.kinds import General, cast
from gradcli.ops.shapes import Axes, Dims, normalize_axes, reduced
from gradcli.ops.table import Case, Function

comparisons = Group("comparison")
reductions = Group("reduction")


def _truth(name: str, doc: str, of_cells: str) -> Function:
    op = General(
        name,
        infer=lambda x, axes, keepdim: (reduced(x.shape, axes, keepdim), "bool"),
        forward=lambda xp, x, axes, keepdim: getattr(xp, name)(x, axis=axes, keepdims=keepdim),
        cell=over_axes(lambda cells: f"IF({of_cells}({ranges(cells)}),1,0)"),
    )

    def build(x: Node, dim: Axes | None = None, keepdim: bool = False) -> Node:
        axes = normalize_axes(name, dim, x.ndim)
        return x.graph.apply(op, (cast(x, "bool"),), (axes, keepdim))

    build.__doc__ = doc
    case = Case(f"{name}(x > 0, dim=1)", smooth=False)
    return reductions.function(name, op=op, cases=[case], overloaded=True)(build)


all_ = _truth("all", "Whether all elements are nonzero.", "AND")
any_ = _truth("any", "Whether any element is nonzero.", "OR")

COUNT_NONZERO = General(
    "count_nonzero",
    infer=lambda x, axes: (reduced(x.shape, axes, keepdim=False), "int"),
    forward=lambda xp, x, axes: xp.sum(x, axis=axes, dtype=int),
    cell=over_axes(lambda cells: f"SUM({ranges(cells)})"),  # of 1 and 0
)


@reductions.function(
    op=COUNT_NONZERO, cases=[Case("count_nonzero(x > 0)", smooth=False)], overloaded=True
)
def count_nonzero(x: Node, dim: Dims = None) -> Node:
    """How many elements are not zero, of all or along `dim`."""
    axes = normalize_axes("count_nonzero", dim, x.ndim)
    return x.graph.apply(COUNT_NONZERO, (cast(x, "bool"),), (axes,))


@comparisons.function(cases=[Case("equal(x, y)", {"x": (2,), "y": (2,)}, smooth=False)])
def equal(a: Node, b: Node) -> Node:
    """Whether both have the same shape and the same elements; np.equal is `eq`."""
    return all_(eq(a, b)) if a.shape == b.shape else a.graph.constant(False)
