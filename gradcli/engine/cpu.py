"""Running plans with NumPy."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import repeat
from operator import itemgetter
from typing import Any, TypeAlias

import numpy as np

from gradcli.diagnostics import GradcliError, Note
from gradcli.engine.kernels import Kernel, kernel
from gradcli.engine.plan import Empty, Plan, Single, Unit, nbytes
from gradcli.engine.products import namespace, whole
from gradcli.engine.scratch import LEAST_SPARE, SPARE, keep_freed_memory, spare_bytes
from gradcli.engine.swept import compiler, is_member, is_swept
from gradcli.engine.telling import ToldSteps, wanted
from gradcli.engine.threads import cores
from gradcli.graph import EMPTY, INPUT, LITERAL, Array, Node
from gradcli.ledger import show_bytes
from gradcli.ops.loops import Loop

SMALL = 128
"""Values of at most this many elements are not freed before the end of a run: nodes take more."""

FOLDED = 1024
"""Values of at most this many elements are computed once if they depend only on constants."""

_Take: TypeAlias = Callable[[list[Any]], Sequence[Any]]
_Slots: TypeAlias = "int | tuple[int, ...]"
"""Where results are put: one value, or a row of several."""
_Step: TypeAlias = tuple[Kernel, _Take, _Slots, tuple[int, ...]]
_Ready: TypeAlias = tuple[Kernel, list[int], _Slots, tuple[int, ...]]
"""A call, the slots of its arguments and of its results, and the slots that it frees."""
_Call: TypeAlias = tuple[Kernel, int, int | None, int]
"""A call, the slots of its operands, of which the second may be missing, and that of its result."""


class NumpyEngine:
    """A plan made ready for NumPy: a list of calls over numbered slots. It may run many times."""

    device = "cpu"

    def __init__(self, plan: Plan, threads: int | None = None, empty: Empty | None = None) -> None:
        """`threads` is for large arrays; None takes one for each core. It changes no result.

        With `empty`, large values lie where it says: outputs are gone when that memory is.
        """
        self.plan = plan
        self.notes: list[Note] = []
        self.threads = threads or cores()
        self.empty: Empty = empty or SPARE.empty
        self.namespace = whole(empty) if empty else partial(namespace, threads=self.threads)
        self._slots: dict[Node, int] = {}
        self._start: list[Any] = []
        self._inputs: list[tuple[int, Node]] = []
        self._attributes: dict[int, int] = {}
        folded: set[Node] = set()
        for node in plan.sources:
            slot = self._slots[node] = self._slot(node.known)
            if _is_fed(node):
                self._inputs.append((slot, node))
            else:
                folded.add(node)
        self._units: list[Unit] = []
        large = {each for each in plan.nodes if each.size > SMALL and each.known is None}
        if large:
            keep_freed_memory()
        ready = self._all_ready(folded, large)
        self._results = [self._slots[node] for node in plan.outputs]
        self._spare: int | None = None
        """How much may be kept of results that are gone while it runs; None where it is small."""
        if empty is None and any(nbytes(node) >= LEAST_SPARE for node in large):
            self._spare = spare_bytes(plan, self.threads)
        self._calls = _calls(ready)
        self._steps: list[_Step] = []
        if self._calls is None:
            self._steps = [
                (call, _take(arguments), results, frees)
                for call, arguments, results, frees in ready
            ]

    @np.errstate(all="ignore")
    def _all_ready(self, folded: set[Node], large: set[Node]) -> list[_Ready]:
        """The units made ready, without those that follow from what is `folded` alone: these are
        computed now, once for all runs. Only `large` values are freed.
        """
        steps: list[_Ready] = []
        dying: Iterable[Sequence[Node]] = self.plan.dying if large else repeat(())
        for unit, last in zip(self.plan.units, dying, strict=False):
            step = self._ready(unit, [each for each in last if each in large] if last else ())
            if folded.issuperset(unit.operands) and isinstance(unit, Single) and _folds(unit.node):
                folded.add(unit.node)
                self._fold(step, unit.node)
            else:
                steps.append(step)
                self._units.append(unit)
        return steps

    def _fold(self, step: _Ready, node: Node) -> None:
        """Compute a node's value now."""
        call, arguments, slot, _ = step
        assert isinstance(slot, int)
        try:
            self._start[slot] = np.asarray(call(*[self._start[each] for each in arguments]))
        except GradcliError as error:
            raise _placed(error, node) from None

    def _ready(self, unit: Unit, freed: Sequence[Node]) -> _Ready:
        """A call, the slots of its arguments and of its results, and of what is freed with it."""
        slots = self._slots
        if isinstance(unit, Single):
            call, before, after, count = kernel(unit.node, self.namespace)
        else:
            call, before, after, count = unit.runner(self)
        arguments = [slots[each] for each in unit.operands[:count]]
        if before:
            first, last = map(self._attribute, before), map(self._attribute, after)
            arguments = [*first, *arguments, *last]
        frees = tuple(map(slots.__getitem__, freed)) if freed else ()
        end = len(self._start)
        if isinstance(unit, Single):
            slots[unit.node] = end
            self._start.append(None)
            return call, arguments, end, frees
        results = tuple(range(end, end + len(unit.outputs)))
        slots.update(zip(unit.outputs, results, strict=True))
        self._start += [None] * len(results)
        return call, arguments, results, frees

    def inside(self, plan: Plan, empty: Empty) -> NumpyEngine:
        """An engine for a plan that lies in this one, on one thread and in memory of its own."""
        return NumpyEngine(plan, 1, empty)

    def _slot(self, value: Any) -> int:
        self._start.append(value)
        return len(self._start) - 1

    def _attribute(self, value: Any) -> int:
        """The slot of an attribute; the same object takes one slot."""
        key = id(value)
        if key not in self._attributes:
            self._attributes[key] = self._slot(value)
        return self._attributes[key]

    def run(
        self, inputs: Mapping[Node, Array], targets: Mapping[Node, Array] = EMPTY
    ) -> list[Array]:
        """The values of the plan's outputs, for given values of its inputs.

        Outputs with a target are written into it, as they are computed where that is possible.
        """
        if self._spare is not None:
            SPARE.keep(0 if targets else self._spare)
        values = self._start.copy()
        for slot, node in self._inputs:
            values[slot] = inputs[node]
        if self._calls is None:
            self._compute(values, targets)
        else:
            self._compute_small(values, self._calls)
        if targets:
            self._fill(values, targets)
        return [np.asarray(values[slot]) for slot in self._results]

    @np.errstate(all="ignore")
    def _compute(self, values: list[Any], targets: Mapping[Node, Array]) -> None:
        slots: int | tuple[int, ...] = ()
        try:
            for call, take, slots, frees in self._told_steps():
                if isinstance(slots, int):
                    values[slots] = call(*take(values))
                else:
                    _put(values, slots, call(*take(values), targets=targets))
                if frees:
                    _put(values, frees, (None,) * len(frees))
                    if self._spare is not None:
                        SPARE.keep(0)  # what comes next may not ask for it
        except GradcliError as error:
            raise _placed(error, self._node_in(slots)) from None
        except MemoryError:
            raise _out_of_memory(self._node_in(slots)) from None

    def _told_steps(self) -> Iterable[_Step]:
        """The steps; where somebody waits for them, each is told of as it begins."""
        if not wanted():
            return self._steps
        sizes = [
            max([node.size for node in (*unit.operands, *unit.outputs)], default=0)
            for unit in self._units
        ]
        return _telling(self._steps, ToldSteps(sizes))

    @np.errstate(all="ignore")
    def _compute_small(self, values: list[Any], calls: Sequence[_Call]) -> None:
        """The same with fewer steps between calls, which for small arrays take the most time."""
        slot = 0
        try:
            for call, first, second, slot in calls:
                if second is None:
                    values[slot] = call(values[first])
                else:
                    values[slot] = call(values[first], values[second])
        except GradcliError as error:
            raise _placed(error, self._node_in(slot)) from None
        except MemoryError:
            raise _out_of_memory(self._node_in(slot)) from None

    @np.errstate(all="ignore")
    def _fill(self, values: list[Any], targets: Mapping[Node, Array]) -> None:
        """Copy outputs that no region has written into their targets."""
        from gradcli.engine.blocks import blocks
        from gradcli.engine.mapped import stored

        for node, target in targets.items():
            slot = self._slots[node]
            if values[slot] is not target:
                value = np.broadcast_to(values[slot], target.shape)
                file = stored(target)
                start = 0
                for place in blocks(target.shape):
                    if file is None:
                        target[place] = value[place]
                    else:
                        file.write(start, np.ascontiguousarray(value[place]))
                    start += value[place].size
                values[slot] = target

    def _node_in(self, slots: int | tuple[int, ...]) -> Node:
        """The node, or the first one, whose value lies in some slots."""
        slot = slots if isinstance(slots, int) else slots[0]
        return next(node for node, each in self._slots.items() if each == slot)


