"""Which name is offered for one that is not known."""

from __future__ import annotations

import pytest

from gradcli.diagnostics import nearest
from gradcli.ops import FUNCTIONS


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("sinn", "sin"), ("coss", "cos"), ("relun", "relu"), ("meann", "mean"), ("summ", "sum"),
     ("tahn", "tanh"), ("sigmod", "sigmoid"), ("sofmax", "softmax")],
)  # fmt: skip
def test_a_name_that_was_typed_whole_comes_first(typed: str, meant: str) -> None:
    assert nearest(typed, FUNCTIONS) == meant


@pytest.mark.parametrize(
    ("typed", "meant"), [("sqr", "sqrt"), ("matmu", "matmul"), ("log_softma", "log_softmax")]
)
def test_a_name_that_was_not_typed_to_its_end_comes_first(typed: str, meant: str) -> None:
    assert nearest(typed, [*FUNCTIONS, "str"]) == meant


def test_of_others_the_closest_is_offered() -> None:
    assert nearest("aab", ["aba", "aabcd"]) == "aba"
    assert nearest("xyz", ["abc"]) is None
