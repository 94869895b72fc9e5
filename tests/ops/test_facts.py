"""What entries may state: one list for the type checker, one with defaults and explanations."""

from __future__ import annotations

import ast
import inspect
from types import ModuleType

import pytest

from gradcli import graph
from gradcli.graph import Op
from gradcli.ops import FUNCTIONS, Case, table
from gradcli.ops.table import Function
from gradcli.trace.arguments import CONVERSIONS
from tests.ops.table_cases import all_cases, case_id, trace


def _fields(module: ModuleType, name: str) -> set[str]:
    """The fields of a class that is there for type checkers alone."""
    tree = ast.parse(inspect.getsource(module))
    classes = [each for each in ast.walk(tree) if isinstance(each, ast.ClassDef)]
    (found,) = [each for each in classes if each.name == name]
    stated = [each.target for each in found.body if isinstance(each, ast.AnnAssign)]
    return {each.id for each in stated if isinstance(each, ast.Name)}


def test_every_fact_is_an_attribute_with_a_default() -> None:
    facts = _fields(graph, "Facts")
    assert facts == Op.__annotations__.keys() - {"name"}
    assert all(hasattr(Op, fact) for fact in facts)


def test_an_unknown_name_imports_nothing_again(monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(FUNCTIONS) > 430  # all modules
    monkeypatch.setattr("gradcli.ops.import_module", None)
    assert "nothing" not in FUNCTIONS


def test_a_call_converts_every_parameter() -> None:
    """By the text of its annotation, so that modules of functions keep annotations as text."""
    made = {"Graph"}
    unknown = [
        f"{function.name}: {parameter.name}"
        for function in FUNCTIONS.values()
        for parameter in function.parameters
        if parameter.kind not in CONVERSIONS.keys() | made
    ]
    assert unknown == []


def test_what_a_function_is_told_are_its_fields() -> None:
    assert _fields(table, "Told") <= set(Function._fields)


@pytest.mark.parametrize(
    ("name", "case"),
    [(name, case) for name, case in all_cases() if getattr(FUNCTIONS[name].op, "attributes", ())],
    ids=case_id,
)
def test_attributes_have_the_names_that_are_declared(name: str, case: Case) -> None:
    node = trace(case).output
    if node.op is FUNCTIONS[name].op:
        parameters = {each.name for each in FUNCTIONS[name].parameters}
        assert len(node.op.attributes) == len(node.attributes)
        assert set(node.op.attributes) <= parameters


GRADIENTS = [FUNCTIONS[name] for name in FUNCTIONS if FUNCTIONS[name].gradients]


@pytest.mark.parametrize("function", GRADIENTS, ids=lambda function: str(function.name))
def test_textbook_gradients_are_of_parameters(function: Function) -> None:
    assert function.gradients.keys() <= {each.name for each in function.parameters}
