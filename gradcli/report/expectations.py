"""Reports of expectations for machines: JUnit's XML, GitHub's annotations, the text rewritten."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gradcli.analysis.expectations import Outcome, Report
from gradcli.data.numbers import nested
from gradcli.diagnostics import GradcliError
from gradcli.graph import Array
from gradcli.report import error
from gradcli.report.layout import Layout
from gradcli.report.sanitise import sanitise

LONGEST = 2000
"""Characters of a value that are shown; `--update` writes all of them."""


@dataclass(frozen=True, slots=True)
class Counts:
    passed: int
    failed: int
    """Expectations that do not hold, and scripts that stopped on an error."""
    files: int

    def __str__(self) -> str:
        failed = f"{self.failed} failed, " if self.failed else ""
        return f"{failed}{self.passed} passed in {self.files} file{'' if self.files == 1 else 's'}"


def count(reports: Sequence[Report]) -> Counts:
    """The counts, as a test runner prints them at its end."""
    outcomes = [outcome.passed for report in reports for outcome in report.outcomes]
    stopped = sum(report.error is not None for report in reports)
    return Counts(sum(outcomes), len(outcomes) - sum(outcomes) + stopped, len(reports))


def line_of(report: Report, outcome: Outcome) -> int:
    """The line that an expectation stands on."""
    return report.source.locate(outcome.expectation.span[0])[0]


def statement_text(report: Report, outcome: Outcome) -> str:
    """The text of the statement that an expectation is about."""
    start, end = outcome.expectation.statement.span
    return report.source.text[start:end]


def found_text(outcome: Outcome) -> str:
    """What a statement did, in the notation of expectations."""
    if isinstance(outcome.found, GradcliError):
        return outcome.found.diagnostic.code
    if outcome.found is None:
        return "None" if outcome.expectation.kind == "=" else "no error"
    return _literal(outcome.found)


def shortened(text: str) -> str:
    """The text, cut if it is too long to show."""
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."


def _literal(array: Array) -> str:
    return "".join(nested(array))


# --- the text, rewritten -------------------------------------------------------------------


def updated(report: Report) -> str:
    """The script with expectations that say what its statements did."""
    text = report.source.text
    for outcome in reversed(report.outcomes):
        if not outcome.passed and outcome.reached:
            start, end = outcome.expectation.span
            comment = _comment(outcome)
            before = text[:start] if comment else text[:start].rstrip(" \t")
            text = before + comment + text[end:]
    return text


def _comment(outcome: Outcome) -> str:
    """An expectation that holds; "" for an assignment, which has no value to compare."""
    kind, wanted = outcome.expectation.kind, outcome.expectation.text
    if isinstance(outcome.found, GradcliError):
        return f"#! {outcome.found.diagnostic.code}"
    if kind == "!":
        return "" if outcome.found is None else f"#= {_literal(outcome.found)}"
    tolerance = next((wanted[wanted.rindex(sign) :] for sign in ("±", "+-") if sign in wanted), "")
    return f"#= {found_text(outcome)} {tolerance}".rstrip()


# --- annotations ---------------------------------------------------------------------------


def write(reports: Sequence[Report], _layout: Layout | None = None) -> Iterator[str]:
    """Annotations, and the counts."""
    yield from (f"{line}\n" for line in github(reports))
    yield f"{count(reports)}\n"


def github(reports: Sequence[Report]) -> Iterator[str]:
    """One line of GitHub's workflow commands for each failure."""
    for report in reports:
        for outcome in report.outcomes:
            if not outcome.passed:
                message = (
                    f"{statement_text(report, outcome)}: expected {outcome.expectation.text}, "
                    f"got {shortened(found_text(outcome))}\n{outcome.problem}"
                )
                yield _annotation(report.source.name, line_of(report, outcome), message)
        if report.error is not None:
            diagnostic = report.error
            line = 1
            if diagnostic.source is not None and diagnostic.span is not None:
                line = diagnostic.source.locate(diagnostic.span[0])[0]
            yield _annotation(report.source.name, line, f"{diagnostic.code}: {diagnostic.message}")


def _annotation(name: str, line: int, message: str) -> str:
    path = _escaped(name).replace(":", "%3A").replace(",", "%2C")
    return f"::error file={path},line={line},title=gradcli test::{_escaped(message)}"


def _escaped(text: str) -> str:
    """Workflow commands end at a line break, which they write as `%0A`."""
    text = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return sanitise(text)


# --- JUnit ---------------------------------------------------------------------------------


def junit(reports: Sequence[Report]) -> str:
    """JUnit's XML: one suite a script, one case an expectation."""
    from xml.etree import ElementTree

    totals = count(reports)
    whole = sum(report.seconds for report in reports)
    root = ElementTree.Element("testsuites", {"name": "gradcli"} | _attributes(totals, whole))
    for report in reports:
        name = sanitise(report.source.name)
        suite = ElementTree.SubElement(
            root, "testsuite", {"name": name} | _attributes(count([report]), report.seconds)
        )
        for outcome in report.outcomes:
            statement = sanitise(statement_text(report, outcome)).replace("\n", " ")
            line = line_of(report, outcome)
            case = ElementTree.SubElement(
                suite,
                "testcase",
                classname=name,
                name=f"line {line}: {shortened(statement)}",
                file=name,
                line=str(line),
                time=_seconds(outcome.seconds),
            )
            if not outcome.passed:
                failure = ElementTree.SubElement(case, "failure", message=sanitise(outcome.problem))
                failure.text = sanitise(
                    f"expected {outcome.expectation.text}\ngot {shortened(found_text(outcome))}"
                )
        if report.error is not None:
            case = ElementTree.SubElement(suite, "testcase", classname=name, name="the whole file")
            failure = ElementTree.SubElement(
                case, "failure", message=sanitise(report.error.message), type=report.error.code
            )
            failure.text = error.render(report.error)
    ElementTree.indent(root)
    declaration = '<?xml version="1.0" encoding="UTF-8"?>\n'
    return declaration + ElementTree.tostring(root, encoding="unicode") + "\n"


def _attributes(counts: Counts, seconds: float) -> dict[str, str]:
    return {
        "tests": str(counts.passed + counts.failed),
        "failures": str(counts.failed),
        "time": _seconds(seconds),
    }


def _seconds(seconds: float) -> str:
    return f"{seconds:.6f}"
