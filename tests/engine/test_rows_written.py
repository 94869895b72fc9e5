"""Large tensors that are filled row by row: what is written is what it costs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from gradcli.diagnostics import Source
from gradcli.engine.cpu import compute
from gradcli.engine.device import traced
from gradcli.graph import Graph
from gradcli.language.parser import ParseLimits, parse_program
from gradcli.ops.writing import PUT
from gradcli.session import Limits, Options, Prepared, prepare
from gradcli.walks import ancestors
from tests.ops.table_cases import all_cases, trace

ROWS = 40
PLACES: dict[str, Callable[[int], Any]] = {
    "y[i] = i": lambda i: i,
    "y[:, i] = i": lambda i: np.s_[:, i],
    "y[i, ::2, 1:] = i": lambda i: np.s_[i, ::2, 1:],
    "y[i, -1, i] += i": lambda i: np.s_[i, -1, i],
    "y[i][2:5][1] = i": lambda i: np.s_[i, 3],
    "y[:, :, i].T[i] = i": lambda i: np.s_[:, i, i],
}


def _ready(program: str, memory: int = 0) -> Prepared:
    parsed = parse_program(Source("program", program), ParseLimits())
    return prepare(parsed, {}, (), Options(limits=Limits(memory=memory)))


@pytest.mark.parametrize("written", PLACES)
def test_what_is_written(written: str) -> None:
    """NumPy, which changes arrays in place, is what it is held to."""
    expected = np.zeros((ROWS, 64, 40))
    for i in range(ROWS):
        expected[PLACES[written](i)] = i
    text = (
        f"import torch\ny = torch.zeros({ROWS}, 64, 40)\nfor i in range({ROWS}):\n    {written}\n"
    )
    ready = _ready(f"{text}z = y * 1\n", 2**24)
    assert ready.engine.plan.overwrites()
    values = ready.run({}).values
    np.testing.assert_array_equal(values["y"], expected)
    np.testing.assert_array_equal(values["z"], expected)


def test_thousands_of_rows_fit() -> None:
    ready = _ready(
        "import torch\ny = torch.zeros(3000, 64, 64)\nx = torch.ones(64, 64)\n"
        "for i in range(3000):\n    y[i] = x * i\nprint(y.sum(), y[2999, 63, 63])\n",
        2**29,
    )
    assert ready.run({}).printed == ["tensor(1.8426e+10) tensor(2999.)"]


def test_what_is_read_later_stays() -> None:
    ready = _ready(
        "y = zeros(300, 300)\ny[0] = 1.0\na = y.clone()\nb = y[0:2] * 1\ny[1] = 2.0\n"
        "c = y.sum(1)\ny[2] = 3.0"
    )
    values = ready.run({}).values
    sums = [float(values[name].sum()) for name in "abcy"]
    assert sums == [300.0, 300.0, 900.0, 1800.0]


def test_values_lie_apart() -> None:
    """What is not said to be a view has memory of its own: its operand may be overwritten."""
    for _, case in all_cases():
        case_traced = trace(case)
        nodes = [each for each in ancestors([case_traced.output]) if each.inputs]
        inputs = [*dict.fromkeys(each for node in nodes for each in node.inputs)]
        values = dict(zip(inputs, case_traced.value(*inputs), strict=True))
        for node in nodes:
            operands = [np.array(values[each]) for each in node.inputs]
            value = compute(node, operands)
            apart = operands[1:] if node.op.view else operands
            assert not any(np.shares_memory(value, each) for each in apart), (case, node)


def test_a_put_of_an_operand_that_dies_is_made_in_it() -> None:
    x, places, values = np.zeros(6), np.array([1, 4]), np.array([2.0, 3.0])
    assert PUT.over_first is not None
    assert PUT.over_first(np, x, places, values) is x
    np.testing.assert_array_equal(x, [0, 2, 0, 0, 3, 0])


def test_what_is_computed_once_stays() -> None:
    """Constants are folded: what one run wrote into them the next one would find."""
    graph = Graph()
    given = graph.input("x", (1,), "float")
    y = graph.constant(np.zeros(400))
    for place, value in enumerate((graph.constant(np.ones(1)), graph.constant(np.ones(1)), given)):
        y = graph.apply(PUT, (y, graph.constant(np.full(1, place)), value))
    ready = traced([y])
    (first,), (second,) = (ready.run({given: np.full(1, value)}) for value in (3.0, 5.0))
    assert [first[2], second[2]] == [3.0, 5.0]
