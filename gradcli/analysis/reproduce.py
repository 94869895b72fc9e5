"""The data that a module for another library needs to repeat a gradient and compare it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gradcli.analysis.derive import Derived, leaves_of, statements
from gradcli.analysis.probe import Probe
from gradcli.analysis.single import SingleRun
from gradcli.graph import Array
from gradcli.language.syntax import Statement
from gradcli.ops.loops import Loop
from gradcli.spelling.program import unparse
from gradcli.walks import ancestors


@dataclass(frozen=True, slots=True)
class Reproduction:
    """A program and its gradient, both as statements over named arrays, and this run's numbers."""

    arrays: dict[str, Array]
    """Inputs and leaves."""
    intermediate: bool
    """Whether some leaf is a value that the program computes from others."""
    forward: list[Statement]
    """Assigns each of the outputs."""
    seeds: dict[str, Array | str]
    """By output: its gradient v, or the name of it in `given`."""
    derivative: list[Statement]
    """Assigns `NAME_grad` for each leaf, and the outputs; reads v under the names in `given`."""
    given: dict[str, Array]
    grads: dict[str, Array]
    noise: dict[str, float]
    """By leaf: how much of each element of its gradient may be rounding error, if known."""
    dtype: str


def reproduce(run: SingleRun, derived: Derived) -> Reproduction:
    """The data from one run."""
    backward, value = run.backward, run.value
    bound = leaves_of(run)
    names = {node: name for name, node in run.names.items()}
    taken = {*run.names, *run.leaves, *derived.gradients.values(), "f"}
    forward = unparse(bound, dict(backward.outputs), names, taken, value)
    return Reproduction(
        arrays={name: value(node) for node, name in bound.items()},
        intermediate=not {*run.leaves} <= {*bound.values()},
        forward=forward,
        seeds={
            name: derived.gradients.get(node)
            or np.broadcast_to(value(node), backward.outputs[name].shape)
            for name, node in backward.cotangents.items()
        },
        derivative=statements(
            run,
            {f"{leaf}_grad": node for leaf, node in backward.grads.items()}
            | dict(backward.outputs),
            derived.gradients,
            assume_finite=derived.assume_finite,
        ),
        given={title: value(node) for node, title in derived.gradients.items()},
        grads={name: value(node) for name, node in backward.grads.items()},
        noise=_noise(run),
        dtype=run.options.precision,
    )


def _noise(run: SingleRun) -> dict[str, float]:
    """By leaf: the rounding error of all steps of its gradient."""
    grads = run.backward.grads
    eps = float(np.finfo(run.options.precision).eps)
    passes = sum(node.op.count for node in ancestors(grads.values()) if isinstance(node.op, Loop))
    if passes:  # about as much for each
        values = {name: np.abs(run.value(grad)) for name, grad in grads.items()}
        return {
            name: passes * eps * float(np.max(value, initial=0.0, where=np.isfinite(value)))
            for name, value in values.items()
        }
    leaf = next(iter(run.leaves.values()))
    probe = Probe(run, list(grads.values()), leaf, all_steps=True)
    found = probe.noise(probe.point, eps)
    return {
        name: float(np.max(noise, initial=0.0, where=np.isfinite(noise)))
        for name, noise in zip(grads, found, strict=True)
    }
