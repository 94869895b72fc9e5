"""Making tensors. Nothing is allocated here: a constructor is a node like any other, so the
memory of a run is estimated before it is used.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from gradcli.diagnostics import GradcliError
from gradcli.graph import Array, Graph, Kind, Node, Shape
from gradcli.language.construct import call, number
from gradcli.language.syntax import Expression
from gradcli.ops.group import Group
from gradcli.ops.kinds import General, Spelling, cast
from gradcli.ops.promotion import filling
from gradcli.ops.shaping import expand, part, reshape
from gradcli.ops.table import Case

if TYPE_CHECKING:
    from gradcli.graph import ArrayNamespace

table = Group("creation")


def _lengths(name: str, lengths: tuple[Any, ...]) -> Shape:
    """The shape in `zeros(2, 3)` and `zeros((2, 3))`."""
    shape = lengths[0] if len(lengths) == 1 and isinstance(lengths[0], tuple) else lengths
    if any(length < 0 for length in shape):
        raise GradcliError("value", f"{name}: a length cannot be negative: {tuple(shape)}")
    return tuple(shape)


def _filled(graph: Graph, value: float, shape: Shape) -> Node:
    return expand(graph.constant(value), shape)


@table.function(
    cases=[Case("x * zeros(2, 3)")], numpy="np.zeros", torch="torch.zeros", needs=("shape",)
)
def zeros(graph: Graph, *shape: int) -> Node:
    """Zeros of a shape."""
    return _filled(graph, 0.0, _lengths("zeros", shape))


@table.function(
    cases=[Case("x * ones(2, 3)")], numpy="np.ones", torch="torch.ones", needs=("shape",)
)
def ones(graph: Graph, *shape: int) -> Node:
    """Ones of a shape."""
    return _filled(graph, 1.0, _lengths("ones", shape))


@table.function(cases=[Case("x * full((2, 3), 7)")], takes_numbers=("fill_value",))
def full(graph: Graph, shape: tuple[int, ...], fill_value: Node) -> Node:
    """A tensor of a shape, filled with one value."""
    return expand(fill_value, _lengths("full", (shape,)))


@table.function(
    cases=[Case("x * zeros_like(x)")], numpy="np.zeros_like", torch="torch.zeros_like", order="kept"
)
def zeros_like(x: Node) -> Node:
    """Zeros of the shape and kind of x."""
    return full_like(x, x.graph.constant(0.0))


@table.function(
    cases=[Case("x * ones_like(x)")], numpy="np.ones_like", torch="torch.ones_like", order="kept"
)
def ones_like(x: Node) -> Node:
    """Ones of the shape and kind of x."""
    return full_like(x, x.graph.constant(1.0))


@table.function(
    takes_numbers=("fill_value",),
    cases=[Case("x * full_like(x, 3)")],
    numpy="np.full_like",
    torch="torch.full_like",
    order="kept",
    keeps_integers=True,
)
def full_like(x: Node, fill_value: Node) -> Node:
    """A tensor of the shape of x, filled with one value; a number takes the kind of x."""
    _, value = filling(x, fill_value)
    return expand(value, x.shape)


@table.function(
    aliases=(
        "array",
        "Variable",
        "from_numpy",
    ),
    cases=[Case("x * tensor([1, 2, 3])")],
)
def tensor(data: Node) -> Node:
    """A tensor of the given elements; with `requires_grad=True` it is a leaf, as from any of the
    functions that make tensors.
    """
    return data


@table.function(
    "FloatTensor", aliases=("DoubleTensor", "Tensor"), cases=[Case("x * FloatTensor([1, 2, 3])")]
)
def float_tensor(data: Node) -> Node:
    """A tensor of the elements of a list; PyTorch's for a length have undefined elements."""
    if not data.shape:
        raise GradcliError(
            "type",
            "FloatTensor and Tensor take a list: with a length, elements would be undefined",
            hint="tensor(2) is the number, zeros(2) has two elements",
        )
    return data


@table.function(aliases=("asarray",), cases=[Case("x * as_tensor([1, 2, 3])")], passes_on=True)
def as_tensor(data: Node) -> Node:
    """The same as `tensor`, but a tensor is returned itself, not as another one."""
    return data


