"""Loops in loops that set and read elements by the numbers of both are one node, with the bits of
their passes.
"""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import Any

import pytest

from gradcli.ops.loops import Loop
from tests.loops.test_training import told

HEAD = """import torch
x = torch.linspace(-1, 1, 336, dtype=torch.float64).reshape(24, 14).requires_grad_()
w = torch.linspace(0.1, 1, 64, dtype=torch.float64).requires_grad_()
y = torch.zeros(24, 14, dtype=torch.float64)
s = w.sum()
"""
ENDS = """
print(y, s)
(s*y*torch.arange(336).reshape(24, 14)).sum().backward()
print(x.grad, w.grad)"""


def nested(*body: str, before: tuple[str, ...] = (), after: tuple[str, ...] = ()) -> str:
    """A program whose inner loop has the body, with statements before and after it."""
    lines = [f"\n    {line}" for line in before]
    lines.append("\n    for j in range(1, 13):")
    lines += [f"\n        {line}" for line in body]
    lines += [f"\n    {line}" for line in after]
    return f"{HEAD}for i in range(1, 23):{''.join(lines)}{ENDS}"


def depth(loops: Iterable[Loop]) -> int:
    """How deep loops that are nodes lie in each other."""
    inside = [{step.op for step in each.steps if isinstance(step.op, Loop)} for each in loops]
    return 1 + max(map(depth, inside)) if inside else 0


def both(text: str) -> tuple[Any, Any, int]:
    """What is told with loops that are one node, with passes one by one, and their depth."""
    found, loops = told(text, shortest_loop=6)
    return found, told(text, unroll=True)[0], depth(loops)


ROLLED = {
    "each element": nested("y[i, j] = x[i, j]*w[0]"),
    "neighbours": nested("y[i, j] = 0.1*(x[i - 1, j] + x[i + 1, j] + x[i, j - 1] + x[i, j + 1])"),
    "what was computed before": nested("y[i, j] = x[i, j] + torch.sin(y[i - 1, j] + y[i, j - 1])"),
    "exchanged": nested("y[i, j] = x[j - 1, i // 2]*w[i]"),
    "by the outer number alone": nested("y[i, j] = y[i, j] + x[i, 0]*w[i]", "y[i, 0] += w[j]"),
    "sums and differences": nested("y[i, j] = w[i + j]*w[j - i + 22] + w[2*i + 3]"),
    "from the end": nested("y[-i, -j] = x[i, -j]*w[-i - j]"),
    "by remainders": nested("y[i, j] = x[i % 3, j // 2] + w[j*j % 7]"),
    "windows": nested("y[i, j] = (x[i - 1:i + 2, j - 1:j + 2]*w[:9].reshape(3, 3)).sum()"),
    "windows that are set": nested("y[i, j:j + 1] = x[i, j - 1:j] + w[i + j:i + j + 1]"),
    "a row, then its elements": nested("s = s*0.9 + row[j]", before=("row = x[i]*2",)),
    "two pairs of brackets": nested("y[i, j] = x[i][j] + w[j]"),
    "a sum, then its place": nested(
        "a = a + x[i, j]*w[j]", before=("a = 0",), after=("y[i, 0] = a",)
    ),
    "three": nested(
        "for k in range(8):", "    y[i, j] = y[i, j] + x[i, k]*w[k + j]",
    ),
    "numbers in lists": nested(
        "y[i, j] = x[i, j]*c[i] + d[j]"
    ).replace("s = w.sum()", "s = w.sum()\nc = [0.1*k for k in range(24)]\nd = [*range(14)]"),
    "without gradients": nested("with torch.no_grad(): y[i, j] = y[i, j - 1] + x[i, j]").replace(
        "(s*y", "(x.sum()*y"
    ),
}  # fmt: skip
UNROLLED = {
    "a product of the two": nested("y[i, j] = w[i*j % 63]"),
    "an inner loop that grows": nested("y[i, j] = x[i, j]").replace("range(1, 13)", "range(i)"),
    "from both ends": nested("y[i, j] = w[i + j - 8]"),
    "outside": nested("y[i, j] = w[i + j + 40]"),
    "a list by both": nested("y[i, j] = x[i, j]*c[i + j]").replace(
        "s = w.sum()", "s = w.sum()\nc = [0.1*k for k in range(60)]"
    ),
    "two pairs of brackets": nested("y[i][j] = x[i, j] + w[j]"),
    "a branch": nested("if j < i: y[i, j] = x[i, j]", "else: y[i, j] = w[j]"),
}


