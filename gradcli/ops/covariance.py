"""Covariances, and slices of limited length."""

from __future__ import annotations

from gradcli.diagnostics import GradcliError
from gradcli.graph import Node
from gradcli.ops.axes import matrix_transpose
from gradcli.ops.diagonals import diagonal
from gradcli.ops.group import Group
from gradcli.ops.joining import vstack
from gradcli.ops.kinds import cast
from gradcli.ops.norms import norm
from gradcli.ops.powers import sqrt
from gradcli.ops.reductions import sum_
from gradcli.ops.selection import clamp, clamp_min, where
from gradcli.ops.shapes import normalize_axis, show
from gradcli.ops.shaping import reshape, squeeze, unsqueeze
from gradcli.ops.table import Case

table = Group("reduction")


@table.function(
    cases=[
        Case("cov(x)"),
        Case("cov(x, correction=0)", {"x": (4,)}),
        Case("cov(x, fweights=[1, 2, 1], aweights=y)", {"x": (2, 3), "y": (3,)}, (0.5, 2.0)),
    ],
    unlike={"np.cov": "torch.cov(x), whose rows are the variables", "jnp.cov": "torch.cov(x)"},
    formula="(x - mean(x, 1)) @ (x - mean(x, 1)).T / (n - correction)",
)
def cov(
    x: Node, *, correction: int = 1, fweights: Node | None = None, aweights: Node | None = None
) -> Node:
    """Covariances of the rows of a matrix, each column an observation; of a vector its variance.

    Observations count `fweights` times, and with the weights `aweights`.
    """
    if x.ndim > 2:
        raise GradcliError("shape", f"cov takes a vector or a matrix; this is {show(x.shape)}")
    rows = cast(x if x.ndim == 2 else reshape(x, (1, x.size)), "float")
    count = rows.shape[1]
    for weights in (fweights, aweights):
        if weights is not None and weights.shape != (count,):
            raise GradcliError(
                "shape", f"cov: {count} observations need a vector of as many weights"
            )
    given = [cast(each, "float") for each in (fweights, aweights) if each is not None]
    weights = x.graph.constant(1.0)
    for each in given:
        weights = weights * each
    total = sum_(weights) if given else x.graph.constant(float(count))
    centred = rows - sum_(weights * rows, 1, True) / total
    lost = correction if aweights is None else correction * sum_(weights * aweights) / total
    freedom = clamp_min(total - lost, 0.0) if given else max(count - correction, 0)
    found = centred @ matrix_transpose(weights * centred) / freedom
    return found if x.ndim == 2 and rows.shape[0] != 1 else squeeze(found)


@table.function(
    cases=[Case("corrcoef(x)"), Case("corrcoef(x)", {"x": (3, 4)})],
    formula="cov(x) / sqrt(diag(cov(x))) / sqrt(diag(cov(x)))[:, None]",
)
def corrcoef(x: Node) -> Node:
    """The correlations of the rows of a matrix, from -1 to 1, each column an observation."""
    found = cov.build(x)
    if not found.ndim:
        return found / found  # type: ignore[no-any-return]
    deviations = sqrt(diagonal.build(found))
    scaled = found / unsqueeze(deviations, -1) / deviations
    return clamp(scaled, x.graph.constant(-1.0), x.graph.constant(1.0))


@table.function(
    "np.corrcoef",
    cases=[
        Case("np.corrcoef(x, y)[0, 1]", {"x": (4,), "y": (4,)}),
        Case("np.corrcoef(x, rowvar=False)", {"x": (4, 2)}),
    ],
)
def numpy_corrcoef(x: Node, y: Node | None = None, rowvar: bool = True) -> Node:
    """`corrcoef` as in NumPy: of the rows of x and y, or of their columns without `rowvar`."""
    given = [x] if y is None else [x, y]
    rows = vstack.build(given if rowvar else [matrix_transpose(each) for each in given])
    return corrcoef(rows)


SMALL = 1e-7
"""What PyTorch adds to a norm that it divides by."""


@table.function(
    cases=[Case("renorm(x, 2, 0, 1)"), Case("renorm(x, 1, dim=1, maxnorm=0.7)")],
    formula="x * minimum(1, maxnorm / norm(x, p))",
    kink="a slice of the norm `maxnorm` is left as it is",
)
def renorm(x: Node, p: float, dim: int, maxnorm: float) -> Node:
    """x, each slice along `dim` made shorter to the p-norm `maxnorm` where it is longer."""
    if x.ndim < 2:
        raise GradcliError("shape", f"renorm needs at least 2 dimensions; this is {show(x.shape)}")
    if p <= 0 or maxnorm < 0:
        raise GradcliError("value", f"renorm: p is {p:g} and maxnorm {maxnorm:g}; p is above 0")
    axis = normalize_axis("renorm", dim, x.ndim)
    others = tuple(each for each in range(-x.ndim, 0) if each != axis)
    sizes = norm.build(x, p, others, True)
    return x * where(sizes > maxnorm, maxnorm / (sizes + SMALL), 1.0)