# --- sequences and matrices ----------------------------------------------------------------


def _constructor(
    name: str,
    shape: Callable[..., Shape],
    forward: Callable[..., Array],
    spell: Spelling = lambda node: call(node.op.name, *map(number, node.attributes[:-1])),
) -> General:
    """An op without operands."""
    return General(
        name,
        infer=lambda *attributes: (shape(*attributes), "float"),
        forward=forward,
        typed=True,
        spell=spell,
    )


def _arange_spelled(node: Node) -> Expression | None:
    """Unless all are whole numbers, the end is half a step earlier, so that rounding has no
    effect.
    """
    start, count, step, _ = node.attributes
    whole = start == int(start) and step == int(step)
    end = start + (count if whole else count - 0.5) * step
    if not count:
        return None
    return call("arange", *map(number, (end,) if (start, step) == (0, 1) else (start, end, step)))


EYE = _constructor(
    "eye",
    shape=lambda rows, columns, kind: (rows, columns),
    forward=lambda xp, rows, columns, dtype: xp.eye(rows, columns, dtype=dtype),
)
ARANGE = _constructor(
    "arange",
    shape=lambda start, count, step, kind: (count,),
    forward=lambda xp, start, count, step, dtype: start + step * xp.arange(count, dtype=dtype),
    spell=_arange_spelled,
)
LINSPACE = _constructor(
    "linspace",
    shape=lambda start, end, steps, kind: (steps,),
    forward=lambda xp, start, end, steps, dtype: xp.linspace(start, end, steps, dtype=dtype),
)


@table.function(
    aliases=("identity",),
    cases=[Case("x @ eye(3)")],
    unlike={"jax.nn.identity": "x itself"},
    numpy="np.eye",
    torch="torch.eye",
    overloaded=True,
)
def eye(graph: Graph, n: int, m: int | None = None) -> Node:
    """The identity matrix: ones on the diagonal."""
    rows, columns = _lengths("eye", (n, n if m is None else m))
    return graph.apply(EYE, (), (rows, columns, "float"))


@table.function("np.eye", cases=[Case("x @ np.eye(3)"), Case("x @ np.eye(3, 3, 1)")])
def numpy_eye(graph: Graph, n: int, m: int | None = None, k: int = 0) -> Node:
    """A matrix with ones on the k-th diagonal, above the middle one where k is positive."""
    found = eye(graph, n, m)
    return found if k == 0 else graph.constant(np.eye(n, m, k))


@table.function(
    cases=[Case("x * arange(3)")], numpy="np.arange", torch="torch.arange", overloaded=True
)
def arange(
    graph: Graph, start: float | None = None, end: float | None = None, step: float = 1.0
) -> Node:
    """Numbers from `start` up to, not including, `end`; with one argument from 0."""
    if end is None:
        start, end = None, start
    if end is None:
        raise GradcliError("type", "arange needs an end")
    if start is None:
        start = 0.0
    if step == 0 or not all(map(math.isfinite, (start, end, step))):
        raise GradcliError("value", "arange: bounds must be finite and the step not 0")
    count = max(0, math.ceil((end - start) / step))
    return graph.apply(ARANGE, (), (float(start), count, float(step), "float"))


@table.function(
    cases=[Case("x * linspace(0, 1, 3)")],
    numpy="np.linspace",
    torch="torch.linspace",
    needs=("steps",),
    overloaded=True,
)
def linspace(graph: Graph, start: float, end: float, steps: int = 50) -> Node:
    """`steps` numbers at equal distances, from `start` to `end`, both included."""
    (count,) = _lengths("linspace", (steps,))
    return graph.apply(LINSPACE, (), (float(start), float(end), count, "float"))


@table.function(
    cases=[Case("x * logspace(0, 2, 3)")],
    numpy="np.logspace",
    torch="torch.logspace",
    needs=("steps",),
    overloaded=True,
)
def logspace(graph: Graph, start: float, end: float, steps: int = 50, base: float = 10.0) -> Node:
    """`steps` powers of `base`, whose exponents are at equal distances from `start` to `end`."""
    return graph.constant(base) ** linspace(graph, start, end, steps)


