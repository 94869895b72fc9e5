"""How text for people looks: colours, and tables without boxes."""

from __future__ import annotations

from collections.abc import Iterable

from rich.box import SIMPLE_HEAD, Box
from rich.table import Table
from rich.text import Text

from gradcli.report.layout import Layout

# From the 256-colour cube, which is the same in every theme. Each has a contrast of at least 4 to
# 1 on black and on white.
BLUE, GREEN, PURPLE, BROWN, GREY = (f"color({n})" for n in (31, 29, 133, 130, 243))
HEADING, ASIDE, GRAD, REMARK = f"bold {GREY}", GREY, PURPLE, f"bold {BROWN}"
ROLES = {"leaf": f"bold {BLUE}", "input": BLUE, "output": f"bold {GREEN}"}

GAP = 3
"""Blanks between the columns of a table."""

_ASCII_HEAD = Box("    \n    \n -- \n    \n    \n    \n    \n    \n", ascii=True)


def name_style(role: str) -> str:
    """The style of a name that plays this role."""
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
