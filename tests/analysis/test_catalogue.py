"""The description of every function: its derivative must be what runs, its example must run."""

from __future__ import annotations

import json
from itertools import pairwise

import numpy as np
import pytest

from gradcli.analysis.catalogue import describe, groups
from gradcli.diagnostics import GradcliError, Source
from gradcli.language.parser import ParseLimits, parse_program
from gradcli.language.printer import print_program
from gradcli.ops import FUNCTIONS
from gradcli.report.json import line
from gradcli.report.json_catalogue import page
from gradcli.report.text_catalogue import render_list, render_page
from gradcli.session import Options, evaluate

NAMES = sorted({function.name for function in FUNCTIONS.values()})


@pytest.mark.one_in(8)
@pytest.mark.parametrize("name", NAMES)
def test_every_function_is_described(name: str) -> None:
    """The derivative, run as a program, gives the grads of the example."""
    description = describe(name)
    example = description.example
    assert description.function.doc
    assert example is not None
    assert name in render_page(description, width=80, colour=False)
    assert json.loads(line(page(description)))["name"] == name
    if description.derivative is None or not example.inputs or example.result.seed is not None:
        return
    inputs = dict(example.inputs)
    if description.function.operands:
        assert all(array.shape == () for array in inputs.values())
    if example.gradient is not None:
        inputs["v"] = example.gradient
    text = print_program(description.derivative) + "; ".join(inputs)  # all are mentioned
    program = parse_program(Source("derivative", text), ParseLimits())
    result = evaluate(program, inputs, [], Options(forward_only=True))
    for leaf, grad in example.result.grads.items():
        np.testing.assert_allclose(result.values[f"{leaf}_grad"], grad, rtol=1e-12, atol=1e-14)


def test_groups_hold_every_function_once() -> None:
    listed = [function.name for members in groups().values() for function in members]
    assert sorted(listed) == NAMES
    assert all(before < after for before, after in pairwise(groups()))


def test_a_rule_is_shown_on_symbols() -> None:
    derivative = describe("tanh").derivative
    assert derivative is not None
    assert print_program(derivative) == "x_grad = 1 / cosh(x)**2\n"


def test_an_alias_leads_to_its_function() -> None:
    assert describe("clip").function.name == "clamp"


def test_an_unknown_function_is_an_error_with_a_guess() -> None:
    with pytest.raises(GradcliError) as caught:
        describe("tanhh")
    assert caught.value.diagnostic.code == "name"
    assert "tanh" in (caught.value.diagnostic.hint or "")


def test_the_list_folds_docs_behind_the_names() -> None:
    lines = render_list(groups(), width=60, colour=False).splitlines()
    assert "hyperbolic" in lines
    assert any(line.split() == ["tanh", "Hyperbolic", "tangent."] for line in lines)
    assert max(map(len, lines)) <= 60
    assert lines[-1] == f"{len(NAMES)} functions; gradcli ops NAME explains one"


@pytest.mark.parametrize(
    ("name", "holds"), [("tanh", True), ("softmax", True), ("mse_loss", True), ("var", False)]
)
def test_only_true_sentences_are_called_formulas(name: str, holds: bool) -> None:
    assert describe(name).formula_holds == holds
    page = render_page(describe(name), width=100, colour=False)
    assert ("\nformula " in page) == holds
    assert ("\nin words " in page) != holds