def _telling(steps: Sequence[_Step], told: ToldSteps) -> Iterator[_Step]:
    for number, step in enumerate(steps):
        told.begin(number)
        yield step


def _put(values: list[Any], slots: tuple[int, ...], new: Sequence[Any]) -> None:
    """Put values into slots; a loop in the caller would keep the last one alive."""
    for slot, value in zip(slots, new, strict=True):
        values[slot] = value


def _take(slots: Sequence[int]) -> _Take:
    """Picks the values in some slots: `itemgetter`, which has no loop, but takes one item bare."""
    if len(slots) > 1:
        return itemgetter(*slots)
    return itemgetter(slice(slots[0], slots[0] + 1) if slots else slice(0))


def _calls(steps: Sequence[_Ready]) -> list[_Call] | None:
    """The steps as calls of one or two operands; None where some are more than that."""
    calls: list[_Call] = []
    for call, arguments, slot, frees in steps:
        if frees or not isinstance(slot, int):
            return None
        if len(arguments) == 1:
            calls.append((call, arguments[0], None, slot))
        elif len(arguments) == 2:
            calls.append((call, arguments[0], arguments[1], slot))
        else:
            return None
    return calls


def _is_fed(node: Node) -> bool:
    """Whether a node's value is given at each run."""
    return node.op is INPUT or node.op is LITERAL


