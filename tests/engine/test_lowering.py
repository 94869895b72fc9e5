"""Composite ops in their parts: what their own forward functions give, special values included."""

from __future__ import annotations

import math

import numpy as np
import pytest

from gradcli.diagnostics import Source
from gradcli.engine.evaluator import Evaluator
from gradcli.engine.region import Region
from gradcli.engine.strips import Strips
from gradcli.graph import Array, Graph, Precision
from gradcli.language.parser import ParseLimits, parse_program
from gradcli.ledger import Ledger
from gradcli.ops import FUNCTIONS, Case
from gradcli.ops.powers import PRODUCTS
from gradcli.session import Options, evaluate, prepare
from gradcli.walks import ancestors
from tests.ops.table_cases import all_cases, case_id, trace

CALLS = {
    "logsumexp(x)": ((-2, -1), False),
    "logsumexp(x, -1)": ((-1,), False),
    "logsumexp(x, 0, True)": ((-2,), True),
    "softmax(x, -1)": (-1,),
    "softmax(x, 0)": (-2,),
    "var(x)": ((-2, -1), False, 1),
    "var(x, 1, 0, True)": ((-1,), True, 0),
    "norm(x)": ((-2, -1), False, 2.0),
    "norm(x, 1, 1)": ((-1,), False, 1.0),
    "norm(x, 3, 0)": ((-2,), False, 3.0),
    "norm(x, 0, 1, True)": ((-1,), True, 0.0),
    "norm(x, inf, 1)": ((-1,), False, math.inf),
    "norm(x, -inf, 1)": ((-1,), False, -math.inf),
}


@pytest.mark.parametrize("call", CALLS)
def test_parts_make_the_whole(call: str) -> None:
    x = np.random.default_rng(4).standard_normal((300, 256))
    x[3], x[4], x[5, :2], x[6, 0], x[7, 0], x[8] = 0, -np.inf, np.inf, np.nan, 1e200, 1e-200
    program = parse_program(Source("program", call), ParseLimits())
    ready = prepare(program, {"x": x}, (), Options(forward_only=True, values="outputs"))
    assert any(isinstance(unit, Region) for unit in ready.engine.plan.units)
    op = FUNCTIONS[call.partition("(")[0]].op
    assert op is not None
    with np.errstate(all="ignore"):
        expected = op.forward(np, x, *CALLS[call])
    (value,) = ready.run({"x": x}).values.values()
    np.testing.assert_allclose(value, expected, rtol=1e-13)


COMPOSITES = [
    (name, case)
    for name, case in all_cases()
    if (op := FUNCTIONS[name].op) and op.parts is not None
]


def test_every_composite_is_tested() -> None:
    tested = {call.partition("(")[0] for call in CALLS} | {"pow", "argmax", "exp"}
    assert tested == {name for name, _ in COMPOSITES}


@pytest.mark.parametrize(("name", "case"), COMPOSITES, ids=case_id)
def test_parts_give_what_the_forward_function_gives(name: str, case: Case) -> None:
    traced = trace(case)
    op = FUNCTIONS[name].op
    assert op is not None
    for node in ancestors([traced.output]):
        if node.op is op and op.parts is not None:
            parts = op.parts(*node.inputs, *node.attributes)
            if parts is not None:
                whole, made = traced.value(node, parts)
                np.testing.assert_allclose(made.reshape(whole.shape), whole, rtol=1e-14)


@pytest.mark.parametrize("precision", ["float64", "float32"])
@pytest.mark.parametrize("text", ["logsumexp(x, -1, True)", "exp(x - logsumexp(x, -1, True))"])
def test_the_powers_of_a_sum_serve_its_gradient(text: str, precision: Precision) -> None:
    x = 3 * np.random.default_rng(9).standard_normal((300, 256))
    most = float(np.finfo(precision).max)
    x[3], x[4, 0], x[5, 0], x[6, :2], x[7, 0] = -np.inf, np.inf, np.nan, [np.inf, most], most
    x[8, 0], x[9], x[10], x[11, 0] = 800, -800, 1000, -np.inf
    x[12, :2] = [np.inf, 800]
    given = x.astype(precision)
    program = parse_program(Source("program", f"sum({text} * x[:, :1])"), ParseLimits())

    def run(x: Array) -> tuple[Array, int]:
        ready = prepare(program, {"x": x}, (), Options(precision=precision))
        inside = [
            each.plan.nodes
            for unit in ready.engine.plan.units
            if isinstance(unit, Strips)
            for each in unit.plans.values()
        ]
        nodes = inside[0] if inside else ready.engine.plan.nodes
        return ready.run({"x": x}).grads["x"], sum(node.op.name == "exp" for node in nodes)

    found, exponentials = run(given)
    assert exponentials == 1
    rows = [run(given[i : i + 1])[0] for i in range(len(x))]
    digits = 1e-12 if precision == "float64" else 1e-3
    np.testing.assert_allclose(found, np.concatenate(rows), rtol=digits, atol=digits)


WINDOWS = [
    "max_pool1d(x.flatten(2), 3{})",
    "max_pool1d(x.flatten(2), 5, 2, 2, 3{})",
    "max_pool2d(x, 2{})",
    "max_pool2d(x, (3, 2), (1, 2), 1, (2, 1){})",
    "max_pool2d(x.permute(0, 1, 3, 2), 12{})",
    "max_pool3d(x.reshape(-1, 1, 7, 60, 50), 2, ceil_mode=True{})",
]


