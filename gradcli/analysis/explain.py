"""The chain rule with one run's numbers: forward step by step, then backward step by step."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

import numpy as np

from gradcli.analysis.backward import Grad, Part, PassWalk, ToldPass, add_part
from gradcli.analysis.extent import with_gradients, without_constants
from gradcli.analysis.levels import ALL, NUMBERED, Levels, Stage, passes_in
from gradcli.analysis.near import KinksWanted, kink_notes
from gradcli.analysis.problem import View, nothing
from gradcli.analysis.single import SingleRun
from gradcli.analysis.unshown import unshown
from gradcli.diagnostics import Advice, GradcliError, Note, Setting
from gradcli.engine.evaluator import Evaluator
from gradcli.graph import INPUT, Array, Node
from gradcli.language.syntax import Program
from gradcli.ops.control import DETACH
from gradcli.ops.loops import Loop, NotRolled
from gradcli.options import DEFAULT
from gradcli.session import Gradient, Options, Prepared, prepare, unrolled
from gradcli.trace.passages import Passage
from gradcli.walks import ancestors, dependents, upstream

T = TypeVar("T")

LONGEST = 400
"""The most steps that are explained: nobody would read more."""
PASSES = 4
"""Of more passes of a program's own, two are told."""


@dataclass(frozen=True, slots=True)
class Step:
    """A value of the forward pass, and the step of the program that gives it."""

    node: Node
    stage: Stage
    value: Array


@dataclass(frozen=True, slots=True)
class Further:
    """Names that sentences have given to what they leave out, and what these stand for.

    One name stands for one value in all passes.
    """

    titles: dict[Node, str] = field(default_factory=dict)
    lines: dict[str, str] = field(default_factory=dict)

    def forget(self, known: int) -> None:
        """Forget all but so many."""
        for node in [*self.titles][known:]:
            self.lines.pop(self.titles.pop(node), None)


@dataclass(frozen=True, slots=True)
class Explanation:
    """An explained run, for `gradcli.report` to render."""

    program: Program
    names: dict[Node, str]
    """Every node that is mentioned."""
    steps: list[Step]
    passes: list[ToldPass]
    titles: set[str]
    """The names that the program gives."""
    outputs: dict[str, Node]
    leaves: dict[str, Node]
    value: Callable[[Node], Array]
    """The value of any node."""
    kept: dict[Node, str]
    """What the program's own passes left in `.grad`, and where: `x.grad, line 3`."""
    stopped: list[Node]
    """Nodes that stop gradients: `detach`."""
    taken: dict[Node, tuple[tuple[Node, ...], Node]] = field(default_factory=dict)
    """Gradients that the program takes with `autograd.grad`: of what, and by what."""
    notes: list[Note] = field(default_factory=list)
    none: str = ""
    """Why there is no backward; empty where there is one."""
    unshown: Collection[Node] = frozenset()
    """The values that are not told, as a step hands on too many; their grads are not either."""
    untold: int = 0
    """How many passes of the program's own are left out."""
    length: int = 0
    """How many steps there are in all, those of each pass of a loop too."""
    at: Callable[[Collection[str]], Explanation] = field(kw_only=True)
    """The same run at another level: with these functions opened."""
    opened: Collection[str] = field(kw_only=True)
    """Those that are opened at this one."""
    run: SingleRun = field(kw_only=True)
    """The run itself."""
    further: Further = field(default_factory=Further, kw_only=True)
    """What sentences about it have named so far."""

    @property
    def grads(self) -> list[Grad]:
        """Those of the last pass."""
        return self.passes[-1].grads if self.passes else []


def explain(
    program: Program,
    inputs: Mapping[str, Array],
    gradients: Sequence[Gradient] = (),
    options: Options = DEFAULT,
    opened: Collection[str] = (),
    kinks: KinksWanted | None = None,
) -> Explanation:
    """The explanation of a run, whose arguments and errors are those of `session.evaluate`.

    `opened` are names of functions that are told step by step: see `Levels`. `kinks` is what is
    told of kinks and ties. Raises `limit-nodes` where that would be too long, and `name` where
    nothing is called that.
    """
    alone = passes_in(opened)
    asked = options._replace(values="outputs", passages=True, alone=alone)
    prepared = prepare(program, inputs, gradients, asked)
    loops = _loops(prepared)
    if loops and ALL in opened:
        _check_length(sum(loop.count * len(loop.steps) for loop in loops), opened)
        return explain(program, inputs, gradients, unrolled(options), opened, kinks)
    try:
        return _explained(prepared, inputs, gradients, opened, kinks)
    except NotRolled:
        return explain(program, inputs, gradients, unrolled(options), opened, kinks)


