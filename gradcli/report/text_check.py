"""Checks of gradients for people: a verdict for each leaf, and the error over the step."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import zip_longest

import numpy as np
from rich.console import RenderableType
from rich.text import Text

from gradcli.analysis.evidence import two_numbers
from gradcli.analysis.verdict import (
    MOST_DIGITS,
    Agreement,
    Check,
    Comparison,
    Correction,
    LeafCheck,
    Verdict,
    agreed_digits,
)
from gradcli.ops.shapes import element
from gradcli.report.arrays import counted, excerpt, number
from gradcli.report.error import quote
from gradcli.report.layout import Layout
from gradcli.report.sanitise import sanitise
from gradcli.report.summary import Row, Section
from gradcli.report.text import closing, folded
from gradcli.report.text_style import ASIDE, GAP, GRAD, HEADING, ROLES, printed, table
from gradcli.report.text_table import draw

STYLES: dict[Verdict, str] = {
    "pass": "bold color(29)",
    "fail": "bold color(160)",
    "inconclusive": "bold color(130)",
}
BARS = " ▁▂▃▄▅▆▇█"
ASCII_BARS = " .:-=+*%#"
INDENT = " " * len("cause: ")
DECADES = 2
"""Powers of ten between one bar and the next higher one; the lowest stands for 1e-16."""
LISTED = 8
"""The most elements that are listed as not confirmed."""
HEADINGS = ("leaf", "shape", "verdict", "digits", "worst", "gradient", "expected")
LABEL = max(map(len, HEADINGS)) + 2


def write(found: Check, layout: Layout) -> Iterator[str]:
    """A table of leaves, the error over the step for the worst element of each, and remarks."""
    whose = "the command's" if found.command else "yours"
    blocks = _leaves(found, layout)
    if found.mine:
        blocks.append(draw(_compared(found.mine, whose), layout))
        blocks.append(
            Text("\n").join(line for each in found.mine for line in _causes(each, whose, layout))
        )
    if found.command:
        blocks.append(Text("the command's gradients, by its own values", style=HEADING))
        blocks += _leaves(found.command, layout)
        blocks.append(Text("\n").join(_remarks(found.command, "", layout)))
    blocks.append(Text("\n").join(_remarks(found, whose, layout)))
    yield printed(blocks, layout.colour)


def judged(mine: Sequence[Comparison], layout: Layout) -> Iterator[str]:
    """What is right or wrong with the user's own gradients, and nothing else."""
    lines = [line for each in mine for line in _causes(each, "yours", layout)]
    yield printed([Text("\n").join(lines)], layout.colour)


def _leaves(found: Check, layout: Layout) -> list[RenderableType]:
    """The table of leaves, and the error over the step."""
    rows = [_row(leaf, layout) for leaf in found.leaves]
    drawn = _in_columns(rows, layout) or _stacked(rows)
    curves = _curves(found.leaves, layout)
    return [drawn, Text("\n").join(curves)] if curves else [drawn]


def _in_columns(rows: Sequence[Sequence[Text]], layout: Layout) -> RenderableType | None:
    """A table, unless it is too wide."""
    columns = list(zip_longest(map(Text, HEADINGS), *rows, fillvalue=Text()))
    widths = [max(cell.cell_len for cell in column) for column in columns]
    if sum(widths) + GAP * (len(widths) - 1) > layout.width:
        return None
    drawn = table(HEADINGS, layout)
    for row in rows:
        drawn.add_row(*row)
    return drawn


def _stacked(rows: Sequence[Sequence[Text]]) -> Text:
    """A line about each leaf, and its worst element below it."""
    lines: list[Text] = []
    for name, shape, verdict, *others in rows:
        lines.append(Text("  ").join([name, shape, verdict]))
        for heading, cell in zip(HEADINGS[3:], others, strict=False):
            lines.append(Text.assemble((f"  {heading:<{LABEL}}", ASIDE), cell))
    return Text("\n").join(lines)


def _row(leaf: LeafCheck, layout: Layout) -> list[Text]:
    worst = leaf.worst
    about = [
        Text(sanitise(leaf.name), style=ROLES["leaf"]),
        Text(str(leaf.shape), style=ASIDE),
        Text(leaf.verdict, style=STYLES[leaf.verdict]),
    ]
    if worst is not None or leaf.sweep is not None:
        about.append(Text(f"{math.floor(leaf.digits)}"))
    if worst is None:
        return about
    return [
        *about,
        Text(sanitise(element(leaf.name, worst.index))),
        Text(_number(worst.gradient, layout), style=GRAD),
        Text("unknown" if math.isnan(worst.reference) else _number(worst.reference, layout)),
    ]


def _compared(mine: Sequence[Comparison], whose: str) -> Section:
    """The user's numbers next to the right ones."""
    rows = []
    for each in mine:
        shape = str(each.gradient.shape)
        cells = excerpt(each.mine), excerpt(each.gradient)
        rows.append(Row(sanitise(each.name), "leaf", shape, cells))
    return Section("", (whose, "gradient"), rows)


def _causes(each: Comparison, whose: str, layout: Layout) -> list[Text]:
    """The verdict on the user's gradient of a leaf, and why."""
    name = sanitise(each.name)
    lines = [Text.assemble(f"{whose} for {name}: ", (each.verdict, STYLES[each.verdict]))]
    if each.verdict == "pass":
        lines.append(folded(" margin: ", _margin(each.agreement), layout.width))
        remarks = (sanitise(remark.message) for remark in each.causes)
        return [*lines, *(folded(" remark: ", remark, layout.width) for remark in remarks)]
    likely = "cause: " if each.sure else "may be: "
    for place, cause in enumerate(each.causes):
        label = "   or: " if place else likely.rjust(7)
        lines.append(folded(label, sanitise(cause.message), layout.width))
        if cause.correction is not None:
            lines += _corrected(cause.correction, layout)
    given = [cause.correction.formula for cause in each.causes if cause.correction]
    if each.formula is not None and each.formula not in given:
        lines.append(folded(" right: ", sanitise(each.formula), layout.width))
    return lines


