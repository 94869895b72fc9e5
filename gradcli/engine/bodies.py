"""Running loops: the steps of a body, made ready once, over numbered slots.

Single numbers in float64 are Python's own, as these are quicker by an order of magnitude: Python
adds and multiplies in the same IEEE 754 arithmetic as NumPy, to the same bits. What an entry does
not say of Python's numbers (`Op.plain`) is computed by NumPy.

What passes do not wait for each other with is computed for many passes in one call: steps that
read rows alone, before these passes are run, and elementwise results of all passes and sums of
large products after it. Large products are computed on a thread of their own, while other passes
are run.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property, partial
from typing import Any, TypeAlias

import numpy as np

from gradcli.diagnostics import GradcliError
from gradcli.engine import telling
from gradcli.engine.aside import Aside
from gradcli.engine.columns import Sum, is_elementwise, is_product, sums
from gradcli.engine.kernels import Kernel, bound, kernel
from gradcli.engine.plan import Resources, nbytes
from gradcli.engine.products import is_large
from gradcli.engine.swept import LARGE
from gradcli.engine.threads import blas_has_one_thread
from gradcli.graph import EMPTY, Array, Attributes, Node
from gradcli.ops.contractions import MATMUL
from gradcli.ops.loops import Loop

TOGETHER = 1 << 12
"""Passes that are run at a stretch, at most."""
STRETCH_BYTES = 1 << 20
"""About what the values of a stretch take."""

IN_LOOP = " of the loop)"
"""What follows the number of a pass in an error."""

_AHEAD = 0
"""The line of what is computed of rows before their passes; those of sums follow."""

LARGEST = 1 << 19
"""Values of so many elements may be computed strip by strip where passes are written out."""

_Call: TypeAlias = tuple[Kernel, int, int | None, int]
"""A call, the slots of its one or two operands, and that of its result."""


def loop_of(results: Sequence[Node]) -> Loop:
    """The loop that nodes are results of."""
    loop = results[0].op
    assert isinstance(loop, Loop)
    return loop


def runner(outputs: Sequence[Node], resources: Resources) -> Callable[..., list[Array]]:
    """A function of the loop's operands that returns the values of some of its results."""
    body = Body(loop_of(outputs), [each.attributes for each in outputs], resources)

    def run(*operands: Array, **_: Any) -> list[Array]:
        return body.run(operands)

    return run


def is_wide(loop: Loop) -> bool:
    """Whether passes are plans of their own, as some values are large, or those of a loop in it."""
    loops = {node.op for node in loop.steps if isinstance(node.op, Loop)}
    return any(node.size >= LARGE for node in loop.inside) or any(map(is_wide, loops))


def is_alike(loop: Loop) -> bool:
    """Whether the body has the bits of its passes written out: these have no strips, and nothing
    that a derivative shares with what it is the derivative of, part by part.
    """
    if any(node.size >= LARGEST or is_large(node) for node in loop.inside):
        return False
    if not is_wide(loop):
        return True
    from gradcli.ops.softmax import LOGSUMEXP  # most loops are of small values

    return not any(node.op is LOGSUMEXP and node.inputs[0].size >= LARGE for node in loop.steps)


