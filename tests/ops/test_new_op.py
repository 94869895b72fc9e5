"""An elementwise op is one entry: this one is registered, and everything else follows."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from gradcli.diagnostics import GradcliError, Source
from gradcli.differentiate import jvp
from gradcli.graph import Node
from gradcli.language.parser import ParseLimits, parse_program
from gradcli.ops import FUNCTIONS, Function
from gradcli.ops.elementwise import elementwise
from gradcli.ops.table import TABLE
from gradcli.session import evaluate
from gradcli.trace.arguments import signature
from tests.ops import test_derivatives
from tests.ops.table_cases import Traced, trace

X = np.array([0.5, -1.0, 2.0])


@pytest.fixture
def cubed() -> Iterator[Function]:
    yield elementwise(
        "cubed",
        "x times its square.",
        lambda xp, x: x * x * x,
        lambda y, x: 3 * x * x,
        group="powers",
        aliases=("third_power",),
        cuda="{0} * {0} * {0}",
        latex="{0}^3",
        formula="x**3",
    )
    del TABLE["cubed"], TABLE["third_power"]


@pytest.mark.parametrize("call", ["cubed(x)", "x.cubed()", "third_power(x=x)"])
def test_value_and_gradient(cubed: Function, call: str) -> None:
    program = parse_program(Source("program", f"sum({call})"), ParseLimits())
    result = evaluate(program, {"x": X})
    np.testing.assert_allclose(result.values["out"], 0.125 - 1 + 8)
    np.testing.assert_allclose(result.grads["x"], [0.75, 3, 12])


def test_a_library_has_it_only_by_its_own_name(cubed: Function) -> None:
    program = parse_program(Source("program", "torch.cubed(x)"), ParseLimits())
    with pytest.raises(GradcliError, match=r"there is no function 'torch\.cubed'"):
        evaluate(program, {"x": X})


def test_forward_mode(cubed: Function) -> None:
    traced: Traced = trace(cubed.cases[0])
    (leaf,) = traced.inputs
    (tangent,) = jvp([traced.output], [leaf], [traced.output.graph.constant(np.ones(leaf.shape))])
    assert isinstance(tangent, Node)
    np.testing.assert_allclose(traced.value(tangent)[0], 3 * traced.feeds[leaf] ** 2)


def test_the_tests_made_from_the_table(cubed: Function) -> None:
    for case in cubed.cases:
        test_derivatives.test_first_order(cubed.name, case)
        test_derivatives.test_second_order(cubed.name, case)
        test_derivatives.test_forward_mode_agrees_with_reverse_mode(cubed.name, case)


def test_documentation(cubed: Function) -> None:
    assert [p.name for p in cubed.parameters] == ["x"]
    assert signature(cubed) == "cubed(x)"
    assert (cubed.doc, cubed.formula) == ("x times its square.", "x**3")


def test_listing(cubed: Function) -> None:
    assert FUNCTIONS["cubed"] is FUNCTIONS["third_power"] is cubed
    assert cubed in [each for each in FUNCTIONS.values() if each.group == "powers"]
