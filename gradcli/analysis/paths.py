"""One entry of the gradient as a sum over paths: along each, the product of local derivatives."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from gradcli.analysis.explain import name_nodes
from gradcli.analysis.near import KinksWanted, kink_notes
from gradcli.analysis.single import SingleRun
from gradcli.diagnostics import GradcliError, Note
from gradcli.differentiate.product import scale
from gradcli.graph import Array, Node
from gradcli.ops.loops import Loop
from gradcli.ops.shapes import show
from gradcli.passes import Backward
from gradcli.walks import ancestors, dependents

SHOWN = 20
"""The most paths that are listed; the others are summed."""
EDGES = 20_000
"""The most local derivatives that an entry may reach."""

Place = tuple[Node, int]
"""A node and one of its elements, counted row by row."""

_ENTRY = re.compile(r"\s*([^\W\d]\w*)\s*(?:\[\s*(-?\d+(?:\s*,\s*-?\d+)*)\s*,?\s*\])?\s*")


@dataclass(frozen=True, slots=True)
class Path:
    """The elements on the way from the entry to an output, and the derivative of each step."""

    places: list[str]
    factors: list[float]
    v: float
    """The gradient of the output's element."""

    @property
    def product(self) -> float:
        return float(np.prod([self.v, *reversed(self.factors)]))


@dataclass(frozen=True, slots=True)
class SumOverPaths:
    """An entry of a grad as a sum over paths."""

    name: str
    names: dict[Node, str]
    """The nodes that the paths go through."""
    nameless: list[Node]
    """Those without a name in the program."""
    paths: list[Path]
    count: int
    """The number of paths, including those that are not listed."""
    total: float
    """The sum over all paths."""
    grad: float
    """What backward gives."""
    notes: list[Note]
    """What there is to say of the run."""


def follow(run: SingleRun, entry: str, kinks: KinksWanted | None = None) -> SumOverPaths:
    """The paths from an entry such as `x[0,1]`, and notes, on `kinks` too where they are wanted.

    Raises `usage`, `name`, `index`, `limit-nodes`.
    """
    name, index = _parse(entry)
    leaf = run.leaves.get(name)
    if leaf is None:
        raise GradcliError(
            "name",
            f"--entry {entry}: {name} gets no grad; the leaves are {', '.join(run.leaves)}",
        )
    start = leaf, _flat(entry, index, leaf.shape)
    grad = run.value(run.backward.grads[name])
    found = paths_from(run, start, name, grad, run.backward)
    notes = [*run.prepared.answer(run.feeds).notes]
    if kinks is not None:
        notes += kink_notes(run, kinks)
    return replace(found, notes=notes)


Column = list[tuple[int, float]]
"""Elements of a node, and their derivatives by one element of an operand; none that are 0."""
Columns = dict[tuple[Node, int, int], Column]
"""By node, place of the operand and element."""


def paths_from(
    run: SingleRun,
    start: Place,
    name: str,
    grad: Array,
    backward: Backward,
    most: int = EDGES,
    columns: Columns | None = None,
) -> SumOverPaths:
    """The paths from an element of a node with this name and grad to the outputs of a pass.

    Local derivatives are looked up in `columns`, and put there for other elements of the same run.
    Raises `limit-nodes` where it reaches more than `most` of them.
    """
    edges = _edges(run, start, most, {} if columns is None else columns)
    ends = _ends(run, backward)
    sums = _sums(edges, ends)
    titles = name_nodes(_places(edges), run.prepared)
    paths = [
        _path(way, titles, ends)
        for way, _ in zip(_ways(start, edges, sums, ends), range(SHOWN), strict=False)
    ]
    total, count = sums.get(start, (0.0, 0))
    titles[start[0]] = name
    known = {*run.names, *run.leaves}
    nameless = [node for node, title in titles.items() if title not in known]
    names = {node: title for title, node in run.names.items()} | titles
    return SumOverPaths(
        _title(start, titles),
        names,
        nameless,
        paths,
        count,
        total,
        float(grad.flat[start[1]]),
        [*run.prepared.notes],
    )


def _parse(entry: str) -> tuple[str, tuple[int, ...]]:
    match = _ENTRY.fullmatch(entry)
    if match is None:
        raise GradcliError("usage", f"--entry {entry!r} is no entry", hint="--entry 'x[0,1]'")
    return match[1], tuple(int(part) for part in match[2].split(",")) if match[2] else ()