class Body:
    """The body of a loop, made ready for some of its results."""

    def __init__(
        self,
        loop: Loop,
        wanted: Sequence[Attributes],
        resources: Resources,
        moved: Iterable[Node] = (),
        segment: int = 0,
    ) -> None:
        """`wanted` are attributes of results. What is `moved` is carried from pass to pass though
        no result may need it. With a `segment`, no stretch goes over a multiple of so many rows.
        """
        self._loop = loop
        self._wanted = wanted
        self._resources = resources
        self._threads = resources.threads if blas_has_one_thread() else 1
        self.count = loop.count
        self._segment = segment or loop.count
        self._plain = loop.graph.precision == "float64"
        self._is_wide = is_wide(loop)
        """Then nothing is taken out of passes."""
        live = _live(loop, [*moved, *(node for node, _ in wanted)])
        steps = [node for node in loop.steps if node in live]
        self._early = {} if self._is_wide else self._before_passes(steps)
        self._late = {} if self._is_wide else self._after_passes()
        self._columns = list(dict.fromkeys(self._collected()))
        self._rows = [each for each in loop.rows if each.node in live]
        needed = [*moved, *(node for node, every in wanted if not every)]
        live = _live(loop, [*needed, *self._columns], self._early)
        self._steps = [node for node in loop.steps if node in live and node not in self._early]
        self.carried = [each for each in loop.carried if each.node in live]
        """What goes from pass to pass."""
        self._read = live
        self._size = 1  # slot 0 holds the list of values itself
        self._slots: dict[Node, int] = {}
        first = [*(each.node for each in loop.carried), *(each.node for each in loop.rows)]
        for node in dict.fromkeys((*loop.outer, *first, *self._early, *self._steps)):
            self._slots[node] = self._size
            self._size += 1
        self._sums = self._added_up()
        self._moved = [
            place
            for place, each in enumerate(self.carried)
            if all(each is not other.carried for other in self._sums)
        ]
        """The places of what passes carry themselves."""
        self._looks_ahead = any(node.op is MATMUL for node in self._early) and not any(
            node.op.refuses for node in self._early
        )
        """Whether the products of the next stretch are worth a thread, and are no error."""
        columns = [*(each.node for each in self._rows), *self._early, *self._late, *self._columns]
        columns += [node for each in self._sums for node in each.steps]
        most = max(map(nbytes, columns), default=1)
        self._stretch = max(1, min(TOGETHER, STRETCH_BYTES // max(1, most)))

    # --- what is computed when ---

    def _before_passes(self, steps: Sequence[Node]) -> dict[Node, None]:
        """The steps that are computed for many passes at once, from rows and what is outside."""
        inside = self._loop.inside
        by_rows = {each.node for each in self._loop.rows}
        early: dict[Node, None] = {}
        for node in steps:
            if is_elementwise(node, by_rows, inside) or is_product(node, by_rows, inside):
                by_rows.add(node)
                early[node] = None
        return early

    def _after_passes(self) -> dict[Node, None]:
        """The results of all passes that are computed when these have been run."""
        inside = self._loop.inside
        known = {each.node for each in self._loop.carried} | {row.node for row in self._loop.rows}
        late: dict[Node, None] = {}
        for node in self._loop.steps:
            if node in self._early or is_elementwise(node, known, inside):
                known.add(node)
                late[node] = None
        wanted = {node for node, every in self._wanted if every}
        for node in reversed(late):
            if node in wanted:
                wanted.update(node.inputs)
        return {node: None for node in late if node in wanted}

    def _collected(self) -> Iterator[Node]:
        """The nodes whose values of all passes are collected pass by pass."""
        rows = {each.node for each in self._loop.rows}
        for node, every in self._wanted:
            if every and node not in self._late and node not in rows:
                yield node
        inside = self._loop.inside
        for node in self._late:
            if node not in self._early:
                for operand in node.inputs:
                    if operand in inside and operand not in self._late and operand not in rows:
                        yield operand

    def _added_up(self) -> list[Sum]:
        """The sums of products, which are taken out of the steps; what they read is collected."""
        nexts = {each.next for each in self.carried}
        if self._is_wide:
            return []
        asked = {node for node, _ in self._wanted if node not in nexts}.union(self._columns)
        inside = self._loop.inside
        found = list(sums(self._steps, self.carried, asked, inside))
        apart = {node for each in found for node in (*each.steps, each.carried.next)}
        self._steps = [node for node in self._steps if node not in apart]
        given = {*(each.node for each in self._rows), *self._early, *self._columns}
        read = dict.fromkeys(node for each in found for node in each.reads)
        self._columns += [node for node in read if node in inside and node not in given]
        return found

    # --- making ready ---

    def _is_number(self, node: Node) -> bool:
        """Whether a value is held as a number of Python's."""
        return self._plain and not node.shape and node.kind != "int"

    @cached_property
    def _calls(self) -> list[_Call]:
        """What each pass does."""
        if self._is_wide:
            return self._wide_pass()
        calls: list[_Call] = []
        for is_result, group in itertools.groupby(
            self._steps, key=lambda node: isinstance(node.op, Loop)
        ):
            if not is_result:
                calls += [self._call(node) for node in group]
                continue
            results: dict[Loop, list[Node]] = {}
            for node in group:
                assert isinstance(node.op, Loop)
                results.setdefault(node.op, []).append(node)
            calls += [self._loop_inside(nodes) for nodes in results.values()]
        return calls

    def _call(self, node: Node) -> _Call:
        slot = self._slots[node]
        plain = node.op.plain if all(map(self._is_number, (node, *node.inputs))) else None
        of_floats = node.kind == "float" or all(each.kind == "float" for each in node.inputs)
        operands: Sequence[Node] = node.inputs
        of_array = None if any(map(self._is_number, node.inputs)) else node.op.of_array
        if plain is not None and of_floats:
            call = plain
        elif of_array is not None:
            call = self._as_held(node, of_array(node))
        else:
            call, before, after, count = kernel(node)
            operands = node.inputs[:count]
            if not operands or (before and any(map(self._is_number, operands))):
                return self._general(node, call, before, after, operands)
            if before:
                call = bound(call, before, after)
            call = self._as_held(node, call)
        if len(operands) > 2:
            return self._general(node, call, (), (), operands)
        first, *others = [self._slots[each] for each in operands]
        return call, first, others[0] if others else None, slot

    def _as_held(self, node: Node, call: Kernel) -> Kernel:
        """The call with what its slot holds as its result."""
        if not self._is_number(node):
            return call
        return _number(call, float if node.kind == "float" else bool)

    def _general(
        self,
        node: Node,
        call: Kernel,
        before: tuple[Any, ...],
        after: tuple[Any, ...],
        operands: Sequence[Node],
    ) -> _Call:
        """A call of any number of operands, which are arrays."""
        slots = [(self._slots[each], self._is_number(each)) for each in operands]
        number = self._is_number(node)

        def compute(values: list[Any]) -> Any:
            arrays = [np.asarray(values[i]) if plain else values[i] for i, plain in slots]
            value = call(*before, *arrays, *after)
            return value.item() if number else value

        return compute, 0, None, self._slots[node]

    def _wide_pass(self) -> list[_Call]:
        """All steps as one call."""
        wanted = [self.carried[place].next for place in self._moved]
        wanted += [*self._columns, *(node for node, every in self._wanted if not every)]
        outputs = set(self._steps).intersection(wanted)
        if not outputs:
            return []
        results = [node for node in self._steps if node in outputs]
        run, operands = self._resources.wide_pass(self._loop, self._steps, results)
        return [self._of_several(run, operands, results)]

    def _loop_inside(self, results: Sequence[Node]) -> _Call:
        """A loop in the body."""
        return self._of_several(runner(results, self._resources), results[0].inputs, results)

    def _of_several(
        self, run: Callable[..., list[Array]], operands: Sequence[Node], results: Sequence[Node]
    ) -> _Call:
        """A call of arrays that computes several results."""
        taken = [(self._slots[each], self._is_number(each)) for each in operands]
        slots = [(self._slots[each], self._is_number(each)) for each in results]

        def compute(values: list[Any]) -> None:
            arrays = [np.asarray(values[i]) if plain else values[i] for i, plain in taken]
            for (i, plain), value in zip(slots, run(*arrays), strict=True):
                values[i] = value.item() if plain else value

        return compute, 0, None, self._size  # a slot that nothing reads

    # --- running ---

    def run(
        self, operands: Sequence[Array], marks: dict[int, list[Any]] | None = None
    ) -> list[Array]:
        """The values of the wanted results. Into `marks` goes what is carried into each segment, by
        the first of its rows.
        """
        if not telling.in_step():
            return self._run(operands, marks, lambda _: None)
        count = sum(len(self._parts(segment)) for segment in self._segments())
        with telling.counted(count) as told, telling.inner():
            return self._run(operands, marks, told)

    @np.errstate(all="ignore")
    def _run(
        self,
        operands: Sequence[Array],
        marks: dict[int, list[Any]] | None,
        told: Callable[[int], None],
    ) -> list[Array]:
        """The values; `told` is called after each stretch of passes."""
        carried = self._first(operands)
        kept: dict[Node, Array] = {}
        stretches = itertools.count()
        with self._begun(operands) as values:
            for segment in self._segments():
                if marks is not None:
                    marks[segment.start] = [*map(_mark, carried)]
                for part, columns in self._stretches(operands, values, carried, segment, kept):
                    self._keep(kept, columns, part, self.count)
                    told(next(stretches))
            return [
                kept[node]
                if every
                else np.asarray(values[self._slots[node]], node.graph.dtype(node.kind))
                for node, every in self._wanted
            ]

    @np.errstate(all="ignore")
    def again(
        self, operands: Sequence[Array], mark: Sequence[Any], rows: slice
    ) -> dict[Node, Array]:
        """The values of a segment, of those results that are wanted of all passes; its `mark` is
        what is carried into it.
        """
        kept: dict[Node, Array] = {}
        with self._begun(operands) as values:
            for part, columns in self._stretches(operands, values, list(mark), rows):
                inside = slice(part.start - rows.start, part.stop - rows.start)
                self._keep(kept, columns, inside, rows.stop - rows.start)
        return kept

    def _keep(
        self, kept: dict[Node, Array], columns: Mapping[Node, Array], part: slice, count: int
    ) -> None:
        """Put the values of a stretch where those of `count` passes go."""
        for node, every in self._wanted:
            if every:
                if node not in kept:
                    kept[node] = np.empty_like(columns[node], shape=(count, *node.shape))
                if not np.may_share_memory(kept[node], columns[node]):  # else it is there
                    kept[node][part] = columns[node]

    @np.errstate(all="ignore")
    def holds(self, operands: Sequence[Array], expected: Sequence[Array]) -> int:
        """How many passes there are before one in which a wanted node has another value than the
        one `expected` of it. The loop runs forwards.
        """
        bytes_of = [np.frombuffer(each.tobytes(), np.uint8) for each in expected]
        done = 0
        carried, rows = self._first(operands), slice(0, self.count)
        with self._begun(operands) as values:
            for part, columns in self._stretches(operands, values, carried, rows):
                size = part.stop - part.start
                good = np.ones(size, bool)
                for (node, _), wanted in zip(self._wanted, bytes_of, strict=True):
                    found = np.frombuffer(columns[node].tobytes(), np.uint8).reshape(size, -1)
                    good &= (found == wanted).all(1)
                if not good.all():
                    return done + int(np.argmin(good))
                done += size
                telling.made(done)
        return done

    def _segments(self) -> list[slice]:
        """The rows of each segment, in the order of running."""
        return _cut(slice(0, self.count), self._segment)[:: -1 if self._loop.backwards else 1]

    def _parts(self, rows: slice) -> list[slice]:
        """Rows in stretches, in the order of running."""
        if self._loop.backwards:
            return _cut_from_the_end(rows, self._stretch)
        return _cut(rows, self._stretch)

    def _stretches(
        self,
        operands: Sequence[Array],
        values: list[Any],
        carried: list[Any],
        rows: slice,
        kept: Mapping[Node, Array] = EMPTY,
    ) -> Iterator[tuple[slice, dict[Node, Array]]]:
        """Run the passes of some rows, a stretch at a time: which they are, and what is known of
        all of them. `carried` is what the first of them gets, and then what the next one does.
        What passes leave is collected in `kept`, where it has a place there.
        """
        parts = self._parts(rows)
        ahead: dict[Node, Array] = {}
        with Aside(self._threads) as aside:
            for part, following in itertools.zip_longest(parts, parts[1:]):
                aside.finish(_AHEAD)
                columns, ahead = ahead, {}
                if not columns:
                    self._give(columns, operands, values, part)
                if self._looks_ahead and following is not None:
                    aside.give(_AHEAD, partial(self._give, ahead, operands, values, following))
                left = self._pass(values, columns, carried, part)
                for node, found in zip(self._columns, left, strict=True):
                    place = kept[node][part] if node in kept else None
                    columns[node] = self._column(node, found, place)
                for line, each in enumerate(self._sums, _AHEAD + 1):
                    read = {node: columns[node] for node in each.reads if node in columns}
                    aside.give(line, partial(self._add_up, each, read, values, carried))
                self._extend(columns, self._late, values)
                yield part, columns
            aside.finish_all()

    def _give(
        self, columns: dict[Node, Array], operands: Sequence[Array], values: list[Any], part: slice
    ) -> None:
        """Fill in what is known of passes before they are run."""
        loop = self._loop
        sources = dict(zip(loop.rows, operands[len(loop.carried) :], strict=False))
        columns |= {each.node: _forwards(sources[each][part]) for each in self._rows}
        self._extend(columns, self._early, values)

    def _first(self, operands: Sequence[Array]) -> list[Any]:
        """What is carried into the first pass."""
        given = dict(zip(self._loop.carried, operands, strict=False))
        return [self._held(each.node, given[each]) for each in self.carried]

    @contextmanager
    def _begun(self, operands: Sequence[Array]) -> Iterator[list[Any]]:
        """The slots before the first pass."""
        values: list[Any] = [None] * (self._size + 1)
        values[0] = values
        outer = self._loop.outer
        for node, value in zip(outer, operands[len(operands) - len(outer) :], strict=True):
            values[self._slots[node]] = self._held(node, value)
        try:
            yield values
        finally:
            values.clear()  # it holds itself, and so all the rest

    def _held(self, node: Node, value: Array) -> Any:
        return value.item() if self._is_number(node) else value

    def _extend(self, columns: dict[Node, Array], nodes: Iterable[Node], values: list[Any]) -> None:
        """Compute elementwise steps for all passes of a stretch."""
        for node in nodes:
            if node not in columns:
                call, before, after, count = kernel(node)
                arguments = [
                    columns[each] if each in columns else np.asarray(values[self._slots[each]])
                    for each in node.inputs[:count]
                ]
                columns[node] = call(*before, *arguments, *after)

    def _add_up(
        self, found: Sum, columns: dict[Node, Array], values: list[Any], carried: list[Any]
    ) -> None:
        """Add up what a stretch of passes has left; its columns are changed."""
        self._extend(columns, found.steps, values)
        terms = columns[found.term][:: -1 if self._loop.backwards else 1]
        place = self.carried.index(found.carried)
        np.add(carried[place], terms[0], out=terms[0])
        carried[place] = values[self._slots[found.carried.next]] = np.add.reduce(terms, 0)

    def _pass(
        self,
        values: list[Any],
        columns: Mapping[Node, Array],
        carried: list[Any],
        part: slice,
    ) -> list[list[Any]]:
        """Run a stretch of passes; what the next pass gets goes to `carried`. Returns what is
        collected of each column, in the order of rows.
        """
        left: list[list[Any]] = [[] for _ in self._columns]
        given = [
            (self._slots[node], column.tolist() if self._is_number(node) else column)
            for node, column in columns.items()
            if node in self._read
        ]
        keep = [
            (self._slots[node], column.append)
            for node, column in zip(self._columns, left, strict=True)
        ]
        places = [self._slots[self.carried[place].node] for place in self._moved]
        nexts = [self._slots[self.carried[place].next] for place in self._moved]
        moving = [carried[place] for place in self._moved]
        calls, passes = self._calls, range(part.stop - part.start)
        k = slot = 0
        try:
            for k in reversed(passes) if self._loop.backwards else passes:
                for slot, value in zip(places, moving, strict=True):
                    values[slot] = value
                for slot, column in given:
                    values[slot] = column[k]
                for call, first, second, slot in calls:
                    if second is None:
                        values[slot] = call(values[first])
                    else:
                        values[slot] = call(values[first], values[second])
                for slot, append in keep:
                    append(values[slot])
                moving = [values[slot] for slot in nexts]
        except GradcliError as error:
            raise self._refused(error, slot, part.start + k) from None
        for place, value in zip(self._moved, moving, strict=True):
            carried[place] = value
        if self._loop.backwards:
            for each in left:
                each.reverse()
        return left

    def _refused(self, error: GradcliError, slot: int, number: int) -> GradcliError:
        """The error of a pass with its place in the program; a loop inside has told its own."""
        told = error.diagnostic
        if told.message.endswith(IN_LOOP):
            return error
        spans = [node.span for node, place in self._slots.items() if place == slot]
        span = told.span or next(iter(spans), None)
        message = f"{told.message} (in pass {self._loop.before + number + 1:,}{IN_LOOP}"
        return GradcliError(told.code, message, hint=told.hint, span=span)

    def _column(self, node: Node, found: list[Any], column: Array | None) -> Array:
        """The values of a stretch as one array, in the order of rows: in the place for them, if
        there is one. Its axes lie in memory as those of the first value do, as sums are taken in
        the order of memory.
        """
        if self._is_number(node):
            return np.array(found, node.graph.dtype(node.kind))
        if column is None:
            column = _empty_column(np.asarray(found[0]), len(found))
        for k, value in enumerate(found):
            column[k] = value
        return column


def _forwards(column: Array) -> Array:
    """The same rows in the order of memory: NumPy computes exp and others to other bits where they
    lie backwards.
    """
    return column.copy("K") if column.strides and column.strides[0] < 0 else column


def _empty_column(first: Array, count: int) -> Array:
    """An array for so many values like the first one."""
    axes = sorted(range(first.ndim), key=lambda axis: -abs(first.strides[axis]))
    column = np.empty((count, *(first.shape[axis] for axis in axes)), first.dtype)
    return column.transpose(0, *(1 + axes.index(axis) for axis in range(first.ndim)))


def _live(loop: Loop, wanted: Iterable[Node], ready: Iterable[Node] = ()) -> set[Node]:
    """The nodes of the body that passes need for `wanted`, with those that are `ready`."""
    nexts = {each.node: each.next for each in loop.carried}
    done, live = set(ready), set[Node]()
    pending = list(wanted)
    while pending:
        node = pending.pop()
        if node in live or node not in loop.inside:
            continue
        live.add(node)
        if node in nexts:
            pending.append(nexts[node])
        elif node not in done:
            pending += node.inputs
    return live


def _cut(rows: slice, size: int) -> list[slice]:
    """Rows in parts of one size, of which the last may be smaller."""
    starts = range(rows.start, rows.stop, size)
    return [slice(start, min(start + size, rows.stop)) for start in starts]


def _cut_from_the_end(rows: slice, size: int) -> list[slice]:
    """The same from the last rows on."""
    stops = range(rows.stop, rows.start, -size)
    return [slice(max(rows.start, stop - size), stop) for stop in stops]


def _mark(value: Any) -> Any:
    """What is carried, as it is kept for long: not in the memory of more, if its axes can lie in
    its own in the same way.
    """
    if isinstance(value, np.ndarray) and value.base is not None:
        own = value.copy("K")
        return own if own.strides == value.strides else value
    return value


def _number(call: Kernel, convert: Callable[[Any], Any]) -> Kernel:
    """The call with a number of Python's as its result."""
    return lambda *numbers: convert(call(*numbers))
