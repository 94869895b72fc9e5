"""A program as a function of one number: its value and its derivative over a range."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gradcli.diagnostics import GradcliError, Note
from gradcli.graph import INPUT, Array, ancestors
from gradcli.language.syntax import Program
from gradcli.session import Gradient, Options, Prepared, prepare


@dataclass(frozen=True, slots=True)
class Curve:
    """`values` and `slopes` at `points`, which are equally spaced; all of one length."""

    variable: str
    output: str
    points: Array
    values: Array
    slopes: Array
    notes: Sequence[Note]


def curve(
    program: Program,
    inputs: Mapping[str, Array],
    variable: str,
    points: Array,
    gradients: Sequence[Gradient],
    options: Options,
) -> Curve:
    """Run the program at every point; it is traced once unless it looks at the values of inputs.

    An output of several elements needs a gradient: then the curve is the sum of the elements with
    these weights. Raises what `session.evaluate` raises, and `usage` for several outputs or passes.
    """
    if len(gradients) > 1 or len(options.outputs) > 1:
        raise GradcliError("usage", "one curve is drawn at a time", hint="choose one output")
    options = options._replace(wrt=(variable,), values="outputs")
    values, slopes = [], []
    prepared: Prepared | None = None
    for point in points:
        bound = {**inputs, variable: point}
        if prepared is None or _depends_on_inputs(prepared):
            prepared = prepare(program, bound, gradients, options)
            if len(prepared.backwards) != 1:
                raise GradcliError(
                    "usage",
                    "the program has several outputs, or calls backward itself",
                    hint="choose one output with --output",
                )
        result = prepared.run(bound, gradients)
        ((name, value),) = result.values.items()
        values.append(float(np.sum(value * result.passes[0].gradient[name])))
        slopes.append(float(result.grads[variable]))
    return Curve(variable, name, points, np.array(values), np.array(slopes), result.notes)


def _depends_on_inputs(prepared: Prepared) -> bool:
    """Whether the graph may be another for other inputs: tracing looked at their values."""
    return any(node.op is INPUT for node in ancestors(prepared.looked))
