"""A plugin of pytest: `.grad` files are collected, and each of their expectations is a test.

pytest finds it by the entry point `gradcli` (`-p no:gradcli` turns it off). All that needs more of
gradcli than this file is imported when there is a `.grad` file.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from gradcli.analysis.expectations import Outcome, Report
    from gradcli.language.syntax import Program

LONGEST_NAME = 60
"""Characters of a statement in the name of its test."""


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """A script among the files that pytest walks through."""
    if file_path.suffix != ".grad":
        return None
    collected: pytest.Collector = Script.from_parent(parent, path=file_path)
    return collected


class BrokenError(Exception):
    """What a test tells when it fails: its text is all that is shown."""


class Script(pytest.File):
    """A `.grad` file. It runs once, when the first of its tests does."""

    def collect(self) -> Iterator[pytest.Item]:
        """One test for each expectation; for a script without any, that it runs to its end."""
        from gradcli.diagnostics import GradcliError
        from gradcli.report.error import render
        from gradcli.report.sanitise import sanitise

        try:
            program = self.program
        except GradcliError as error:
            raise self.CollectError(render(error.diagnostic)) from None
        text = program.source.text
        if not program.expectations:
            yield ExpectationTest.from_parent(self, name="runs", number=None, line=0)
        for number, expectation in enumerate(program.expectations):
            line, _ = program.source.locate(expectation.span[0])
            statement = sanitise(" ".join(text[slice(*expectation.statement.span)].split()))
            name = f"line {line}: {statement[:LONGEST_NAME]}"
            yield ExpectationTest.from_parent(self, name=name, number=number, line=line - 1)

    @cached_property
    def program(self) -> Program:
        """The syntax tree of the script. Raises GradcliError."""
        from gradcli.data.script import read_script
        from gradcli.language.parser import ParseLimits

        return read_script(str(self.path), ParseLimits())

    @cached_property
    def report(self) -> Report:
        """What running the script showed. Random numbers have the seed 0, as in `gradcli test`."""
        from gradcli.analysis.expectations import check
        from gradcli.options import Options

        return check(self.program, Options(seed=0))


class ExpectationTest(pytest.Item):
    """One expectation."""

    def __init__(self, *, number: int | None, line: int, **rest: Any) -> None:
        """`number` counts the expectations of the script, and `line` its lines, from 0."""
        super().__init__(**rest)
        self._number = number
        self._line = line

    @property
    def _script(self) -> Script:
        assert isinstance(self.parent, Script)
        return self.parent

    def runtest(self) -> None:
        """Raises `BrokenError` where the expectation does not hold.

        An error that stopped the script fails the tests that were not reached; where all were, it
        fails the last one.
        """
        from gradcli.report.error import render

        report = self._script.report
        if self._number is None or not report.outcomes:
            outcome, is_last = None, True
        else:
            outcome = report.outcomes[self._number]
            is_last = outcome is report.outcomes[-1]
        stopped = render(report.error) if report.error else ""
        if outcome is not None and not outcome.passed:
            behind = f"\n{stopped}" if stopped and not outcome.reached else ""
            raise BrokenError(_told(report, outcome) + behind)
        if stopped and is_last:
            raise BrokenError(stopped)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], *_: Any) -> Any:
        """What does not hold, without a traceback: that would be about gradcli's own code."""
        if isinstance(excinfo.value, BrokenError):
            return str(excinfo.value)
        return super().repr_failure(excinfo)

    def reportinfo(self) -> tuple[Path, int, str]:
        """Where the test stands."""
        return self.path, self._line, self.name


def _told(report: Report, outcome: Outcome) -> str:
    from gradcli.report.expectations import found_text, shortened, statement_text

    rows = [statement_text(report, outcome), f"  expected {outcome.expectation.text}"]
    rows += [f"  got      {shortened(found_text(outcome))}"] if outcome.reached else []
    return "\n".join([*rows, f"  why      {outcome.problem}"])
