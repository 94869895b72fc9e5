"""The text of CUDA kernels. A kernel sweeps over a region once: it reads each operand once,
writes each result once, and leaves the partial results of reductions, one a block.

The text says nothing of names or, where it can, of lengths: the same work gives the same text, and
that is found in the cache of compiled kernels.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from gradcli.engine.layout import THREADS, Axis, SweepLayout
from gradcli.engine.member_texts import TYPES, expression
from gradcli.engine.region import Region
from gradcli.graph import Kind, Node, Precision
from gradcli.ops.shapes import Axes

FLOATS: dict[Precision, str] = {"float64": "double", "float32": "float"}

PRELUDE = """\
#ifndef INFINITY
#define INFINITY __int_as_float(0x7f800000)
#endif

template <class A, int N> struct alignas(sizeof(A) * N) Pack { A v[N]; };

struct add {
    template <class A> static __device__ A of(A a, A b) { return a + b; }
};
struct multiply {
    template <class A> static __device__ A of(A a, A b) { return a * b; }
};
struct maximum {
    template <class A> static __device__ A of(A a, A b) { return a != a || a > b ? a : b; }
};
struct minimum {
    template <class A> static __device__ A of(A a, A b) { return a != a || a < b ? a : b; }
};

// The values of a block's threads along the swept axes as one, combined in a fixed order.
template <class Combine, class A>
__device__ A tree(A value, A* shared, int row, int column, int rows, int columns) {
    A* own = shared + row * columns + column;
    *own = value;
    __syncthreads();
    for (int half = rows / 2; half > 0; half /= 2) {
        if (row < half) *own = Combine::of(*own, own[half * columns]);
        __syncthreads();
    }
    return *own;
}
"""

IDENTITIES = {"add": "0", "multiply": "1", "maximum": "-INFINITY", "minimum": "INFINITY"}
"""What a reduction starts from, by the NumPy function that combines."""

MEMBERS = 100
"""Nodes that one kernel computes, at most: a kernel's arguments are limited, and compilers take
ever longer."""


@dataclass(frozen=True, slots=True)
class Sweep:
    """The work for one element; it does not depend on the shape."""

    operands: tuple[Kind, ...]
    """Arrays: element by element they are `a0`, `a1` …"""
    scalars: tuple[Kind, ...]
    """Numbers that are known before the run: `c0`, `c1` …"""
    lines: tuple[str, ...]
    results: tuple[tuple[Kind, str], ...]
    """What is written: a kind, and a value's name."""
    reductions: tuple[tuple[str, str, bool], ...]
    """What is reduced: a value's name, what combines, and whether it is divided by a count."""


# --- what a kernel computes ----------------------------------------------------------------


