"""Derivatives in text: those of textbooks are right, those that are misremembered are not."""

from __future__ import annotations

import numpy as np
import pytest

from gradcli.diagnostics import Source
from gradcli.graph import Array
from gradcli.language.parser import ParseLimits, parse_program
from gradcli.ops import FUNCTIONS, Function
from gradcli.session import evaluate

ENTRIES = [each for name, each in FUNCTIONS.items() if name == each.name]
TEXTBOOK = [
    (each, place, text)
    for each in ENTRIES
    for place, text in enumerate(each.op.textbook if each.op else ())
]
WRONG = [
    (each, place, text)
    for each in ENTRIES
    for place, texts in enumerate(each.op.misremembered if each.op else ())
    for text in texts
]
CONFUSED = [(each, other) for each in ENTRIES for other in each.confused]
X, N = np.array([0.3, 0.45, 0.8]), np.array([1.5, 2.5, -0.5])


def values(function: Function, formula: str, place: int = 0) -> tuple[Array, Array]:
    """What the formula gives, and the gradient by the operand at that place."""
    call = f"{function.name}({'x, n' if len(function.operands) == 2 else 'x'})"
    inputs = {"x": X, "n": N}
    names = [name for name in inputs if name in call.replace(function.name, "")]
    text = f"y = {call}; d = float({formula}); out = sum(y); out.backward()"
    program = parse_program(Source("program", text), ParseLimits())
    result = evaluate(program, {name: inputs[name] for name in names})
    return result.values["d"], result.grads[names[place]]


@pytest.mark.parametrize(
    ("function", "place", "text"), TEXTBOOK, ids=lambda each: getattr(each, "name", str(each))
)
def test_textbooks_are_right(function: Function, place: int, text: str) -> None:
    found, right = values(function, text, place)
    np.testing.assert_allclose(found, right, rtol=1e-12)


@pytest.mark.parametrize(
    ("function", "place", "text"), WRONG, ids=lambda each: getattr(each, "name", str(each))
)
def test_what_is_misremembered_is_wrong(function: Function, place: int, text: str) -> None:
    found, right = values(function, text.partition(",")[0], place)
    assert not np.isclose(found, right, rtol=1e-3).all()


@pytest.mark.parametrize(
    ("function", "other"), CONFUSED, ids=lambda each: getattr(each, "name", each)
)
def test_functions_that_are_confused_take_the_same_operands(function: Function, other: str) -> None:
    assert other != function.name
    mine, others = (
        [each.name for each in called.parameters if each.required]
        for called in (function, FUNCTIONS[other])
    )
    assert len(mine) == len(others)
