"""Running plans with NumPy."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import repeat
from typing import Any, TypeAlias

import numpy as np

from gradcli.diagnostics import GradcliError, Note
from gradcli.engine.kernels import Kernel, bound, kernel, kernel_into
from gradcli.engine.plan import Empty, Plan, Single, Unit, nbytes
from gradcli.engine.products import namespace, whole
from gradcli.engine.scratch import LEAST_SPARE, SPARE, keep_freed_memory, spare_bytes
from gradcli.engine.swept import compiler, is_member, is_swept
from gradcli.engine.telling import ToldSteps, wanted
from gradcli.engine.threads import cores
from gradcli.graph import EMPTY, INPUT, LITERAL, Array, Node
from gradcli.ledger import show_bytes
from gradcli.ops.elementwise import Elementwise
from gradcli.ops.loops import Loop

SMALL = 128
"""Values of at most this many elements are not freed before the end of a run: nodes take more."""

FOLDED = 1024
"""Values of at most this many elements are computed once if they depend only on constants."""

_RUN = 0
"""The slot of what belongs to one run: all its values, and its targets."""

_Call: TypeAlias = tuple[Kernel, int, int | None, int | None, int]
"""A call, the slots of its one to three operands, and that of its result."""


class Host:
    """What runners are given to work with where arrays are NumPy's."""

    def __init__(self, threads: int, empty: Empty | None = None) -> None:
        """With `empty`, large values lie where it says."""
        self.threads = threads
        self.empty: Empty = empty or SPARE.empty
        self.namespace = whole(empty) if empty else partial(namespace, threads=threads)

    def inside(self, plan: Plan, empty: Empty) -> NumpyEngine:
        """An engine for a plan that lies in this one, on one thread and in memory of its own."""
        return NumpyEngine(plan, 1, empty)

    def wide_pass(
        self, loop: Loop, steps: Sequence[Node], outputs: Sequence[Node]
    ) -> tuple[Callable[..., list[Array]], Sequence[Node]]:
        """What computes some steps of a pass over large arrays from what they read, and that."""
        from gradcli.engine.loops import WidePass

        wide = WidePass(loop, steps, outputs)
        ready = NumpyEngine(wide.plan, self.threads)
        return lambda *operands: ready.run(wide.feeds(operands)), wide.operands


HOST = Host(1)
"""That of what is computed by itself."""


