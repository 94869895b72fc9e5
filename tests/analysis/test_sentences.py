"""Every equation that an explanation prints is a sentence of the language, and true."""

from __future__ import annotations

import json
import re
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from gradcli.analysis.explain import Explanation, explain
from gradcli.diagnostics import GradcliError
from gradcli.graph import Array
from gradcli.ops import Case
from gradcli.report.document import Chain, as_text, render
from gradcli.report.explain import document
from gradcli.report.explain_json import write as write_json
from gradcli.report.layout import Layout
from gradcli.report.sentences import added, summand
from gradcli.session import Gradient, Options
from tests.analysis.programs import generated, output_shape, parse, used
from tests.analysis.told import problems
from tests.ops.table_cases import all_cases, case_id, trace

ROOT = Path(__file__).parents[2]
SAMPLES = sorted((ROOT / "samples").rglob("*.grad"))
SEEDS = json.loads((ROOT / "tests" / "cli" / "seed_cases.json").read_text())["cases"]
CASES = list(all_cases())
X = np.array([[1.0, 2.0, 0.5], [0.1, 0.2, 3.0]])
CALLS = (
    "cross_entropy(x, y)", "log_softmax(x)", "logsumexp(x)", "std(x, dim=0)", "norm(x)",
    "softmax(x * 2, dim=0) @ x.T", "b = [1, 2, 3]; x + b", "sum(x[0] + x)", "max(x, 1).values",
    "where(x > 1, x, 0.1 * x)", "f(a, b=2) = a * b + x; f(x * x)", "x * rand(2, 3)",
    "s = 0; for r in x { s = s + r * s }; s", "h = x; while norm(h) < 100 { h = h * 2 }; h",
    "U, S, V = svd(x); S", "x = x * 2; x = x * x; x", "x**x",
)  # fmt: skip


def told(text: str, inputs: dict[str, Array], *opened: str) -> Explanation:
    """The explanation with a gradient, if one is needed, of different numbers."""
    shape = output_shape(text, inputs)
    gradients = [Gradient(np.random.default_rng(7).uniform(0.5, 1.5, shape))] if shape else []
    return explain(parse(text), used(text, inputs), gradients, Options(seed=1), opened)


@pytest.mark.parametrize("opened", [(), ("all",)], ids=["calls", "all"])
@pytest.mark.parametrize("text", CALLS)
def test_calls(text: str, opened: tuple[str, ...]) -> None:
    inputs = {"x": X, "y": np.array([2.0, 0.0])}
    assert [*problems(told(text, inputs, *opened))] == []


@pytest.mark.parametrize("seed", range(20))
def test_generated_programs(seed: int) -> None:
    assert [*problems(told(*generated(seed)))] == []


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20, 1000))
def test_more_generated_programs(seed: int) -> None:
    for opened in ((), ("all",)):
        assert [*problems(told(*generated(seed), *opened))] == []


def explained(case: Case) -> list[Explanation]:
    """A case as one step, and opened; nothing where it has no derivative."""
    traced = trace(case)
    if traced.output.kind != "float" or not traced.output.size:
        return []  # what has no elements has no text
    values = [traced.feeds[node] for node in traced.inputs]
    inputs = dict(zip(case.shapes, values, strict=True))
    try:
        return [told(case.program, inputs), told(case.program, inputs, "all")]
    except GradcliError:
        return []  # nothing in it can be differentiated


@pytest.mark.one_in(5)
@pytest.mark.parametrize(("name", "case"), CASES[::8], ids=case_id)
def test_some_ops(name: str, case: Case) -> None:
    assert [problem for each in explained(case) for problem in problems(each)] == []


@pytest.mark.slow
@pytest.mark.parametrize(("name", "case"), CASES, ids=case_id)
def test_every_op(name: str, case: Case) -> None:
    assert [problem for each in explained(case) for problem in problems(each)] == []


@pytest.mark.one_in(2)
@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: path.stem)
def test_samples(sample: Path) -> None:
    try:
        explanation = explain(parse(sample.read_text()), {})
    except GradcliError:
        return  # a sample that shows an error
    assert [*problems(explanation)] == []


