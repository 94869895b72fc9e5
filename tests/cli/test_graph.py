"""`gradcli graph`: the same nodes and arrows in every format."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from xml.etree import ElementTree

import pytest

from tests.cli.conftest import Runner

PROGRAM = ("z = (2*x)**3; out = mean(z)", "--set", "x=[[1,2],[3,4]]")
FORMATS = ("tree", "dot", "mermaid", "json", "svg")


@pytest.fixture
def graph(gradcli: Runner) -> Callable[..., str]:
    """What the command prints."""

    def call(*arguments: str) -> str:
        answer = gradcli("graph", *arguments)
        assert answer.code == 0, answer.err
        return answer.out

    return call


def test_json(graph: Callable[..., str]) -> None:
    nodes = json.loads(graph(*PROGRAM, "--format", "json"))["nodes"]
    assert [node["op"] for node in nodes] == ["leaf", "mul", "pow", "mean"]
    x, doubled, z, out = nodes
    assert [node["inputs"] for node in nodes] == [[], [0], [1], [2]]
    assert x["grad"] == [[6.0, 24.0], [54.0, 96.0]]
    assert (x["role"], z["name"], out["role"]) == ("leaf", "z", "output")
    assert doubled["value"] == [[2.0, 4.0], [6.0, 8.0]]
    assert doubled["shape"] == [2, 2]
    assert out["value"] == 200.0


def test_intermediates_carry_their_grads(graph: Callable[..., str]) -> None:
    """By hand: of z it is 1/4 each, of 2x it is 3/4·(2x)²."""
    _, doubled, z, _ = json.loads(graph(*PROGRAM, "--format", "json"))["nodes"]
    assert z["grad"] == [[0.25, 0.25], [0.25, 0.25]]
    assert doubled["grad"] == [[3.0, 12.0], [27.0, 48.0]]


def test_grads_of_intermediates_add_up_where_passes_do(graph: Callable[..., str]) -> None:
    arguments = ("y = 2*x; z = y*y; z", "-s", "x=1,2", "-g", "1,10", "-g", "1,1")
    nodes = json.loads(graph(*arguments, "--format", "json"))["nodes"]
    assert [node["grad"] for node in nodes if node["name"] == "y"] == [[4.0, 8.0]]


def test_arrows_do_not_run_behind_boxes(graph: Callable[..., str]) -> None:
    """Every arrow that goes straight down does so where no box is."""
    program = "a = x*y; b = x + a; c = sin(x) * b; d = a + b + c; e = x*d; f = e + a; sum(f*x)"
    drawn = ElementTree.fromstring(graph(program, "-s", "x=1,2", "-s", "y=3", "--format", "svg"))
    space = "{http://www.w3.org/2000/svg}"
    _, *rects = drawn.iter(f"{space}rect")
    boxes = [[float(box.get(key, "")) for key in ("x", "y", "width", "height")] for box in rects]
    ways = [each.get("d", "") for each in drawn.iter(f"{space}path") if each.get("fill") == "none"]
    straight = 0
    for way in ways:
        x, y = 0.0, 0.0
        for kind, numbers in re.findall(r"([MVC])([-\d., ]+)", way):
            found = [float(each) for each in re.findall(r"-?[\d.]+", numbers)]
            if kind == "V":
                straight += 1
                for left, top, width, height in boxes:
                    outside = not left + 1 < x < left + width - 1
                    assert outside or found[-1] <= top + 1 or y >= top + height - 1, way
                y = found[-1]
            else:
                x, y = found[-2:]
    assert straight > len(ways)  # some of them pass layers


def test_json_is_strict(graph: Callable[..., str]) -> None:
    nodes = json.loads(graph("log(x)", "-s", "x=0", "--format", "json"))["nodes"]
    assert nodes[-1]["value"] == "-Infinity"


def test_dot(graph: Callable[..., str]) -> None:
    drawn = graph(*PROGRAM, "--format", "dot")
    assert drawn.startswith("digraph gradcli {\n")
    assert re.findall(r"n\d -> n\d", drawn) == ["n0 -> n1", "n1 -> n2", "n2 -> n3"]
    assert r"out = mean(z)\lmean ()\lvalue = 200\lv = 1\l" in drawn


def test_mermaid(graph: Callable[..., str]) -> None:
    drawn = graph(*PROGRAM, "--format", "mermaid")
    assert drawn.startswith("flowchart TD\n")
    assert re.findall(r"n\d --> n\d", drawn) == ["n0 --> n1", "n1 --> n2", "n2 --> n3"]


def test_svg_boxes_do_not_overlap(graph: Callable[..., str]) -> None:
    program = "a = x*y; b = x + a; c = sin(x) * b; d = a + b + c; sum(d)"
    arguments = (program, "-s", "x=1,2", "-s", "y=3", "--format")
    drawn = ElementTree.fromstring(graph(*arguments, "svg"))
    space = "{http://www.w3.org/2000/svg}"
    _, *found = drawn.iter(f"{space}rect")
    boxes = [[float(box.get(key, "")) for key in ("x", "y", "width", "height")] for box in found]
    assert len(boxes) == len(json.loads(graph(*arguments, "json"))["nodes"])
    for i, (x, y, w, h) in enumerate(boxes):
        assert 0 <= x <= float(drawn.get("width", "")) - w
        for other_x, other_y, other_w, other_h in boxes[:i]:
            assert (
                x + w <= other_x or other_x + other_w <= x
                or y + h <= other_y or other_y + other_h <= y
            )  # fmt: skip


@pytest.mark.parametrize("form", FORMATS)
def test_marks_in_formulas_are_escaped(graph: Callable[..., str], form: str) -> None:
    drawn = graph("y = einsum('ij,jk->ik', a, a); z = y < 2; out = sum(where(z, y, 0))",
                  "-s", "a=[[1,2],[3,4]]", "--format", form)  # fmt: skip
    if form == "dot":
        for label in re.findall(r"\[label=(.*), fillcolor", drawn):
            assert re.fullmatch(r'"([^"\\]|\\.)*"', label)
    if form == "mermaid":
        for label in re.findall(r"n\d+\[(.*)\]", drawn):
            assert re.fullmatch(r'"[^"`]*"', label)
            assert not set("<>") & set(label.replace("<br/>", ""))
    if form == "svg":
        ElementTree.fromstring(drawn)
    if form == "json":
        json.loads(drawn)


@pytest.mark.parametrize("form", FORMATS)
def test_long_chains(graph: Callable[..., str], form: str) -> None:
    program = "y = x; for i in range(3000) { y = sin(y) }; y"
    assert graph(program, "-s", "x=1", "--format", form)


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("program", ["print(x)", "x.sum().backward()", "x.grad"])
def test_without_a_value_there_is_no_graph(gradcli: Runner, program: str, form: str) -> None:
    answer = gradcli("graph", program, "-s", "x=1,2", "--format", form)
    error = answer.error if form == "json" else {}
    told = error.get("message") or answer.err.removeprefix("error[value]: ")
    assert told.startswith("the program ends on no value")
    assert answer.code == 3
    assert form == "json" or not answer.out


LOOP = (
    "y = x; for i in range(20000) { y = y + 0.001 * (sin(y) - 0.1 * y * y) }; y * 2",
    "-s",
    "x=1.5",
)


@pytest.mark.parametrize("form", FORMATS)
def test_a_long_loop_is_one_node(form: str, graph: Callable[..., str]) -> None:
    drawn = graph(*LOOP, "--format", form)
    assert drawn.count("20,000 passes of") == (form != "json")
    assert drawn.count("y = y + 0.001 * (sin(y) - 0.1 * y * y)") == 1


@pytest.mark.wide
def test_a_loop_has_its_passes_operands_and_grads(
    graph: Callable[..., str], gradcli: Runner
) -> None:
    x, loop, out = json.loads(graph(*LOOP, "--format", "json"))["nodes"]
    assert (loop["op"], loop["passes"], loop["inputs"], out["inputs"]) == ("loop", 20000, [0], [1])
    answer = json.loads(gradcli("eval", *LOOP, "--unroll", "--json").out)
    assert x["grad"] == answer["grads"]["x"]
    assert loop["value"] == answer["values"]["y"]
    assert loop["grad"] == 2.0


def test_a_pass_of_a_loop_opens(graph: Callable[..., str]) -> None:
    nodes = json.loads(graph(*LOOP, "--format", "json", "--inside", "pass 12345"))["nodes"]
    assert [node["passes"] for node in nodes if "passes" in node] == [12344, 20000 - 12345]
    (sine,) = [node for node in nodes if node["op"] == "sin"]
    y = 1.5
    for _ in range(12344):
        y = y + 0.001 * (math.sin(y) - 0.1 * y * y)
    assert sine["value"] == pytest.approx(math.sin(y), rel=1e-12)


def test_results_of_one_loop_show_its_body_once(graph: Callable[..., str]) -> None:
    text = "a = x; b = x; for i in range(100) { a = a * 0.99 + b; b = b * 0.9 }; a * b"
    drawn = graph(text, "-s", "x=1.5")
    assert drawn.count("100 passes of") == 1
    assert drawn.count("a = a * 0.99 + b") == 1
    assert drawn.count("100 passes") == 2


def test_the_tree_of_an_answer_shows_a_long_loop_once(gradcli: Runner) -> None:
    assert "20,000 passes of" in gradcli("eval", *LOOP).out
    assert " passes" not in gradcli("eval", LOOP[0].replace("20000", "3"), *LOOP[1:]).out
