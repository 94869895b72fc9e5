"""Runs scripts for `gradcli test`, here or in several processes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from gradcli.analysis.expectations import Report, check
from gradcli.data.script import read_script
from gradcli.diagnostics import GradcliError, Source
from gradcli.language.syntax import Expectation, Program
from gradcli.options import Options

_NOT_CHOSEN = b"null"
_DONE = "of the scripts"


@dataclass(frozen=True, slots=True)
class Errand:
    """What is to be done with each script."""

    options: Options
    chosen: str | None
    """A text: only expectations behind statements with it count, or all in files whose path has
    it; others do not run.
    """
    update: bool
    seconds: float | None
    """The most seconds that a script may take."""
    safe: bool
    done: Callable[[str, float], None]
    """Told which part of the scripts is done."""

    def here(self, scripts: Sequence[str]) -> Iterator[Report | None]:
        """The reports on scripts, which run one after another in this process; None for those in
        which nothing is chosen.
        """
        from gradcli.cli.deadline import deadline

        self._enter_box()
        for number, path in enumerate(scripts):
            self.done(_DONE, number / len(scripts))
            with deadline(self.seconds):
                yield self._report(path)

    def in_processes(self, scripts: Sequence[str], jobs: int) -> Iterator[Report | None]:
        """The same, with a process for each script, and so many at a time."""
        from gradcli.analysis.sent import unpacked
        from gradcli.cli.crew import spread

        def done(count: int) -> None:
            self.done(_DONE, count / len(scripts))

        answers = spread(self._packed, scripts, jobs, self.seconds, done)
        for path, answer in zip(scripts, answers, strict=True):
            if isinstance(answer, GradcliError):
                yield Report(Source(path, ""), [], answer.diagnostic)
            elif answer == _NOT_CHOSEN:
                yield None
            else:
                yield unpacked(answer, self.options.limits.parse)

    def _packed(self, path: str) -> bytes:
        from gradcli.analysis.sent import packed

        self._enter_box()
        report = self._report(path)
        return _NOT_CHOSEN if report is None else packed(report)

    def _enter_box(self) -> None:
        if self.safe:
            from gradcli.cli.deadline import enter_box

            enter_box(self.options.limits.memory_bytes(), None)

    def _report(self, path: str) -> Report | None:
        """Read and run a script; what is wrong with it is part of the report."""
        try:
            program = read_script(path, self.options.limits.parse)
        except GradcliError as error:
            return Report(Source(path, ""), [], error.diagnostic)
        if self.chosen is not None and not self._counting(program):
            return None
        report = self._checked(program)
        if not self.update or report.passed:
            return report
        return self._updated(report)

    def _checked(self, program: Program) -> Report:
        report = check(program, self.options)
        counting = self._counting(program)
        outcomes = [each for each in report.outcomes if each.expectation in counting]
        return replace(report, outcomes=outcomes)

    def _counting(self, program: Program) -> Sequence[Expectation]:
        """The expectations that are chosen."""
        name, text = program.source
        if self.chosen is None or self.chosen in name:
            return program.expectations
        return [
            each
            for each in program.expectations
            if self.chosen in text[slice(*each.statement.span)]
        ]

    def _updated(self, report: Report) -> Report:
        """Rewrite the script, and check it again."""
        from gradcli.data.replace import replacing
        from gradcli.report.expectations import updated

        path, before = report.source
        text = updated(report)
        if text == before:
            return report
        with replacing(path) as stream:
            stream.write(text.encode())
            stream.flush()
            os.fsync(stream.fileno())  # it replaces the user's own text: no run could restore it
        return self._checked(read_script(path, self.options.limits.parse))
