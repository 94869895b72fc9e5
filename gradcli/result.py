"""The answer to one run, as `report` renders it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from gradcli.diagnostics import Note
from gradcli.graph import EMPTY, Array, Graph, Node, Precision
from gradcli.language.syntax import Program
from gradcli.ledger import in_memory
from gradcli.tuples import NamedTuple

if TYPE_CHECKING:
    from gradcli.trace.passages import Passages


class WholeLoop(NamedTuple):
    """A loop that is shown once, whatever nodes its passes have made."""

    passes: int
    body: tuple[str, ...]
    """The lines of it, as the language prints them."""
    operands: tuple[Node, ...]
    """What it is computed from."""


class Pass(NamedTuple):
    """One backward pass."""

    gradient: dict[str, Array]
    """By output name: the cotangent that was used, after broadcasting."""
    grads: dict[str, Array]
    """By leaf name: vᵀ·J, in the leaf's shape."""
    retained: dict[str, Array]
    """By name of an intermediate in `--retain-grad`: its gradient."""


def total(passes: Sequence[Pass], *, accumulate: bool) -> dict[str, Array]:
    """The grads of the last pass, or the sum over all of them."""
    if not passes:
        return {}
    if not accumulate:
        return passes[-1].grads
    grads = passes[0].grads
    for each in passes[1:]:
        grads = {name: grads[name] + grad for name, grad in each.grads.items()}
    return grads


class Result(NamedTuple):
    """The answer to one run, for `report` to render."""

    program: Program
    graph: Graph
    outputs: dict[str, Node]
    """The differentiated values under their names, in order."""
    names: dict[str, Node]
    """Every named value (inputs, bindings, outputs) and its node, in order of appearance."""
    values: dict[str, Array]
    """The named values that were asked for, and leaves without a name of the program's own, such as
    `net.weight`."""
    node_values: dict[Node, Array]
    """Values of small nodes, for the tree; empty unless asked for."""
    passes: list[Pass]
    """Empty when nothing was differentiated."""
    grads: dict[str, Array]
    """The last pass's grads, or with `accumulate` the sum over passes."""
    leaves: dict[str, Node]
    """By name of a grad: the node that it belongs to."""
    precision: Precision
    device: str
    seed: int | None
    accumulated: bool = False
    notes: Sequence[Note] = ()
    printed: Sequence[str] = ()
    others: Sequence[str] = ()
    """The value that the program ended on, as `print` writes it, if it is not a tensor; only where
    `Options.since` allows it.
    """
    node_grads: Mapping[Node, Array] = EMPTY
    """Grads of the nodes in `node_values`, where a picture asks for them."""
    passages: Passages | None = None
    """Which part of the program made which nodes, where the options ask for it."""
    loops: Mapping[Node, WholeLoop] = EMPTY
    """By value that a loop gives: the loop, where it is shown once."""


def grads_of(backward: Pass) -> dict[str, Array]:
    """What one pass found."""
    return {**backward.grads, **backward.retained}


def final_grads(result: Result) -> dict[str, Array]:
    """The last pass's grads, or their sums over all passes where these accumulate."""
    retained: dict[str, Array] = {}
    for backward in result.passes if result.accumulated else result.passes[-1:]:
        for name, grad in backward.retained.items():
            retained[name] = retained[name] + grad if name in retained else grad
    return {**result.grads, **retained}


def is_finite(array: Array) -> bool:
    """Whether a quick look proves that all elements are finite: their sum is. Arrays that lie in
    files are not looked at. Where warnings of NumPy's are to be ignored is the caller's affair.
    """
    if not array.ndim:
        return math.isfinite(array.item())
    if not in_memory(array):
        return False
    return array.dtype.kind != "f" or math.isfinite(np.add.reduce(array, None))
