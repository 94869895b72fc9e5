"""What a program's value and gradient cost on a device, before they are computed there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gradcli.engine.card_plan import card_plan, known_before
from gradcli.engine.costs import Cost, on_card, on_cpu
from gradcli.engine.device import is_worth
from gradcli.graph import Array
from gradcli.language.syntax import Program
from gradcli.session import Gradient, Options, prepare


@dataclass(frozen=True, slots=True)
class Costs:
    """The costs of a run on a device, unit by unit, in the order in which they run."""

    device: str
    """`cpu` or `gpu`."""
    units: Sequence[Cost]
    peak: int
    """The most bytes that values take at a time."""


def costs(
    program: Program,
    inputs: Mapping[str, Array],
    gradients: Sequence[Gradient],
    options: Options,
) -> Costs:
    """Arguments are those of `session.evaluate`. No GPU is needed, and none is used."""
    if options.device == "cpu":
        plan = prepare(program, inputs, gradients, options).engine.plan
        return Costs("cpu", on_cpu(plan), plan.peak_bytes())
    on_the_cpu = prepare(program, inputs, gradients, options._replace(device="cpu"))
    plan = on_the_cpu.engine.plan
    if options.device == "auto" and not is_worth(plan.outputs):
        return costs(program, inputs, gradients, options._replace(device="cpu"))
    known = known_before(plan.outputs)
    plan = card_plan(plan.outputs, known)
    return Costs("gpu", on_card(plan, known), plan.peak_bytes())
