"""What statements have given is taken up by later runs of a text that was edited: the answers are
those of a run from scratch.
"""

from __future__ import annotations

import random
import re

import numpy as np
import pytest

from gradcli.analysis.live import OPTIONS, Ahead, Live, Seen
from gradcli.analysis.recall import Recall, only_computes
from gradcli.diagnostics import GradcliError
from gradcli.language.syntax import Program
from tests.analysis.test_live import parsed_afresh, ran_ahead, told, tree

START = """x = [[0.5, 1, 2], [3, -1, 0.2]]
w = [[1, 2], [0.1, 0.3], [0.2, -0.4]]
n = 3
b = True
f(a, k=2) = a**k + n
def g(a):
    t = a * 2
    return t + x
def deep(a, b=2):
    t = a
    for j in range(b):
        t = tanh(t) * 0.5 + g(a) * j
        if sum(t) > n:
            t = t - 0.1
            break
    return t / (1 + t**2)
s = 0 * x
for i in range(3) {
  s = s * 0.5 + sin(x * i)
  if sum(s) > 1 {
    s = s - f(x)
  }
}
while sum(s) > 1 {
  s = s * 0.7
}
if n > 2 {
  z, k = s, 2
} else {
  z = deep(s)
}
d = deep(x) + deep(s, b=3)
h = x
h = tanh(h*0.9 + 0.1*x) - sigmoid(h)/(1 + h**2)
h = softmax(h@w, dim=1)@transpose(w, 0, 1) + exp(-h**2)*sin(x)
rows = [h, x, h]
s = stack(rows)
hs = []
for i in range(3) {
  hs = append(hs, h * i)
  h = h + 0.1
}
r = randn(2, 3)
q, t = sort(r)
y = where(h > 0, h, 0.1*r)
v = h[0] + h[:, 1].sum() + h.T[1, 0]
c = ones(3, 1) + ones(3)
z = f(h) + g(h)
total = sum(z)
total  #= 3
u = inv(eye(2) * n)
m = u if n > 2 else u.T
sum(m)  #= 0.6
mean(h**2) + pi + e
index = 1
k = x[index]
x == 3.0
p = relu(x)
out = log(sum(k)) * total
out
"""
LINES = [
    "n = 2", "h = x", "sum = 3", "inv(x*0)", "x[3]", "f(a) = a", "mean(a) = a", "relu(a) = 2 * a",
    "r = randn(3)", "del h", "x.tanh()", "h @ 3 #! shape", "h = inv(zeros(2, 2)) #! singular", "b",
    "hs.append(3)", "b = n > 2", "if n > 2 { h = 2 }", "assert n > 2", "z = x", "x = None",
    "hs = [1, 2]", "l = [1, 2, 3]\nfor i in l { h = h + i }", "w[0] = 3", "h.relu_()", "u = eye(2)",
    "import torch", "x.g = 3", "print(h)", "p = relu(x)\np = relu(x)", "n += 1", "x = h.data",
    "g = x.grad", "sum(h).backward()", "a, z = h, x", "lambda x: x", "relu = x", "c", "k #= [1]",
    "g = lambda a: a * 2", "for k in range(2) {\n  r = randn(2)\n}", "d = deep(h)", "z += 1",
    "for i in [1, 2] {\n  s = s + i\n  s  #= 3\n}", "def g(a):\n    return a + n", "s = deep(s)",
    "if s[0, 0] > 0 { s = inv(zeros(2, 2)) }", "while n > 0 { n = n - 1 }", "k = g(x) + f(x, 3)",
    "for i in range(2) {\n  hs = append(hs, f(h))\n}", "def deep(a, b=2):\n    return g(a) * b",
    "def f(a, k=1):\n    t = a * k\n    t  #= 3\n    return t", "d = inv(deep(x) @ x.T * 0)",
    "del g",
]  # fmt: skip


def edited(text: str, chance: random.Random) -> str:
    """A line more or less or elsewhere, another number, or another name."""
    lines = text.splitlines(keepends=True)
    kind = chance.random()
    if kind < 0.1:
        del lines[chance.randrange(len(lines))]
    elif kind < 0.2:
        lines.insert(chance.randrange(len(lines) + 1), chance.choice(lines))
    elif kind < 0.3:
        one, other = chance.randrange(len(lines)), chance.randrange(len(lines))
        lines[one], lines[other] = lines[other], lines[one]
    elif kind < 0.5:
        lines.insert(chance.randrange(len(lines) + 1), chance.choice(LINES) + "\n")
    elif kind < 0.75:
        return _replaced(text, r"\d", chance.choice(("0", "1", "2", "3", "35", "2.5")), chance)
    else:
        return _replaced(text, r"\b[a-z]\b", chance.choice("xhwnbfgrsvz"), chance)
    return "".join(lines)


