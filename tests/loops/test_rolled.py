"""Loops that are one node give the bits of their passes written out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gradcli.analysis.jacobian import hessian_product, tangent_product
from gradcli.analysis.problem import pose_rolled
from gradcli.diagnostics import GradcliError, Source
from gradcli.graph import Array
from gradcli.language.parser import parse_program
from gradcli.ops.loops import Loop
from gradcli.options import Limits, Options
from gradcli.session import Prepared, prepare
from gradcli.trace import TraceLimits
from gradcli.walks import ancestors
from tests.loops.programs import Writer

ROLLED = [
    "for k in range(200) { y = y + 0.001*(sin(y) - 0.1*y*y) }; y",
    "for k in range(200) { y = y + 0.001*x*(sin(y) - 0.1*y*y)*k }; y",
    "p = y; for k in range(200) { q = y; y = tanh(y*x + p*0.3); p = q }; y*p",
    "i = 0; while i < 300 { y = y*1.001 - 0.01*y**2; i = i + 1 }; y",
    "while y < 5 { y = y*1.01 + 0.001*sqrt(y) }; y",
    "for k in range(200) { y = maximum(y*0.99, x) + 0.001*y }; y",
    "def f(a, b) { return a*b + sin(a) }; for k in range(200) { y = f(y, x)*0.5 }; y",
    "for k in range(200) { y = where(y > 1, y*0.5, y*y + 1.0); z = exp(-y) }; y*z",
    "a = x*1; b = x*2; for k in range(200) { a, b = b*0.99 + 0.01*a, a }; a*b",
    "for k in range(200) { y = y*1.01; if y > 3 { break } }; y",
    "for i in range(70) { t = y; for j in range(70) { t = t + sin(t)*0.01 }; y = y*0.5 + t }; y",
]


def prepared(text: str, inputs: dict[str, Array], options: Options) -> Prepared:
    program = parse_program(Source("program", text), options.limits.parse)
    return prepare(program, inputs, (), options)


def loops(found: Prepared) -> int:
    return sum(isinstance(node.op, Loop) for node in ancestors(found.planned.wanted))


def answer(text: str, inputs: dict[str, Array], **options: Any) -> Any:
    """The bytes of values and grads, or the error. All NaNs are one: IEEE 754 leaves their signs to
    the processor.
    """
    try:
        result = prepared(text, inputs, Options(**options)).run(inputs)
    except GradcliError as error:
        return error.diagnostic.code, error.diagnostic.message
    found = [*result.values.items(), *result.grads.items()]
    return [(name, np.where(np.isnan(array), np.nan, array).tobytes()) for name, array in found]


def given(**values: float) -> dict[str, Array]:
    return {name: np.array(value) for name, value in values.items()}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("precision", ["float64", "float32"])
@pytest.mark.parametrize("text", ROLLED)
def test_values_and_grads_have_the_bits_of_unrolled_loops(text: str, precision: str) -> None:
    inputs = {
        name: array.astype(precision)
        for name, array in given(y=0.3, x=0.7).items()
        if name in text.replace("exp", "")
    }
    assert loops(prepared(text, inputs, Options(precision=precision)))  # type: ignore[arg-type]
    rolled = answer(text, inputs, precision=precision)
    assert rolled == answer(text, inputs, precision=precision, unroll=True)


def test_a_network_of_matrices_has_the_bits_of_unrolled_loops() -> None:
    text = "h = x; for k in range(150) { h = tanh(W @ h + b) }; sum(h*h)"
    numbers = np.random.default_rng(0)
    inputs = {"x": numbers.random(3), "W": numbers.normal(size=(3, 3)), "b": numbers.random(3)}
    assert loops(prepared(text, inputs, Options()))
    assert answer(text, inputs) == answer(text, inputs, unroll=True)


def test_the_gradient_of_a_rolled_loop_is_that_of_the_formula() -> None:
    # y·1.01²⁰⁰, by 200 products
    result = prepared("for k in range(200) { y = y*1.01 }; y", given(y=2.0), Options())
    assert loops(result)
    grads = result.run(given(y=2.0)).grads
    assert float(grads["y"]) == pytest.approx(1.01**200, rel=1e-13)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("seed", range(12))
def test_programs_made_at_random_have_the_bits_of_unrolled_loops(seed: int) -> None:
    writer = Writer(seed)
    text = writer.program()
    with np.errstate(all="ignore"):
        assert answer(text, writer.inputs) == answer(text, writer.inputs, unroll=True), text


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12, 2000))
def test_more_programs_made_at_random_have_the_bits_of_unrolled_loops(seed: int) -> None:
    test_programs_made_at_random_have_the_bits_of_unrolled_loops(seed)


def test_short_loops_are_one_node_in_long_programs() -> None:
    text = "for i in range({}) {{ for j in range(60) {{ y = y + sin(y)*0.01 }} }}; y"
    inputs = given(y=0.3)
    assert loops(prepared(text.format(20), inputs, Options())) == 0
    assert loops(prepared(text.format(40), inputs, Options())) > 0
    rolled = answer(text.format(40), inputs)
    assert rolled == answer(text.format(40), inputs, unroll=True)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("find", [tangent_product, hessian_product])
@pytest.mark.parametrize("text", [ROLLED[0], ROLLED[4], ROLLED[9], ROLLED[10]])
def test_second_derivatives_have_the_bits_of_unrolled_loops(text: str, find: Any) -> None:
    program = parse_program(Source("program", text), Options().limits.parse)
    found = []
    for unroll in (False, True):
        problem = pose_rolled(program, given(y=0.3), (), Options(unroll=unroll))
        names = problem.names.values()
        assert unroll is not any(isinstance(node.op, Loop) for node in ancestors(names))
        found.append(find(problem, given(y=1.0)).products["y"].tobytes())
    assert found[0] == found[1]


@pytest.mark.parametrize(
    "text",
    [
        "for k in range(100) { y = sin(y); print(y) }; y",
        "for k in range(100) { y = y + randn(1)[0] }; y",
        "for k in range(100) { y = y**(k + 1) }; z = y",
        "y = x; for k in range(100) { y = sin(y) }; y + sin(sin(sin(x)))",
        "for k in range(100) { y = y + sin(x*k) }; y + sin(x*50)",
    ],
)
def test_what_cannot_be_one_node_is_unrolled(text: str) -> None:
    inputs = given(
        **{name: 0.3 for name in "xy" if name in text and not text.startswith(f"{name} =")}
    )
    assert answer(text, inputs, seed=1) == answer(text, inputs, seed=1, unroll=True)


def test_a_note_says_why_many_passes_were_unrolled() -> None:
    text = "for k in range(1100) { y = y + x[k % 3] }; y"
    notes = prepared(text, {"y": np.array(1.0), "x": np.ones(3)}, Options()).notes
    (note,) = [each.message for each in notes if each.code == "unrolled"]
    assert note.startswith("line 1: the 1,100 passes of the loop were unrolled: ")
    assert note.endswith("the elements that it takes are not evenly spaced")


@pytest.mark.parametrize(
    "change", ["d['a'] = y", "xs[0] = y", "m[0] = y", "try:\n        y = y * 1\n    except: pass"]
)
def test_a_note_tells_what_keeps_all_loops_of_a_program_unrolled(change: str) -> None:
    start = "d = {}; xs = [1]; m = zeros(2); y = x\n"
    text = f"{start}for i in range(1100):\n    y = sin(y)\n    {change}\ny"
    for options, count in ((Options(), 1), (Options(unroll=True), 0)):
        notes = prepared(text, {"x": np.array(0.5)}, options).notes
        assert [note.code for note in notes].count("unrolled") == count


def test_passes_count_as_steps() -> None:
    text = "for k in range(5000) { y = sin(y) }; y"
    with pytest.raises(GradcliError, match="more than 300 steps") as caught:
        prepared(text, given(y=1.0), Options(limits=Limits(trace=TraceLimits(steps=300))))
    assert caught.value.diagnostic.code == "limit-steps"


LATE = [
    "t = 0; for k in range(300) { y = y*0.99 + 0.01; if k > 100 { t = t + y } }; t",
    "t = 0; for k in range(300) { y = y*1.001; if y > 0.8 { t = t + y } }; t + y",
    "for k in range(300) { if k > 100 { y = y + 0.001 } }; y",
    "for k in range(300) { y = y + 0.001 if k > 100 else y }; y",
    "z = x*1; for k in range(300) { y = y*1.001; if k == 150 { z = y*3 } }; z",
    "t = []; for k in range(300) { y = y*0.99; if k > 100 { t = append(t, y) } }; sum(stack(t))",
]
W = "w = torch.ones(2, requires_grad=True)"
BACKWARD = "(w**2).sum().backward()"
LATE_IN_PYTORCH = [
    "m = torch.zeros(2) | m += 0.5 | (m*y).sum()",
    f"{W} | {BACKWARD} | w.grad.sum()*y",
    f"{W} | {BACKWARD}; with torch.no_grad() {{ w -= 0.01*w.grad }}; w.grad = None | w.sum()*y",
    f"{W}; o = torch.optim.SGD([w], lr=0.1) | o.zero_grad(); {BACKWARD}; o.step() | w.sum()*y",
]
"""What is there before a loop, what its later passes do, and what is left."""


def late(text: str) -> str:
    """The program in which passes after the hundredth do what stands between bars."""
    begin, body, end = text.split(" | ")
    passes = f"for k in range(200) {{ y = y*0.99; if k > 99 {{ {body} }} }}"
    return f"import torch; {begin}; {passes}; {end}"


@pytest.mark.parametrize("text", [*LATE, *map(late, LATE_IN_PYTORCH)])
def test_what_only_later_passes_change_is_changed_in_all_of_these(text: str) -> None:
    program, inputs = f"y = x*1; {text}", given(x=0.7)
    assert loops(prepared(program, inputs, Options()))
    assert answer(program, inputs) == answer(program, inputs, unroll=True)
