"""The graph as a tree: the lines from each output down, every node in full once."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Literal

from gradcli.diagnostics import GradcliError
from gradcli.graph import CONSTANT, INPUT, Array, Node
from gradcli.report.arrays import Excerpt, brief, excerpt
from gradcli.report.sanitise import sanitise
from gradcli.report.summary import grads_by_node, made_by_user, shape_text
from gradcli.result import Result, WholeLoop
from gradcli.spelling.formula import Formulas, defined_by, fresh_names, operands, unsigned
from gradcli.tuples import NamedTuple

NAME_WIDTH = 24
"""For a longer name formulas have a short one, which the line of its node explains."""
COUNTED = 1000
"""Of the lines that are left out, so many are counted, and one: all of a large graph take long."""
LEVELS = 2
"""How many ops below its node a formula shows."""

NO_LOOP = WholeLoop(0, (), ())
"""What stands for the loop of a node that no loop gives."""

Place = Literal["here", "above", "below"]


class Line(NamedTuple):
    """One node. Where `place` is not `here`, the line only refers to it, and ends at `name`."""

    guide: str
    """The guide from the node above to this one."""
    guide_on: str
    """What stands before further lines of the same node."""
    place: Place
    name: str
    """`z`, or `t2` for a nameless node that is referred to."""
    role: str = ""
    formula: str = ""
    op: str = ""
    shape: str = ""
    value: Excerpt | None = None
    grad: Excerpt | None = None
    given: Excerpt | None = None
    called: str = ""
    """The user's name, where `name` is short for it."""
    passes: int = 0
    """Of a loop that is shown as one node: how many it has."""
    body: tuple[str, ...] = ()
    """The lines of such a loop, where it is met first."""


def passes_text(line: Line) -> str:
    """What stands for the formula of a loop that is shown once; its body follows."""
    return f"{line.passes:,} passes" + (" of" if line.body else "")


class Visit(NamedTuple):
    """A step of the walk: a node, and where its line is attached."""

    node: Node
    guide: str
    guide_on: str
    depth: int
    place: Place = "here"


def tree(
    result: Result, precision: int, *, depth: int, formula_width: int, limit: int | None
) -> tuple[list[Line], int]:
    """The first `limit` lines, and how many more there would be, or `COUNTED` and one.

    Nodes deeper than `depth` are only referred to, and get a tree of their own further down: so a
    chain of any length fits on a page. Raises `value` for a program that ends on no value.
    """
    names = _names(result)
    visits = _walk(result, names, precision, depth)
    shown = [*islice(visits, limit)]
    left_out = len([*islice(visits, COUNTED + 1)])
    describe = _Description(result, names, precision, formula_width)
    referred = {visit.node for visit in shown if visit.place != "here"}
    for visit in shown:
        if visit.node in referred:
            describe.formulas.title(visit.node)
    return [describe.line(visit) for visit in shown], left_out


def described(
    result: Result, precision: int, formula_width: int
) -> tuple[dict[Node, Line], dict[Node, list[Node]]]:
    """Every node below the outputs, operands before those that use them; and its operands.

    Raises `value` for a program that ends on no value.
    """
    names = _names(result)
    leaves = _leaves(result)
    describe = _Description(result, names, precision, formula_width)
    operands: dict[Node, list[Node]] = {}
    stack = _roots(result)[::-1]
    while stack:
        node = stack.pop()
        below = [] if node in leaves else _operands(node, names, precision, result.loops)
        waiting = [operand for operand in below if operand not in operands]
        if waiting:
            stack += [node, *reversed(waiting)]
        elif node not in operands:
            operands[node] = below
    lines = {node: describe.line(Visit(node, "", "", 0)) for node in reversed(operands)}
    return {node: lines[node] for node in operands}, operands


