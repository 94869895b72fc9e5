"""An explained run as a page: at each level of detail its graph, and a card for each step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import inf
from xml.etree.ElementTree import Element

from gradcli.analysis.explain import Explanation
from gradcli.analysis.levels import Stage
from gradcli.analysis.paths import SumOverPaths
from gradcli.diagnostics import GradcliError
from gradcli.report.document import Chain, Heading
from gradcli.report.elements import element, markup
from gradcli.report.explain import mathematics
from gradcli.report.explain_entry import entry_document
from gradcli.report.html import page
from gradcli.report.latex import Mathematics
from gradcli.report.layout import Layout
from gradcli.report.page_level import DETAILS, Detail, Level
from gradcli.report.page_parts import controls, equation, header
from gradcli.walks import ancestors

DEEPER = 2
"""How many levels are told below the one that is asked for."""
STEPS = 400
"""The most steps of all levels together."""
LARGEST = 900_000
"""The most characters of a page's levels, unless the first one has more without all details."""
TITLES = ("Functions and loops closed", "Opened", "Opened twice")


def write(told: Explanation | SumOverPaths, layout: Layout) -> Iterator[str]:
    """For a browser."""
    if isinstance(told, SumOverPaths):
        yield page(f"{told.name}.grad", [element("main", *_entry(told, layout.precision))])
    else:
        yield run_page(told, layout.precision)


def run_page(told: Explanation, precision: int, largest: int = LARGEST) -> str:
    """A page of about so many characters: with as many levels as fit, the closed one first, and of
    each the details that there is room for.
    """
    levels, left_out = _levels(told)
    titles = TITLES[: len(levels)] if len(levels) > 1 else ("Forward and backward",)
    writers = [
        Level(each, place, precision, *([None, *levels, None][place + end] for end in (0, 2)))
        for place, each in enumerate(levels)
    ]
    sections = _written(writers, titles, DETAILS[0], largest)
    if len(sections) < len(levels):
        sections = _written(writers, titles, DETAILS[-1], largest)
        sections = sections or _written(writers[:1], titles[:1], DETAILS[-1], inf)
        left_out += _enlarged(sections, writers, titles, largest)
    if len(sections) < len(levels):
        left_out.append(f"{_LEFT_OUT}: {' and '.join(titles[len(sections) :])}.")
        _close(sections[-1], f"l{len(sections)}-")
    remarks = [*(f"note: {note.message}" for note in told.notes), *left_out]
    head = header("The chain rule, step by step", told.program, remarks)
    head.append(element("p", _HELP, class_="soft needs-script", hidden=True))
    main = element("main", controls(TITLES[: len(sections)]), *sections)
    return page("gradcli explain", [head, main])


def _written(
    writers: Sequence[Level], titles: Sequence[str], detail: Detail, room: float
) -> list[Element]:
    """The first levels, as many as there is room for."""
    found: list[Element] = []
    for writer, title in zip(writers, titles, strict=True):
        section = writer.section(title, detail, room)
        if section is None:
            break
        found.append(section)
        room -= len(markup(section))
    return found


def _enlarged(
    sections: list[Element], writers: Sequence[Level], titles: Sequence[str], largest: int
) -> Iterator[str]:
    """Give levels that are told in brief the details that there is room for; what is left out."""
    room = largest - sum(len(markup(each)) for each in sections)
    for place, brief in enumerate(sections):
        room += len(markup(brief))
        for detail in DETAILS:
            is_brief = detail is DETAILS[-1]
            section = brief if is_brief else writers[place].section(titles[place], detail, room)
            if section is not None:
                break
        assert section is not None
        sections[place] = section
        room -= len(markup(section))
        if detail.left_out:
            where = f" of {titles[place]!r}" if len(titles) > 1 else ""
            yield f"{_LEFT_OUT}: {detail.left_out}{where}."


def _close(section: Element, level: str) -> None:
    """Take away what opens steps of a level that there is not."""
    for card in section.iter("li"):
        for door in card.findall("button"):
            if door.get("data-step", "").startswith(level):
                card.remove(door)


_LEFT_OUT = "Left out, to keep the page small"
_HELP = (
    "Step with the arrow keys, Home and End, the buttons or the slider. Choose a box for its local "
    "Jacobian, and an underlined entry of a grad for the paths that make it. A bar over a name, as "
    "in x̄, is the grad of that name."
)


def _levels(told: Explanation) -> tuple[list[Explanation], list[str]]:
    """The run at the level that was asked for, and with more and more opened; and what no level
    tells.
    """
    found, opened, remarks = [told], {*told.opened}, []
    for _ in range(DEEPER):
        closed = {title(step.stage) for step in found[-1].steps if not step.stage.single}
        if closed <= opened:
            break
        opened |= closed
        try:
            deeper = told.at(opened)
        except GradcliError as error:
            remarks.append(f"Left out: a further level, since {error.diagnostic.message}.")
            break
        if sum(len(each.steps) for each in (*found, deeper)) > STEPS:
            remarks.append(f"Left out: a level with {len(deeper.steps):,} steps.")
            break
        found.append(deeper)
    inside = [step for step in found[-1].steps if not step.stage.single]
    if inside:
        count = len({node for step in inside for node in step.stage.nodes}) - len(inside)
        nodes = len(ancestors(told.outputs.values()))
        remarks.append(
            f"Of the graph's {nodes:,} nodes {count:,} are left out at every level here: they are "
            "inside other steps. gradcli explain --inside NAME opens one of these."
        )
    if told.untold:
        remarks.append(f"Left out: {told.untold:,} more backward passes.")
    return found, remarks


def title(stage: Stage) -> str:
    """What opens a step."""
    return stage.passage.title if stage.passage else stage.stretch


def _entry(told: SumOverPaths, precision: int) -> Iterator[Element]:
    """One entry of the gradient: the same document as in text."""
    formulas = mathematics(told)
    for block in entry_document(told, precision):
        if isinstance(block, Heading):
            yield element("h1", block.text)
        elif isinstance(block, Chain):
            yield _chain(formulas, block)
        else:
            yield element("p", block.text)


def _chain(formulas: Mathematics, chain: Chain) -> Element:
    right: Sequence[str] = [" ".join(lines) for lines in chain.equal]
    remarks = [element("p", each, class_="soft") for each in chain.remarks]
    shown = equation(formulas, chain.left.replace("\n", " "), *right)
    return element("div", shown, *remarks, class_="step")
