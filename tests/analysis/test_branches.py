"""A number that decides a branch is seen, though no element of the inputs lies at it."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import pytest

from gradcli.analysis.claims import claimed_text
from gradcli.analysis.diagnosis.claim import Claim, differentiate, typed, weighed
from gradcli.analysis.diagnosis.compare import compare
from gradcli.analysis.evidence import from_formula
from gradcli.analysis.verdict import Comparison
from gradcli.diagnostics import Source
from gradcli.graph import Precision
from tests.analysis.posed import posed


class Branching(NamedTuple):
    """A program, and its gradient by x with a number for `C`."""

    program: str
    mine: str
    right: float
    x: object
    others: Mapping[str, object] = MappingProxyType({})


HUBER = "sum(where(abs(x) < 1, x**2/2, abs(x) - 0.5))"
MISH = (
    "where(x > 0, C*x**2*mish(x), 0)"
    " + relu(x)**3*(tanh(softplus(x)) + x*sigmoid(x)*(1 - tanh(softplus(x))**2))"
)
FORMS = [
    Branching(HUBER, "where(abs(x) < C, x, sign(x))", 1, [0.3, -0.7, 1.5]),
    Branching(HUBER, "where(x**2 < C, x, sign(x))", 1, [0.3, -0.7, 1.5]),
    Branching(HUBER, "where(abs(x) < 1, x, C*sign(x))", 1, [0.3, -0.7]),
    Branching("sum(clamp(x, -0.7, 1.3)**2)", "where((x > -C) & (x < 1.3), 2*x, 0)", 0.7, [0.3, 2]),
    Branching("sum(relu6(x)*x)", "where(x < C, 2*x, 6)*(x > 0)", 6, [0.3, -1, 7.5]),
    Branching("sum(relu(1 - t*x))", "where(C - t*x > 0, -t, 0)", 1, [0.3, -1.2], {"t": [1, -1]}),
    Branching("sum(relu(w*x - 2.5))", "where(w*x > C, w, 0)", 2.5, [0.5, 0.3], {"w": [1.5, 2.5]}),
    Branching("sum(x*floor(m/0.4))", "floor(m/C)", 0.4, [1, 2], {"m": [0.5, 1.1]}),
    Branching("sum(where(m > 0.35, x*m, 0))", "m*(m > C)", 0.35, [1, 2], {"m": [0.12, 0.77]}),
    Branching("sum(log(maximum(x, 1e-7)))", "where(x > C, 1/x, 0)", 1e-7, [0.1, 0.7]),
    Branching(
        "where(norm(x) < 5, x @ x/2, 5*norm(x) - 12.5)", "x*minimum(1, C/norm(x))", 5, [1, 2]
    ),
    Branching(
        "sum(x/maximum(norm(x), 1e-12))",
        "1/maximum(norm(x), C) - where(norm(x) > 1e-12, x*sum(x)/norm(x)**3, 0)",
        1e-12,
        [0.6, -0.7],
    ),
    Branching("sum(where(x**2 < 4, x**2, x))", "where(x**C < 4, 2*x, 1)", 2, [0.1, 0.7, -3]),
    Branching("sum(relu(x - 1)*log(x))", "where(x > 1, C*(1 - 1/x) + log(x), 0)", 1, [0.3, 0.7]),
    Branching("sum(softplus(x)) + sum(relu(x - 2)**2)", "sigmoid(x) + C*relu(x - 2)", 2, [0.3, -1]),
    Branching("sum(mish(x)*relu(x)**3)", MISH, 3, [-0.3, -0.7]),
    Branching("if x > 1.5 { y = x**2 } else { y = 3*x }; y", "where(x > C, 2*x, 3)", 1.5, 0.7),
]
INSIDE = [
    Branching("sum(x*softplus(x))", "softplus(x) + where(x > 20, C*x, x*sigmoid(x))", 1, [0.3, -1]),
    Branching(
        "sum(normalize(x, dim=0)*t)",
        "t/maximum(norm(x), C) - where(norm(x) > 1e-12, x*(x @ t)/norm(x)**3, 0)",
        1e-12,
        [0.3, 0.4],
        {"t": [1, 2]},
    ),
]
"""What switches stands in a function of the language, which may be defined by other formulas."""
SIZES = (1e-3, -1e-6, 1e-9)


def compared(form: Branching, number: float, precision: Precision = "float64") -> Comparison:
    problem = posed(form.program, {"x": form.x, **form.others}, wrt=("x",), precision=precision)
    walk = differentiate(weighed(problem))
    source = Source("--mine", form.mine.replace("C", repr(number)))
    own = typed(walk, source)
    claim = Claim(walk, "x", walk.problem.leaves["x"], own.node, own)
    return compare(claim, from_formula(source))


@pytest.mark.parametrize("precision", ["float64", "float32"])
@pytest.mark.parametrize("form", [*FORMS, *INSIDE], ids=lambda form: form.mine)
def test_the_right_number_passes(form: Branching, precision: Precision) -> None:
    assert compared(form, form.right, precision).verdict == "pass"


@pytest.mark.one_in(2)
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("form", [*FORMS, *INSIDE], ids=lambda form: form.mine)
def test_another_fails(form: Branching, size: float) -> None:
    assert compared(form, form.right * (1 + size)).verdict == "fail"


@pytest.mark.parametrize(("size", "verdict"), [(1e-3, "fail"), (1e-9, "inconclusive")])
@pytest.mark.parametrize("form", FORMS[::3], ids=lambda form: form.mine)
def test_another_in_single_precision(form: Branching, size: float, verdict: str) -> None:
    assert compared(form, form.right * (1 + size), "float32").verdict == verdict


def test_the_number_is_named_and_the_place_where_it_shows() -> None:
    (cause,) = compared(FORMS[0], 1.001).causes
    assert cause.message.startswith("the number is wrong: 1.001 instead of 1; where x[0] is 1.000")
    assert cause.correction is not None
    assert cause.correction.formula == "where(abs(x) < 1, x, sign(x))"


@pytest.mark.parametrize(
    ("program", "mine"),
    [
        ("sum(log(maximum(x, 1e-7)))", "where(x > 1.001e-7, 1/x, 0)"),
        ("sum(relu(1 - x))", "where(1.001 - x > 0, -1, 0)"),
        ("sum(elu(x))", "where(x > 0, 1.001, exp(x))"),
    ],
)
def test_no_condition_that_is_never_met_is_named(program: str, mine: str) -> None:
    (cause,) = compared(Branching(program, mine, 0, [0.1, 0.7]), 0).causes
    assert cause.message.startswith("the number is wrong: 1.001")


HARMLESS = [
    ("sum(abs(x) + x**2)", "1 + 2*x", "it lacks the branch of what does not occur"),
    ("sum(abs(x) + relu(x - 5))", "1 + (x > 5)", "and has another"),
    ("x @ x / 2", "x * maximum(norm(x), 1e-8) / norm(x)", "it guards against a division by 0"),
    ("sum(log(x))", "where(x > 1e-3, 1/x, 1e3)", "it guards against what the program allows"),
    ("sum(sin(softplus(x)))", "cos(softplus(x))/(1 + exp(-x))", "it is another one far out alone"),
    ("sum(softplus(x)*x)", "softplus(x) + where(x > 30, x, x*sigmoid(x))", "there are two of it"),
    ("sum(x*softplus(x))", "softplus(x) + where(x > 20.5, x, x*sigmoid(x))", "nearly at its place"),
    (
        "sum(softplus(10*x) + relu(x - 1.9)**2)",
        "10*sigmoid(10*x) + 2*relu(x - 1.9)",
        "it has another switch nearby",
    ),
    ("sum(1/x)", "where(abs(x) > 1e-3, -1/x**2, -1e6)", "against a pole"),
    ("sum(sqrt(x**2))", "sign(x)", "it switches where both agree"),
    ("sum(maximum(x, 0.2))", "where(x >= 0.2, 1, 0)", "only at the tie it is another"),
    (
        "sum(where(x < sqrt(2), x**2, x))",
        "where(x**2 < 2, 2*x, 1)",
        "within rounding it is the same",
    ),
]


@pytest.mark.parametrize("precision", ["float64", "float32"])
@pytest.mark.parametrize(("program", "mine", "why"), HARMLESS)
def test_a_branch_that_says_nothing_passes(
    program: str, mine: str, why: str, precision: Precision
) -> None:
    assert compared(Branching(program, mine, 0, [0.5, 1.25]), 0, precision).verdict == "pass", why


def test_operands_that_rounding_makes_equal_decide_nothing() -> None:
    """Next to 1 so small a move of x is lost, and both operands of the minimum are one."""
    program = "r = exp(x); s = r*a; c = clamp(r, 1 - 2e-9, 1 + 2e-9)*a; -sum(minimum(s, c))"
    right = Branching(program, "-where(s <= c, s, 0.0)", 0, [3e-9, -1e-9], {"a": 9e-9})
    assert compared(right, 0).verdict == "pass"


def test_no_correction_is_wrong_in_another_branch() -> None:
    """With the sign of x for all, x[0] would be wrong where it is negative."""
    wrong = Branching(HUBER, "where(abs(x) < 1, x, 1)", 0, [0.3, 2.1, -2.5])
    found = compared(wrong, 0)
    assert found.verdict == "fail"
    for each in (cause.correction for cause in found.causes if cause.correction):
        assert compared(wrong._replace(mine=each.formula), 0).verdict == "pass", each.formula


@pytest.mark.parametrize(
    ("mine", "told"),
    [
        ("2*abs(x)", "abs(x)"),
        ("2*relu(x)", "relu(x)"),
        ("where(x > 0, 2*x, 3*x)", "x > 0"),
        ("2*maximum(x, 0.1)", "maximum(x, 0.1)"),
        ("2*x", None),
        ("x + x", None),
    ],
)
def test_a_condition_that_the_gradient_has_not_is_told(mine: str, told: str | None) -> None:
    found = compared(Branching("sum(x**2)", mine, 0, [0.5, 1.25]), 0)
    assert found.verdict == "pass"
    remarks = [each.message.partition(" changes")[0] for each in found.causes]
    assert remarks == ([] if told is None else [told])


def test_a_condition_that_both_have_is_not_told() -> None:
    assert not compared(Branching("sum(relu(x))", "where(x > 0, 1, 0)", 0, [0.5, 1.25]), 0).causes


@pytest.mark.parametrize(
    ("program", "mine", "told"),
    [
        ("sum(a*x**2)", "2*x*a**2", "a is 1 here; where it is 1.3"),
        ("sum(a*x**2)", "2*x*a", None),
        ("sum(a*x**2)", "2*x", "a is 1 here; where it is 1.3"),
        ("sum((a + 1)*x**2)", "4*x + 0*a", "a is 1 here; where it is 1.3"),
        ("sum(exp(-(x/a)**2))", "-2*x/a*exp(-(x/a)**2)", "a is 1 here; where it is 1.3"),
        ("sum(exp(-(x/a)**2))", "-2*x/a**2*exp(-(x/a)**2)", None),
        ("sum(x**(a + 1))", "(a + 1)*x", "a is 1 here; where it is 1.3"),
    ],
)
def test_a_number_by_which_alone_it_is_right_is_told(
    program: str, mine: str, told: str | None
) -> None:
    found = compared(Branching(program, mine, 0, [0.5, 1.25], {"a": 1}), 0)
    assert found.verdict == "pass"
    remarks = [each.message.partition(", yours")[0] for each in found.causes]
    assert remarks == ([] if told is None else [told])


@pytest.mark.parametrize(
    ("mine", "told"),
    [
        ("2*x*(g - mean(g, 0))", None),
        ("2*x*(g - mean(g))", "g has these numbers here; where it has others"),
        ("2*x*(g - 0.1)", "g has these numbers here; where it has others"),
        ("2*x*[[0.4, -0.8], [-0.4, 0.8]]", None),  # numbers may stand for what does not change
    ],
)
def test_what_is_right_by_the_numbers_of_an_input_is_told(mine: str, told: str | None) -> None:
    """Both columns have the same mean."""
    inputs = {"x": [[0.5, 1.25], [0.75, -0.6]], "g": [[0.5, -0.7], [-0.3, 0.9]]}
    found = judged("sum(x**2*(g - mean(g, 0)))", mine, inputs)
    assert found.verdict == "pass"
    remarks = [each.message.partition(", as ")[0] for each in found.causes]
    assert remarks == ([] if told is None else [told])


APART = [0.5, 1.25]


@pytest.mark.parametrize(
    ("program", "mine", "told"),
    [
        ("sum(relu(x)**2)", "2*x", "where x[0] is -0.2625, yours is -0.525, and the gradient 0"),
        ("sum(abs(x)**3)", "3*x**2", "yours is 0.20671875, and the gradient -0.20671875"),
        ("sum(where(x > 0, x**2, x**3))", "2*x", "and the gradient 0.20671875"),
        ("sum(x**2)", "2*x*(x < 4)", "where x[0] is 5.2, yours is 0, and the gradient 10.4"),
        ("sum(smooth_l1_loss(x/2, 0*x, reduction='sum'))", "where(x < 2, x/4, 1/2)", "-0.5"),
        ("sum(clamp(x, 0, 2))", "x/x", "clamp(x, 0, 2) changes in the program, and yours has no"),
        ("sum(x[:1]**2)", "where(arange(2) < 1, 2*x, 0)", None),  # this is never another way
        ("sum(abs(x))", "1", None),  # a number is about this point alone
        ("sum(abs(x))", "sign(x)", None),
        ("sum(softplus(x))", "1 - 1/(1 + exp(x))", None),  # from 20 on it is x, by 2e-9
        ("m = max(x); m + log(sum(exp(x - m)))", "softmax(x, 0)", None),
    ],
)
def test_a_branch_that_only_one_of_both_has_is_told_with_a_point(
    program: str, mine: str, told: str | None
) -> None:
    found = judged(program, mine, {"x": APART})
    assert found.verdict == "pass"
    remarks = [each.message for each in found.causes]
    assert len(remarks) == (told is not None)
    assert told is None or told in remarks[0]


@pytest.mark.parametrize(
    ("y", "mine", "is_told"),
    [
        ([1.0, -1.0], "1/y", True),
        ([1.0, -1.0], "y**3", True),
        ([2.0, 2.0], "y**2/2", True),
        ([1.0, 1.0], "y**2", True),
        ([0.0, 0.0], "-y", True),
        ([1.0, -1.0], "y", False),
        ([0.0, 1.0], "y**2", False),  # these tell two cases apart
        ([1.0, -1.0], "[1, -1]", False),
    ],
)
def test_whole_numbers_by_which_alone_it_is_right_are_told(
    y: list[float], mine: str, is_told: bool
) -> None:
    found = judged("sum(x*y)", mine, {"x": APART, "y": y})
    assert found.verdict == "pass"
    assert [each.code for each in found.causes] == ["one-number"] * is_told
    assert all("y has whole numbers here" in each.message for each in found.causes)


def judged(program: str, mine: str, inputs: dict[str, Any]) -> Comparison:
    walk = differentiate(weighed(posed(program, inputs)))
    return compare(*claimed_text(walk, "x", Source("--mine", mine)))