# --- random numbers ------------------------------------------------------------------------


def _random(name: str, draw: Callable[[Any, Shape], Array]) -> General:
    """Draws from its own generator, with the run's seed and the number of the draw as its key.
    Draws of a range of numbers lie one behind the other along a first axis.
    """

    def forward(
        xp: ArrayNamespace, shape: Shape, seed: int, index: int | range, dtype: Any
    ) -> Array:
        import numpy as np

        if isinstance(index, range):
            rows = np.empty((len(index), *shape), dtype)
            for place, each in enumerate(index):
                rows[place] = forward(xp, shape, seed, each, dtype)
            return rows
        generator = np.random.Generator(np.random.PCG64(np.random.SeedSequence((seed, index))))
        return draw(generator, shape).astype(dtype, copy=False)

    def infer(shape: Shape, seed: int, index: int | range, kind: Kind) -> tuple[Shape, Kind]:
        return ((len(index), *shape) if isinstance(index, range) else shape), "float"

    return General(
        name,
        infer=infer,
        forward=forward,
        unique=True,
        typed=True,
        host=math.inf,
        spell=lambda node: call(name, *map(number, node.shape)),
    )


RANDN = _random("randn", lambda generator, shape: generator.standard_normal(shape))
RAND = _random("rand", lambda generator, shape: generator.random(shape))


def draw_of(node: Node) -> int | range | None:
    """The number of a draw, or the numbers of several; None of what is not drawn."""
    return node.attributes[2] if node.op in (RANDN, RAND) else None


def redrawn(node: Node, numbers: range) -> Node:
    """Draws of other numbers, one behind the other along a new first axis."""
    shape, seed, _, kind = node.attributes
    return node.graph.apply(node.op, (), (shape, seed, numbers, kind))


@table.function(cases=[Case("x * randn(2, 3)")], needs=("shape",), overloaded=True)
def randn(graph: Graph, *shape: int) -> Node:
    """Random numbers from the standard normal distribution."""
    return graph.apply(RANDN, (), (_lengths("randn", shape), *graph.draw(), "float"))


@table.function(cases=[Case("x * rand(2, 3)")], needs=("shape",), overloaded=True)
def rand(graph: Graph, *shape: int) -> Node:
    """Random numbers, uniform between 0 and 1."""
    return graph.apply(RAND, (), (_lengths("rand", shape), *graph.draw(), "float"))


@table.function(cases=[Case("x * randn_like(x)")], overloaded=True, order="kept")
def randn_like(x: Node) -> Node:
    """Random numbers from the standard normal distribution, in the shape of x."""
    return randn(x.graph, x.shape)


@table.function(cases=[Case("x * rand_like(x)")], overloaded=True, order="kept")
def rand_like(x: Node) -> Node:
    """Random numbers, uniform between 0 and 1, in the shape of x."""
    return rand(x.graph, x.shape)


# --- kinds ---------------------------------------------------------------------------------


@table.function(
    aliases=("double",),
    cases=[Case("float(x > 0)", smooth=False)],
    passes_on=True,
    numpy="np.float64",
)
def float_(x: Node) -> Node:
    """Truth values and integers as floating-point numbers."""
    return cast(x, "float")


@table.function(aliases=("int",), cases=[Case("x * long(2 * x)", smooth=False)], numpy="np.int64")
def long(x: Node) -> Node:
    """x as integers: fractions are cut off, towards 0."""
    return cast(x, "int")


@table.function(cases=[Case("x * bool(x)", smooth=False)])
def bool_(x: Node) -> Node:
    """Whether the elements are other than 0."""
    return cast(x, "bool")


@table.function(
    cases=[Case("type_as(x, y > 0)", {"x": (2,), "y": (2,)}, smooth=False)],
    passes_on=True,
)
def type_as(x: Node, other: Node) -> Node:
    """x as floats, integers or truth values, whichever the other tensor holds."""
    return cast(x, other.kind)


# --- places --------------------------------------------------------------------------------


