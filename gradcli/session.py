"""The main job in one page: a program and its inputs in, values and gradients out."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from gradcli.diagnostics import GradcliError, Note, Source, nearest
from gradcli.engine.device import Engine, engine
from gradcli.engine.evaluator import Evaluator
from gradcli.engine.mapped import mapping
from gradcli.engine.regions import LARGE
from gradcli.graph import INTERNED_BYTES, Array, Graph, Node, ancestors, kind_of
from gradcli.language.parser import parse_expression
from gradcli.language.syntax import Program
from gradcli.ledger import Ledger
from gradcli.nonfinite import Question, explain_nonfinite
from gradcli.options import SAFE, Limits, Options
from gradcli.passes import (
    Backward,
    Gradient,
    backward,
    choose_leaves,
    choose_outputs,
    group,
    newest,
    newest_outputs,
    program_grads,
    retained_names,
    unused,
)
from gradcli.result import Pass, Result
from gradcli.trace import Tracer
from gradcli.trace.items import Items
from gradcli.trace.literal import LiteralTracer
from gradcli.trace.names import runs_backward
from gradcli.trace.printing import Piece, pieces, tensors, text
from gradcli.trace.values import Value

__all__ = [
    "SAFE",
    "Gradient",
    "Limits",
    "Options",
    "Pass",
    "Prepared",
    "Result",
    "evaluate",
    "literals",
    "prepare",
]

TREE_ELEMENTS = 10_000
TREE_NODES = 2_000


DEFAULT = Options()
NO_ARRAYS: Mapping[str, Array] = {}
NO_NUMBERS: Mapping[int, int] = {}


def evaluate(
    program: Program,
    inputs: Mapping[str, Array],
    gradients: Sequence[Gradient] = (),
    options: Options = DEFAULT,
    draws: int = 0,
) -> Result:
    """Run a program forward, and backward once per gradient.

    `draws` is how many random numbers literals have drawn from the seed already. Raises
    GradcliError with the place in the program's text.
    """
    return prepare(program, inputs, gradients, options, draws).run(inputs, gradients)


def prepare(
    program: Program,
    inputs: Mapping[str, Array],
    gradients: Sequence[Gradient] = (),
    options: Options = DEFAULT,
    draws: int = 0,
    numbers: Mapping[int, int] = NO_NUMBERS,
) -> Prepared:
    """Trace, differentiate and plan a program, ready to run for these inputs and others like them.

    Arguments and errors are those of `evaluate`. `numbers` tells where in the text numbers begin
    for which others may stand in later runs, and counts them: they are fed like inputs.
    """
    ledger = options.limits.ledger()
    shares = not (_asks_intermediates(options, inputs) or runs_backward(program))
    graph = Graph(options.precision, options.seed, options.limits.nodes, shares, ledger)
    graph.draws = draws
    nodes = _input_nodes(graph, program, inputs)
    evaluator = Evaluator(_feeds(nodes, inputs), ledger)
    tracer = Tracer(
        graph,
        evaluator,
        program.source,
        options.limits.trace,
        _retains(options),
        nodes,
        options.strict,
        numbers,
    )
    tracer.trace(program)

    others: list[Value] = []
    if options.since is None:
        outputs = choose_outputs(tracer, options.outputs)
    else:
        outputs, others = newest_outputs(tracer, options.since)
    evaluator.clear()
    retained = retained_names(tracer, options.retain_grad)
    notes = [Note("layout", message) for _, message in program.notes] + tracer.notes
    differentiated = {name: node for name, node in outputs.items() if node.kind == "float"}
    # A program that called `backward` has its answer, unless more is asked for.
    answered = bool(tracer.autograd.roots) and not gradients and not options.outputs
    if answered:
        leaves = newest(tracer, choose_leaves(tracer, nodes, tracer.autograd.roots, options.wrt))
        own_grads = program_grads(tracer, leaves, notes)
    else:
        leaves = choose_leaves(tracer, nodes, list(outputs.values()), options.wrt)
        own_grads = {}
    backwards: list[Backward] = []
    if (
        not answered
        and not options.forward_only
        and (gradients or not tracer.autograd.is_cut(differentiated.values()))
        and _can_differentiate(outputs, differentiated, leaves, gradients, options, notes)
    ):
        backwards = [
            backward(tracer, differentiated, leaves, retained, given, options.strict, notes)
            for given in group(gradients)
        ]
        notes += unused(list(differentiated.values()), leaves)
    names = _names(tracer, outputs)
    return Prepared(
        program=program,
        options=options,
        graph=graph,
        inputs=nodes,
        outputs=outputs,
        names=names,
        shown=_shown(names, outputs, options.values),
        tree=_tree_nodes(outputs.values()) if options.trace_values else [],
        leaves=leaves,
        backwards=backwards,
        grads=own_grads,
        printed=tracer.special.printed,
        others=[pieces([value], tracer.special.numbers, ledger) for value in others],
        notes=notes,
        looked=evaluator.looked,
        mapped={nodes[name] for name, array in inputs.items() if mapping(array) is not None},
    )


@dataclass(slots=True, eq=False)
class Prepared:
    """A program traced and planned. It may run again for inputs that `fits` accepts."""

    program: Program
    options: Options
    graph: Graph
    inputs: dict[str, Node]
    outputs: dict[str, Node]
    names: dict[str, Node]
    shown: dict[str, Node]
    tree: list[Node]
    leaves: dict[str, Node]
    backwards: list[Backward]
    grads: dict[str, Node]
    """The `.grad`s that the program's own backward calls left, if these are the answer."""
    printed: list[list[Piece]]
    others: list[list[Piece]]
    """What the program ended on that is no tensor."""
    notes: list[Note]
    looked: list[Node]
    """Nodes whose values decided how the program went on."""
    mapped: set[Node]
    """Inputs that lie in files."""
    engine: Engine = field(init=False)
    _lowered: dict[Node, Node] = field(init=False, default_factory=dict)
    """What is computed in place of some nodes."""

    def __post_init__(self) -> None:
        wanted = [*self.shown.values(), *self.tree]
        for each in self.backwards:
            wanted += [*each.grads.values(), *each.retained.values()]
        wanted += self.grads.values()
        wanted += tensors([*self.printed, *self.others])
        options, ledger = self.options, self.graph.ledger
        if self.graph.largest >= LARGE:
            from gradcli.engine.lowering import lower

            lower(ancestors(wanted), self._lowered)
        nodes, elsewhere, looked = map(self._computed, (wanted, self._elsewhere(), self.looked))
        try:
            self.engine = engine(
                nodes, options.device, options.threads, ledger, set(elsewhere), looked
            )
        except GradcliError as error:
            raise error.located(self.program.source, None) from None

    def _computed(self, nodes: Iterable[Node]) -> list[Node]:
        """The nodes that the engine computes for these."""
        return [self._lowered.get(node, node) for node in nodes]

    def _elsewhere(self) -> set[Node]:
        """Values whose memory is on the ledger already, or which lie in files."""
        elsewhere = self.mapped | self.graph.held
        if not self.options.grads_to_file:
            return elsewhere
        return elsewhere.union(*(each.grads.values() for each in self.backwards))

    def _question(self) -> Question:
        return Question(
            list(self.outputs.values()),
            list(self.leaves.values()),
            [(list(b.outputs.values()), list(b.cotangents.values())) for b in self.backwards],
        )

    def run(
        self,
        inputs: Mapping[str, Array],
        gradients: Sequence[Gradient] = (),
        into: Mapping[str, Array] = NO_ARRAYS,
    ) -> Result:
        """The answer for one set of inputs and gradients.

        `into` are arrays that grads of the last pass are written into, by name.
        """
        return self.answer(self.feeds(inputs, gradients), into)

    def feeds(
        self, inputs: Mapping[str, Array], gradients: Sequence[Gradient] = ()
    ) -> dict[Node, Array]:
        """The values of inputs and of gradients that were given."""
        feeds = _feeds(self.inputs, inputs)
        for each in self.backwards:
            each.feed(feeds, gradients)
        return feeds

    def answer(self, feeds: Mapping[Node, Array], into: Mapping[str, Array] = NO_ARRAYS) -> Result:
        """The same as `run` for values by node; those of literals may be among them."""
        try:
            written = self._computed(self.backwards[-1].grads[name] for name in into)
            targets = dict(zip(written, into.values(), strict=True))
            arrays = iter(self.engine.run(feeds, targets))
        except GradcliError as error:
            raise error.located(self.program.source, None) from None
        values = {name: next(arrays) for name in self.shown}
        node_values = {node: next(arrays) for node in self.tree}
        passes = [
            Pass(
                each.gradient(feeds),
                {name: next(arrays) for name in each.grads},
                {name: next(arrays) for name in each.retained},
            )
            for each in self.backwards
        ]
        grads = {name: next(arrays) for name in self.grads} or _total(
            passes, self.options.accumulate
        )
        lines = [*self.printed, *self.others]
        printed = dict(zip(tensors(lines), arrays, strict=True))
        named = _named_arrays(values, passes or [Pass({}, grads, {})])
        culprits = explain_nonfinite(self.engine.plan, named, feeds, self._question())
        return Result(
            program=self.program,
            graph=self.graph,
            outputs=self.outputs,
            names=self.names,
            values=values,
            node_values=node_values,
            passes=passes,
            grads=grads,
            leaves=self.leaves,
            precision=self.options.precision,
            device=self.engine.device,
            seed=self.graph.seed,
            accumulated=self.options.accumulate,
            notes=self.notes + self.engine.notes + culprits,
            printed=[text(line, printed) for line in self.printed],
            others=[text(line, printed) for line in self.others],
        )


