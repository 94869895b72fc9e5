"""A program that changes while it is written: what is reused gives what a fresh start gives."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from gradcli.analysis.live import LIMITS, Ahead, Live, Seen
from gradcli.analysis.recorder import SupersededError
from gradcli.diagnostics import GradcliError, Source
from gradcli.language.parser import parse_program
from gradcli.language.reparse import common, reparse
from gradcli.language.syntax import Program, Syntax
from gradcli.report.sanitise import sanitise
from gradcli.trace.names import parts_of

OF_PYTORCH = '''import torch
import torch.nn as nn
from functools import reduce
x = torch.tensor([[1., 2.], [3., 4.]], requires_grad=True)
true = 3
rows = [1, 2]
def scaled(value, by=2):
    rows.append(value)
    return value * by
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 1)
    def forward(self, x):
        return self.layer(x)
net = Net()
optimiser = torch.optim.SGD(net.parameters(), lr=0.1)
y = torch.zeros(2)
for i in range(3):
    optimiser.zero_grad()
    loss = (net(x)**2).mean() + scaled(x).sum()
    loss.backward()
    optimiser.step()
y[0] = loss.detach()
rows.append(torch.rand(1, generator=None))
x.grad  #= [[1, 2], [3, 4]]
s = """a
b"""
if len(rows) > 2:
    z = y * 2
else:
    z = y
- z
counts = {"a": 1}
counts["b"] = reduce(lambda a, b: a + b, [1, 2])
print(z, counts)
z.sum() #! shape
'''
PIECES = [
    "x", "y = ", "(", ")", "\n", "  ", "#= 3", "'", '"""', "3", ".T", "\n-", "import torch\n",
    "\ny = 3\n", "rand", "nn", "reduce", "else:", "\n.sum()", "\\\n", ";", "𝛼", "\r\n", "true",
    "x.grad = None\n", "rows.append(3)\n", "del y\n", "\nrows\n", "x == 3\n", "\ny == 3", "{", "}",
]  # fmt: skip


def programs() -> list[str]:
    return [OF_PYTORCH, *(path.read_text() for path in sorted(Path("samples").glob("*.grad")))]


def edited(text: str, chance: random.Random) -> str:
    """Letters or a line more or less, mostly near where the text was changed before."""
    lines = text.splitlines(keepends=True)
    kind = chance.random()
    if kind < 0.2 and lines:
        del lines[chance.randrange(len(lines))]
        return "".join(lines)
    if kind < 0.4 and lines:
        lines.insert(chance.randrange(len(lines) + 1), chance.choice(lines))
        return "".join(lines)
    at = chance.randrange(len(text) + 1)
    if kind < 0.6:
        return text[:at] + text[at + chance.randrange(1, 9) :]
    return text[:at] + chance.choice(PIECES) + text[at:]


def tree(program: Program) -> list[object]:
    """What a program is, by value."""
    waiting: list[Syntax] = list(reversed(program.statements))
    found: list[object] = [program.source, program.notes]
    found += [(each.kind, each.text, each.statement.span, each.span)
              for each in program.expectations]  # fmt: skip
    while waiting:
        part = waiting.pop()
        plain = [getattr(part, field) for field in type(part).__slots__]
        found.append((type(part), [each for each in plain if isinstance(each, str | float | bool)],
                      part.span))  # fmt: skip
        waiting += reversed(parts_of(part))
    return found


def told(live: Live) -> list[object]:
    """What a run has shown."""
    report = live.report
    assert report is not None
    error = report.error
    return [
        error and (error.code, error.message, error.hint, error.span, error.source),
        sorted(report.notes),
        [(each.expectation.span, sanitise(each.problem), each.reached) for each in report.outcomes],
    ]


def shown(live: Live, place: int) -> object:
    """What stands at a place."""
    seen = live.seen(place)
    if not isinstance(seen, Seen):
        return seen
    derivative = None if seen.derivative is None else seen.derivative.tolist()
    return repr((seen.name, seen.value.tolist(), seen.by, derivative))


def parsed_afresh(text: str) -> Program | GradcliError:
    try:
        return parse_program(Source("program", text), LIMITS.parse)
    except GradcliError as error:
        return error


