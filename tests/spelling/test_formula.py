"""Formulas of nodes: what they say is what was computed, and they say it as a user would."""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np
import pytest

from gradcli.diagnostics import Source
from gradcli.differentiate import vjp
from gradcli.graph import CONSTANT, INPUT, Array, Node
from gradcli.language.parser import ParseLimits, parse_program
from gradcli.language.syntax import Program
from gradcli.ops import Case
from gradcli.report.arrays import brief
from gradcli.report.tree import tree
from gradcli.session import Options, Result, evaluate
from gradcli.spelling.formula import Formulas
from gradcli.walks import ancestors
from tests.ops.table_cases import all_cases, each_case, trace

MATRIX: dict[str, Array] = {"x": np.arange(6.0).reshape(2, 3)}
WITHOUT_WORDS = frozenset({"argmedian", "classes", "tril_indices", "triu_indices", "writers"})
"""Ops that the language cannot name: all give places, which a derived program spells out."""


def parse(text: str) -> Program:
    return parse_program(Source("program", text), ParseLimits())


def run(program: str, retain: tuple[str, ...] = ()) -> Result:
    inputs = MATRIX if "x" in program else {}
    options = Options(forward_only=True, seed=1, retain_grad=retain)
    return evaluate(parse(program), inputs, options=options)


def formulas(names: Mapping[Node, str], levels: int = 2) -> Formulas:
    return Formulas(names, lambda node: brief(node.known, 17), levels)


def steps(case: Case) -> dict[Node, Array]:
    """Every node of the value and the gradients of a case, and what it gives."""
    traced = trace(case)
    nodes = [traced.output]
    if traced.output.kind == "float":
        ones = traced.output.graph.constant(np.ones(traced.output.shape))
        grads = vjp([traced.output], [ones], traced.inputs)
        nodes += [grad for grad in grads if grad is not None]
    found = ancestors(nodes)
    return dict(zip(found, traced.value(*found), strict=True))


@pytest.mark.one_in(4)
@each_case(all_cases())
def test_what_is_written_of_a_step_means_the_same(name: str, case: Case) -> None:
    """A formula over the operands' names parses, and gives what the step gave."""
    values = steps(case)
    for node in values:
        if node.op in (CONSTANT, INPUT) or node.op.unique:
            continue  # random numbers are drawn again
        operands = [each for each in node.inputs if each.op is not CONSTANT and not each.op.fields]
        written = formulas({each: f"a{i}" for i, each in enumerate(operands)}, levels=1)
        text = written.of(node, 10_000)
        if text:
            inputs = {title: values[each] for each, title in written.names.items()}
            np.testing.assert_array_equal(answer(text, inputs, node), values[node], text)
        else:
            assert node.op.name in WITHOUT_WORDS


@pytest.mark.one_in(3)
@each_case(all_cases())
def test_what_is_left_out_has_a_name_that_stands_for_it(name: str, case: Case) -> None:
    """The formula of each step over the inputs alone, and one for each name that it gives."""
    values = steps(case)
    inputs = {node: f"a{i}" for i, node in enumerate(values) if node.op is INPUT}
    for node in values:
        random = any(each.op.unique and each not in inputs for each in ancestors([node]))
        if not (random or node in inputs or node.op is CONSTANT):
            written = formulas(inputs)
            text = written.of(node, 40)
            known = {title: values[each] for each, title in written.names.items()}
            if text and not any(each.op.fields for each in written.names):  # names of tuples
                np.testing.assert_array_equal(answer(text, known, node), values[node], text)


def answer(text: str, inputs: Mapping[str, Array], node: Node) -> Array:
    """What a formula gives; several results side by side, where the node packs them so."""
    used = {title: array for title, array in inputs.items() if re.search(rf"\b{title}\b", text)}
    options = Options(forward_only=True, seed=1)
    if node.op.fields is None:
        return evaluate(parse(f"out = {text}"), used, options=options).values["out"]
    fields = [title for title, _ in node.op.fields(node.inputs[0])]
    program = "; ".join(f"{title} = ({text}).{title}" for title in fields)
    values = evaluate(parse(program), used, options=options).values
    lead = node.shape[:-1]
    return np.concatenate([values[title].reshape(*lead, -1) for title in fields], axis=-1)


