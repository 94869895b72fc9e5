"""How text for people looks: colours, and tables without boxes."""

from __future__ import annotations

from collections.abc import Iterable
from io import StringIO

from rich.box import SIMPLE_HEAD, Box
from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from gradcli.report import paint
from gradcli.report.layout import Layout

BLUE, GREEN, PURPLE, BROWN, GREY = (
    f"color({n})" for n in (paint.BLUE, paint.GREEN, paint.PURPLE, paint.BROWN, paint.GREY)
)
HEADING, ASIDE, GRAD, REMARK = f"bold {GREY}", GREY, PURPLE, f"bold {BROWN}"
ROLES = {"leaf": f"bold {BLUE}", "input": BLUE, "output": f"bold {GREEN}"}

GAP = 3
"""Blanks between the columns of a table."""

CANVAS = 1_000_000
"""What rich takes for the terminal's width: layouts are chosen here, and it crops nothing."""

_ASCII_HEAD = Box("    \n    \n -- \n    \n    \n    \n    \n    \n", ascii=True)


def name_style(role: str) -> str:
    """The style of a name with this role."""
    return ROLES.get(role.rpartition(" ")[2], "")


def table(headings: Iterable[str], layout: Layout) -> Table:
    """An empty table with a rule below its headings."""
    drawn = Table(
        box=_ASCII_HEAD if layout.ascii_only else SIMPLE_HEAD,
        show_edge=False,
        pad_edge=False,
        header_style=HEADING,
        border_style=GREY,
    )
    for heading in headings:
        drawn.add_column(Text(heading), no_wrap=True, overflow="ignore")
    return drawn


def shared(wanted: list[int], room: int) -> list[int]:
    """Widths that add up to `room` at most, none wider than wanted, the others equal."""
    widths = [0] * len(wanted)
    by_need = sorted(range(len(wanted)), key=wanted.__getitem__)
    for done, place in enumerate(by_need):
        widths[place] = min(wanted[place], max(0, room) // (len(wanted) - done))
        room -= widths[place]
    return widths


def printed(blocks: list[RenderableType], colour: bool) -> str:
    """The blocks with a blank line between them."""
    console = _console(colour)
    with console.capture() as captured:
        for position, block in enumerate(blocks):
            if position:
                console.print()
            console.print(block, no_wrap=True, overflow="ignore", crop=False)
    return "".join(f"{line.rstrip()}\n" for line in captured.get().split("\n")[:-1])


def _console(colour: bool) -> Console:
    """A console that takes text as it is: user text is no markup, and has no emoji codes."""
    return Console(
        file=StringIO(),
        width=CANVAS,
        color_system="256" if colour else None,
        force_terminal=colour,
        legacy_windows=False,
        markup=False,
        emoji=False,
        highlight=False,
        _environ={},
    )
