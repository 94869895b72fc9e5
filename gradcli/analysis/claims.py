"""The user's own gradients, with how exactly each of them is known."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.analysis.diagnosis.claim import Claim, Walk, typed
from gradcli.analysis.evidence import Evidence, from_file, from_formula, from_text, from_values
from gradcli.diagnostics import Advice, GradcliError, Setting, Source
from gradcli.graph import Array, Node
from gradcli.language.parser import parse_expression
from gradcli.trace.expressions import CONSTANTS


def claimed_text(walk: Walk, name: str, source: Source) -> tuple[Claim, Evidence]:
    """A formula over the program's names, or numbers. Raises `name`, and what tracing raises."""
    leaf, own = _leaf(walk, name), typed(walk, source)
    problem = walk.problem
    expression = parse_expression(source, problem.options.limits.parse)
    bound = {*problem.names, *walk.inputs, *walk.vectors}
    bound |= problem.program.names - CONSTANTS.keys()
    evidence = from_text(expression, source, own.node.size, bound) or from_formula(source)
    return Claim(walk, name, leaf, own.node, own if evidence.formula else None), evidence


def claimed_numbers(
    walk: Walk, name: str, array: Array, dtype: np.dtype[Any] | None
) -> tuple[Claim, Evidence]:
    """Numbers that have the digits of a dtype, or if there is none those that they show."""
    leaf, graph = _leaf(walk, name), walk.problem.graph
    mine = graph.constant(np.asarray(array, graph.dtype("float")))
    evidence = from_values(array) if dtype is None else from_file(dtype)
    return Claim(walk, name, leaf, mine), evidence


def _leaf(walk: Walk, name: str) -> Node:
    problem = walk.problem
    if name in problem.leaves:
        return problem.leaves[name]
    raise GradcliError(
        "name",
        f"--mine {name}: that is not a leaf; the leaves are {', '.join(problem.leaves)}",
        hint=Advice(Setting("wrt", name, f"'{name}'"), " makes it one")
        if name in problem.names
        else None,
    )
