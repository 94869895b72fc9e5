"""The graph as boxes and arrows: for Graphviz, for Mermaid, as JSON, and drawn as SVG."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

from gradcli.graph import Array, Node
from gradcli.report.arrays import Excerpt, inline
from gradcli.report.json import line
from gradcli.report.layout import Layout
from gradcli.report.tree import Line, described
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
    title = " = ".join(filter(None, (line.name, line.formula))) or line.op
    arrays = {"value": line.value, "grad": line.grad, "v": line.given}
    return [
        title,
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
        }
        for place, box in enumerate(drawn)
    ]
    return line({"nodes": nodes})


def _array(shown: Excerpt | None) -> Array | None:
    return shown.items if shown and shown.full else None


# --- SVG -----------------------------------------------------------------------------------

CHARACTER, LINE, MARGIN = 7.3, 16, 10
"""Pixels: the width of a character, the height of a line, and what is left free in a box."""
BESIDE, BETWEEN = 24, 44
"""Pixels between boxes of a layer, and between layers."""
SWEEPS = 8


@dataclass(slots=True)
class _Placed:
    x: float
    y: float
    width: float
    height: float


def _as_svg(drawn: Sequence[Box]) -> str:
    """A picture in layers; each box is below the boxes it is computed from (Sugiyama 1981)."""
    layers = _layers(drawn)
    placed = _place(drawn, layers)
    width = max((p.x + p.width for p in placed), default=0) + MARGIN
    height = max((p.y + p.height for p in placed), default=0) + MARGIN
    size = f'width="{width:.0f}" height="{height:.0f}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="monospace" font-size="12">',
        '<defs><marker id="arrow" orient="auto" markerWidth="8" refX="7" refY="3">',
        '<path d="M0,0 L7,3 L0,6 z"/></marker></defs>',
        f'<rect {size} fill="#ffffff"/>',
    ]
    for above, place in _arrows(drawn):
        start, end = placed[above], placed[place]
        x, y = start.x + start.width / 2, start.y + start.height
        to_x, to_y = end.x + end.width / 2, end.y
        middle = (y + to_y) / 2
        parts.append(
            f'<path d="M{x:.0f},{y:.0f} C{x:.0f},{middle:.0f} {to_x:.0f},{middle:.0f} '
            f'{to_x:.0f},{to_y:.0f}" fill="none" stroke="#000000" marker-end="url(#arrow)"/>'
        )
    for box, at in zip(drawn, placed, strict=True):
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


def _layers(drawn: Sequence[Box]) -> list[list[int]]:
    """Boxes in layers by the length of the longest path from a leaf, ordered so that few arrows
    cross.
    """
    depth: list[int] = []
    for box in drawn:
        depth.append(max((depth[above] for above in box.above), default=-1) + 1)
    below: list[list[int]] = [[] for _ in drawn]
    for above, place in _arrows(drawn):
        below[above].append(place)
    for place, uses in enumerate(below):  # a leaf is directly above its first use
        if uses and not drawn[place].above:
            depth[place] = min(depth[use] for use in uses) - 1
    layers: list[list[int]] = [[] for _ in range(max(depth, default=-1) + 1)]
    for place, level in enumerate(depth):
        layers[level].append(place)
    position = {place: float(row) for layer in layers for row, place in enumerate(layer)}
    for sweep in range(SWEEPS):
        near = [box.above for box in drawn] if sweep % 2 == 0 else below
        for layer in layers if sweep % 2 == 0 else reversed(layers):
            wanted = {place: _mean([position[n] for n in near[place]], position[place])
                      for place in layer}  # fmt: skip
            layer.sort(key=wanted.__getitem__)
            position.update((place, float(row)) for row, place in enumerate(layer))
    return layers


def _place(drawn: Sequence[Box], layers: Sequence[Sequence[int]]) -> list[_Placed]:
    """Layers one below the other, each in the middle of the picture."""
    placed = [
        _Placed(0.0, 0.0, max(map(len, box.text)) * CHARACTER + 2 * MARGIN,
                len(box.text) * LINE + MARGIN)
        for box in drawn
    ]  # fmt: skip
    widths = [
        sum(placed[place].width for place in layer) + BESIDE * (len(layer) - 1) for layer in layers
    ]
    y: float = MARGIN
    for layer, width in zip(layers, widths, strict=True):
        x = MARGIN + (max(widths) - width) / 2
        for place in layer:
            placed[place].x, placed[place].y = x, y
            x += placed[place].width + BESIDE
        y += max(placed[place].height for place in layer) + BETWEEN
    return placed


def _arrows(drawn: Sequence[Box]) -> list[tuple[int, int]]:
    return [(above, place) for place, box in enumerate(drawn) for above in box.above]


def _mean(numbers: Sequence[float], otherwise: float) -> float:
    return sum(numbers) / len(numbers) if numbers else otherwise


def _entities(text: str) -> str:
    """Text between the quotes of a Mermaid label."""
    return escape(text.replace("#", "#35;").replace("`", "#96;"), quote=False).replace(
        '"', "#quot;"
    )
