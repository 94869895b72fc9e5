"""Regions: what runs in blocks gives what the same ops give one by one, for any thread count."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pytest

from gradcli.diagnostics import Source
from gradcli.engine.blocks import BLOCK, blocks
from gradcli.engine.cpu import compute
from gradcli.engine.device import run
from gradcli.engine.evaluator import Evaluator
from gradcli.engine.kernels import kernel, kernel_into
from gradcli.engine.region import Region, RegionRunner, spans
from gradcli.engine.swept import LARGE
from gradcli.graph import Graph, Precision
from gradcli.language.parser import ParseLimits, parse_program
from gradcli.ledger import Ledger
from gradcli.ops import FUNCTIONS
from gradcli.ops.arithmetic import scale
from gradcli.ops.selection import where
from gradcli.session import Gradient, Options, Prepared, prepare

PROGRAMS = [
    "mean((2*x)**3)",
    "mean(tanh(1.5*x+0.1)*exp(-x**2))",
    "sum(softmax(x, dim=-1)**2)",
    "sum(sum(x*r, dim=0)**2)",
    "sum(sum(x*c, dim=-1, keepdim=True)*x)",
    "amax(x*r) + amin(x - c)",
    "sum(where(x > r, x**4, sqrt(abs(c))*x))",
    "sum(sigmoid(x) * relu(x - r)) / mean(x**2 + c)",
    "m = mean(x); sum((x - m)**2)",
    "y = x; for i in range(3) { y = y*y - r }; mean(y)",
    "std(x) + var(x, dim=0).sum()",
    "logsumexp(x) + norm(x)",
    "sum(maximum(x, r) * minimum(x, c))",
    "mean(x**2 / (1 + x**2)) * sum(r) + sum(c)",
    "y = x * c; sum((y > mean(y)) * (y - mean(y))**2 * exp(-y))",
    "max(x) * sum(clamp(x - r, 0.1, 0.3) * abs(x - c))",
]
SHAPES = [(300, 256), (3, 40_000), (70_000, 2), (1, 65_537), (2, 5, 8_000)]


def prepared(
    program: str, shape: tuple[int, ...], threads: int
) -> tuple[Prepared, dict[str, np.ndarray[Any, Any]]]:
    rng = np.random.default_rng(3)
    names = parse_program(Source("program", program), ParseLimits())
    inputs = {
        "x": rng.uniform(0.2, 1.2, shape),
        "r": rng.uniform(0.2, 1.2, shape[-1:]),
        "c": rng.uniform(0.2, 1.2, (*shape[:-1], 1)),
    }
    read = set(re.findall(r"\b[xrc]\b", program))
    used = {name: value for name, value in inputs.items() if name in read}
    return prepare(names, used, (), Options(threads=threads)), used


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("program", PROGRAMS)
def test_blocks_agree_with_single_ops(program: str, shape: tuple[int, ...]) -> None:
    ready, inputs = prepared(program, shape, 2)
    assert any(isinstance(unit, Region) for unit in ready.engine.plan.units)
    result = ready.run(inputs)
    feeds = {ready.inputs[name]: value for name, value in inputs.items()}
    (backward,) = ready.backwards
    single = Evaluator(feeds, Ledger())
    for name, node in [*ready.shown.items()]:
        np.testing.assert_allclose(result.values[name], single.value(node), rtol=1e-12)
    for name, node in backward.grads.items():
        expected = single.value(node)
        scale = np.abs(expected).max()
        np.testing.assert_allclose(result.grads[name], expected, rtol=1e-11, atol=1e-13 * scale)


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_bits_do_not_depend_on_threads(program: str) -> None:
    answers = []
    for threads in (1, 2, 3, 7):
        ready, inputs = prepared(program, (300, 256), threads)
        result = ready.run(inputs)
        answers.append(
            [value.tobytes() for value in (*result.values.values(), *result.grads.values())]
        )
    assert answers[0] == answers[1] == answers[2] == answers[3]


@pytest.mark.parametrize(
    "shape", [*SHAPES, (10, 3 * BLOCK + 5), (BLOCK,), (4, 1, BLOCK + 1)], ids=str
)
def test_blocks_cover_a_shape_once(shape: tuple[int, ...]) -> None:
    seen = np.zeros(shape, int)
    for place in blocks(shape):
        assert seen[place].size <= BLOCK
        seen[place] += 1
    assert (seen == 1).all()


def test_a_chain_is_one_region_and_keeps_no_intermediate() -> None:
    ready, inputs = prepared("mean(tanh(1.5*x+0.1)*exp(-x**2))", (32 * LARGE,), 1)
    regions = [unit for unit in ready.engine.plan.units if isinstance(unit, Region)]
    assert len(regions) == 1
    assert regions[0].results == (ready.backwards[0].grads["x"],)
    assert ready.engine.plan.peak_bytes() < 2.5 * inputs["x"].nbytes  # one more would make it 3


@pytest.mark.parametrize(
    "program",
    ["m = mean(x); sum((x - m)**2)", "max(x)", "sum(exp(x - max(x)))", "sum((x > mean(x)) * x)"],
)
def test_what_a_later_sweep_needs_is_computed_again(program: str) -> None:
    ready, inputs = prepared(program, (32, LARGE), 1)
    regions = [unit for unit in ready.engine.plan.units if isinstance(unit, Region)]
    assert len(regions) > 1
    stored = [node for region in regions for node in region.results]
    assert stored == [ready.backwards[0].grads["x"]]
    assert ready.engine.plan.peak_bytes() < 2.5 * inputs["x"].nbytes


def test_what_is_dear_is_not_computed_again() -> None:
    ready, _ = prepared("y = sin(x); sum((y - mean(y))**2)", (2, LARGE), 1)
    regions = [unit for unit in ready.engine.plan.units if isinstance(unit, Region)]
    computed = [node.op.name for region in regions for node in region.members]
    assert computed.count("sin") == 1
    names = [node.op.name for region in regions for node in region.results]
    assert names[0] == "sin"


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", ["where", "scale"])
def test_selecting_in_blocks_keeps_every_bit(name: str, dtype: type) -> None:
    special = np.array([0, -0.0, 1.5, -2, np.inf, -np.inf, np.nan, 5e-324, 1e300])
    with np.errstate(all="ignore"):
        a, b = (x.astype(dtype).copy() for x in np.meshgrid(special, special))
    graph = Graph("float64" if dtype is np.float64 else "float32")
    x, y = (graph.input(each, a.shape, "float") for each in "xy")
    operands: list[Any] = [a, b]
    if name == "where":
        operands.insert(0, np.resize([True, False, True, True, False], a.shape))
        node = where(graph.input("c", a.shape, "bool"), x, y)
        expected = np.where(*operands)
    else:
        node = scale(x, y)
        with np.errstate(all="ignore"):
            expected = np.where(a == 0, dtype(0), a * b)
    found = kernel_into(node)
    assert found is not None
    out = np.empty_like(a)
    with np.errstate(all="ignore"):
        found[0](*operands, out=out)
    assert out.tobytes() == expected.tobytes()


@pytest.mark.parametrize("number", [0.0, -0.0, 2.5])
@pytest.mark.parametrize("place", [1, 2])
def test_numbers_are_selected_in_blocks(number: float, place: int) -> None:
    graph = Graph("float64")
    special = np.array([0, -0.0, 1.5, -2, np.inf, -np.inf, np.nan, 5e-324])
    operands: list[Any] = [np.resize([True, False, True], 8), special, special]
    operands[place] = np.array(number)
    c, x = graph.input("c", (8,), "bool"), graph.input("x", (8,), "float")
    choices = (graph.constant(number), x) if place == 1 else (x, graph.constant(number))
    found = kernel_into(where(c, *choices))
    assert found is not None
    out = np.empty_like(special)
    found[0](*operands, out=out)
    assert out.tobytes() == np.where(*operands).tobytes()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("divisor", [2, -4, 0.5, 2.0**-60, 1024, 3, 0, math.inf, 2.0**120])
def test_dividing_by_a_power_of_two_is_exact(divisor: float, dtype: Precision) -> None:
    graph = Graph(dtype)
    node = graph.input("x", (LARGE,), "float") / divisor
    call, before, after, count = kernel(node)
    rng = np.random.default_rng(8)
    x = (rng.standard_normal(LARGE) * 10.0 ** rng.integers(-44, 38, LARGE)).astype(dtype)
    x[:4] = 0, -0.0, np.inf, np.nan
    with np.errstate(all="ignore"):
        expected = x / np.asarray(divisor, dtype)
        found = call(*before, *[x, node.inputs[1].known][:count], *after)
    assert found.tobytes() == expected.tobytes()
    assert (call is np.divide) == (divisor in (3, 0, math.inf, 2.0**120))


def test_small_arrays_are_left_alone() -> None:
    ready, _ = prepared("mean((2*x)**3)", (4, 5), 2)
    assert not any(isinstance(unit, Region) for unit in ready.engine.plan.units)


def test_several_gradients_share_the_forward_sweep() -> None:
    program = parse_program(Source("program", "z = x*x"), ParseLimits())
    x = np.linspace(1, 2, LARGE)
    ready = prepare(program, {"x": x}, [Gradient(np.ones(LARGE)), Gradient(x)], Options())
    result = ready.run({"x": x}, [Gradient(np.ones(LARGE)), Gradient(x)])
    np.testing.assert_allclose(result.passes[0].grads["x"], 2 * x, rtol=1e-15)
    np.testing.assert_allclose(result.passes[1].grads["x"], 2 * x * x, rtol=1e-15)


def test_a_reduction_of_an_input_is_swept_over_too() -> None:
    program = parse_program(Source("program", "sum(x, dim=0)"), ParseLimits())
    inputs = {"x": np.random.default_rng(0).random((300, 256))}
    ready = prepare(program, inputs, (), Options(forward_only=True))
    (region,) = [unit for unit in ready.engine.plan.units if isinstance(unit, Region)]
    assert region.members == ()
    values = ready.engine.run({ready.inputs["x"]: inputs["x"]})
    np.testing.assert_allclose(values[1], inputs["x"].sum(0), rtol=1e-14)


@pytest.mark.parametrize("name", ["sum", "mean", "amax", "prod"])
def test_a_condition_sums_in_the_order_of_the_plan(name: str) -> None:
    program = parse_program(Source("program", f"{name}(x*x, dim=0)"), ParseLimits())
    x = np.random.default_rng(0).uniform(0.9, 1.1, (100_003, 2))
    ready = prepare(program, {"x": x}, (), Options(forward_only=True))
    (node,) = ready.outputs.values()
    looked_at = Evaluator({ready.inputs["x"]: x}, Ledger()).value(node)
    assert looked_at.tobytes() == ready.run({"x": x}).values["out"].tobytes()


@pytest.mark.parametrize("name", ["ndtr", "tanh", "erfc"])
def test_what_has_another_form_in_blocks_is_looked_at(name: str) -> None:
    graph = Graph()
    node = FUNCTIONS[name](graph.input("x", (LARGE + 5,), "float"))
    x = np.random.default_rng(0).standard_normal(LARGE + 5)
    (found,) = run([node], {node.inputs[0]: x})
    assert compute(node, [x]).tobytes() == found.tobytes()


@pytest.mark.parametrize("exponent", [-2, -1, 2, 3, 4])
def test_powers_that_are_products_are_as_exact(exponent: int) -> None:
    x = np.array([3.0, -0.7, 1e-153, 1e153, 0.0, -0.0, np.inf, -np.inf, np.nan])
    graph = Graph()
    node = graph.input("x", x.shape, "float")
    (found,) = run([node ** float(exponent)], {node: x})
    with np.errstate(all="ignore"):
        expected = np.power(x, float(exponent))
    np.testing.assert_allclose(found, expected, rtol=5e-16, atol=0)


@pytest.mark.parametrize("axis", [0, 1, 2, (0, 1), (0, 2), None])
def test_partial_results_that_are_added_as_they_come_make_the_same_sum(axis: Any) -> None:
    x = np.random.default_rng(8).integers(-9, 9, (40, 50, 300)).astype(float)
    program = parse_program(Source("sum", f"sum(2 * x, {axis})"), ParseLimits())
    ready = prepare(program, {"x": x}, (), Options(forward_only=True))
    (region,) = [unit for unit in ready.engine.plan.units if isinstance(unit, Region)]
    values = [x if node.known is None else node.known for node in region.operands]
    rows = spans(region, partials=5, least=3)
    assert 1 < len(rows) < len(blocks(region.shape))
    for threads in (1, 2, 3):
        (found,) = RegionRunner(region, threads, rows=rows)(*values, targets={})
        np.testing.assert_array_equal(found, np.sum(2 * x, axis))
