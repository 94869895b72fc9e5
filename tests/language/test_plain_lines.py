"""Many lines that nearly repeat each other: the tree is that of other texts, though most of it is
not built before it is looked at.
"""

from __future__ import annotations

import random
from itertools import chain
from typing import Any

import pytest

from gradcli.diagnostics import GradcliError, Source
from gradcli.language.parser import parse_program, parse_rest
from gradcli.language.reparse import reparse
from gradcli.language.syntax import Program
from gradcli.language.tokens import ParseLimits
from tests.language.trees import fields

MANY = 1200
CHAIN = "x = 2\n" + "".join(f"y{i} = f(y{i - 1}) * {i}.5 - a.b\n" for i in range(1, MANY)) + "y9"
PERIODIC = "y = sin(y)\nz = y + 1 \ny = -z*0.25\n" * MANY + "y\n"
TEXTS = {
    "a chain": CHAIN,
    "a period": PERIODIC,
    "two rows": f"{PERIODIC}print(y)\n{CHAIN}",
    "what else a line may be": PERIODIC.replace("z = y + 1 \n", "z = y + 1\n", 400)
    + "f(x) = x + 1\na, b = 1, 2\ny += 1\ny == 2\nwhile y < 3:\n    y = y + 1\n" + CHAIN,
    "in a block": f"if x > 0:\n    y = 1\n{CHAIN}",
    "comments between": f"{PERIODIC}# done\n\n{CHAIN}",
    "expectations": f"{CHAIN} #= 3\n{PERIODIC}y #= 2\n",
    "one that is another number": CHAIN.replace("700.5", "7e9"),
    "long numbers": CHAIN.replace(".5", ".00000000000000000000005"),
    "hexadecimal": "".join(f"y{i} = x*0x{i}f\n" for i in range(MANY)),
    "lines in a string": f"'''\n{CHAIN}'''\n{PERIODIC}",
    "a line that goes on": f"{PERIODIC}y = (y +\\\n1)\n",
    "names of one letter and words": "".join(f"a = log{i % 3} + sin(b).T\n" for i in range(MANY)),
    "names of Python": "import torch\n" + "true = x\n" * MANY,
    "braces": f"while x < 1 {{\n{CHAIN}\n}}",
    "brackets": "y = f(\n" + "a = 1\n" * MANY + ")",
    "a decorator": f"@torch.no_grad()\n{CHAIN}",
    "an error in front": f"y = = x\n{CHAIN}",
    "an error behind": f"{CHAIN} y = = x",
    "an error within": CHAIN.replace("y700 =", "y700 = ="),
    "a number that is too large": CHAIN.replace("700.5", "7" * 400),
    "a word of the language": PERIODIC + "if = 3\n" * MANY,
    "else": f"{PERIODIC}else:\n    y = 1\n",
}  # fmt: skip
LIMITS = ParseLimits()


def parsed(text: str, limits: ParseLimits = LIMITS) -> Any:
    """All of its program, or the error."""
    try:
        program = parse_program(Source("program", text), limits)
    except GradcliError as error:
        return error.diagnostic
    return told(program)


def told(program: Program) -> list[Any]:
    expectations = [(each.kind, each.text, each.statement.span) for each in program.expectations]
    return [[*fields(program.statements)], expectations, program.notes, program.names]


@pytest.mark.parametrize("name", TEXTS)
def test_the_tree_is_that_of_the_whole_text(name: str) -> None:
    text = TEXTS[name]
    try:
        expected: Any = told(parse_rest(Source("program", text), LIMITS, 0))
    except GradcliError as error:
        expected = error.diagnostic
    assert parsed(text) == expected


@pytest.mark.parametrize("name", ["a chain", "a period", "two rows", "expectations"])
def test_most_statements_are_not_built(name: str) -> None:
    program = parse_program(Source("program", TEXTS[name]), LIMITS)
    assert sum(hasattr(each, "moved_from") for each in program.statements) >= MANY - 2


@pytest.mark.parametrize("looked_at", [[], [3], [*range(200, 0, -1)]])
def test_statements_are_built_when_they_are_looked_at(looked_at: list[int]) -> None:
    """In any order; each of them once, as others may hold its parts."""
    expected = [*fields(parse_rest(Source("program", CHAIN), LIMITS, 0).statements)]
    program = parse_program(Source("program", CHAIN), LIMITS)
    values = [program.statements[each].value for each in looked_at]  # type: ignore[union-attr]
    assert [*fields(program.statements)] == expected
    assert values == [program.statements[each].value for each in looked_at]  # type: ignore[union-attr]


def test_statements_move_before_they_are_looked_at() -> None:
    program = parse_program(Source("program", CHAIN), LIMITS)
    text = "x = 13\n" + CHAIN.partition("\n")[2]
    changed = reparse(Source("program", text), LIMITS, program)
    expected = parse_rest(Source("program", text), LIMITS, 0)
    assert [*fields(changed.statements)] == [*fields(expected.statements)]


def test_all_tokens_count() -> None:
    tokens = sum(1 for _ in chain.from_iterable(line.split() for line in ["y = f ( y )"] * MANY))
    text = "y = f(y)\n" * MANY + "y"
    exact = tokens + MANY + 2
    for limit in (exact - 1, exact, exact + 1):
        limits = ParseLimits(tokens=limit)
        try:
            parse_rest(Source("program", text), limits, 0)
            expected = None
        except GradcliError as error:
            expected = error.diagnostic.message
        found = parsed(text, limits)
        assert (found.message if expected else None) == expected


def test_lines_that_repeat_nothing_are_built_at_once() -> None:
    functions = ["sin", "cos", "exp", "log", "tanh"]
    draws = random.Random(3)
    text = "".join(f"y = {draws.choice(functions)}(y)\n" for _ in range(4 * MANY))
    program = parse_program(Source("program", text), LIMITS)
    assert not any(hasattr(each, "moved_from") for each in program.statements)
