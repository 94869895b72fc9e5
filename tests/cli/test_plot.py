"""`gradcli plot`: what is drawn against functions whose derivatives are known by hand."""

from __future__ import annotations

import csv
import io
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from gradcli.analysis.curve import Moving, curve
from gradcli.analysis.progress import Progress
from gradcli.diagnostics import Source
from gradcli.language.parser import ParseLimits, parse_program
from gradcli.options import Options
from gradcli.report.plot import range_of, tick_texts, ticks
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
    assert line.get("points") == "100.0,30.0 260.0,85.0 420.0,140.0 580.0,195.0 740.0,250.0"


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
    ends = [row.rindex(row.rstrip()[-1]) for row in rows if re.split("[│┤]", row)[1].strip()]
    assert ends[0] == max(ends)  # highest at the right edge
    assert below.startswith("dout/dx\n")
    assert re.search(r"\n +-2 +-1 +0 +1 +2\n +x$", below.rstrip())


def test_a_pole_does_not_flatten_the_rest(gradcli: Runner) -> None:
    out = gradcli("plot", "1/x", "--over", "x=-1:1", "--points", "400").out
    highest = max(float(each) for each in re.findall(r"([-\d.]+) ┤", out.partition("\n\n")[0]))
    assert 1 < highest < 100  # 1/x itself reaches 400


def test_svg_breaks_where_there_is_no_value(gradcli: Runner) -> None:
    out = gradcli("plot", "sqrt(x*x - 1)", "--over", "x=-2:2", "--format", "svg").out
    lines = list(ElementTree.fromstring(out).iter(f"{SPACE}polyline"))
    assert len(lines) == 4  # two pieces in each panel
    (first, *_), (last, *_) = (line.get("points", "").split() for line in lines[:2])
    assert float(first.split(",")[0]) < float(last.split(",")[0])


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("program", "ends", "breaks"),
    [
        ("abs(x - 0.3)", "-1:1", [(0.3, "kink")]),
        ("relu(x) + relu(x - 1)", "-2:2", [(0, "kink"), (1, "kink")]),
        ("1/x", "-1:1", [(0, "pole")]),
        ("1/(x - 0.7)**2", "-1:1", [(0.7, "pole")]),
        ("tan(x)", "-2:2", [(-np.pi / 2, "pole"), (np.pi / 2, "pole")]),
        ("floor(x)", "-0.5:1.5", [(0, "jump"), (1, "jump")]),
        ("sqrt(x)", "-1:1", [(0, "end")]),
        ("sin(x)/x", "-1:1", [(0, "hole")]),
        ("sin(x)*x", "-3:6", []),
        ("exp(-((x - 0.3)/0.01)**2)", "-1:1", []),
        ("tanh(100*x)", "-1:1", []),
    ],
)
def test_where_a_curve_is_not_smooth(
    gradcli: Runner, program: str, ends: str, breaks: list[tuple[float, str]]
) -> None:
    answer = gradcli("plot", program, "--over", f"x={ends}", "--format", "json").json
    found = [(each["at"], each["kind"]) for each in answer["breaks"]]
    assert [kind for _, kind in found] == [kind for _, kind in breaks]
    np.testing.assert_allclose([at for at, _ in found], [at for at, _ in breaks], atol=1e-9)


def test_narrow_features_are_found(gradcli: Runner) -> None:
    """A peak a fifth as wide as the distance of two points, between two of them."""
    program = "exp(-((x - 0.3337)/0.002)**2)"
    answer = gradcli("plot", program, "--over", "x=-1:1", "--format", "json").json
    assert max(answer["values"]) > 0.9
    assert answer["points"] == sorted(answer["points"])
    fixed = gradcli("plot", program, "--over", "x=-1:1", "--points", "201", "--format", "json")
    assert max(fixed.json["values"]) < 0.5


PEAK = "exp(-((x - 0.3217)/0.002)**2)"