@pytest.mark.parametrize(
    ("program", "text"),
    [
        ("x[0]", "x[0]"),
        ("x[1, 2]", "x[1, 2]"),
        ("x[:, 1]", "x[:, 1]"),
        ("x[-1, 0:2]", "x[1, :2]"),
        ("x[0:1]", "x[:1]"),
        ("x[[1, 0]]", "x[[1, 0]]"),
        ("x[:, [2, 0]]", "x[:, [2, 0]]"),
        ("x[0] * x[1]", "x[0] * x[1]"),
        ("(2 * x)[0]", "(2 * x)[0]"),
        ("x.mT", "x.T"),
        ("stack([x, x]).mT", "cat([reshape(x, 1, 2, 3), reshape(x, 1, 2, 3)], dim=0).mT"),
        ("permute(x[None, None], (1, 0, 3, 2))", "permute(reshape(x, 1, 1, 2, 3), 1, 0, 3, 2)"),
        ("reshape(x[:, 0:2], 4)", "reshape(x[:, :2], 4)"),
        ("float(x > 1)", "float(x > 1)"),
        ("x * (x > 1)", "x * (x > 1)"),
        ("norm(x)", "norm(x)"),
        ("tril(x)", "tril(x)"),
        ("tril(x, -1)", "tril(x, diagonal=-1)"),
        ("flip(x, (0, 1))", "flip(x, dim=(0, 1))"),
        ("arange(2, 9, 3)", "arange(2, 11, 3)"),  # as many numbers: 2, 5, 8
    ],
)
def test_formula(program: str, text: str) -> None:
    result = run(program)
    (output,) = result.outputs.values()
    names = {node: name for name, node in result.leaves.items()}
    assert formulas(names).of(output, 10_000) == text


def defined(program: str, retain: tuple[str, ...] = ()) -> list[tuple[str, str, str]]:
    shown, _ = tree(run(program, retain=retain), 6, depth=9, formula_width=60, limit=None)
    return [(line.name, line.op, line.formula) for line in shown]


def test_a_value_that_gets_no_grad_is_what_made_it() -> None:
    assert defined("w = randn(3); c = [1, 2, 3]; y = x * w * c") == [
        ("y", "mul", "x * w * c"),
        ("", "mul", "x * w"),
        ("x", "leaf", ""),
        ("w", "randn", ""),  # another call would draw other numbers
        ("c", "constant", ""),
    ]


def test_an_item_has_no_line_for_its_slice() -> None:
    assert defined("y = x[0, 1] ** 2") == [
        ("y", "pow", "x[0, 1]**2"),
        ("", "reshape", "x[0, 1]"),
        ("x", "leaf", ""),
    ]


def test_a_slice_with_a_name_keeps_its_line() -> None:
    assert defined("s = x[0:1]; y = reshape(s, 3)") == [
        ("y", "reshape", "reshape(s, 3)"),
        ("s", "slice", "x[:1]"),
        ("x", "leaf", ""),
    ]


def test_a_second_name_of_a_value_has_no_line() -> None:
    """As in Python, both names mean one tensor, which has one gradient."""
    assert defined("h = tanh(x); k = h; y = 2 * k", retain=("k",)) == [
        ("y", "mul", "2 * h"),
        ("h", "tanh", "tanh(x)"),
        ("x", "leaf", ""),
    ]


def test_an_unchanged_view_with_a_grad_of_its_own_has_a_line() -> None:
    assert defined("h = tanh(x); k = h[:]; y = 2 * k", retain=("k",)) == [
        ("y", "mul", "2 * k"),
        ("k", "bind", "h"),
        ("h", "tanh", "tanh(x)"),
        ("x", "leaf", ""),
    ]


def test_a_second_name_of_one_tensor_has_none() -> None:
    assert defined("h = tanh(x); k = h; y = 2 * k", retain=("k",)) == [
        ("y", "mul", "2 * h"),
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


def test_a_long_name_has_a_short_one_which_its_line_explains() -> None:
    long = "a_name_of_more_than_two_dozen_letters"
    result = run(f"{long} = 2 * x; t1 = {long} * exp({long}); y = sum(t1)")
    shown, _ = tree(result, 6, depth=9, formula_width=60, limit=None)
    lines = [(line.name, line.formula, line.called, line.place) for line in shown]
    assert lines == [
        ("y", "sum(t1)", "", "here"),
        ("t1", "t2 * exp(t2)", "", "here"),
        ("t2", "2 * x", long, "here"),
        ("x", "", "", "here"),
        ("", "exp(t2)", "", "here"),
        ("t2", "", "", "above"),
    ]
