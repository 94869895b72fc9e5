"""Statements that are built as others were have the tree that the automaton gives them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gradcli.diagnostics import GradcliError, Source
from gradcli.language import parser
from gradcli.language.parser import parse_program
from gradcli.language.syntax import Program, Syntax
from gradcli.language.tokens import ParseLimits

SAMPLES = sorted((Path(__file__).parents[2] / "samples").rglob("*.grad"))
CELLS = sorted((Path(__file__).parents[2] / "samples").rglob("*.py"))
ALIKE = """
y = sin(x); z = cos(y)
a, b = x*2, [1, 2][0]
y = f(x)(z).T[1:, ..., None]
y += x**2 - -3*x if x > 0 else 1
é = "text" 'more'; s = f"{x:.3f} {y}"
x.grad = None
d = {1: x, **e}; t = (); u = (1,); v = [i*2 for i in range(3) if i]
if x > 0: y = 1
while x > 0 { x = x - 1; y = 2 }
assert x > 0, "no"
"""


def fields(part: Any) -> Iterator[Any]:
    """All that is in a tree, in order, without recursion."""
    waiting = [part]
    while waiting:
        part = waiting.pop()
        if isinstance(part, Syntax):
            yield type(part)
            waiting += [getattr(part, name) for name in type(part).__slots__]
        elif isinstance(part, tuple):
            yield len(part)
            waiting += part
        else:
            yield part


def tree(text: str) -> Any:
    try:
        program: Program = parse_program(Source("program", text), ParseLimits())
    except GradcliError as error:
        return error.diagnostic
    return [*fields(program.statements)]


@pytest.mark.parametrize(
    "text",
    [ALIKE * 3, *(path.read_text(encoding="utf-8") * 2 for path in SAMPLES + CELLS)],
    ids=["alike", *(path.stem for path in SAMPLES + CELLS)],
)
def test_trees_are_the_same(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = tree(text)
    monkeypatch.setattr(parser, "LONG", 0)
    assert tree(text) == expected


@pytest.mark.parametrize(
    "wrong", ["y = = x", "y = x x", "1 = y", "y = 1e999", "return y", "f(a=1, a=2)"]
)
def test_errors_are_the_same(wrong: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "y = sin(x)\n" * 5 + "y = 1\ny = x\nf(a=1, b=2)\n" * 3 + wrong + "\ny = x\n" * 4
    expected = tree(text)
    monkeypatch.setattr(parser, "LONG", 0)
    assert tree(text) == expected
    assert not isinstance(expected, list)


def test_most_statements_of_a_long_text_are_built_as_others_were(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[bytes] = []
    recipe = parser._recipe

    def counted(kinds: bytes, states: list[int]) -> parser.Recipe | None:
        asked.append(kinds)
        return recipe(kinds, states)

    monkeypatch.setattr(parser, "_recipe", counted)
    text = "".join(f"y{i} = sin(y{i}) + {i}.5\n" for i in range(parser.LONG // 4))
    names = [part for part in tree(text) if isinstance(part, str) and part.startswith("y")]
    assert len(asked) == 1
    assert len(names) == 2 * (parser.LONG // 4)
