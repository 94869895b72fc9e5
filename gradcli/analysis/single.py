"""One run with one backward pass, with access to its graph and values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gradcli.analysis.problem import View, nothing
from gradcli.diagnostics import GradcliError
from gradcli.engine.evaluator import Evaluator
from gradcli.graph import Array, Node
from gradcli.language.syntax import Program
from gradcli.options import DEFAULT
from gradcli.passes import Backward
from gradcli.session import Gradient, Options, prepare, unrolled


@dataclass(frozen=True, slots=True, eq=False)
class SingleRun(View):
    """A program differentiated, and its values on demand."""

    evaluator: Evaluator

    @property
    def backward(self) -> Backward:
        """The only pass."""
        (backward,) = self.prepared.backwards
        return backward

    def value(self, node: Node) -> Array:
        """The value of a node in this run; those of nodes before it are kept."""
        return self.evaluator.value(node)

    def values(self, nodes: Sequence[Node]) -> list[Array]:
        return [self.evaluator.value(node) for node in nodes]


def run(
    program: Program,
    inputs: Mapping[str, Array],
    gradients: Sequence[Gradient] = (),
    options: Options = DEFAULT,
) -> SingleRun:
    """Trace and differentiate a program; arguments and errors are those of `session.evaluate`.

    Raises `usage` for several passes, and what `problem.nothing` says where that is the case.
    """
    if len({gradient.output for gradient in gradients}) < len(gradients):
        raise GradcliError(
            "usage", "--gradient stands for two passes", hint="give one gradient at a time"
        )
    return _run(program, inputs, gradients, unrolled(options))


def run_rolled(
    program: Program,
    inputs: Mapping[str, Array],
    gradients: Sequence[Gradient] = (),
    options: Options = DEFAULT,
) -> SingleRun:
    """The same, where loops may be one node."""
    return _run(program, inputs, gradients, options)


def _run(
    program: Program,
    inputs: Mapping[str, Array],
    gradients: Sequence[Gradient],
    options: Options,
) -> SingleRun:
    prepared = prepare(program, inputs, gradients, options._replace(values="outputs"))
    again = tuple(name for name in prepared.names if f"{name}_grad" in prepared.names)
    if not prepared.backwards and again and not options.wrt:  # a derived program, which made
        options = options._replace(wrt=again)  # constants of its leaves
        return _run(program, inputs, gradients, options)
    if not prepared.backwards:
        raise nothing(prepared)
    feeds = prepared.feeds(inputs, gradients)
    found = SingleRun(prepared, feeds, Evaluator(feeds, prepared.graph.ledger))
    try:
        found.values(prepared.unneeded)  # to find what is wrong with them
    except GradcliError as error:
        raise error.located(program.source, None) from None
    return found