def _below(row: int, col: int, offset: int) -> int:
    """The number of elements of a matrix on and below a diagonal."""
    rows = max(0, min(row, row + offset))
    first = min(col, max(1, 1 + offset))
    rising = min(rows, col - first)
    return rising * first + rising * (rising - 1) // 2 + (rows - rising) * col


def _tril_indices(xp: ArrayNamespace, row: int, col: int, offset: int) -> Array:
    rows = xp.arange(min(row, max(0, -offset)), row)
    return _places(xp, rows, xp.zeros_like(rows), xp.minimum(rows + offset + 1, col))


def _triu_indices(xp: ArrayNamespace, row: int, col: int, offset: int) -> Array:
    rows = xp.arange(max(0, min(row, col - offset)))
    return _places(xp, rows, xp.maximum(rows + offset, 0), xp.full_like(rows, col))


def _places(xp: ArrayNamespace, rows: Array, starts: Array, ends: Array) -> Array:
    """The indices from start to end in each of some rows; no mask of the whole matrix is made.

    cupy repeats every element equally often, so this is NumPy's to compute.
    """
    counts = ends - starts
    first = xp.cumsum(counts) - counts  # where each row's places begin among all
    found = xp.empty((2, int(xp.sum(counts))), rows.dtype)
    found[0] = xp.repeat(rows, counts)
    found[1] = xp.arange(found.shape[1])
    found[1] += xp.repeat(starts - first, counts)
    return found


def _places_work(node: Node) -> float:
    return 1.5 * node.size  # rows, as many as there are places at most, and what they make


TRIL_INDICES = General(
    "tril_indices",
    infer=lambda row, col, offset: ((2, _below(row, col, offset)), "int"),
    forward=_tril_indices,
    work=_places_work,
    host=math.inf,
)
TRIU_INDICES = General(
    "triu_indices",
    infer=lambda row, col, offset: ((2, row * col - _below(row, col, offset - 1)), "int"),
    forward=_triu_indices,
    work=_places_work,
    host=math.inf,
)


@table.function(cases=[Case("x[tril_indices(2, 3)[0]]", smooth=False)])
def tril_indices(graph: Graph, row: int, col: int, offset: int = 0) -> Node:
    """The rows and columns of the places on and below a diagonal, as two rows of integers."""
    row, col = _lengths("tril_indices", (row, col))
    offset = max(-row, min(offset, col))
    return _triangle(graph, TRIL_INDICES, row, min(col, row + offset), offset)


@table.function("np.tril_indices", cases=[Case("x[np.tril_indices(2)[0]]", smooth=False)])
def numpy_tril_indices(graph: Graph, n: int, k: int = 0, m: int | None = None) -> tuple[Node, ...]:
    """`tril_indices` as NumPy has it: a pair, for n rows and m columns, n without m."""
    return _rows(tril_indices(graph, n, n if m is None else m, k))


@table.function("np.triu_indices", cases=[Case("x[np.triu_indices(2)[0]]", smooth=False)])
def numpy_triu_indices(graph: Graph, n: int, k: int = 0, m: int | None = None) -> tuple[Node, ...]:
    """`triu_indices` as NumPy has it: a pair, for n rows and m columns, n without m."""
    return _rows(triu_indices(graph, n, n if m is None else m, k))


def _rows(places: Node) -> tuple[Node, ...]:
    return tuple(reshape(part(places, 0, row, 1), -1) for row in (0, 1))


@table.function(cases=[Case("x[triu_indices(2, 3)[0]]", smooth=False)])
def triu_indices(graph: Graph, row: int, col: int, offset: int = 0) -> Node:
    """The rows and columns of the places on and above a diagonal, as two rows of integers."""
    row, col = _lengths("triu_indices", (row, col))
    offset = max(-row, min(offset, col))
    return _triangle(graph, TRIU_INDICES, min(row, col - offset), col, offset)


def _triangle(graph: Graph, op: General, row: int, col: int, offset: int) -> Node:
    """The places of a triangle in the smallest matrix that holds them all."""
    if not row or not col:
        row = col = offset = 0
    return graph.apply(op, (), (row, col, offset))
