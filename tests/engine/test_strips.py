"""Strips: what runs on a few rows at a time gives what the same ops give on all, for any number of
threads, and keeps nothing between them.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gradcli.data.load import load
from gradcli.data.save import streamed
from gradcli.diagnostics import GradcliError, Source
from gradcli.engine import regions, rows
from gradcli.engine.cpu import NumpyEngine
from gradcli.engine.evaluator import Evaluator
from gradcli.engine.plan import Plan, nbytes
from gradcli.engine.scratch import Scratch
from gradcli.engine.strips import Strips
from gradcli.engine.threads import spread
from gradcli.graph import Array
from gradcli.language.parser import ParseLimits, parse_program
from gradcli.ledger import Ledger
from gradcli.ops import Case
from gradcli.ops.splits import ways
from gradcli.session import Options, Prepared, prepare
from gradcli.walks import ancestors
from tests.ops.table_cases import all_cases, each_case, trace

ROWS = 3000
SHAPES: dict[str, tuple[int, ...]] = {
    "A": (ROWS, 60), "At": (60, ROWS), "T": (ROWS, 4, 30), "w": (60,), "W": (60, 40), "b": (),
    "c": (40,), "V": (40, 7), "U": (30, 10), "y": (ROWS,), "Y": (ROWS, 7), "k": (ROWS, 1),
    "Q": (60, 60),
}  # fmt: skip
PROGRAMS = [
    "mean((A @ w + b - y)**2)",
    "binary_cross_entropy_with_logits(A @ w + b, sigmoid(y))",
    "cross_entropy(relu(A @ W + c) @ V, argmax(Y, -1))",
    "cross_entropy(tanh(A @ W + c) @ V, softmax(Y, -1))",
    "h = tanh(A @ W + c); loss = mean((h @ V - Y)**2)",
    "sum(tanh(w @ At)**2) + sum((W.T @ At).sum(0) * y)",
    "sum(logsumexp(A @ W, -1) * y) + amax(A @ w)",
    "z = A @ W; m = mean(z, 0); v = mean((z - m)**2, 0); mean(relu((z - m) / sqrt(v)) @ V)",
    "sum((A @ W).reshape(-1, 8, 5).sum(1)**2) + sum((A @ W) * k)",
    "sum(sigmoid(T @ U).sum((0, 1))**2)",
    "sum(einsum('ni,ij->nj', A, W)**2 * k)",
    "sum((A @ Q) * A) + norm(A @ w)",
    "z = A @ w; sum((z - mean(z))**2)",
    "sum(softmax(A @ W, -1) @ V) + sum(softmax(A @ W, 0) * k)",
    "sum(outer(A @ w, c)**2) + sum((A @ W) @ V)",
    # of reductions of rows
    "mean(softmax(A, -1)**2)",
    "cross_entropy(3 * A, argmax(Y, -1))",
    "B = A * sin(A); m = amax(B, 1, True); sum(log(sum(exp(B - m), 1)) * y)",
    "mean(layer_norm(A, [60], w, w)**3)",
    "sum(A / norm(A, dim=1, keepdim=True))",
]


def drawn(program: str, rows: int = ROWS) -> dict[str, Array]:
    """Values for the names of a program."""
    rng = np.random.default_rng(4)
    names = parse_program(Source("program", program), ParseLimits()).names
    shapes = {n: tuple(rows if k == ROWS else k for k in shape) for n, shape in SHAPES.items()}
    return {name: rng.standard_normal(shapes[name]) / 8 for name in names & shapes.keys()}


def ready(program: str, inputs: dict[str, Array], **options: Any) -> Prepared:
    """The program, with products of small matrices in strips, too."""
    parsed = parse_program(Source("program", program), ParseLimits())
    prepared = prepare(parsed, inputs, (), Options(**options))
    arrange = partial(rows.units, apart=set(ancestors(prepared.looked)), large=1 << 15)
    plan = Plan(prepared.engine.plan.outputs, arrange)
    prepared.planned.engine = NumpyEngine(plan, options.get("threads"))
    return prepared


def strips_of(prepared: Prepared) -> list[Strips]:
    return [unit for unit in prepared.engine.plan.units if isinstance(unit, Strips)]


@pytest.mark.one_in(5)
@pytest.mark.parametrize("rows", [1025, ROWS])
@pytest.mark.parametrize("program", PROGRAMS)
def test_strips_agree_with_single_ops(program: str, rows: int) -> None:
    inputs = drawn(program, rows)
    prepared = ready(program, inputs, threads=2, values="all")
    assert strips_of(prepared)
    result = prepared.run(inputs)
    single = Evaluator({prepared.inputs[name]: value for name, value in inputs.items()}, Ledger())
    grads = prepared.backwards[0].grads
    expected = {node: single.value(node) for node in (*prepared.shown.values(), *grads.values())}
    for name, node in prepared.shown.items():
        np.testing.assert_allclose(result.values[name], expected[node], rtol=1e-11, atol=1e-13)
    for name, node in grads.items():
        scale = np.abs(expected[node]).max()
        np.testing.assert_allclose(
            result.grads[name], expected[node], rtol=1e-10, atol=1e-12 * scale
        )


@pytest.mark.one_in(5)
@pytest.mark.parametrize("program", PROGRAMS)
def test_the_bits_do_not_depend_on_threads(program: str) -> None:
    inputs = drawn(program)
    answers = []
    for threads in (1, 2, 3, 7):
        result = ready(program, inputs, threads=threads).run(inputs)
        arrays = (*result.values.values(), *result.grads.values())
        answers.append([array.tobytes() for array in arrays])
    assert answers[0] == answers[1] == answers[2] == answers[3]


ATTENTION = "mean(scaled_dot_product_attention(q, k, v, is_causal=True)**2)"


@pytest.mark.wide
def test_products_of_matrices_run_one_after_another() -> None:
    rng = np.random.default_rng(5)
    inputs = {name: rng.standard_normal((5, 16, 256, 4)) for name in "qkv"}
    prepared = ready(ATTENTION, inputs, threads=2)
    (strips,) = strips_of(prepared)
    assert strips.count > 1
    assert not any(node.shape[-2:] == (256, 256) for node in strips.outputs)
    result = prepared.run(inputs)
    single = Evaluator({prepared.inputs[name]: value for name, value in inputs.items()}, Ledger())
    for name, node in prepared.backwards[0].grads.items():
        expected = single.value(node)
        np.testing.assert_allclose(result.grads[name], expected, rtol=1e-9, atol=1e-16)


def test_windows_are_taken_image_by_image() -> None:
    images = np.random.default_rng(0).standard_normal((16, 4, 256, 256))
    program = parse_program(Source("program", "sum(max_pool2d(i, 2)**2)"), ParseLimits())
    found = []
    for threads in (1, 3):
        prepared = prepare(program, {"i": images}, (), Options(values="outputs", threads=threads))
        (strips,) = strips_of(prepared)
        assert not strips.results[1:], "nothing but the gradient is there as a whole"
        found.append(prepared.run({"i": images}).grads["i"])
    np.testing.assert_array_equal(found[0], found[1])
    windows = images.reshape(16, 4, 128, 2, 128, 2)
    largest = windows == windows.max((3, 5), keepdims=True)
    np.testing.assert_allclose(found[0], 2 * images * largest.reshape(images.shape), rtol=1e-13)


def test_a_second_run_has_the_same_bits() -> None:
    inputs = drawn(PROGRAMS[3])
    prepared = ready(PROGRAMS[3], inputs, threads=2)
    first, second = (prepared.run(inputs).grads for _ in range(2))
    assert all(first[name].tobytes() == second[name].tobytes() for name in first)


def test_the_gradient_of_least_squares_is_the_formula() -> None:
    inputs = drawn("A @ w + y")
    result = ready("mean((A @ w - y)**2)", inputs, threads=2).run(inputs)
    a, w = inputs["A"], inputs["w"]
    rest = a @ w - inputs["y"]
    np.testing.assert_allclose(result.values["out"], rest @ rest / ROWS, rtol=1e-13)
    np.testing.assert_allclose(result.grads["w"], 2 * a.T @ rest / ROWS, rtol=1e-11)
    np.testing.assert_allclose(result.grads["A"], 2 * np.outer(rest, w) / ROWS, rtol=1e-12)


def test_the_gradient_of_a_softmax_regression_is_the_formula() -> None:
    inputs = drawn("A @ W + c") | {"labels": np.arange(ROWS) % 40}
    result = ready("cross_entropy(A @ W + c, labels)", inputs, wrt=("W", "c")).run(inputs)
    powers = np.exp(inputs["A"] @ inputs["W"] + inputs["c"])
    rest = powers / powers.sum(1, keepdims=True) - np.eye(40)[inputs["labels"]]
    np.testing.assert_allclose(result.grads["W"], inputs["A"].T @ rest / ROWS, rtol=1e-9)
    np.testing.assert_allclose(result.grads["c"], rest.mean(0), rtol=1e-9, atol=1e-15)


def test_a_model_is_one_sweep_that_keeps_nothing() -> None:
    program = "binary_cross_entropy_with_logits(tanh(A @ W + c) @ V, sigmoid(Y))"
    inputs = drawn(program)
    prepared = ready(program, inputs, wrt=("W", "c", "V"), values="outputs")
    (found,) = strips_of(prepared)
    assert found.results == ()
    assert {*prepared.backwards[0].grads.values(), *prepared.outputs.values()} <= {*found.sums}


def test_named_values_are_whole() -> None:
    inputs = drawn("A @ W + c")
    result = ready("z = A @ W + c; h = tanh(z); sum(h**2)", inputs, values="all").run(inputs)
    z = inputs["A"] @ inputs["W"] + inputs["c"]
    np.testing.assert_allclose(result.values["z"], z, rtol=1e-11, atol=1e-14)
    np.testing.assert_allclose(result.values["h"], np.tanh(z), rtol=1e-11, atol=1e-14)


@pytest.mark.parametrize("special", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_goes_where_it_went(special: float) -> None:
    program = "mean((tanh(A @ W + c) @ V - Y)**2) + amax(A @ W)"
    inputs = drawn(program)
    inputs["A"][ROWS // 2, 3] = special
    prepared = ready(program, inputs)
    assert strips_of(prepared)
    result = prepared.run(inputs)
    single = Evaluator({prepared.inputs[name]: value for name, value in inputs.items()}, Ledger())
    for name, node in prepared.backwards[0].grads.items():
        expected = single.value(node)
        np.testing.assert_allclose(result.grads[name], expected, rtol=1e-9, atol=1e-12)
    np.testing.assert_array_equal(result.values["out"], single.value(prepared.outputs["out"]))


@pytest.mark.parametrize("shapes", [((0, 300), (300,)), ((5000, 0), (0,)), ((40, 300), (300,))])
def test_few_rows_are_left_alone(shapes: tuple[tuple[int, ...], tuple[int, ...]]) -> None:
    inputs = {"A": np.ones(shapes[0]), "w": np.ones(shapes[1])}
    prepared = ready("sum((A @ w)**2)", inputs)
    assert not strips_of(prepared)
    rows, columns = shapes[0]
    assert prepared.run(inputs).values["out"] == rows * columns**2


def test_what_was_looked_at_has_the_bits_of_the_plan() -> None:
    program = "s = mean((A @ w - y)**2); t = s; if s > 0 { t = 2 * s }; t"
    inputs = drawn("A @ w - y")
    prepared = ready(program, inputs, values="all")
    feeds = {prepared.inputs[name]: value for name, value in inputs.items()}
    looked_at = Evaluator(feeds, Ledger()).value(prepared.names["s"])
    assert looked_at.tobytes() == prepared.run(inputs).values["s"].tobytes()


def test_an_error_in_a_strip_is_that_of_the_whole() -> None:
    inputs = drawn("A @ W") | {"index": np.zeros((ROWS, 1), int)}
    inputs["index"][ROWS - 1] = 50
    inputs["index"][ROWS // 3] = 77
    with pytest.raises(GradcliError, match="index 77 is out of range for an axis of 40"):
        ready("sum(gather(tanh(A @ W), 1, index))", inputs, threads=2).run(inputs)


def test_files_are_read_and_written_strip_by_strip(tmp_path: Path) -> None:
    inputs = drawn("A @ w - y", 20_000)
    program = "mean((A @ w - y)**2)"
    expected = ready(program, inputs, threads=2).run(inputs).grads
    for name, array in inputs.items():
        np.save(tmp_path / f"{name}.npy", array)
    stored = {name: load(f"{tmp_path}/{name}.npy", "float64", 2**34) for name in inputs}
    prepared = ready(program, stored, threads=2, grads_to_file=True)
    with streamed(f"{tmp_path}/g.npy", (20_000, 60), np.dtype(float)) as target:
        result = prepared.run(stored, into={"A": target})
        assert result.grads["A"].tobytes() == expected["A"].tobytes()
    assert np.load(tmp_path / "g.npy").tobytes() == expected["A"].tobytes()
    assert result.grads["w"].tobytes() == expected["w"].tobytes()


# --- splits --------------------------------------------------------------------------------


@pytest.mark.one_in(4)
@each_case(all_cases())
def test_parts_of_the_work_make_the_whole(name: str, case: Case) -> None:
    """Every node of every case, along every axis, in strips of one row."""
    traced = trace(case)
    values = dict(zip(nodes := ancestors([traced.output]), traced.value(*nodes), strict=True))
    for node in nodes:
        for split in ways(node):
            axes = zip((node, *node.inputs), (split.axis, *split.operands), strict=True)
            (length,) = {each.shape[axis] for each, axis in axes if axis is not None}
            found = Strips(length, {node: split}, () if split.axis is None else (node,), rows=1)
            assert found.count == length
            run, *_ = found.runner(NumpyEngine(Plan([node], regions.units), 2))
            (value,) = run(*[values[each] for each in found.operands], targets={})
            np.testing.assert_allclose(value, values[node], rtol=1e-13, atol=1e-15)


def test_the_table_has_splits_of_many_ops() -> None:
    names = {
        node.op.name
        for _, case in all_cases()
        for node in ancestors([trace(case).output])
        if any(ways(node))
    }
    assert names >= {"matmul", "einsum", "gather", "sum", "expand", "permute", "reshape", "softmax"}


# --- memory and threads --------------------------------------------------------------------


def test_scratch_memory_is_used_again_when_all_views_are_gone() -> None:
    scratch = Scratch(1 << 20)
    first = scratch.empty((1 << 16,), np.dtype(float))
    address = first.__array_interface__["data"][0]
    view = first.reshape(256, 256).T[3:]
    del first
    other = scratch.empty((1 << 15,), np.dtype(float))
    assert not np.shares_memory(view, other)
    del view
    again = scratch.empty((256, 255), np.dtype(float))
    assert again.__array_interface__["data"][0] == address


def test_scratch_memory_that_is_full_is_no_limit() -> None:
    scratch = Scratch(1 << 20)
    arrays = [scratch.empty((1 << 16,), np.dtype(float)) for _ in range(5)]
    for i, array in enumerate(arrays):
        array[:] = i
    assert [set(array.tolist()) for array in arrays] == [{i} for i in range(5)]


def test_the_room_in_scratch_memory_is_enough() -> None:
    inputs = drawn(PROGRAMS[3])
    (found,) = strips_of(ready(PROGRAMS[3], inputs, values="outputs"))
    for strip in found.plans.values():
        assert strip.scratch_bytes >= max(nbytes(node) for node in strip.plan.nodes)


def test_the_first_part_that_fails_is_what_is_raised() -> None:
    def part(number: int) -> None:
        if number >= 10:
            raise ValueError(str(number))

    for threads in (1, 2, 5):
        with pytest.raises(ValueError, match="10"):
            spread(40, threads, lambda: part)