@pytest.mark.one_in(8)
@pytest.mark.parametrize(
    ("program", "height"),
    [
        (PEAK, 1.0),
        (f"sin(x) + {PEAK}", np.sin(0.3217) + 1),
        (f"0.01*x + 5*{PEAK}", 5 + 0.003217),
        (f"x**2/100 - {PEAK}", 0.3217**2 / 100 - 1),
    ],
)
@pytest.mark.parametrize("ends", ["-10:10", "10:-10"])
def test_narrow_peaks_are_drawn_to_their_height(
    gradcli: Runner, program: str, height: float, ends: str
) -> None:
    """A peak 5000 times as narrow as the range; APART of the range is left at most."""
    answer = gradcli("plot", program, "--over", f"x={ends}", "--format", "json").json
    values = np.array(answer["values"])
    assert min(abs(values - height)) < 0.005 * (values.max() - values.min())
    rises = np.sign(np.diff(answer["points"]))
    assert set(rises) == {1 if ends[0] == "-" else -1}
    drawn = gradcli("plot", program, "--over", f"x={ends}", "--format", "svg").out
    heights = [float(y) for y in re.findall(r"[\d.]+,([\d.]+)", drawn.partition("dout")[0])]
    assert (max if height < 0 else min)(heights) == (250 if height < 0 else 30)
    rows = gradcli("plot", program, "--over", f"x={ends}").out.split("\n")
    row = rows[9] if height < 0 else rows[1]
    assert row.partition("│")[2].strip() or row.partition("┤")[2].strip()


def test_lines_reach_the_border_beside_a_pole(gradcli: Runner) -> None:
    out = gradcli("plot", "tan(x)", "--over", "x=-2:2", "--format", "svg").out
    left, middle, right = list(ElementTree.fromstring(out).iter(f"{SPACE}polyline"))[:3]
    ends = [each.get("points", "").split() for each in (left, middle, right)]
    heights = [float(pair.split(",")[1]) for each in ends for pair in (each[0], each[-1])]
    assert heights[1:5] == [30, 250, 30, 250]


def test_a_point_at_a_jump_is_joined_to_neither_side(gradcli: Runner) -> None:
    out = gradcli("plot", "abs(x) - floor(x)", "--over", "x=-1:1", "--format", "svg").out
    for each in ElementTree.fromstring(out).iter(f"{SPACE}polyline"):
        pairs = [pair.split(",") for pair in each.get("points", "").split()]
        across, down = (np.array(column, float) for column in zip(*pairs, strict=True))
        assert np.all(np.abs(np.diff(down)) <= 2 * np.abs(np.diff(across)) + 0.2)


def test_no_line_runs_through_a_pole_or_a_jump(gradcli: Runner) -> None:
    for program in ("1/(x - 0.001)", "floor(x)"):
        out = gradcli("plot", program, "--over", "x=-0.7:0.9", "--format", "svg").out
        drawn = ElementTree.fromstring(out)
        middle = 100 + 640 * (0.701 if program[0] == "1" else 0.7) / 1.6
        for each in drawn.iter(f"{SPACE}polyline"):
            across = [float(pair.split(",")[0]) for pair in each.get("points", "").split()]
            assert max(across) <= middle + 0.1 or min(across) >= middle - 0.1
        assert [
            each for each in drawn.iter(f"{SPACE}line") if each.get("class") in ("pole", "jump")
        ]


def test_kinks_are_marked_and_zero_has_a_line(gradcli: Runner) -> None:
    out = gradcli("plot", "abs(x) - 0.5", "--over", "x=-1:1", "--format", "svg").out
    drawn = ElementTree.fromstring(out)
    (ring,) = drawn.iter(f"{SPACE}circle")
    assert float(ring.get("cx", "")) == 420
    assert float(ring.get("cy", "")) == 250
    zeros = [each for each in drawn.iter(f"{SPACE}line") if each.get("class") == "zero"]
    assert len(zeros) == 2
    assert "out has a kink at x = 0" in out
    titles = [(each.text, each.get("fill")) for each in drawn.iter(f"{SPACE}tspan")]
    lines = [each.get("stroke") for each in drawn.iter(f"{SPACE}polyline")]
    assert titles == [("out", lines[0]), ("dout/dx", lines[-1])]
    text = gradcli("plot", "abs(x) - 0.5", "--over", "x=-1:1").out
    assert text.endswith("out has a kink at x = 0\n")


@pytest.mark.parametrize(
    ("low", "high", "found"),
    [
        (-1, 1, [-1, -0.5, 0, 0.5, 1]),
        (0, 7, [0, 2, 4, 6]),
        (-19.3, 18.2, [-10, 0, 10]),
        (0.001, 0.0042, [0.001, 0.002, 0.003, 0.004]),
        (-1e308, 1e308, [-1e308, -5e307, 0, 5e307, 1e308]),
    ],
)
def test_ticks_are_round(low: float, high: float, found: list[float]) -> None:
    assert ticks(low, high) == found


