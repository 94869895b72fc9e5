"""Points at which formulas are checked, and the derivatives there, which are found without them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from gradcli.analysis.jacobian import hessian, jacobian
from gradcli.analysis.matrices import Matrix
from gradcli.analysis.problem import pose
from gradcli.analysis.symbolic.formula import Order
from gradcli.analysis.symbolic.sizes import Shapes
from gradcli.diagnostics import GradcliError
from gradcli.graph import Array
from gradcli.language.syntax import Program
from gradcli.options import Options
from gradcli.session import Gradient, evaluate

POINTS = 2
"""A formula is checked at so many random points for each choice of lengths."""
NUDGE = 1e-9
STABLE = 1e-5
"""A point counts where derivatives move by the second part at most if inputs move by the first."""
VANISHING = 1e-20
"""A derivative below it is 0: inputs are about 1."""
CLOSE = 1e-8
"""How far it may be from the gradient, in units of the largest element: both round."""


@dataclass(frozen=True, slots=True)
class CheckedPoint:
    """Inputs, and the derivatives there."""

    inputs: dict[str, Array]
    expected: dict[str, Array]
    outputs: list[Array] = field(default_factory=list)

    @property
    def finite(self) -> bool:
        return all(np.isfinite(each).all() for each in (*self.outputs, *self.expected.values()))

    @property
    def vanishes(self) -> bool:
        """Whether all derivatives are 0, up to rounding."""
        return all(np.max(np.abs(x), initial=0.0) < VANISHING for x in self.expected.values())


def check_points(
    program: Program, shapes: Shapes, order: Order, options: Options
) -> Iterator[CheckedPoint]:
    """Random points at lengths that no formula was made from, where all is finite.

    Raises what running raises, or `value`, where fewer than two choices of lengths have any.
    """
    plain = options._replace(seed=0)
    refused = GradcliError(
        "value",
        "the derivative is not finite at any point that was tried",
        hint="give values: --set NAME=VALUE",
    )
    good = 0
    choices = list(shapes.checks())
    for sizes in choices:
        found = 0
        for inputs in shapes.points(sizes, seed=len(sizes)):
            try:
                check = EXPECTED[order](program, inputs, plain)
                nudged = EXPECTED[order](program, _nudged(inputs), plain)
            except GradcliError as error:
                refused = error
                continue
            if check.finite and _stable(check, nudged):
                yield check
                found += 1
            if found == POINTS:
                break
        good += bool(found)
    if good < min(2, len(choices)):
        raise refused


def _nudged(inputs: Mapping[str, Array]) -> dict[str, Array]:
    """The inputs, moved by little more than rounding does; whole numbers stay."""
    return {x: a if a.dtype.kind == "i" else a * (1 + NUDGE) for x, a in inputs.items()}


def _stable(check: CheckedPoint, nudged: CheckedPoint) -> bool:
    """Whether a derivative is more than rounding, as it is not at singular matrices."""
    return all(
        close(nudged.expected[title], each, STABLE) for title, each in check.expected.items()
    )


def _gradient(program: Program, inputs: dict[str, Array], options: Options) -> CheckedPoint:
    outputs = _outputs(program, inputs, options)
    chance = np.random.default_rng(1)
    seeds = {
        title: chance.uniform(0.5, 1.5, array.shape)
        for title, array in outputs.items() if array.size != 1
    }  # fmt: skip
    gradients = [Gradient(array, title) for title, array in seeds.items()]
    if len(outputs) == 1:
        gradients = [Gradient(array) for array in seeds.values()]
    grads = evaluate(program, inputs, gradients, options._replace(values="none")).grads
    names = {f"v_{title}" if len(outputs) > 1 else "v": each for title, each in seeds.items()}
    return CheckedPoint(
        inputs | names,
        {f"{title}_grad": each for title, each in grads.items()},
        [*outputs.values()],
    )


def _outputs(program: Program, inputs: dict[str, Array], options: Options) -> dict[str, Array]:
    """The outputs that have a gradient."""
    forward = evaluate(program, inputs, (), options._replace(forward_only=True, values="outputs"))
    return {
        title: array for title, array in forward.values.items()
        if title in forward.outputs and array.dtype.kind == "f"
    }  # fmt: skip


def _jacobian(program: Program, inputs: dict[str, Array], options: Options) -> CheckedPoint:
    problem = pose(program, inputs, (), options)
    several = len(problem.outputs) > 1
    outputs = _outputs(program, inputs, options)
    blocks = _blocks(jacobian(problem).matrix)
    return CheckedPoint(
        inputs,
        {f"{o}_{x}_jacobian" if several else f"{x}_jacobian": b for (o, x), b in blocks.items()},
        [*outputs.values()],
    )


def _hessian(program: Program, inputs: dict[str, Array], options: Options) -> CheckedPoint:
    blocks = _blocks(hessian(pose(program, inputs, (), options)).matrix)
    return CheckedPoint(
        inputs,
        {f"{a}_hessian" if a == b else f"{a}_{b}_hessian": x for (a, b), x in blocks.items()},
        [*_outputs(program, inputs, options).values()],
    )


def _blocks(matrix: Matrix) -> dict[tuple[str, str], Array]:
    return {
        (row, column): matrix.values[rows, columns].reshape((*above, *shape))
        for row, above, rows in matrix.rows.slices()
        for column, shape, columns in matrix.columns.slices()
    }


EXPECTED = {"gradient": _gradient, "jacobian": _jacobian, "hessian": _hessian}
"""By order: the derivatives at a point, found without a formula."""


def close(found: Array, expected: Array, most: float = CLOSE) -> bool:
    if found.shape != expected.shape:
        return False
    size = float(np.max(np.abs(expected), initial=1e-3))
    return bool(np.max(np.abs(found - expected), initial=0.0) <= most * size)
