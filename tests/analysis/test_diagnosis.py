"""The user's own gradient: agreement, and the cause of a difference."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from typing import Any

import numpy as np
import pytest

from gradcli.analysis.check import check
from gradcli.analysis.diagnosis.claim import Claim, differentiate, formula, typed, weighed
from gradcli.analysis.diagnosis.compare import compare, compare_all
from gradcli.analysis.evidence import Evidence, from_formula
from gradcli.analysis.verdict import Comparison
from gradcli.diagnostics import Code, GradcliError, Source
from gradcli.graph import Precision
from gradcli.options import DEFAULT
from tests.analysis.mistakes import DATA, MISTAKES, SQUARES, A, Mistake, S, X, Y
from tests.analysis.posed import posed


def compared(
    program: str,
    inputs: Mapping[str, Any],
    leaf: str,
    mine: Any,
    gradient: Sequence[Any] = (),
    precision: Precision = "float64",
) -> Comparison:
    walk = differentiate(weighed(posed(program, inputs, gradient, precision=precision)))
    if isinstance(mine, str):
        own = typed(walk, Source("--mine", mine))
        return compare(Claim(walk, leaf, walk.problem.leaves[leaf], own.node, own))
    node = walk.problem.graph.constant(np.asarray(mine, np.float64))
    return compare(Claim(walk, leaf, walk.problem.leaves[leaf], node))


@pytest.mark.one_in(8)
@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda each: f"{each.program} {each.mine}")
def test_a_mistake_is_named(mistake: Mistake) -> None:
    found = compared(mistake.program, mistake.data, mistake.leaf, mistake.mine, mistake.gradient)
    assert found.verdict == "fail"
    cause = found.causes[0]
    assert cause.code == mistake.code, found.causes
    for words in mistake.words:
        assert words in cause.message


NORM = "r = sqrt(mean(x**2, 1, keepdim=True) + eps); y = g*x/r; L = sum(c*y)"
LONG = {
    "c*g/r - x*mean(c*g*x, 1, keepdim=True)/r**2": "the exponent is wrong: r instead of r**2",
    "c*g/r - x*mean(c*x, 1, keepdim=True)/r**3": "the factor g is missing",
}
"""Of what numbers are made, and what is said of these."""


@pytest.mark.parametrize("wrong", LONG)
def test_numbers_are_explained_by_a_slip_in_a_long_formula(wrong: str) -> None:
    data = {
        "x": [[0.4, 1.3, -2.2], [0.7, -0.6, 0.9]], "g": [0.5, 1.4, 0.8],
        "c": [[0.3, -1.1, 0.6], [1.2, 0.2, -0.5]], "eps": 0.05,
    }  # fmt: skip
    numbers = compared(NORM, data, "x", wrong).mine
    found = compared(NORM, data, "x", np.round(numbers, 6))
    assert LONG[wrong] in found.causes[0].message
    assert not found.sure


def test_there_are_many_mistakes() -> None:
    assert len(MISTAKES) >= 80
    assert len({mistake.code for mistake in MISTAKES}) >= 25


@pytest.mark.wide
def test_numbers_of_no_mistake_are_not_explained() -> None:
    generator = np.random.default_rng(5)
    for program, leaf in (("sum(x*exp(x))", "x"), (SQUARES, "w"), ("sum((S@S)**2)", "S")):
        inputs = DATA.get(program, {"x": Y, "S": S})
        inputs = {name: value for name, value in inputs.items() if name in program}
        for _ in range(7):
            shape = np.shape(inputs[leaf])
            found = compared(program, inputs, leaf, generator.normal(size=shape))
            assert found.verdict == "fail"
            assert [cause.code for cause in found.causes] == ["unexplained"]


@pytest.mark.parametrize("function", ["tril", "triu", "nan_to_num", "matrix_exp", "cumprod"])
def test_wrong_graphs_that_do_not_work_are_passed_over(function: str) -> None:
    """Left out or turned round, an op may get what it cannot take, or numbers near overflow."""
    program = f"y = {function}(x{', 0' if function == 'cumprod' else ''}); sum(y*y)"
    found = compared(program, {"x": S}, "x", [[0.3, -1.7], [2.9, 0.1]])
    assert [cause.code for cause in found.causes] == ["unexplained"]


RIGHT = [
    ("sum(sigmoid(x))", "x", "sigmoid(x)*(1 - sigmoid(x))", {"x": Y}),
    ("sum(sigmoid(x))", "x", "exp(-x)/(1 + exp(-x))**2", {"x": Y}),
    ("sum(tanh(x))", "x", "1/cosh(x)**2", {"x": Y}),
    ("norm(x)", "x", "x/sqrt(sum(x**2))", {"x": Y}),
    ("mean(x)", "x", "1/3", {"x": Y}),
    ("sum(3*x)", "x", "3", {"x": Y}),
    ("x = 3; y = x**2", "x", "2*x", {}),
    ("x = 3; y = x**2", "x", 6.0, {}),
    ("p = softmax(z); L = -sum(t*log(p))", "z", "p - t", {"z": Y, "t": [0, 1, 0]}),
    (SQUARES, "w", "2*X.T@r/3", DATA[SQUARES]),
    (SQUARES, "X", "2*outer(r, w)/3", DATA[SQUARES]),
    ("y = X@W + b; sum(y**2)", "b", "sum(2*y, dim=0)", {"X": X, "W": A, "b": Y}),
    ("logdet(S)", "S", "inv(S).T", {"S": S}),
    ("logdet(S)", "S", "inv(S)", {"S": [[3, 1], [1, 4]]}),
    ("x@S@x", "x", "(S + S.T)@x", {"x": [1, 2], "S": S}),
    ("x@S@x", "x", "2*S@x", {"x": [1, 2], "S": [[3, 1], [1, 4]]}),
    ("sum(relu(x)**2)", "x", "2*x*(x > 0)", {"x": [1, -2, 3]}),
    ("cross_entropy(z, [0,1,1])", "z", "(softmax(z) - one_hot([0,1,1], 2))/3", {"z": X}),
    ("sum(log10(x))", "x", "0.4342944819032518/x", {"x": Y}),
]


@pytest.mark.parametrize(("program", "leaf", "mine", "inputs"), RIGHT)
def test_a_right_gradient_agrees(
    program: str, leaf: str, mine: Any, inputs: Mapping[str, Any]
) -> None:
    found = compared(program, inputs, leaf, mine)
    assert found.verdict == "pass", found.causes
    if not isinstance(mine, str):
        return
    again = compared(program, inputs, leaf, found.mine)
    assert again.verdict == "pass"
    for digits in (3, 4, 6, 10):
        rounded = np.array([float(f"{value:.{digits}g}") for value in found.gradient.flat])
        again = compared(program, inputs, leaf, rounded.reshape(found.gradient.shape))
        assert again.verdict == "pass"


@pytest.mark.parametrize(
    ("mine", "told"),
    [
        ([0.333333, 0.142857, 0.0909091], "last digit"),
        ([0.3333, 0.1429, 0.0909], "last digit"),
        ([0.333, 0.143, 0.0909], "last digit"),
        ([0.3, 0.1, 0.1], "last digit"),
        (np.array([1 / 3, 1 / 7, 1 / 11], np.float32), "float32"),
    ],
)
def test_numbers_are_as_exact_as_they_are_written(mine: Any, told: str) -> None:
    found = compared("sum(log(x))", {"x": [3, 7, 11]}, "x", mine)
    assert found.verdict == "pass"
    assert told in found.agreement.told


@pytest.mark.wide
@pytest.mark.parametrize(
    "mine",
    [
        [0.334, 0.143, 0.0909], [0.33, 0.14, 0.08], [0.3333333, 0.1428571, 0.0909092],
        "1/x + 1e-4", "1/x + 1e-9", "0.4342945/x", "(log(x + 1e-3) - log(x - 1e-3))/2e-3",
    ],
)  # fmt: skip
def test_a_last_digit_that_is_wrong_fails(mine: Any) -> None:
    assert compared("sum(log(x))", {"x": [3, 7, 11]}, "x", mine).verdict == "fail"


def test_a_small_term_is_missed() -> None:
    program = "mean((x-1)**2) + 1e-6*sum(x**2)"
    found = compared(program, {"x": Y}, "x", "2*(x-1)/3")
    assert found.verdict == "fail"
    assert found.causes[0].code == "path-missing"


def test_one_number_may_have_many_causes() -> None:
    found = compared("x = 3; y = x**3", {}, "x", 9.0)
    assert found.verdict == "fail"
    assert not found.sure
    assert "3 = the exponent" in found.causes[0].message


def test_a_formula_is_tried_elsewhere() -> None:
    """9 is 3**2, 3*3 and 27/3; only one of them is what the formula says."""
    found = compared("x = 3; y = x**3", {}, "x", "x**2")
    assert found.sure
    assert "3 = the exponent" in found.causes[0].message
    found = compared("x = 2; y = x**2", {}, "x", "x + 2")
    assert found.verdict == "inconclusive"
    assert found.causes[0].code == "coincidence"


def test_a_formula_may_hold_for_the_run_alone() -> None:
    """x adds up to 1 here, which the formula builds on."""
    inputs = {"x": [0.2, 0.3, 0.5], "w": [1, -1, 2]}
    found = compared("y = x/sum(x); sum(y*w)", inputs, "x", "2*(w - sum(w*x))")
    assert found.verdict == "fail"
    assert found.causes[0].code == "factor-extra"


RESIDUALS = {"X": [[1, 2], [2, 1], [0.1, 0.2]], "w": [1, 2], "y": [0, 0.5, 0.2]}
"""X@w - y is 5, 3.5 and 0.3: a loss is a parabola for the last one alone."""
PATHS = "h = tanh(w*x); sum(h*sigmoid(w*x)*y)"
PLACES = {"x": [0.4, -1.1, 0.8], "w": 1.3, "y": [1.5, -0.6, 0.7]}
SCORES = {"z": [[0.3, -1.2, 0.7], [1.1, 0.4, -0.5]], "y": [[0, 1, 0], [1, 0, 0]]}
NORMED = "sum(layer_norm(x, [3], eps=1e-3)*c)"
ROWS = {"x": [0.4, -1.1, 0.8], "c": [1.5, -0.6, 0.7]}
V = "(mean((x - mean(x))**2) + 1e-5)"


@pytest.mark.parametrize(
    ("program", "inputs", "leaf", "mine", "words"),
    [
        ("r = X@w - y; huber_loss(X@w, y)", RESIDUALS, "w", "X.T@r/3", "clamp(r, -1, 1)"),
        (
            "r = X@w - y; d = 0.7; sum(where(abs(r) < d, r**2/2, d*(abs(r) - d/2)))",
            RESIDUALS, "w", "X.T@r", "r instead of clamp(r, -d, d)",
        ),
        ("sum(leaky_relu(x, 0.01))", {"x": [1, -2, 3]}, "x", "where(x > 0, 1, 0.1)", "0.1 instead"),
        ("-sum(y*log_softmax(z, 1))", SCORES, "z", "softmax(z, 0) - y", "the axis is wrong"),
        ("-sum(y*log_softmax(z, 1))", SCORES, "z", "z.softmax(0) - y", "the axis is wrong"),
        (
            PATHS, PLACES, "x",
            "y*(w*(1 - h**2)*sigmoid(w*x) + h*sigmoid(w*x)*(1 - sigmoid(w*x)))",
            "the factor w is missing: h * sigmoid",
        ),
        (
            NORMED, ROWS, "x",
            f"(c - mean(c) - (x - mean(x))*mean(c*(x - mean(x)))/{V})/sqrt({V})",
            "the number is wrong, in every place: 1e-5 instead of 0.001",
        ),
        ("x@A@x", {"x": [1, 2], "A": [[1, 3], [5, 2]]}, "x", "2*A@x", "symmetric matrix alone"),
        (  # where S is negative there is no factor, and no value
            "C = cholesky(S); 2*sum(log(diag(C)))",
            {"S": [[3, 1, 0.5], [1, 4, -1], [0.5, -1, 5]]}, "S", "inv(C)", "C instead of S",
        ),
    ],
)  # fmt: skip
def test_a_slip_is_named_by_what_is_missing(
    program: str, inputs: dict[str, Any], leaf: str, mine: str, words: str
) -> None:
    found = compared(program, inputs, leaf, mine)
    assert found.verdict == "fail"
    assert found.sure
    assert words in found.causes[0].message
    right = found.causes[0].correction
    assert right is not None
    assert compared(program, inputs, leaf, right.formula).verdict == "pass"


@pytest.mark.parametrize(
    ("program", "inputs", "mine", "code"),
    [
        ("sum(sigmoid(x))", {"x": [40, 50]}, "0*x", "local-derivative"),  # 1 - sigmoid(40) is 0
        ("sum(tanh(x))", {"x": [30, 20]}, "0", "local-derivative"),
        ("huber_loss(x, 0*x)", {"x": [0.5, 2, -3]}, "where(abs(x) < 1, x, 1)/3", "absolute"),
    ],
)
def test_what_these_numbers_hide_is_not_said(
    program: str, inputs: dict[str, Any], mine: str, code: str
) -> None:
    found = compared(program, inputs, "x", mine)
    assert found.verdict == "fail"
    assert code not in [each.code for each in found.causes]


@pytest.mark.wide
def test_a_long_program_has_an_answer() -> None:
    program = "y = x\nfor i in range(100) { y = sin(y)*0.5 + x }\nsum(y)"
    found = compared(program, {"x": Y}, "x", "3*cos(x)")
    assert found.verdict == "fail"
    deep = "y = x\nfor i in range(1500) { y = y*1.0 + 0 }\nsum(y)"
    assert compared(deep, {"x": Y}, "x", "-1").causes[0].code == "sign"


def test_a_large_gradient_has_an_answer() -> None:
    x = np.random.default_rng(0).normal(size=200_000)
    found = compared("mean(tanh(x)*x)", {"x": x}, "x", "tanh(x) + x*(1 - tanh(x)**2)")
    assert found.causes[0].code == "mean"


def test_a_right_gradient_agrees_where_there_is_little_memory() -> None:
    limits = DEFAULT.limits._replace(memory=1_000_000)
    inputs = {"x": np.linspace(1, 2, 20_000)}
    walk = differentiate(weighed(posed("mean(sin(x)*x)", inputs, limits=limits)))
    mine = formula(walk, Source("--mine", "(cos(x)*x + sin(x))/20000"))
    claim = Claim(walk, "x", walk.problem.leaves["x"], mine)
    assert claim.points[0].value(mine) is None
    assert compare(claim).verdict == "pass"


@pytest.mark.parametrize("mine", ["inv(x@x.T)", "x[5]", "x@ones(3)", "'mean'"])
def test_a_formula_that_cannot_be_computed_is_an_error_with_a_place(mine: str) -> None:
    with pytest.raises(GradcliError) as caught:
        compared("sum(x**2)", {"x": [[1, 2], [2, 4]]}, "x", mine)
    assert caught.value.diagnostic.source is not None


@pytest.mark.parametrize("mine", ["1/0*x", "log(-x)", "0*x"])
def test_numbers_that_are_not_finite_or_0_are_a_mistake(mine: str) -> None:
    assert compared("sum(x**2)", {"x": [1, 2, 4]}, "x", mine).verdict == "fail"


def test_a_steep_gradient_near_0_has_no_kink() -> None:
    inputs = {"x": [1 + 2**-23, 2.0]}
    assert compared("sum((x - 1)**2)", inputs, "x", "2*(x - 1)").verdict == "pass"
    assert compared("sum((x - 1)**2)", inputs, "x", "2*(x - 1)*[1.001, 1]").verdict == "fail"


class Ended:
    """A block whose time is over, or whose memory, as it ends."""

    def __init__(self, code: Code) -> None:
        self._code = code

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: object) -> None:
        raise GradcliError(self._code, "the run took too much")


@pytest.mark.parametrize("code", ["limit-time", "limit-memory"])
def test_the_verdict_is_told_where_there_is_no_room_for_the_cause(code: Code) -> None:
    walk = differentiate(weighed(posed("sum(x**3)", {"x": [1.0, 2.0, 4.0]})))
    own = typed(walk, Source("--mine", "2*x**2"))
    claim = Claim(walk, "x", walk.problem.leaves["x"], own.node, own)
    found = compare(claim, bounded=Ended(code))
    assert (found.verdict, found.sure) == ("fail", False)
    assert found.causes[0].code == code


def test_ctrl_c_while_gradients_are_compared_tells_what_is_known() -> None:
    problem = weighed(posed("sum(x**3)", {"x": [1.0, 2.0]}))
    walk = differentiate(problem)
    own = typed(walk, Source("--mine", "x**2"))
    claim = Claim(walk, "x", problem.leaves["x"], own.node, own)
    evidence = from_formula(own.source)

    class Interrupted(nullcontext[None]):
        def __enter__(self) -> None:
            raise KeyboardInterrupt

    found = compare_all(check(problem), [(claim, evidence), (claim, evidence)], None, Interrupted)
    (mine,) = found.mine
    assert (mine.verdict, mine.sure, found.verdict, found.stopped) == ("fail", False, "fail", True)
    assert [each.code for each in mine.causes] == ["interrupted"]

    def claims() -> Iterator[tuple[Claim, Evidence]]:
        yield claim, evidence
        raise KeyboardInterrupt

    found = compare_all(check(problem), claims(), None)
    assert [each.verdict for each in found.mine] == ["fail"]
    assert found.stopped
    assert found.notes[-1].code == "interrupted"
