"""Statements that are written many times are a loop, with the bits of their passes one by one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from gradcli.diagnostics import GradcliError, Source
from gradcli.language.parser import parse_program
from gradcli.language.syntax import Statement
from gradcli.options import Options
from gradcli.session import prepare
from gradcli.trace.loops import Repeated
from gradcli.trace.repetitions import LEAST, Block, blocks, once
from tests.analysis.test_told_loops import text_of, told
from tests.analysis.told import problems
from tests.loops.test_rolled import answer, given, loops, prepared

PASSES = LEAST + 200


def written(block: str, passes: int = PASSES, before: str = "y = x\n", after: str = "y") -> str:
    return before + f"{block}\n" * passes + after


def found(text: str) -> list[Block]:
    return [*blocks(parse_program(Source("program", text), Options().limits.parse))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (written("y = sin(y)"), [Block(1, 1, PASSES)]),
        (written("y = sin(y)\ny = y*2"), [Block(1, 2, PASSES)]),
        (written("y = sin(y)\ny = sin(y)\ny = y*2"), [Block(3, 3, PASSES - 1)]),
        (written("y = sin(y)", LEAST - 1), []),
        (written("y = sin(y)", LEAST), [Block(1, 1, LEAST)]),
        (written("y = sin(y)", after="y  #= 3"), []),
        ("".join(f"y{i} = sin(x)\n" for i in range(PASSES)), []),
        (
            written("y = sin(y)") + "\n" + written("y = y*2", before=""),
            [Block(1, 1, PASSES), Block(PASSES + 2, 1, PASSES)],
        ),
        (written("\n".join(f"y = sin(y) + {i}" for i in range(70)), 40), []),
    ],
)
def test_blocks(text: str, expected: list[Block]) -> None:
    assert found(text) == expected


def test_what_a_loop_runs() -> None:
    text = written("y = sin(y)\ny = y*2")
    program = parse_program(Source("program", text), Options().limits.parse)
    loop = Repeated(program.statements[1:-1], PASSES)
    passes: list[Sequence[Statement]] = []
    while loop.begin(len(passes)):
        passes.append(loop.body)
    assert [each for one in passes for each in one] == [*program.statements[1:-1]]
    assert text[slice(*loop.span)] == "y = sin(y)\ny = y*2"
    assert [*once(program, blocks(program))] == [*program.statements[:3], program.statements[-1]]


ROLLED = [
    written("y = sin(y)"),
    written("t = y*y\ny = y - 0.01*t\nt = y*3", after="y + t"),
    written("y = sin(y)\nys = append(ys, y)", before="y = x\nys = []\n", after="sum(stack(ys))"),
    written("y = y + where(y > 0.5, 0.0, 0.001)"),
    written("if y > 0.4 { y = y*0.9999 } else { y = y*0.999 }"),
    written("for k in range(3) { y = y + 0.001*sin(y) }"),
]
OTHERS = [
    written("y = y*0.999\nassert y > 0.2"),
    written("y = log(y)"),
    written("y = y + nope"),
    written("y = stack([y, y])"),
    written("print(y)\ny = y*0.99"),
    written("def f(a) { return a*0.99 }\ny = f(y)"),
    written("v[0] = v[1] + v[0]*0.5", before="v = [0.1, 0.2]\ny = x\n", after="sum(v)*y"),
]


@pytest.mark.parametrize("text", ROLLED + OTHERS)
def test_they_give_what_one_statement_after_another_gives(text: str) -> None:
    inputs = given(x=0.5)
    assert answer(text, inputs) == answer(text, inputs, unroll=True)


@pytest.mark.parametrize("text", ROLLED)
def test_they_are_one_node(text: str) -> None:
    ready = prepared(text, given(x=0.5), Options())
    assert loops(ready)
    assert ready.graph.count < 200


def test_the_value_is_that_of_a_loop_in_python() -> None:
    y = slope = 0.5**0
    y *= 0.5
    for _ in range(PASSES):
        y, slope = np.sin(y), slope * np.cos(y)
    result = prepared(ROLLED[0], given(x=0.5), Options()).run(given(x=0.5))
    np.testing.assert_allclose(result.values["y"], y, rtol=1e-13)
    np.testing.assert_allclose(result.grads["x"], slope, rtol=1e-12)


def test_an_error_has_the_place_of_its_own_statement() -> None:
    """y is below 0.2 after 916 passes: 0.5 * 0.999**916 < 0.2 < 0.5 * 0.999**915."""
    text = OTHERS[0]
    program = parse_program(Source("program", text), Options().limits.parse)
    with pytest.raises(GradcliError) as caught:
        prepare(program, given(x=0.5))
    (start, _) = caught.value.diagnostic.span or (0, 0)
    assert text.count("\n", 0, start) == 1 + 2 * 916 - 1


def test_they_are_no_steps() -> None:
    """A limit of steps is one of loops and calls."""
    limits = Options().limits
    few = limits._replace(trace=limits.trace._replace(steps=10))
    result = prepared(ROLLED[0], given(x=0.5), Options(limits=few)).run(given(x=0.5))
    assert (
        result.values["y"]
        == prepared(ROLLED[0], given(x=0.5), Options()).run(given(x=0.5)).values["y"]
    )
    assert not result.notes


@pytest.mark.parametrize("opened", [(), ("repeated",), ("pass 700",)])
def test_what_is_told_is_true(opened: tuple[str, ...]) -> None:
    assert [*problems(told(ROLLED[1], *opened))] == []


def test_they_are_told_once() -> None:
    lines = text_of(told(ROLLED[1])).splitlines()
    assert f"the same lines {PASSES:,} times: --inside repeated opens them" in lines
    assert [line for line in lines if "0.01*t" in line] == ["          y = y - 0.01*t"]
    lines = text_of(told(ROLLED[1], "repeated")).splitlines()
    assert f'    passes 2 to {PASSES - 1:,}: --inside "pass 2" shows one of them' in lines