def _replaced(text: str, pattern: str, new: str, chance: random.Random) -> str:
    found = list(re.finditer(pattern, text))
    if not found:
        return text + START
    match = chance.choice(found)
    return text[: match.start()] + new + text[match.end() :]


def assert_same_shown(live: Live, fresh: Live, place: int) -> None:
    """What stands at a place; a derivative's summands may be added in another order."""
    one, other = live.seen(place), fresh.seen(place)
    if not isinstance(one, Seen) or not isinstance(other, Seen):
        assert one is other
        return
    assert (one.name, one.by) == (other.name, other.by)
    np.testing.assert_array_equal(one.value, other.value)
    assert (one.derivative is None) == (other.derivative is None)
    if one.derivative is not None and other.derivative is not None:
        np.testing.assert_allclose(one.derivative, other.derivative, rtol=1e-12, atol=1e-14)


def follow(count: int, seed: int) -> int:
    """Edit a program at random, and compare; the result is how many nodes needed not be made."""
    chance = random.Random(seed)
    good, before, saved = START, None, 0
    ahead: Ahead | None = None
    recall = Recall(OPTIONS.graph(shares=False))
    for _ in range(count):
        text = edited(START if chance.random() < 0.02 else good, chance)
        if isinstance(parsed_afresh(text), GradcliError):
            continue
        live, fresh = Live(text, lambda: False, 60, before), Live(text, lambda: False, 60)
        made = recall.graph.count
        live.run(ahead, recall)
        fresh.run()
        assert tree(live.program) == tree(fresh.program), text
        assert told(live) == told(fresh), text
        if live.recalls and fresh.report and not fresh.report.error:
            saved += nodes(fresh.program) - (recall.graph.count - made)
        for _ in range(3):
            assert_same_shown(live, fresh, chance.randrange(len(text) + 1))
        before = live.program
        if live.report and (live.report.error is None or chance.random() < 0.1):
            good = text
        ahead = ran_ahead(live, chance)
    return saved


def nodes(program: Program) -> int:
    """How many nodes a run from scratch makes."""
    recall = Recall(OPTIONS.graph(shares=False))
    Live(program.source.text, lambda: False, 60).run(None, recall)
    return recall.graph.count


def test_what_is_recalled_is_what_a_fresh_start_gives() -> None:
    assert follow(60, 1) > 0


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 8))
def test_many_edits_recalled(seed: int) -> None:
    assert follow(250, seed) > 0


def run(recall: Recall, text: str, before: Live | None = None) -> Live:
    live = Live(text, lambda: False, 60, before.program if before else None)
    live.run(None, recall)
    return live


def test_only_what_has_changed_runs_again() -> None:
    lines = ["a = 1", "x = [1, 2]", *["x = tanh(x) * 0.9 + x"] * 50, "y = a * 3", "y  #= 3"]
    recall = Recall(OPTIONS.graph(shares=False))
    first = run(recall, "\n".join(lines))
    made = recall.graph.count
    assert made > 150
    lines[0] = "a = 1000"
    second = run(recall, "\n".join(lines), first)
    assert recall.graph.count - made < 5
    assert second.report is not None
    assert "3000 instead of 3" in second.report.outcomes[0].problem


@pytest.mark.parametrize(
    "lines",
    [
        ["for i in range(9) {", "  x = tanh(x) * i + x", "}", "while sum(x) > 1 { x = x * 0.5 }"],
        ["if sum(x) > 1 {", "  x, t = tanh(x), x", "} else { t = x }", "f(x)", "x = f(t, by=3)"],
    ],
)
def test_loops_branches_and_calls_are_recalled(lines: list[str]) -> None:
    """Also where they stand elsewhere, unless what they call means something else."""
    start = ["a = 1", "g(x) = sum(x) * x", "def f(x, by=2):", "    t = g(x)", "    return t * by"]
    recall = Recall(OPTIONS.graph(shares=False))
    program = [*start, "x = [0.1, 0.2]", *lines * 5, "y = inv(eye(2) * a)", "y  #= 3"]
    first = run(recall, "\n".join(program))
    made = recall.graph.count
    assert made > 30
    program[0] = "a = 0\n"
    second = run(recall, "\n".join(program), first)
    assert recall.graph.count - made < 6
    assert second.report is not None
    found = second.report.outcomes[0].found
    assert isinstance(found, GradcliError)
    assert found.diagnostic.span is not None
    assert second.program.source.text[found.diagnostic.span[0] :].startswith("inv")
    program[1] = "g(x) = sum(x) * 3"
    made = recall.graph.count
    run(recall, "\n".join(program), second)
    assert (recall.graph.count - made > 30) == ("f(x)" in lines)