class NumpyEngine(Host):
    """A plan made ready for NumPy: a list of calls over numbered slots. It may run many times."""

    device = "cpu"

    def __init__(self, plan: Plan, threads: int | None = None, empty: Empty | None = None) -> None:
        """`threads` is for large arrays; None takes one for each core. It changes no result.

        With `empty`, large values lie where it says: outputs are gone when that memory is.
        """
        self.plan = plan
        self.notes: list[Note] = []
        super().__init__(threads or cores(), empty)
        self._slots: dict[Node, int] = {}
        self._start: list[Any] = [None]
        self._inputs: list[tuple[int, Node]] = []
        self._of_numbers = not any(node.shape for node in plan.nodes)
        folded: set[Node] = set()
        for node in plan.sources:
            slot = self._hold(node, self._read(node.known))
            if _is_fed(node):
                self._inputs.append((slot, node))
            else:
                folded.add(node)
        self._units: list[Unit] = []
        self._large = {each for each in plan.nodes if each.size > SMALL and each.known is None}
        if self._large:
            keep_freed_memory()
        self._spare: int | None = None
        """How much may be kept of results that are gone while it runs; None where it is small."""
        if empty is None and any(nbytes(node) >= LEAST_SPARE for node in self._large):
            self._spare = spare_bytes(plan, self.threads)
        outputs = self._large.intersection(plan.outputs) if empty else ()
        self._written = {node for node in outputs if isinstance(node.op, Elementwise)}
        """The results that are written into their targets as they are computed."""
        self._overwrites = plan.overwrites() if self._large else set()
        """The nodes that are made of their first operand itself."""
        self._calls = self._made_ready(folded)
        self._results = [self._slots[node] for node in plan.outputs]

    @np.errstate(all="ignore")
    def _made_ready(self, folded: set[Node]) -> list[_Call]:
        """The units as calls, without those that follow from what is `folded` alone: these are
        computed now, once for all runs. Only large values are freed.
        """
        calls: list[_Call] = []
        large = self._large
        dying: Iterable[Sequence[Node]] = self.plan.dying if large else repeat(())
        for unit, last in zip(self.plan.units, dying, strict=False):
            frees = [self._slots[each] for each in last if each in large] if last else []
            if not isinstance(unit, Single):
                calls.append(self._of_several(unit, frees))
            else:
                node = unit.node
                if folded.intersection(node.inputs[:1]):
                    self._overwrites.discard(node)
                call, operands = self._kernel(node)
                if folded.issuperset(unit.operands) and _folds(node):
                    folded.add(node)
                    self._hold(node, self._folded(node, call, operands))
                    continue
                calls.append(self._of_one(node, call, operands, frees))
            self._units.append(unit)
        return calls

    def _kernel(self, node: Node) -> tuple[Kernel, tuple[Node, ...]]:
        """What computes a node, and of which operands."""
        plain = node.op.plain
        if plain and not node.shape and node.kind == "float" and node.graph.precision == "float64":
            return plain, node.inputs
        if node in self._overwrites:
            assert node.op.over_first is not None
            return partial(node.op.over_first, self.namespace(node)), node.inputs
        call, before, after, count = kernel(node, self.namespace)
        return bound(call, before, after) if before else call, node.inputs[:count]

    def _folded(self, node: Node, call: Kernel, operands: Sequence[Node]) -> Any:
        """The node's value, computed now."""
        try:
            value = call(*[self._start[self._slots[each]] for each in operands])
            return self._read(np.asarray(value))
        except GradcliError as error:
            raise _placed(error, node) from None

    def _of_one(
        self, node: Node, call: Kernel, operands: Sequence[Node], frees: Sequence[int]
    ) -> _Call:
        """The call of a node."""
        slots, count = self._slots, len(operands)
        if node in self._written:
            taken = [slots[each] for each in operands]
            result = self._hold(node, None)
            call = _written(node, call)
            return self._general(call, taken, frees, [result]), _RUN, None, None, result
        if frees or not 0 < count <= 3:
            taken = [slots[each] for each in operands]
            return self._general(call, taken, frees), _RUN, None, None, self._hold(node, None)
        first = slots[operands[0]]
        second = slots[operands[1]] if count > 1 else None
        third = slots[operands[2]] if count > 2 else None
        return call, first, second, third, self._hold(node, None)

    def _of_several(self, unit: Unit, frees: Sequence[int]) -> _Call:
        """The call of what computes several values."""
        call, before, after, count = unit.runner(self)
        if before:
            call = bound(call, before, after)
        taken = [self._slots[each] for each in unit.operands[:count]]
        results = [self._hold(node, None) for node in unit.outputs]
        return self._general(call, taken, frees, results), _RUN, None, None, results[0]

    def _general(
        self, call: Kernel, taken: Sequence[int], frees: Sequence[int], results: Sequence[int] = ()
    ) -> Kernel:
        """A call of any number of values, which is given the run. It puts `results` where they
        belong, if there are several, and frees what is needed no more.
        """
        keeps = self._spare is None or not frees

        def compute(run: tuple[list[Any], Mapping[Node, Array]]) -> Any:
            values, targets = run
            operands = [values[each] for each in taken]
            if not results:
                found = call(*operands)
            else:
                found, *others = call(*operands, targets=targets)
                for slot, value in zip(results[1:], others, strict=True):
                    values[slot] = value
            del operands
            for slot in frees:
                values[slot] = None
            if not keeps:
                SPARE.keep(0)  # what comes next may not ask for it
            return found

        return compute

    def _read(self, array: Array | None) -> Any:
        """An array as the calls take it: next to numbers alone a number is NumPy's scalar, which
        ops make of others, and which Python's operators take; ufuncs rather take an array.
        """
        return array[()] if self._of_numbers and array is not None else array

    def _hold(self, node: Node, value: Any) -> int:
        """The slot of a node, and what is in it before a run."""
        slot = self._slots[node] = len(self._start)
        self._start.append(value)
        return slot

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
            values[slot] = self._read(inputs[node])
        self._compute(values, targets)
        if targets:
            self._fill(values, targets)
        return [np.asarray(values[slot]) for slot in self._results]

    @np.errstate(all="ignore")
    def _compute(self, values: list[Any], targets: Mapping[Node, Array]) -> None:
        values[_RUN] = values, targets
        slot = 0
        try:
            for call, first, second, third, slot in self._told_calls():
                if second is None:
                    values[slot] = call(values[first])
                elif third is None:
                    values[slot] = call(values[first], values[second])
                else:
                    values[slot] = call(values[first], values[second], values[third])
        except GradcliError as error:
            raise _placed(error, self._node_in(slot)) from None
        except MemoryError:
            raise _out_of_memory(self._node_in(slot)) from None
        finally:
            values[_RUN] = None  # else they would hold themselves

    def _told_calls(self) -> Iterable[_Call]:
        """The calls; where somebody waits for them, each is told of as it begins."""
        if not wanted():
            return self._calls
        sizes = [
            max([node.size for node in (*unit.operands, *unit.outputs)], default=0)
            for unit in self._units
        ]
        return _telling(self._calls, ToldSteps(sizes))

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

    def _node_in(self, slot: int) -> Node:
        """The node whose value lies in a slot."""
        return next(node for node, each in self._slots.items() if each == slot)


def _written(node: Node, call: Kernel) -> Kernel:
    """The call of an elementwise node that writes its value into the target, if that lies in
    memory.
    """
    from gradcli.engine.mapped import stored

    into = kernel_into(node)

    def compute(*operands: Array, targets: Mapping[Node, Array]) -> list[Any]:
        target = targets.get(node)
        if into is None or target is None or stored(target) is not None:
            return [call(*operands)]
        write, count = into
        write(*operands[:count], out=target)
        return [target]

    return compute


def _telling(calls: Sequence[_Call], told: ToldSteps) -> Iterator[_Call]:
    try:
        for number, call in enumerate(calls):
            told.begin(number)
            yield call
    finally:
        told.end()


def _is_fed(node: Node) -> bool:
    """Whether a node's value is given at each run."""
    return node.op is INPUT or node.op is LITERAL


def _folds(node: Node) -> bool:
    """Whether a value is small, and follows from others, as a random draw does not."""
    return node.size <= FOLDED and bool(node.inputs)


def compute_loop(results: Sequence[Node], operands: Sequence[Array]) -> list[Array]:
    """The values of results of one loop, which runs once."""
    from gradcli.engine.bodies import runner

    return runner(results, HOST)(*operands)


def compute(node: Node, operands: Sequence[Array]) -> Array:
    """The value of one node by itself, to the last bit as in a plan. Where warnings of NumPy's are
    to be ignored is the caller's affair.
    """
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
