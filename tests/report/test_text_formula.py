"""Formulas of nodes: what they say is what was computed, and they say it as a user would."""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np
import pytest

from gradcli.diagnostics import Source
from gradcli.graph import Array
from gradcli.language.parser import parse_program
from gradcli.ops import FUNCTIONS, Case
from gradcli.report.arrays import GAP
from gradcli.report.formula import formula
from gradcli.report.tree import tree
from gradcli.session import Options, Result, evaluate

CASES = {case.program: case for function in FUNCTIONS.values() for case in function.cases}
MATRIX: dict[str, Array] = {"x": np.arange(6.0).reshape(2, 3)}


def run(program: str, inputs: Mapping[str, Array] = MATRIX, retain: tuple[str, ...] = ()) -> Result:
    source = Source("program", program)
    used = {name: array for name, array in inputs.items() if name in program}
    options = Options(forward_only=True, seed=1, retain_grad=retain)
    return evaluate(parse_program(source, options.limits.parse), used, options=options)


def formulas(result: Result, width: int = 10_000) -> dict[str, str]:
    names = {node: name for name, node in result.leaves.items()}
    return {name: formula(node, names, 17, width) for name, node in result.outputs.items()}


def drawn(case: Case) -> dict[str, Array]:
    draw = np.random.default_rng(0).uniform
    return {name: draw(*case.domain, size=shape) for name, shape in case.shapes.items()}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_formula_is_a_program_with_the_same_value(case: Case) -> None:
    inputs = drawn(case)
    result = run(case.program, inputs)
    for name, text in formulas(result).items():
        if is_program(text):
            again = run(text, inputs)
            np.testing.assert_array_equal(again.values["out"], result.values[name], text)


def is_program(text: str) -> bool:
    """Whether nothing is left out, and no op in it is without a function of its own."""
    return GAP not in text and all(name in FUNCTIONS for name in re.findall(r"(\w+)\(", text))


def test_most_formulas_are_programs() -> None:
    """Else the test above would say little."""
    count = 0
    for case in CASES.values():
        count += all(map(is_program, formulas(run(case.program, drawn(case))).values()))
    assert count > len(CASES) / 2


@pytest.mark.parametrize(
    ("program", "text"),
    [
        ("x[0]", "x[0]"),
        ("x[1, 2]", "x[1, 2]"),
        ("x[:, 1]", "x[:, 1]"),
        ("x[-1, 0:2]", "x[1, 0:2]"),
        ("x[0:1]", "x[0:1]"),
        ("x[[1, 0]]", "x[[1, 0]]"),
        ("x[:, [2, 0]]", "x[:, [2, 0]]"),
        ("x[0] * x[1]", "x[0] * x[1]"),
        ("(2 * x)[0]", "(2 * x)[0]"),
        ("x.mT", "x.T"),
        ("stack([x, x]).mT", "cat([reshape(x, 1, 2, 3), reshape(x, 1, 2, 3)], dim=0).mT"),
        ("permute(x[None, None], (1, 0, 3, 2))", "permute(reshape(x, 1, 1, 2, 3), 1, 0, 3, 2)"),
        ("reshape(x[:, 0:2], 4)", "reshape(x[:, 0:2], 4)"),
        ("float(x > 1)", "float(x > 1)"),
        ("x * (x > 1)", "x * (x > 1)"),
        ("norm(x)", "norm(x, p=2)"),
        ("tril(x)", "tril(x)"),
        ("tril(x, -1)", "tril(x, diagonal=-1)"),
        ("flip(x, (0, 1))", "flip(x, dim=(0, 1))"),
        ("arange(2, 9, 3)", "arange(2, 11, 3)"),  # as many numbers: 2, 5, 8
        ("randn(3, 4)", "randn(3, 4)"),
    ],
)
def test_formula(program: str, text: str) -> None:
    assert list(formulas(run(program)).values()) == [text]


def defined(program: str, retain: tuple[str, ...] = ()) -> list[tuple[str, str, str]]:
    shown, _ = tree(run(program, retain=retain), 6, depth=9, formula_width=60, limit=None)
    return [(line.name, line.op, line.formula) for line in shown]


def test_a_value_that_gets_no_grad_is_what_made_it() -> None:
    assert defined("w = randn(3); c = [1, 2, 3]; y = x * w * c") == [
        ("y", "mul", "x * w * c"),
        ("", "mul", "x * w"),
        ("x", "leaf", ""),
        ("w", "randn", "randn(3)"),
        ("c", "constant", ""),
    ]


def test_an_item_has_no_line_for_its_slice() -> None:
    assert defined("y = x[0, 1] ** 2") == [
        ("y", "pow", "x[0, 1] ** 2"),
        ("", "reshape", "x[0, 1]"),
        ("x", "leaf", ""),
    ]


def test_a_slice_with_a_name_keeps_its_line() -> None:
    assert defined("s = x[0:1]; y = reshape(s, 3)") == [
        ("y", "reshape", "reshape(s, 3)"),
        ("s", "slice", "x[0:1]"),
        ("x", "leaf", ""),
    ]


def test_a_second_name_with_a_grad_of_its_own_has_a_line() -> None:
    assert defined("h = tanh(x); k = h; y = 2 * k", retain=("k",)) == [
        ("y", "mul", "2 * k"),
        ("k", "bind", "h"),
        ("h", "tanh", "tanh(x)"),
        ("x", "leaf", ""),
    ]


def test_a_change_of_kind_has_a_line_only_where_it_has_a_name() -> None:
    assert defined("y = x * (x > 1)")[2:] == [("", "gt", "x > 1"), ("x", "", "")]
    assert defined("m = float(x > 1); y = x * m")[2:] == [
        ("m", "cast", "float(x > 1)"),
        ("", "gt", "x > 1"),
        ("x", "", ""),
    ]
