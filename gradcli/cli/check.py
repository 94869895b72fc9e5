"""`gradcli check`: is this gradient right?"""

from __future__ import annotations

import signal
import sys
from time import monotonic
from typing import TYPE_CHECKING, Annotated

import typer

from gradcli.cli import options as flag
from gradcli.cli import streams
from gradcli.cli.bundles import expanded
from gradcli.diagnostics import GradcliError

if TYPE_CHECKING:
    from gradcli.analysis.verdict import Tolerance

EVERY = 0.5
"""Seconds between one drawing of the bar and the next."""
EXAMPLES = """\b
Examples:
  gradcli check "z = (2*x)**3; out = mean(z)" --set x="[[1,2],[3,4]]"
  gradcli check "sum(relu(w @ x))" -s w="[[1,-2]]" -s x=2,1 --strict
  gradcli check "logsumexp(x)" -s x=1,2,3 --order 2 --json
  gradcli check "out = mean((2*x)**3)" -s x=1,2 --mine x="24*x**2"
"""

Order = Annotated[
    int,
    typer.Option("--order", min=1, max=2, help="1 checks the gradient, 2 the Hessian."),
]
Mine = Annotated[
    list[str] | None,
    typer.Option(
        "--mine",
        metavar="NAME=EXPR",
        help="Your own gradient of a leaf: a formula over the program's names (v is the gradient "
        "vector), numbers, or @FILE. A difference is diagnosed. Repeatable, once a leaf.",
    ),
]
Digits = Annotated[
    float | None,
    typer.Option(
        "--digits",
        min=0,
        help="Inconclusive where fewer digits are confirmed; --mine must agree to so many.",
    ),
]
Rtol = Annotated[
    float | None,
    typer.Option("--rtol", min=0, help="By how much of the gradient --mine may be off."),
]
Atol = Annotated[
    float | None, typer.Option("--atol", min=0, help="By how much, absolutely, --mine may be off.")
]
Strict = Annotated[
    bool,
    typer.Option(
        "--strict",
        help="Exit with 1 where the result is inconclusive, too; refuse to broadcast gradients, "
        "and operands that both grow.",
    ),
]


def _command(
    run: flag.Run,
    show: flag.Show,
    gradient: flag.Gradients = None,
    order: Order = 1,
    mine: Mine = None,
    digits: Digits = None,
    rtol: Rtol = None,
    atol: Atol = None,
    strict: Strict = False,
) -> int:
    """Check the gradient of every leaf against differences, complex step and forward mode.

    Exits with 1 if one is wrong. Where there is no clear answer, at a kink for instance, it says
    why; that is an error under --strict only. With --mine it also checks your own gradient, and
    names the mistake in it: a formula must agree to rounding, numbers to half a unit of their last
    digit, a file to the rounding of its dtype.
    """
    from dataclasses import replace

    from gradcli.analysis.check import check, demand
    from gradcli.cli import posing
    from gradcli.cli.exit import DONE, FINDING
    from gradcli.cli.watch import ENDING

    if mine and order == 2:
        raise GradcliError(
            "usage", "--mine is a gradient, and --order 2 checks the Hessian", hint="leave one out"
        )
    asked = _tolerance(digits, rtol, atol, mine)
    show.format()
    with run.bounds.confined():
        problem = posing.read_problem(run, gradient, {"--mine": mine}, strict=strict, unroll=True)
        if mine:
            from gradcli.analysis.diagnosis.claim import weighed
            from gradcli.analysis.diagnosis.compare import compare

            problem = weighed(problem)
            claims = posing.read_claims(mine, problem, safe=run.bounds.safe)
            compared = [compare(claim, evidence, asked) for claim, evidence in claims]
            found = replace(check(problem, done=Bar(show.quiet)), mine=compared)
        else:
            found = check(problem, order, Bar(show.quiet))
        if digits is not None:
            found = demand(found, digits)
        show.write("check", found)
        if found.stopped:
            return ENDING[signal.SIGINT]
        wrong = {"fail", "inconclusive"} if strict else {"fail"}
        return FINDING if found.verdict in wrong else DONE


class Bar:
    """How much of a check is done, on standard error at a terminal, if it takes a while."""

    def __init__(self, quiet: bool) -> None:
        self._draws = not quiet and sys.stderr is not None and sys.stderr.isatty()
        self._leaf = ""
        self._began = self._drawn = 0.0

    def __call__(self, leaf: str, part: float) -> None:
        now = monotonic()
        if leaf != self._leaf:
            self._leaf, self._began, self._drawn = leaf, now, now
        if self._draws and (part == 1 or now - self._drawn > EVERY):
            from gradcli.report.sanitise import sanitise

            self._drawn = now
            left = (now - self._began) * (1 - part) / part
            told = "" if part == 1 else f"{leaf}: {part:.0%} checked, {left:.0f} s left"
            streams.write_error(f"{streams.CLEAR}{sanitise(told)}")


def _tolerance(
    digits: float | None, rtol: float | None, atol: float | None, mine: list[str] | None
) -> Tolerance | None:
    """What the user asks of `--mine`, if it is said. Raises `usage`."""
    from gradcli.analysis.verdict import Tolerance

    by_hand = {"--rtol": rtol, "--atol": atol}
    told = " ".join(f"{flag} {value:g}" for flag, value in by_hand.items() if value is not None)
    if told and (digits is not None or not mine):
        raise GradcliError(
            "usage",
            "--rtol and --atol say how closely --mine must agree",
            hint="leave --digits out" if mine else "--mine NAME=EXPR gives your own gradient",
        )
    if digits is not None:
        return Tolerance(f"--digits {digits:g}", rtol=10.0**-digits)
    return Tolerance(told, rtol or 0.0, atol or 0.0) if told else None


command = expanded(_command, shows="check")
