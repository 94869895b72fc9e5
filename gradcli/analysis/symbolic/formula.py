"""The formula of a gradient, a Jacobian or a Hessian, in the form that textbooks give it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from gradcli.algebra.algebra import Algebra, Rewrites
from gradcli.algebra.jacobians import without_seed
from gradcli.algebra.lift import Lift
from gradcli.algebra.norms import squared_norm
from gradcli.algebra.reading import Writing
from gradcli.algebra.rules import Definitions, derivatives
from gradcli.algebra.terms import Tensor, delta
from gradcli.analysis.symbolic.sizes import Lengths, Shapes
from gradcli.analysis.symbolic.wording import is_reduction, over_inputs, said
from gradcli.choices import choose_leaves, choose_outputs
from gradcli.diagnostics import GradcliError
from gradcli.differentiate import vjp
from gradcli.differentiate.vectorise import vectorise
from gradcli.engine.evaluator import Evaluator
from gradcli.graph import Array, Graph, Node
from gradcli.language.construct import NOWHERE, attribute, binary, name, number, subscript
from gradcli.language.printer import print_expression
from gradcli.language.syntax import Assign, Expression, Program
from gradcli.ops.kinds import zeros_like
from gradcli.options import Options
from gradcli.trace import Tracer
from gradcli.trace.names import free_names
from gradcli.walks import ancestors

Order: TypeAlias = Literal["gradient", "jacobian", "hessian"]


@dataclass(frozen=True, slots=True, eq=False)
class Traced:
    """A program over symbols of marked lengths, by the definitions of textbooks."""

    graph: Graph
    inputs: dict[str, Node]
    outputs: dict[str, Node]
    leaves: dict[str, Node]
    names: dict[Node, str]
    """Values that the program gives a name."""
    marks: dict[str, int]
    said: list[tuple[Expression, Node]]
    """Single numbers as the program writes them."""

    @property
    def steps(self) -> list[str]:
        """What it does; in which order steps are made that do not wait for each other says
        nothing.
        """
        return sorted(repr(node.op) for node in ancestors(self.outputs.values()))


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is differentiated, by what, and the name of the derivative."""

    title: str
    output: str
    leaves: tuple[str, ...]


def traced(program: Program, shapes: Shapes, options: Options, marks: Mapping[str, int]) -> Traced:
    """The graph of a program, for lengths that are `marks`.

    Raises what tracing raises, and `value` where values decide how the program goes on.
    """
    graph = options.graph()
    inputs = {
        title: graph.input(title, shape, "int" if title in shapes.whole else "float")
        for title, shape in shapes.at(marks).items()
    }
    evaluator = Evaluator({node: _stand_in(node) for node in inputs.values()}, graph.ledger)
    tracer = Tracer(
        graph,
        evaluator,
        program.source,
        options.limits.trace,
        inputs=inputs,
        table=Definitions(),
    )
    tracer.values.symbols = frozenset(
        node for node in inputs.values() if node.kind == "int" and not node.shape
    )
    tracer.trace(program)
    outputs, _ = choose_outputs(tracer, options)
    floats = {title: node for title, node in outputs.items() if node.kind == "float"}
    leaves = choose_leaves(tracer, list(floats.values()), options.wrt)
    read = set(inputs.values())
    if not read.isdisjoint(ancestors(evaluator.looked)):
        raise GradcliError(
            "value",
            "values decide how this program goes on, so there is no formula without values",
            hint="bind them: --set NAME=VALUE",
        )
    names = {
        node: title
        for title, node in tracer.globals.values.items()
        if isinstance(node, Node) and title not in inputs
    }
    words = list(said(program, tracer))
    return Traced(graph, inputs, floats, leaves, names, dict(marks), words)


def _stand_in(node: Node) -> Array:
    """Values for an input, should they be looked at: then there is an error."""
    return np.broadcast_to(np.asarray(0.37 if node.kind == "float" else 0), node.shape)


