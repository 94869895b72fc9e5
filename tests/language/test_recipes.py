"""Statements that are built as others were have the tree that the automaton gives them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gradcli.diagnostics import GradcliError, Source
from gradcli.language import automaton
from gradcli.language.parser import parse_program
from gradcli.language.syntax import Program
from gradcli.language.tokens import ParseLimits
from tests.language.trees import fields

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
ROWS = [
    "x + y - 3 * z ** 2 / w + 1 < x + 2 and y or not z",
    "x < y <= 3 != z == w; x ** y ** 2 ** z; x - y - z - w",
    "x + 1 - (y * 2 * z) + -x + f(x, 1, y, 2)(x + 1 + y) + x[1, 2, i, j] - y",
    "x in y not in z is w is not v; x | 1 | y & 2 & z ^ w ^ 3 @ v @ u",
    "x + y + 1 if x * y * z else 1 + x + y",
    "a = [1, x, 2, y, 3 + x + 1, z]; b = 1, x, y, 2,; c = {x, 1, y}; d = {1: x, 2: y, 3: z}",
    "global a, b, c, d",
    "f(x, y, k=1, l=x, m=2)",
    "a, b, c, d = e, f, 3, g",
    "x +\\\n y + (x\n + 1\n + y) + 1",
    "x + é + 1 + ü + 'a' + 2 + true + y",
]
"""Rows of operands and of items, of which pairs are added as others were."""
BROKEN = [
    "x + y + 1e999 + z",
    "x + y + z z + x",
    "x + y + + z + x * / y",
    "x + y + not z + x",
    "f(x, y, 1, , 2)",
    "[1, x, 2, y",
    "x + y + z +",
    "x + y + z = 3",
    "f(x, k=1, y, z)",
]


def tree(text: str) -> Any:
    try:
        program: Program = parse_program(Source("program", text), ParseLimits())
    except GradcliError as error:
        return error.diagnostic
    return [*fields(program.statements)]


@pytest.mark.parametrize(
    "text",
    [ALIKE * 3, *ROWS, *(path.read_text(encoding="utf-8") * 2 for path in SAMPLES + CELLS)],
    ids=["alike", *ROWS, *(path.stem for path in SAMPLES + CELLS)],
)
def test_trees_are_the_same(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = tree(text)
    monkeypatch.setattr(automaton, "LONG", 0)
    assert tree(text) == expected


@pytest.mark.parametrize(
    "wrong", ["y = = x", "y = x x", "1 = y", "y = 1e999", "return y", "f(a=1, a=2)"]
)
def test_errors_are_the_same(wrong: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "y = sin(x)\n" * 5 + "y = 1\ny = x\nf(a=1, b=2)\n" * 3 + wrong + "\ny = x\n" * 4
    expected = tree(text)
    monkeypatch.setattr(automaton, "LONG", 0)
    assert tree(text) == expected
    assert not isinstance(expected, list)


def test_the_first_of_several_errors_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where statements like the second one stand before the first error."""
    text = "f(a=1, b=2)\ny = 1\n" * 4 + "y = 1e999\nf(a=1, a=2)\nf(a=1, b=2)\ny = 1\n"
    monkeypatch.setattr(automaton, "LONG", 0)
    found = tree(text)
    assert not isinstance(found, list)
    assert text[slice(*found.span)] == "1e999"


@pytest.mark.parametrize("text", BROKEN)
def test_errors_in_rows_are_the_same(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = tree(text)
    monkeypatch.setattr(automaton, "LONG", 0)
    assert tree(text) == expected
    assert not isinstance(expected, list)


def test_most_of_a_long_row_is_added_in_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    counts: list[int] = []
    pairs = automaton._Recipes.pairs

    def counted(recipes: automaton._Recipes, *begun: Any) -> int:
        counts.append(pairs(recipes, *begun))
        return counts[-1]

    monkeypatch.setattr(automaton._Recipes, "pairs", counted)
    tree("a = [x" + ", 1, y" * automaton.LONG + "]\nx" + " + 1 * y" * automaton.LONG)
    assert sum(counts) > 8 * automaton.LONG - 20
    assert len(counts) < 8


def test_most_statements_of_a_long_text_are_built_as_others_were(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[bytes] = []
    recipe = automaton._recipe

    def counted(kinds: bytes, *begun: Any) -> automaton.Recipe | None:
        asked.append(kinds)
        return recipe(kinds, *begun)

    monkeypatch.setattr(automaton, "_recipe", counted)
    text = "".join(f"y{i} = sin(y{i}) + {i}.5\n" for i in range(automaton.LONG // 4))
    names = [part for part in tree(text) if isinstance(part, str) and part.startswith("y")]
    assert len([kinds for kinds in asked if kinds[-1] == automaton._SEPARATOR]) == 1
    assert len(names) == 2 * (automaton.LONG // 4)
