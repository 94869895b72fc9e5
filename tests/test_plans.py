"""Programs that differ in numbers share plans, and nobody can tell from the answers."""

from __future__ import annotations

import math
import random
import re
from typing import Any

import numpy as np
import pytest

from gradcli.batch.form import Render, renderer
from gradcli.diagnostics import GradcliError, Source
from gradcli.graph import Precision
from gradcli.language.parser import ParseLimits, parse_program
from gradcli.language.skeleton import dissect, starts
from gradcli.ops.table import Case
from gradcli.plans import PROGRAMS, TEXT, VARIANTS, Plans, Request
from gradcli.session import Gradient, Options, Prepared, prepare
from tests.ops.table_cases import all_cases, each_case

X = np.array([[0.3, -1.2], [2.5, 0.7]])
OPTIONS = Options(values="outputs", seed=5)

TEXTS = [
    "a = {}*x + {}; b = tanh(a)*{}; mean(b**2)",
    "sum({}*x - {}*x**3 + {}/x)",
    "x**{}",
    "sum(x**2 + x**{} + {}**abs(x))",
    "sum(sqrt(x**2 + {})) + {}",
    "a = {}; b = -{}; a*b",
    "a = [{}, {}]; b = [[-{}, {}], [{}, 0]]; sum(a @ b * a)",
    "A = [[{}, {}], [{}, {}]]; sum(inv(A) @ x)",
    "w = [{}, {}, {}]; sum(w[1:] * x) + w[0] + len(w)*x[0, 1]",
    "f(t, s={}) = s*t**2 + {}; sum(f(x) + f(x, {}))",
    "y = x; for i in range(3) {{ y = y*{} + i }}; mean(y)",
    "if sum(x) > {} {{ y = {}*x }} else {{ y = x/{} }}; sum(y)",
    "t = {}; while t < 4 {{ t = t*2 }}; sum(t*x)",
    "y = x.sum(); while y < {} {{ y = y*1.5 + {} }}; y",
    "sum(where(x > {}, {}*x, x**2))",
    "sum(clamp(x, -{}, {}))",
    "sum(leaky_relu(x, {})*{})",
    "sum(x[{}]*{})",
    "sum(sum(x, dim={})*{})",
    "reshape(x*{}, {}, -1).sum()",
    "sum(2*x*{} + {}*(2*x))",
    "sum(x*{} + x*x.shape[0] + pi*x*{})",
    "sum(rand(2)*{}*x)",
    "print({}, x*{}); sum({}*x)",
    "y = {}*x  # 3.5 is not {}\nsum(y)",
    "s = norm(x, {}); s*{}",
    "x{} = {}*x; sum(x{})",
    "y = x*{}; y.sum().backward(); x.grad*{}",
    "g = grad(sum({}*x**3), x, create_graph=True); sum(g*{}*x)",
    "assert_close({}, {}); sum(x)",
    "sum(x*{}) +",
    "log({}*x)",
    "sum(x + ones({}))",
    "sum({}*x[:, :1] - x[0]) + sum(round({}*x))",
    "cholesky([[{}, 1], [1, {}]]) @ x",
    "sum(x @ [{}, {}, {}])",
    "a = cholesky(x); sum(a @ cholesky([[{}, 2], [2, {}]]))",
    "y = x*{}; a = cholesky(y); sum(a)",
    "sum(x*1e{})",
    "sum(x)*{}e300*{}e300",
    "sum(linspace({}, {}, 2)*x)",
    "sum(logsumexp(x*{}, {}))",
    "sum(softmax({}*x, -{}))",
    "quantile(x, {})",
    "sum(x.max(dim={}).values*{})",
    "einsum('ij,jk->ik', x, [[{}, {}], [{}, {}]])",
    "import math\nprint({}, 2*{})\nsum(x)",
    "class A:\n    n = {}\nprint(A.n, 2*{})\nsum(x)",
]
NUMBERS = ["0", "1", "2", "3", "0.5", "1.0", "2.5", "7", "0.1", "1e-3", "1e999", "4", "12.25"]


def program(choose: random.Random, template: str) -> str:
    numbers = []
    for _ in range(template.count("{}")):
        if choose.random() < 0.5:
            numbers.append(choose.choice(NUMBERS))
        else:
            numbers.append(repr(round(choose.uniform(0, 3), choose.randrange(1, 17))))
    return template.format(*numbers)


def request(text: str, precision: str = "float64") -> Request:
    """The program on x, if it reads it, with a gradient where it may need one."""
    inputs = {"x": X.astype(precision)} if "x" in re.findall(r"\w+", text) else {}
    gradient = [] if re.search("sum|mean", text) else [Gradient(np.array(1.0, precision))]
    return Request(text, inputs, gradient)


def fresh(asked: Request, options: Options) -> Any:
    """The answer, or the error, of a program that shares nothing."""
    try:
        program = parse_program(Source("program", asked.program), ParseLimits())
        prepared = prepare(program, asked.inputs, asked.gradients, options)
        return renderer(prepared)(prepared.feeds(asked.inputs, asked.gradients))
    except GradcliError as error:
        return error.diagnostic


def shared(plans: Plans[str], asked: Request) -> Any:
    try:
        return plans.run(asked, lambda: 5)
    except GradcliError as error:
        return error.diagnostic


@pytest.mark.one_in(3)
@pytest.mark.parametrize("precision", ["float64", "float32"])
@pytest.mark.parametrize("template", TEXTS)
def test_programs_that_share_plans_answer_as_if_they_were_alone(
    template: str, precision: Precision
) -> None:
    choose = random.Random(template)
    options = Options(values="outputs", seed=5, precision=precision)
    plans = Plans(options, renderer)
    for _ in range(12):
        asked = request(program(choose, template), precision)
        assert shared(plans, asked) == fresh(asked, options), asked.program


