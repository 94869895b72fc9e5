"""Programs from strangers: each gets an answer or an error that helps, at once."""

from __future__ import annotations

import numpy as np
import pytest

from gradcli.diagnostics import Diagnostic, GradcliError, Source, nearest
from gradcli.language.parser import ParseLimits, parse_program
from gradcli.session import Gradient, Limits, Options, Result, evaluate


def answer(program: str, x: object = (1.0, 2.0)) -> Result:
    inputs = {"x": np.asarray(x)} if "x" in program else {}
    return evaluate(parse_program(Source("program", program), ParseLimits()), inputs)


def refused(program: str, x: object = (1.0, 2.0)) -> Diagnostic:
    with pytest.raises(GradcliError) as caught:
        answer(program, x)
    return caught.value.diagnostic


@pytest.mark.parametrize(
    ("program", "code"),
    [
        ("zeros(10**9, 10**9, 0)", "limit-memory"),
        ("zeros(10**20, 0)", "limit-memory"),
        ("for row in zeros(10**9) { }", "limit-steps"),
        ("a, b = zeros(10**9)", "limit-nodes"),
        ("zeros(zeros(10**8))", "limit-nodes"),
        ("h = 'a'; " + "h = [h, h]; " * 60 + "h + 1", "type"),
        ("h = [1]; for i in range(60) { h = append(h, h) }; h + 1", "shape"),
        ("sum(zeros(" + "1, " * 65 + "))", "shape"),
        ("x[" + "None, " * 65 + "]", "shape"),
        ("x" + ".unsqueeze(0)" * 65, "shape"),
        ("x[[True, False, True]]", "index"),
        ("x[inf:]", "type"),
        ("x**2", "gradient-required"),
        ("y = x[x > 9]", "gradient-required"),
        ("'abc'", "type"),
        ("h = []", "type"),
        ("h = [[1, 2], [3]]", "shape"),
        ("range(3)", "type"),
        ("sum(x[[5]])", "index"),
        ("sum(gather(x, 0, [5]))", "index"),
        ("sum(repeat_interleave(x, 2**62))", "limit-memory"),
        ("sum(pad(x, (2**62, 0), 'replicate'))", "limit-memory"),
        ("sum(unfold(zeros(10**5), 0, 5*10**4, 1))", "limit-memory"),
        ("sum(one_hot([1], 2**62))", "limit-memory"),
        ("eye(1e300)", "limit-memory"),
        ("round(x, 10**30)", "value"),
    ],
)
def test_is_refused_with_its_place(program: str, code: str) -> None:
    diagnostic = refused(program)
    assert diagnostic.code == code
    assert diagnostic.source is not None
    assert diagnostic.span is not None


@pytest.mark.parametrize("far", ["10**30", "-10**30"])
@pytest.mark.parametrize("call", ["tril(x, {})", "triu(x, {})", "diagonal(x, {})", "diag(x, {})"])
def test_a_diagonal_may_lie_far_outside(call: str, far: str) -> None:
    below = call.startswith("tril") == (far[0] != "-")
    total = 10.0 if call[:3] == "tri" and below else 0.0
    found = answer(f"sum({call.format(far)})", [[1.0, 2.0], [3.0, 4.0]]).values["out"]
    assert found == total


def test_a_list_of_truth_values_is_a_mask() -> None:
    assert answer("sum(x[[True, False]])").values["out"] == 1.0


def test_a_tensor_may_have_64_dimensions_and_rows_of_nothing() -> None:
    assert answer("sum(ones(" + "1, " * 64 + "))").values["out"] == 1.0
    assert answer("sum(zeros(10**9, 0))").values["out"] == 0.0


def test_a_window_may_step_far_beyond_its_input() -> None:
    assert answer("sum(avg_pool1d(x, 1, 2**62))", [[1.0, 2.0]]).values["out"] == 1.0


def test_many_values_without_a_name_are_many_outputs() -> None:
    names = list(answer("1, " * 20_000).outputs)
    assert names[:2] == ["out", "out_1"]
    assert names[-1] == "out_19999"


@pytest.mark.parametrize(
    "program",
    [
        "sum(masked_select(expand(x[0], 10**6), True))",
        "sum(unfold(expand(x[0], 10**6), 0, 1, 1))",
        "sum(repeat_interleave(expand(x[0], 10**6), 0))",
        "sum(pad(x, (10**6, 0), 'replicate'))",
        "sum(one_hot([0], 10**6) * x[0])",
    ],
)
def test_indices_are_not_written_out_beyond_the_memory_of_a_run(program: str) -> None:
    options = Options(limits=Limits(memory=2**20))
    with pytest.raises(GradcliError) as caught:
        evaluate(
            parse_program(Source("program", program), ParseLimits()), {"x": np.ones(2)}, (), options
        )
    assert caught.value.diagnostic.code == "limit-memory"
    assert "places" in caught.value.diagnostic.message


def test_nan_is_no_axis() -> None:
    assert np.isnan(answer("sum(max(x, nan))").values["out"])


@pytest.mark.parametrize(
    ("options", "gradients", "source"),
    [
        (Options(), [Gradient(np.ones(3))], "--gradient"),
        (Options(outputs=("z",)), [], "--output"),
        (Options(wrt=("z",)), [], "--wrt"),
    ],
)
def test_a_mistake_in_a_flag_is_placed_there(
    options: Options, gradients: list[Gradient], source: str
) -> None:
    program = parse_program(Source("program", "y = x**2"), ParseLimits())
    with pytest.raises(GradcliError) as caught:
        evaluate(program, {"x": np.ones(2)}, gradients, options)
    found = caught.value.diagnostic.source
    assert found is not None
    assert found.name == source


def test_the_mend_for_an_empty_output_can_be_pasted() -> None:
    assert "'ones(0)'" in (refused("x[x > 9]").hint or "")


def test_what_an_error_quotes_is_cut() -> None:
    diagnostic = refused("a" * 10**6)
    assert len(diagnostic.message) < 1000
    assert diagnostic.message.endswith("' has no value")
    assert len(diagnostic.hint or "") < 1000


def test_a_suggestion_shares_a_letter_with_the_name() -> None:
    assert nearest("y", ["x", "e"]) is None
    assert nearest("Y", ["x", "y"]) == "y"
    assert nearest("maen", ["mean", "median"]) == "mean"
    assert nearest("tahn", ["tan", "tanh"]) == "tanh"


def test_rows_of_a_star_are_outputs() -> None:
    assert [*answer("sum(x), *[1, 2]").values] == ["x", "out", "out_1", "out_2"]


def test_a_slice_of_a_tuple_has_steps() -> None:
    assert refused("var_mean(x)[::0]").message == "the step of a slice is 0"


def test_labels_without_classes_end_in_no_division_by_zero() -> None:
    refused("cross_entropy(zeros(2, 0), [1, 0], ignore_index=1, label_smoothing=0.1)")


@pytest.mark.parametrize("call", ["lu_unpack([x, x], 2)", "lu_solve([x, x], [x, x], 2)"])
def test_pivots_are_a_row(call: str) -> None:
    assert "pivots of a matrix are a row" in refused(call).message


@pytest.mark.parametrize("use", ["for i in {} {{ 1 }}", "len({})", "list({})", "x = {}; 1"])
def test_a_range_can_be_counted(use: str) -> None:
    assert "2**63 numbers" in refused(use.format("range(0, -10**30, -2)")).message
