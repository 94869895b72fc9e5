"""The user's own gradient of a leaf and the one that reverse mode finds, at one or more points.

Numbers are compared at the point of the run. A formula is also compared at points near it, where
the leaf has other values: so that mistakes are found that 2·2 = 2 + 2 = 2**2 would hide.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import copy
from dataclasses import dataclass, field, replace

import numpy as np

from gradcli.analysis.diagnosis.typed import Remembering, Tolerant, Typed
from gradcli.analysis.problem import Problem
from gradcli.diagnostics import GradcliError, Note, Source
from gradcli.differentiate import Rules, vjp
from gradcli.engine.evaluator import Evaluator
from gradcli.graph import EMPTY, Array, Node
from gradcli.language.parser import parse_expression
from gradcli.ledger import Ledger
from gradcli.ops.kinds import zeros_like
from gradcli.ops.shaping import expand, reshape
from gradcli.walks import ancestors, dependents, upstream

NEARBY = (0.003, -0.007)
"""The distance of the other points from the first, relative to the leaf's elements."""
POINTS = 8
"""The number of points that share the memory."""
LAST = 4 * float(np.finfo(np.float64).eps)
"""The last places of a number, relative to it."""
EXACT = {"float64": 1e-9, "float32": 2e-4}
"""Relative differences that rounding in a computation explains."""
SAMPLE = 1_000
"""Of larger arrays, so many elements are compared first."""
MANY = 100_000
"""Leaves of so many elements are compared at one other point only."""


class Point:
    """Values of nodes for one value of the leaf; None for what cannot be computed there."""

    def __init__(self, feeds: Mapping[Node, Array], ledger: Ledger) -> None:
        self.feeds = feeds
        self._evaluator = Evaluator(feeds, ledger)

    def value(self, node: Node) -> Array | None:
        with Tolerant():
            return np.asarray(self._evaluator.value(node), np.float64)
        return None


