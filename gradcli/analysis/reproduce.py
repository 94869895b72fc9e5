"""What a script in another language needs to repeat a gradient and compare."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gradcli.analysis.derive import Derived, leaves_of
from gradcli.analysis.single import Run
from gradcli.analysis.unparse import unparse
from gradcli.graph import Array
from gradcli.language.syntax import Statement


@dataclass(frozen=True, slots=True)
class Reproduction:
    """A program and its gradient, both as statements over named arrays, and this run's numbers."""

    arrays: dict[str, Array]
    """Inputs and leaves."""
    leaves: list[str]
    forward: list[Statement]
    """Ends in an assignment to each of the outputs."""
    gradients: dict[str, Array]
    """By output: the v that goes in."""
    derivative: list[Statement]
    """Ends in `NAME_grad = …` for each leaf; reads v under the names in `given`."""
    given: dict[str, Array]
    grads: dict[str, Array]
    dtype: str


def reproduce(run: Run, derived: Derived) -> Reproduction:
    """Everything from one run."""
    prepared, backward = run.prepared, run.backward
    value = run.evaluator.value
    bound = leaves_of(prepared)
    names = {node: name for name, node in prepared.names.items()}
    taken = {*prepared.names, *prepared.leaves, "f", "v"}
    return Reproduction(
        arrays={name: value(node) for node, name in bound.items()},
        leaves=[name for name in prepared.leaves if name in bound.values()],
        forward=unparse(bound, dict(backward.outputs), names, taken, value),
        gradients={
            name: np.broadcast_to(value(node), backward.outputs[name].shape)
            for name, node in backward.cotangents.items()
        },
        derivative=derived.body,
        given={title: value(node) for node, title in derived.gradients.items()},
        grads={name: value(node) for name, node in backward.grads.items()},
        dtype=prepared.options.precision,
    )
