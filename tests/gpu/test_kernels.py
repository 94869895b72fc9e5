"""Kernels give what NumPy gives: their text compiled as C++, each thread of a block in turn."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

import numpy as np
import pytest

from gradcli.diagnostics import GradcliError
from gradcli.engine import device, gpu
from gradcli.engine.region import Region
from gradcli.graph import Array, Graph, Node, Precision
from gradcli.ops import FUNCTIONS
from gradcli.ops.kinds import cast
from tests.engine.test_regions import PROGRAMS
from tests.gpu import emulator, runs
from tests.gpu.stand_in import Card, standing_in

pytestmark = pytest.mark.skipif(not emulator.compiler, reason="there is no g++")

SHAPES = [(30, 24), (3, 4000), (1, 657), (7000, 2), (2, 5, 80)]
PRECISIONS: tuple[Precision, ...] = ("float64", "float32")


@pytest.fixture(scope="module")
def card() -> Iterator[Card]:
    with standing_in() as card:
        yield card


def inputs_of(program: str, shape: tuple[int, ...]) -> dict[str, Array]:
    """Values for those of x, r (a row) and c (a column) that a program reads."""
    generator = np.random.default_rng(3)
    drawn = {
        "x": generator.uniform(0.2, 1.2, shape),
        "r": generator.uniform(0.2, 1.2, shape[-1:]),
        "c": generator.uniform(0.2, 1.2, (*shape[:-1], 1)),
    }
    read = set(re.findall(r"\b[xrc]\b", program))
    return {name: value for name, value in drawn.items() if name in read}


@pytest.mark.parametrize("precision", PRECISIONS)
def test_every_elementwise_function(card: Card, precision: Precision) -> None:
    run = runs.of_elementwise_functions(precision)
    check(card, [run], runs.TOLERANCE[precision])


@pytest.mark.wide
@pytest.mark.parametrize(("shape", "precision"), [(SHAPES[0], "float32"), (SHAPES[3], "float64")])
def test_regions(card: Card, shape: tuple[int, ...], precision: Precision) -> None:
    check_regions(card, [shape], precision)


@pytest.mark.slow
@pytest.mark.parametrize("precision", PRECISIONS)
def test_regions_of_many_shapes(card: Card, precision: Precision) -> None:
    check_regions(card, SHAPES, precision)


def check_regions(card: Card, shapes: list[tuple[int, ...]], precision: Precision) -> None:
    wanted = [
        runs.of_program(program, inputs_of(program, shape), precision)
        for program, shape in itertools.product(PROGRAMS, shapes)
    ]
    # NumPy adds the rows of 7000 one after the other, and loses digits.
    check(card, wanted, runs.TOLERANCE[precision] * (10 if precision == "float32" else 1))


def check(card: Card, wanted: list[runs.Run], tolerance: float = 1e-12) -> None:
    """Compare runs with the CPU, their kernels compiled together."""
    card.emulator.compile(runs.texts_of(wanted, card))
    runs.check(wanted, tolerance)


@pytest.mark.wide
@pytest.mark.parametrize("precision", PRECISIONS)
def test_samples(card: Card, precision: Precision) -> None:
    check(card, runs.of_samples(precision), runs.TOLERANCE[precision])


@pytest.mark.slow
@pytest.mark.parametrize("precision", PRECISIONS)
def test_every_case(card: Card, precision: Precision) -> None:
    check(card, runs.of_cases(precision), runs.TOLERANCE[precision])


SPECIAL = [
    np.nan,
    np.inf,
    -np.inf,
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -2.5,
    3.0,
    30.0,
    -30.0,
    800.0,
    -800.0,
]

FINITE = {"lgamma", "i0", "i1"}
"""SciPy's infinities at infinity have other signs than C's, or are nan."""


def test_special_values(card: Card) -> None:
    """Edges of domains, overflow, nan: the same as on the CPU, for every elementwise function."""
    graph = Graph()
    outputs: list[Node] = []
    feeds: dict[Node, Array] = {}
    grids = {}
    for function in {entry.name: entry for entry in FUNCTIONS.values() if entry.operands}.values():
        op = function.op
        if op is None or not op.cuda:
            continue
        special = SPECIAL[3:] if function.name in FINITE else SPECIAL
        grid = np.meshgrid(*[special] * len(function.operands), indexing="ij")
        operands = []
        for values in grid:
            node = graph.input("x", (values.size,), "float")
            feeds[node] = values.reshape(-1)
            operands.append(node if "float" in op.takes else cast(node, "bool"))
        grids[function.name] = [values.reshape(-1) for values in grid]
        outputs.append(function(*operands))
    with np.errstate(all="ignore"):
        expected = device.run(outputs, feeds)
        found = gpu.CardEngine(outputs).run(feeds)
    wrong = []
    for name, right, got in zip(grids, expected, found, strict=True):
        near = np.isclose(got, right, 1e-12, 1e-300, equal_nan=True)
        places = zip(*(grid[~near] for grid in (*grids[name], right, got)), strict=True)
        wrong += [f"{name}{(*operands,)} is {b}, not {a}" for *operands, a, b in places]
    assert not wrong, "\n".join(wrong)


def test_one_sweep_for_value_and_gradient(card: Card) -> None:
    """x is read once and its gradient written once, whatever stands between."""
    x = np.linspace(-1, 1, 1000)
    run = runs.of_program("mean(tanh(1.5*x+0.1)*exp(-x**2))", {"x": x})
    card.texts.clear()
    check(card, [run])
    (text,) = set(card.texts)
    assert len(re.findall(r"const T\* __restrict__ p\d", text)) == 1
    assert len(re.findall(r" T\* __restrict__ o\d", text)) == 1


def test_many_members_are_several_kernels(card: Card) -> None:
    run = runs.of_program("y = x; for i in range(130) { y = sin(y) + r }; sum(y)", {
        "x": np.linspace(0, 1, 8).reshape(2, 4), "r": np.linspace(0, 1, 4),
    })  # fmt: skip
    units = gpu.CardEngine(run.outputs).plan.units
    assert max(len(unit.members) for unit in units if isinstance(unit, Region)) <= 100
    check(card, [run])


def test_the_text_does_not_depend_on_length_or_numbers(card: Card) -> None:
    """So that it is found in the cache of compiled kernels."""
    texts = set()
    for length, number in ((50_000, 5), (60_000, 7)):
        run = runs.of_program(f"mean(({number}*x)**3)", {"x": np.ones(length)})
        texts.update(runs.texts_of([run], card))
    assert len(texts) == 2  # one that sweeps, one that combines what blocks left


def test_strided_operands(card: Card) -> None:
    """Views of cupy's come with gaps, in another order, backwards, or at odd addresses."""
    x = np.random.default_rng(0).uniform(0.5, 1.5, (6, 8))
    programs = (
        "sum(x.T * x.T)",
        "sum(sum(exp(x[1:, ::2]), dim=0)**2)",
        "mean(x[::-1, ::-1]**2)",
        "sum(log(x[:, 1]) * x[0, :6])",
        "sum(x[2] * x[3])",
    )
    check(card, [runs.of_program(program, {"x": x}) for program in programs])