@pytest.mark.parametrize(
    ("low", "high"), [(-1, 1), (1e12, 1e12 + 2e6), (1e6, 1e6 + 1), (0, 1e9), (-1e-9, 1e-9), (2, 2)]
)
def test_numbers_beside_ticks_are_those_of_the_ticks(low: float, high: float) -> None:
    texts = tick_texts(ticks(low, high))
    assert [float(text) for text in texts] == ticks(low, high)
    assert max(map(len, texts)) <= 12


def test_no_arrow_stands_where_there_is_no_value(gradcli: Runner) -> None:
    """log(x*y) is NaN in two of the quadrants, and its derivative 1/x is not."""
    drawn = gradcli(
        "plot", "log(x*y)", "--over", "x=-1:1", "--over", "y=-1:1", "--format", "svg"
    ).out  # fmt: skip
    assert 'viewBox="0 0 700 580"' in drawn
    ways = re.findall(r'd="M([\d.]+),([\d.]+)L([\d.]+),([\d.]+)', drawn)
    assert len(ways) > 50
    for x, y, to_x, to_y in (map(float, way) for way in ways):
        assert ((x + to_x) / 2 > 80 + 240) == ((y + to_y) / 2 < 30 + 240)


def test_several_curves(gradcli: Runner) -> None:
    answer = gradcli(
        "plot", "a = x**2; b = 3*x", "-o", "a", "-o", "b", "--with", "c = x**3", "--over", "x=0:2",
        "--points", "3", "--format", "json",
    )  # fmt: skip
    assert answer.code != 0  # the other program has neither a nor b
    pair = gradcli(
        "plot", "a = x**2; b = 3*x", "-o", "a", "-o", "b", "--over", "x=0:2", "--points", "3",
        "--format", "json",
    ).json  # fmt: skip
    assert [(each["output"], each["derivative"]) for each in pair["curves"]] == [
        ("a", [0, 2, 4]), ("b", [3, 3, 3]),
    ]  # fmt: skip
    rows = gradcli("plot", "x**2", "--with", "x**3", "--over", "x=0:2", "--points", "3",
                   "--format", "csv").out.splitlines()  # fmt: skip
    assert rows[0] == "curve,x,value,derivative"
    assert rows[3] == "out_1,2.0,4.0,4.0"
    assert rows[6] == "out_2,2.0,8.0,12.0"


def test_each_of_several_curves_is_told(gradcli: Runner) -> None:
    """By its name where it ends, and by its program where names are the same."""
    both = ("plot", "x**2", "--with", "-x  # <b>", "--over", "x=0:2")
    above, _ = gradcli(*both).out.split("\n\n")
    _, *rows = above.splitlines()
    assert rows[0].endswith(" out_1")
    assert rows[-1].endswith(" out_2")
    assert gradcli(*both).out.endswith("\nout_1: x**2\nout_2: -x  # <b>\n")
    drawn = gradcli(*both, "--format", "svg").out
    told = [each.text for each in ElementTree.fromstring(drawn).iter(f"{SPACE}text")]
    assert told[-2:] == ["out_1: x**2", "out_2: -x  # <b>"]


def test_a_pole_cuts_only_the_end_that_it_reaches(gradcli: Runner) -> None:
    """The gamma function, all of whose values are above 0.2, has no room of 0.2 below the rest."""
    drawn = gradcli("plot", "exp(lgamma(x))", "--over", "x=-4:4", "--format", "svg").out
    pieces = re.findall(r'<polyline points="([^"]*)"', drawn.partition("dout")[0])
    assert len(pieces) == 5  # one between each two poles, and one on the right
    lowest = max(float(y) for piece in pieces for y in re.findall(r",([\d.]+)", piece))
    assert lowest == 250  # its minimum, at -3.64, is the lower end of the panel
    values = np.array([0.0, 1, 2, 3, 4, 1e9])
    assert range_of(values, values[:5])[0] == 0
    assert range_of(-values, -values[:5])[1] == 0


def test_no_slope_is_drawn_where_there_is_no_value(gradcli: Runner) -> None:
    """Of log, as in PyTorch, backward gives 1/x below 0, too."""
    arguments = ("plot", "log(x)", "--over", "x=-1:1")
    assert gradcli(*arguments, "--format", "json").json["derivative"][0] == -1
    drawn = gradcli(*arguments, "--format", "svg").out.partition("dout")[2]
    assert min(float(x) for x in re.findall(r'points="([\d.]+)', drawn)) > 420


def test_the_scale_of_a_map_tells_what_it_leaves_out(gradcli: Runner) -> None:
    ends = ("--over", "x=-2:2", "--over", "y=-2:2", "--format", "svg")
    assert ">≤ -" in gradcli("plot", "1/(x*y)", *ends).out
    assert "≥" not in gradcli("plot", "x*y", *ends).out