def _flat(entry: str, index: tuple[int, ...], shape: tuple[int, ...]) -> int:
    fits = len(index) == len(shape) and all(-n <= i < n for i, n in zip(index, shape, strict=False))
    if not fits:
        raise GradcliError(
            "index",
            f"--entry {entry}: there is no such entry in a tensor of shape {show(shape)}",
            hint=_first(entry, shape) if 0 not in shape else None,
        )
    wrapped = tuple(i % n for i, n in zip(index, shape, strict=True))
    return int(np.ravel_multi_index(wrapped, shape)) if shape else 0


def _first(entry: str, shape: tuple[int, ...]) -> str:
    """An example of how an entry is written."""
    name, _ = _parse(entry)
    return f"--entry '{name}[{','.join('0' * len(shape))}]'" if shape else f"--entry {name}"


Edges = dict[Place, list[tuple[Place, float]]]


def _edges(run: SingleRun, start: Place, most: int, known: Columns) -> Edges:
    """For each element that the entry reaches: the elements that use it, and the derivatives."""
    order = ancestors(run.prepared.outputs.values())
    linked = dependents(order, [start[0]])
    edges: Edges = {start: []}
    elements: dict[Node, dict[int, None]] = {start[0]: {start[1]: None}}
    count = 0
    for node in order:
        if node not in linked or node is start[0]:
            continue
        if isinstance(node.op, Loop):
            raise GradcliError("limit-nodes", f"the entry acts through {node.op.count:,} passes")
        for position, operand in enumerate(node.inputs):
            if operand not in elements or not node.op.differentiable(node, position):
                continue
            for reached in elements[operand]:
                key = node, position, reached
                if key not in known:
                    known[key] = _column(run, *key)
                for element, factor in known[key]:
                    edges[operand, reached].append(((node, element), factor))
                    edges.setdefault((node, element), [])
                    elements.setdefault(node, {})[element] = None
                    count += 1
                if count > most:
                    raise GradcliError(
                        "limit-nodes",
                        f"the entry acts on more than {most:,} elements on its way",
                        hint="gradcli jacobian shows the derivatives without the paths",
                    )
    return edges


def _column(run: SingleRun, node: Node, position: int, element: int) -> Column:
    operand = node.inputs[position]
    one = np.zeros(operand.size)
    one[element] = 1.0
    tangents: list[Node | None] = [None] * len(node.inputs)
    tangents[position] = node.graph.constant(one.reshape(operand.shape))
    change = node.op.jvp(node, tangents, scale)
    if change is None:
        return []
    column = np.broadcast_to(run.value(change), node.shape).reshape(-1)
    return [(int(i), float(column[i])) for i in np.flatnonzero(column)]


def _ends(run: SingleRun, backward: Backward) -> dict[Place, float]:
    """Elements of the outputs, and their gradients that are not 0."""
    ends: dict[Place, float] = {}
    for name, cotangent in backward.cotangents.items():
        output = backward.outputs[name]
        given = np.asarray(run.feeds.get(cotangent, cotangent.known))
        for i, v in enumerate(np.broadcast_to(given, output.shape).flat):
            if v != 0:
                ends[output, i] = ends.get((output, i), 0.0) + float(v)
    return ends


def _sums(edges: Edges, ends: Mapping[Place, float]) -> dict[Place, tuple[float, int]]:
    """For each element the sum over paths to the outputs, and how many there are."""
    sums: dict[Place, tuple[float, int]] = {}
    for place in sorted(edges, key=lambda each: each[0].index, reverse=True):
        total, count = ends.get(place, 0.0), int(place in ends)
        for after, factor in edges[place]:
            more, ways = sums[after]
            if ways:
                total, count = total + factor * more, count + ways
        sums[place] = total, count
    return sums


Way = tuple[list[Place], list[float]]


def _ways(
    start: Place,
    edges: Edges,
    sums: Mapping[Place, tuple[float, int]],
    ends: Mapping[Place, float],
) -> Iterator[Way]:
    """All paths from the entry to the outputs, depth first."""
    stack: list[Way] = [([start], [])]
    while stack:
        places, factors = stack.pop()
        if places[-1] in ends:
            yield places, factors
        stack += [
            ([*places, after], [*factors, factor])
            for after, factor in reversed(edges[places[-1]])
            if sums[after][1]
        ]


def _places(edges: Edges) -> Sequence[Node]:
    return sorted({node for node, _ in edges}, key=lambda node: node.index)


def _path(way: Way, titles: Mapping[Node, str], ends: Mapping[Place, float]) -> Path:
    places, factors = way
    return Path([_title(place, titles) for place in places], factors, ends[places[-1]])


def _title(place: Place, titles: Mapping[Node, str]) -> str:
    """`x[0, 1]`, or `x` of a single value."""
    node, element = place
    if not node.shape:
        return titles[node]
    index = np.unravel_index(element, node.shape)
    return f"{titles[node]}[{', '.join(str(int(i)) for i in index)}]"
