"""A program as a function of one number: its value and its derivative over a range."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gradcli.diagnostics import GradcliError
from gradcli.graph import Array
from gradcli.language.syntax import Program
from gradcli.session import Gradient, Options, evaluate


@dataclass(frozen=True, slots=True)
class Curve:
    """`values` and `slopes` at `points`, all of one length."""

    variable: str
    output: str
    points: Array
    values: Array
    slopes: Array


def curve(
    program: Program,
    inputs: Mapping[str, Array],
    variable: str,
    points: Array,
    gradients: Sequence[Gradient],
    options: Options,
    draws: int = 0,
) -> Curve:
    """Run the program at every point. An output of several elements needs a gradient: what is
    drawn then is their sum, weighed by it, and its slope.

    Raises what `session.evaluate` raises, and `usage` for several outputs or passes.
    """
    if len(gradients) > 1 or len(options.outputs) > 1:
        raise GradcliError("usage", "one curve is drawn at a time", hint="choose one output")
    options = options._replace(wrt=(variable,), values="outputs")
    values, slopes = [], []
    for point in points:
        result = evaluate(program, {**inputs, variable: point}, gradients, options, draws)
        if len(result.passes) != 1:
            raise GradcliError(
                "usage",
                "the program has several outputs, or calls backward itself",
                hint="choose one output with --output",
            )
        ((name, value),) = result.values.items()
        values.append(float(np.sum(value * result.passes[0].gradient[name])))
        slopes.append(float(result.grads[variable]))
    return Curve(variable, name, points, np.array(values), np.array(slopes))