@pytest.mark.parametrize("seed", SEEDS, ids=[seed["id"] for seed in SEEDS])
def test_seeds(seed: dict[str, object]) -> None:
    given = seed["set"]
    assert isinstance(given, dict)
    inputs = {name: np.array(value, float) for name, value in given.items()}
    assert [*problems(told(str(seed["program"]), inputs))] == []


def test_a_false_equation_is_found() -> None:
    """Where a sentence is not compared with the value that it should have, the judge finds it."""
    explanation = told("y = x * 2; sum(y)", {"x": X})
    step = next(step for step in explanation.steps if explanation.names[step.node] == "y")
    explanation.steps[explanation.steps.index(step)] = replace(step, value=step.value + 1)
    assert any("false: y =" in problem for problem in problems(explanation))


def test_cross_entropy_is_softmax_minus_one_hot() -> None:
    explanation = told("cross_entropy(z, y)", {"z": X, "y": np.array([2.0, 0.0])})
    assert len(explanation.steps) <= 3
    chains = [block for block in document(explanation) if isinstance(block, Chain)]
    assert ["(softmax(z, dim=1) - one_hot(y, 3)) / 2"] in [
        equal for chain in chains for equal in chain.equal
    ]


TWO_PASSES = (
    "x = tensor([1., 2.], requires_grad=True); y = x**2; y.retain_grad(); "
    "sum(y).backward(retain_graph=True); sum(3 * y).backward()"
)


def test_what_a_value_held_does_not_go_on() -> None:
    """PyTorch: y.grad is 1 + 3, and x.grad 2x + 3 * 2x."""
    explanation = explain(parse(TWO_PASSES), {})
    assert [*problems(explanation)] == []
    text = render(document(explanation), as_text)
    assert "y.grad = [1, 1] + y_new\n       = [4, 4]" in text
    assert "x.grad = [2, 4] + y_new * (2 * x)\n       = [8, 16]" in text
    assert "y is computed" not in text  # its grad is kept, not dropped


@pytest.mark.parametrize(
    ("text", "bracketed"),
    [("w == y", True), ("w > 0 and y", True), ("a if b else c", True), ("w | y", True),
     ("-w", False), ("w * y", False), ("w + y", False), ("f(w == y)", False), ("(w) == (y)", True)],
)  # fmt: skip
def test_what_binds_less_than_a_sum_is_bracketed_in_it(text: str, bracketed: bool) -> None:
    assert summand(text) == (f"({text})" if bracketed else text)


def test_a_part_that_is_a_comparison() -> None:
    """The largest element gets 1 from amax, and all get 1 from the sum."""
    text = "x = tensor([1., 3.], requires_grad=True); y = amax(x, 0); "
    explanation = explain(parse(text + "sum(x).backward(); y.backward()"), {})
    assert [*problems(explanation)] == []
    assert "x.grad = [1, 1] + (x == y)\n       = [1, 2]" in render(document(explanation), as_text)


def test_numbers_are_told_once() -> None:
    text = render(document(explain(parse("y = -x"), {"x": np.array(2.0)})), as_text)
    assert "y = -x\n  = -2\n\n" in text


def test_a_minus_is_the_sign_of_a_term() -> None:
    assert added(["-a", "-b * c", "d"]) == "-a - b * c + d"
    program = parse("x = solve(A, b); y = logdet(A) + x @ x")
    told = explain(program, {"A": np.array([[2.0, 1.0], [1.0, 3.0]]), "b": np.array([1.0, 2.0])})
    assert "inv(A).T - outer(solve(A.T, x.grad), x)" in render(document(told), as_text)
    assert [*problems(told)] == []


@pytest.mark.parametrize(
    ("product", "grad"), [("x @ w", "outer(x, y.grad)"), ("w @ z", "outer(y.grad, z)")]
)
def test_the_grad_of_a_matrix_by_a_vector_is_an_outer_product(product: str, grad: str) -> None:
    given = {
        "x": np.array([1.0, 2.0]), "w": np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]),
        "z": np.array([1.0, 2.0, 4.0]),
    }  # fmt: skip
    text = f"y = {product}; sum(y * y)"
    told = explain(parse(text), used(text, given))
    assert f"w.grad = {grad}" in render(document(told), as_text)
    assert [*problems(told)] == []


