"""The main job on one page: a program and its inputs in, values and gradients out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import InitVar, dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from gradcli.choices import choose_outputs, named_tensors, retained_names
from gradcli.diagnostics import GradcliError, Note
from gradcli.engine.evaluator import Evaluator
from gradcli.engine.plan import Engine
from gradcli.graph import EMPTY, Array, Graph, Node
from gradcli.inputs import in_files, input_feeds, input_nodes
from gradcli.language.syntax import Program
from gradcli.ops.loops import NotRolled
from gradcli.options import DEFAULT, SAFE, Limits, Options
from gradcli.passes import Backward, Gradient, differentiate, left_by_program
from gradcli.planned import Planned
from gradcli.result import Pass, Result, is_finite, total
from gradcli.trace import Tracer
from gradcli.trace.autograd import BackwardCall, GradCall
from gradcli.trace.items import NamedRows
from gradcli.trace.names import (
    SHORT,
    changes_in_place,
    may_loop,
    runs_backward,
)
from gradcli.trace.printing import Printed, text
from gradcli.walks import ancestors

if TYPE_CHECKING:
    from gradcli.trace.passages import Passages
    from gradcli.trace.reach import LoopReach

__all__ = [
    "SAFE",
    "Gradient",
    "Limits",
    "Options",
    "Pass",
    "Prepared",
    "Result",
    "evaluate",
    "prepare",
]

TREE_ELEMENTS = 10_000
TREE_NODES = 2_000


def evaluate(
    program: Program,
    inputs: Mapping[str, Array],
    gradients: Sequence[Gradient] = (),
    options: Options = DEFAULT,
) -> Result:
    """Run a program forward, and backward once per gradient.

    Raises GradcliError with the place in the program's text.
    """
    return prepare(program, inputs, gradients, options).run(inputs, gradients)


def prepare(
    program: Program,
    inputs: Mapping[str, Array],
    gradients: Sequence[Gradient] = (),
    options: Options = DEFAULT,
    numbers: Mapping[int, int] = EMPTY,
) -> Prepared:
    """Trace, differentiate and plan a program, ready to run for these inputs and others like them.

    Arguments and errors are those of `evaluate`. `numbers` tells where in the text numbers begin
    for which others may stand in later runs, and counts them: they are fed like inputs.
    """
    try:
        return _prepared(program, inputs, gradients, options, numbers)
    except GradcliError:
        if not options.gathers or not _renames(program):
            raise
    except NotRolled as refused:
        if not options.gathers:
            return _prepared(program, inputs, gradients, unrolled(options), numbers, str(refused))
    return prepare(program, inputs, gradients, options._replace(gathers=False), numbers)


def unrolled(options: Options) -> Options:
    """The options for what cannot be done with loops that are one node."""
    return options._replace(unroll=True)


def _prepared(
    program: Program,
    inputs: Mapping[str, Array],
    gradients: Sequence[Gradient],
    options: Options,
    numbers: Mapping[int, int],
    refused: str = "",
) -> Prepared:
    """The same; `refused` says why loops cannot be one node, if they were tried to be."""
    tracer = _tracer(program, inputs, options, numbers)
    evaluator = tracer.values.evaluator
    is_traced = False
    try:
        tracer.trace(program)
        is_traced = True
        if refused and tracer.made_many_passes:
            tracer.notes.append(Note("unrolled", f"the loops were unrolled: {refused}"))
        return _planned(tracer, program, inputs, gradients, options)
    except GradcliError as error:
        # A run that is refused as a whole prints nothing.
        if not is_traced or error.diagnostic.code != "limit-memory":
            printed = tracer.special.all_printed([])
            error.printed = _printed_before(printed, tracer.graph, evaluator)
        raise


def _planned(
    tracer: Tracer,
    program: Program,
    inputs: Mapping[str, Array],
    gradients: Sequence[Gradient],
    options: Options,
) -> Prepared:
    """A program that was traced, differentiated and planned."""
    outputs, others = choose_outputs(tracer, options)
    known = _known(tracer)
    if known:
        _forget_refusing(tracer)
    tracer.values.evaluator.clear()
    retained = retained_names(tracer, options.retain_grad)
    if tracer.autograd.roots and not gradients and not options.outputs:
        derivatives = left_by_program(tracer, options.wrt)
    else:
        derivatives = differentiate(tracer, outputs, retained, gradients, options)
    return Prepared(
        program=program,
        options=options,
        graph=tracer.graph,
        inputs=tracer.inputs,
        outputs=outputs,
        names=named_tensors(tracer, outputs),
        rows=tracer.values.gathered,
        order=[*tracer.globals.values] if tracer.values.gathered else [],
        leaves=derivatives.leaves,
        backwards=derivatives.backwards,
        grads=derivatives.grads,
        printed=tracer.special.all_printed(others),
        notes=[*tracer.notes, *derivatives.notes],
        looked=list(dict.fromkeys(tracer.values.evaluator.looked)),
        passages=tracer.values.passages,
        calls=[] if derivatives.backwards else tracer.autograd.calls,
        grad_calls=tracer.autograd.grad_calls,
        mapped=in_files(tracer.inputs, inputs),
        known=known,
    )


class _FiniteValues(dict[Node, Array]):
    """Values that count where they are finite: others are computed again, to tell where that comes
    from.
    """

    def __contains__(self, node: object) -> bool:
        value = self.get(node)  # type: ignore[call-overload]
        if value is None:
            return False
        with np.errstate(all="ignore"):
            return is_finite(value)


def _known(tracer: Tracer) -> Mapping[Node, Array]:
    """What has been computed while the program was traced, and is the same in all runs."""
    if tracer.inputs or tracer.graph.literals:
        return {}
    return _FiniteValues(tracer.values.evaluator.kept())


def _forget_refusing(tracer: Tracer) -> None:
    """What has not refused its operands, and is used no more, is not asked again."""
    refusing, has_dropped = tracer.graph.refusing, tracer.values.evaluator.has_dropped
    refusing[:] = [node for node in refusing if not has_dropped(node)]


def _tracer(
    program: Program, inputs: Mapping[str, Array], options: Options, numbers: Mapping[int, int]
) -> Tracer:
    """What runs the program over nodes."""
    # Where the gradient of an intermediate is asked for, equal values that are two tensors must be
    # two nodes.
    asks = bool(options.retain_grad) or any(name not in inputs for name in options.wrt)
    changes = changes_in_place(program)
    graph = options.graph(shares=not (asks or changes or runs_backward(program)))
    graph.draws = options.draws
    nodes = input_nodes(graph, program, inputs)
    evaluator = Evaluator(input_feeds(nodes, inputs), graph.ledger)
    reach = None if asks else _reach(program, graph, options)
    tracer = Tracer(
        graph,
        evaluator,
        program.source,
        options.limits.trace,
        _retains(options),
        nodes,
        options.strict,
        numbers,
        reach=reach,
        table=options.table,
    )
    tracer.values.distinct = changes
    if options.passages or (options.trace_values and not options.unroll and may_loop(program)):
        from gradcli.trace.passages import Passages  # few runs are told

        tracer.values.passages = Passages()
    tracer.values.alone = options.alone
    tracer.values.shortest_loop = options.shortest_loop
    tracer.values.on_card = options.device.startswith("gpu")
    tracer.values.gathers = _gathers(program, options, graph)
    return tracer


def _printed_before(printed: Printed, graph: Graph, evaluator: Evaluator) -> list[str]:
    """The lines that a program has printed before an error."""
    if not printed.lines:
        return []
    from gradcli.trace.printed_before import printed_before_error  # most programs fail without

    return printed_before_error(printed, graph.refusing, evaluator)


def _reach(program: Program, graph: Graph, options: Options) -> LoopReach | None:
    """What tells the loops whose passes may become one node, if there may be any. Where each
    backward of the program is told, all passes are traced.
    """
    refused = options.unroll or (options.passages and not graph.shares)
    if refused or not (may_loop(program) or _gathers(program, options, graph)):
        return None
    from gradcli.trace.reach import LoopReach  # programs without loops start faster

    return LoopReach(program)


def _gathers(program: Program, options: Options, graph: Graph) -> bool:
    """Whether some names of a program may stand for values that are no nodes."""
    return options.gathers and graph.shares and not options.outputs and _renames(program)


def _renames(program: Program) -> bool:
    """Whether it has many statements one after another that differ in their names alone."""
    if len(program.statements) < SHORT:
        return False
    from gradcli.trace.renamings import renamings  # most programs start faster without

    return bool(renamings(program))


def _retains(options: Options) -> Callable[[str], bool]:
    """Tells the names whose own gradient is asked for."""
    wanted = frozenset((*options.wrt, *options.retain_grad))
    return (lambda _: True) if "all" in options.retain_grad else wanted.__contains__


@dataclass(slots=True, eq=False, repr=False)
class Prepared:
    """A program traced, differentiated and planned. It may run again for inputs like the first."""

    program: Program
    options: Options
    graph: Graph
    inputs: dict[str, Node]
    outputs: dict[str, Node]
    names: dict[str, Node]
    """Every named tensor, and outputs without a name."""
    rows: list[NamedRows]
    """Named values that are no nodes."""
    order: Sequence[str]
    """The names that the program has bound, where some stand for these."""
    leaves: dict[str, Node]
    backwards: list[Backward]
    grads: dict[str, Node]
    """The `.grad`s that the program's own backward calls left, if these are the answer."""
    printed: Printed
    notes: list[Note]
    looked: list[Node]
    """Nodes whose values decided how the program went on."""
    passages: Passages | None
    """Which part of the program made which nodes, where the options ask for it."""
    calls: list[BackwardCall]
    """The backward passes that the program made, if their grads are the answer."""
    grad_calls: list[GradCall]
    """The first calls of `grad` that it made."""
    mapped: InitVar[set[Node]]
    """Inputs that lie in files."""
    known: InitVar[Mapping[Node, Array]]
    """The values of nodes, as far as they are the same in all runs."""
    shown: dict[str, Node] = field(init=False)
    """The named values that are asked for, with the leaves."""
    tree: list[Node] = field(init=False)
    """Nodes whose values are asked for though they may have no name."""
    unneeded: list[Node] = field(init=False)
    """What nothing asks for, and is computed all the same, since it may be an error."""
    planned: Planned = field(init=False)

    def __post_init__(self, mapped: set[Node], known: Mapping[Node, Array]) -> None:
        options = self.options
        values = {"all": self.leaves | self.names, "outputs": self.outputs, "none": {}}
        self.shown = values[options.values]
        stacks = [each.rows for each in self._shown_rows()]
        self.tree = _tree_nodes(self.outputs.values()) if options.trace_values else []
        passes = [node for each in self.backwards for node in each.results]
        grads, printed = self.grads.values(), self.printed.nodes
        wanted = [*self.shown.values(), *stacks, *self.tree, *passes, *grads, *printed]
        self.unneeded = _unneeded(self.graph, wanted)
        wanted += self.unneeded
        try:
            self.planned = Planned(
                self.graph, wanted, self._elsewhere(mapped), self.looked, known, options
            )
        except GradcliError as error:
            raise error.located(self.program.source, None) from None

    @property
    def engine(self) -> Engine:
        """The engine that computes the answer."""
        return self.planned.engine

    def _elsewhere(self, mapped: set[Node]) -> set[Node]:
        """Values whose memory is on the ledger already, or which lie in files."""
        elsewhere = mapped | self.graph.held
        if not self.options.grads_to_file:
            return elsewhere
        return elsewhere.union(*(each.grads.values() for each in self.backwards))

    def run(
        self,
        inputs: Mapping[str, Array],
        gradients: Sequence[Gradient] = (),
        into: Mapping[str, Array] = EMPTY,
    ) -> Result:
        """The answer for one set of inputs and gradients.

        `into` are arrays that grads of the last pass are written into, by name.
        """
        return self.answer(self.feeds(inputs, gradients), into)

    def feeds(
        self, inputs: Mapping[str, Array], gradients: Sequence[Gradient] = ()
    ) -> dict[Node, Array]:
        """The values of inputs and of gradients that were given."""
        feeds = input_feeds(self.inputs, inputs)
        for each in self.backwards:
            each.feed(feeds, gradients)
        return feeds

    def answer(self, feeds: Mapping[Node, Array], into: Mapping[str, Array] = EMPTY) -> Result:
        """The same as `run` for values by node; those of literals may be among them."""
        try:
            targets = {self.backwards[-1].grads[name]: array for name, array in into.items()}
            found = self.planned.run(feeds, targets)
        except GradcliError as error:
            evaluator = Evaluator(feeds, self.graph.ledger)
            error.printed = _printed_before(self.printed, self.graph, evaluator)
            raise error.located(self.program.source, None) from None
        result = self.result(feeds, found)
        checked = [each.grads for each in result.passes] or [result.grads]
        with np.errstate(all="ignore"):
            if all(map(is_finite, chain(*(each.values() for each in (result.values, *checked))))):
                return result
        from gradcli.nonfinite import Question, explain_nonfinite

        question = Question([*self.outputs.values()], [*self.leaves.values()], self.backwards)
        plan = self.engine.plan
        culprits = explain_nonfinite(plan, result.values, checked, feeds, question)
        return result._replace(notes=[*result.notes, *culprits])

    def result(self, feeds: Mapping[Node, Array], found: Mapping[Node, Array]) -> Result:
        """The answer made of what was found for the nodes that are wanted."""
        printed = self.printed.arrays(found)
        own_grads = {name: found[node] for name, node in self.grads.items()}
        passes = [each.answer(feeds, found) for each in self.backwards]
        return Result(
            program=self.program,
            graph=self.graph,
            outputs=self.outputs,
            names=self.names,
            values=self._values(found),
            node_values={node: found[node] for node in self.tree},
            passes=passes,
            grads=own_grads or total(passes, accumulate=self.options.accumulate),
            leaves=self.leaves,
            precision=self.options.precision,
            device=self.engine.device,
            seed=self.graph.seed,
            accumulated=self.options.accumulate,
            notes=[*self.notes, *self.engine.notes, *self.printed.remarks],
            printed=[text(line, printed) for line in self.printed.lines],
            others=[text(line, printed) for line in self.printed.others],
            passages=self.passages,
        )

    def _shown_rows(self) -> list[NamedRows]:
        """The named values that are asked for and are no nodes."""
        return self.rows if self.options.values == "all" else []

    def _values(self, found: Mapping[Node, Array]) -> dict[str, Array]:
        """The named values that are asked for, in the order in which the program has bound them."""
        shown = {name: found[node] for name, node in self.shown.items()}
        if not self._shown_rows():
            return shown
        values: dict[str, Any] = dict.fromkeys((*self.leaves, *self.order))
        values |= shown
        for names, stack in self._shown_rows():
            values.update(zip(names, map(np.asarray, found[stack]), strict=True))
        for name in [name for name in self.order if values[name] is None]:
            del values[name]
        return values


def _unneeded(graph: Graph, wanted: Iterable[Node]) -> list[Node]:
    """What may refuse its operands, and has no part in what is wanted."""
    if not graph.refusing:
        return []
    needed = set(ancestors(wanted))
    return [node for node in graph.refusing if node not in needed]


def _tree_nodes(outputs: Iterable[Node]) -> list[Node]:
    """The nodes whose values a tree can show: small ones, in a graph that is not too large."""
    nodes = ancestors(outputs)
    if len(nodes) > TREE_NODES:
        return []
    return [node for node in nodes if node.size <= TREE_ELEMENTS]
