"""Programs in the usual layout: the same syntax tree, and comments where they were."""

from __future__ import annotations

from pathlib import Path

import pytest

from gradcli.diagnostics import GradcliError, Source
from gradcli.language.format import formatted
from gradcli.language.parser import ParseLimits, parse_program
from gradcli.language.printer import print_program

LIMITS = ParseLimits()
SCRIPTS = [*sorted(Path("samples").rglob("*.grad")), *sorted(Path("samples/cells").glob("*.py"))]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("x=tensor( [1.,-2. ],requires_grad = True )# a",
         "x = tensor([1., -2.], requires_grad=True)  # a"),
        ("y   =x [ 0 : -1 ,None]**-2", "y = x[0:-1, None]**-2"),
        ("a*-b@ ~c<d", "a * -b @ ~c < d"),
        ("x   #= 3", "x   #= 3"),
        ("x#= 3", "x  #= 3"),
        ("for i in range( 3 ){z=i;w=-1}", "for i in range(3) { z = i; w = -1 }"),
        ("if x>2 :\n    y=-x\nelse :\n    y=not( x )",
         "if x > 2:\n    y = -x\nelse:\n    y = not (x)"),
        ("f( *a,b=2 )", "f(*a, b=2)"),
        ("y=(1+\n     2)", "y = (1 +\n     2)"),
        ("s='a  b' ;x +=1", "s = 'a  b'; x += 1"),
        ("  \n\n", ""),
    ],
)  # fmt: skip
def test_layout(text: str, wanted: str) -> None:
    assert formatted(text, LIMITS) == (wanted and wanted + "\n")


@pytest.mark.one_in(6)
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_scripts_mean_the_same(script: Path) -> None:
    text = script.read_text()
    try:
        before = parse_program(Source("", text), LIMITS)
    except GradcliError:
        pytest.skip("not a program")
    once = formatted(text, LIMITS)
    assert print_program(parse_program(Source("", once), LIMITS)) == print_program(before)
    assert formatted(once, LIMITS) == once