def _folds(node: Node) -> bool:
    """Whether a value is small, and follows from others, as a random draw does not."""
    return node.size <= FOLDED and bool(node.inputs)


def compute(node: Node, operands: Sequence[Array]) -> Array:
    """The value of one node by itself, to the last bit as in a plan. Where warnings of NumPy's are
    to be ignored is the caller's affair.
    """
    if isinstance(node.op, Loop):
        from gradcli.engine.bodies import runner

        return runner([node])(*operands)[0]
    try:
        if is_swept(node) or (is_member(node) and (node.op.in_blocks or compiler())):
            from gradcli.engine.region import RegionRunner, alone

            region, given = alone(node), dict(zip(node.inputs, operands, strict=True))
            return RegionRunner(region, 1).only(*map(given.__getitem__, region.operands))
        call, before, after, count = kernel(node)
        return np.asarray(call(*before, *operands[:count], *after))
    except GradcliError as error:
        raise _placed(error, node) from None
    except MemoryError:
        raise _out_of_memory(node) from None


def _placed(error: GradcliError, node: Node) -> GradcliError:
    """The error with the place in the program that the node comes from."""
    diagnostic = error.diagnostic
    if diagnostic.span is not None:
        return error
    return GradcliError(diagnostic.code, diagnostic.message, hint=diagnostic.hint, span=node.span)


def _out_of_memory(node: Node) -> GradcliError:
    return GradcliError(
        "limit-memory",
        f"there was no memory for {show_bytes(nbytes(node))}, the value of {node.op.name} "
        f"of shape {node.shape}",
        span=node.span,
    )