def _margin(found: Agreement) -> str:
    """How closely a gradient agrees, and how closely it must."""
    return f"{_to_digits(found.difference)} agree, {_to_digits(found.allowed)} must: {found.told}"


def _to_digits(difference: float) -> str:
    digits = agreed_digits(difference, 1.0)
    return "15 digits or more" if digits == MOST_DIGITS else f"{digits:.1f} digits"


def _corrected(correction: Correction, layout: Layout) -> list[Text]:
    """The user's formula with carets under the mistake, and the formula without it."""
    source, (start, end) = correction.source, correction.span
    _, column = source.locate(start)
    room = layout.width - len(INDENT)
    shown, carets = quote(source.line_text(start), column - 1, end - start, room)
    lines = [Text(INDENT + shown), Text(INDENT + carets, style=STYLES["fail"])]
    return [*lines, folded("should: ", sanitise(correction.formula), layout.width)]


def _curves(leaves: Sequence[LeafCheck], layout: Layout) -> list[Text]:
    """The error of plain difference quotients, from long steps to short ones."""
    drawn = [leaf for leaf in leaves if leaf.worst and leaf.curve]
    names = [sanitise(element(leaf.name, leaf.worst.index)) for leaf in drawn if leaf.worst]
    room = max(map(len, names), default=0)
    lines = [
        Text.assemble(
            f"{name:<{room}}  ",
            (f"step {leaf.curve[0][0]:.0e} ", ASIDE),
            (_bars(leaf, layout)[:: _step(leaf, room, layout)], GRAD),
            (f" {leaf.curve[-1][0]:.0e}", ASIDE),
        )
        for name, leaf in zip(names, drawn, strict=True)
    ]
    if lines:
        bars = _alphabet(layout)
        scale = f"error of plain differences: {bars[-1]} 1, {bars[1]} 1e-14, less is blank"
        lines.insert(0, Text(scale, style=HEADING))
    return lines


def _step(leaf: LeafCheck, room: int, layout: Layout) -> int:
    """Of how many bars one is shown, where there is no room for all."""
    taken = room + len("  step 1e-00  1e-00")
    return math.ceil(len(leaf.curve) / max(1, layout.width - taken))


def _bars(leaf: LeafCheck, layout: Layout) -> str:
    """A character for each step: how far the difference quotient is from the gradient."""
    worst = leaf.worst
    assert worst is not None
    bars = _alphabet(layout)
    size = max(abs(worst.gradient), abs(worst.reference)) or 1.0
    return "".join(bars[_height(abs(found - worst.gradient) / size)] for _, found in leaf.curve)


def _alphabet(layout: Layout) -> str:
    return ASCII_BARS if layout.ascii_only else BARS


def _height(error: float) -> int:
    """0 for 1e-16 and less, 8 for 1 and more."""
    if not error > 0:
        return 0
    if not math.isfinite(error):
        return 8
    return min(8, max(0, 8 + math.floor(math.log10(error) / DECADES)))


def _remarks(found: Check, whose: str, layout: Layout) -> list[Text]:
    """The verdict, `whose` gradients were compared with it, and what else there is to say."""
    remarks = [
        folded(f"{found.verdict}: ", _summary(found, whose), layout.width, STYLES[found.verdict])
    ]
    for leaf in found.leaves:
        if leaf.worst is not None and leaf.worst.reason:
            place = sanitise(element(leaf.name, leaf.worst.index))
            text = f"{leaf.worst.verdict}, {sanitise(leaf.worst.reason)}"
            remarks.append(folded(f"{place}: ", text, layout.width))
        if len(leaf.unconfirmed) > 1:
            remarks.append(folded("not confirmed: ", _places(leaf), layout.width))
    return remarks + closing(found.notes, found.seed, layout.width)


def _places(leaf: LeafCheck) -> str:
    """The elements that could not be confirmed."""
    unknown = leaf.unconfirmed
    listed = ", ".join(sanitise(element(leaf.name, index)) for index in unknown[:LISTED])
    more = ", …" if len(unknown) > LISTED else ""
    return f"{len(unknown):,} of {len(leaf.findings):,} elements: {listed}{more}"


def _summary(found: Check, whose: str) -> str:
    what = "Hessian" if found.order == 2 else "gradient"
    if found.walk.verdict == "fail":
        forward, reverse = two_numbers(found.walk.forward, found.walk.reverse)
        if found.walk.by_differences:
            return (
                f"along a random direction the values change by {forward}, the gradient says "
                f"{reverse}"
            )
        return f"forward mode gives {forward}, reverse mode {reverse}"
    if found.computed == "fail":
        return f"the {what} does not agree with how the values change"
    if found.stopped and found.verdict == "inconclusive":
        return "interrupted before all was known"
    if found.computed == "pass":
        yours = {
            "pass": f"; {whose} agrees" if found.mine or found.command else "",
            "fail": f"; {whose} does not agree",
            "inconclusive": f"; {whose} may be it",
        }
        digits = min((math.floor(leaf.digits) for leaf in found.leaves if leaf.size), default=0)
        if not any(leaf.size for leaf in found.leaves):
            return f"the {what} has no elements"
        return f"the {what} is confirmed to {counted(digits, 'digit')}{yours[found.verdict]}"
    return "no clear answer, which is an error under --strict only"


def _number(value: float, layout: Layout) -> str:
    return number(np.float64(value), layout.precision)
