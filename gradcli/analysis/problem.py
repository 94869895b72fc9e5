"""What every analysis starts from: a prepared program at a point, as a function of its leaves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gradcli.diagnostics import Advice, GradcliError, Note, input_of
from gradcli.engine.device import engine
from gradcli.engine.plan import Engine
from gradcli.graph import Array, Graph, Node
from gradcli.language.syntax import Program
from gradcli.session import Gradient, Options, Prepared, prepare, unrolled


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """A prepared program at a point."""

    prepared: Prepared
    feeds: dict[Node, Array]
    """The values of inputs, and of gradients that were given."""

    @property
    def program(self) -> Program:
        return self.prepared.program

    @property
    def options(self) -> Options:
        return self.prepared.options

    @property
    def graph(self) -> Graph:
        return self.prepared.graph

    @property
    def leaves(self) -> dict[str, Node]:
        return self.prepared.leaves

    @property
    def names(self) -> dict[str, Node]:
        """Every named tensor of the program."""
        return self.prepared.names

    @property
    def looked(self) -> list[Node]:
        """Nodes whose values decided how the program went on."""
        return self.prepared.looked

    def engine(self, nodes: Sequence[Node]) -> Engine:
        """The nodes ready to be computed. Raises `limit-memory`."""
        options, graph = self.options, self.graph
        try:
            return engine(nodes, options.device, options.threads, graph.ledger, graph.held)
        except GradcliError as error:
            raise error.located(self.program.source, None) from None

    def values(self, nodes: Sequence[Node]) -> list[Array]:
        """The values of nodes at the point. Raises what the engine raises."""
        try:
            return self.engine(nodes).run(self.feeds)
        except GradcliError as error:
            raise error.located(self.program.source, None) from None


@dataclass(frozen=True, slots=True, eq=False)
class Problem(View):
    """A program as a function of its leaves."""

    outputs: dict[str, Node]
    """Those that have a derivative."""
    gradient: dict[str, Array] | None
    """By output, after broadcasting; None where an output needs one and none was given."""
    grads: dict[str, Array]
    """By leaf, as a backward pass with a given gradient finds them; else empty."""
    notes: list[Note]
    inputs: Mapping[str, Array]
    """What was given: the values of inputs, and gradients."""
    gradients: Sequence[Gradient]

    def unrolled(self) -> Problem:
        """The same with all passes of loops written out."""
        return pose(self.program, self.inputs, self.gradients, self.options)


def pose(
    program: Program,
    inputs: Mapping[str, Array],
    gradients: Sequence[Gradient],
    options: Options,
) -> Problem:
    """Trace a program with all passes of its loops written out. Raises what `session.prepare` does,
    and `not-differentiable`, `no-grad` where there is nothing to analyse.
    """
    return pose_rolled(program, inputs, gradients, unrolled(options))


def pose_rolled(
    program: Program,
    inputs: Mapping[str, Array],
    gradients: Sequence[Gradient],
    options: Options,
) -> Problem:
    """The same, where loops may be one node unless the options unroll them.

    What then walks over the graph has to expect loops, or `NotRolled`.
    """
    asked = options._replace(forward_only=not gradients, values="outputs")
    prepared = prepare(program, inputs, gradients, asked)
    outputs = {name: node for name, node in prepared.outputs.items() if node.kind == "float"}
    if not outputs or not prepared.leaves:
        raise nothing(prepared)
    gradient: dict[str, Array] | None = None
    grads: dict[str, Array] = {}
    if gradients:
        passes = prepared.run(inputs, gradients).passes
        if len(passes) > 1:
            raise GradcliError(
                "usage", f"there are {len(passes)} gradients", hint="give one for each output"
            )
        gradient, grads = passes[0].gradient, passes[0].grads
    elif all(node.size == 1 for node in outputs.values()):
        gradient = {name: np.ones(node.shape) for name, node in outputs.items()}
    feeds = prepared.feeds(inputs, gradients)
    problem = Problem(prepared, feeds, outputs, gradient, grads, prepared.notes, inputs, gradients)
    problem.values(prepared.unneeded)  # to find what is wrong with them
    return problem


def nothing(prepared: Prepared) -> GradcliError:
    """Why nothing in a program can be differentiated: `not-differentiable` or `no-grad`."""
    if prepared.grads:
        return GradcliError(
            "no-grad",
            "the program calls backward itself, so there is no pass to analyse",
            hint="leave the call out, or choose an output with --output",
        )
    if not any(node.kind == "float" for node in prepared.outputs.values()):
        kinds = ", ".join(
            f"{name} holds {each.kind} values" for name, each in prepared.outputs.items()
        )
        return GradcliError(
            "not-differentiable",
            f"{kinds or 'the program ends on no value'}: there is no derivative",
        )
    if not prepared.leaves:
        return GradcliError(
            "no-grad",
            "there is no leaf to differentiate by",
            hint=Advice(input_of("NAME"), " makes one, and so does a name bound to a number"),
        )
    return GradcliError(
        "no-grad",
        "the program calls grad without create_graph, so no gradient flows on from there",
        hint="grad(…, create_graph=True) lets gradients flow",
    )