@pytest.mark.parametrize("call", WINDOWS)
@pytest.mark.parametrize("draw", ["ties", "numbers", "nan"])
def test_windows_are_compared_as_those_of_small_arrays(call: str, draw: str) -> None:
    rng = np.random.default_rng(9)
    x = rng.standard_normal((4, 7, 60, 50))
    if draw == "ties":
        x = np.round(x)
    if draw == "nan":
        x[rng.random(x.shape) < 0.01] = np.nan
    first = call.format(", return_indices=True")
    text = f"y, places = {first}; sum(where(places > 5, y**2, y))"
    program = parse_program(Source("program", text), ParseLimits())

    def run(x: Array) -> tuple[Array, Array, Array, set[str]]:
        ready = prepare(program, {"x": x})
        result = ready.run({"x": x})
        names = {node.op.name for node in ready.engine.plan.nodes}
        return result.values["y"], result.values["places"], result.grads["x"], names

    value, places, grad, names = run(x)
    assert "windows" not in names
    for i in range(len(x)):
        *expected, names = run(x[i : i + 1])
        assert "windows" in names
        for found, each in zip((value, places, grad), expected, strict=True):
            np.testing.assert_array_equal(found[i : i + 1], each)


@pytest.mark.parametrize("exponent", PRODUCTS)
def test_powers_are_the_same_as_products(exponent: float) -> None:
    x = np.random.default_rng(10).uniform(-3, 3, 100)
    expected, product = np.power(x, exponent), PRODUCTS[exponent]
    np.testing.assert_allclose(product.kernel(x), expected, rtol=5e-16)
    np.testing.assert_allclose(product.kernel(x, out=np.empty(100)), expected, rtol=5e-16)
    if product.cuda:
        only, text = Options(forward_only=True), product.cuda.format("x")
        result = evaluate(parse_program(Source("program", text), ParseLimits()), {"x": x}, (), only)
        np.testing.assert_allclose(result.values["out"], expected, rtol=5e-16)


def test_a_condition_on_a_composite_has_the_bits_of_the_plan() -> None:
    text = "n = norm(x); s = 0; if n == 12.5 { s = 1 }; s * n"
    x = np.random.default_rng(5).standard_normal((300, 256))
    program = parse_program(Source("program", text), ParseLimits())
    ready = prepare(program, {"x": x}, (), Options(forward_only=True))
    bits = float(ready.run({"x": x}).values["n"]).hex()
    text = text.replace("12.5", repr(float.fromhex(bits)))
    again = prepare(parse_program(Source("program", text), ParseLimits()), {"x": x})
    assert again.run({"x": x}).values["s"] == 1


def test_a_composite_streams_into_its_target() -> None:
    x = np.random.default_rng(6).standard_normal((300, 256))
    program = parse_program(Source("program", "sum(softmax(x) * x)"), ParseLimits())
    ready = prepare(program, {"x": x}, (), Options(values="outputs"))
    target = np.empty(x.shape)
    result = ready.run({"x": x}, (), {"x": target})
    assert result.grads["x"] is target
    assert target.tobytes() == ready.run({"x": x}).grads["x"].tobytes()


def test_equal_nodes_of_a_program_that_calls_backward_are_computed_once() -> None:
    text = "a = exp(x); b = sum(exp(x) * a); b.backward(); sum(exp(x))"
    x = np.random.default_rng(7).standard_normal((300, 256))
    ready = prepare(parse_program(Source("program", text), ParseLimits()), {"x": x})
    exponentials = [node for node in ready.engine.plan.nodes if node.op.name == "exp"]
    assert len(exponentials) == 1
    result = ready.run({"x": x})
    np.testing.assert_allclose(result.grads["x"], 2 * np.exp(2 * x), rtol=1e-13)
    np.testing.assert_allclose(result.values["out"], np.exp(x).sum(), rtol=1e-13)


def test_draws_are_never_one() -> None:
    text = "a = rand(300, 256); b = rand(300, 256); (a * x).sum().backward(); sum((a - b)**2)"
    x = np.ones((300, 256))
    result = prepare(parse_program(Source("program", text), ParseLimits()), {"x": x}).run({"x": x})
    assert result.values["out"] > 1000


@pytest.mark.parametrize("exponent", [3, 4])
def test_powers_share_the_square_with_their_gradient(exponent: int) -> None:
    x = np.random.default_rng(8).standard_normal((300, 256))
    program = parse_program(Source("program", f"sum(x**{exponent})"), ParseLimits())
    ready = prepare(program, {"x": x}, (), Options(values="outputs"))
    powers = [node for node in ready.engine.plan.nodes if node.op.name == "pow"]
    assert [float(node.inputs[1].known) for node in powers if node.inputs[1].known is not None] == [
        2
    ]
    result = ready.run({"x": x})
    expected = exponent * x ** (exponent - 1)
    np.testing.assert_allclose(result.grads["x"], expected, rtol=1e-14)
    np.testing.assert_allclose(result.values["out"], math.fsum((x**exponent).flat), rtol=1e-13)


def test_what_is_looked_at_leaves_the_place_in_the_program_as_it_was() -> None:
    x = np.random.default_rng(9).standard_normal((300, 256))
    graph = Graph()
    node = graph.input("x", x.shape, "float")
    graph.span = (1, 2)
    value = node**3.0
    graph.span = (3, 4)
    np.testing.assert_array_equal(Evaluator({node: x}, Ledger()).value(value), x * x * x)
    assert (graph.span, graph.origin) == ((3, 4), None)