def _explained(
    prepared: Prepared,
    inputs: Mapping[str, Array],
    gradients: Sequence[Gradient],
    opened: Collection[str],
    kinks: KinksWanted | None,
) -> Explanation:
    feeds = prepared.feeds(inputs, gradients)
    evaluator = Evaluator(feeds, prepared.graph.ledger)
    try:
        for node in prepared.unneeded:  # to find what is wrong with them
            evaluator.value(node)
        notes = [*prepared.answer(feeds).notes]
        if kinks is not None:
            notes += kink_notes(View(prepared, feeds), kinks)
    except GradcliError as error:
        raise error.located(prepared.program.source, None) from None
    return _Teller(prepared, feeds, evaluator, opened).explanation(notes)


class _Teller:
    """Walks through a run."""

    def __init__(
        self,
        prepared: Prepared,
        feeds: dict[Node, Array],
        evaluator: Evaluator,
        opened: Collection[str],
    ) -> None:
        self.prepared = prepared
        self.feeds = feeds
        self.evaluator = evaluator
        self.value = evaluator.value
        self.leaves = prepared.leaves
        self.opened = opened
        self.calls = _shown(prepared.calls, opened)
        started = [output for call in self.calls for output in call.outputs]
        outputs = [*prepared.outputs.values(), *started]
        self.written = {
            grad
            for call in prepared.calls
            for grad in call.grads.values()
            if call.grads.keys().isdisjoint(upstream([grad]))
        }
        """What the program's own passes left in `.grad`: told there, and a value from then on. One
        that was made with `create_graph` is differentiated once more, so its steps are told."""
        assert prepared.passages is not None
        order, self.taken = with_gradients(outputs, self.written, prepared.passages.ended)
        differentiated = [y for ys, _ in self.taken.values() for y in ys]
        kept = [grad for call in self.calls for grad in call.grads.values()]
        leaves = [node for call in self.calls for node in call.grads]
        wanted = {*outputs, *differentiated, *self.leaves.values(), *kept, *leaves}
        order = without_constants(order, wanted.union(prepared.names.values()), outputs)
        _check_opened(opened, prepared.passages.ended)
        levels = Levels(prepared.passages.ended, opened, wanted)
        self.items = levels.items(order)
        self.names = name_nodes([node for item in self.items for node in item.results], prepared)
        titles = {*prepared.names, *prepared.leaves}
        self.unshown = {
            *unshown(self.items, self.names, titles, [{*self.leaves.values()}, {*outputs}])
        }
        count = sum(len(item.results) for item in self.items) - len(self.unshown)
        _check_length(count, opened)
        self.length = len(order) + sum(x.count * len(x.steps) for x in _loops(prepared))

    def explanation(self, notes: list[Note]) -> Explanation:
        prepared, passes = self.prepared, self._passes()
        none = "" if passes else _why_none(prepared)
        return Explanation(
            program=prepared.program,
            names=self.names,
            steps=[
                Step(node, item, self.value(node))
                for item in self.items
                for node in item.results
                if node not in self.unshown
            ],
            passes=passes,
            titles={*prepared.names, *prepared.leaves},
            outputs=prepared.outputs,
            leaves=prepared.leaves,
            value=self.value,
            kept={
                grad: f"{self.names.get(node, 'the')}.grad after {told.title}"
                for call, told in zip(self.calls, passes[-len(self.calls) :], strict=False)
                for node, grad in call.grads.items()
                if grad in self.written
            },
            stopped=[node for item in self.items for node in item.results if node.op is DETACH],
            taken=self.taken,
            notes=notes
            if none in ("", *(each.message for each in notes))
            else [*notes, Note("no-grad", none)],
            none=none,
            unshown=self.unshown,
            untold=len(prepared.calls) - len(self.calls),
            length=self.length,
            opened=self.opened,
            at=lambda opened: _Teller(prepared, self.feeds, self.evaluator, opened).explanation(
                notes
            ),
            run=SingleRun(prepared, self.feeds, self.evaluator),
        )

    def _passes(self) -> list[ToldPass]:
        found: list[ToldPass] = []
        totals: dict[Node, Array] = {}
        for backward in self.prepared.backwards:
            pairs = [
                (backward.outputs[name], cotangent, cotangent.op is INPUT)
                for name, cotangent in backward.cotangents.items()
            ]
            found.append(self._pass(pairs, [*self.leaves.values()], totals, None))
            if self.prepared.options.accumulate:
                leaves = {*self.leaves.values()}
                totals = totals | {
                    grad.node: grad.total for grad in found[-1].grads if grad.node in leaves
                }
        for call in self.calls:
            pairs = list(zip(call.outputs, call.cotangents, call.given, strict=True))
            held = {node: self.value(grad) for node, grad in call.held.items()}
            told = self._pass(pairs, [*call.grads], held, call.line)
            left = {node: self.value(grad) for node, grad in call.grads.items()}
            found.append(replace(told, left=left))
        count = len(self.prepared.backwards) + len(self.prepared.calls)
        if count == 1:
            return found
        made = [*range(1, len(self.prepared.backwards) + 1)]
        called = _shown([*range(len(made) + 1, count + 1)], self.opened)
        numbered = zip(found, [*made, *called], strict=True)
        return [replace(told, number=number) for told, number in numbered]

    def _pass(
        self,
        cotangents: Sequence[tuple[Node, Node, bool]],
        leaves: Sequence[Node],
        held: Mapping[Node, Array],
        line: int | None,
    ) -> ToldPass:
        """The grads from the outputs to the leaves, and their symbols."""
        outputs = [output for output, _, _ in cotangents]
        linked = dependents(ancestors(outputs), leaves)
        parts: dict[Node, list[Part]] = {}
        for output, cotangent, _ in cotangents:
            array = np.broadcast_to(self._known(cotangent), output.shape)
            add_part(parts, output, Part(None, cotangent, array, None, array))
        told = PassWalk(parts, linked, held, self.names, self.value, self.feeds)
        for item in reversed(self.items):
            told.through(item)
        named = {self.names.get(output, f"t{i}"): output for i, output in enumerate(outputs)}
        return ToldPass(
            told.grads,
            named,
            {
                self.names.get(output, "the output"): output
                for output, _, given in cotangents
                if given
            },
            [*leaves],
            told.symbols,
            line,
        )

    def _known(self, cotangent: Node) -> Array:
        given = self.feeds.get(cotangent)
        return np.asarray(self.value(cotangent) if given is None else given)


