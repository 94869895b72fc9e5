"""The table of a result as data: a row for each named value, a section for each backward pass."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from gradcli.graph import INPUT, Array, Node
from gradcli.ops.control import LEAF
from gradcli.report.arrays import GAP, Excerpt, excerpt
from gradcli.report.sanitise import sanitise
from gradcli.result import Pass, Result, final_grads, grads_of
from gradcli.tuples import NamedTuple
from gradcli.walks import ancestors, dependents

ROWS = 100
"""The most rows that a section shows, half of them from its start and half from its end."""
NO_GRAD = "no grad"
NOT_RETAINED = "not retained"


class Given(NamedTuple):
    """The gradient v that was given for an output; not a grad, which is a result."""

    shown: Excerpt


Cell: TypeAlias = Excerpt | Given | str


class Row(NamedTuple):
    name: str
    role: str
    """`leaf`, `input`, `output`, `leaf, output`, or nothing for an intermediate."""
    shape: str
    cells: tuple[Cell, ...]
    """One cell for each heading of the section; text where there is no array."""


class Section(NamedTuple):
    title: str
    headings: tuple[str, ...]
    rows: list[Row]


class Named(NamedTuple):
    """A named value: its node, and its role."""

    name: str
    node: Node
    role: str


def sections(result: Result) -> list[Section]:
    """One section for values and grads; with several passes, one for values and one for each."""
    named = named_values(result)
    values = {n: _value(n, result) for n in named}
    if len(result.passes) < 2:
        grads = _grads(named, result, result.passes[-1] if result.passes else None)
        columns = {"value": values, "grad": grads}
        told = {heading: cells for heading, cells in columns.items() if any(cells.values())}
        return _section("", tuple(told), {n: tuple(c[n] for c in told.values()) for n in named})
    found = _section("", ("value",), {n: (values[n],) for n in named})
    outputs_first = sorted(named, key=lambda n: "output" not in n.role)
    total: dict[Named, Cell] = {}
    for number, backward in enumerate(result.passes, 1):
        grads = _grads(outputs_first, result, backward)
        title = f"pass {number} of {len(result.passes)}"
        if not result.accumulated:
            found += _section(title, ("grad",), {n: (grads[n],) for n in outputs_first})
            continue
        cells: dict[Named, tuple[Cell, ...]] = {}
        for n in outputs_first:
            old = total.get(n, "none")
            total[n] = _sum(old, grads[n])
            summed = isinstance(total[n], Excerpt)
            cells[n] = (old, grads[n], total[n]) if summed else ("", grads[n], "")
        found += _section(title, ("old", "+ new", "= total"), cells)
    return found


def named_values(result: Result) -> list[Named]:
    """Leaves and inputs, then intermediates as the program names them, then outputs."""
    bindings = list(result.names.items())
    bound_again = [
        (name, leaf) for name, leaf in result.leaves.items() if result.names.get(name) is not leaf
    ]
    leaves = set(result.leaves.values())
    named = [
        Named(name, node, _role(name, node, leaves, result.outputs))
        for name, node in bound_again + bindings
    ]
    position = {name: place for place, name in enumerate(result.outputs)}
    return sorted(named, key=lambda n: _order(n, position))


def _role(name: str, node: Node, leaves: set[Node], outputs: Mapping[str, Node]) -> str:
    """The role of a named value, in the words of autograd."""
    roles: list[str] = []
    if made_by_user(node):
        roles += ["leaf"] * (node in leaves) or ["input"] * (node.op is INPUT)
    if outputs.get(name) is node:
        roles.append("output")
    return ", ".join(roles)


def made_by_user(node: Node) -> bool:
    """Whether a node stands at the bottom of the graph, although it may copy a constant."""
    return not node.inputs or node.op is LEAF


def grads_by_node(result: Result, backward: Pass | None) -> dict[Node, Array]:
    """The grads of one pass, or the final ones, under the nodes that they belong to."""
    grads = grads_of(backward) if backward else final_grads(result)
    nodes = {**result.names, **result.leaves}
    return {nodes[name]: grad for name, grad in grads.items()}


def shape_text(node: Node) -> str:
    """The shape, and what the elements are if they are not floats."""
    return str(node.shape) + {"float": "", "int": " int64", "bool": " bool"}[node.kind]


def _order(named: Named, outputs: Mapping[str, int]) -> tuple[int, int]:
    if "output" in named.role:
        return 2, outputs[named.name]
    return (0 if named.role else 1), 0


def _value(named: Named, result: Result) -> Cell:
    if result.names.get(named.name, named.node) is named.node:
        array = result.values.get(named.name)
    else:
        array = result.node_values.get(named.node)
    return "" if array is None else excerpt(array)


def _grads(named: list[Named], result: Result, backward: Pass | None) -> dict[Named, Cell]:
    """What stands under `grad`; nothing at all when there was no backward."""
    grads = grads_by_node(result, backward)
    given = backward.gradient if backward else {}
    if not grads and not given:
        return dict.fromkeys(named, "")
    linked = dependents(ancestors(n.node for n in named), result.leaves.values())
    cells: dict[Named, Cell] = {}
    for n in named:
        if n.node in grads:
            cells[n] = excerpt(grads[n.node])
        elif n.name in given and "output" in n.role:
            cells[n] = Given(excerpt(given[n.name]))
        else:
            cells[n] = NOT_RETAINED if n.node in linked else NO_GRAD
    return cells


def _sum(old: Cell, new: Cell) -> Cell:
    if isinstance(old, Excerpt) and isinstance(new, Excerpt):
        return old + new
    return new


def _section(
    title: str, headings: tuple[str, ...], cells: Mapping[Named, tuple[Cell, ...]]
) -> list[Section]:
    """The section, or None if no row of it says anything."""
    rows = [
        Row(sanitise(n.name), n.role, shape_text(n.node), row)
        for n, row in cells.items()
        if any(not isinstance(cell, str) for cell in row)
    ]
    if len(rows) > ROWS:
        more = f"{len(rows) - ROWS:,} more: --json has them all"
        gap = Row(GAP, "", "", (more, *[""] * (len(headings) - 1)))
        rows[ROWS // 2 : -(ROWS // 2)] = [gap]
    return [Section(title, headings, rows)] if rows else []
