"""Running plans on a GPU. This is the one module that imports cupy.

Chains of elementwise ops and the reductions at their ends are one kernel each, written by
`gradcli.engine.cuda`. Everything else is cupy's: contractions are cuBLAS, decompositions cuSOLVER.
What cupy cannot do, or not in a fixed order, NumPy does beside it, and a note says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np

from gradcli.diagnostics import GradcliError, Note, Source
from gradcli.engine.cpu import NOWHERE, compute
from gradcli.engine.cuda import Sweep, passes, second, source, sweep_of
from gradcli.engine.kernels import attributes_of
from gradcli.engine.layout import PACK_BYTES, PARTS, THREADS, Layout, Strides, walk
from gradcli.engine.plan import Plan, Unit
from gradcli.engine.regions import Region, units
from gradcli.engine.streaming import Lanes, is_streamable, stream
from gradcli.graph import INPUT, LITERAL, Array, Node, Precision, Shape, ancestors
from gradcli.ledger import show_bytes
from gradcli.ops.kinds import CAST

CardArray: TypeAlias = Any
"""A `cupy.ndarray`; cupy has no types."""

OPTIONS = ("--std=c++17", "--prec-div=false")
"""Quotients of float32 may be 2 units in the last place off: exact ones take four times as long."""
KERNELS = 4096
"""Kernels that are kept loaded."""

INSTALL = (
    "pip install 'gradcli[gpu]' is for drivers of CUDA 13, 'gradcli[gpu12]' of CUDA 12; "
    "--device cpu needs neither"
)
REFUSALS = (AttributeError, GradcliError, NotImplementedError, TypeError, ValueError)
"""What cupy raises where it lacks something or an operand is wrong (as singular matrices are), and
ops where they refuse one. NumPy is asked then: it can do it, or knows what is wrong."""


# --- the card ------------------------------------------------------------------------------


class Card:
    """The GPU, through cupy. The error `device` says what was found where there is none."""

    def __init__(self) -> None:
        try:
            import cupy
            import cupyx
        except Exception as error:  # noqa: BLE001 (what a broken installation raises is its own)
            raise _unusable(f"cupy cannot be imported: {_told(error)}") from None
        try:
            count = cupy.cuda.runtime.getDeviceCount()
            if count:
                cupy.cuda.nvrtc.getVersion()
                cupy.cuda.runtime.memGetInfo()
        except Exception as error:  # noqa: BLE001
            raise _unusable(f"cupy {cupy.__version__} cannot use a GPU: {_told(error)}") from None
        if not count:
            raise _unusable(f"cupy {cupy.__version__} finds no GPU")
        self.xp = cupy
        self.lanes = Lanes(cupy, cupyx.empty_pinned)
        self._errstate = cupyx.errstate
        properties = cupy.cuda.runtime.getDeviceProperties(cupy.cuda.Device().id)
        self.name: str = properties["name"].decode()

    def free_bytes(self) -> int:
        """Memory that values can take now."""
        free, _ = self.xp.cuda.runtime.memGetInfo()
        return int(free + self.xp.get_default_memory_pool().free_bytes())

    @contextmanager
    def working(self) -> Iterator[None]:
        """Around work on the card: what goes wrong there is the error `device`."""
        cuda = self.xp.cuda
        try:
            with self._errstate(linalg="raise"):
                yield
        except cuda.memory.OutOfMemoryError as error:
            raise _unusable(f"{self.name} is out of memory: {_told(error)}") from None
        except (
            cuda.runtime.CUDARuntimeError,
            cuda.driver.CUDADriverError,
            cuda.compiler.CompileException,
        ) as error:
            raise _unusable(f"{self.name} failed: {_told(error)}") from None


@lru_cache(1)
def card() -> Card:
    """The card, looked for once."""
    return Card()


@lru_cache(KERNELS)
def kernel(sweep: Sweep, layout: Layout, precision: Precision) -> Any:
    """What sweeps over a region of this layout."""
    return compiled(source(sweep, layout, precision))


@lru_cache(KERNELS)
def compiled(text: str) -> Any:
    """A kernel, compiled when it is first called; cupy keeps what it compiles on the disk."""
    return card().xp.RawKernel(text, "sweep", options=OPTIONS)


def _told(error: Exception) -> str:
    """What an exception says, in a line: its last words, which are the cause."""
    lines = [line.strip(" =") for line in str(error).splitlines()]
    return next((line for line in reversed(lines) if line), type(error).__name__)


def _unusable(what: str) -> GradcliError:
    return GradcliError("device", what, hint=INSTALL, source=Source("--device gpu", ""))


# --- regions -------------------------------------------------------------------------------


class SweepRunner:
    """A region made ready for the card; calling it runs its kernel."""

    def __init__(self, region: Region, known: Mapping[Node, Array]) -> None:
        """Single values that are `known` are arguments of the kernel."""
        numbers = [node for node in region.operands if node in known and node.size == 1]
        self.region = region
        self.sweep = sweep_of(region, numbers)
        self.operands = tuple(node for node in region.operands if node not in numbers)
        self._precision = region.nodes[0].graph.precision
        self._float = np.dtype(self._precision).type
        self._known_nodes = numbers
        self.know(known)
        self._types = [node.graph.dtype(node.kind) for node in region.results]
        first = next(iter(region.reductions), None)  # all go along the same axes
        self._axes: Sequence[int] = () if first is None else first.op.axes(first)
        self._counts = [self._count(node) for node in region.reductions if node.op.averages]

    def know(self, known: Mapping[Node, Array]) -> None:
        """Take other numbers for those that are known."""
        self._numbers = [known[node].reshape(())[()] for node in self._known_nodes]

    def __call__(self, *operands: CardArray) -> list[CardArray]:
        """The region's results, then its reductions."""
        results, totals = self.part(self.region.shape, operands, self._counts)
        shapes = (node.shape for node in self.region.reductions)
        return results + [total.reshape(shape) for total, shape in zip(totals, shapes, strict=True)]

    def part(
        self, shape: Shape, operands: Sequence[CardArray], counts: Sequence[Any] | None = None
    ) -> tuple[list[CardArray], list[CardArray]]:
        """Results and reductions for some rows of the region; without `counts` nothing is averaged.

        Reductions are flat.
        """
        results = [card().xp.empty(shape, dtype) for dtype in self._types]
        counts = [self._float(1)] * len(self._counts) if counts is None else counts
        arguments = [*operands, *self._numbers, *results]
        totals = self._reduced(self.sweep, shape, self._axes, operands, arguments, counts)
        return results, totals

    def _reduced(
        self,
        sweep: Sweep,
        shape: Shape,
        axes: Sequence[int],
        operands: Sequence[CardArray],
        arguments: Sequence[Any],
        counts: Sequence[Any],
        parts: int = PARTS,
    ) -> list[CardArray]:
        """Run a kernel, and where several blocks share a place another one on what they leave."""
        layout = self._layout(shape, axes, operands, parts)
        empty = card().xp.empty
        left = [empty((layout.parts, layout.places), self._float) for _ in sweep.reductions]
        whole = layout.parts == 1
        divisors = iter(counts if whole else [self._float(1)] * len(counts))
        index = np.int64 if layout.wide else np.int32
        extents = map(index, (layout.places, layout.packs, layout.chunk))
        reductions = [
            argument
            for (_, _, averages), array in zip(sweep.reductions, left, strict=True)
            for argument in ((array, next(divisors)) if averages else (array,))
        ]
        run = kernel(sweep, layout, self._precision)
        run((layout.blocks,), (THREADS,), (*arguments, *reductions, *extents))
        if whole or not left:
            return left
        # A second kernel, with all parts of a place in one block.
        return self._reduced(second(sweep), left[0].shape, (-2,), left, left, counts, parts=1)

    def _layout(
        self, shape: Shape, axes: Sequence[int], operands: Sequence[CardArray], parts: int
    ) -> Layout:
        itemsize = np.dtype(self._float).itemsize
        pack = PACK_BYTES // itemsize
        aligned = parts > 1 and all(
            each.data.ptr % (each.itemsize * pack) == 0 for each in operands
        )
        strides = tuple(_strides(each, shape) for each in operands)
        return walk(shape, tuple(axes), strides, itemsize, packs=aligned, parts=parts)

    def _count(self, node: Node) -> Any:
        return self._float(node.inputs[0].size // max(node.size, 1))


def _strides(array: CardArray, shape: Shape) -> Strides:
    """The strides of an operand along the axes of a shape that it broadcasts to."""
    strides: list[int] = [0] * (len(shape) - array.ndim)
    for length, stride in zip(array.shape, array.strides, strict=True):
        strides.append(0 if length == 1 else stride // array.itemsize)
    return tuple(strides)


# --- plans ---------------------------------------------------------------------------------


class Engine:
    """A plan made ready for the card. It may run many times."""

    device = "gpu"

    def __init__(self, outputs: Sequence[Node]) -> None:
        self._card = card()
        self._known = _known(outputs, {})
        self.plan = Plan(outputs, self._units)
        self.notes: list[Note] = []
        """What was computed elsewhere, said once."""
        self._sweeps = {
            unit: SweepRunner(unit, self._known)
            for unit in self.plan.units
            if isinstance(unit, Region)
        }
        self._constants: dict[Node, CardArray] | None = None

    def run(
        self, inputs: Mapping[Node, Array], targets: Mapping[Node, Array] = NOWHERE
    ) -> list[Array]:
        """The values of the plan's outputs; those with a target are written into it.

        Raises `limit-memory` where the card has too little, `device` where it fails, and what ops
        raise.
        """
        self._learn({node: array for node, array in inputs.items() if node.op is LITERAL})
        inputs = {node: array for node, array in inputs.items() if node.op is INPUT}
        with self._card.working():
            free, needed = self._card.free_bytes(), self.plan.peak_bytes()
            if needed > free:
                if not is_streamable(self.plan, free):
                    raise self._too_large(needed, free)
                return stream(self, inputs, targets, self._card.lanes, free)
            lanes = self._card.lanes
            values = {node: lanes.upload(array) for node, array in inputs.items()}
            return [
                lanes.download(value, targets.get(node))
                for node, value in zip(self.plan.outputs, self.compute(values), strict=True)
            ]

    def _learn(self, literals: Mapping[Node, Array]) -> None:
        """Take other numbers for those that stand in the program."""
        if any(
            not np.array_equal(self._known.get(node, array), array)
            for node, array in literals.items()
        ):
            self._known = _known(self.plan.outputs, literals)
            self._constants = None
            for runner in self._sweeps.values():
                runner.know(self._known)

    def compute(self, inputs: Mapping[Node, CardArray]) -> list[CardArray]:
        """The same on arrays that are on the card, and stay there."""
        values = {**self.constants(), **inputs}
        for unit, dying in zip(self.plan.units, self.plan.dying, strict=True):
            self.step(unit, values)
            for node in dying:
                values.pop(node, None)
        return [values[node] for node in self.plan.outputs]

    def constants(self) -> dict[Node, CardArray]:
        """What is known before the run, on the card; single values only where cupy takes them."""
        if self._constants is None:
            taken = {*self.plan.outputs}
            for unit in self.plan.units:
                if isinstance(unit, Region):
                    taken.update(self._sweeps[unit].operands)
                elif isinstance(unit, Node) and unit not in self._known:
                    taken.update(unit.inputs)
            self._constants = {
                node: self._card.xp.asarray(array)
                for node, array in self._known.items()
                if node in taken
            }
        return self._constants

    def step(self, unit: Unit, values: dict[Node, Any]) -> None:
        """Compute a unit from the values that are there."""
        if isinstance(unit, Region):
            runner = self._sweeps[unit]
            found = runner(*(values[node] for node in runner.operands))
            values.update(zip(unit.nodes, found, strict=True))
        elif isinstance(unit, Node) and unit not in self._known:
            values[unit] = self._single(unit, [values[node] for node in unit.inputs])

    def sweep(self, region: Region) -> SweepRunner:
        """What runs a region of the plan."""
        return self._sweeps[region]

    def _single(self, node: Node, operands: Sequence[CardArray]) -> CardArray:
        """A node on its own, by cupy's functions, else by NumPy's."""
        xp = self._card.xp
        dtype = node.graph.dtype(node.kind)
        if not node.op.host:
            try:
                return xp.asarray(node.op.forward(xp, *operands, *attributes_of(node)), dtype)
            except REFUSALS:
                pass
        value = compute(node, [operand.get() for operand in operands])
        note = Note("device", f"{node.op.name} was computed on the CPU")
        if note not in self.notes:
            self.notes.append(note)
        return xp.asarray(value)

    def _units(self, schedule: Sequence[Node], outputs: Sequence[Node]) -> list[Node | Region]:
        """Regions of all sizes, of all that has a CUDA expression, each as small as a kernel."""
        known = self._known

        def is_member(node: Node) -> bool:
            # CUDA expressions of functions are for floats and truth values.
            has_text = bool(node.op.cuda) and (node.kind != "int" or node.op is CAST)
            return has_text and node.size > 0 and node not in known

        def is_swept(node: Node) -> bool:
            if not node.op.combine or node.kind != "float" or node in known:
                return False
            (operand,) = node.inputs
            return operand.size > 0 and (node.op.axes(node) != () or operand.shape == ())

        found: list[Node | Region] = []
        for unit in units(schedule, outputs, is_member, is_swept):
            if isinstance(unit, Region):
                found += passes(unit)
            else:
                found.append(unit)
        return found

    def _too_large(self, needed: int, free: int) -> GradcliError:
        largest = max(self.plan.nodes, key=lambda node: node.size)
        return GradcliError(
            "limit-memory",
            f"this run needs about {show_bytes(needed)} of the GPU's memory; {show_bytes(free)} "
            f"of {self._card.name} are free",
            hint=f"the largest value has shape {largest.shape}; elementwise functions and "
            "reductions alone are computed in pieces; --device cpu has the machine's memory",
            span=largest.span,
        )


def _known(outputs: Sequence[Node], literals: Mapping[Node, Array]) -> dict[Node, Array]:
    """Constants, and single values that follow from single values among them.

    `literals` are those that have other values than when they were traced.
    """
    found: dict[Node, Array] = {}
    for node in ancestors(outputs):
        single = bool(node.inputs) and all(each.size == 1 for each in (node, *node.inputs))
        if node.known is not None:
            found[node] = literals.get(node, node.known)
        elif single and all(each in found for each in node.inputs):
            found[node] = compute(node, [found[each] for each in node.inputs])
    return found
