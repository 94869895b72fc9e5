"""A claim in a longer precision than that of the run, where rounding hides less of a mistake."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.analysis.diagnosis.claim import Claim, differentiate, typed, weighed
from gradcli.analysis.diagnosis.fresh import alike
from gradcli.analysis.problem import Problem, pose
from gradcli.diagnostics import Source
from gradcli.graph import Array
from gradcli.passes import Gradient

WRITTEN = 10_000
"""Of so many numbers at most it is asked what may have been written."""


def in_double(claim: Claim, source: Source) -> Claim:
    """The same formula for the same program in float64. Raises what tracing raises."""
    walk = differentiate(_restated(claim.walk.problem))
    own = typed(walk, source)
    return Claim(walk, claim.name, walk.problem.leaves[claim.name], own.node, own)


def _restated(problem: Problem) -> Problem:
    """The same program in float64, with inputs that float32 rounds to those of the run."""
    inputs = {
        name: unrounded(problem.feeds[node], np.dtype(np.float64))
        for name, node in problem.prepared.inputs.items()
    }
    given = problem.gradient if problem.grads else None
    vectors = [Gradient(np.asarray(v, np.float64), name) for name, v in (given or {}).items()]
    options = problem.options._replace(precision="float64")
    return weighed(pose(problem.program, inputs, vectors, options))


def unrounded(value: Array, longer: np.dtype[Any]) -> Array:
    """Numbers in a longer precision that those of a run may have been rounded from: the shortest
    decimals, and rows that add up to 1 if those do within rounding. Others stay as they are.
    """
    if value.dtype.kind != "f" or value.dtype.itemsize >= longer.itemsize:
        return value
    return alike(value.astype(str if value.size <= WRITTEN else longer).astype(longer), value)