def literals(
    sources: Sequence[Source],
    options: Options = DEFAULT,
    ledger: Ledger | None = None,
) -> tuple[list[Array], int | None, int]:
    """The arrays that texts from the command line stand for: literals, constants, constructors.

    Also the seed, if random numbers were drawn, and how many draws were made. The `ledger` knows
    what else was read.
    """
    ledger = ledger or options.limits.ledger()
    graph = Graph(options.precision, options.seed, options.limits.nodes, ledger=ledger)
    arrays = []
    for source in sources:
        expression = parse_expression(source, options.limits.parse)
        evaluator = Evaluator({}, ledger)
        tracer = LiteralTracer(graph, evaluator, source, options.limits.trace)
        node = tracer.literal(expression)
        try:
            array = evaluator.value(node)
            evaluator.clear()
            ledger.take(array.nbytes, source.name)
            arrays.append(array)
        except GradcliError as error:
            raise error.located(source, None) from None
    return arrays, graph.seed, graph.draws


def _input_nodes(graph: Graph, program: Program, inputs: Mapping[str, Array]) -> dict[str, Node]:
    """A node for every input; an input that stands nowhere in the program is the error `name`."""
    for name in inputs:
        if name not in program.names:
            raise _unknown_input(name, program.names)
    nodes = {name: graph.input(name, array.shape, kind_of(array)) for name, array in inputs.items()}
    for name, array in inputs.items():
        if array.nbytes > INTERNED_BYTES and mapping(array) is None:
            graph.hold(nodes[name])
    return nodes