def _shown(calls: list[T], opened: Collection[str]) -> list[T]:
    """The program's own passes that are told: of many the first and the last."""
    if len(calls) <= PASSES or ALL in opened:
        return calls
    return [calls[0], calls[-1]]


def _why_none(prepared: Prepared) -> str:
    """Why a program has no backward: what the run noted, or what an analysis would say."""
    for note in prepared.notes:
        if note.code in ("no-grad", "gradient-required"):
            return note.message
    return nothing(prepared).diagnostic.message


def _loops(prepared: Prepared) -> set[Loop]:
    """The loops that are one node."""
    called = [output for call in prepared.calls for output in call.outputs]
    order = ancestors([*prepared.outputs.values(), *called])
    return {node.op for node in order if isinstance(node.op, Loop)}


def _check_length(count: int, opened: Collection[str]) -> None:
    """Raise `limit-nodes` for so many steps, if nobody would read them."""
    if count > LONGEST:
        fewer = f"leave out --inside {ALL}, open one function or pass, or " if opened else ""
        raise GradcliError(
            "limit-nodes",
            f"there are {count:,} steps, too many to explain one by one",
            hint=f"{fewer}see --entry for one entry",
        )


def _check_opened(opened: Collection[str], passages: Sequence[Passage]) -> None:
    """Raise `name` for a name that no function of the program has, and no pass of a loop."""
    titles = {each.title for each in passages if each.kind not in ("pass", "write", "grad")}
    passes = max((each.result for each in passages if each.kind == "loop"), default=0)
    known = {*titles, ALL, "loop", "call", "function"}
    for each in opened:
        number = each.removeprefix(NUMBERED)
        if each.startswith(NUMBERED) and number.isdecimal():
            if not 1 <= int(number) <= passes:
                raise GradcliError(
                    "name",
                    f"--inside {each}: there is no pass of this number",
                    hint=f"the longest loop has {passes:,} passes" if passes else None,
                )
        elif each not in known and not each.replace("-", "").isdigit():
            names = sorted(titles)
            raise GradcliError(
                "name",
                f"--inside {each}: there is no step of this name",
                hint=Advice(_opening([*names, ALL])) if names else None,
            )


def _opening(names: Sequence[str]) -> Setting:
    return Setting("inside", ", ".join(names), str(list(names)))


def name_nodes(nodes: Sequence[Node], prepared: Prepared) -> dict[Node, str]:
    """The program's names, `model.weight` as `model_weight`. A name that is bound several times is
    numbered: `y_1`, `y_2` and, for the last value, `y`. What has no name is called `t1`, `t2` …
    """
    names: dict[Node, str] = {}
    taken: set[str] = set()

    def give(node: Node, title: str) -> None:
        if node not in names and title not in taken and title.isidentifier():
            names[node] = title
            taken.add(title)

    for title, node in (*prepared.leaves.items(), *prepared.names.items()):
        plain = title.replace(".", "_")
        give(node, plain if plain.isidentifier() else "out")
    numbers: dict[str, int] = {}
    for title, node in prepared.passages.names if prepared.passages else ():
        if node not in names:
            passes = node.op.count if isinstance(node.op, Loop) else 1
            numbers[title] = numbers.get(title, 0) + passes
            give(node, f"{title.replace('.', '_')}_{numbers[title]}")
    fresh = (f"t{n}" for n in itertools.count(1) if f"t{n}" not in taken)
    return {node: names[node] if node in names else next(fresh) for node in nodes}
