"""Explanations: their numbers are the gradient's, and the seeds' examples read as they should."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from gradcli.analysis import paths
from gradcli.analysis.explain import Explanation, explain
from gradcli.analysis.single import run
from gradcli.diagnostics import GradcliError
from gradcli.ops import Case
from gradcli.report.document import WIDTH, Style, as_text, in_latex, in_markdown, render
from gradcli.report.explain import document, mathematics
from gradcli.report.explain_entry import entry_document
from gradcli.report.text_explain import coloured
from gradcli.session import Gradient, Options, evaluate
from tests.analysis.programs import assert_same, generated, output_shape, parse, used
from tests.analysis.told import problems
from tests.ops.table_cases import all_cases, case_id, trace

GOLDEN = Path(__file__).parents[1] / "report" / "golden" / "explain"
X = np.array([[1.0, 2.0], [3.0, 4.0]])
STORIES = {
    "cube": ("y = 2 * x; z = y**3", {"x": np.array([[-1.2095]])}, None),
    "cube_with_gradient": ("y = 2 * x; z = y**3", {"x": X}, [[1.0, 0.0]]),
    "mean_of_cubes": ("y = 2 * x; z = y**3; out = mean(z)", {"x": X}, None),
    "matrix": ("y = mm(x, [[1, 2], [3, 4]])", {"x": np.array([[2.0, 1.0]])}, [[1.0, 0.0]]),
    "norm_loop": (
        "y = x * 2; while norm(y) < 1000 { y = y * 2 }; y",
        {"x": np.array([-1.1532, 0.1907, 1.7988])},
        [0.1, 1.0, 0.0001],
    ),
    "sum_with_gradient": ("y = sum(x)", {"x": np.array([1.0, 2.0])}, 100.0),
    "meeting_paths": (
        "y = x * x + 3*x; loss = sum(y * sin(b))",
        {"x": np.array([-2.0, 3.0]), "b": np.array(0.5)},
        None,
    ),
}
STYLES: dict[str, Callable[[Explanation], Style]] = {
    "text": lambda _: as_text,
    "markdown": lambda told: in_markdown(mathematics(told)),
    "latex": lambda told: in_latex(mathematics(told)),
}
ENTRIES = {"mean_of_cubes": "x[0,1]", "meeting_paths": "b", "matrix": "x[0,0]"}


def gradients_of(gradient: object) -> list[Gradient]:
    return [] if gradient is None else [Gradient(np.array(gradient))]


def golden(name: str, text: str) -> None:
    """Compare with what is stored; delete the file to have it written again."""
    file = GOLDEN / name
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        pytest.fail(f"{file} was missing: read what has been written")
    assert text == file.read_text()


@pytest.mark.parametrize("name", STORIES)
@pytest.mark.parametrize("style", STYLES)
def test_story(name: str, style: str) -> None:
    program, inputs, gradient = STORIES[name]
    explanation = explain(parse(program), inputs, gradients_of(gradient))
    text = render(document(explanation), STYLES[style](explanation))
    golden(f"{name}.{style}", text)
    if style == "text":
        assert max(map(len, text.splitlines())) <= WIDTH


@pytest.mark.parametrize("name", ENTRIES)
def test_entry(name: str) -> None:
    program, inputs, gradient = STORIES[name]
    single = run(parse(program), inputs, gradients_of(gradient))
    golden(f"{name}.entry", render(entry_document(paths.follow(single, ENTRIES[name])), as_text))


def check(text: str, inputs: dict[str, np.ndarray]) -> None:
    """Grads at the end of the story, and every path of one entry, against what eval gives."""
    shape = output_shape(text, inputs)
    gradient = np.random.default_rng(7).uniform(0.5, 1.5, shape)
    given, gradients, options = used(text, inputs), [Gradient(gradient)], Options(seed=1)
    expected = evaluate(parse(text), given, gradients, options).grads
    explanation = explain(parse(text), given, gradients, options)
    told = {grad.node: grad.value for grad in explanation.grads}
    leaves = explanation.leaves
    assert not [*problems(explanation)]
    single = run(parse(text), given, gradients, options)
    found = {name: told.get(node, np.zeros(node.shape)) for name, node in leaves.items()}
    assert_same(expected, found)
    for name, grad in expected.items():
        place = tuple(length // 2 for length in grad.shape)
        entry = paths.follow(single, f"{name}[{','.join(map(str, place))}]" if place else name)
        scale = np.max(np.abs(grad), initial=1e-3)
        np.testing.assert_allclose(entry.total, grad[place], rtol=1e-9, atol=1e-12 * scale)
        if entry.count <= paths.SHOWN:
            assert len(entry.paths) == entry.count
            added = sum(path.product for path in entry.paths)
            np.testing.assert_allclose(added, entry.total, rtol=1e-9, atol=1e-12 * scale)


@pytest.mark.parametrize("seed", range(30))
def test_generated_programs(seed: int) -> None:
    check(*generated(seed))


@pytest.mark.slow
@pytest.mark.parametrize(("name", "case"), list(all_cases()), ids=case_id)
def test_every_op(name: str, case: Case) -> None:
    traced = trace(case)
    if case.smooth and traced.output.kind == "float":
        values = [traced.feeds[node] for node in traced.inputs]
        check(case.program, dict(zip(case.shapes, values, strict=True)))


def test_many_paths_are_counted() -> None:
    text = "y = x; " + "y = y * y; " * 10 + "y"
    single = run(parse(text), {"x": np.array(1.01)})
    entry = paths.follow(single, "x")
    assert entry.count == 1024
    assert len(entry.paths) == paths.SHOWN
    np.testing.assert_allclose(entry.total, 1024 * 1.01**1023, rtol=1e-12)
    assert "1,004 more paths" in render(entry_document(entry), as_text)


def test_an_output_without_a_derivative_gets_no_gradient() -> None:
    told = explain(parse("y = x*x; z = x > 2; y, z"), {"x": np.array(3.0)})
    assert "y is a single value" in (text := render(document(told), as_text))
    assert "z is a single value" not in text


@pytest.mark.parametrize(
    ("entry", "code"),
    [("x[2]", "index"), ("x[0", "usage"), ("q", "name"), ("x", "index"), ("x[0,0]", "index")],
)
def test_wrong_entries(entry: str, code: str) -> None:
    single = run(parse("sum(x)"), {"x": np.ones(2)})
    with pytest.raises(GradcliError) as caught:
        paths.follow(single, entry)
    assert caught.value.diagnostic.code == code


def test_a_long_loop_is_one_step() -> None:
    text = "for i in range(500) { x = x * 1.01 }; x"
    given = {"x": np.array(1.0)}
    assert "a loop of 500 passes" in render(document(explain(parse(text), given)), as_text)
    with pytest.raises(GradcliError, match="too many to explain") as caught:
        explain(parse(text), given, opened=["all"])
    assert "leave out --inside all" in str(caught.value.diagnostic.hint)


def test_colour_changes_no_word() -> None:
    blocks_ = document(explain(parse("y = norm(x); y"), {"x": X}))
    plain = re.sub(r"\x1b\[[0-9;]*m", "", coloured(blocks_))
    assert plain == render(blocks_, as_text)


@pytest.mark.parametrize("text", ["float(x > 0)", "sum(floor(x))"])
def test_a_leaf_that_nothing_comes_back_to_is_told(text: str) -> None:
    told = render(document(explain(parse(text), {"x": np.array(1.5)})), as_text)
    assert "x.grad is 0: nothing comes back to x." in told


def test_tensors_made_of_numbers_are_written_where_they_are_used() -> None:
    text = """import torch
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = (x * torch.tensor([1.0, 3.0])).sum()"""
    told = render(document(explain(parse(text), {})), as_text)
    assert "t1 = x * [1, 3]\n   = [1, 2] * [1, 3]\n   = [1, 6]" in told
    assert "cat" not in told
    assert "requires no grad" not in told