class Derivation:
    """The formulas of one program, simplified by some rewrites."""

    def __init__(self, run: Traced, rewrites: Rewrites) -> None:
        lengths = {length: title for title, length in run.marks.items()}
        self._run = run
        self._algebra = Algebra(rewrites, lengths)
        self._bound = {node: title for title, node in run.inputs.items()}
        self._bound |= {node: title for title, node in run.leaves.items()}
        like = {node.shape: title for node, title in reversed(self._bound.items()) if node.shape}
        self._reader = Writing(lengths, like)
        self.seeds: dict[str, str] = {}
        """By output: the name of its gradient, where it has more than one element."""

    def read(self, tensor: Tensor) -> Expression:
        """The expression of a derivative."""
        return self._reader.read(self._ordered(self._algebra.finished(tensor)))

    def read_matrix(self, tensor: Tensor) -> Expression:
        """The expression of a matrix of derivatives."""
        return self._reader.matrix(self._ordered(self._algebra.finished(tensor)))

    def _ordered(self, tensor: Tensor) -> Tensor:
        """The terms in the order of the program: the last step is differentiated first."""
        return Tensor(tensor.shape, tensor.terms[::-1])

    def words(self) -> dict[str, Expression]:
        """Single numbers as the program writes them, over its inputs, by how they are read."""
        lift = self._lift()
        found: dict[str, Expression] = {}
        known = self.known()
        for written, node in self._run.said:
            text = over_inputs(written, known)
            tensor = lift.of(node)
            how = self._reader.read(tensor)
            if is_reduction(how):
                found[print_expression(how)] = text
            squares = squared_norm(self._algebra, tensor)
            if squares is not None:
                square = binary("**", text, number(2.0))
                found.setdefault(print_expression(self._reader.read(squares)), square)
        return {before: text for before, text in found.items() if before != print_expression(text)}

    def known(self) -> dict[str, Expression]:
        """Values that the program gives a name."""
        lift = self._lift()
        return {
            title: self._reader.read(lift.of(node))
            for node, title in self._run.names.items()
            if node.kind == "float" and node not in self._bound
        }

    def values(self) -> dict[str, Expression]:
        """The outputs themselves."""
        lift = self._lift()
        return {x: self._reader.read(lift.of(node)) for x, node in self._run.outputs.items()}

    def gradients(self) -> Iterator[tuple[Wanted, Tensor]]:
        """The gradient of the outputs by each leaf."""
        run = self._run
        outputs = list(run.outputs.values())
        seeds = [self._seed(title, node) for title, node in run.outputs.items()]
        every = ", ".join(run.outputs)
        for (title, _), grad in zip(run.leaves.items(), self._pulled(outputs, seeds), strict=True):
            yield Wanted(f"{title}_grad", every, (title,)), self._lift().of(grad)

    def jacobians(self) -> Iterator[tuple[Wanted, Tensor]]:
        """The Jacobian of each output by each leaf: the axes of the output, then the leaf's."""
        run = self._run
        for output, node in run.outputs.items():
            seed, pulled = self._along(node)
            for (title, _), grad in zip(run.leaves.items(), pulled, strict=True):
                several = f"{output}_" if len(run.outputs) > 1 else ""
                result = Wanted(f"{several}{title}_jacobian", output, (title,))
                yield result, self._matrix(grad, seed, node)

    def hessians(self) -> Iterator[tuple[Wanted, Tensor]]:
        """The second derivatives by each pair of leaves."""
        run = self._run
        (output, node), *others = run.outputs.items()
        if others or node.size != 1:
            raise GradcliError(
                "gradient-required",
                "a Hessian is that of one number: the output has more elements",
                hint="put sum(…) around it, or choose one output with --output",
            )
        grads = self._pulled([node], [run.graph.constant(1.0)])
        leaves = list(run.leaves)
        for first, grad in zip(leaves, grads, strict=True):
            seed, pulled = self._along(grad)
            for second, change in list(zip(leaves, pulled, strict=True))[leaves.index(first) :]:
                title = f"{first}_hessian" if first == second else f"{first}_{second}_hessian"
                yield Wanted(title, output, (first, second)), self._matrix(change, seed, grad)

    def _matrix(self, pulled: Node, seed: Node, output: Node) -> Tensor:
        lifted = self._lift({seed: SEED}).of(pulled)
        try:
            return without_seed(self._algebra, lifted, SEED, output.shape)
        except GradcliError:
            if output.ndim != 1 or pulled.ndim != 1:
                raise
        return self._rows(pulled, seed)

    def _rows(self, pulled: Node, seed: Node) -> Tensor:
        """The matrix whose rows are what unit vectors give for the seed."""
        (length,) = seed.shape
        (units,), (rows,) = vectorise([pulled], [seed], length)
        lift = self._lift()
        lift.let(units, self._algebra.atom(delta(length)))
        return lift.of(rows)

    def _along(self, node: Node) -> tuple[Node, list[Node]]:
        """What a gradient of unknown elements gives for the leaves."""
        seed = self._run.graph.input(SEED, node.shape, "float")
        return seed, self._pulled([node], [seed])

    def _pulled(self, outputs: Sequence[Node], seeds: Sequence[Node]) -> list[Node]:
        leaves = list(self._run.leaves.values())
        found = vjp(outputs, seeds, leaves, rules=derivatives)
        return [
            zeros_like(leaf) if grad is None else grad
            for leaf, grad in zip(leaves, found, strict=True)
        ]

    def _seed(self, title: str, node: Node) -> Node:
        """The gradient of an output: 1, or v."""
        if node.size == 1:
            return self._run.graph.constant(1.0)
        taken = {*self._run.inputs, *self._run.names.values()}
        text = "v" if len(self._run.outputs) == 1 else f"v_{title}"
        while text in taken:
            text += "_"
        self.seeds[title] = text
        seed = self._run.graph.input(text, node.shape, "float")
        self._bound[seed] = text
        return seed

    def _lift(self, more: Mapping[Node, str] | None = None) -> Lift:
        return Lift(self._algebra, self._bound | dict(more or {}))


SEED = "gradient of the output"
"""No name of a program."""

FORMULAS: Mapping[Order, Callable[[Derivation], Iterator[tuple[Wanted, Tensor]]]] = {
    "gradient": Derivation.gradients,
    "jacobian": Derivation.jacobians,
    "hessian": Derivation.hessians,
}


def length_of(title: str, shapes: Shapes) -> Expression:
    """A length as a program says it: `x.shape[0]`."""
    for owner, lengths in shapes.lengths.items():
        if title in lengths:
            return subscript(attribute(name(owner), "shape"), [number(lengths.index(title))])
    raise AssertionError(title)


def with_lengths(program: Program, given: Mapping[str, Lengths]) -> Program:
    """The program, with the lengths that it reads by the names which the shapes give them."""
    shapes = Shapes(given)
    read = [each for each in free_names(program) if each in shapes.names and each not in given]
    first = tuple(Assign(name(each), length_of(each, shapes), NOWHERE) for each in read)
    return program._replace(statements=(*first, *program.statements))
