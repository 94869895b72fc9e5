"""What a worker does: a part of one unit. It keeps nothing from one part to the next but the plan,
which it would make again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from gradcli import __version__
from gradcli.box import held_to
from gradcli.data.parts import Far, FarParts, Target
from gradcli.diagnostics import GradcliError
from gradcli.engine.blocks import Place
from gradcli.engine.cluster.machines import Facts, facts
from gradcli.graph import Array, Node
from gradcli.ledger import show_bytes
from gradcli.sweep.parts import Parted, parted
from gradcli.sweep.task import PartDone, PartFailed, PartOrder, PlacedPart, Posed, Task
from gradcli.sweep.window import StoreWindow, WriteWindow, held

_kept: dict[str, Posed] = {}
"""The plan of the run that this process has last worked for, by its key."""


def prepare() -> Callable[[], None]:
    """See `nursery.Work`: the machine is looked at once."""
    introduce(None)
    return lambda: None


def introduce(_: object) -> Facts:
    """What decides about bits on this machine."""
    return facts(__version__)


def answer(order: PartOrder) -> PartDone | PartFailed:
    """Do a part, in no more memory than the task allows."""
    memory = order.task.options.limits.memory_bytes()
    try:
        with held_to(memory):
            return _done(order)
    except MemoryError:
        error = GradcliError(
            "limit-memory",
            f"a part took more than the {show_bytes(memory)} that a worker may take for it",
            hint="--max-memory sets the limit of each worker",
        )
        return PartFailed(error.diagnostic)
    except GradcliError as error:
        return PartFailed(error.diagnostic)


def _done(order: PartOrder) -> PartDone:
    posed = _posed(order.task)
    engine = posed.engine
    unit = engine.plan.units[order.unit]
    parts = parted(unit)
    assert parts is not None, "the client has seen that it can be parted"
    far = posed.read()
    memory = order.task.options.limits.memory_bytes()
    operands = {
        node: _given(node, order.given[number])
        if number in order.given
        else _read(node, far[node], parts, memory)
        for number, node in enumerate(unit.operands)
    }
    returned: dict[int, list[PlacedPart]] = {}
    results: dict[Node, WriteWindow] = {}
    for number, node in enumerate(parts.results):
        if number in order.targets:
            write = _into(order.targets[number])
        else:
            write = _keeping(returned.setdefault(number, []))
        dtype = node.graph.dtype(node.kind)
        results[node] = WriteWindow(node.shape, parts.lengths(node), dtype, write)
    with np.errstate(all="ignore"):
        sums = parts.sweep(engine, order.rows, operands, dict(results))
    for window in results.values():
        window.close()
    return PartDone(introduce(None), sums, returned)


def _posed(task: Task) -> Posed:
    if task.key not in _kept:
        _kept.clear()
        one = task._replace(options=task.options._replace(threads=1))
        _kept[task.key] = one.posed()
    return _kept[task.key]


def _given(node: Node, piece: PlacedPart) -> Array | StoreWindow:
    if piece.place is None:
        return np.broadcast_to(piece.values, node.shape)
    lengths = [part.stop - part.start for part in piece.place]
    return held(node.shape, piece.place, np.broadcast_to(piece.values, lengths))


def _read(node: Node, far: Far, parts: Parted, memory: int) -> StoreWindow:
    return StoreWindow(node.shape, parts.lengths(node), FarParts(far, memory).read)


def _into(targets: Sequence[Target]) -> Callable[[Place, Array], None]:
    def write(place: Place, values: Array) -> None:
        for target in targets:
            target.write(place, values)

    return write


def _keeping(pieces: list[PlacedPart]) -> Callable[[Place, Array], None]:
    return lambda place, values: pieces.append(PlacedPart(place, values))