class _Description:
    """What is known about the nodes of a result, to be looked up by node."""

    def __init__(self, result: Result, names: dict[Node, str], precision: int, width: int) -> None:
        self.names = names
        self.formulas = Formulas(
            names,
            lambda node: brief(node.known, precision),
            LEVELS,
            {*result.names, *result.leaves},
        )
        self.called = _called(result)
        self.width = width
        self.leaves = _leaves(result)
        self.loops = result.loops
        self.told: set[WholeLoop] = set()
        """The loops whose body was shown."""
        self.outputs = set(result.outputs.values())
        self.values = {**result.node_values, **_by_node(result.names, result.values)}
        backward = result.passes[-1] if result.passes and not result.accumulated else None
        self.grads = {**result.node_grads, **grads_by_node(result, backward)}
        given = backward.gradient if backward else {}
        self.given = _by_node(result.outputs, given)

    def line(self, visit: Visit) -> Line:
        node = visit.node
        name = self.formulas.names.get(node, "")
        role = "leaf" if node in self.leaves else "output" if node in self.outputs else ""
        if visit.place != "here":
            return Line(visit.guide, visit.guide_on, visit.place, name, role)
        text, op = self._definition(node)
        loop = self.loops.get(node, NO_LOOP)
        body = () if loop in self.told else loop.body
        self.told.add(loop)
        return Line(
            visit.guide,
            visit.guide_on,
            visit.place,
            name,
            role,
            text,
            op,
            shape_text(node),
            _known(node.known if node.op is CONSTANT else self.values.get(node)),
            _known(self.grads.get(node)),
            _known(self.given.get(node)) if node not in self.grads else None,
            self.called[node] if self.called.get(node, name) != name else "",
            loop.passes,
            body,
        )

    def _definition(self, node: Node) -> tuple[str, str]:
        """The formula and the op of a node."""
        if node in self.leaves:
            return "", "leaf"
        if node in self.loops:
            return "", "loop"
        node = defined_by(node, self.names)
        if not node.inputs and node.op in (CONSTANT, INPUT):
            return "", node.op.name
        return self.formulas.of(node, self.width), node.op.name


def _walk(result: Result, names: Mapping[Node, str], precision: int, limit: int) -> Iterator[Visit]:
    """Depth first, without recursion; a node that was met before is not entered again."""
    leaves = _leaves(result)
    roots = deque(_roots(result))
    entered: set[Node] = set()
    postponed: set[Node] = set()
    while roots:
        root = roots.popleft()
        if root in entered and root in postponed:
            continue
        stack = [Visit(root, "", "", 0)]
        while stack:
            visit = stack.pop()
            node, _, on, depth, _ = visit
            below = [] if node in leaves else _operands(node, names, precision, result.loops)
            if node in entered:
                yield visit._replace(place="above")
            elif below and depth == limit:
                postponed.add(node)
                roots.append(node)
                yield visit._replace(place="below")
            else:
                entered.add(node)
                yield visit._replace(guide_on=on + ("│  " if below else "   "))
                for operand in reversed(below):
                    last = operand is below[-1]
                    corner, line = ("└─ ", "   ") if last else ("├─ ", "│  ")
                    stack.append(Visit(operand, on + corner, on + line, depth + 1))


def _roots(result: Result) -> list[Node]:
    """The nodes that the graph is drawn from. Raises `value` where a program ends on no value."""
    if not result.outputs:
        raise GradcliError(
            "value",
            "the program ends on no value, so there is no graph to show",
            hint="end it with the expression whose graph you want",
            source=result.program.source,
        )
    return list(result.outputs.values())


def _operands(
    node: Node, names: Mapping[Node, str], precision: int, loops: Mapping[Node, WholeLoop]
) -> list[Node]:
    """The operands that get a line: not the constants that the formula contains."""
    if node in loops:
        return [*loops[node].operands]
    below = operands(defined_by(node, names), names)
    return [each for each in below if brief(unsigned(each).known, precision) is None]


def _leaves(result: Result) -> set[Node]:
    return {node for node in result.leaves.values() if made_by_user(node)}


def _names(result: Result) -> dict[Node, str]:
    """A name for each node that has one: the first, or a short one for it."""
    fresh = fresh_names({*result.names, *result.leaves})
    called = _called(result).items()
    names = {node: name if len(name) <= NAME_WIDTH else next(fresh) for node, name in called}
    for node in result.loops:  # no formula goes on into a loop
        names.setdefault(node, "")
    return {node: name or next(fresh) for node, name in names.items()}


def _called(result: Result) -> dict[Node, str]:
    """The first name of each node that has one, in full."""
    names: dict[Node, str] = {}
    for name, node in {**result.names, **result.leaves}.items():
        names.setdefault(node, sanitise(name))
    return names


def _by_node(nodes: Mapping[str, Node], arrays: Mapping[str, Array]) -> dict[Node, Array]:
    return {node: arrays[name] for name, node in nodes.items() if name in arrays}


def _known(array: Array | None) -> Excerpt | None:
    return None if array is None else excerpt(array)
