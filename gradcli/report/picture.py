"""The graph as boxes and arrows: for Graphviz, for Mermaid, as JSON, and drawn as SVG."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

from gradcli.graph import Array, Node
from gradcli.report.arrays import Excerpt, inline
from gradcli.report.json import line
from gradcli.report.layers import arrange, path
from gradcli.report.layout import Layout
from gradcli.report.tree import Line, described, passes_text
from gradcli.result import Result

FORMULA, ARRAY = 40, 36
"""The largest width, in characters, of formulas and of arrays in a box."""
COLOURS = {"leaf": "#d5e8d4", "output": "#fff2cc", "": "#ffffff"}
"""The colour of a box, by its role."""


@dataclass(frozen=True, slots=True)
class Box:
    """A node; `above` are the numbers of the boxes that it is computed from."""

    node: Node
    line: Line
    above: list[int]
    text: list[str]


def write_dot(result: Result, layout: Layout) -> Iterator[str]:
    """For Graphviz."""
    yield _as_dot(boxes(result, layout.precision))


def write_mermaid(result: Result, layout: Layout) -> Iterator[str]:
    """For Mermaid, which Markdown pages show."""
    yield _as_mermaid(boxes(result, layout.precision))


def write_json(result: Result, layout: Layout) -> Iterator[str]:
    """For programs."""
    yield _as_json(boxes(result, layout.precision))


def write_svg(result: Result, layout: Layout) -> Iterator[str]:
    """Drawn."""
    yield _as_svg(boxes(result, layout.precision))


def boxes(result: Result, precision: int) -> list[Box]:
    """The nodes of a graph, operands first."""
    lines, operands = described(result, precision, FORMULA)
    number = {node: place for place, node in enumerate(lines)}
    return [
        Box(node, line, [number[each] for each in operands[node]], _text(line, precision))
        for node, line in lines.items()
    ]


def _text(line: Line, precision: int) -> list[str]:
    formula = passes_text(line) if line.passes else line.formula
    title = " = ".join(filter(None, (line.name, formula))) or line.op
    arrays = {"value": line.value, "grad": line.grad, "v": line.given}
    return [
        title,
        *(f"  {each}" for each in line.body),
        *([f"named {line.called}"] if line.called else []),
        f"{line.op} {line.shape}",
        *(
            f"{label} = {inline(array, precision, ARRAY)}"
            for label, array in arrays.items()
            if array is not None
        ),
    ]


def _as_dot(drawn: Sequence[Box]) -> str:
    """A digraph for Graphviz's `dot`."""
    lines = ["digraph gradcli {", '  node [shape=box, style=filled, fontname="monospace"];']
    for place, box in enumerate(drawn):
        label = "".join(each.replace("\\", r"\\").replace('"', r"\"") + r"\l" for each in box.text)
        lines.append(f'  n{place} [label="{label}", fillcolor="{COLOURS[box.line.role]}"];')
    lines += [f"  n{above} -> n{place};" for above, place in _arrows(drawn)]
    return "\n".join([*lines, "}"]) + "\n"


def _as_mermaid(drawn: Sequence[Box]) -> str:
    """A flowchart for Mermaid, which Markdown pages show."""
    lines = ["flowchart TD"]
    for place, box in enumerate(drawn):
        label = "<br/>".join(_entities(each) for each in box.text)
        lines.append(f'  n{place}["{label}"]')
        if box.line.role:
            lines.append(f"  style n{place} fill:{COLOURS[box.line.role]}")
    lines += [f"  n{above} --> n{place}" for above, place in _arrows(drawn)]
    return "\n".join(lines) + "\n"


def _as_json(drawn: Sequence[Box]) -> str:
    """Nodes in the order of computation; `inputs` are their numbers. Where `name` is short for a
    name of the program, that is `called`.

    Values and grads are null where they are not known, or too large to be shown in full.
    """
    nodes = [
        {
            "id": place,
            "name": box.line.name or None,
            "role": box.line.role or None,
            "op": box.line.op,
            "formula": box.line.formula or None,
            "shape": box.node.shape,
            "inputs": box.above,
            "value": _array(box.line.value),
            "grad": _array(box.line.grad),
            **({"called": box.line.called} if box.line.called else {}),
            **({"passes": box.line.passes, "body": box.line.body} if box.line.passes else {}),
        }
        for place, box in enumerate(drawn)
    ]
    return line({"nodes": nodes})


def _array(shown: Excerpt | None) -> Array | None:
    return shown.items if shown and shown.full else None


# --- SVG -----------------------------------------------------------------------------------

CHARACTER, LINE, MARGIN = 7.3, 16, 10
"""Pixels: the width of a character, the height of a line, and what is left free in a box."""


def _as_svg(drawn: Sequence[Box]) -> str:
    """A picture in layers; each box is below the boxes it is computed from."""
    picture = arrange([extent(box.text) for box in drawn], [box.above for box in drawn])
    size = f'width="{picture.width:.0f}" height="{picture.height:.0f}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="monospace" font-size="12">',
        '<defs><marker id="arrow" orient="auto" markerWidth="8" refX="7" refY="3">',
        '<path d="M0,0 L7,3 L0,6 z"/></marker></defs>',
        f'<rect {size} fill="#ffffff"/>',
    ]
    parts += [
        f'<path d="{path(arrow)}" fill="none" stroke="#000000" marker-end="url(#arrow)"/>'
        for arrow in picture.arrows
    ]
    for box, at in zip(drawn, picture.placed, strict=True):
        parts.append(
            f'<rect x="{at.x:.0f}" y="{at.y:.0f}" width="{at.width:.0f}" height="{at.height:.0f}" '
            f'rx="4" fill="{COLOURS[box.line.role]}" stroke="#000000"/>'
        )
        for row, text in enumerate(box.text, 1):
            down = at.y + row * LINE + MARGIN / 4
            parts.append(
                f'<text x="{at.x + MARGIN:.0f}" y="{down:.0f}" xml:space="preserve">'
                f"{escape(text)}</text>"
            )
    return "\n".join([*parts, "</svg>"]) + "\n"


def extent(text: Sequence[str]) -> tuple[float, float]:
    """The width and height of a box with these lines, in pixels."""
    return max(map(len, text)) * CHARACTER + 2 * MARGIN, len(text) * LINE + MARGIN


def _arrows(drawn: Sequence[Box]) -> list[tuple[int, int]]:
    return [(above, place) for place, box in enumerate(drawn) for above in box.above]


def _entities(text: str) -> str:
    """Text between the quotes of a Mermaid label."""
    return escape(text.replace("#", "#35;").replace("`", "#96;"), quote=False).replace(
        '"', "#quot;"
    )
