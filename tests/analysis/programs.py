"""Programs to differentiate: the table's cases, and generated ones."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping

import numpy as np

from gradcli.analysis.derive import derive
from gradcli.analysis.single import run
from gradcli.diagnostics import Source
from gradcli.graph import Array
from gradcli.language.parser import ParseLimits, parse_program
from gradcli.language.syntax import Program
from gradcli.report.program import render
from gradcli.session import Gradient, Options, evaluate

UNARY = (
    "sin({})", "cos({})", "tanh({})", "exp({} / 4)", "sigmoid({})", "{}**2", "(2*{})**3", "-{}",
    "log(1 + {}**2)", "sqrt(1 + {}**2)", "1 / (2 + {}**2)", "softplus({})", "relu({})", "abs({})",
    "{}.T.T", "softmax({}, dim=-1)", "cumsum({}, dim=-1)", "flip({}, -1)", "({} / 3)**2", "3*{}/7",
    "atan({})", "where({} > 0, {}, 0.1 * {})", "logsumexp({}, dim=-1, keepdim=True)",
    "amax({}, dim=-1, keepdim=True)", "{} - mean({}, dim=-1, keepdim=True)", "clamp({}, -1, 1)",
)  # fmt: skip
BINARY = (
    "{} + {}", "{} - {}", "{} * {}", "{} / (2 + abs({}))", "maximum({}, {})",
    "hypot({}, 1 + {}**2)", "(x * {}) @ (w[:2] * {}).T", "2 * {} + 3 * {}", "atan2({}, 2 + {}**2)",
    "logaddexp({}, {})", "{}**2 * {}**3",
)  # fmt: skip
FINAL = ("sum({})", "mean({})", "norm({})", "logsumexp({})", "mean({}**2)", "sum({}, dim=0)", "{}")


def generated(seed: int) -> tuple[str, dict[str, Array]]:
    """A program over x (2, 3) and w (3, 3), and values for them."""
    chance = random.Random(seed)
    numbers = np.random.default_rng(seed)
    values = ["x", "w[:2]", "w[1]", "x"]
    lines = []
    for number in range(chance.randint(1, 5)):
        if chance.random() < 0.5:
            text = chance.choice(UNARY)
            text = text.replace("{}", chance.choice(values))
        else:
            text = chance.choice(BINARY).format(chance.choice(values), chance.choice(values))
        name = f"h{number}"
        if "@" in text:  # two by two, which does not fit the others
            text = f"mean({text})"
        lines.append(f"{name} = {text}")
        values.append(name)
    lines.append("out = " + chance.choice(FINAL).format(values[-1]))
    return "; ".join(lines), {
        "x": numbers.uniform(-2, 2, (2, 3)),
        "w": numbers.uniform(-2, 2, (3, 3)),
    }


def parse(text: str) -> Program:
    """A program from its text."""
    return parse_program(Source("program", text), ParseLimits())


def used(text: str, inputs: Mapping[str, Array]) -> dict[str, Array]:
    """The inputs that a program mentions."""
    return {name: value for name, value in inputs.items() if re.search(rf"\b{name}\b", text)}


def both(
    text: str, inputs: Mapping[str, Array], gradient: Array | None = None, **choices: bool
) -> tuple[dict[str, Array], dict[str, Array]]:
    """The grads that backward gives, and those that the derived program gives as text."""
    program = parse(text)
    given = used(text, inputs)
    gradients = [] if gradient is None else [Gradient(gradient)]
    expected = evaluate(program, given, gradients, Options(seed=1)).grads
    derived = render(derive(run(program, given, gradients, Options(seed=1)), **choices))
    values = evaluate(parse(derived), {}, (), Options(forward_only=True)).values
    return expected, {name: values[f"{name}_grad"] for name in expected}


def output_shape(text: str, inputs: Mapping[str, Array]) -> tuple[int, ...]:
    """The shape of what the program ends on."""
    result = evaluate(parse(text), used(text, inputs), (), Options(forward_only=True, seed=1))
    (output,) = result.outputs.values()
    return output.shape


def assert_same(expected: Mapping[str, Array], found: Mapping[str, Array]) -> None:
    """Within 1e-12 of the largest element, with the same nans and infinities.

    Where all cancels, as in the gradient of mean(softmax(x)), only the rounding is left.
    """
    for name, grad in expected.items():
        assert found[name].shape == grad.shape
        finite = grad[np.isfinite(grad)]
        scale = float(np.max(np.abs(finite), initial=0.0))
        np.testing.assert_allclose(
            found[name], grad, rtol=1e-12, atol=1e-12 * max(scale, 1e-3), err_msg=name
        )