def follow(start: str, count: int, seed: int) -> int:
    """Edit a program at random, and compare; the result is how often something was reused."""
    chance = random.Random(seed)
    text, before, ahead, reused = start, None, None, 0
    good = start
    for _ in range(count):
        text = edited(good if chance.random() < 0.5 else text, chance)
        afresh = parsed_afresh(text)
        if isinstance(afresh, GradcliError):
            with pytest.raises(GradcliError) as caught:
                Live(text, lambda: False, 60, before)
            assert caught.value.diagnostic == afresh.diagnostic
            text = good if chance.random() < 0.7 else text
            continue
        live, fresh = Live(text, lambda: False, 60, before), Live(text, lambda: False, 60)
        assert tree(live.program) == tree(afresh)
        assert afresh.names <= live.program.names
        reused += ahead is not None and ahead.is_like(live.program)
        live.run(ahead)
        fresh.run()
        assert told(live) == told(fresh), text
        for _ in range(3):
            place = chance.randrange(len(text) + 1)
            assert shown(live, place) == shown(fresh, place)
        before, good = live.program, text
        ahead = ran_ahead(live, chance)
    return reused


def ran_ahead(live: Live, chance: random.Random) -> Ahead | None:
    """A run ahead that is given up after some statements, and mostly taken up again."""
    ahead = live.ahead()
    if ahead is not None:
        left = iter(range(chance.randrange(40)))
        ahead.run(lambda: next(left, None) is None)
        if chance.random() < 0.7:
            ahead.run(lambda: False)
    return ahead


@pytest.mark.wide
def test_what_is_reused_gives_what_a_fresh_start_gives() -> None:
    assert sum(follow(text, 40, seed) for seed, text in enumerate(programs())) > 20


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_many_edits_reused(seed: int) -> None:
    assert sum(follow(text, 250, seed) for text in programs()) > 20


def test_statements_before_a_change_are_the_same_objects() -> None:
    source = Source("program", "a = 1\nb = [\n 2]\nc = 3\nd = 4\n")
    before = parse_program(source, LIMITS.parse)
    after = reparse(Source("program", source.text.replace("4", "5")), LIMITS.parse, before)
    same = [one is other for one, other in zip(before.statements, after.statements, strict=True)]
    assert same == [True, True, True, False]


def test_statements_behind_a_change_are_moved() -> None:
    source = Source("program", "a = 1\nb = 2\nc = (a,\n b)\nc  #= [1, 2]\nc\n-c\n")
    after = Source("program", source.text.replace("b = 2", "b = 2000\n"))
    again = reparse(after, LIMITS.parse, parse_program(source, LIMITS.parse))
    assert tree(again) == tree(parse_program(after, LIMITS.parse))
    assert again.expectations[0].statement is again.statements[3]
    ((place, _),) = again.notes
    assert after.text[slice(*place)] == "-"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("a = 1\nb = 2\nc = true\n", "a = 1\nb = 2\nc = true\nimport torch\n"),
        ("x = true\ny = 2\nimport torch\n", "x = true\ny = 2\nimport math\n"),
        ("x = 1\ny = 2\n3\n", "x = 1\ny = 2\n\n.sum()\n"),
        ("x = 1\ny == 2\n3\n", "x = 1\ny == 2\n"),
        ("if 1:\n  x = 2\ny = 3\nz = 3\n", "if 1:\n  x = 2\ny = 3\n  z = 3\n"),
        ("x = 1\n-x\ny = 3\nz = 4", "x = 1\n-x\ny = 3\nz = 5"),
        ("x = [1, 2]\ny = 2\nimport torch\nsum(x)", "x = [1, 2]\ny = 2\nt\nsum(x)"),
        ("x = [1, 2]\ny = 2\nz = 3\nsum(x)", "x = [1, 2]\ny = 2\nimport torch\nsum(x)"),
        ("x = 1\ny = 2\nz = x + y\nz  #= 4\n", "x = 1\ny = 22\nz = x + y\nz  #= 4\n"),
        ("x = 1\ny = 2\nx == 1\nx\n", "x = 1\ny = x or \\\nx == 1\nx\n"),
        ("x = 1\nif x:\n  y = 2\nz = x\n-z\n", "x = 1\nif x:\n  y = 2\n  y = 3\nz = x\n-z\n"),
    ],
)
def test_what_stands_later_may_change_what_stands_before(old: str, new: str) -> None:
    before = Live(old, lambda: False, 60)
    before.run()
    again = Live(old + "\n4", lambda: False, 60, before.program)
    again.run()
    ahead = again.ahead()
    if ahead is not None:
        ahead.run(lambda: False)
    live, fresh = Live(new, lambda: False, 60, again.program), Live(new, lambda: False, 60)
    live.run(ahead)
    fresh.run()
    assert tree(live.program) == tree(fresh.program)
    assert told(live) == told(fresh)


@pytest.mark.parametrize("change", ["y = [2", 'y = """2', "if y:", "y = 2 +", "y = 2)", "@y", "{y"])
def test_what_a_change_breaks_below_is_told(change: str) -> None:
    old = Source("program", "x = 1\ny = 2\nz = x + y\nz\n")
    new = Source("program", old.text.replace("y = 2", change))
    with pytest.raises(GradcliError) as caught:
        reparse(new, LIMITS.parse, parse_program(old, LIMITS.parse))
    afresh = parsed_afresh(new.text)
    assert isinstance(afresh, GradcliError)
    assert caught.value.diagnostic == afresh.diagnostic