def passes(region: Region) -> Iterator[Region]:
    """The region as one kernel each: not too many members, reductions along the same axes.

    What a later one needs is a result of an earlier one, or computed again if that is read anyway.
    """
    members = region.members
    number = {node: i // MEMBERS for i, node in enumerate(members)}
    crossing = {
        operand
        for node in members
        for operand in node.inputs
        if number.get(operand, number[node]) != number[node]
    }
    results = crossing.union(region.results)
    reductions: dict[int, dict[Axes, list[Node]]] = {}
    last = max(number.values(), default=0)
    for node in region.reductions:
        by_axes = reductions.setdefault(number.get(node.inputs[0], last), {})
        by_axes.setdefault(node.op.axes(node), []).append(node)
    for i in range(last + 1):
        chunk = members[i * MEMBERS : (i + 1) * MEMBERS]
        written = tuple(node for node in chunk if node in results)
        for together in reductions.get(i, {(): []}).values():
            yield _pass(region, chunk, written, together)
            written = ()


def _pass(
    region: Region, members: Sequence[Node], results: tuple[Node, ...], reductions: Sequence[Node]
) -> Region:
    """The part of a region that some results and reductions need."""
    needed = {*results, *(node.inputs[0] for node in reductions)}
    inside = set(members)
    for node in reversed(members):
        if node in needed:
            needed.update(node.inputs)
    kept = tuple(node for node in members if node in needed)
    operands = dict.fromkeys(
        operand for node in (*kept, *reductions) for operand in node.inputs if operand not in inside
    )
    return Region(region.shape, kept, tuple(reductions), tuple(operands), results)


def sweep_of(region: Region, known: Collection[Node]) -> Sweep:
    """What the kernel of a region does; operands that are `known` are numbers to it."""
    arrays = [node for node in region.operands if node not in known]
    numbers = [node for node in region.operands if node in known]
    names = {node: f"a{i}" for i, node in enumerate(arrays)}
    names |= {node: f"c{i}" for i, node in enumerate(numbers)}
    lines = []
    for i, node in enumerate(region.members):
        names[node] = f"v{i}"
        lines.append(f"const {TYPES[node.kind]} v{i} = {expression(node, names)};")
    return Sweep(
        tuple(node.kind for node in arrays),
        tuple(node.kind for node in numbers),
        tuple(lines),
        tuple((node.kind, names[node]) for node in region.results),
        tuple(
            (names[node.inputs[0]], node.op.combine, node.op.averages) for node in region.reductions
        ),
    )


def second(sweep: Sweep) -> Sweep:
    """What combines the partial results that the blocks of `sweep` have left."""
    reductions = tuple(
        (f"a{i}", combine, averages) for i, (_, combine, averages) in enumerate(sweep.reductions)
    )
    return Sweep(tuple("float" for _ in reductions), (), (), (), reductions)


# --- the kernel ----------------------------------------------------------------------------


def source(sweep: Sweep, layout: SweepLayout, precision: Precision) -> str:
    """The text of a kernel called `sweep`.

    Its arguments are the operands, the scalars, the results, for each reduction its partial
    results (a row for each part) and the count if there is one; then the places of the kept axes,
    the packs along the swept ones, and the packs that a block takes.
    """
    return "\n".join(
        [
            f"typedef {FLOATS[precision]} T;",
            f"typedef {'long long' if layout.wide else 'int'} I;",
            PRELUDE,
            f'extern "C" __global__ void __launch_bounds__({THREADS}) sweep(',
            *_indented(",\n".join(_parameters(sweep)).split("\n")),
            ") {",
            *_indented(_body(sweep, layout)),
            "}",
            "",
        ]
    )


def _parameters(sweep: Sweep) -> Iterator[str]:
    for i, kind in enumerate(sweep.operands):
        yield f"const {TYPES[kind]}* __restrict__ p{i}"
    for i, kind in enumerate(sweep.scalars):
        yield f"const {TYPES[kind]} c{i}"
    for i, (kind, _) in enumerate(sweep.results):
        yield f"{TYPES[kind]}* __restrict__ o{i}"
    for i, (_, _, averages) in enumerate(sweep.reductions):
        yield f"T* __restrict__ q{i}"
        if averages:
            yield f"const T n{i}"
    yield from ("const I kept", "const I swept", "const I chunk")


def _body(sweep: Sweep, layout: SweepLayout) -> Iterator[str]:
    rows, columns = layout.rows, layout.columns
    across = ("%", "/") if layout.along else ("/", "%")
    width = rows if layout.along else columns
    yield f"const int row = threadIdx.x {across[0]} {width};"
    yield f"const int column = threadIdx.x {across[1]} {width};"
    yield f"const I groups = (kept + {columns - 1}) / {columns};"
    yield "const I part = (I)blockIdx.x / groups;"
    yield f"const I k = (I)blockIdx.x % groups * {columns} + column;"
    yield "const I first = part * chunk;"
    yield "const I last = min(first + chunk, swept);"
    for i, (_, combine, _) in enumerate(sweep.reductions):
        yield f"T s{i} = {IDENTITIES[combine]};"
    yield "if (k < kept) {"
    yield from _indented(_walk(sweep, layout))
    yield "}"
    if sweep.reductions:
        yield f"__shared__ T shared[{THREADS}];"
    for i, (_, combine, averages) in enumerate(sweep.reductions):
        yield f"s{i} = tree<{combine}>(s{i}, shared, row, column, {rows}, {columns});"
        total = f"s{i} / n{i}" if averages else f"s{i}"
        yield f"if (row == 0 && k < kept) q{i}[part * kept + k] = {total};"


def _walk(sweep: Sweep, layout: SweepLayout) -> Iterator[str]:
    """What one thread does: it reads some packs, computes with them, and goes on."""
    ahead = layout.ahead
    yield from _coordinates("k", layout.kept, 1)
    steady = {
        i for i in range(len(sweep.operands)) if not any(axis.strides[i] for axis in layout.swept)
    }
    for i in steady:
        kind = TYPES[sweep.operands[i]]
        yield f"const {kind} a{i} = p{i}[{_offset(layout, i, swept=False)}];"
    moving = [i for i in range(len(sweep.operands)) if i not in steady]
    yield f"for (I r = first + row; r < last; r += {layout.rows * ahead}) {{"
    yield from _indented(_ahead(sweep, layout, moving))
    yield from _indented(_unrolled(layout, _compute(sweep, layout, moving)))
    yield "}"


def _ahead(sweep: Sweep, layout: SweepLayout, moving: Sequence[int]) -> Iterator[str]:
    """Reading: all that a thread asks for before it waits."""
    for i in moving:
        yield f"{_type(sweep.operands[i], _packed(layout, i))} x{i}[{layout.ahead}];"
    loads = []
    for i in moving:
        place = f"p{i} + ({_offset(layout, i)})"
        kind = _type(sweep.operands[i], _packed(layout, i))
        loads.append(f"x{i}[u] = *(const {kind}*)({place});")
    if loads:
        yield from _unrolled(layout, [*_coordinates("i", layout.swept, layout.pack), *loads])


def _compute(sweep: Sweep, layout: SweepLayout, moving: Sequence[int]) -> Iterator[str]:
    """What happens to one pack."""
    pack = layout.pack
    if sweep.results:
        yield from _coordinates("i", layout.swept, pack)
    for i, (kind, _) in enumerate(sweep.results):
        yield f"{_type(kind, pack)} y{i};"
    lane = "[w]" if pack > 1 else ""
    lines = []
    for i in moving:
        value = f"x{i}[u].v[w]" if _packed(layout, i) > 1 else f"x{i}[u]"
        lines.append(f"const {TYPES[sweep.operands[i]]} a{i} = {value};")
    lines += sweep.lines
    lines += [
        f"y{i}{'.v' * (pack > 1)}{lane} = {name};" for i, (_, name) in enumerate(sweep.results)
    ]
    lines += [
        f"s{i} = {combine}::of(s{i}, (T){name});"
        for i, (name, combine, _) in enumerate(sweep.reductions)
    ]
    if pack > 1:
        yield "#pragma unroll"
        yield f"for (int w = 0; w < {pack}; ++w) {{"
        yield from _indented(lines)
        yield "}"
    else:
        yield from lines
    for i, (kind, _) in enumerate(sweep.results):
        yield f"*({_type(kind, pack)}*)(o{i} + ({_offset(layout, len(sweep.operands))})) = y{i};"


def _unrolled(layout: SweepLayout, lines: Iterator[str] | Sequence[str]) -> Iterator[str]:
    """The lines for each pack `i` that a thread has before it."""
    yield "#pragma unroll"
    yield f"for (int u = 0; u < {layout.ahead}; ++u) {{"
    yield f"    const I i = r + u * {layout.rows};"
    yield "    if (i < last) {"
    yield from _indented(_indented(lines))
    yield "    }"
    yield "}"


def _packed(layout: SweepLayout, operand: int) -> int:
    """How many elements of an operand are read at once."""
    return layout.pack if layout.swept[-1].strides[operand] else 1


def _type(kind: Kind, pack: int) -> str:
    return f"Pack<{TYPES[kind]}, {pack}>" if pack > 1 else TYPES[kind]


# --- where an element lies -----------------------------------------------------------------


def _coordinates(index: str, axes: Sequence[Axis], pack: int) -> Iterator[str]:
    """Take the number of a place apart into one for each axis: `i0`, `i1` …

    The last axis is counted in packs.
    """
    rest = index
    for number in range(len(axes) - 1, 0, -1):
        length = axes[number].length // (pack if number == len(axes) - 1 else 1)
        yield f"const I {index}{number} = {rest} % {length};"
        yield f"const I {index}_{number} = {rest} / {length};"
        rest = f"{index}_{number}"
    if axes:
        yield f"const I {index}0 = {rest};"


def _offset(layout: SweepLayout, operand: int, *, swept: bool = True) -> str:
    """The place of an element in the memory of an operand (behind the last one: of a result)."""
    terms = _terms("k", layout.kept, operand, 1)
    if swept:
        terms += _terms("i", layout.swept, operand, layout.pack)
    return " + ".join(terms) or "0"


def _terms(index: str, axes: Sequence[Axis], operand: int, pack: int) -> list[str]:
    terms = []
    for number, axis in enumerate(axes):
        step = axis.strides[operand] * (pack if number == len(axes) - 1 else 1)
        if step:
            terms.append(f"{index}{number}" if step == 1 else f"{index}{number} * {step}")
    return terms


def _indented(lines: Iterator[str] | Sequence[str]) -> list[str]:
    return [line if line.startswith("#") else f"    {line}" for line in lines]
