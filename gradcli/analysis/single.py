"""One run with one backward pass, its graph and its values at hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gradcli.diagnostics import GradcliError
from gradcli.engine.cpu import Evaluator
from gradcli.graph import Array, Node
from gradcli.language.syntax import Program
from gradcli.passes import Backward
from gradcli.session import DEFAULT, Gradient, Options, Prepared, prepare


@dataclass(frozen=True, slots=True)
class Run:
    """A program differentiated, and its values on demand."""

    prepared: Prepared
    backward: Backward
    feeds: dict[Node, Array]
    evaluator: Evaluator


def run(
    program: Program,
    inputs: Mapping[str, Array],
    gradients: Sequence[Gradient] = (),
    options: Options = DEFAULT,
    draws: int = 0,
) -> Run:
    """Trace and differentiate a program; arguments and errors are those of `session.evaluate`.

    Raises `usage` for several passes, `no-grad` where the program leaves nothing to differentiate.
    """
    if len({gradient.output for gradient in gradients}) < len(gradients):
        raise GradcliError(
            "usage", "--gradient stands for two passes", hint="give one gradient at a time"
        )
    prepared = prepare(program, inputs, gradients, options._replace(values="outputs"), draws)
    again = tuple(name for name in prepared.names if f"{name}_grad" in prepared.names)
    if not prepared.backwards and again and not options.wrt:  # a derived program, which made
        options = options._replace(wrt=again)  # constants of its leaves
        return run(program, inputs, gradients, options, draws)
    if not prepared.backwards:
        raise _nothing(prepared)
    (backward,) = prepared.backwards
    dtype = prepared.graph.dtype
    feeds = {node: np.asarray(inputs[n], dtype(node.kind)) for n, node in prepared.inputs.items()}
    backward.feed(feeds, gradients)
    return Run(prepared, backward, feeds, Evaluator(feeds, options.limits.memory_bytes()))


def _nothing(prepared: Prepared) -> GradcliError:
    reasons = [note.message for note in prepared.notes if note.code == "no-grad"]
    if reasons:
        return GradcliError("no-grad", reasons[0])
    return GradcliError(
        "no-grad",
        "the program calls backward itself, so there is no pass to look into",
        hint="leave the call out, or choose an output with --output",
    )
