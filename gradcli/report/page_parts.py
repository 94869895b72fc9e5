"""What pages are made of: controls, a graph of boxes, cards of steps, equations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from xml.etree.ElementTree import Element

from gradcli.diagnostics import GradcliError, Source
from gradcli.language.parser import ParseLimits, parse_expression
from gradcli.language.syntax import Program
from gradcli.report.elements import element
from gradcli.report.latex import Mathematics
from gradcli.report.layers import Placed, arrange, path
from gradcli.report.mathml import formula
from gradcli.report.picture import LINE, MARGIN, extent

SCROLLED = 24
"""A longer equation may be wider than a phone: then it is scrolled, which takes a focus."""
LONGEST = 120
"""A longer formula is shown as text, which breaks into lines."""


@dataclass(slots=True)
class GraphBox:
    """A box of the graph of a page, and the cards that it leads to."""

    name: str
    """Its identity in the page."""
    role: str
    above: list[int]
    title: str
    value: str
    forward: list[str] = field(default_factory=list)
    backward: list[str] = field(default_factory=list)
    grads: list[str] = field(default_factory=list)
    """The grad after each card of `backward`; the last one is shown until the page steps."""

    @property
    def text(self) -> list[str]:
        return [self.title, self.value, max(self.grads, key=len, default=" ")]


def header(title: str, program: Program, remarks: Iterable[str]) -> Element:
    """The head of a page: its title, the program, and what there is to say of it."""
    return element(
        "header",
        element("h1", title),
        element(
            "pre", element("code", program.source.text.strip()),
            tabindex=0, role="region", aria_label="The program",
        ),
        *(element("p", each, class_="soft") for each in remarks),
    )  # fmt: skip


def controls(levels: Sequence[str]) -> Element:
    """Buttons, a slider and, where there are several, the levels; shown by the script."""
    found = element("nav", class_="controls", aria_label="Steps", hidden=True)
    for name, text, label in (
        ("first", "|◀", "First step"), ("back", "◀ Back", "Back"), ("next", "Next ▶", "Next"),
        ("last", "▶|", "Last step"),
    ):  # fmt: skip
        found.append(element("button", text, type="button", aria_label=label, data_control=name))
    found.append(
        element("input", type="range", min=0, max=0, value=0, aria_label="Step",
                data_control="slider")
    )  # fmt: skip
    if len(levels) > 1:
        options = [element("option", text, value=place) for place, text in enumerate(levels)]
        found.append(
            element("select", *options, aria_label="Level of detail", data_control="level")
        )
    found.append(element("p", role="status", aria_live="polite", data_control="status"))
    return found


def graph(title: str, boxes: Sequence[GraphBox], prefix: str) -> Element:
    """The boxes and arrows as a picture whose boxes can be chosen."""
    picture = arrange([extent(box.text) for box in boxes], [box.above for box in boxes])
    head = f"{prefix}-head"
    tip = element("path", d="M0,0 L7,3 L0,6 z")
    marker = element(
        "marker",
        tip,
        id=head,
        orient="auto",
        markerWidth=8,
        markerHeight=6,
        refX=7,
        refY=3,
        markerUnits="userSpaceOnUse",
    )
    drawn = [
        element(
            "path", d=path(arrow), marker_end=f"url(#{head})",
            data_start=boxes[arrow.start].name, data_end=boxes[arrow.end].name,
        )
        for arrow in picture.arrows
    ]  # fmt: skip
    for box, at in zip(boxes, picture.placed, strict=True):
        frame = element("rect", x=f"{at.x:.0f}", y=f"{at.y:.0f}", width=f"{at.width:.0f}",
                        height=f"{at.height:.0f}", rx=4)  # fmt: skip
        last = "".join(box.grads[-1:])
        drawn.append(
            element("g", frame, *_lines(box, at), id=box.name, class_=f"box {box.role}".strip(),
                    aria_label=f"{box.title}: {box.value} {last}".strip(),
                    data_forward=" ".join(box.forward), data_backward=" ".join(box.backward))
        )  # fmt: skip
    width, height = f"{picture.width:.0f}", f"{picture.height:.0f}"
    svg = element("svg", element("defs", marker), *drawn, width=width, height=height,
                  viewBox=f"0 0 {width} {height}", role="group", aria_label=title)  # fmt: skip
    return element("div", svg, class_="graph", tabindex=0, role="region", aria_label=title)


def _lines(box: GraphBox, at: Placed) -> Iterator[Element]:
    """What stands in a box; its grads stand in the same place, all but the last out of sight."""
    x = f"{at.x + MARGIN:.0f}"
    first, second, third = (f"{at.y + row * LINE + MARGIN / 4:.0f}" for row in (1, 2, 3))
    yield element("text", box.title, x=x, y=first, class_="title")
    yield element("text", box.value, x=x, y=second, class_="value")
    for step, grad in zip(box.backward, box.grads, strict=True):
        shown = "grad" if step == box.backward[-1] else "grad later"
        yield element("text", grad, x=x, y=third, class_=shown, data_step=step)


def equation(formulas: Mathematics, left: str, *right: str) -> Element:
    """`left = first = second`, in mathematics where it is an expression and not too long."""
    text = " = ".join((left, *right))
    wide: dict[str, str | int] = (
        {"tabindex": 0, "role": "group", "aria_label": text} if len(text) > SCROLLED else {}
    )
    found = element("p", _mathematics(formulas, left), class_="equation", **wide)
    for text in right:
        found.append(element("span", " = ", _mathematics(formulas, text)))
    return found


def _mathematics(formulas: Mathematics, text: str) -> Element:
    if len(text) <= LONGEST:
        try:
            return formula(formulas.of(parse_expression(Source("formula", text), ParseLimits())))
        except GradcliError:
            pass  # a name that the language has no word for
    return element("code", text)