class Counted:
    """Plans that count how often a program is traced."""

    def __init__(self) -> None:
        self.traced = 0
        self._plans = Plans(OPTIONS, self._make)

    def _make(self, prepared: Prepared) -> Render:
        self.traced += 1
        return renderer(prepared)

    def run(self, *programs: str) -> int:
        """How often these programs were traced."""
        before = self.traced
        for each in programs:
            self._plans.run(request(each), lambda: 5)
        return self.traced - before


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("a = 2.5*x + 0.1; mean(a*3.5)", "a = 7*x + 1e-3; mean(a*12.25)"),
        ("a = 2.5; b = -3.5; a*b", "a = 4.5; b = -0.25; a*b"),
        ("sum([[1.5, -2.5], [0, 1]] @ x)", "sum([[4, -7.5], [0, 1]] @ x)"),
        ("sum(x*2.5 + 2.5)", "sum(x*3.5 + 3.5)"),
        ("if sum(x) > 0.5 { y = 2.5*x } else { y = x }; sum(y)",
         "if sum(x) > 0.25 { y = 3.5*x } else { y = x }; sum(y)"),
        ("sum(x**2*3.5)", "sum(x**2*4.5)"),
        ("f(t) = t*2.5; sum(f(x))", "f(t) = t*7.5; sum(f(x))"),
        ("sum(sum(x, dim=-1)*2.5)", "sum(sum(x, dim=-1)*3.5)"),
    ],
)  # fmt: skip
def test_numbers_that_nothing_looks_at_share_a_plan(first: str, second: str) -> None:
    counted = Counted()
    assert counted.run(first) == 1
    assert counted.run(second, first) == 0


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("sum(x**2.5)", "sum(x**3.5)"),
        ("sum(x[0])", "sum(x[1])"),
        ("sum(sum(x, dim=-1))", "sum(sum(x, dim=-2))"),
        ("sum(x*ones(2, 2))", "sum(x*ones(1, 2))"),
        ("sum(x*2.5 + 2.5)", "sum(x*2.5 + 3.5)"),
        ("sum(x*2.5)", "sum(x*1)"),
        ("sum(x*2.5)", "sum(x*0)"),
        ("sum(x*2.5 + len(x)*x)", "sum(x*2 + len(x)*x)"),
        ("sum([2, 3.5]*x.square()) + sum(5.5*x)", "sum([7, 3.5]*x.square()) + sum(2*x)"),
        ("if sum(x) > 0.5 { y = x } else { y = 2.5*x }; sum(y)",
         "if sum(x) > 6.5 { y = x } else { y = 2.5*x }; sum(y)"),
        ("sum(masked_select(x, [0.5, 1.5]/2)) + sum(x*[2.5, 3.5])",
         "sum(masked_select(x, [0.5, 1.5]/2)) + sum(x*[0.25, 0.75])"),
        ("sum(leaky_relu(x, 0.25))", "sum(leaky_relu(x, 0.75))"),
        ("print('a 3'); sum(x)", "print('a 4'); sum(x)"),
        ("print(3.5); sum(x)", "print(4.5); sum(x)"),
    ],
)  # fmt: skip
def test_numbers_that_shape_the_graph_do_not(first: str, second: str) -> None:
    counted = Counted()
    assert counted.run(first, second, first, second) == 2


def test_what_is_kept_is_bounded() -> None:
    counted = Counted()
    programs = [f"x{i}y = x; sum(x{i}y)" for i in range(PROGRAMS + 1)]
    counted.run(*programs)
    assert counted.run(*programs[1:]) == 0
    assert counted.run(programs[0]) == 1
    powers = [f"sum(x**{i}.5)" for i in range(VARIANTS + 1)]
    counted.run(*powers)
    assert counted.run(*powers[1:]) == 0
    assert counted.run(powers[0]) == 1


def test_ways_that_are_taken_stay() -> None:
    counted = Counted()
    counted.run("sum(x**1.5*7.5)")
    for i in range(2 * VARIANTS):
        assert counted.run(f"sum(x**{i + 2}.5*3.25)") == 1
        assert counted.run(f"sum(x**1.5*{i + 2}.25)") == 0


def test_long_programs_are_not_kept() -> None:
    counted = Counted()
    text = f"sum(x*2.5){' ' * TEXT}"
    assert counted.run(text) == counted.run(text) == 1


def test_a_skeleton_is_what_numbers_leave_of_a_text() -> None:
    text = "x1 = 2*a.5 + 1e-3; y_2 = [.5, 10.25, 3.]  # 7"
    parts, numbers = dissect(text)
    assert numbers == ("2", "1e-3", "10.25", "3.", "7")
    assert [text[begin] for begin in starts(parts, numbers)] == ["2", "1", "1", "3", "7"]
    assert list(starts(parts, numbers).values()) == [0, 1, 2, 3, 4]
    assert dissect("0x10 + 1_000 + 0b1*0o7 + 12_000.5")[1] == ()


@pytest.mark.one_in(4)
@each_case(all_cases())
def test_every_function_of_literals_shares_as_if_it_were_alone(name: str, case: Case) -> None:
    choose = random.Random(case.program)
    plans = Plans(OPTIONS, renderer)
    for _ in range(3):
        bindings = []
        for name, shape in case.shapes.items():
            values = [round(choose.uniform(*case.domain), 3) for _ in range(math.prod(shape))]
            bindings.append(f"{name} = {np.reshape(values, shape).tolist()}; ")
        text = f"{''.join(bindings)}y = {case.program}; sum(y*{choose.uniform(1, 2)})"
        assert shared(plans, Request(text)) == fresh(Request(text), OPTIONS), text
