"""What a program costs on a device, as a table."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from gradcli.analysis.costs import Costs
from gradcli.engine.costs import Cost
from gradcli.ledger import show_bytes
from gradcli.report.arrays import counted
from gradcli.report.layout import Layout
from gradcli.report.text import folded
from gradcli.report.text_style import printed, table

NAMES = 4
"""Ops of a unit that are named; longer units are named by their first and last ones."""


def write(found: Costs, layout: Layout) -> Iterator[str]:
    """A line for each unit of the plan that is no view, and the sum."""
    on_gpu = found.device == "gpu"
    kernels = ["kernels"] if on_gpu else []
    drawn = table(["ops", "computed by", *kernels, "read", "written"], layout)
    for unit in found.units:
        if unit.by != "view":
            launches = [_kernels(unit)] if on_gpu else []
            moved = map(show_bytes, (unit.read, unit.written))
            drawn.add_row(_named(unit), unit.by, *launches, *moved)
    told = Text("\n").join(folded("", fact, layout.width) for fact in _facts(found))
    yield printed([drawn, told], layout.colour)


def _named(unit: Cost) -> str:
    names = unit.ops
    if len(names) > NAMES:
        names = (*names[: NAMES // 2], "…", *names[-(NAMES // 2) :])
    return ", ".join(names)


def _kernels(unit: Cost) -> str:
    return "some" if unit.launches is None else str(unit.launches)


def _facts(found: Costs) -> Iterator[str]:
    moved = sum(unit.read + unit.written for unit in found.units)
    yield f"{show_bytes(moved)} are read and written, {show_bytes(found.peak)} held at a time"
    if found.device == "gpu":
        own = sum(unit.launches or 0 for unit in found.units)
        others = sum(unit.launches is None for unit in found.units)
        calls = f", and {counted(others, 'call')} of cupy's functions" if others else ""
        yield f"{counted(own, 'kernel')} of gradcli's own{calls}"
