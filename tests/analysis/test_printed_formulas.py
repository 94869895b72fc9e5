"""The formulas that a page about a function prints are true: they have the example's value, and its
gradient, which reverse mode gives; that one is held to PyTorch and to differences elsewhere.
"""

from __future__ import annotations

import re

import numpy as np
import pytest

from gradcli.analysis.catalogue import Description, describe
from gradcli.graph import Array
from gradcli.language.printer import print_expression
from gradcli.language.syntax import Assign, Call, Name
from gradcli.ops import FUNCTIONS
from gradcli.session import Gradient, Options, evaluate
from tests.analysis.programs import parse, used
from tests.analysis.told import computed, same

PAGES = [describe(name) for name in sorted({each.name for each in FUNCTIONS.values()})]
FORMULAS = [page for page in PAGES if page.formula_holds]
STATED = [page for page in PAGES if page.textbook]


def title(page: Description) -> str:
    return page.function.name


def bound(page: Description) -> tuple[dict[str, str], dict[str, str]]:
    """By parameter of the example's call the input that is passed, or the text of what else is."""
    assert page.example is not None
    (statement,) = parse(page.example.program).statements
    assert isinstance(statement, Assign)
    call = statement.value
    names = [each.name for each in page.function.parameters]
    texts = {each.name: f"{each.default!r}" for each in page.function.parameters}
    if not (isinstance(call, Call) and isinstance(call.callee, Name)):
        return {}, texts
    given = dict(zip(names, call.arguments, strict=False))
    given |= {each.name: each.value for each in call.keywords}
    places = {key: each.id for key, each in given.items() if isinstance(each, Name)}
    texts |= {key: f"{print_expression(each)}" for key, each in given.items()}
    return places, {key: text for key, text in texts.items() if key not in places}


def written(text: str, texts: dict[str, str]) -> str:
    """A formula with what is no tensor in the place of its parameters."""
    for key, value in texts.items():
        text = re.sub(rf"(?<![\w.]){key}\b(?!=[^=])(?!\()", value, text)
    return text


def arrays(page: Description, places: dict[str, str]) -> dict[str, Array]:
    assert page.example is not None
    return {key: page.example.inputs[name] for key, name in places.items()}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("page", FORMULAS, ids=title)
def test_a_formula_has_the_value_and_the_gradient_of_its_function(page: Description) -> None:
    example = page.example
    assert example is not None
    places, texts = bound(page)
    if not places or example.result.seed is not None:
        return  # a constant, or a call inside of an expression
    text = written(page.function.formula, texts)
    given = used(text, arrays(page, places))
    (value,) = (example.result.values[output] for output in example.result.outputs)
    forward = evaluate(parse(text), given, (), Options(forward_only=True, values="outputs"))
    assert same(value, np.asarray(next(iter(forward.values.values()))))
    if page.derivative is None or not given:
        return
    gradient = [] if example.gradient is None else [Gradient(example.gradient)]
    found = evaluate(parse(text), given, gradient, Options()).grads
    for key, grad in found.items():
        assert same(example.result.grads[places[key]], grad)


@pytest.mark.parametrize("page", STATED, ids=title)
def test_a_stated_gradient_is_that_of_the_example(page: Description) -> None:
    example = page.example
    assert example is not None
    places, texts = bound(page)
    cotangent = np.ones(()) if example.gradient is None else example.gradient
    (value, *_) = (example.result.values[output] for output in example.result.outputs)
    names = {**arrays(page, places), "cotangent": cotangent, "result": value}
    compared = 0
    for key, text in page.textbook.items():
        if key in places:
            found = computed(written(text, texts), names)
            assert found is not None
            assert same(example.result.grads[places[key]], found)
            compared += 1
    assert compared or not places
