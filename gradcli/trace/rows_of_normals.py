"""`torch.distributions`: normal distributions of rows, whose elements go together."""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType
from typing import Any

from gradcli.diagnostics import GradcliError
from gradcli.graph import Node, Shape
from gradcli.ops import f
from gradcli.ops.control import bind
from gradcli.ops.shapes import broadcast
from gradcli.trace.constraints import LOWER_CHOLESKY, POSITIVE, POSITIVE_DEFINITE, REAL, each
from gradcli.trace.distributions import Distribution, expanded
from gradcli.trace.draws import Draws
from gradcli.trace.supports import Support
from gradcli.trace.usual_distributions import LOG_TWO_PI
from gradcli.trace.values import Value


def _turned(matrix: Node) -> Node:
    return f("transpose", matrix, -2, -1)


_INSTEAD = {
    "scale_tril": lambda triangle: f("matmul", triangle, _turned(triangle)),
    "precision_matrix": lambda precision: f("inv", precision),
}
"""How a covariance follows from what may be given instead."""
_MATRICES = {
    "covariance_matrix": POSITIVE_DEFINITE,
    "precision_matrix": POSITIVE_DEFINITE,
    "scale_tril": LOWER_CHOLESKY,
}


class RowsOfNormals(Distribution):
    """What these have in common."""

    support = each(REAL)
    nodes = MappingProxyType(dict.fromkeys(("mean", "mode", "variance"), "ExpandBackward0"))
    events = 1
    lengths: tuple[int, ...]
    """How many axes of each parameter belong to one value."""

    def __init__(self, draws: Draws, parameters: Sequence[Node]) -> None:
        pairs = [*zip(parameters, self.lengths, strict=True)]
        if any(node.ndim < own for node, own in pairs):
            raise GradcliError(
                "shape", f"{type(self).__name__}: a parameter has too few axes",
                hint="a mean is a row, a covariance a matrix",
            )  # fmt: skip
        fronts = [node.shape[: node.ndim - own] for node, own in pairs]
        batch = broadcast(type(self).__name__, fronts)
        whole = [expanded(node, (*batch, *node.shape[node.ndim - own :])) for node, own in pairs]
        super().__init__(draws, whole[:1])
        self.parameters = tuple(whole)

    def mean(self) -> Node:
        return bind(self.parameters[0])  # which PyTorch expands

    def mode(self) -> Node:
        return self.mean()

    def covariance(self) -> Node:
        """The covariance matrix."""
        raise NotImplementedError

    def triangle(self) -> Node:
        """The Cholesky factor of the covariance."""
        return f("cholesky", self.covariance())

    def half_log_det(self) -> Node:
        """The logarithm of the triangle's determinant."""
        return f("sum", f("log", f("diagonal", self.triangle(), 0, -2, -1)), -1)

    def distances(self, x: Node) -> Node:
        """The squares of how far rows lie from the mean, in units of the spread there."""
        apart = f("unsqueeze", x - self.parameters[0], -1)
        solved = f("squeeze", f("solve_triangular", self.triangle(), apart, upper=False), -1)
        return f("sum", solved**2.0, -1)

    def log_density(self, x: Node) -> Node:
        size = self.shape[-1] * LOG_TWO_PI
        return -0.5 * (self.distances(x) + size) - self.half_log_det()

    def variance(self) -> Node:
        return f("diagonal", self.covariance(), 0, -2, -1)

    def entropy(self) -> Node:
        return 0.5 * self.shape[-1] * (1.0 + LOG_TWO_PI) + self.half_log_det()

    def attribute(self, name: str) -> Any:
        if name == "covariance_matrix":
            return self.covariance()
        if name == "scale_tril":
            return self.triangle()
        if name == "precision_matrix":
            return f("inv", self.covariance())
        return super().attribute(name)


class MultivariateNormal(RowsOfNormals):
    """Whose covariance is a matrix."""

    names = ("loc", "covariance_matrix")
    instead = _INSTEAD
    lengths = (1, 2)

    def __init__(self, draws: Draws, parameters: Sequence[Node]) -> None:
        super().__init__(draws, parameters)
        self._triangle = f("cholesky", self.parameters[1])

    def attribute(self, name: str) -> Any:
        if name in _MATRICES:  # print shows what was asked for, as in PyTorch
            known = {*(self.printed_names or self.names), name}
            self.printed_names = tuple([one for one in ("loc", *_MATRICES) if one in known])
        return super().attribute(name)

    def covariance(self) -> Node:
        return self.parameters[1]

    def triangle(self) -> Node:
        return expanded(self._triangle, self.parameters[1].shape)

    def drawn(self, shape: Shape) -> Node:
        noise = f("unsqueeze", self.draws.gaussian(shape), -1)
        return self.parameters[0] + f("squeeze", f("matmul", self.triangle(), noise), -1)

    def _limits(self) -> list[tuple[Value, Value]]:
        found = {"loc": self.support, **_MATRICES}
        return [(name, Support(self.values, limit)) for name, limit in found.items()]


class LowRankMultivariateNormal(RowsOfNormals):
    """Whose covariance is W Wᵀ and a diagonal, of a narrow matrix W."""

    names = ("loc", "cov_factor", "cov_diag")
    nodes = MappingProxyType({
        "mean": "SelectBackward0", "mode": "SelectBackward0", "variance": "ExpandBackward0",
        "entropy": "MulBackward0", "log_prob": "MulBackward0",
    })  # fmt: skip
    constraints = (each(REAL), each(REAL, 2), each(POSITIVE))
    lengths = (1, 2, 1)

    def covariance(self) -> Node:
        _, factor, diagonal = self.parameters
        return f("matmul", factor, _turned(factor)) + f("diag_embed", diagonal)

    def variance(self) -> Node:
        _, factor, diagonal = self.parameters
        return f("sum", factor**2.0, -1) + diagonal

    def drawn(self, shape: Shape) -> Node:
        loc, factor, diagonal = self.parameters
        narrow = f("unsqueeze", self.draws.gaussian((*shape[:-1], factor.shape[-1])), -1)
        own = f("sqrt", diagonal) * self.draws.gaussian(shape)
        return loc + f("squeeze", f("matmul", factor, narrow), -1) + own


CLASSES: tuple[type[Distribution], ...] = (MultivariateNormal, LowRankMultivariateNormal)