def test_steps_that_are_recalled_count() -> None:
    """A program may make so many steps, whether they are made again or not."""
    recall = Recall(OPTIONS.graph(shares=False))
    loop = "for i in range(7000) { x = i }\n"
    two = run(recall, loop * 2 + "y = 3")
    three = run(recall, loop * 3 + "y = 3", two)
    for live, code in ((two, None), (three, "limit-steps")):
        assert live.report is not None
        assert (live.report.error.code if live.report.error else None) == code


def test_a_value_that_is_recalled_knows_its_place() -> None:
    """The error of a value that is looked at later stands where the statement is now."""
    recall = Recall(OPTIONS.graph(shares=False))
    first = run(recall, "x = zeros(2, 2)\ny = inv(x)\ny  #= 3\n")
    second = run(recall, "x = zeros(2, 2)\n\n\ny = inv(x)\ny  #= 3\n", first)
    for live, line in ((first, 2), (second, 4)):
        assert live.report is not None
        found = live.report.outcomes[0].found
        assert isinstance(found, GradcliError)
        span = found.diagnostic.span
        assert span is not None
        assert live.program.source.locate(span[0]) == (line, 5)


def test_equal_statements_are_two_values() -> None:
    recall = Recall(OPTIONS.graph(shares=False))
    text = "x = 3\ny = x**2\ny = x**2\nz = 2 * y\n"
    before = None
    for end in ("z", "z + 0", "z"):
        before = run(recall, text + end, before)
        seen = [before.seen(text.index("y")), before.seen(text.rindex("y ="))]
        derivatives = [each.derivative for each in seen if isinstance(each, Seen)]
        assert derivatives == [None, 2.0]  # the first y leads nowhere


def test_a_function_of_the_program_hides_another_from_where_it_is() -> None:
    recall = Recall(OPTIONS.graph(shares=False))
    first = run(recall, "x = -3\ny = relu(x)\ny  #= 0\n")
    second = run(recall, "relu(a) = 2 * a\nx = -3\ny = relu(x)\ny  #= -6\n", first)
    third = run(recall, "x = -3\ny = relu(x)\ny  #= 0\n", second)
    for live in (first, second, third):
        assert live.report is not None
        assert live.report.passed


@pytest.mark.parametrize(
    "text",
    [
        "x = 3\nx.backward()", "import torch", "x = zeros(2)\nx[0] = 3", "x.add_(1)", "x[0] += 1",
        "x = [1]\nx[0]=2", "y = x.data", "x.requires_grad = True", "class A:\n  pass",
    ],
)  # fmt: skip
def test_programs_that_do_more_run_as_a_whole(text: str) -> None:
    assert not only_computes(text)


@pytest.mark.parametrize("text", ["x = [1, 2]\nx == 2", "y = x[0] == 3", "y = f(x, dim=1)", ""])
def test_programs_that_only_compute(text: str) -> None:
    assert only_computes(text)


def test_an_error_inside_a_function_knows_its_place() -> None:
    """What is computed later in the body of a function stands where the function is now."""
    recall = Recall(OPTIONS.graph(shares=False))
    program = "def f(x):\n    return inv(x * 0)\ny = f(eye(2))\ny  #= 3\n"
    before = run(recall, program)
    for gap in (0, 1, 4):
        before = run(recall, "\n" * gap + program, before)
        assert before.report is not None
        found = before.report.outcomes[0].found
        assert isinstance(found, GradcliError)
        span = found.diagnostic.span
        assert span is not None
        assert before.program.source.locate(span[0]) == (2 + gap, 12)


def test_what_gathers_is_no_reason_to_fail() -> None:
    """The limits hold for a text by itself."""
    recall = Recall(OPTIONS.graph(shares=False))
    before = None
    for number in range(12):
        text = f"x = {number} + ones(1000, 1000)\nsum(x)  #= {number + 1}000000"
        before = run(recall, text, before)
        assert before.report is not None
        assert before.report.passed, before.report
