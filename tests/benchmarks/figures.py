"""What the races found, as rows, and the rows as a table and a chart in Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from tests.benchmarks.processes import Cost
from tests.benchmarks.races import Race

WIDEST = 40
UNITS = {"wall": "s", "cpu": "s CPU", "inside": "s", "peak": "MiB"}


class Row(NamedTuple):
    """One figure of one race."""

    race: str
    against: str
    """The other side; empty where there is a limit instead."""
    own: str
    other: str
    ratio: float
    """The other side's cost over gradcli's, or the limit over it."""
    wanted: float
    """What the ratio should be at least."""
    memory: str
    """The peaks of gradcli and of the other side."""

    def __str__(self) -> str:
        against = f"{self.against} {self.other}, {self.ratio:.2f}×" if self.against else self.other
        return f"{self.race}: {self.own}; {against}{'' if self.reached else ' (missed)'}"

    @property
    def reached(self) -> bool:
        return self.ratio >= self.wanted


def rows_of(race: Race, costs: Mapping[str, Cost]) -> list[Row]:
    """The figures of a race; `costs` has gradcli's under the race's name."""
    own = costs[race.name]._asdict()
    rows = []
    for side in race.sides:
        if side.name in costs:
            other = costs[side.name]._asdict()
            rows += [
                Row(race.name, side.name, _amount(own[figure], figure),
                    _amount(other[figure], figure), other[figure] / own[figure], wanted,
                    f"{own['peak']:.0f} : {other['peak']:.0f}")
                for figure, wanted in side.at_least.items()
            ]  # fmt: skip
    rows += [
        Row(race.name, "", _amount(own[figure], figure), f"at most {_amount(limit, figure)}",
            limit / own[figure], 1.0, f"{own['peak']:.0f}")
        for figure, limit in race.at_most.items()
    ]  # fmt: skip
    return rows


def _amount(value: float, figure: str) -> str:
    return f"{value:.{0 if figure == 'peak' else 3}f} {UNITS[figure]}"


def table(rows: Iterable[Row]) -> list[str]:
    """A table in Markdown; the last column has gradcli's peak of memory, and the other's."""
    lines = [
        "| work | against | gradcli | the other | times as fast | at least | peak MiB |",
        "| --- | --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    for row in rows:
        mark = "" if row.reached else " (missed)"
        ratio, wanted = f"{row.ratio:.2f}×{mark}", f"{row.wanted:.2f}×"
        if not row.against:
            ratio, wanted = mark.strip(" ()"), ""
        cells = (f"`{row.race}`" if "*" in row.race else row.race, row.against, row.own, row.other)
        lines.append(f"| {' | '.join(cells)} | {ratio} | {wanted} | {row.memory} |")
    return lines


def chart(rows: Sequence[Row], rivals: Iterable[str]) -> list[str]:
    """Bars of how many times as fast as each of `rivals` gradcli is."""
    lines = ["```text"]
    for rival in rivals:
        chosen = [row for row in rows if row.against == rival]
        if chosen:
            lines.append(f"times as fast as {rival}")
            lines += [f"  {row.race[:52]:<52} {_bar(row.ratio)} {row.ratio:.1f}" for row in chosen]
    return [*lines, "```"]


def _bar(ratio: float) -> str:
    """A cell for each half."""
    return "█" * max(1, min(WIDEST, round(2 * ratio)))
