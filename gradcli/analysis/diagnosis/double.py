"""A claim posed again: in a longer precision than that of the run, where rounding hides less of a
mistake, for other inputs, or of the functions that textbooks have.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from gradcli.algebra.rules import Definitions
from gradcli.analysis.diagnosis.claim import Claim, differentiate, typed, weighed
from gradcli.analysis.diagnosis.fresh import alike
from gradcli.analysis.problem import pose
from gradcli.diagnostics import Source
from gradcli.graph import Array
from gradcli.options import Options
from gradcli.passes import Gradient

WRITTEN = 10_000
"""Of so many numbers at most it is asked what may have been written."""


def in_double(claim: Claim, source: Source) -> Claim:
    """The same formula for the same program in float64. Raises what tracing raises."""
    problem = claim.walk.problem
    inputs = {
        name: unrounded(problem.feeds[node], np.dtype(np.float64))
        for name, node in problem.prepared.inputs.items()
    }
    return _posed(claim, source, inputs, problem.options._replace(precision="float64"))


def elsewhere(claim: Claim, source: Source, moved: Mapping[str, Array]) -> Claim | None:
    """The same with other values for some inputs, by which the program may go another way. None
    where it computes these itself. Raises what tracing raises.
    """
    problem = claim.walk.problem
    given = {name: problem.feeds[node] for name, node in problem.prepared.inputs.items()}
    if not given.keys() >= moved.keys():
        return None
    return _posed(claim, source, given | dict(moved), problem.options)


def by_book(claim: Claim, source: Source) -> Claim:
    """The same with functions as textbooks define them. Raises what tracing raises."""
    problem = claim.walk.problem
    inputs = {name: problem.feeds[node] for name, node in problem.prepared.inputs.items()}
    return _posed(claim, source, inputs, problem.options._replace(table=Definitions()))


def _posed(claim: Claim, source: Source, inputs: Mapping[str, Array], options: Options) -> Claim:
    """The formula and the program for some inputs."""
    problem = claim.walk.problem
    given = problem.gradient if problem.grads else None
    vectors = [Gradient(np.asarray(v, np.float64), name) for name, v in (given or {}).items()]
    walk = differentiate(weighed(pose(problem.program, inputs, vectors, options)))
    own = typed(walk, source)
    return Claim(walk, claim.name, walk.problem.leaves[claim.name], own.node, own)


def unrounded(value: Array, longer: np.dtype[Any]) -> Array:
    """Numbers in a longer precision that those of a run may have been rounded from: the shortest
    decimals, and rows that add up to 1 if those do within rounding. Others stay as they are.
    """
    if value.dtype.kind != "f" or value.dtype.itemsize >= longer.itemsize:
        return value
    return alike(value.astype(str if value.size <= WRITTEN else longer).astype(longer), value)