def test_an_element_moves(gradcli: Runner) -> None:
    answer = gradcli(
        "plot", "sum(w**3)", "--over", "w[0, 1]=0:2", "-s", "w=[[1,5]]", "--points", "3",
        "--format", "json",
    ).json  # fmt: skip
    assert answer["variable"] == "w[0, 1]"
    assert answer["values"] == [1, 2, 9]
    assert answer["derivative"] == [0, 3, 12]


@pytest.mark.parametrize(
    ("program", "over", "values", "derivative"),
    [
        ("x = 3; y = x**2", "x=-1:1", [1, 0, 1], [-2, 0, 2]),
        ("w = [[1, 5]]; sum(w**3)", "w[0, 1]=0:2", [1, 2, 9], [0, 3, 12]),
        ("a = 2; x = 3; y = a * x", "x=0:2", [0, 2, 4], [2, 2, 2]),
        ("x = 3; a = x; x = 5; y = a * x", "x=0:2", [0, 5, 10], [5, 5, 5]),
    ],
)
def test_a_number_of_the_program_moves(
    gradcli: Runner, program: str, over: str, values: list[float], derivative: list[float]
) -> None:
    """What the program says of it is where it was."""
    answer = gradcli("plot", program, "--over", over, "--points", "3", "--format", "json").json
    assert answer["values"] == values
    assert answer["derivative"] == derivative


@pytest.mark.parametrize(
    ("program", "derivative"),
    [("x = x**2; 3 * x", [0, 6, 12]), ("a = x; x = 2 * x; y = a * x", [0, 4, 8])],
)
def test_an_input_that_is_bound_again_moves(
    gradcli: Runner, program: str, derivative: list[float]
) -> None:
    """What is differentiated by is the input, not what its name stands for at the end."""
    found = gradcli("plot", program, "--over", "x=0:2", "--points", "3", "--format", "json").json
    assert found["derivative"] == derivative
    over = ("--over", "x=0:2", "--over", "b=1:2", "--points", "3", "--format", "json")
    both = gradcli("plot", program + " * b", *over).json
    assert both["derivatives"][0][0] == derivative


def test_numbers_of_the_program_move_in_a_map(gradcli: Runner) -> None:
    ends = ("--over", "x=-1:1", "--over", "w=0:2", "--points", "2", "--format", "csv")
    rows = gradcli("plot", "x = 1; w = 2; y = x * w", *ends).out.splitlines()
    found = [[float(each) for each in row.split(",")] for row in rows[1:]]
    assert found == [[x, w, x * w, w, x] for w in (0, 2) for x in (-1, 1)]


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("x", "--over", "x=1"), "usage"),
        (("x", "--over", "x=0:inf"), "usage"),
        (("x", "--over", "x=0:1:2"), "usage"),
        (("x", "--over", "x=0:1", "-s", "x=2"), "usage"),
        (("sum(w)", "--over", "w[0]=0:1"), "usage"),
        (("sum(w)", "--over", "w[a]=0:1", "-s", "w=1,2"), "usage"),
        (("sum(w)", "--over", "w[2]=0:1", "-s", "w=1,2"), "index"),
        (("x", "--over", "x=@one.csv:7"), "usage"),
        (("x", "--over", "x=@-:7"), "usage"),
        (("x; backward(x)", "--over", "x=0:1"), "usage"),
        (("x*[1,2]", "--over", "x=0:1"), "gradient-required"),
        (("y = x", "--over", "z=0:1"), "name"),
        (("x = [1, 2]; sum(x**2)", "--over", "x=0:1"), "usage"),
        (("x = [1, 2]; sum(x**2)", "--over", "x[2]=0:1"), "index"),
        (("a = 2; x = 3 * a; x**2", "--over", "x=0:1"), "usage"),
        (("x = 3; x = 4; x**2", "--over", "x=0:1"), "usage"),
        (("x, y = 3, 4; x**2", "--over", "x=0:1"), "usage"),
        (("x = 3", "--over", "x=0:1"), "usage"),
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


FIELD = ("y = x**2 - 3*w[0]", "--over", "x=-2:2", "--over", "w[0]=0:1", "-s", "w=5,6", "--points")