@pytest.mark.one_in(4)
@pytest.mark.parametrize("name", ["sum", "mean", "prod", "amax", "amin"])
def test_reductions_over_any_axes(card: Card, name: str) -> None:
    x = np.random.default_rng(0).uniform(0.9, 1.1, (3, 4, 1, 130))
    axes = ["-1", "0", "1"] if name == "prod" else ["(0, 2)", "(1, 3)", "(0, 1, 2, 3)", "2", "1"]
    program = "; ".join(f"y{i} = {name}(x, dim={dim})" for i, dim in enumerate(axes))
    check(card, [runs.of_program(f"{program}; sum(y0)", {"x": x})])


PLACES = [
    ("x[[0, 2, 0, -1]]**2", (3, 4)),
    ("x[:, [1, 1, -4]]**2", (3, 4)),
    ("x[[0, 1], [2, -1]]**3", (3, 4)),
    ("x[:, [[0], [1]], [2, 3]]**2", (2, 3, 4)),
    ("x[[0, 1], :, [1, 2]]**2", (2, 3, 4)),
    ("x[x > 0.5]**2", (3, 4)),
    ("take_along_dim(x, argsort(x, 0), 0)**2", (3, 4)),
]


@pytest.mark.parametrize("precision", PRECISIONS)
def test_places(card: Card, precision: Precision) -> None:
    wanted = [
        runs.of_program(f"sum({text})", {"x": inputs_of("x", shape)["x"]}, precision)
        for text, shape in PLACES
    ]
    check(card, wanted, runs.TOLERANCE[precision])
    assert len({text for text in card.texts if "wrong" in text}) == 4  # of 1 and 2 axes, both ways


def test_places_out_of_range(card: Card) -> None:
    """Nothing is read there, and the error is that of the CPU."""
    for places in ([0, 3], [-4, 1], [2**62, 0]):
        wanted = runs.of_program("sum(x[i])", {"x": np.ones(3), "i": np.array(places)})
        with pytest.raises(GradcliError, match="is out of range for an axis of 3") as caught:
            gpu.CardEngine(wanted.outputs).run(wanted.feeds)
        assert caught.value.diagnostic.span == (4, 8)
