"""Derivative rules made wrong on purpose, and whether that changes a gradient."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeAlias

import numpy as np
import pytest

from gradcli.analysis.check import check, gradients
from gradcli.analysis.problem import Problem
from gradcli.analysis.verdict import Check
from gradcli.graph import Multiply, Node, Op
from gradcli.ops import FUNCTIONS
from gradcli.walks import ancestors

Corruption: TypeAlias = Callable[[Node], Node | None]
Pose: TypeAlias = Callable[[], Problem]
"""Traces a program again: a graph keeps the rules that it was made with."""

ROUNDING = 1e-9
"""A gradient that is smaller is 0: its rule can be anything."""


def _turned(part: Node) -> Node:
    if part.ndim >= 2 and part.shape[-1] == part.shape[-2]:
        return FUNCTIONS["transpose"](part, -1, -2)
    return FUNCTIONS["flip"](part, -1) if part.ndim else part


CORRUPTIONS: dict[str, Corruption] = {
    "sign": lambda part: -part,
    "factor": lambda part: part * 2.0,
    "one percent": lambda part: part * 1.01,
    "constant term": lambda part: part + 0.1,
    "missing term": lambda part: None,
    "transposed": _turned,
}


@contextmanager
def corrupted(op: Op, name: str) -> Iterator[None]:
    """Give an op a wrong rule for reverse mode."""
    right = op.vjp

    def wrong(node: Node, operand: int, cotangent: Node, multiply: Multiply) -> Node | None:
        part = right(node, operand, cotangent, multiply)
        return None if part is None else CORRUPTIONS[name](part)

    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr(op, "vjp", wrong)
        yield


def ops_of(problem: Problem) -> list[Op]:
    """The ops that a program is made of, in the order that they are met."""
    nodes = ancestors(problem.outputs.values())
    return list(dict.fromkeys(node.op for node in nodes if node.inputs))


def gradients_of(problem: Problem) -> list[Any]:
    """The gradients of all leaves for some v."""
    outputs = list(problem.outputs.values())
    weights = [np.linspace(0.5, 1.5, node.size).reshape(node.shape) for node in outputs]
    return problem.values(gradients(problem, outputs, weights))


def corrupted_check(poses: Sequence[Pose], op: Op, name: str, order: int = 1) -> Check | None:
    """The check of the first problem while a rule is wrong; None where that changes no gradient.

    The other problems are the same program at other points.
    """
    right = [gradients_of(pose()) for pose in poses]
    with corrupted(op, name):
        wrong = [gradients_of(pose()) for pose in poses]
        if order == 1 and not any(map(_differ, right, wrong)):
            return None
        return check(poses[0](), order)


def _differ(right: list[Any], wrong: list[Any]) -> bool:
    size = max(float(np.max(np.abs(g), initial=0.0, where=np.isfinite(g))) for g in right)
    allowed = max(1e-3 * size, ROUNDING)
    return not all(
        np.allclose(a, b, rtol=1e-3, atol=allowed, equal_nan=True)
        for a, b in zip(right, wrong, strict=True)
    )