def test_a_map_over_two_numbers(gradcli: Runner) -> None:
    answer = gradcli("plot", *FIELD, "3", "--format", "json").json
    assert answer["variables"] == ["x", "w[0]"]
    assert answer["points"] == [[-2, 0, 2], [0, 0.5, 1]]
    assert answer["values"] == [[4, 0, 4], [2.5, -1.5, 2.5], [1, -3, 1]]
    assert answer["derivatives"] == [[[-4, 0, 4]] * 3, [[-3, -3, -3]] * 3]
    rows = gradcli("plot", *FIELD, "3", "--format", "csv").out.splitlines()
    assert rows[0] == "x,w[0],y,dy/dx,dy/dw[0]"
    assert rows[9] == "2.0,1.0,1.0,4.0,-3.0"


def test_arrows_follow_the_gradient(gradcli: Runner) -> None:
    """Right of the middle they point to the right and down, and all stay in the picture."""
    drawn = ElementTree.fromstring(gradcli("plot", *FIELD, "9", "--format", "svg").out)
    cells = [each for each in drawn.iter(f"{SPACE}rect") if each.get("class") == "cell"]
    assert len(cells) == 81
    arrows = [each.get("d", "") for each in drawn.iter(f"{SPACE}path")]
    assert len(arrows) == 81
    for arrow in arrows:
        x, y, to_x, to_y = (float(each) for each in re.findall(r"-?[\d.]+", arrow)[:4])
        assert to_y > y
        assert (to_x > x) == (x > 320) or abs(to_x - x) < 0.2
        assert 80 <= min(x, to_x) <= max(x, to_x) <= 560


def test_a_map_as_text(gradcli: Runner) -> None:
    lines = gradcli("plot", "x + y", "--over", "x=0:1", "--over", "y=0:1", "--points", "3").out
    assert lines.splitlines()[1:4] == ["        1 +#@", "      0.5 -+#", "        0 .-+"]


@pytest.mark.parametrize("more", [(), ("--over", "y=0:1")])
def test_pixels(tmp_path: Path, more: tuple[str, ...]) -> None:
    pytest.importorskip("cairosvg", reason="needs the extra `png`")
    command = [sys.executable, "-m", "gradcli", "plot", "x + y", "--over", "x=0:1", *more]
    command += [] if more else ["-s", "y=1"]
    made = subprocess.run([*command, "--format", "png"], check=True, capture_output=True)
    assert made.stdout.startswith(b"\x89PNG\r\n")


def test_pixels_need_an_extra(gradcli: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cairosvg", None)
    answer = gradcli("plot", "x", "--over", "x=0:1", "--format", "png")
    assert answer.code == 2
    assert "pip install 'gradcli[png]'" in answer.err


@pytest.mark.parametrize(
    "arguments",
    [
        ("x", "--over", "x=0:1", "--over", "x=0:2"),
        ("x*y*z", "--over", "x=0:1", "--over", "y=0:2", "--over", "z=0:1"),
        ("x*y", "--over", "x=0:1", "--over", "y=0:2", "--points", "1000"),
        ("x*y", "--over", "x=0:1", "--over", "y=0:2", "--with", "x"),
    ],
)
def test_maps_that_cannot_be_drawn(gradcli: Runner, arguments: tuple[str, ...]) -> None:
    answer = gradcli("plot", *arguments)
    assert answer.code == 2
    assert answer.err.startswith("error[usage]")


def test_a_kink_below_a_range_that_a_pole_cuts_is_marked(gradcli: Runner) -> None:
    """The curve has its least value on the left of the pole at the kink: -1/3."""
    answer = gradcli("plot", "1/(x-1) + abs(x+2)", "--over", "x=-4:4", "--format", "svg")
    assert answer.out.count('class="kink"') == 1


@pytest.mark.parametrize("program", ["sin(x)*x", "abs(x - 0.3) + 1/x", "exp(-(1000*(x - 0.1))**2)"])
def test_a_curve_tells_of_one_work_that_never_goes_back(program: str) -> None:
    """Also where points are looked at between the given ones, and near kinks."""
    told: list[tuple[str, float]] = []
    text = parse_program(Source("program", program), ParseLimits())
    places = np.linspace(-1, 1, 51)
    for more in (True, False):
        told.clear()
        curve(
            text, {}, Moving("x"), places, (), Options(), lambda *each: told.append(each), more=more
        )
        parts = [part for _, part in told]
        assert len({what for what, _ in told}) == 1
        assert parts == sorted(parts)
        assert 0 < parts[0] < 0.1
        assert parts[-1] <= 1


def _appending(told: list[tuple[str, float]]) -> Progress:
    return lambda what, part: told.append((what, part))
