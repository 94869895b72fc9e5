"""A gradient that does not come back: the note names where it was lost."""

from __future__ import annotations

import numpy as np
import pytest

from gradcli.session import Options
from tests.session.programs import run

STOPS, WHOLE = "it stops gradients", "whole numbers have none"
TRUTH, STEPS = "truth values have none", "it changes in steps"


@pytest.mark.parametrize(
    ("program", "place"),
    [
        ("sum(x.detach()*2)", f"x.detach() (line 1, column 5: {STOPS})"),
        ("y = x.data\nz = 2*y\nsum(z**2)", f"x.data (line 1, column 5: {STOPS})"),
        ("a = 2*x\nsum((a > 1)*3.0)", f"a > 1 (line 2, column 6: {TRUTH})"),
        ("sum(round(3*x)*2)", f"round(3*x) (line 1, column 5: {STEPS})"),
        ("sum(x.long().float())", f"x.long() (line 1, column 5: {WHOLE})"),
        ("sum(argsort(x)*1.0)", f"argsort(x) (line 1, column 5: {WHOLE})"),
        ("f(t) = t.detach()\nsum(f(x)*sign(x))", f"8: {STOPS}), sign(x) (line 2, column 10"),
    ],
)  # fmt: skip
def test_the_place_is_named(program: str, place: str) -> None:
    result = run(program, x=[0.6, 2.3])
    (note,) = result.notes
    assert note.code == "detached"
    assert place in note.message
    assert result.grads["x"].tolist() == [0, 0]


@pytest.mark.parametrize("program", ["sum(x*x.detach())", "sum(x + round(x))", "sum(x*(x > 1))"])
def test_a_gradient_that_comes_back_another_way_is_not_lost(program: str) -> None:
    assert not run(program, x=[0.6, 2.3]).notes


def test_an_output_of_whole_numbers_names_where_they_come_from() -> None:
    (note,) = run("sum(x.int())", x=[0.6, 2.3]).notes
    assert note.code == "no-grad"
    assert f"x.int() (line 1, column 5: {WHOLE})" in note.message


def test_a_value_that_was_read_is_no_longer_a_leaf() -> None:
    (note,) = run("a = x[0]\nb = a.item()\nb*2", x=[0.6, 2.3]).notes
    assert note.message.endswith("its value was only read, at line 1, column 5")
    (note,) = run("sum(torch.tensor(x.tolist())*2)", x=[0.6, 2.3]).notes
    assert note.message.endswith("its value was only read")


def test_inputs_of_whole_numbers_are_named() -> None:
    (note,) = run("sum(2*n)", Options(), n=np.arange(3)).notes
    assert "n holds whole numbers" in note.message


def test_a_place_is_told_once() -> None:
    """Labels are compared and taken as whole numbers inside one call."""
    (note,) = run("cross_entropy(z, y)", z=[[1.0, 2.0, 3.0]], y=[2.0]).notes
    assert note.message.count("cross_entropy(z, y)") == 1