def test_negative_numbers_have_no_brackets_after_an_equals_sign() -> None:
    given = [Gradient(np.array([1.0, -3.0]))]
    told = explain(parse("y = 2 * x"), {"x": np.array([1.0, 2.0])}, given)
    assert "= -10, of which dL/dy is v" in " ".join(render(document(told), as_text).split())
    told = explain(
        parse("y = -x"), {"x": np.arange(1.0, 9.0).reshape(2, 2, 2)}, [Gradient(np.ones((2, 2, 2)))]
    )
    text = render(document(told), as_text)
    assert "y[0, 0, 0] = -1\n" in text


def test_what_has_no_grad_is_no_false_leaf() -> None:
    """A leaf that nothing reaches stays one; data without requires_grad is a leaf in PyTorch."""
    text = """x = tensor([1., 2.], requires_grad=True); d = tensor([3., 4.])
c = tensor([5., 6.], requires_grad=True); y = x.detach() * c * d; y.sum().backward()"""
    shown = render(document(explain(parse(text), {})), as_text)
    assert "x = [1, 2]\n    a leaf of shape (2,): no backward reaches it" in shown
    assert "d = [3, 4]\n    it requires no grad, and gets none" in shown
    assert "no leaf" not in shown


def test_infinities_of_two_paths_are_told_without_a_warning() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        told = explain(parse("a = x * 1; y = log(a) - log(a)"), {"x": np.array(0.0)})
    assert np.isnan(told.passes[0].grads[-1].value)


@pytest.mark.parametrize(
    ("text", "same"),
    [("sum(x) + sum(x * x)", None), ("sum(x) + 2 * sum(x)", 3), ("sum(x)", 1),
     ("sum(x * x).backward(); sum(x).backward()", None),
     ("sum(2 * x).backward(); sum(x).backward()", 3)],
)  # fmt: skip
def test_the_same_for_all_elements_is_said_of_the_whole_grad(text: str, same: int | None) -> None:
    """x.grad is 1 + 2x where x * x is added, and the same number where only sums of x are."""
    start = "x = tensor([1., 2.], requires_grad=True); "
    shown = render(document(explain(parse(start + text), {})), as_text).rpartition("\nx.grad = ")[2]
    said = [line.strip() for line in shown.splitlines() if "elements of x:" in line]
    assert said == ([] if same is None else [f"the same for all elements of x: {same}"])


def test_a_loss_for_each_of_several_outputs() -> None:
    """backward on sum(v * a) alone would leave out what comes from b."""
    given = [Gradient(np.array([1.0, 0.0]), "a"), Gradient(np.array([0.5, 2.0]), "b")]
    program = parse("a = x * 2; b = x + 1")
    told = explain(program, {"x": np.array([1.0, 2.0])}, given, Options(outputs=("a", "b")))
    text = " ".join(render(document(told), as_text).split())
    assert "Calling backward on the sum of such Ls of all outputs gives the same grads" in text
    assert "on this L" not in text


def test_arrays_without_elements_are_sentences() -> None:
    explanation = explain(parse("y = 2 * x; sum(y)"), {"x": np.zeros((2, 0))})
    assert [*problems(explanation)] == []
    assert "x.grad = y.grad * 2\n       = zeros(2, 0) * 2\n       = zeros(2, 0)" in render(
        document(explanation), as_text
    )


def test_functions_of_the_program_are_one_step() -> None:
    text = "f(a) = tanh(a) * a; out = f(x)"
    assert "out = f(x)" in render(document(told(text, {"x": np.array(0.5)})), as_text)
    assert "tanh(x)" in render(document(told(text, {"x": np.array(0.5)}, "f")), as_text)