def test_an_import_that_comes_to_be_used_is_looked_at_again() -> None:
    text = "import pandas\nx = 3\ny = 3\nz = 4"
    first = Live(text, lambda: False, 60)
    first.run()
    second = Live(text.replace("4", "5"), lambda: False, 60, first.program)
    second.run()
    ahead = second.ahead()
    assert ahead is not None
    ahead.run(lambda: False)
    third = Live(text.replace("4", "6"), lambda: False, 60, second.program)
    assert ahead.is_like(third.program)
    fourth = Live(text.replace("4", "pandas.nan"), lambda: False, 60, second.program)
    assert not ahead.is_like(fourth.program)
    fourth.run(ahead)
    assert fourth.report is not None
    assert fourth.report.error is not None
    assert fourth.report.error.message == "gradcli has no module 'pandas'"


def test_a_run_that_was_given_up_inside_a_statement_is_not_taken_up() -> None:
    text = "rows = []\nfor i in range(5):\n  rows.append(i)\nx = 1\ny = 2\nz = 3\nprint(y)"
    first = Live(text, lambda: False, 60)
    first.run()
    second = Live(text.replace("3", "4"), lambda: False, 60, first.program)
    second.run()
    ahead = second.ahead()
    assert ahead is not None
    left = iter(range(5))
    ahead.run(lambda: next(left, None) is None)
    ahead.run(lambda: False)
    third = Live(text.replace("z = 3", "len(rows) #= 5"), lambda: False, 60, second.program)
    assert not ahead.is_like(third.program)
    third.run(ahead)
    assert third.report is not None
    assert third.report.passed


def test_a_run_ahead_knows_what_the_program_ends_on() -> None:
    text = "x = [1, 2]\nx * 3\nassert True\nassert True\ny = 4"
    first = Live(text, lambda: False, 60)
    first.run()
    second = Live(text.replace("4", "5"), lambda: False, 60, first.program)
    second.run()
    ahead = second.ahead()
    assert ahead is not None
    ahead.run(lambda: False)
    third = Live(text.replace("4", "inv(3)"), lambda: False, 60, second.program)
    assert ahead.is_like(third.program)
    third.run(ahead)  # its last line is an error
    assert shown(third, 0) == repr(("x", [1.0, 2.0], "the last value", [3.0, 3.0]))


def test_a_run_that_nobody_waits_for_ends() -> None:
    live = Live("x = 1\ny = 2", lambda: True, 60)
    with pytest.raises(SupersededError):
        live.run()


@pytest.mark.parametrize(
    ("one", "other", "same"), [("", "a", 0), ("ab", "ab", 2), ("abc", "abd", 2)]
)
def test_common(one: str, other: str, same: int) -> None:
    assert common(one, other) == same


@pytest.mark.parametrize("end", ["", "\ny = 2\ny * 2  #= 4", "\nz = x\n-z  #! name"])
def test_a_run_goes_back_to_the_change_behind_which_names_alone_were_bound(end: str) -> None:
    text = "import torch\nw = torch.ones(2)\nw.add_(1)\ndef two(a):\n  return 2 * a\nx = 1" + end
    assert _statements_run_ahead(text, "x = 1", ("x = 12", "x = 123", "x = w", "x = nothing")) == 0


@pytest.mark.parametrize(
    "end", ["\nw.add_(x)\nw  #= [3, 3]", "\nw += x\nw  #= [3, 3]", "\nfor i in range(2): w.mul_(x)"]
)
def test_a_run_does_not_go_back_behind_what_has_changed_tensors(end: str) -> None:
    text = "import torch\nw = torch.ones(2)\nw.add_(1)\nx = 1" + end
    assert _statements_run_ahead(text, "x = 1", ("x = 12", "x = 123", "x = w * 2")) > 0


def _statements_run_ahead(text: str, written: str, others: tuple[str, ...]) -> int:
    """How many statements must be run again before the changes, which then tell what a fresh start
    tells.
    """
    asked = 0

    def count() -> bool:
        nonlocal asked
        asked += 1
        return False

    before, ahead = None, None
    for each in (written, *others):
        live = Live(text.replace(written, each), lambda: False, 60, before)
        live.run(ahead)
        fresh = Live(live.program.source.text, lambda: False, 60)
        fresh.run()
        assert told(live) == told(fresh)
        before, ahead = live.program, live.ahead()
        if ahead is not None:
            ahead.run(count)
    assert ahead is not None
    return asked
