"""Which values of a run are at a kink or a tie, or near one, and what the derivative is there.

An op's entry tells how far its operands are from where it is not smooth, and a function's entry
what the derivative is there: here, and in other frameworks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gradcli.analysis.edges import (
    SMALL,
    Nearest,
    all_nearest,
    distances_of,
    edged_nodes,
    tells,
)
from gradcli.analysis.probe import Probe
from gradcli.analysis.problem import View
from gradcli.diagnostics import GradcliError, Note, Source, Span
from gradcli.engine.evaluator import Evaluator
from gradcli.graph import Array, Node
from gradcli.language.syntax import Attribute, Call, Name, Program, Syntax
from gradcli.ops.elementwise import Elementwise
from gradcli.ops.table import FRAMEWORKS, TABLE, Function
from gradcli.walks import ancestors

LISTED = 50
"""The most places that are told of."""
LONGEST = 40
"""The most characters of the program that are quoted."""


@dataclass(frozen=True, slots=True)
class KinksWanted:
    """What a user asks of kinks."""

    listed: bool = False
    """All that have one, also those that are far from it."""
    framework: str = ""
    """The one whose derivatives are told, a key of FRAMEWORKS."""


@dataclass(frozen=True, slots=True, eq=False)
class Nearby:
    """A place of the program, and the element of it that is nearest to a kink or a tie."""

    node: Node
    distance: float
    rounded: bool
    """Whether the distance may be rounding alone."""
    index: tuple[int, ...]
    operands: tuple[float, ...]
    """Those of the element, where elements are computed one by one."""

    @property
    def close(self) -> bool:
        return self.distance == 0 or self.rounded


def kink_notes(view: View, wanted: KinksWanted) -> list[Note]:
    """A note for each place of the program that is at a kink or nearer than rounding to one; where
    they are listed, for each that has one. Raises `limit-memory`.
    """
    order = ancestors(view.prepared.outputs.values())
    edged = edged_nodes(order, view.leaves.values())
    if not wanted.listed and (not edged or sum(node.size for node in order) > SMALL):
        return []
    try:
        value = Evaluator(view.feeds, view.graph.ledger).computed
        places = _places(view, order, edged, value)
        told = [
            each for each in places if wanted.listed or (each.close and tells(each.node, value))
        ]
    except GradcliError as error:
        raise error.located(view.program.source, None) from None
    told.sort(key=lambda each: (not each.close, each.node.span or (0, 0)))
    calls = dict(_calls(view.program))
    notes = [_note(each, view.program.source, calls, wanted) for each in told[:LISTED]]
    if len(told) > LISTED:
        notes.append(Note("kink", f"{len(told) - LISTED} more places have a kink or a tie"))
    if wanted.listed and not told:
        notes.append(Note("kink", "nothing on the way from the leaves has a kink or a tie"))
    return notes


def _places(
    view: View, order: Sequence[Node], edged: Sequence[Node], value: Callable[[Node], Array]
) -> list[Nearby]:
    """For each place of the program its nearest element."""
    nearest: dict[Span | None, Nearest] = {}
    for found in all_nearest(order, edged, value):
        known = nearest.get(found.node.span)
        if known is None or found.distance < known.distance:
            nearest[found.node.span] = found
    return [
        _nearby(view, found, [value(each) for each in found.node.inputs])
        for found in nearest.values()
    ]


def _nearby(view: View, found: Nearest, operands: Sequence[Array]) -> Nearby:
    node = found.node
    here = distances_of(node, operands)
    rounded = (
        found.suspect
        and found.distance > 0
        and found.distance <= _rounding(view, node, operands, here).reshape(-1)[found.place]
    )
    if not isinstance(node.op, Elementwise) or here.shape != node.shape:
        return Nearby(node, found.distance, rounded, (), ())
    index = tuple(map(int, np.unravel_index(found.place, node.shape))) if node.shape else ()
    values = [float(np.broadcast_to(each, node.shape)[index]) for each in operands]
    return Nearby(node, found.distance, rounded, index, tuple(values))


def _rounding(view: View, node: Node, operands: Sequence[Array], here: Array) -> Array:
    """How far rounding of the inputs and on the way may move the node from its edge."""
    unit = float(np.finfo(view.graph.dtype("float")).eps)
    noise = [np.zeros(each.shape) for each in node.inputs]
    for leaf in view.leaves.values():
        probe = Probe(view, node.inputs, leaf, all_steps=True)
        found = probe.noise(probe.point, unit)
        noise = [total + each for total, each in zip(noise, found, strict=True)]
    moved = np.zeros(here.shape)
    for signs in ((1, 1), (1, -1)):
        there = [
            operand + signs[number % 2] * each if operand.dtype.kind == "f" else operand
            for number, (operand, each) in enumerate(zip(operands, noise, strict=True))
        ]
        moved = np.fmax(moved, np.abs(distances_of(node, there) - here))
    return moved


# --- in words --------------------------------------------------------------------------------


def _note(found: Nearby, source: Source, calls: Mapping[Span, str], wanted: KinksWanted) -> Note:
    """`relu(x) at 1:5, element [2]: at a kink or tie; its operand is 0; …`."""
    node, function = found.node, _function(found.node, calls)
    text = source.text[slice(*node.span)] if node.span else ""
    title = text if 0 < len(text) <= LONGEST else function.name if function else "a step"
    if node.span:
        line, column = source.locate(node.span[0])
        title += f" at {line}:{column}"
    if found.index:
        title += f", element [{', '.join(map(str, found.index))}]"
    parts = [f"{title}: {_distance(found)}"]
    if found.operands:
        values = " and ".join(f"{each:.6g}" for each in found.operands)
        parts.append(f"its operand{'s are' if len(found.operands) > 1 else ' is'} {values}")
    if function and function.kink:
        parts.append(f"the derivative in gradcli: {function.kink}")
    if wanted.framework and node.kind == "float":
        there = function.elsewhere.get(wanted.framework) if function else None
        parts.append(f"in {FRAMEWORKS[wanted.framework]}: {there or 'not known'}")
    return Note("kink", "; ".join(parts))


def _distance(found: Nearby) -> str:
    if found.distance == 0:
        return "at a kink or tie"
    if found.rounded:
        return f"{found.distance:.1e} from a kink or tie, which is nearer than rounding"
    return f"{found.distance:.3g} from its nearest kink or tie"


def _function(node: Node, calls: Mapping[Span, str]) -> Function | None:
    """What the program calls there; for an operator, or a part of another call, the op's own."""
    name = calls.get(node.span) if node.span else None
    if name in TABLE and (TABLE[name].elsewhere or TABLE[name].kink):
        return TABLE[name]
    return next((each for each in TABLE.values() if each.op is node.op), None)


def _calls(program: Program) -> Iterator[tuple[Span, str]]:
    """The spans of calls, and the names that are called."""
    stack: list[object] = [*program.statements]
    while stack:
        each = stack.pop()
        if isinstance(each, Call) and isinstance(each.callee, Name):
            yield each.span, each.callee.id
        elif isinstance(each, Call) and isinstance(each.callee, Attribute):
            yield each.span, each.callee.name
        if isinstance(each, Syntax):
            stack += [getattr(each, slot) for slot in type(each).__slots__]
        elif isinstance(each, tuple):
            stack += each
