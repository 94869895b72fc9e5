"""Reports of expectations for people: what failed, with what was expected, and the counts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.text import Text

from gradcli.analysis.expectations import Outcome, Report
from gradcli.report import error
from gradcli.report.expectations import count, found_text, line_of, shortened, statement_text
from gradcli.report.layout import Layout
from gradcli.report.sanitise import sanitise
from gradcli.report.text_style import ASIDE, printed

PASS, FAIL = "bold color(29)", "bold color(160)"


def write(reports: Sequence[Report], layout: Layout) -> Iterator[str]:
    """A line for each script, its failures below it, and the counts; ends in a newline."""
    lines: list[Text] = []
    for report in reports:
        lines += _script(report)
    counts = count(reports)
    lines.append(Text(str(counts), style=FAIL if counts.failed else PASS))
    yield printed([Text("\n").join(lines)], layout.colour)


def _script(report: Report) -> list[Text]:
    held = sum(outcome.passed for outcome in report.outcomes)
    verdict = ("ok    ", PASS) if report.passed else ("FAILED", FAIL)
    tally = f"  {held} of {len(report.outcomes)}"
    lines = [Text.assemble(verdict, " ", _one_line(report.source.name), (tally, ASIDE))]
    lines += [Text(f"  note: {_one_line(each)}") for each in dict.fromkeys(report.notes)]
    for outcome in report.outcomes:
        if not outcome.passed and (outcome.reached or report.error is None):
            lines += _failure(report, outcome)
    if report.error is not None:
        lines += [Text(f"  {line}") for line in error.render(report.error).split("\n")]
    return lines


def _failure(report: Report, outcome: Outcome) -> list[Text]:
    name, line = _one_line(report.source.name), line_of(report, outcome)
    expected = ("error " if outcome.expectation.kind == "!" else "") + outcome.expectation.text
    rows = [("expected", expected), ("got", found_text(outcome)), ("why", outcome.problem)]
    return [
        Text(f"  {name}:{line}: {_one_line(statement_text(report, outcome))}"),
        *(
            Text.assemble((f"    {label:<9}", ASIDE), _one_line(shortened(text)))
            for label, text in rows
            if outcome.reached or label != "got"
        ),
    ]


def _one_line(text: str) -> str:
    return sanitise(text).replace("\n", "\\n")