def _feeds(nodes: Mapping[str, Node], inputs: Mapping[str, Array]) -> dict[Node, Array]:
    """The inputs' arrays by node, in the dtypes of the graph."""
    return {
        node: np.asarray(inputs[name], node.graph.dtype(node.kind)) for name, node in nodes.items()
    }


def _unknown_input(name: str, known: Collection[str]) -> GradcliError:
    guess = nearest(name, known)
    return GradcliError(
        "name",
        f"--set {name}: the program does not mention {name}",
        source=Source(f"--set {name}", ""),
        hint=f"did you mean {guess!r}?" if guess else "leave it out, or use the name",
    )


def _asks_intermediates(options: Options, inputs: Collection[str]) -> bool:
    """Whether the gradient of a name is asked for that is no input: then equal values that are two
    tensors must be two nodes.
    """
    return bool(options.retain_grad) or any(name not in inputs for name in options.wrt)


def _retains(options: Options) -> Callable[[str], bool]:
    """Tells the names whose own gradient is asked for."""
    wanted = frozenset((*options.wrt, *options.retain_grad))
    return lambda name: name in wanted or "all" in options.retain_grad


def _can_differentiate(
    outputs: Mapping[str, Node],
    differentiated: Mapping[str, Node],
    leaves: Mapping[str, Node],
    gradients: Sequence[Gradient],
    options: Options,
    notes: list[Note],
) -> bool:
    """Whether there is anything to differentiate; a note, or an error if it was asked for."""
    if not differentiated:
        kinds = ", ".join(f"{name} holds {node.kind} values" for name, node in outputs.items())
        reason = kinds or "the program ends on no value"
        if gradients or options.wrt:
            raise GradcliError("not-differentiable", f"{reason}: there is no derivative")
        notes.append(Note("no-grad", f"{reason}: nothing was differentiated"))
        return False
    if not leaves:
        notes.append(
            Note(
                "no-grad",
                "there is no leaf to differentiate by: --set NAME=… makes one, and so does "
                "a name bound to a number",
            )
        )
        return False
    return True


def _names(tracer: Tracer, outputs: Mapping[str, Node]) -> dict[str, Node]:
    """Every named tensor, then outputs without a name."""
    names = {}
    for name, value in tracer.globals.values.items():
        if isinstance(value, Items) and value and all(isinstance(item, Node) for item in value):
            if len({item.shape for item in value}) == 1:
                names[name] = tracer.values.tensor(value)
        elif isinstance(value, Node):
            names[name] = value
    return names | {name: node for name, node in outputs.items() if name not in names}


def _shown(names: Mapping[str, Node], outputs: Mapping[str, Node], values: str) -> dict[str, Node]:
    if values == "none":
        return {}
    return dict(outputs if values == "outputs" else names)


def _tree_nodes(outputs: Iterable[Node]) -> list[Node]:
    """The nodes whose values a tree can show: small ones, in a graph that is not too large."""
    nodes = ancestors(outputs)
    if len(nodes) > TREE_NODES:
        return []
    return [node for node in nodes if node.size <= TREE_ELEMENTS]


def _total(passes: Sequence[Pass], accumulate: bool) -> dict[str, Array]:
    """The grads of the last pass, or the sum over all of them."""
    if not passes:
        return {}
    if not accumulate:
        return passes[-1].grads
    total = passes[0].grads
    for each in passes[1:]:
        total = {name: total[name] + grad for name, grad in each.grads.items()}
    return total


def _named_arrays(values: Mapping[str, Array], passes: Sequence[Pass]) -> list[tuple[str, Array]]:
    """What is shown of a run, under the names that notes call it."""
    arrays = list(values.items())
    for each in passes:
        arrays += [(f"the grad of {name}", grad) for name, grad in each.grads.items()]
    return arrays