@pytest.mark.parametrize("name", ROLLED)
def test_loops_in_loops_are_one_node_with_the_bits_of_their_passes(name: str) -> None:
    found, expected, deep = both(ROLLED[name])
    assert found == expected
    assert deep >= 2


@pytest.mark.parametrize("name", UNROLLED)
def test_what_a_node_cannot_do_is_done_pass_by_pass(name: str) -> None:
    found, expected, _ = both(UNROLLED[name])
    assert found == expected


def test_a_product_of_matrices_is_that_of_the_formula() -> None:
    # z = Σ (AB)²; dz/dA = 2·ABBᵀ
    text = """import torch
A = torch.linspace(-1, 1, 64, dtype=torch.float64).reshape(8, 8).requires_grad_()
B = torch.linspace(0, 2, 64, dtype=torch.float64).reshape(8, 8)
C = torch.zeros(8, 8, dtype=torch.float64)
for i in range(8):
    for j in range(8):
        total = 0.0
        for k in range(8):
            total = total + A[i, k]*B[k, j]
        C[i, j] = total
(C**2).sum().backward()
with torch.no_grad(): print(torch.allclose(A.grad, 2*A@B@B.T, rtol=1e-13, atol=1e-13))"""
    ((printed, *_), loops) = told(text, shortest_loop=4)
    assert loops
    assert "True" in str(printed)


def a_program(seed: int) -> str:
    """A program at random with a loop in a loop, at times in one more."""
    draw = random.Random(seed)
    rows = ["i", "i - 1", "i + 1", "23 - i", "-i", "i % 5", "j % 24", "3", "i // 2", "k"]
    columns = ["j", "j - 1", "j + 1", "13 - j", "-j", "j % 4", "i", "0", "j // 2", "k + 2"]
    places = ["i", "j", "i + j", "2*i + j", "j - i + 22", "63 - i - j", "-j", "i % 3", "k + j"]
    has_three = draw.random() < 0.2

    def named(choices: list[str]) -> str:
        found = draw.choice(choices)
        return found if has_three else found.replace("k", draw.choice("ij"))

    def read() -> str:
        kind = draw.random()
        if kind < 0.3:
            return f"w[{named(places)}]"
        if kind < 0.4:
            return f"x[{named(rows)}, j - 1:j + 2].sum()"
        return f"{draw.choice('xxyy')}[{named(rows)}, {named(columns)}]"

    def value() -> str:
        functions = ["torch.sin({})", "0.5*{}", "torch.tanh({})", "{} + 0.1", "{}.clone()**2"]
        terms = [draw.choice(functions).format(read()) for _ in range(draw.randint(1, 3))]
        return draw.choice([" + ", " - "]).join(terms)

    body = []
    for _ in range(draw.randint(1, 2)):
        operator = draw.choice(["=", "=", "+=", "*="])
        body.append(f"y[{named(rows)}, {named(columns)}] {operator} {value()}")
        if draw.random() < 0.3:
            body.append(f"s = s*0.5 + {read()}")
    if draw.random() < 0.3:
        body = [f"with torch.no_grad(): {line}" if line[0] == "y" else line for line in body]
    if has_three:
        body = ["for k in range(7):", *(f"    {line}" for line in body)]
    before = ("a = x[i].sum()",) if draw.random() < 0.3 else ()
    after = ("s = s + 0.1*a",) if before else ()
    return nested(*body, before=before, after=after).replace(
        "print(y, s)", "print(y, s)\ny = y + x"
    )


@pytest.mark.parametrize("seed", range(40))
def test_programs_made_at_random_have_the_bits_of_their_passes(seed: int) -> None:
    text = a_program(seed)
    found, expected, _ = both(text)
    printed_and_bits = slice(2)  # a note on what is not finite tells the loop, or the op in it
    assert found[printed_and_bits] == expected[printed_and_bits], text


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(40, 1000))
def test_more_programs_made_at_random_have_the_bits_of_their_passes(seed: int) -> None:
    test_programs_made_at_random_have_the_bits_of_their_passes(seed)
