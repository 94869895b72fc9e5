"""`gradcli plot`: what is drawn against functions whose derivatives are known by hand."""

from __future__ import annotations

import csv
import io
import re
from xml.etree import ElementTree

import numpy as np
import pytest

from tests.cli.conftest import Runner

SPACE = "{http://www.w3.org/2000/svg}"


def test_values_and_derivative(gradcli: Runner) -> None:
    answer = gradcli("plot", "sin(x)*x", "--over", "x=-pi:2*pi", "--format", "json").json
    x = np.linspace(-np.pi, 2 * np.pi, 201)
    assert (answer["variable"], answer["output"]) == ("x", "out")
    np.testing.assert_allclose(answer["points"], x, rtol=1e-15)
    np.testing.assert_allclose(answer["values"], np.sin(x) * x, rtol=1e-14, atol=1e-14)
    np.testing.assert_allclose(
        answer["derivative"], np.cos(x) * x + np.sin(x), rtol=1e-14, atol=1e-14
    )


def test_csv(gradcli: Runner) -> None:
    out = gradcli("plot", "y = t**2", "--over", "t=0:2", "--points", "3", "--format", "csv").out
    assert list(csv.reader(io.StringIO(out))) == [
        ["t", "y", "dy/dt"],
        ["0.0", "0.0", "0.0"],
        ["1.0", "1.0", "2.0"],
        ["2.0", "4.0", "4.0"],
    ]


def test_a_range_wider_than_the_largest_number(gradcli: Runner) -> None:
    """Its width is infinite; its points, each half the way between its neighbours, are not."""
    answer = gradcli(
        "plot", "x/2", "--over", "x=1e308:-1e308", "--points", "5", "--format", "json"
    )  # fmt: skip
    assert answer.err == ""
    assert answer.json["points"] == [1e308, 5e307, 0.0, -5e307, -1e308]
    assert answer.json["values"] == [5e307, 2.5e307, 0.0, -2.5e307, -5e307]
    drawn = gradcli("plot", "x/2", "--over", "x=1e308:-1e308", "--points", "5", "--format", "svg")
    line = next(ElementTree.fromstring(drawn.out).iter(f"{SPACE}polyline"))
    assert line.get("points") == "80.0,30.0 240.0,85.0 400.0,140.0 560.0,195.0 720.0,250.0"


def test_other_inputs_and_a_gradient(gradcli: Runner) -> None:
    answer = gradcli(
        "plot", "y = a*x**2", "--over", "a=1:2", "-s", "x=1,2", "-g", "1,10", "--points", "2",
        "--format", "json",
    ).json  # fmt: skip
    assert answer["values"] == [41.0, 82.0]
    assert answer["derivative"] == [41.0, 41.0]


def test_text_rises_where_the_function_does(gradcli: Runner) -> None:
    above, below = gradcli("plot", "x**2 / 2", "--over", "x=-2:2").out.split("\n\n")
    title, *rows = above.split("\n")
    assert title == "out"
    ends = [row.rindex(row.rstrip()[-1]) for row in rows if row.split("│")[1].strip()]
    assert ends[0] == max(ends)  # highest at the right edge
    assert below.startswith("dout/dx\n")
    assert re.search(r"-2 +x +2$", below.rstrip())


def test_a_pole_does_not_flatten_the_rest(gradcli: Runner) -> None:
    out = gradcli("plot", "1/x", "--over", "x=-1:1", "--points", "400").out
    highest = float(out.split("\n")[1].split("│")[0])
    assert 1 < highest < 100  # 1/x itself reaches 400


def test_svg_breaks_where_there_is_no_value(gradcli: Runner) -> None:
    out = gradcli("plot", "sqrt(x*x - 1)", "--over", "x=-2:2", "--format", "svg").out
    lines = list(ElementTree.fromstring(out).iter(f"{SPACE}polyline"))
    assert len(lines) == 4  # two pieces in each panel
    (first, *_), (last, *_) = (line.get("points", "").split() for line in lines[:2])
    assert float(first.split(",")[0]) < float(last.split(",")[0])


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("x", "--over", "x=1"), "usage"),
        (("x", "--over", "x=0:inf"), "usage"),
        (("x", "--over", "x=0:1:2"), "usage"),
        (("x", "--over", "x=0:1", "-s", "x=2"), "usage"),
        (("x", "--over", "x=@one.csv:7"), "usage"),
        (("x", "--over", "x=@-:7"), "usage"),
        (("x; backward(x)", "--over", "x=0:1"), "usage"),
        (("x*[1,2]", "--over", "x=0:1"), "gradient-required"),
        (("y = x", "--over", "z=0:1"), "name"),
    ],
)
def test_errors(gradcli: Runner, arguments: tuple[str, ...], code: str) -> None:
    answer = gradcli("plot", *arguments)
    assert answer.code in (2, 3)
    assert answer.err.startswith(f"error[{code}]")


def test_a_program_may_take_another_way_at_each_point(gradcli: Runner) -> None:
    program = "if x > 1 { y = x**2 } else { y = 3*x }; y"
    answer = gradcli(
        "plot", program, "--over", "x=0:3", "--points", "4", "--format", "json"
    ).json  # fmt: skip
    assert answer["values"] == [0.0, 3.0, 4.0, 9.0]
    assert answer["derivative"] == [3.0, 3.0, 4.0, 6.0]
