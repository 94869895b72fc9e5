"""What `evaluate` answers: which names get grads, gradients and passes, notes, limits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gradcli.diagnostics import GradcliError, Source
from gradcli.language.parser import ParseLimits, parse_program
from gradcli.literals import literals
from gradcli.result import Result
from gradcli.session import SAFE, Gradient, Limits, Options, evaluate, prepare
from gradcli.trace import TraceLimits


def run(text: str, *gradients: Any, options: Options | None = None, **inputs: Any) -> Result:
    """Evaluate a program; gradients are arrays, or (output, array)."""
    program = parse_program(Source("program", text), ParseLimits())
    arrays = {name: np.asarray(value) for name, value in inputs.items()}
    given = [
        Gradient(np.asarray(each[1]), each[0])
        if isinstance(each, tuple)
        else Gradient(np.asarray(each))
        for each in gradients
    ]
    return evaluate(program, arrays, given, options or Options())


def grads(
    text: str, *gradients: Any, options: Options | None = None, **inputs: Any
) -> dict[str, Any]:
    found = run(text, *gradients, options=options, **inputs).grads
    return {name: grad.tolist() for name, grad in found.items()}


def error(
    text: str, *gradients: Any, options: Options | None = None, **inputs: Any
) -> GradcliError:
    with pytest.raises(GradcliError) as caught:
        run(text, *gradients, options=options, **inputs)
    return caught.value


def codes(result: Result) -> list[str]:
    return [note.code for note in result.notes]


X = np.array([1.0, 2.0])

# --- which names get grads -----------------------------------------------------------------


def test_inputs_get_grads_and_literals_beside_them_do_not() -> None:
    assert grads("a = 3; y = a*x", x=2.0) == {"x": 3.0}


def test_names_bound_to_literals_get_grads_where_nothing_is_set() -> None:
    assert grads("x = 3; y = x**2") == {"x": 6.0}
    assert grads("x = 2*pi; y = sin(x)") == {"x": pytest.approx(1.0)}
    assert grads("a, b = 3, 2; y = a*b") == {"a": 2.0, "b": 3.0}
    assert grads("x = linspace(0, 1, 3); sum(x*x)") == {"x": [0.0, 1.0, 2.0]}


def test_a_literal_that_only_sizes_a_loop_is_no_leaf() -> None:
    text = "n = 3; x = 2; y = 1\nfor i in range(n) { y = y * x }"
    assert grads(text) == {"x": 12.0, "y": 8.0}


def test_marked_leaves_get_grads_beside_inputs() -> None:
    assert grads("w = tensor(3, requires_grad=True); c = 5; y = w*x*c", x=2.0) == {
        "x": 15.0,
        "w": 10.0,
    }


def test_marked_leaves_alone_leave_plain_literals_out() -> None:
    assert grads("w = tensor(3, requires_grad=True); c = 5; y = w*c") == {"w": 5.0}


def test_integers_and_truth_values_get_no_grads() -> None:
    assert grads("x * n", x=2.0, n=3) == {"x": 3.0}
    assert grads("where(c, x, 0)", x=2.0, c=True) == {"x": 1.0}


def test_wrt_chooses_intermediates_too() -> None:
    assert grads("z = 2*x; y = z**2", options=Options(wrt=("z",)), x=3.0) == {"z": 12.0}
    assert grads("z = 2*x; y = z**2", options=Options(wrt=("z", "x")), x=3.0) == {
        "z": 12.0,
        "x": 24.0,
    }


def test_equal_values_are_two_leaves() -> None:
    assert grads("a = 3; b = 3; y = a**2 * b") == {"a": 18.0, "b": 9.0}


def test_an_intermediate_under_two_names_keeps_their_grads_apart() -> None:
    result = run("z = 2*x; w = 2*x; y = z*w*w", options=Options(retain_grad=("z", "w")), x=3.0)
    retained = {name: grad.item() for name, grad in result.passes[0].retained.items()}
    assert retained == {"z": 36.0, "w": 72.0}
    assert result.grads["x"] == 216.0


def test_wrt_an_input_is_the_input_where_its_name_is_bound_again() -> None:
    """A grad belongs to the leaf: y = x * 5, and y = (2x)²."""
    by_x = Options(wrt=("x",))
    assert grads("a = x; x = 5; y = a * x", options=by_x, x=2.0) == {"x": 5.0}
    assert grads("x = 2 * x; y = x**2", options=by_x, x=3.0) == {"x": 24.0}
    marked = "x.requires_grad = True; y = x**2"
    assert grads(marked, options=by_x, x=3.0) == {"x": 6.0}


def test_no_leaf_is_a_note_and_wrt_an_integer_an_error() -> None:
    result = run("1 + 2")
    assert result.values["out"] == 3
    assert codes(result) == ["no-grad"]
    assert error("x * 2.5", options=Options(wrt=("x",)), x=3).diagnostic.code == "no-grad"


def test_an_unused_input_has_grad_zero_and_a_note() -> None:
    result = run("y = x**2; z = u", options=Options(outputs=("y",)), x=3.0, u=X)
    assert result.grads["u"].tolist() == [0, 0]
    assert codes(result) == ["unused"]


@pytest.mark.parametrize("text", ["sum(x.data)", "y = detach(x); sum(y**2)", "sum(float(x > 1))"])
def test_an_input_that_no_gradient_goes_back_to_has_grad_zero_and_a_note(text: str) -> None:
    result = run(text, x=X)
    assert result.grads["x"].tolist() == [0, 0]
    assert codes(result) == ["detached"]


def test_a_program_that_only_prints_has_no_output() -> None:
    (note,) = run("print(x)", x=3.0).notes
    assert note.message == "the program ends on no value: nothing was differentiated"


@pytest.mark.parametrize("text", ["x == 3; y = x**2", "x == 3; x == 4; y = x**2"])
def test_a_comparison_that_goes_nowhere_gets_a_note(text: str) -> None:
    result = run(text, x=2.0)
    assert result.grads["x"] == 4
    assert set(codes(result)) == {"comparison"}


@pytest.mark.parametrize("text", ["x == 3", "x == 3  #= 0\ny = x**2", "(x == 3); x + 0 == 2; x"])
def test_other_comparisons_get_none(text: str) -> None:
    expected = ["no-grad"] if text == "x == 3" else ["comparison"] if "(" in text else []
    assert codes(run(text, x=2.0)) == expected


def test_a_name_that_is_compared_and_has_no_value_was_meant_to_get_one() -> None:
    diagnostic = error("x == 3; y = x**2").diagnostic
    assert (diagnostic.code, diagnostic.span) == ("name", (0, 1))
    assert "x = 3" in (diagnostic.hint or "")


def test_an_input_that_stands_nowhere_is_an_error() -> None:
    diagnostic = error("y = value**2", valeu=3.0).diagnostic
    assert diagnostic.code == "name"
    assert "'value'" in (diagnostic.hint or "")


def test_a_leaf_that_is_bound_again_keeps_its_grad() -> None:
    result = run("x = x * 2; y = x**2", x=3.0)
    assert result.values["x"] == 6
    assert result.grads["x"] == 24
    assert codes(result) == ["rebound"]


# --- gradients -----------------------------------------------------------------------------


def test_parameters_of_a_layer_are_among_the_values_with_what_they_have_become() -> None:
    text = """import torch
