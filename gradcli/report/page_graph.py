"""The graph of a run as a page: boxes and arrows, and a card for each node."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from xml.etree.ElementTree import Element

from gradcli.analysis.meaning import Meaning
from gradcli.report.arrays import IN_FULL, inline, shortened
from gradcli.report.elements import element
from gradcli.report.heat import heat_map
from gradcli.report.html import page
from gradcli.report.latex import Mathematics
from gradcli.report.layout import Layout
from gradcli.report.page_parts import GraphBox, controls, equation, graph, header
from gradcli.report.picture import ARRAY, Box, boxes
from gradcli.result import Result

LARGEST = 900_000
"""The most characters of a page that has all details."""
FEW = 8
"""How many numbers of an array others have."""
MOST = 400
"""The most nodes that are drawn: those nearest to the end of the program."""


def write(result: Result, layout: Layout) -> Iterator[str]:
    """For a browser."""
    every = boxes(result, layout.precision)
    text = page("gradcli graph", _content(result, every, layout.precision, IN_FULL))
    if len(text) > LARGEST:
        text = page("gradcli graph", _content(result, every, layout.precision, FEW))
    yield text


def _content(result: Result, every: Sequence[Box], precision: int, numbers: int) -> list[Element]:
    """The page, with about so many numbers of each array."""
    left_out = max(0, len(every) - MOST)
    drawn = every[left_out:]
    shown = [_shown(box, place, left_out, precision) for place, box in enumerate(drawn)]
    formulas = _formulas(every)
    cards = [_card(box, place, formulas, precision, numbers) for place, box in enumerate(drawn)]
    remarks = [_told(left_out, len(every))] if left_out else []
    if numbers < IN_FULL:
        remarks.append("Left out, to keep the page small: most numbers of large arrays.")
    head = header("The graph of a program", result.program, remarks)
    section = element(
        "section",
        element("h2", "Nodes"),
        graph("The graph, from inputs to outputs", shown, "n"),
        element("ol", *cards, class_="steps"),
        class_="level", aria_label="Nodes",
    )  # fmt: skip
    return [head, element("main", controls(()), section)]


def _formulas(every: Sequence[Box]) -> Mathematics:
    """What writes them: it knows the shapes of named values."""
    lines = (box.line for box in every)
    shapes = {each.name: each.value.shape for each in lines if each.value is not None}
    return Mathematics(Meaning.of_shapes(shapes))


def _told(left_out: int, count: int) -> str:
    return (
        f"Of {count:,} nodes the last {count - left_out:,} are drawn, and {left_out:,} are left "
        "out. gradcli graph --format json has all of them."
    )


def _shown(box: Box, place: int, left_out: int, precision: int) -> GraphBox:
    name = f"n-s{place}"
    value, grad = (
        inline(array, precision, ARRAY) if array is not None else ""
        for array in (box.line.value, box.line.grad or box.line.given)
    )
    return GraphBox(
        f"n-b{place}",
        box.line.role,
        [above - left_out for above in box.above if above >= left_out],
        _title(box),
        f"= {value}" if value else box.line.shape,
        [name],
        [name] if grad else [],
        [f"grad {grad}"] if grad else [],
    )


def _card(box: Box, place: int, formulas: Mathematics, precision: int, numbers: int) -> Element:
    line = box.line
    title = line.name or line.formula or line.op
    card = element(
        "li",
        element("h3", element("code", title), element("span", f" {line.role}", class_="role")),
        class_="step", id=f"n-s{place}", tabindex=-1, data_kind="node", data_box=f"n-b{place}",
        data_title=_title(box),
    )  # fmt: skip
    if line.formula:
        card.append(equation(formulas, *([line.name] if line.name else []), line.formula))
    if line.passes:
        card.append(element("p", box.text[0], class_="soft"))
        card.extend(element("p", element("code", each)) for each in line.body)
    card.extend(element("p", text, class_="soft") for text in _facts(box))
    for label, array in (("value", line.value), ("grad", line.grad), ("v", line.given)):
        if array is not None:
            card.append(heat_map(label, shortened(array, numbers), precision))
    return card


def _title(box: Box) -> str:
    """The first line of a box; the lines of a loop stand in its card alone."""
    return box.text[0].removesuffix(" of") if box.line.passes else box.text[0]


def _facts(box: Box) -> Sequence[str]:
    named = [f"named {box.line.called}"] if box.line.called else []
    return [*named, f"{box.line.op}, shape {box.line.shape}"]