@dataclass(frozen=True, slots=True, eq=False)
class Walk:
    """The problem differentiated: outputs, and the gradient vectors that were used."""

    problem: Problem
    outputs: list[Node]
    cotangents: list[Node]
    vectors: dict[str, Node]
    """Gradient vectors that were given, under the names that a formula calls them: `v`."""
    feeds: dict[Node, Array]

    @property
    def inputs(self) -> dict[str, Node]:
        """What is given, by name, and the leaves."""
        return {node.attributes[0]: node for node in self.feeds} | self.problem.leaves

    def named(self, point: Point) -> dict[str, Array]:
        """The inputs that are not at a point what they are in the run."""
        return {
            name: point.feeds[node]
            for name, node in self.inputs.items()
            if node in point.feeds and point.feeds[node] is not self.feeds.get(node)
        }

    def elsewhere(self, named: Mapping[str, Array]) -> Point:
        """The point where inputs have these values."""
        return self.point({self.inputs[name]: value for name, value in named.items()})

    def point(self, moved: Mapping[Node, Array]) -> Point:
        """The point of the run, with other values for the nodes in `moved`."""
        share = Ledger(self.problem.graph.ledger.room // POINTS)
        return Point(self.feeds | dict(moved), share)


def weighed(problem: Problem) -> Problem:
    """The problem with gradient vectors of ones where one is needed and none was given."""
    if problem.gradient is not None:
        return problem
    names = ", ".join(problem.outputs)
    note = Note("gradient", f"no gradient was given: {names} is weighed by ones")
    ones = {name: np.ones(node.shape) for name, node in problem.outputs.items()}
    return replace(problem, gradient=ones, notes=[*problem.notes, note])


def differentiate(problem: Problem) -> Walk:
    """The gradient vectors of a weighed problem as nodes."""
    assert problem.gradient is not None
    cotangents: list[Node] = []
    vectors: dict[str, Node] = {}
    feeds = dict(problem.feeds)
    for name, output in problem.outputs.items():
        if output.size == 1 and not problem.grads:
            cotangents.append(problem.graph.constant(1.0))
            continue
        vector = problem.graph.input(f"gradient of {name}", output.shape, "float")
        feeds[vector] = np.asarray(problem.gradient[name], problem.graph.dtype("float"))
        title = "v" if len(problem.outputs) == 1 else f"v_{name}"
        while title in problem.names or title in problem.leaves:
            title += "_"
        vectors[title] = vector
        cotangents.append(vector)
    return Walk(problem, list(problem.outputs.values()), cotangents, vectors, feeds)


def formula(walk: Walk, source: Source) -> Node:
    """The value of an expression over the program's names, functions and gradient vectors.

    Raises what parsing and tracing raise.
    """
    return typed(walk, source).node


def typed(
    walk: Walk,
    source: Source,
    feeds: Mapping[Node, Array] | None = None,
    other: Mapping[str, Node] = EMPTY,
) -> Typed:
    """The same, with its tree, where some names may stand for other nodes, which have values in
    `feeds`. Raises the same.
    """
    problem = walk.problem
    limits = problem.options.limits
    tracer = Remembering(
        problem.graph,
        Evaluator(walk.feeds if feeds is None else feeds, problem.graph.ledger),
        source,
        limits.trace,
        inputs=problem.leaves | problem.names | walk.vectors | dict(other),
        strict=problem.options.strict,
    )
    found = Typed(source, parse_expression(source, limits.parse), problem.program, tracer)
    problem.notes.extend(note for note in tracer.notes if note not in problem.notes)
    return found


@dataclass(slots=True, eq=False)
class Claim:
    """The user's own gradient of one leaf."""

    walk: Walk
    name: str
    leaf: Node
    mine: Node
    typed: Typed | None = None
    """The formula that gave `mine`; None for numbers."""
    grad: Node = field(init=False)
    between: list[Node] = field(init=False)
    """The nodes that a gradient passes on its way to the leaf, which is not among them."""
    moving: set[Node] = field(init=False)
    """The same and the leaf: all that changes with it."""
    points: list[Point] = field(init=False)
    """The point of the run, and further ones where `mine` is a formula over the leaf."""

    def __post_init__(self) -> None:
        (grad,) = vjp(self.walk.outputs, self.walk.cotangents, [self.leaf])
        self.grad = zeros_like(self.leaf) if grad is None else grad
        order = upstream(self.walk.outputs)
        linked = dependents(order, [self.leaf])
        self.between = [node for node in order if node in linked and node is not self.leaf]
        self.moving = {self.leaf, *self.between}
        self.mine = self.shaped(self.mine)
        self.points = [self.walk.point({})]
        self.points += self._nearby()

    def by_rules(self, rules: Rules) -> Node:
        """The gradient by other rules; that of the engine where they have none."""
        with Tolerant():
            outputs, cotangents = self.walk.outputs, self.walk.cotangents
            (grad,) = vjp(outputs, cotangents, [self.leaf], rules=rules)
            return self.grad if grad is None else grad
        return self.grad

    def shaped(self, mine: Node) -> Node:
        """A single number is a derivative, whatever the shape of the leaf."""
        return expand(reshape(mine), *self.leaf.shape) if mine.size == 1 else mine

    @property
    def theirs(self) -> Array:
        """The user's numbers at the point of the run."""
        return self.known(self.mine)

    @property
    def right(self) -> Array:
        """The gradient at the point of the run."""
        return self.known(self.grad)

    @property
    def is_formula(self) -> bool:
        """Whether the user's gradient depends on the leaf, so that it can be tested at other
        points.
        """
        return len(self.points) > 1

    @property
    def rtol(self) -> float:
        return EXACT[self.walk.problem.options.precision]

    def fits(self, guess: Node, slack: Array | float = 0.0) -> bool:
        """Whether a guess gives all of the user's numbers at every point.

        `slack` is how far numbers may differ that were rounded when they were written.
        """
        if guess.size != 1 and guess.shape != self.mine.shape:
            return False
        for point in self.points:
            mine, guessed = point.value(self.mine), point.value(guess)
            if mine is None or guessed is None:
                return False
            if guessed.size == 1:
                guessed = np.broadcast_to(guessed.reshape(()), mine.shape)
            if not close(mine, guessed, self.rtol, slack) or np.isnan(mine).all():
                return False
        return True

    @property
    def scale(self) -> float:
        """The size that a derivative has here when it is not 0: |v|·|outputs| by |leaf|."""
        pairs = zip(self.walk.cotangents, self.walk.outputs, strict=True)
        total = sum(float(np.sum(np.abs(self.known(v) * self.known(y)))) for v, y in pairs)
        size = np.max(np.abs(self.known(self.leaf)), initial=0.0)
        return float(max(total / (size or 1.0), np.abs(self.right).max(initial=0.0)))

    def of(self, mine: Node) -> Claim:
        """The same of other numbers."""
        other = copy(self)
        other.mine = mine
        return other

    def at_points(self, points: list[Point]) -> Claim:
        """The same at other points."""
        elsewhere = copy(self)
        elsewhere.points = points
        return elsewhere

    def at(self, value: Array) -> Point:
        """The point where the leaf has another value."""
        return self.walk.point({self.leaf: value.astype(self.leaf.graph.dtype("float"))})

    def goes_on(self, point: Point) -> bool:
        """Whether the program goes the same way at a point as in the run."""
        return all(
            _same(self.points[0].value(node), point.value(node))
            for node in self.walk.problem.looked
        )

    @property
    def is_finite(self) -> bool:
        """Whether everything has a finite value at the first point."""
        values = map(self.points[0].value, [self.mine, self.grad, *self.walk.outputs])
        return all(each is not None and np.isfinite(each).all() for each in values)

    @property
    def is_same(self) -> bool:
        """Whether both gradients are equal there, except in the last places."""
        with np.errstate(all="ignore"):
            apart = np.abs(self.theirs - self.right)
        return bool((apart <= LAST * np.abs(self.right)).all())

    def known(self, node: Node) -> Array:
        """The value of a node at the point of the run. Raises what the engine raises."""
        value = self.points[0].value(node)
        if value is None:  # too little memory, or an error of the engine
            problem = self.walk.problem
            try:
                value = np.asarray(problem.engine([node]).run(self.walk.feeds)[0], np.float64)
            except GradcliError as error:
                raise error.located(problem.program.source, None) from None
        return value

    def _nearby(self) -> Iterator[Point]:
        """Points where the program goes the same way and everything is finite."""
        if self.leaf not in ancestors([self.mine]):
            return
        here = np.asarray(self.points[0].value(self.leaf))
        for number, distance in enumerate(NEARBY[: 1 if here.size >= MANY else None]):
            there = self.at(here + distance * _direction(here, number))
            numbers = [there.value(node) for node in (self.grad, self.mine)]
            finite = all(each is not None and np.isfinite(each).all() for each in numbers)
            if finite and self.goes_on(there):
                yield there


def _direction(here: Array, number: int) -> Array:
    """Factors that differ for all elements; those of a symmetric matrix are symmetric."""
    size = np.abs(here) + 0.1 * (np.mean(np.abs(here)) or 1.0) if here.size else here
    return mirrored(size * np.random.default_rng(number).uniform(0.5, 1.0, here.shape), here)


def mirrored(change: Array, of: Array) -> Array:
    """A change that leaves a symmetric matrix symmetric."""
    square = of.ndim >= 2 and of.shape[-1] == of.shape[-2]
    if square and np.array_equal(of, of.swapaxes(-1, -2)):
        change = (change + change.swapaxes(-1, -2)) / 2
    return np.asarray(change)


def _same(a: Array | None, b: Array | None) -> bool:
    return a is not None and b is not None and np.array_equal(a, b, equal_nan=True)


def close(mine: Array, other: Array, rtol: float, slack: Array | float = 0.0) -> bool:
    """Whether two arrays have one shape and agree in all elements; equal infinities do, and nan."""
    if mine.shape != other.shape:
        return False
    if mine.size > SAMPLE and not _close_in_part(mine, other, rtol, slack):
        return False
    return bool(agreeing(mine, other, rtol, slack).all())


def _close_in_part(mine: Array, other: Array, rtol: float, slack: Array | float) -> bool:
    """Whether some elements agree: of large arrays, nearly all that differ do so at once."""
    places = np.linspace(0, mine.size - 1, SAMPLE).astype(int)
    size = np.abs(other).max()
    if not np.isfinite(size):
        return True
    chosen = np.unravel_index(places, mine.shape)
    few = np.broadcast_to(slack, mine.shape)[chosen]
    with np.errstate(all="ignore"):
        far = np.abs(mine[chosen] - other[chosen]) > few + rtol * (1 + 1e-3) * size
    return not far.any()


def agreeing(mine: Array, other: Array, rtol: float, slack: Array | float = 0.0) -> Array:
    """Element by element, whether two arrays of one shape agree."""
    finite = np.abs(other[np.isfinite(other)])
    size = finite.max() if finite.size else 0.0
    with np.errstate(all="ignore"):
        near = np.abs(mine - other) <= slack + rtol * np.abs(other) + 1e-3 * rtol * size
    both_nan = np.isnan(mine) & np.isnan(other)
    return np.asarray((mine == other) | (near & np.isfinite(other)) | both_nan)


def distinct(values: Array, rtol: float) -> int:
    """How many different numbers other than 0 an array holds: few may match by chance."""
    known = np.sort(np.abs(values[np.isfinite(values) & (values != 0)]))
    if not known.size:
        return 0
    return 1 + int(np.count_nonzero(np.diff(known) > 10 * rtol * known[1:]))