layer = torch.nn.Linear(2, 1, bias=False)
layer.weight.data = torch.tensor([[1.0, 2.0]])
step = torch.optim.SGD(layer.parameters(), lr=0.5)
loss = layer(torch.tensor([3.0, 4.0])).sum()
loss.backward()
step.step()"""
    values = run(text).values
    assert values["layer.weight"].tolist() == [[1 - 0.5 * 3, 2 - 0.5 * 4]]
    assert run(text, options=Options(values="outputs")).values.keys() == {"loss"}


def test_one_element_needs_no_gradient() -> None:
    assert grads("y = x**2", x=[[3.0]]) == {"x": [[6.0]]}


def test_a_vector_without_gradient_shows_its_shape_and_three_mends() -> None:
    diagnostic = error("y = x**2", x=X).diagnostic
    assert diagnostic.code == "gradient-required"
    assert "(2,)" in diagnostic.message
    for mend in ("--gradient '1,1'", "sum(y)", "gradcli jacobian"):
        assert mend in (diagnostic.hint or "")


def test_the_mends_of_a_nameless_output_can_be_pasted() -> None:
    assert "sum(x**2)" in (error("x**2", x=X).diagnostic.hint or "")


def test_a_gradient_weighs_the_rows_of_the_jacobian() -> None:
    assert grads("y = [x[0]*x[1], x[0]**2]; y", [2.0, 3.0], x=X) == {
        "x": [2 * 2 + 3 * 2 * 1, 2 * 1.0]
    }


def test_a_gradient_of_one_element_fits_any_rank() -> None:
    assert grads("y = sum(x)", [[100.0]], x=X) == {"x": [100.0, 100.0]}
    assert grads("y = reshape(sum(x), 1, 1)", 100.0, x=X) == {"x": [100.0, 100.0]}


def test_a_gradient_is_broadcast_with_a_note() -> None:
    result = run("y = x*x", [1.0, 0.0], x=[[1.0, 2.0], [3.0, 4.0]])
    assert result.grads["x"].tolist() == [[2, 0], [6, 0]]
    assert result.passes[0].gradient["y"].tolist() == [[1, 0], [1, 0]]
    assert codes(result) == ["broadcast"]


def test_strict_refuses_to_broadcast() -> None:
    strict = Options(strict=True)
    assert error("y = x*x", [1.0], options=strict, x=X).diagnostic.code == "gradient-shape"
    assert error("y = x*x", [1.0, 2.0, 3.0], x=X).diagnostic.code == "gradient-shape"


def test_an_integer_output_has_no_derivative() -> None:
    assert codes(run("argmax(x)", x=X)) == ["no-grad"]
    assert error("argmax(x)", 1.0, x=X).diagnostic.code == "not-differentiable"


# --- passes --------------------------------------------------------------------------------


def test_passes_start_from_zero_each() -> None:
    result = run("y = x*x", [1.0, 0.0], [0.0, 1.0], x=X)
    assert [each.grads["x"].tolist() for each in result.passes] == [[2, 0], [0, 4]]
    assert result.grads["x"].tolist() == [0, 4]


def test_passes_accumulate_when_asked() -> None:
    result = run("y = x*x", [1.0, 0.0], [0.0, 1.0], options=Options(accumulate=True), x=X)
    assert result.grads["x"].tolist() == [2, 4]


def test_named_gradients_belong_to_one_pass_until_a_name_repeats() -> None:
    given = [("a", 1.0), ("b", 10.0), ("a", 2.0)]
    result = run("a = 2*x; b = 3*x", *given, options=Options(outputs=("a", "b")), x=1.0)
    assert [each.grads["x"].item() for each in result.passes] == [32.0, 7.0]


def test_an_unnamed_gradient_with_several_outputs_is_refused() -> None:
    assert error("a, b = 2*x, 3*x", 1.0, x=1.0).diagnostic.code == "usage"
    assert error("a, b = 2*x, 3*x", ("c", 1.0), x=1.0).diagnostic.code == "name"


# --- outputs -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("y = x", ["y"]),
        ("x * 2", ["out"]),
        ("out = x; x * 2", ["out_1"]),
        ("a, b = 2*x, x", ["a", "b"]),
        ("a = 2*x; a, x*3", ["a", "out"]),
        ("v = 2*x, x*3", ["v_1", "v_2"]),
        ("y = x; f(t) = t", ["y"]),
        ("y = x; if x > 5 { z = 2*x }", ["y"]),
        ("y = x; if x < 5 { z = 2*x }", ["z"]),
        ("y = x; y += 1", ["y"]),
    ],
)
def test_the_output_is_what_the_program_ends_on(text: str, names: list[str]) -> None:
    assert list(run(text, x=1.0).outputs) == names


def test_a_program_without_a_value_is_an_error() -> None:
    assert error("").diagnostic.code == "value"
    assert error("f(t) = t").diagnostic.code == "value"


# --- numbers -------------------------------------------------------------------------------


def test_float32_is_float32_throughout() -> None:
    result = run("y = sum(x / 3)", options=Options(precision="float32"), x=X)
    assert result.values["y"].dtype == np.float32
    assert result.grads["x"].dtype == np.float32
    assert result.grads["x"][0] == np.float32(1) / np.float32(3)


def test_the_first_op_that_made_a_nan_is_named() -> None:
    (note,) = run("y = log(x[1] - 2)", x=X).notes
    assert "log of 0" in note.message
    (note,) = run("y = sqrt(sum(x**2))", x=[0.0, 0.0]).notes
    assert "backward of sqrt" in note.message


def test_a_seed_that_the_program_sets_wins() -> None:
    text = "torch.manual_seed(3); a = rand(2); torch.manual_seed(3); b = rand(2); a, b"
    found = run(f"rand(); {text}", options=Options(seed=1, forward_only=True)).values
    other = run(text, options=Options(seed=2, forward_only=True)).values
    rows = [each[name].tolist() for each in (found, other) for name in "ab"]
    assert rows == [rows[0]] * 4


def test_seeded_draws_repeat_and_unseeded_ones_tell_their_seed() -> None:
    first = run("y = sum(randn(3) * x)", x=1.0)
    assert first.seed is not None
    again = run("y = sum(randn(3) * x)", options=Options(seed=first.seed), x=1.0)
    assert again.values["y"] == first.values["y"]
    assert run("y = x", x=1.0).seed is None


def test_two_draws_differ() -> None:
    result = run("a = randn(3); b = randn(3); a, b", options=Options(seed=1, forward_only=True))
    assert (result.values["a"] != result.values["b"]).all()


def test_literals_draw_from_the_same_seed_as_the_program() -> None:
    (array,), seed, draws = literals([Source("--set x", "randn(2)")], Options(seed=5))
    assert (seed, draws) == (5, 1)
    program = parse_program(Source("program", "x * randn(2)"), ParseLimits())
    result = evaluate(program, {"x": array}, [Gradient(np.ones(2))], Options(seed=5, draws=draws))
    assert (result.grads["x"] != array).all()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1,2", [1, 2]),
        ("[[1, -2], [3, 4]]", [[1, -2], [3, 4]]),
        ("-3", -3),
        ("2*pi", 2 * np.pi),
        ("linspace(0,1,3)", [0, 0.5, 1]),
        ('["NaN", "-Infinity", 1]', [np.nan, -np.inf, 1]),
        ("[true, false]", [True, False]),
    ],
)
def test_values_from_the_command_line(text: str, expected: Any) -> None:
    (array,), _, _ = literals([Source("--set x", text)])
    np.testing.assert_array_equal(array, expected)


def test_values_from_the_command_line_read_no_names() -> None:
    with pytest.raises(GradcliError) as caught:
        literals([Source("--set x", "y + 1")])
    assert caught.value.diagnostic.code == "name"


# --- a plan may serve many inputs ----------------------------------------------------------


def test_a_prepared_program_runs_again_with_other_values() -> None:
    program = parse_program(Source("program", "y = x**2"), ParseLimits())
    ready = prepare(program, {"x": X}, [Gradient(np.ones(2))], Options())
    first = ready.run({"x": X}, [Gradient(np.ones(2))])
    second = ready.run({"x": 10 * X}, [Gradient(np.array([1.0, 2.0]))])
    assert first.grads["x"].tolist() == [2, 4]
    assert second.grads["x"].tolist() == [20, 80]


# --- limits and depth ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("sum(x * zeros(10**12))", "limit-memory"),
        ("sum((x @ ones(1, 10**9)) * ones(10**9, 1))", "limit-memory"),
        ("while True { x = x + 1 }", "limit-steps"),
        ("for i in range(10**9) { x }", "limit-steps"),
    ],
)
def test_limits_are_met_before_the_damage_is_done(text: str, code: str) -> None:
    assert error(text, x=[1.0]).diagnostic.code == code


def test_a_function_that_never_ends_is_stopped() -> None:
    few = Options(limits=Limits(trace=TraceLimits(steps=10_000)))
    told = error("f(n) = f(n + 1)\nf(x)", options=few, x=1.0).diagnostic
    assert told.code == "limit-steps"


def test_the_graph_has_a_limit() -> None:
    small = Options(limits=Limits(nodes=100, trace=TraceLimits(steps=10**6)), unroll=True)
    assert (
        error("while x < 9 { x = x * 1.0001 }", options=small, x=1.0).diagnostic.code
        == "limit-nodes"
    )
    assert SAFE.nodes < Limits().nodes


@pytest.mark.parametrize(
    "text",
    [
        "y = " + " + ".join(["x"] * 5_000),
        "y = " + "(" * 5_000 + "x" + ")" * 5_000,
        "y = " + "-" * 5_000 + "x",
        "y = x\nfor i in range(2000) { y = y * 1.0001 }",
        "f(n, a)=g(n-1, a + x); def g(n, a) { if n <= 0 { return a } return f(n, a) }\nf(1500, x)",
        "y = " + "[" * 60 + "x" + "]" * 60 + ".sum()",
    ],
    ids=["sum", "parentheses", "minus", "loop", "recursion", "lists"],
)
def test_depth_is_no_danger(text: str) -> None:
    result = run(text, x=0.5)
    step = 1e-6
    ahead = run(text, options=Options(forward_only=True), x=0.5 + step)
    behind = run(text, options=Options(forward_only=True), x=0.5 - step)
    (output,) = result.outputs
    slope = (ahead.values[output] - behind.values[output]) / (2 * step)
    np.testing.assert_allclose(result.grads["x"], slope, rtol=1e-6)


@pytest.mark.parametrize(
    "text", ["prod(x, dim=0, keepdim=True)", "quantile(x, 0.5, dim=-1, keepdim=True)", "sum(x, 0)"]
)
def test_a_single_value_may_be_addressed_as_a_vector(text: str) -> None:
    result = run(text, x=3.0)
    assert (result.values["out"].tolist(), result.grads["x"].tolist()) == (3, 1)


def test_a_program_without_a_value_is_where_the_error_lies() -> None:
    diagnostic = error("f(x) = x").diagnostic
    assert diagnostic.source is not None
    assert diagnostic.source.name == "program"


def test_whole_numbers_of_a_pasted_program_tell_how_to_have_a_gradient() -> None:
    cell = "import numpy as np\nx = np.array([1, 2, 3])\ny = np.sum(x**2)"
    (note,) = run(cell).notes
    assert "write 1. for 1" in note.message
    floats = run(cell.replace("1, 2, 3", "1., 2., 3."))
    assert floats.grads["x"].tolist() == [2, 4, 6]