def test_data_has_the_same_equations() -> None:
    explanation = told("h = x * 2; cross_entropy(h, y)", {"x": X, "y": np.array([2.0, 0.0])})
    (text,) = write_json(explanation, Layout(80))
    found = json.loads(text)
    h, out = found["steps"][-2:]
    assert (h["name"], h["expression"], h["used_for"]) == ("h", "x * 2", ["out"])
    assert (h["shape"], h["role"], h["span"]["text"]) == ([2, 3], "intermediate", "x * 2")
    assert out["role"] == "output"
    assert out["inside"] == "cross_entropy"
    grads = {grad["name"]: grad for grad in found["passes"][0]["grads"]}
    (part,) = grads["h.grad"]["parts"]
    assert part["expression"] == "(softmax(h, dim=1) - one_hot(y, 3)) / 2"
    assert part["through"] == ["out"]


def _shown(text: str) -> str:
    return render(document(explain(parse(text), {})), as_text)


def test_one_name_for_one_array() -> None:
    """In both passes and in the forward steps, a name stands for the same numbers."""
    text = (
        "x = tensor([1., 2., 3.], requires_grad=True); y = scatter(x * 1, 0, [0, 2], x[:2]);"
        "y = scatter(y, 0, [1, 1], x[:2]);"
    )
    passes = "sum(y).backward(retain_graph=True); sum(y * y).backward()"
    told = explain(parse(text + passes), {}, opened=("all",))
    lines = {line.strip() for line in render(document(told), as_text).splitlines()}
    where = [line.removeprefix("where ").split(" = ")[0] for line in lines if "where t" in line]
    titles = [title for title in where if title.isidentifier()]
    assert len(titles) == len(set(titles)) > 1
    assert not [*problems(told)]


def test_a_leaf_that_a_program_changes_keeps_its_name() -> None:
    """After a step of 0.5 from 2 along 2 * 2 it is 0; each pass has a number."""
    shown = _shown(
        "w = tensor(2., requires_grad=True); opt = torch.optim.SGD([w], lr=0.25)\n"
        "for i in range(2) {\n opt.zero_grad()\n loss = w ** 2\n loss.backward()\n opt.step()\n}"
    )
    assert "\nw_2 = w_1 - t1 * 0.25\n    = 2 - 4 * 0.25\n    = 1\n" in shown
    assert "w_1.grad after backward 1 in line 5: a constant" in shown
    assert "\nBackward 2: vᵀ·J" in shown
    assert "\nw_2.grad = loss.grad * (2 * w_2)\n" in shown
    assert "is detached" not in shown


@pytest.mark.parametrize(
    ("text", "said"),
    [("w.backward(); w.grad = None", "no backward reached w after w or w.grad was set, so w.grad"),
     ("(2 * v).backward()", "no backward reached w, so w.grad is None, shown as 0")],
)  # fmt: skip
def test_a_leaf_without_a_grad(text: str, said: str) -> None:
    start = "w = tensor(2., requires_grad=True); v = tensor(1., requires_grad=True); "
    assert said in " ".join(_shown(start + text).split())


def test_two_equal_uses_are_one_rule() -> None:
    """y * y has the gradient 2 y, and y @ y too."""
    shown = _shown(
        "y = tensor([1., 2.], requires_grad=True); z = y * y; sum(z).backward()\n"
        "x = tensor([1., 2.], requires_grad=True); w = x @ x; w.backward()"
    )
    assert "y.grad = 2 * z.grad * y\n" in shown
    assert "x.grad = 2 * w.grad * x\n" in shown
    assert "z uses y twice: the same comes back from each use, and adds up" in shown
    assert "paths meet" not in shown


def test_functions_have_the_names_that_the_program_gives() -> None:
    shown = _shown(
        "x = tensor([1.5, 2.], requires_grad=True); m = tensor([True, False])\n"
        "(round(x) + x.masked_fill(m, 0)).sum().backward()"
    )
    assert "t1 = round(x)" in shown
    assert "t2 = masked_fill(x, m, 0)" in shown
    assert "\nm = [True, False]\n    a constant: it gets no grad\n" in shown


