"""Statements that differ in their names alone are a loop, with the bits of one after another."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest

from gradcli.diagnostics import Source
from gradcli.language.parser import parse_program
from gradcli.options import Options
from gradcli.trace.renamings import Renaming, renamings
from gradcli.trace.repetitions import LEAST
from tests.loops.test_rolled import answer, given, prepared

PASSES = LEAST + 200


def written(
    block: str, before: str = "y0 = x", after: str = "", passes: int = PASSES, first: int = 0
) -> str:
    """The block with `{a}`, `{b}`, `{c}` for the number of a pass and those of the next two."""
    lines = (block.format(a=i, b=i + 1, c=i + 2) for i in range(first, first + passes))
    return "\n".join([before, *lines, *([after] if after else [])])


def found(text: str) -> list[Renaming]:
    return [*renamings(parse_program(Source("program", text), Options().limits.parse))]


@pytest.mark.parametrize(
    ("text", "length", "carries"),
    [
        (written("y{b} = sin(y{a})"), 1, [("y1", "y2")]),
        (written("y{b} = sin(y{a})*y{a} + x"), 1, [("y1", "y2")]),
        (written("t{b} = y{a}*y{a}\ny{b} = t{b} + y{a}/7"), 2, [("y1", "y2")]),
        (written("t = y{a}*y{a}\ny{b} = t + y{a}/7"), 2, [("y1", "y2")]),
        (
            written("y{c} = sin(y{b} + 0.5*y{a})", "y0 = x\ny1 = 2*x"),
            1,
            [("y2", "y3"), ("y3", "y4")],
        ),
        (
            written("p{b} = cos(q{a})\nq{b} = p{b} + p{a}", "p0 = x\nq0 = x*x"),
            2,
            [("p1", "p2"), ("q1", "q2")],
        ),
        (written("y{b} = sum(y{a}, dim=0)"), 1, [("y1", "y2")]),
        (written("s{b} = exp(x*0.1)"), 1, []),
    ],
)
def test_blocks(text: str, length: int, carries: list[tuple[str, str]]) -> None:
    (one,) = found(text)
    passes = PASSES - len({before for before, _ in carries if before[0] in "y" + "p"})
    assert (one.block.length, one.block.passes, one.carries) == (length, passes, carries)
    assert all(len(names) == passes == len({*names}) for names in one.names.values())


@pytest.mark.parametrize(
    "text",
    [
        written("y{b} = sin(y{a})", passes=LEAST - 1),
        written("y{b} = sin(y{a})  # y{a}"),
        written("y{b} = sin(y{a})*0.{b}"),
        written("y{b} = sin(y{a})", after="y1200*y7"),
        written("y{b} = sin(y{a})", before="def f() { return y70 }\ny0 = x"),
        written("y{b} = sin(y{a})", before="y70 = 1\ny0 = x"),
        written("y{b} = sin(y{a})*y700", before="y700 = 1\ny0 = x"),
        written("y{b} = sin(z{b})", before="y0 = x"),
        written("y{b} = sum(y{a}, dim{a}=0)"),
        written("y{b} = x.y{a}"),
        written('y{b} = "y{a}"'),
        written("y{b} = sin(y{a})", after="y1200  #= 3"),
        written("y{b}, z{b} = y{a}, y{a}"),
        written("y{b} = sin(y{a})", before="é = 1\ny0 = x"),
        written("y{b} = sum([k{a} for k{a} in [x, x]])"),
        "\n".join(["y0 = x", *(f"y{i} = sin(y{i // 2})" for i in range(1, PASSES))]),
        "\n".join([f"y{i} = x" for i in range(9)] + [f"y{i + 9} = sin(y{i})" for i in range(2000)]),
    ],
)
def test_what_is_no_block(text: str) -> None:
    assert found(text) == []


ROLLED = [
    written("y{b} = sin(y{a})"),
    written("y{b} = sin(y{a})", after="2*y1200 + y1199"),
    written("t = y{a}*y{a}\ny{b} = y{a} - 0.01*t"),
    written("t{b} = y{a}*y{a}\ny{b} = y{a} - 0.01*t{b}", after="t1200 + y1200"),
    written("y{c} = tanh(y{b} + 0.5*y{a})", "y0 = x\ny1 = 2*x"),
    written("p{b} = cos(q{a})\nq{b} = p{b} + 0.1*p{a}", "p0 = x\nq0 = x*x"),
    written("y{b} = relu(y{a} - 0.0001)"),
    written("y{b} = f(y{a})", "def f(a) { t = a*a; return a - 0.01*t }\ny0 = x"),
    written("y{b} = sin(y{a})", after="z0 = y1200\n" + written("z{b} = cos(z{a})*x", "k = 1")),
    written("y{b} = torch.sin(y{a})", "import torch\ny0 = torch.tensor(0.5)", "print(y1200)"),
    written("y{b} = y{a} + rand()*0.01"),
]
OTHERS = [
    written("y{b} = sin(y{a})*y0"),
    written("p{b} = sin(p{a})\nq{b} = cos(q{a})", "p0 = x\nq0 = p0").replace("q0)", "p0)"),
    written("y{c} = sin(f(y{b}))", "y0 = x\ny1 = 3*x\ndef f(a) { return a*y0 }"),
    written("y{c} = sin(f(y{b}))", "y0 = x\ny1 = 3*x\ndef f(a) { return a*y1 }"),
    written("y{b} = sin(y{a})", "y0 = x\ndef f(a) { return a*y1 }", "f(y1200)"),
    written("y{b} = sin(y{a})", passes=20),
    written("s{b} = exp(x*0.1)", after="s1200*2"),
    written("c{b} = 2.0\ny{b} = sin(y{a})*c{b}"),
    written("y{b} = stack([y{a}, y{a}])", passes=1200),
    written("y{b} = sin(y{a})", after="backward(y1200)"),
    written("y{b} = log(y{a})"),
    written("y{b} = y{a}*2"),
]


@pytest.mark.parametrize("text", ROLLED + OTHERS)
@pytest.mark.parametrize("precision", ["float64", "float32"])
def test_they_give_what_one_statement_after_another_gives(text: str, precision: str) -> None:
    inputs = given(x=0.5) if "x" in found_names(text) else {}
    assert answer(text, inputs, gathers=True, precision=precision, seed=4) == answer(
        text, inputs, precision=precision, seed=4
    )


def found_names(text: str) -> frozenset[str]:
    return parse_program(Source("program", text), Options().limits.parse).names


@pytest.mark.parametrize("text", ROLLED)
def test_they_are_one_node(text: str) -> None:
    inputs = given(x=0.5) if "x" in found_names(text) else {}
    ready = prepared(text, inputs, Options(gathers=True))
    assert ready.rows
    assert ready.graph.count < 200
    assert not prepared(text, inputs, Options()).rows


def test_the_values_are_those_of_a_loop_in_python() -> None:
    result = prepared(ROLLED[0], given(x=0.5), Options(gathers=True)).run(given(x=0.5))
    y, slope = 0.5, 1.0
    assert [*result.values] == ["x", *(f"y{i}" for i in range(PASSES + 1))]
    for i in range(PASSES):
        assert result.values[f"y{i}"] == pytest.approx(y, rel=1e-12)
        y, slope = math.sin(y), slope * math.cos(y)
    assert [*result.outputs] == [f"y{PASSES}"]
    assert result.grads["x"] == pytest.approx(slope, rel=1e-12)


@pytest.mark.parametrize(
    "options",
    [
        Options(retain_grad=("y7",)),
        Options(retain_grad=("all",)),
        Options(wrt=("y7",)),
        Options(outputs=("y7",)),
        Options(outputs=("y7*2",)),
        Options(unroll=True),
    ],
)
def test_whose_gradient_is_asked_for_is_a_node(options: Options) -> None:
    plain = prepared(ROLLED[0], given(x=0.5), options)
    ready = prepared(ROLLED[0], given(x=0.5), options._replace(gathers=True))
    assert not ready.rows
    mine, other = ready.run(given(x=0.5)), plain.run(given(x=0.5))
    assert mine.passes[0].grads == other.passes[0].grads
    assert mine.passes[0].retained == other.passes[0].retained


def made_at_random(seed: int) -> str:
    """A block of one to four statements of new names, which read those of up to three passes."""
    choose = random.Random(seed)
    count, back = choose.randint(1, 4), choose.choice([1, 1, 1, 2, 3])
    letters = "abcd"[:count]
    before = [f"{each}{i} = x*{choose.randint(1, 9)}/10" for i in range(back) for each in letters]
    operators = [" + ", " - ", "*"]
    shapes = []
    for place, letter in enumerate(letters):
        parts = []
        for _ in range(choose.randint(1, 3)):
            other = choose.randrange(count)
            distance = choose.randint(0 if other < place else 1, back)
            name = f"{letters[other]}{{{distance}}}"
            function = choose.choice(["sin({})", "cos({})", "0.5*{}", "tanh({})", "{}*x"])
            parts.append(function.format(name))
        value = parts[0]
        for part in parts[1:]:
            value += choose.choice(operators) + part
        shapes.append(f"{letter}{{0}} = tanh({value})")
    lines = [
        shape.format(*(i - distance for distance in range(back + 1)))
        for i in range(back, back + LEAST // count + 70)
        for shape in shapes
    ]
    last = back + LEAST // count + 69
    return "\n".join([*before, *lines, " + ".join(f"sum({each}{last})" for each in letters)])


def check_one_made_at_random(seed: int) -> bool:
    text, inputs = made_at_random(seed), {"x": np.asarray([0.3, 0.7])[: 1 + seed % 2]}
    forward_only = seed % 3 == 0
    assert answer(text, inputs, gathers=True, forward_only=forward_only) == answer(
        text, inputs, unroll=True, forward_only=forward_only
    )
    return bool(prepared(text, inputs, Options(gathers=True)).rows)


def test_programs_made_at_random_have_the_bits_of_single_statements() -> None:
    rolled = [check_one_made_at_random(seed) for seed in range(12)]
    assert sum(rolled) >= 4  # of others, passes share values, or differ in their derivatives


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12, 412))
def test_more_programs_made_at_random(seed: int) -> None:
    check_one_made_at_random(seed)