@pytest.mark.parametrize(
    ("text", "why"),
    [("x = tensor([1., 2.]); x > 1", "out holds bool values: nothing was differentiated"),
     ("argmax(tensor([1, 2]))", "out holds int values: nothing was differentiated"),
     ("1 + 2", "there is no leaf to differentiate by"),
     ("x = tensor(2., requires_grad=True); g = torch.autograd.grad(x * x, x)[0]; g",
      "the program calls grad without create_graph, so no gradient flows on from there")],
)  # fmt: skip
def test_a_program_without_a_backward_is_told(text: str, why: str) -> None:
    """Its forward steps, and why nothing follows; as data too."""
    told = explain(parse(text), {})
    assert not [*problems(told)]
    assert told.steps
    assert not told.passes
    assert any(why in note.message for note in told.notes)
    shown = " ".join(render(document(told), as_text).split())
    assert f"Backward -------- There is none: {why}" in shown
    assert shown.count(why) == 1


def test_sums_that_cancel() -> None:
    """0.1 + 0.2 - 0.3 is rounding; of 1e6 + 1/3 - 1e6 digits are left that 6 do not show."""
    shown = _shown("x = tensor(3., requires_grad=True); (x * 0.1 + x * 0.2 - x * 0.3).backward()")
    assert "these parts cancel: what is left of them is rounding" in shown
    start = "x = tensor(1., requires_grad=True); "
    text = f"{start}(x * 1000000.3333333334).backward(); (-1e6 * x).backward()"
    assert "x.grad = 1000000.3333333334 + " in _shown(text)
    assert not [*problems(explain(parse(text), {}))]


@pytest.mark.parametrize("of", ["x", "y"])
def test_what_hooks_change(of: str) -> None:
    """d sum(x^2) = 2 x, doubled by the hook."""
    shown = _shown(
        "x = torch.tensor([1., -2.], requires_grad=True)\ny = x ** 2\n"
        f"{of}.register_hook(lambda g: g * 2)\nz = y.sum()\nz.backward()"
    )
    said = "hooks change gradients on the way, so that x.grad holds [4, -8]"
    assert said in " ".join(shown.split())


def test_parameters_of_models_have_names() -> None:
    shown = _shown(
        "m = torch.nn.Linear(2, 1)\nx = torch.tensor([[1., 2.]])\n"
        "opt = torch.optim.SGD(m.parameters(), lr=0.1)\n"
        "for i in range(2):\n    opt.zero_grad()\n    loss = m(x).sum()\n"
        "    loss.backward()\n    opt.step()"
    )
    assert "\nm_weight_1 = " in shown
    assert "\nm_weight_2.grad = " in shown
    assert "\nm_bias_2.grad = " in shown


def test_a_grad_that_is_differentiated_again() -> None:
    """d sum(3 x^2) = 6 x; with what x.grad held, 3 x^2 + 6 x."""
    shown = _shown(
        "x = torch.tensor([1., 2.], requires_grad=True)\ny = (x ** 3).sum()\n"
        "y.backward(create_graph=True)\ng = x.grad\np = g.sum()\np.backward()"
    )
    assert "it held [3, 12] from before, and this pass adds [6, 12]" in shown
    assert "a constant" not in shown
    assert "hooks" not in shown


LAYERS = """import torch
from torch import nn
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1))
x = torch.tensor([[1.0, 2.0], [0.5, -1.0]])
loss = net(x).pow(2).mean()
loss.backward()
"""


def test_how_weights_are_drawn_is_not_told() -> None:
    explanation = explain(parse(LAYERS), {})
    assert [*problems(explanation)] == []
    text = render(document(explanation), as_text)
    assert "net_2_weight = [[" in text
    assert "changed by the program" not in text
    assert "linear(x, net_0_weight, net_0_bias)" in text


def test_the_gradient_of_a_layer_is_that_of_textbooks() -> None:
    """Goodfellow, Bengio, Courville, Deep Learning (2016), 6.5.6."""
    text = _shown(LAYERS)
    ((second, first),) = re.findall(r"net_2_weight\.grad = (t\d)\.grad\.T @ (t\d)", text)
    assert f"{first}.grad = {second}.grad @ net_2_weight" in text
    assert f"net_2_bias.grad = sum({second}.grad, dim=0)" in text


def test_a_tensor_that_is_made_a_leaf_has_not_changed() -> None:
    text = "x = [1.0, 2.0]\nx.requires_grad = True\ny = (x**2).sum()\ny.backward()"
    story = _shown(text)
    assert "x_1" not in story
    assert "x = [1, 2]\n    a leaf of shape (2,): it gets a grad\n" in story
